"""Selections: systems on the items of some phenomenon, and whether they do as well elsewhere.

The test asks whether a system's score on a selection differs from its score on all other slots.
Which slots of a message are the selected ones is drawn anew within each message, so that easy and
hard messages stay what they are; of a selection of whole messages, which messages are. In a
contrast of two selections, the other one stands for the rest; over all systems, a slot takes along
what every system made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.selections import SelectedSlots
from tellapart.errors import UsageError
from tellapart.significance.corrections import adjust
from tellapart.significance.part_tests import Statistic, part_test
from tellapart.significance.registry import ADJUSTING
from tellapart.significance.unpaired_tests import LinearRatio

METRICS = ("recall", "precision", "product", "f1")
SHUFFLES = 9_999

_WHOLE = ""  # the one stratum of items that are whole messages


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
    p: dict[str, float | None]
    p_adjusted: dict[str, float | None]
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
    p: dict[str, float | None]
    method: str
    shuffles: int | None


def compare_selections(
    slots: Iterable[SelectedSlots], *, shuffles: int | None, seed: int, correction: str
) -> list[SelectionComparison]:
    """Return every system's scores on every selection and on the rest, and tests of the difference.

    The correction is over all systems and selections of a metric.
    """
    if correction not in ADJUSTING:
        raise UsageError(f"--by selection corrects by {', '.join(ADJUSTING)}, not by {correction}")
    found = [_compared(each, shuffles or SHUFFLES, seed) for each in slots]
    adjusted = {metric: _adjusted([each.p[metric] for each in found], correction)
                for metric in METRICS}  # fmt: skip
    return [
        replace(each, p_adjusted={metric: adjusted[metric][i] for metric in METRICS})
        for i, each in enumerate(found)
    ]


def _product(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return recall times precision; 0 where either is undefined."""
    matched, possible, actual = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    area = possible * actual
    result: NDArray[np.float64] = np.divide(
        matched * matched, area, out=np.zeros_like(area), where=area != 0
    )
    return result


_STATISTICS: dict[str, Statistic] = {
    "recall": LinearRatio((1, 0, 0), (0, 1, 0)),
    "precision": LinearRatio((1, 0, 0), (0, 0, 1)),
    "product": _product,
    "f1": LinearRatio((2, 0, 0), (0, 1, 1)),
}


def _scores(values: NDArray[np.int64]) -> SelectionScores:
    matched, possible, actual = (int(x) for x in values.sum(axis=0))
    recall = matched / possible if possible else 0.0
    precision = matched / actual if actual else 0.0
    f1 = 2 * matched / (possible + actual) if possible + actual else 0.0
    return SelectionScores(len(values), recall, precision, recall * precision, f1)


def _compared(slots: SelectedSlots, shuffles: int, seed: int) -> SelectionComparison:
    """Return the comparison of a selection with the rest, its p-values not yet adjusted."""
    inside = slots.selected
    found = SelectionComparison(
        slots.selection,
        slots.system,
        _scores(slots.values[inside]),
        _scores(slots.values[~inside]),
        dict.fromkeys(METRICS),
        dict.fromkeys(METRICS),
        "",
        None,
        slots.against,
    )
    if not inside.any() or inside.all():
        return found
    values, selected, strata = _exchangeable(slots)
    test = part_test(values, selected, strata, _STATISTICS, shuffles=shuffles, seed=seed)
    drawn = test.total if test.method == "shuffles" else None
    return replace(found, p=dict(test.p), method=test.method, shuffles=drawn)


def contrast_overall(
    slots: Sequence[SelectedSlots], *, shuffles: int | None, seed: int
) -> OverallContrast | None:
    """Return two selections compared over all systems at once; None where nothing is contrasted.

    The question is whether slots of the one are harder than slots of the other, for the mean of
    these systems: all of them keep their answers to a slot wherever it is drawn.
    """
    first = slots[0] if slots else None
    if first is None or first.against is None:
        return None
    joint = _side_by_side(slots)
    scores = [(_scores(s.values[s.selected]), _scores(s.values[~s.selected])) for s in slots]
    pairs = {m: [(getattr(a, m), getattr(b, m)) for a, b in scores] for m in METRICS}
    found = OverallContrast(
        first.selection,
        first.against,
        len(slots),
        {m: float(np.mean([a for a, _ in each])) for m, each in pairs.items()},
        {m: float(np.mean([b for _, b in each])) for m, each in pairs.items()},
        {m: sum(a > b for a, b in each) for m, each in pairs.items()},
        {m: sum(a < b for a, b in each) for m, each in pairs.items()},
        dict.fromkeys(METRICS),
        "",
        None,
    )
    if not joint.selected.any() or joint.selected.all():
        return found
    values, selected, strata = _exchangeable(joint)
    statistics = {metric: _mean_of_systems(metric) for metric in METRICS}
    test = part_test(values, selected, strata, statistics, shuffles=shuffles or SHUFFLES, seed=seed)
    drawn = test.total if test.method == "shuffles" else None
    return replace(found, p=dict(test.p), method=test.method, shuffles=drawn)


def _side_by_side(slots: Sequence[SelectedSlots]) -> SelectedSlots:
    """Return the slots of all systems, each with the columns of every system side by side."""
    place: dict[str, int] = {}
    messages: list[str] = []
    selected: list[bool] = []
    for each in slots:
        for name, message, inside in zip(each.slots, each.messages, each.selected, strict=True):
            if name not in place:
                place[name] = len(place)
                messages.append(message)
                selected.append(bool(inside))
    values = np.zeros((len(place), 3 * len(slots)), dtype=np.int64)
    for k, each in enumerate(slots):
        # A template that was scored twice has its slots twice.
        np.add.at(values[:, 3 * k : 3 * k + 3], [place[name] for name in each.slots], each.values)
    return SelectedSlots(
        slots[0].selection, "", values, np.array(selected, dtype=bool), tuple(messages)
    )


def _mean_of_systems(metric: str) -> Statistic:
    """Return the mean of a score over systems, whose columns stand side by side in threes."""

    def score(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        each = np.asarray(sums, dtype=np.float64).reshape(*sums.shape[:-1], -1, 3)
        matched, possible, actual = np.moveaxis(each, -1, 0)
        above, below = {
            "recall": (matched, possible),
            "precision": (matched, actual),
            "product": (matched * matched, possible * actual),
            "f1": (2 * matched, possible + actual),
        }[metric]
        scores = np.divide(above, below, out=np.zeros_like(below), where=below != 0)
        result: NDArray[np.float64] = scores.mean(axis=-1)
        return result

    return score


def _exchangeable(
    slots: SelectedSlots,
) -> tuple[NDArray[np.int64], list[bool], Sequence[str]]:
    """Return values, selection and strata of what is exchanged: slots within their message.

    Where messages are selected as a whole, messages are exchanged.
    """
    members: dict[str, list[int]] = {}
    for i, message in enumerate(slots.messages):
        members.setdefault(message, []).append(i)
    rows = list(members.values())
    if any(len(set(slots.selected[each].tolist())) > 1 for each in rows):
        return slots.values, slots.selected.tolist(), slots.messages
    return (
        np.array([slots.values[each].sum(axis=0) for each in rows]),
        [bool(slots.selected[each[0]]) for each in rows],
        (_WHOLE,) * len(rows),
    )


def _adjusted(p_values: Sequence[float | None], correction: str) -> list[float | None]:
    raw = [p for p in p_values if p is not None]
    adjusted = iter(raw if correction == "none" or not raw else adjust(raw, correction).tolist())
    return [None if p is None else next(adjusted) for p in p_values]
