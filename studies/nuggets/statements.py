"""The statements of Liu, Mitamura and Hovy (2015), checked on generated systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from studies.core import Qualified, Statement, scores_of
from studies.nuggets.mappings import Choice, Choices
from studies.nuggets.scores import (
    Combined,
    agreement,
    by,
    combine,
    hardest,
    kendall,
    swapped_pairs,
)
from studies.nuggets.systems import DOCUMENTS, MENTIONS, SYSTEMS, GeneratedTask, as_tbf
from tellapart.formats.annotation.tbf import BEGIN, END, TbfFile, cut
from tellapart.formats.reading import example

PAPER: Final = "Liu, Mitamura and Hovy 2015"
_SMALL: Final = 0.02  # a change of the score that can be called very small
_EPSILON: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Checks:
    """What is compared, apart from the scores of the systems."""

    agreement: dict[str, float]
    """Kendall's tau of pairs of orders"""
    without_spurious: Combined
    """The system with most spurious mentions, without them"""
    most_spurious: Combined


def check(task: GeneratedTask, systems: Sequence[Combined]) -> Checks:
    """Return how orders agree, and what spurious mentions do."""
    worst = max(range(len(systems)), key=lambda k: task.systems[k].rates.spurious)
    system = task.systems[worst]
    silent = as_tbf(system.name, system.without_spurious())
    return Checks(agreement(systems), combine(as_tbf("gold", task.gold), silent), systems[worst])


def statements(
    task: GeneratedTask, systems: Sequence[Combined], checks: Checks, choices: Choices
) -> Iterator[Statement]:
    """Return all statements, checked, in the order of the paper."""
    yield from _definitions(checks)
    yield _dependence(systems)
    yield _tokens(choices)
    yield _muc()
    yield from _section_3_1(choices)
    yield Statement(
        PAPER, "section 4", "The scores are of 15 submissions, on 200 documents with 6921 "
        "mentions (LDC2015E3).", "15, 200, 6921", f"{SYSTEMS}, {DOCUMENTS}, {MENTIONS}",
        "Neither the documents nor the submissions are public: what follows is about generated "
        "systems, as many and on as many mentions.", None,
    )  # fmt: skip
    yield from _precision(systems, "generated")
    yield from _separate(task, checks)
    yield _multiplied(systems, "generated")
    yield from _augmented(systems, "generated")
    yield _bottleneck(task, systems)


def real_statements(systems: Sequence[Combined]) -> Iterator[Statement]:
    """Return the statements that any gold and systems can be asked."""
    yield _dependence(systems)
    yield from _precision(systems, "other")
    yield _multiplied(systems, "other")
    yield from _augmented(systems, "other")


def _tbf(name: str, *mentions: str) -> TbfFile:
    """Return a file of one document out of `span, type` lines."""
    lines = []
    for k, words in enumerate(mentions):
        span, kind = words.split()
        lines.append("\t".join([name, "d", f"E{k}", span, "…", kind, "Actual"]))
    return cut("\n".join([f"{BEGIN} d", *lines, END]), name)


# He carried out the assassination: a token is a character, and they are numbered from 0.
_GOLD: Final = _tbf("gold", "1,3;4,5 Life.Die")


def _definitions(checks: Checks) -> Iterator[Statement]:
    rough = combine(_GOLD, _tbf("3", "1,3 Life.Die")).separate
    fixed = rough.recall  # one mention on either side
    yield Statement(
        PAPER, "section 2.4", "With TP / (TP + FP), precision is perfect however rough the spans, "
        "if only each mention has a partner.", "perfect precision, imperfect recall",
        f"{rough.precision:g} and {rough.recall:g}; repaired, precision is {fixed:g}",
        'two of the three tokens of "carried out … assassination"',
        rough.precision == 1.0 > rough.recall,
    )  # fmt: skip
    before, after = checks.most_spurious, checks.without_spurious
    same = abs(before.literal_precision - after.literal_precision) < _EPSILON
    yield Statement(
        PAPER, "algorithm 2", "False positives are counted once for each gold mention without a "
        "partner.", "FP + 1 if M_G is empty",
        f"precision {before.literal_precision:.3f} and {after.literal_precision:.3f}",
        f"With and without what is spurious in {before.name}: precision as printed does not see "
        "it, and counts misses. The pilot took system mentions less matched gold ones, as we do.",
        not same,
    )  # fmt: skip
    first = combine(_GOLD, _tbf("1", "1,2 Life.Die", "4,5 Life.Die")).separate.type
    second = combine(_GOLD, _tbf("2", "1,2 Business.Merge", "4,5 Life.Die")).separate.type
    yield Statement(
        PAPER, "section 2.5", "Where both halves of a split mention have the right type, there is "
        "full credit; where one has, half of it.", "1 and 0.5", f"{first:g} and {second:g}",
        "type accuracy of the printed example", (first, second) == (1.0, 0.5),
    )  # fmt: skip


