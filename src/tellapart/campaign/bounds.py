"""Which open questions can still change a conclusion, and when nothing can any more.

The open questions leave possible so much of each system's counts at an item, and so bound the
p-value of the exact test of every pair of systems. A pair of which every completion leads to the
same conclusion is settled: no answer is needed for it. Questions that can move most of the others
come first.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from tellapart.campaign.board import Finding, Outlook
from tellapart.campaign.completions import Bounds as PBounds
from tellapart.campaign.completions import pair_bounds, settled
from tellapart.campaign.desk import Desk
from tellapart.campaign.items import Ratings
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Judging, Question
from tellapart.campaign.settings import Settings
from tellapart.console import say
from tellapart.counts.fixed_point import put_on_grid
from tellapart.metrics import Ratio
from tellapart.metrics.scores import metrics_of

if TYPE_CHECKING:
    from tellapart.campaign.fills import Fills
    from tellapart.formats.templates.reach import Measure
    from tellapart.metrics import Metric

WAIT_S: Final = 1.0
"""How long the background rests after a look for what was decided ..."""
RESTS: Final = 2.0
"""... and in times of what the look took: who judges comes first"""
FIRST_DELAY_S, LONGEST_DELAY_S = 1.0, 60.0
"""After how long it tries again when it has failed, and at most"""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one row can still count on an item."""

    points: tuple[tuple[int, int], ...]
    """Numerators and denominators between which all that is possible lies"""
    same: object
    """Rows of an item for which this is equal have the same counts, whatever is decided"""
    questions: frozenset[QuestionId] = field(default=frozenset(), compare=False)
    """The open questions that it hangs on"""


Cells: TypeAlias = Mapping[str, Cell]
Look: TypeAlias = Callable[[str, Collection[QuestionId]], Cells]
"""Returns the cells of an item, given its open questions"""


def verdict_metric(settings: Settings, judging: Judging) -> Metric:
    """Return what the systems of a campaign are told apart by: its metric, or the usual one."""
    wanted = settings.verdict_metric
    return metrics_of(judging.counts(), [wanted] if wanted else None)[0]


def find_look(settings: Settings, judging: Judging) -> tuple[Look | None, bool]:
    """Return what looks at an item, and whether more is better; None if there are no bounds."""
    if len(judging.systems) < 2:
        return None, True
    if isinstance(judging, Ratings):
        points = _points(judging.worth.values())
        if points is None:
            return None, True
        return partial(item_cells, judging, points), True
    from tellapart.campaign.fills import Fills
    from tellapart.formats.templates.tally import Tally

    metric = verdict_metric(settings, judging)
    if not isinstance(judging, Fills) or not isinstance(metric, Ratio):
        return None, True
    if set(metric.columns) - set(Tally._fields):
        return None, True
    return partial(fill_cells, judging, measure_of(metric)), metric.higher_is_better


def _points(worth: Collection[float]) -> dict[float, tuple[int, int]] | None:
    """Return what each value counts in whole numbers; None if they divide too finely."""
    grid = put_on_grid([np.array([*worth])], "rating")
    whole = ((value, 1) for value in grid.values[0].tolist())
    return dict(zip(worth, whole, strict=True)) if grid.exact else None


def item_cells(
    judging: Ratings,
    points: Mapping[float, tuple[int, int]],
    item: str,
    open_: Collection[QuestionId],
) -> Cells:
    """Return the cells of outputs: a value is known, or anything that there is."""
    cells: dict[str, Cell] = {}
    for system in judging.systems:
        question, value = judging.asked(system, item), judging.value(system, item)
        if question is not None and (value is None or question in open_):
            cells[system] = Cell(tuple(points.values()), question, frozenset([question]))
        else:
            assert value is not None
            cells[system] = Cell((points[value],), question or system)
    return cells


def measure_of(metric: Ratio) -> Measure:
    """Return what a metric counts of templates, in whole numbers."""
    from tellapart.formats.templates.reach import Measure

    sides = []
    for weights in (metric.numerator, metric.denominator):
        parts = math.lcm(*(weight.denominator for _, weight in weights))
        sides.append({column: int(weight * parts) for column, weight in weights})
    return Measure(*sides)


def fill_cells(
    judging: Fills,
    measure: Measure,
    message: str,
    open_: Collection[QuestionId],
) -> Cells:
    """Return the cells of templates."""
    from tellapart.formats.templates.history import Change, Fill, Pairing
    from tellapart.formats.templates.history_files import change_of
    from tellapart.formats.templates.reach import reach
    from tellapart.formats.templates.values import equal

    design, tasks, row = judging.evaluation.design, judging.evaluation.tasks, judging.row
    if not open_:  # nothing can become a question any more
        return {
            system: Cell((measure.sum_of(design, pairs, row),), system)
            for system, pairs in judging.scored_at(message).items()
        }
    history = judging.history.copy(message)
    # What waits for a second opinion holds until then, and may yet become anything.
    about = {each: change_of(design, *each, None).subject for each in open_}
    for subject in about.values():
        history.carry_out(Change(subject, None))
    asked = [each for each in about.values() if isinstance(each, Fill)]
    found: dict[str, Cell] = {}
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
        found[system] = Cell(reached.corners, system, frozenset(hangs_on))
    return found


