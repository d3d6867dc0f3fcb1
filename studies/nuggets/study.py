"""Liu, Mitamura and Hovy (2015): three ways to combine the scores of event nuggets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from studies.core import Reproduction, Request, Section
from studies.nuggets.figures import drawings
from studies.nuggets.mappings import DOCUMENTS, Choices, choose
from studies.nuggets.scores import Combined, agreement, by, combine_all, hardest, ranks
from studies.nuggets.statements import Checks, check, real_statements, statements
from studies.nuggets.systems import GeneratedTask, as_tbf, generate
from tellapart.errors import DataError
from tellapart.formats.annotation.tbf import read_tbf

HAS_PICTURES: Final = True
TITLE: Final = "Liu, Mitamura and Hovy (2015): event nuggets, a pilot study"
_SCALE: Final = 62  # columns from 0 to 1


def reproduce(request: Request) -> Reproduction:
    """Return the study done again, on 15 systems drawn from the seed, or on those of a folder."""
    if request.data is not None:
        return _of_folder(Path(request.data), request)
    task = generate(request.seed)
    files = [as_tbf(system.name, system.mentions) for system in task.systems]
    systems = combine_all(as_tbf("gold", task.gold), files, request.progress)
    checks = check(task, systems)
    choices = choose(task, request.seed, request.progress)
    order = _order(systems)
    rates = Section("The generated systems: how often they go wrong", tuple(_rates(task, order)))
    return Reproduction(
        "nuggets",
        TITLE,
        request.seed,
        (rates, *_sections(systems), _choices(choices)),
        tuple(statements(task, systems, checks, choices)),
        {**_figures(task, systems, checks), "choices": asdict(choices)},
        drawings(systems),
    )


def _of_folder(folder: Path, request: Request) -> Reproduction:
    """Return what can be asked of anyone's gold and systems."""
    paths = sorted((*folder.glob("*.tbf"), *folder.glob("*.tbf.gz")))
    files = {path.name.partition(".tbf")[0]: read_tbf(path) for path in paths}
    gold = files.pop("gold", None)
    if gold is None or len(files) < 2:
        raise DataError(
            f"{folder}: the study needs gold.tbf and one NAME.tbf for each of two systems or more"
        )
    named = [replace(system, path=name) for name, system in files.items()]
    systems = combine_all(gold, named, request.progress)
    return Reproduction(
        "nuggets",
        TITLE,
        request.seed,
        tuple(_sections(systems)),
        tuple(real_statements(systems)),
        {"systems": [asdict(each) for each in systems], "kendall_tau": agreement(systems)},
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


def _order(systems: Sequence[Combined]) -> list[int]:
    """Return the systems in the order of span F1, as in figure 1."""
    return sorted(range(len(systems)), key=lambda k: -systems[k].separate.span)


def _sections(systems: Sequence[Combined]) -> Iterator[Section]:
    """Return the tables of scores."""
    order = _order(systems)
    yield Section("Three ways to combine scores (figures 1 to 3)", tuple(_scores(systems, order)))
    yield Section("What stays readable", tuple(_picture(systems, order)))
    yield Section("Which attribute is hardest", tuple(_hardest(systems)))
    taus = tuple(_agreement(agreement(systems)))
    yield Section("How far the orders agree (Kendall's tau)", taus)


def _hardest(systems: Sequence[Combined]) -> Iterator[str]:
    yield "          lowest for  mean F1  lost of span F1"
    span = fmean(by(systems, "augmented", "span"))
    for name in ("type", "realis"):
        mean = fmean(by(systems, "augmented", name))
        lowest = f"{sum(hardest(each) == name for each in systems)} of {len(systems)}"
        yield f"  {name:<8}{lowest:>10}{mean:>9.3f}{(1 - mean / span if span else 0):>16.0%}"


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


def _agreement(taus: Mapping[str, float]) -> Iterator[str]:
    names = list(dict.fromkeys(name for pair in taus for name in pair.split(", ")))
    yield "  " + " " * 17 + "".join(f"{name.split()[0]:>12}" for name in names[1:])
    for k, a in enumerate(names[:-1]):
        cells = "".join(
            f"{taus[f'{a}, {b}']:>12.2f}" if j > k else " " * 12 for j, b in enumerate(names[1:], 1)
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