def _muc() -> Statement:
    counts = example("muc4").systems[("GE",)]
    totals = dict(zip(counts.columns, counts.summed()[0].tolist(), strict=True))
    credit = totals["cor"] + 0.5 * totals["par"]
    by_possible, by_actual = credit / totals["pos"], credit / totals["act"]
    recall = float(scores_of(counts, "recall").values[0])
    return Statement(
        PAPER, "section 3.1", "MUC's precision is (COR + 0.5 PAR) / POS, its recall (COR + 0.5 "
        "PAR) / ACT.", "P over POS, R over ACT",
        f"GE at MUC-4: over POS {by_possible:.2f}, over ACT {by_actual:.2f}; its recall is "
        f"{recall:.2f}", "The two denominators are exchanged: recall divides by what is possible.",
        abs(recall - by_actual) < _EPSILON,
    )  # fmt: skip


def _tokens(choices: Choices) -> Statement:
    found = choices.spans
    return Statement(
        PAPER, "section 2.2", "A span is a set of tokens, not of letters.", "token ids",
        f"with letters span F1 changes by up to {found.largest:.4f}; {found.swapped} of "
        f"{_pairs(found)} pairs change places",
        "It matters little if no pair changes places. Words of one to many letters were drawn.",
        found.swapped == 0, qualified="generated",
    )  # fmt: skip


def _section_3_1(choices: Choices) -> Iterator[Statement]:
    """Return what is done otherwise than by the MUC scorer."""
    mapping, credit = choices.mapping, choices.credit
    yield Statement(
        PAPER, "section 3.1", "A simple greedy mapping can take the place of the best alignment.",
        "instead of trying to find the best alignment",
        f"with the best one span F1 of {mapping.changed} of {len(mapping.first)} systems changes, "
        f"by up to {mapping.largest:.5f}; {mapping.swapped} of {_pairs(mapping)} pairs change "
        "places", "Mentions were moved close together, so that one overlaps with several.",
        mapping.swapped == 0, qualified="generated",
    )  # fmt: skip
    by_dice, by_half = choices.told_apart
    yield Statement(
        PAPER, "section 3.1", "A variable partial credit can reflect more subtle differences "
        "between systems than one half for every partial match.", "more subtle differences",
        f"pairs of {_pairs(credit)} told apart at .05: {by_dice} by Dice, {by_half} by one half; "
        f"span F1 changes by up to {credit.largest:.3f}",
        "To be so, Dice must tell more pairs apart.", by_dice > by_half, qualified="generated",
    )  # fmt: skip


def _pairs(choice: Choice) -> int:
    return math.comb(len(choice.first), 2)


def _precision(systems: Sequence[Combined], asked_of: Qualified) -> Iterator[Statement]:
    before, after = by(systems, "separate", "span"), by(systems, "augmented", "span")
    changes = [abs(a - b) for a, b in zip(before, after, strict=True)]
    yield Statement(
        PAPER, "section 4.1", "The repair of precision changes scores by a very small value only.",
        "very small", f"by {min(changes):.4f} to {max(changes):.4f} of span F1",
        f"up to {_SMALL:g} counts as very small", max(changes) <= _SMALL,
        qualified=asked_of,
    )  # fmt: skip
    swapped = swapped_pairs(before, after)
    ordered = sorted(before)
    closest = min((b - a for a, b in pairwise(ordered)), default=0.0)
    yield Statement(
        PAPER, "section 4.1", "The order by span scores remains the same.", "the same",
        f"{swapped} of {math.comb(len(systems), 2)} pairs change places",
        f"the two closest systems are {closest:.4f} apart", swapped == 0, qualified=asked_of,
    )  # fmt: skip


