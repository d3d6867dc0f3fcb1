"""Which open questions can still change a conclusion, and when nothing can any more.

For every pair of systems the open questions bound the p-value of the exact test. A pair of which
every completion leads to the same conclusion is settled: no answer is needed for it. Questions that
can move most of the others come first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from tellapart.campaign.completions import Bounds as PBounds
from tellapart.campaign.completions import pair_bounds, settled
from tellapart.campaign.desk import NEVER, Desk
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Judging, Question
from tellapart.campaign.ranges import Cell, Ranges, Row, find_ranges, verdict_metric
from tellapart.console import say

HEAD_TO_HEAD: Final = "head to head"
"""Between three systems or more, preferences are bounded pair by pair: a common scale of all, by
which the board compares them, also depends on how both fared against others"""
WAIT_S: Final = 1.0
"""How often the background looks for what other programs decided"""
FIRST_DELAY_S, LONGEST_DELAY_S = 1.0, 60.0
"""After how long it tries again when it has failed, and at most"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is certain about a pair of systems, whatever is answered to the open questions."""

    a: str
    b: str
    better: str | None
    """The one that is told to be better; None if they cannot be told apart, or that is open"""
    settled: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the open questions can still change.

    >>> Outlook(1927, 214, 0.05, ()).words
    'Of 1,927 open questions 214 can still change a conclusion at .05.'
    """

    open: int
    """Questions without all opinions that they need, or in conflict"""
    can_change: int
    """Of them those that can change a conclusion"""
    alpha: float
    findings: tuple[Finding, ...]
    metric: str = ""
    """By which score; empty if there is one alone"""
    pairs_templates: bool = False
    """Whether people may pair templates by hand in ways that are not offered, and not looked at"""

    @property
    def may_stop(self) -> bool:
        """Whether no answer can change a conclusion any more."""
        scale = self.metric == HEAD_TO_HEAD and self.open > 0
        return not scale and self.can_change == 0 and all(each.settled for each in self.findings)

    @property
    def at(self) -> str:
        """At which level: ``at .05``."""
        return f"at {f'{self.alpha:g}'.removeprefix('0')}"

    @property
    def words(self) -> str:
        """What a page says of it."""
        if self.open == 0:
            return "All questions are answered."
        if self.metric == HEAD_TO_HEAD and not self.can_change:
            return (
                f"Head to head, no open question can change a conclusion {self.at} any more; the "
                "common scale of all systems can still move."
            )
        if not self.may_stop:
            asked = "1 open question" if self.open == 1 else f"{self.open:,} open questions"
            how = f", {HEAD_TO_HEAD}" if self.metric == HEAD_TO_HEAD else ""
            return f"Of {asked} {self.can_change:,} can still change a conclusion {self.at}{how}."
        none = "The open question cannot" if self.open == 1 else (
            f"None of the {self.open:,} open questions can"
        )  # fmt: skip
        told = any(each.better for each in self.findings)
        they = "it is" if self.open == 1 else "they are"
        why = "complete judging would find the same" if told or not self.findings else (
            f"however {they} answered, no two systems can be told apart"
        )  # fmt: skip
        but = ", unless templates are paired by hand" if self.pairs_templates else ""
        return f"You may stop. {none} change a conclusion {self.at}: {why}{but}."


@dataclass(slots=True)
class Bounds:
    """Keeps up with a desk: which pairs are settled, and what each open question can move.

    `update` may be called by one thread at a time; the outlook is there for all.
    """

    desk: Desk
    outlook: Outlook | None = None
    """None before the first look, and where the metric has no bounds"""
    _judging: Judging | None = None
    _ranges: Ranges | None = None
    _higher: bool = True
    _metric: str = ""
    _cells: dict[str, Mapping[Row, Cell]] = field(default_factory=dict)
    _open: dict[str, dict[QuestionId, Question]] = field(default_factory=dict)
    _state: dict[str, object] = field(default_factory=dict)
    """By item all that its cells depend on, as it was when they were worked out"""
    _pairs: dict[tuple[str, str], PBounds] = field(default_factory=dict)
    _settled: dict[tuple[str, str], bool] = field(default_factory=dict)

    def update(self, stop: Callable[[], bool] = lambda: False) -> Outlook | None:
        """Catch up with the desk; return what can still change, None if nothing is known of it.

        `stop` is asked now and then whether to leave off.
        """
        desk, alpha = self.desk, self.desk.settings.alpha
        with desk.unchanged() as questions:
            if desk.judging is not self._judging:
                self._begin(desk.judging)
            if self._ranges is None:
                self.outlook = None
                return None
            looks = self._look(questions)
        changed: set[Row] = set()
        grown: set[Row] = set()
        for item, work in looks.items():
            if stop():
                return self.outlook
            before, now = self._cells.get(item), work()
            self._cells[item] = now
            for row, cell in now.items():
                old = None if before is None else before[row]
                if old is None or old.points != cell.points or old.same != cell.same:
                    changed.add(row)
                    if old is None or old.same != cell.same or not _within(cell, old):
                        grown.add(row)
        if changed or not self._pairs:
            self._bound(changed, grown, alpha)
        return self._conclude(alpha)

    def _begin(self, judging: Judging) -> None:
        settings = self.desk.settings
        self._judging, self._ranges = judging, None
        self._cells, self._open, self._state = {}, {}, {}
        self._pairs, self._settled = {}, {}
        if len(judging.systems) > 1:
            self._ranges = find_ranges(settings, judging)
            metric = None if settings.judging == "preference" else verdict_metric(settings, judging)
            self._higher = metric is None or metric.higher_is_better
            many = HEAD_TO_HEAD if len(judging.systems) > 2 else ""
            self._metric = many if metric is None else metric.name

    def _look(
        self, questions: Mapping[str, Sequence[Question]]
    ) -> dict[str, Callable[[], Mapping[Row, Cell]]]:
        """Return what works out the cells of the items that have changed."""
        desk, ranges = self.desk, self._ranges
        assert ranges is not None
        looks = {}
        for item, asked in questions.items():
            stands = tuple(
                (each.id, tuple((d.number, d.ruling) for d in desk.opinions.of(each.id)))
                for each in asked
            )
            if self._state.get(item) != stands:
                self._state[item] = stands
                self._open[item] = {e.id: e for e in asked if not self._decided(e.id)}
                looks[item] = ranges.look(item, self._open[item].values(), self._decided)
        return looks

    def _decided(self, question: QuestionId) -> bool:
        return self.desk.standing(question).decided

    def _rows(self, a: str, b: str) -> tuple[Row, Row]:
        assert self._ranges is not None
        rows = self._ranges.rows
        return ((a,), (b,)) if rows and len(rows[0]) == 1 else ((a, b), (b, a))

    def _bound(self, changed: set[Row], grown: set[Row], alpha: float) -> None:
        """Work out the bounds of the pairs that have changed anew.

        Where all that is possible was so before, a settled pair stays settled: it is left alone.
        """
        assert self._judging is not None
        pairs = list(combinations(self._judging.systems, 2))
        for a, b in pairs:
            rows = self._rows(a, b)
            if (a, b) in self._pairs:
                if not changed.intersection(rows):
                    continue
                if self._settled.get((a, b)) and not grown.intersection(rows):
                    continue
            one, other = ([cells[row] for cells in self._cells.values()] for row in rows)
            shared = [x.same == y.same for x, y in zip(one, other, strict=True)]
            first, second = ([cell.points for cell in each] for each in (one, other))
            self._pairs[a, b] = pair_bounds(first, second, shared, alpha, len(pairs))

    def _conclude(self, alpha: float) -> Outlook:
        found = settled(list(self._pairs.values()), alpha)
        self._settled = {
            pair: each is not None for pair, each in zip(self._pairs, found, strict=True)
        }
        findings = []
        for (a, b), each in zip(self._pairs, found, strict=True):
            first = (each == "first") == self._higher
            told = each in ("first", "second")
            findings.append(Finding(a, b, (a if first else b) if told else None, each is not None))
        priorities = self._priorities()
        n_open = sum(len(each) for each in self._open.values())
        can_change = sum(1 for each in priorities.values() if each > 0)
        by_hand = self.desk.settings.judging == "fills"
        told_by = alpha, tuple(findings), self._metric, by_hand
        self.outlook = Outlook(n_open, can_change, *told_by)
        self.desk.priorities = priorities
        return self.outlook

    def _priorities(self) -> dict[QuestionId, int]:
        """Return how many pairs that are not settled each open question can move.

        What both of two systems answered is never asked: it moves the only pair in no case.
        """
        assert self._ranges is not None
        unsettled = [self._rows(a, b) for (a, b), done in self._settled.items() if not done]
        found: dict[QuestionId, int] = {}
        for item, questions in self._open.items():
            if not questions:
                continue
            cells = self._cells[item]
            for rows in unsettled:
                one, other = (cells[row] for row in rows)
                if self._ranges.means and one.same == other.same:
                    continue
                moved = (each.questions for each in (one, other) if len(each.points) > 1)
                for question in frozenset[QuestionId]().union(*moved):
                    found[question] = found.get(question, 0) + 1
        if self._ranges.means and len(self._pairs) == 1:
            found.update((question, NEVER) for question in self._alike())
        return found

    def _alike(self) -> Iterator[QuestionId]:
        """Yield the open questions about what both of two systems answered."""
        ((a, b),) = self._pairs
        for item, questions in self._open.items():
            one, other = (self._cells[item][row] for row in self._rows(a, b))
            if one.same == other.same:
                yield from one.questions & questions.keys()


def _within(new: Cell, old: Cell) -> bool:
    """Return whether all that is possible now was possible before."""
    now, before = (list(zip(*cell.points, strict=True)) for cell in (new, old))
    return all(
        min(was) <= min(each) and max(each) <= max(was)
        for each, was in zip(now, before, strict=True)
    )


class Background:
    """Keeps bounds up to date in a thread: no page waits for them.

    Where that fails, what it knew is dropped, which is said, and it begins anew after a while.
    """

    def __init__(self, desk: Desk) -> None:
        self.bounds = Bounds(desk)
        self.problem = ""
        """Why nothing is known just now"""
        self._news, self._ended = threading.Event(), threading.Event()

    def start(self) -> None:
        """Begin to work."""
        threading.Thread(target=self._run, daemon=True).start()

    def notice(self) -> None:
        """Say that something was decided; returns at once."""
        self._news.set()

    def stop(self) -> None:
        """Leave off."""
        self._ended.set()
        self._news.set()

    def _run(self) -> None:
        desk, delay_s = self.bounds.desk, FIRST_DELAY_S
        seen: tuple[object, ...] = ()
        while not self._ended.is_set():
            try:
                desk.refresh()
                now = id(desk.judging), desk.opinions.last
                if now != seen:
                    self.bounds.update(self._ended.is_set)
                    seen = now
            except (
                Exception
            ) as problem:  # whatever it is: without bounds, questions are asked still
                self.bounds, desk.priorities, seen = Bounds(desk), {}, ()
                self.problem = f"{type(problem).__name__}: {problem}"
                say(f"what can still change is not known ({self.problem}); again in {delay_s:g} s")
                self._ended.wait(delay_s)
                delay_s = min(2 * delay_s, LONGEST_DELAY_S)
            else:
                self.problem, delay_s = "", FIRST_DELAY_S
                self._news.wait(WAIT_S)
                self._news.clear()
