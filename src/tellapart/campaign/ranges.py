"""What a campaign's open questions leave possible of each system's counts, item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tellapart.campaign.items import Preferences, Ratings
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Judging, Question
from tellapart.campaign.settings import Settings
from tellapart.metrics import Ratio
from tellapart.metrics.scores import metrics_of

if TYPE_CHECKING:
    from tellapart.campaign.fills import Fills
    from tellapart.formats.templates.reach import Measure
    from tellapart.formats.templates.scoring import ScoredPair
    from tellapart.metrics import Metric

Row: TypeAlias = tuple[str, ...]
"""A system; of preferences a system and whom it stands against"""
Decided: TypeAlias = Callable[[QuestionId], bool]
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


class Ranges(Protocol):
    """The ranges of one kind of judging."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, in order."""

    @property
    def means(self) -> bool:
        """Whether all denominators are the same, whatever is decided."""

    def look(
        self, item: str, open_: Collection[Question], is_decided: Decided
    ) -> Callable[[], Mapping[Row, Cell]]:
        """Return what works out the cells of an item, given its open questions.

        `is_decided` tells of any other question whether what holds about it holds for good. To look
        is quick, and needs what holds not to change meanwhile; to work out is neither.
        """


def verdict_metric(settings: Settings, judging: Judging) -> Metric:
    """Return what the systems of a campaign are told apart by: its metric, or the usual one."""
    wanted = settings.verdict_metric
    return metrics_of(judging.counts(), [wanted] if wanted else None)[0]


def find_ranges(settings: Settings, judging: Judging) -> Ranges | None:
    """Return the ranges of what is judged; None if the metric is no ratio, and has no bounds."""
    if isinstance(judging, Preferences):
        return PreferenceRanges(judging)
    metric = verdict_metric(settings, judging)
    if isinstance(judging, Ratings):
        scale = _whole_numbers(judging)
        if scale is None or not isinstance(metric, Ratio) or not metric.is_weighted_mean:
            return None
        return RatingRanges(judging, scale)
    from tellapart.campaign.fills import Fills
    from tellapart.formats.templates.tally import Tally

    if not isinstance(judging, Fills) or not isinstance(metric, Ratio):
        return None
    if set(metric.columns) - set(Tally._fields):
        return None
    return FillRanges(judging, _measure(metric), settings.options.get("row"))


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


@dataclass(slots=True)
class RatingRanges:
    """Ratings: a value is known, or anything on the scale."""

    judging: Ratings
    scale: Mapping[float, int]
    means: bool = True

    @property
    def rows(self) -> tuple[Row, ...]:
        """All systems."""
        return tuple((system,) for system in self.judging.systems)

    def look(
        self, item: str, open_: Collection[Question], is_decided: Decided
    ) -> Callable[[], Mapping[Row, Cell]]:
        """Return the cells of an item."""
        del is_decided  # all questions are there from the beginning
        judging, asked = self.judging, {each.id for each in open_}
        anything = tuple((self.scale[value], 1) for value in set(judging.worth.values()))
        found: dict[Row, Cell] = {}
        for system in judging.systems:
            question = judging.asked(system, item)
            value = judging.value(system, item)
            if question is not None and (question in asked or value is None):
                found[system,] = Cell(anything, question, frozenset([question]))
            else:
                point = (self.scale[judging.worst if value is None else value], 1)
                found[system,] = Cell((point,), question or system)
        return lambda: found


@dataclass(slots=True)
class PreferenceRanges:
    """Preferences: between two systems a point is won, lost or halved."""

    judging: Preferences
    means: bool = True

    @property
    def rows(self) -> tuple[Row, ...]:
        """All systems, against all others."""
        systems = self.judging.systems
        return tuple(row for a, b in combinations(systems, 2) for row in ((a, b), (b, a)))

    def look(
        self, item: str, open_: Collection[Question], is_decided: Decided
    ) -> Callable[[], Mapping[Row, Cell]]:
        """Return the cells of an item."""
        del is_decided  # all questions are there from the beginning
        judging, asked = self.judging, {each.id for each in open_}
        found: dict[Row, Cell] = {}
        for a, b in combinations(judging.systems, 2):
            about = judging.asked(a, b, item)
            points = judging.points(a, b, item)
            if about is not None and (about[0] in asked or points is None):
                anything = ((0, 1), (1, 1), (2, 1))
                for row in ((a, b), (b, a)):
                    found[row] = Cell(anything, row, frozenset([about[0]]))
            else:
                won = round(2 * (0.5 if points is None else points))
                found[a, b] = Cell(((won, 1),), (a, b))
                found[b, a] = Cell(((2 - won, 1),), (b, a))
        return lambda: found


@dataclass(slots=True)
class FillRanges:
    """Templates: the scorer is tried with all answers."""

    judging: Fills
    measure: Measure
    row: str | None = None
    means: bool = False

    @property
    def rows(self) -> tuple[Row, ...]:
        """All systems."""
        return tuple((system,) for system in self.judging.systems)

    def look(
        self, item: str, open_: Collection[Question], is_decided: Decided
    ) -> Callable[[], Mapping[Row, Cell]]:
        """Return what works out the cells of a message."""
        from tellapart.formats.templates.decision_texts import change_of, question_of
        from tellapart.formats.templates.history import Change, Fill, History, Pairing
        from tellapart.formats.templates.reach import reach
        from tellapart.formats.templates.values import equal

        judging, message = self.judging, item
        if not open_:  # nothing can become a question any more
            return partial(self._as_it_is, judging.scored_at(message))
        entries, pairings = judging.history.entries, judging.history.pairings
        history = History(
            {message: entries[message]} if message in entries else {},
            {message: pairings[message]} if message in pairings else {},
        ).copy()
        about = {}
        for each in open_:
            # What waits for a second opinion holds until then, and may yet become anything.
            change = change_of(judging.evaluation.design, *each.id, None)
            history.carry_out(change)
            about[each.id] = change.subject
        asked = [each for each in about.values() if isinstance(each, Fill)]
        for fill in judging.logged(message):
            if not is_decided(question_of(fill)):
                history.carry_out(Change(fill, None, None))
                asked.append(fill)
        row = self.row or "all-templates"
        tasks = judging.evaluation.tasks

        def cells() -> Mapping[Row, Cell]:
            found: dict[Row, Cell] = {}
            reached = reach(tasks, message, history, self.measure, row, asked)
            for system, each in reached.items():
                hangs_on = set()
                for question, subject in about.items():
                    if isinstance(subject, Pairing):
                        hit = subject.system in (None, system)
                    else:
                        hit = any(
                            fill.place == subject.place and equal(fill.response, subject.response)
                            for fill in each.looked_up
                            if isinstance(subject, Fill)
                        )
                    if hit:
                        hangs_on.add(question)
                found[system,] = Cell(each.corners, system, frozenset(hangs_on))
            return found

        return cells

    def _as_it_is(self, scored: Mapping[str, Sequence[ScoredPair]]) -> Mapping[Row, Cell]:
        design, row = self.judging.evaluation.design, self.row or "all-templates"
        return {
            (system,): Cell((self.measure.sum_of(design, pairs, row),), system)
            for system, pairs in scored.items()
        }