class Bounds:
    """Keeps up with a desk: which pairs are settled, and what each open question can move.

    `update` may be called by one thread at a time; the outlook is there for all. It is about the
    submissions that the desk has at the beginning.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk, self.judging = desk, desk.judging
        self.outlook: Outlook | None = None
        """None before the first look, and where the metric has no bounds"""
        self._find, self._higher = find_look(desk.settings, self.judging)
        self._cells: dict[str, Cells] = {}
        self._open: dict[str, set[QuestionId]] = {}
        self._seen: dict[str, int] = {}
        """By item the last decision at it when its cells were worked out"""
        self._pairs: dict[tuple[str, str], PBounds] = {}

    def update(self, stop: Callable[[], bool] = lambda: False) -> Outlook | None:
        """Catch up with the desk; return what can still change, None if nothing is known of it.

        `stop` is asked now and then whether to leave off.
        """
        known = self.outlook is not None and self.outlook.version == self.desk.version
        if self._find is None or known:
            return self.outlook
        changed, version = set[str](), self.desk.version
        for item in self.judging.items:
            with self.desk.unchanged() as questions:
                if stop() or self.desk.judging is not self.judging:
                    return self.outlook
                changed |= self._look(self._find, item, questions[item])
        if changed or not self._pairs:
            self._bound(changed)
        return self._conclude(version, self.desk.settings.alpha)

    def _look(self, find: Look, item: str, questions: Sequence[Question]) -> set[str]:
        """Work out the cells of an item anew if anything was decided; return what has changed."""
        touched = self.desk.touched.get(item, 0)
        if self._seen.get(item) == touched:
            return set()
        self._seen[item] = touched
        standing = self.desk.standing
        self._open[item] = {each.id for each in questions if not standing(each.id).decided}
        before, now = self._cells.get(item, {}), find(item, self._open[item])
        self._cells[item] = now
        return {row for row in now if now[row] != before.get(row)}

    def _bound(self, changed: set[str]) -> None:
        """Work out the bounds of the pairs that have changed anew."""
        for a, b in combinations(self.judging.systems, 2):
            if (a, b) in self._pairs and not changed & {a, b}:
                continue
            one, other = ([cells[name] for cells in self._cells.values()] for name in (a, b))
            shared = [x.same == y.same for x, y in zip(one, other, strict=True)]
            first, second = ([cell.points for cell in each] for each in (one, other))
            self._pairs[a, b] = pair_bounds(first, second, shared)

    def _conclude(self, version: tuple[int, int], alpha: float) -> Outlook:
        conclusions = dict(
            zip(self._pairs, settled(list(self._pairs.values()), alpha), strict=True)
        )
        findings = []
        for (a, b), told in conclusions.items():
            better = a if (told == "first") == self._higher else b
            named = better if told in ("first", "second") else None
            findings.append(Finding(a, b, named, told is not None))
        unsettled = [pair for pair, told in conclusions.items() if told is None]
        self.desk.priorities = self._priorities(unsettled)
        still, by_hand = sum(map(len, self._open.values())), self.desk.settings.judging == "fills"
        moving = len(self.desk.priorities)
        self.outlook = Outlook(version, still, moving, alpha, tuple(findings), by_hand)
        return self.outlook

    def _priorities(self, unsettled: Sequence[tuple[str, str]]) -> dict[QuestionId, int]:
        """Return how many pairs that are not settled each open question can move."""
        moves: dict[QuestionId, int] = {}
        for item, cells_at in self._cells.items():
            for a, b in unsettled if self._open[item] else ():
                one, other = cells_at[a], cells_at[b]
                if one.same != other.same:
                    cells = (each.questions for each in (one, other) if len(each.points) > 1)
                    for question in frozenset[QuestionId]().union(*cells):
                        moves[question] = moves.get(question, 0) + 1
        return moves


class Background:
    """Keeps bounds up to date in a thread: no page waits for them.

    Where that fails, what it knew is dropped, which is said, and it begins anew after a while.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.bounds: Bounds | None = None
        self.problem = ""
        """Why nothing is known just now"""
        self._ended = threading.Event()

    def start(self) -> None:
        """Begin to work."""
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def outlook(self) -> Outlook | None:
        """What can still change, as far as it is known."""
        return None if self.bounds is None else self.bounds.outlook

    def stop(self) -> None:
        """Leave off."""
        self._ended.set()

    def _run(self) -> None:
        desk, delay_s = self.desk, FIRST_DELAY_S
        while not self._ended.is_set():
            try:
                desk.refresh()
                began = time.monotonic()
                if self.bounds is None or self.bounds.judging is not desk.judging:
                    self.bounds = Bounds(desk)
                self.bounds.update(self._ended.is_set)
            # Whatever it is: without bounds, questions are asked still.
            except Exception as problem:
                self.bounds, desk.priorities = None, {}
                self.problem = f"{type(problem).__name__}: {problem}"
                say(f"what can still change is not known ({self.problem}); again in {delay_s:g} s")
                self._ended.wait(delay_s)
                delay_s = min(2 * delay_s, LONGEST_DELAY_S)
            else:
                self.problem, delay_s = "", FIRST_DELAY_S
                self._ended.wait(WAIT_S + RESTS * (time.monotonic() - began))
