"""What a campaign's open questions leave possible of each system's counts, item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from tellapart.campaign.items import Preferences, Ratings
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Judging
from tellapart.campaign.settings import Settings
from tellapart.metrics import Ratio
from tellapart.metrics.scores import metrics_of

if TYPE_CHECKING:
    from tellapart.campaign.fills import Fills
    from tellapart.formats.templates.reach import Measure
    from tellapart.metrics import Metric

Row: TypeAlias = tuple[str, ...]
"""A system; of preferences a system and whom it stands against"""
Point: TypeAlias = tuple[int, int]
"""Numerator and denominator"""
LARGEST = 1_000_000
"""Into so many parts the values of a scale may divide a whole"""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one row can still count on an item."""

    points: tuple[Point, ...]
    """All that is possible lies between these"""
    same: object
    """Rows of an item for which this is equal have the same counts, whatever is decided"""
    questions: frozenset[QuestionId] = frozenset()
    """The open questions that it hangs on"""

    def counts_as(self, other: Cell) -> bool:
        """Return whether the same is possible of another."""
        return (self.points, self.same) == (other.points, other.same)


Cells: TypeAlias = Mapping[Row, Cell]
Look: TypeAlias = Callable[
    [str, Collection[QuestionId], Callable[[QuestionId], bool]], Callable[[], Cells]
]
"""Returns what works out the cells of an item, given its open questions, and which others are
decided for good. To look is quick, and needs what holds not to change meanwhile; to work out is
neither."""


def verdict_metric(settings: Settings, judging: Judging) -> Metric:
    """Return what the systems of a campaign are told apart by: its metric, or the usual one."""
    wanted = settings.verdict_metric
    return metrics_of(judging.counts(), [wanted] if wanted else None)[0]


def find_ranges(settings: Settings, judging: Judging) -> Look | None:
    """Return what looks at an item; None if the metric is no ratio, and has no bounds."""
    if isinstance(judging, Preferences):
        return lambda item, open_, _: _at_once(preference_cells(judging, item, open_))
    metric = verdict_metric(settings, judging)
    if not isinstance(metric, Ratio):
        return None
    if isinstance(judging, Ratings):
        scale = _whole_numbers(judging)
        if scale is None or not metric.is_weighted_mean:
            return None
        return lambda item, open_, _: _at_once(rating_cells(judging, scale, item, open_))
    from tellapart.campaign.fills import Fills
    from tellapart.formats.templates.tally import Tally

    if not isinstance(judging, Fills) or set(metric.columns) - set(Tally._fields):
        return None
    measure, row = _measure(metric), settings.options.get("row", "all-templates")
    return lambda *about: fill_cells(judging, measure, row, *about)


def _at_once(cells: Cells) -> Callable[[], Cells]:
    return lambda: cells


def _whole_numbers(judging: Ratings) -> dict[float, int] | None:
    """Return what each value of a scale is in whole numbers; None if they divide too finely."""
    values = {value: Fraction(repr(value)) for value in {*judging.worth.values(), judging.worst}}
    parts = math.lcm(*(each.denominator for each in values.values()))
    return None if parts > LARGEST else {v: int(each * parts) for v, each in values.items()}


def _measure(metric: Ratio) -> Measure:
    from tellapart.formats.templates.reach import Measure

    sides = []
    for weights in (metric.numerator, metric.denominator):
        parts = math.lcm(*(weight.denominator for _, weight in weights))
        sides.append({column: int(weight * parts) for column, weight in weights})
    return Measure(*sides)


def rating_cells(
    judging: Ratings, scale: Mapping[float, int], item: str, open_: Collection[QuestionId]
) -> Cells:
    """Return the cells of ratings: a value is known, or anything on the scale."""
    anything = tuple((scale[value], 1) for value in set(judging.worth.values()))
    cells: dict[Row, Cell] = {}
    for system in judging.systems:
        question, value = judging.asked(system, item), judging.value(system, item)
        if question is not None and (question in open_ or value is None):
            cells[system,] = Cell(anything, question, frozenset([question]))
        else:
            point = (scale[judging.worst if value is None else value], 1)
            cells[system,] = Cell((point,), question or system)
    return cells


def preference_cells(judging: Preferences, item: str, open_: Collection[QuestionId]) -> Cells:
    """Return the cells of preferences: between two systems a point is won, lost or halved."""
    cells: dict[Row, Cell] = {}
    for a, b in combinations(judging.systems, 2):
        about, points = judging.asked(a, b, item), judging.points(a, b, item)
        if about is not None and (about[0] in open_ or points is None):
            for row in ((a, b), (b, a)):
                cells[row] = Cell(((0, 1), (1, 1), (2, 1)), row, frozenset([about[0]]))
        else:
            won = round(2 * (0.5 if points is None else points))
            cells[a, b] = Cell(((won, 1),), (a, b))
            cells[b, a] = Cell(((2 - won, 1),), (b, a))
    return cells


def fill_cells(
    judging: Fills,
    measure: Measure,
    row: str,
    message: str,
    open_: Collection[QuestionId],
    is_decided: Callable[[QuestionId], bool],
) -> Callable[[], Cells]:
    """Return what works out the cells of templates."""
    from tellapart.formats.templates.history import Change, Fill, Pairing
    from tellapart.formats.templates.history_files import change_of, question_of
    from tellapart.formats.templates.reach import reach
    from tellapart.formats.templates.values import equal

    design, tasks = judging.evaluation.design, judging.evaluation.tasks
    if not open_:  # nothing can become a question any more
        scored = judging.scored_at(message)
        return lambda: {
            (system,): Cell((measure.sum_of(design, pairs, row),), system)
            for system, pairs in scored.items()
        }
    history = judging.history.copy(message)
    # What waits for a second opinion holds until then, and may yet become anything.
    about = {each: change_of(design, *each, None).subject for each in open_}
    unsure = [fill for fill in judging.logged(message) if not is_decided(question_of(fill))]
    for subject in (*about.values(), *unsure):
        history.carry_out(Change(subject, None, None))
    asked = [*unsure, *(each for each in about.values() if isinstance(each, Fill))]

    def cells() -> Cells:
        found: dict[Row, Cell] = {}
        for system, reached in reach(tasks, message, history, measure, row, asked).items():
            hangs_on = {
                question
                for question, subject in about.items()
                if (
                    subject.system in (None, system)
                    if isinstance(subject, Pairing)
                    else any(
                        fill.place == subject.place and equal(fill.response, subject.response)
                        for fill in reached.looked_up
                    )
                )
            }
            found[system,] = Cell(reached.corners, system, frozenset(hangs_on))
        return found

    return cells
