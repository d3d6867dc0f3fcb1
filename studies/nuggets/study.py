"""Liu, Mitamura and Hovy (2015): three ways to combine the scores of event nuggets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from studies.core import Reproduction, Request, Section
from studies.nuggets.figures import drawings
from studies.nuggets.mappings import DOCUMENTS, Choices, choose
from studies.nuggets.scores import Combined, by, combine_all, ranks
from studies.nuggets.statements import Checks, check, statements
from studies.nuggets.systems import GeneratedTask, generate
from tellapart.errors import UsageError

HAS_PICTURES: Final = True
_SCALE: Final = 62  # columns from 0 to 1


def reproduce(request: Request) -> Reproduction:
    """Return the study done again, on 15 systems drawn from the seed."""
    if request.data is not None:
        raise UsageError(
            "the study nuggets draws its systems from --seed; drop --data, and see your own with "
            "`tellapart score --as nuggets --profile pilot`"
        )
    task = generate(request.seed)
    systems = combine_all(task, request.progress)
    checks = check(task, systems)
    choices = choose(task, request.seed, request.progress)
    return Reproduction(
        "nuggets",
        "Liu, Mitamura and Hovy (2015): event nuggets, a pilot study",
        request.seed,
        (*_sections(task, systems, checks), _choices(choices)),
        tuple(statements(task, systems, checks, choices)),
        {**_figures(task, systems, checks), "choices": asdict(choices)},
        drawings(systems),
    )


def _figures(task: GeneratedTask, systems: Sequence[Combined], checks: Checks) -> dict[str, Any]:
    return {
        "gold_mentions": len(task.gold),
        "documents": len({each.document for each in task.gold}),
        "systems": [
            {**asdict(scores), "rates": asdict(system.rates)}
            for system, scores in zip(task.systems, systems, strict=True)
        ],
        "kendall_tau": checks.agreement,
        "without_spurious": asdict(checks.without_spurious),
    }


def _sections(
    task: GeneratedTask, systems: Sequence[Combined], checks: Checks
) -> Iterator[Section]:
    """Return all tables; systems are in the order of span F1, as in figure 1."""
    order = sorted(range(len(systems)), key=lambda k: -systems[k].separate.span)
    yield Section("The generated systems: how often they go wrong", tuple(_rates(task, order)))
    yield Section("Three ways to combine scores (figures 1 to 3)", tuple(_scores(systems, order)))
    yield Section("What stays readable", tuple(_picture(systems, order)))
    yield Section("How far the orders agree (Kendall's tau)", tuple(_agreement(checks)))


def _rates(task: GeneratedTask, order: Sequence[int]) -> Iterator[str]:
    yield "          missing  spurious     wrong     wrong     wrong"
    yield "                                 span      type    realis"
    for k in order:
        rates = task.systems[k].rates
        cells = (rates.missing, rates.spurious, rates.span, rates.type, rates.realis)
        yield f"  {task.systems[k].name:<5}" + "".join(f"{cell:>10.1%}" for cell in cells)
    yield "  Missing and spurious: of gold mentions; wrong: of those that are found."


def _scores(systems: Sequence[Combined], order: Sequence[int]) -> Iterator[str]:
    places = {way: ranks(by(systems, way, "all")) for way in ("multiplied", "augmented")}
    yield "           separate          multiplied             augmented            rank"
    yield "         span  type real.   type real.   all   span  type real.   all  mul. aug."
    yield "           F1  acc.  acc.                         F1    F1    F1    F1"
    for k in order:
        one, two, three = systems[k].separate, systems[k].multiplied, systems[k].augmented
        cells = (
            _cells(one.span, one.type, one.realis),
            _cells(two.type, two.realis, two.all),
            _cells(three.span, three.type, three.realis, three.all),
        )
        placed = "".join(f"{places[way][k]:>5}" for way in places)
        yield f"  {systems[k].name:<5}{' '.join(cells)}{placed}"
    yield "  Multiplied: span F1 times accuracies. Augmented: F1 with the attribute right."


def _cells(*scores: float) -> str:
    return "".join(f"{f'{score:.3f}'.removeprefix('0'):>6}" for score in scores)


def _picture(systems: Sequence[Combined], order: Sequence[int]) -> Iterator[str]:
    yield "         x multiplied, all;  augmented: a all, r realis, t type, s span"
    for k in order:
        each = systems[k]
        line = [" "] * (_SCALE + 1)
        scores = each.augmented
        marks = [("s", scores.span), ("t", scores.type), ("r", scores.realis), ("a", scores.all),
                 ("x", each.multiplied.all)]  # fmt: skip
        for mark, value in marks:
            line[round(value * _SCALE)] = mark
        yield f"  {each.name:<7}|{''.join(line)}|"
    ticks = "".join(f"{k / 5:<{_SCALE // 5 + (k % 2)}g}" for k in range(5))
    yield f"          {ticks}  1"


def _agreement(checks: Checks) -> Iterator[str]:
    names = list(dict.fromkeys(name for pair in checks.agreement for name in pair.split(", ")))
    yield "  " + " " * 17 + "".join(f"{name.split()[0]:>12}" for name in names[1:])
    for k, a in enumerate(names[:-1]):
        cells = "".join(
            f"{checks.agreement[f'{a}, {b}']:>12.2f}" if j > k else " " * 12
            for j, b in enumerate(names[1:], 1)
        )
        yield f"  {a:<17}{cells}"


def _choices(choices: Choices) -> Section:
    """Return what the choices of sections 2.2 and 3.1 change."""
    rows = (
        ("best mapping, not greedy", choices.mapping),
        ("one half, not Dice", choices.credit),
        ("letters, not tokens", choices.spans),
    )
    lines = [f"  {'':<28}{'changed':>10}{'largest':>12}{'pairs that':>14}",
             f"  {'':<28}{'systems':>10}{'change':>12}{'change places':>14}"]  # fmt: skip
    lines += [
        f"  {name:<28}{each.changed:>10}{each.largest:>12.5f}{each.swapped:>14}"
        for name, each in rows
    ]
    lines.append(
        f"  Span F1 of the first {DOCUMENTS} documents, one gold mention to one of a system."
    )
    return Section("What other choices would change (sections 2.2 and 3.1)", tuple(lines))
