"""Selections: systems on the slots of some phenomenon, and whether they do as well elsewhere.

The test asks whether a system's score on a selection differs from its score on all other slots, or
on another selection. Over all systems, a slot takes along what every system made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tellapart.comparison.options import DEFAULT_SHUFFLES, JOINT, Options
from tellapart.counts.selections import SelectedSlots
from tellapart.errors import UsageError
from tellapart.stats.corrections import METHODS, adjust
from tellapart.stats.parts import METRICS, part_against_rest, scores_and_shares
from tellapart.stats.result import Ints


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
    found = scores_and_shares(values[None, :, None].astype(np.float64))
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
    n_resamples = options.shuffles or DEFAULT_SHUFFLES
    p, least = part_against_rest(
        slots.selected, slots.values, slots.messages, n_resamples=n_resamples, rng=options.seed
    )
    return p, dict.fromkeys(METRICS, least)