def _separate(task: GeneratedTask, checks: Checks) -> Iterator[Statement]:
    names = ("span F1, type accuracy", "span F1, realis accuracy",
             "type accuracy, realis accuracy")  # fmt: skip
    taus = [checks.agreement[name] for name in names]
    yield Statement(
        PAPER, "section 4.2, figure 1", "With separate scores it is difficult to rank the systems.",
        "no unified score", ", ".join(f"{tau:.2f}" for tau in taus),
        "Kendall's tau of the orders by span and type, span and realis, type and realis; 1 would "
        "be one order, which systems drawn with rates of their own hardly have.", max(taus) < 1,
        qualified="weak",
    )  # fmt: skip
    before, after = checks.most_spurious.separate, checks.without_spurious.separate
    unmoved = max(abs(before.type - after.type), abs(before.realis - after.realis)) < _EPSILON
    spurious = sum(len(each.mentions) - each.found for each in task.systems
                   if each.name == checks.most_spurious.name)  # fmt: skip
    yield Statement(
        PAPER, "section 4.2", "Attribute scores do not penalise false alarms.",
        "only calculated on the gold standard mentions",
        f"without its {spurious} spurious mentions {checks.most_spurious.name} has type "
        f"{before.type:.3f} → {after.type:.3f}, realis {before.realis:.3f} → {after.realis:.3f}, "
        f"span F1 {before.span:.3f} → {after.span:.3f}", "",
        unmoved and after.span > before.span, qualified="generated",
    )  # fmt: skip


def _dependence(systems: Sequence[Combined]) -> Statement:
    wrong = [each for each in systems if each.separate.type < 1]
    missed = [(1 - each.coverage) / (1 - each.separate.type) for each in wrong] or [0.0]
    return Statement(
        PAPER, "section 2.6", "Errors in attributes and in spans are not independent, so that it "
        "is inappropriate to multiply.", "not independent",
        f"{min(missed):.0%} to {max(missed):.0%} of the errors in type accuracy are mentions that "
        "were not found", "A mention that is missed is an error of all three factors, by "
        "definition.", min(missed) > 0, qualified="weak",
    )  # fmt: skip


def _multiplied(systems: Sequence[Combined], asked_of: Qualified) -> Statement:
    products, folded = by(systems, "multiplied", "all"), by(systems, "augmented", "all")
    smaller = sum(a < b for a, b in zip(products, folded, strict=True))
    return Statement(
        PAPER, "section 4.2, figure 2", "Multiplied scores soon become too small.",
        "too small, less interpretable",
        f"{min(products):.2f} to {max(products):.2f}, augmented {min(folded):.2f} to "
        f"{max(folded):.2f}; smaller for {smaller} of {len(systems)} systems",
        f"on average {_mean(products) / _mean(by(systems, 'multiplied', 'span')):.0%} of span F1 "
        f"instead of {_mean(folded) / _mean(by(systems, 'augmented', 'span')):.0%}",
        smaller == len(systems), qualified=asked_of,
    )  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _augmented(systems: Sequence[Combined], asked_of: Qualified) -> Iterator[Statement]:
    scores = [each.augmented for each in systems]
    bounded = sum(each.all <= min(each.type, each.realis) for each in scores)
    realis = sum(hardest(each) == "realis" for each in systems)
    yield Statement(
        PAPER, "section 4.2, figure 3", "Augmented with all attributes, the score is bounded by "
        "that of the hardest attribute, realis.", "bounded by realis",
        f"bounded by the harder one for {bounded} of {len(systems)}; that is realis for {realis}",
        "which attribute is harder is as was drawn" if asked_of == "generated" else "",
        bounded == len(systems),
        qualified=asked_of,
    )  # fmt: skip
    falling = sum(each.span >= max(each.type, each.realis) and bool(
        min(each.type, each.realis) >= each.all) for each in scores)  # fmt: skip
    yield Statement(
        PAPER, "section 4.2, figure 3", "All scores decrease monotonically, from spans to all "
        "attributes.", "all 15", f"{falling} of {len(systems)}",
        "span ≥ type and realis ≥ all", falling == len(systems), qualified=asked_of,
    )  # fmt: skip


def _bottleneck(task: GeneratedTask, systems: Sequence[Combined]) -> Statement:
    wrong = [each.rates.type for each in task.systems]
    gaps = [1 - each.augmented.type / each.augmented.span for each in systems]
    shown, hidden = (kendall(wrong, found) for found in
                     (gaps, [1 - each.separate.type for each in systems]))  # fmt: skip
    return Statement(
        PAPER, "section 4.2", "The gap between span F1 and type F1 of figure 3 shows how well "
        "types are found, which the other figures do not.", "systems 5 and 7",
        f"agreement with the true rates of type errors: tau {shown:.2f} by that gap, {hidden:.2f} "
        "by type accuracy", "Of generated systems the true rates are known.",
        shown > hidden, qualified="generated",
    )  # fmt: skip
