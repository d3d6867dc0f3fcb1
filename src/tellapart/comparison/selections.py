"""Selections: systems on the slots of some phenomenon, and whether they do as well elsewhere.

The test asks whether a system's score on a selection differs from its score on all other slots.
Which slots of a message are the selected ones is drawn anew within each message, so that easy and
hard messages stay what they are; of a selection of whole messages, which messages are. In a
contrast of two selections, the other one stands for the rest; over all systems, a slot takes along
what every system made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.comparison.options import JOINT, Options
from tellapart.comparison.testing import SHUFFLES
from tellapart.counts.selections import SelectedSlots
from tellapart.errors import UsageError
from tellapart.stats.corrections import METHODS, adjust
from tellapart.stats.exchange import Score
from tellapart.stats.result import Flags, Floats, Ints
from tellapart.stats.unpaired import unpaired_scores

METRICS = ("recall", "precision", "product", "f1")


@dataclass(frozen=True, slots=True)
class SelectionScores:
    """Recall, precision, their product, and F on some slots, 0 to 1."""

    slots: int
    recall: float
    precision: float
    product: float
    f1: float


@dataclass(frozen=True, slots=True)
class SelectionComparison:
    """A system on a selection and on all other slots, and whether the scores differ.

    The p-values are None where a selection is empty, or is all there is.
    """

    selection: str
    system: str
    figures: SelectionScores
    rest: SelectionScores
    p: Mapping[str, float | None]
    p_adjusted: Mapping[str, float | None]
    method: str
    shuffles: int | None
    against: str | None = None
    """The selection that the rest is; None: all other slots"""


@dataclass(frozen=True, slots=True)
class OverallContrast:
    """Two selections over all systems: mean scores on both, and whether their means differ."""

    selection: str
    against: str
    systems: int
    mean: dict[str, float]
    mean_against: dict[str, float]
    higher: dict[str, int]
    """How many systems score higher on the first selection"""
    lower: dict[str, int]
    p: Mapping[str, float | None]
    method: str
    shuffles: int | None


def compare_selections(
    slots: Sequence[SelectedSlots], options: Options
) -> list[SelectionComparison]:
    """Return every system's scores on every selection and on the rest, and tests of the difference.

    The correction is over all systems and selections of a metric. Of the options it uses shuffles,
    seed and correction.
    """
    if options.correction in JOINT:
        names = ", ".join(METHODS)
        raise UsageError(f"--by selection corrects by {names}, not by {options.correction}")
    found: list[SelectionComparison] = []
    for own in slots:
        scores = _scores(own.values[own.selected]), _scores(own.values[~own.selected])
        raw, method, drawn = _tests(own, options)
        found.append(
            SelectionComparison(
                own.selection, own.system, *scores, raw, raw, method, drawn, own.against
            )
        )
    for metric in METRICS:
        known = {k: p for k, p in enumerate(each.p[metric] for each in found) if p is not None}
        adjusted = adjust(list(known.values()), options.correction).tolist() if known else []
        for k, p_adjusted in zip(known, adjusted, strict=True):
            every = {**found[k].p_adjusted, metric: p_adjusted}
            found[k] = replace(found[k], p_adjusted=every)
    return found


def contrast_overall(slots: Sequence[SelectedSlots], options: Options) -> OverallContrast | None:
    """Return two selections compared over all systems at once; None where nothing is contrasted.

    The question is whether slots of the one are harder than slots of the other, for the mean of
    these systems: all of them keep their answers to a slot wherever it is drawn.
    """
    if not slots or slots[0].against is None:
        return None
    scores = [(_scores(s.values[s.selected]), _scores(s.values[~s.selected])) for s in slots]
    both = {m: [(getattr(a, m), getattr(b, m)) for a, b in scores] for m in METRICS}
    return OverallContrast(
        slots[0].selection,
        slots[0].against,
        len(slots),
        {metric: float(np.mean([a for a, _ in own])) for metric, own in both.items()},
        {metric: float(np.mean([b for _, b in own])) for metric, own in both.items()},
        {metric: sum(a > b for a, b in own) for metric, own in both.items()},
        {metric: sum(a < b for a, b in own) for metric, own in both.items()},
        *_tests(_side_by_side(slots), options),
    )


def _scores(values: Ints) -> SelectionScores:
    sums = values.sum(axis=0)
    recall, precision, product, f1 = (float(_mean_score(metric)(sums)) for metric in METRICS)
    return SelectionScores(len(values), recall, precision, product, f1)


def _mean_score(metric: str) -> Score:
    """Return the mean of a score over systems, whose columns stand side by side in threes."""

    def score(sums: Floats | Ints) -> Floats:
        each = np.asarray(sums, np.float64).reshape(*np.shape(sums)[:-1], -1, 3)
        matched, possible, actual = np.moveaxis(each, -1, 0)
        above, below = {
            "recall": (matched, possible),
            "precision": (matched, actual),
            "product": (matched * matched, possible * actual),
            "f1": (2 * matched, possible + actual),
        }[metric]
        scores = np.divide(above, below, out=np.zeros_like(below), where=below != 0)
        return np.asarray(scores.mean(axis=-1))

    return score


def _tests(
    slots: SelectedSlots, options: Options
) -> tuple[Mapping[str, float | None], str, int | None]:
    """Return p-values of a selection against the rest, how they were made, and the shuffles."""
    if not slots.selected.any() or slots.selected.all():
        return dict.fromkeys(METRICS), "", None
    values, inside, strata = _exchangeable(slots)
    tests = unpaired_scores(
        values[inside],
        values[~inside],
        [_mean_score(metric) for metric in METRICS],
        strata=(strata[inside].tolist(), strata[~inside].tolist()),
        n_resamples=options.shuffles or SHUFFLES,
        rng=options.seed,
    )
    p = {metric: test.p for metric, test in zip(METRICS, tests, strict=True)}
    return p, tests[0].method, tests[0].n_resamples


def _side_by_side(slots: Sequence[SelectedSlots]) -> SelectedSlots:
    """Return the slots of all systems, each with the columns of every system side by side."""
    place: dict[str, int] = {}
    messages: list[str] = []
    selected: list[bool] = []
    for own in slots:
        for name, message, inside in zip(own.slots, own.messages, own.selected, strict=True):
            if name not in place:
                place[name] = len(place)
                messages.append(message)
                selected.append(bool(inside))
    values = np.zeros((len(place), 3 * len(slots)), np.int64)
    for k, own in enumerate(slots):
        # A template that was scored twice has its slots twice.
        np.add.at(values[:, 3 * k : 3 * k + 3], [place[name] for name in own.slots], own.values)
    return SelectedSlots(slots[0].selection, "", values, np.array(selected), tuple(messages))


def _exchangeable(slots: SelectedSlots) -> tuple[Ints, Flags, NDArray[np.str_]]:
    """Return values, selection and strata of what is exchanged: slots within their message.

    Where messages are selected as a whole, messages are exchanged, which are one stratum.
    """
    messages, inside = np.array(slots.messages), slots.selected
    names, of_slot = np.unique(messages, return_inverse=True)
    chosen = np.bincount(of_slot, inside, len(names))
    if ((chosen > 0) & (chosen < np.bincount(of_slot))).any():
        return slots.values, inside, messages
    sums = np.zeros((len(names), slots.values.shape[1]), np.int64)
    np.add.at(sums, of_slot, slots.values)
    return sums, chosen > 0, np.full(len(names), "")
