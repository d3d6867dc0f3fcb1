"""Which open questions can still change a conclusion, and when nothing can any more.

For every pair of systems the open questions bound the p-value of the exact test. A pair of which
every completion leads to the same conclusion is settled: no answer is needed for it. Questions that
can move most of the others come first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from tellapart.campaign.completions import Bounds as PBounds
from tellapart.campaign.completions import pair_bounds, settled
from tellapart.campaign.desk import NEVER, Desk
from tellapart.campaign.headline import Finding, Outlook
from tellapart.campaign.opinions import QuestionId
from tellapart.campaign.questions import Judging, Question
from tellapart.campaign.ranges import Cells, Look, Row, find_ranges, verdict_metric
from tellapart.console import say

WAIT_S: Final = 1.0
"""How often the background looks for what other programs decided"""
RESTS: Final = 2.0
"""How long it rests after a look, in times of what that took: who judges comes first"""
FIRST_DELAY_S, LONGEST_DELAY_S = 1.0, 60.0
"""After how long it tries again when it has failed, and at most"""


@dataclass(slots=True)
class Bounds:
    """Keeps up with a desk: which pairs are settled, and what each open question can move.

    `update` may be called by one thread at a time; the outlook is there for all.
    """

    desk: Desk
    outlook: Outlook | None = None
    """None before the first look, and where the metric has no bounds"""
    _judging: Judging | None = None
    _ranges: Look | None = None
    _higher: bool = True
    _cells: dict[str, Cells] = field(default_factory=dict)
    _open: dict[str, set[QuestionId]] = field(default_factory=dict)
    _state: dict[str, object] = field(default_factory=dict)
    """By item all that its cells depend on, as it was when they were worked out"""
    _pairs: dict[tuple[str, str], PBounds] = field(default_factory=dict)

    def update(self, stop: Callable[[], bool] = lambda: False) -> Outlook | None:
        """Catch up with the desk; return what can still change, None if nothing is known of it.

        `stop` is asked now and then whether to leave off.
        """
        desk, alpha = self.desk, self.desk.settings.alpha
        with desk.unchanged() as questions:
            version = desk.version
            if desk.judging is not self._judging:
                self._begin(desk.judging)
            if self._ranges is None:
                self.outlook = None
                return None
            looks = self._look(questions)
        changed: set[Row] = set()
        for item, work in looks.items():
            if stop():
                return self.outlook
            before, now = self._cells.get(item), work()
            self._cells[item] = now
            changed |= {row for row in now if before is None or not now[row].counts_as(before[row])}
        if changed or not self._pairs:
            self._bound(changed, alpha)
        return self._conclude(version, alpha)

    def _begin(self, judging: Judging) -> None:
        settings = self.desk.settings
        self._judging, self._ranges = judging, None
        self._cells, self._open, self._state = {}, {}, {}
        self._pairs = {}
        if len(judging.systems) > 1:
            self._ranges = find_ranges(settings, judging)
            metric = None if settings.judging == "preference" else verdict_metric(settings, judging)
            self._higher = metric is None or metric.higher_is_better

    def _look(self, questions: Mapping[str, Sequence[Question]]) -> dict[str, Callable[[], Cells]]:
        """Return what works out the cells of the items that have changed."""
        assert self._ranges is not None
        looks = {}
        for item, asked in questions.items():
            stands = tuple(
                (each.id, tuple((d.number, d.ruling) for d in self.desk.opinions.of(each.id)))
                for each in asked
            )
            if self._state.get(item) != stands:
                self._state[item] = stands
                self._open[item] = {each.id for each in asked if not self._decided(each.id)}
                looks[item] = self._ranges(item, self._open[item], self._decided)
        return looks

    def _decided(self, question: QuestionId) -> bool:
        return self.desk.standing(question).decided

    def _rows(self, a: str, b: str) -> tuple[Row, Row]:
        head_to_head = self.desk.settings.judging == "preference"
        return ((a, b), (b, a)) if head_to_head else ((a,), (b,))

    def _bound(self, changed: set[Row], alpha: float) -> None:
        """Work out the bounds of the pairs that have changed anew."""
        assert self._judging is not None
        pairs = list(combinations(self._judging.systems, 2))
        for a, b in pairs:
            rows = self._rows(a, b)
            if (a, b) in self._pairs and not changed.intersection(rows):
                continue
            one, other = ([cells[row] for cells in self._cells.values()] for row in rows)
            shared = [x.same == y.same for x, y in zip(one, other, strict=True)]
            first, second = ([cell.points for cell in each] for each in (one, other))
            self._pairs[a, b] = pair_bounds(first, second, shared, alpha, len(pairs))

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
        judging = self.desk.settings.judging
        self.outlook = Outlook(
            version,
            sum(map(len, self._open.values())),
            sum(each > 0 for each in self.desk.priorities.values()),
            alpha,
            tuple(findings),
            head_to_head=judging == "preference" and len(self._pairs) > 1,
            pairs_templates=judging == "fills",
        )
        return self.outlook

    def _priorities(self, unsettled: Sequence[tuple[str, str]]) -> dict[QuestionId, int]:
        """Return how many pairs that are not settled each open question can move.

        What both of two systems answered is never asked: it moves the only pair in no case.
        """
        moves: dict[QuestionId, int] = {}
        for item, questions in self._open.items():
            if not questions:
                continue
            for pair in unsettled:
                one, other = (self._cells[item][row] for row in self._rows(*pair))
                if one.same != other.same:
                    cells = (each.questions for each in (one, other) if len(each.points) > 1)
                    for question in frozenset[QuestionId]().union(*cells):
                        moves[question] = moves.get(question, 0) + 1
            if len(self._pairs) == 1:
                one, other = (
                    self._cells[item][row] for row in self._rows(*next(iter(self._pairs)))
                )
                if one.same == other.same:
                    moves.update(dict.fromkeys(one.questions & questions, NEVER))
        return moves


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
                began = time.monotonic()
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
                self._ended.wait(RESTS * (time.monotonic() - began))
                self._news.wait(WAIT_S)
                self._news.clear()
