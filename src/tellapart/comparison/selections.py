"""Selections: systems on the slots of some phenomenon, and whether they do as well elsewhere.

The test asks whether a system's score on a selection differs from its score on all other slots, or
on another selection. In a message with slots of both kinds, which of its slots are the selected
ones is drawn anew; so is, of the messages with one kind, which have the selected one. Slots of a
message stand and fall together and selections differ in size, so the difference is measured in
standard errors by message, anew for every draw. Over all systems, a slot takes along what every
system made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tellapart.comparison.options import DEFAULT_SHUFFLES, JOINT, Options
from tellapart.counts.selections import SelectedSlots
from tellapart.errors import UsageError
from tellapart.stats.corrections import METHODS, adjust
from tellapart.stats.result import Flags, Floats, Ints
from tellapart.stats.unpaired import exchanged_labels

METRICS = ("recall", "precision", "product", "f1")
_CELLS = 1 << 22  # numbers that are held at a time


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
    smallest_p: Mapping[str, float | None]
    """What p is at best, with so few slots and messages to exchange"""
    against: str | None = None
    """The selection that the rest is; None: all other slots"""


@dataclass(frozen=True, slots=True)
class OverallContrast:
    """Two selections over all systems: whether the mean scores on both differ."""

    selection: str
    against: str
    systems: int
    mean: float
    """Of the products of recall and precision on the first selection"""
    mean_against: float
    higher: int
    """How many systems have a higher product on the first selection"""
    lower: int
    p: Mapping[str, float | None]
    smallest_p: Mapping[str, float | None]


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
        p, smallest = _tests(own, options)
        found.append(
            SelectionComparison(own.selection, own.system, *scores, p, p, smallest, own.against)
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
    these systems: copies of a system are no more evidence than the system.
    """
    if not slots or slots[0].against is None:
        return None
    own, rest = (
        np.array([_scores(s.values[s.selected == inside]).product for s in slots])
        for inside in (True, False)
    )
    return OverallContrast(
        slots[0].selection,
        slots[0].against,
        len(slots),
        float(own.mean()),
        float(rest.mean()),
        int((own > rest).sum()),
        int((own < rest).sum()),
        *_tests(_side_by_side(slots), options),
    )


def _scores(values: Ints) -> SelectionScores:
    found = _scores_and_shares(values[None, :, None].astype(np.float64))
    return SelectionScores(len(values), *(found[metric][0].item() for metric in METRICS))


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


def _tests(
    slots: SelectedSlots, options: Options
) -> tuple[Mapping[str, float | None], Mapping[str, float | None]]:
    """Return p-values of a selection against the rest, and the smallest that could be reached."""
    if not slots.selected.any() or slots.selected.all():
        return dict.fromkeys(METRICS), dict.fromkeys(METRICS)
    names, message = np.unique(slots.messages, return_inverse=True)
    chosen = np.bincount(message, slots.selected, len(names))
    mixed = (chosen > 0) & (chosen < np.bincount(message))
    # What is exchanged: slots within mixed messages, the others as a whole and with one another.
    unit = np.where(mixed[message], np.arange(len(message)), -1 - message)
    _, first, of_slot = np.unique(unit, return_index=True, return_inverse=True)
    values = np.zeros((len(first), slots.values.shape[1]))
    np.add.at(values, of_slot, slots.values)
    of_unit = message[first]
    strata = np.where(mixed[of_unit], of_unit, -1)
    n_resamples = options.shuffles or DEFAULT_SHUFFLES
    labels, number = exchanged_labels(slots.selected[first], strata, n_resamples, options.seed)
    hits = np.zeros(len(METRICS), np.int64)
    observed = _standardized(slots.selected[first][None], values, of_unit)
    for part in np.array_split(labels, 1 + len(labels) * values.size // _CELLS):
        sizes = np.abs(_standardized(part, values, of_unit))
        hits += np.count_nonzero(sizes >= np.abs(observed) * (1 - 1e-9) - 1e-9, axis=0)
    own = int(len(labels) < number)  # the data are one more arrangement
    total = len(labels) + own
    p = {metric: (n + own) / total for metric, n in zip(METRICS, hits.tolist(), strict=True)}
    return p, dict.fromkeys(METRICS, max(1 / total, 1 / number))


def _standardized(selected: Flags, values: Floats, message: Ints) -> Floats:
    """Return differences of scores in standard errors, arrangements × metrics.

    Each arrangement says which rows of values are selected; scores are means over the systems,
    whose columns stand side by side in threes.
    """
    order = np.argsort(message, kind="stable")
    starts = np.flatnonzero(np.diff(message[order], prepend=-1))
    sides = []
    for labels in (selected, ~selected):
        sums = np.add.reduceat(labels[:, order, None] * values[order], starts, axis=1)
        sides.append(_scores_and_shares(sums.reshape(*sums.shape[:2], -1, 3)))
    columns = []
    for metric in METRICS:
        (score, shares), (other, others) = (side[metric] for side in sides)
        error = np.sqrt(((shares - others) ** 2).sum(axis=1))
        columns.append((score - other) / np.maximum(error, 1e-9))  # of equal messages, the largest
    return np.stack(columns, axis=1)


def _scores_and_shares(sums: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Return by metric the mean score over systems, and what each message adds to its error.

    Sums are arrangements × messages × systems × (matched, possible, actual).
    """
    matched, possible, actual = np.moveaxis(sums, -1, 0)
    recall, by_recall = _ratio(matched, possible)
    precision, by_precision = _ratio(matched, actual)
    by_product = precision[:, None] * by_recall + recall[:, None] * by_precision
    found = ((recall, by_recall), (precision, by_precision), (recall * precision, by_product),
             _ratio(2 * matched, possible + actual))  # fmt: skip
    return {
        metric: (scores.mean(axis=-1), shares.mean(axis=-1))
        for metric, (scores, shares) in zip(METRICS, found, strict=True)
    }


def _ratio(top: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Return the ratio of sums over messages, 0 where there is nothing, and its linear shares."""
    size = below.sum(axis=1)
    empty = size == 0
    size[empty] = 1.0
    score = np.where(empty, 0.0, top.sum(axis=1) / size)
    return score, (top - score[:, None] * below) / size[:, None]
