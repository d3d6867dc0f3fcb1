"""What undecided fills and pairings leave possible of a message's counts, for each system.

A slot of two templates is scored once. If nothing that it looks up may yet be decided, that is what
it counts; else it counts between what is right for sure and what could be. Templates are surely
paired that agree better, at their worst, than any others that they could be paired with at their
best; all others may be paired in any way. So each system gets a range of numerators and one of
denominators, looser than what is possible, and never narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.templates.alignment import Pair, possible_outcomes
from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.history import (
    Entry,
    Fill,
    History,
    Place,
    noting,
)
from tellapart.formats.templates.matching import KeyDecisions
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.pairing import CORRECT
from tellapart.formats.templates.scoring import ScoredPair, Task, score_pair
from tellapart.formats.templates.slot_scoring import SlotScorer, equal_pairs
from tellapart.formats.templates.tally import ZERO, Tally, percent
from tellapart.formats.templates.totals import counted, counts_in, templates_count_in
from tellapart.formats.templates.values import Optional, Value, equal

Point: TypeAlias = tuple[int, int]
"""What a metric has above and below its line, in whole numbers"""
Range: TypeAlias = NDArray[np.int64]
"""The least point and the most: numerators and denominators lie between theirs"""
Edge: TypeAlias = tuple[int, int]
"""Positions of a key and a response template among those of a message"""
Mode: TypeAlias = Literal["asked", "plain", "loose"]
"""How a slot is scored: as that of a pair, with questions; as pairing looks at it; or by words"""
_IN_PAIRING: Final[tuple[Mode, ...]] = ("plain", "asked")
_NOTHING: Final = History()
_ZERO: Final = np.zeros((2, 2), np.int64)


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric as whole weights of a tally's counts, above and below the line.

    >>> Measure({"cor": 2, "par": 1}, {"pos": 2}).point(Tally(pos=3, cor=1, par=1))
    (3, 6)
    """

    numerator: Mapping[str, int]
    denominator: Mapping[str, int]

    def point(self, tally: Tally, times: int = 1) -> Point:
        """Return numerator and denominator of a tally."""
        top, bottom = (
            sum(weight * int(getattr(tally, name)) for name, weight in side.items())
            for side in (self.numerator, self.denominator)
        )
        return times * top, times * bottom

    def sum_of(self, design: Design, pairs: Sequence[ScoredPair], row: str) -> Point:
        """Return what scored pairs of templates count in a summary row."""
        rows = counted(design, pairs, row)
        points = [self.point(tally, slot.weight) for _, slot, tally in rows]
        return sum(n for n, _ in points), sum(d for _, d in points)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a system's counts of a message can still be, and what that hangs on."""

    range: Range
    looked_up: frozenset[Fill]
    """Fills about which a decision could change them"""

    @property
    def corners(self) -> tuple[Point, ...]:
        """The points between which they lie, each once."""
        tops, bottoms = self.range.T.tolist()
        return tuple(dict.fromkeys((top, bottom) for top in tops for bottom in bottoms))


@dataclass(slots=True)
class _Noting(History):
    """Decisions, noting what is looked for and not there."""

    unknown: list[Fill] = field(default_factory=list)

    def find(self, place: Place, response: Value) -> Entry | None:
        """Return the first entry whose response value the given one is equal to."""
        entry = History.find(self, place, response)
        if entry is None:
            self.unknown.append(Fill(place, response))
        return entry


class _Look(NamedTuple):
    """A slot of two templates as it is scored by what is decided, and what was not found."""

    tally: Tally
    unknown: frozenset[Fill]
    asked: frozenset[Fill]
    right: int
    """How many fills are right whatever is decided"""


@dataclass(slots=True)
class _Asked:
    """The fills of a message that people may be asked about."""

    at: dict[Place, list[Value]] = field(default_factory=dict)

    def add(self, fills: Iterable[Fill]) -> bool:
        """Let fills be asked about; return whether any was not."""
        new = False
        for fill in fills:
            known = self.at.setdefault(fill.place, [])
            if fill.response not in known:
                known.append(fill.response)
                new = True
        return new

    def decides(self, looked_up: Fill) -> bool:
        """Return whether an answer about any of them would be found for a fill."""
        return any(equal(looked_up.response, each) for each in self.at.get(looked_up.place, ()))


def reach(
    tasks: Mapping[str, Task],
    message: str,
    history: History,
    measure: Measure,
    row: str,
    open_: Iterable[Fill] = (),
) -> dict[str, Reach]:
    """Return what each system can reach, given the decisions that hold for good.

    `open_` are fills that people may be asked about whether or not a system needs it.
    """
    asked = _Asked()
    asked.add(open_)
    systems = [
        _System(task, message, history, asked, *task.sides(message)) for task in tasks.values()
    ]
    while asked.add([fill for system in systems for fill in system.may_ask()]):
        pass
    return {system.task.system: system.reach(measure, row) for system in systems}


@dataclass(slots=True)
class _System:
    """One system's templates of a message."""

    task: Task
    message: str
    history: History
    asked: _Asked
    keys: Sequence[Template]
    responses: Sequence[Template]
    _looks: dict[tuple[Edge, str, Mode], _Look] = field(default_factory=dict)

    @property
    def design(self) -> Design:
        return self.task.design

    def edges(self) -> Iterator[Edge]:
        """Yield the relevant templates that could be paired."""
        for k, key in enumerate(self.keys):
            for r, response in enumerate(self.responses):
                if key.relevant and response.relevant:
                    yield k, r

    def may_ask(self) -> Iterator[Fill]:
        """Yield what is asked about templates that may be paired, by all that may be decided.

        Where one thing that a slot looks up is decided, it may ask about the others.
        """
        sure, free = self._pairs()
        for edge in (*sure, *free):
            for slot, _, _ in self.slots(edge):
                look = self.look(edge, slot)
                yield from look.unknown if self.is_open(look) else look.asked

    def slots(self, edge: Edge) -> Iterator[tuple[Slot, Sequence[Value], Sequence[Value]]]:
        """Yield the slots of two templates that have any fill."""
        key, response = self.keys[edge[0]], self.responses[edge[1]]
        for slot, ours, theirs in zip(self.design.scored, key.fills, response.fills, strict=True):
            if ours or theirs:
                yield slot, ours, theirs

    def look(self, edge: Edge, slot: Slot, mode: Mode = "asked") -> _Look:
        """Score a slot by what is decided."""
        known = self._looks.get((edge, slot.name, mode))
        if known is None:
            key, response = self.keys[edge[0]], self.responses[edge[1]]
            looking, asked = _Noting(self.history.entries), list[Fill]()
            listener = partial(noting, looking, asked) if mode == "asked" else None
            decisions = KeyDecisions(looking, key.message, key.number)
            scorer = SlotScorer(
                self.design, decisions, response.number, listener, loose=mode == "loose"
            )
            at = self.design.position[slot.name]
            ours, theirs = key.fills[at], response.fills[at]
            tally = scorer.score(slot, ours, theirs)
            right = surely_right(slot, ours, theirs) if looking.unknown else 0
            known = _Look(tally, frozenset(looking.unknown), frozenset(asked), right)
            self._looks[edge, slot.name, mode] = known
        return known

    def is_open(self, look: _Look) -> bool:
        """Return whether a slot may yet be scored otherwise."""
        return any(map(self.asked.decides, look.unknown))

    # Which templates are paired

    def reach(self, measure: Measure, row: str) -> Reach:
        """Return what is possible, by all that may be decided."""
        sure, free = self._pairs()
        keys = [self._alone(Pair(key, None), measure, row) for key in self.keys]
        responses = [self._alone(Pair(None, each), measure, row) for each in self.responses]
        gains = {
            (k, r): self._pair((k, r), measure, row) - keys[k] - responses[r]
            for k, r in (*sure, *free)
        }
        total = sum((*keys, *responses, *(gains[edge] for edge in sure)), _ZERO)
        total = total + any_pairing({edge: gains[edge] for edge in free})
        looks = (look for (edge, _, _), look in self._looks.items() if edge in gains)
        return Reach(total, frozenset(fill for look in looks for fill in look.unknown))

    def _pairs(self) -> tuple[Sequence[Edge], Sequence[Edge]]:
        """Return which templates are paired for sure, and which may be."""
        if self.history.pairing(self.message, self.task.system):
            at = {id(t): i for side in (self.keys, self.responses) for i, t in enumerate(side)}
            made = self.task.align_message(self.message, self.history)
            together = {(at.get(id(each.key), -1), at.get(id(each.response), -1)) for each in made}
            return [edge for edge in self.edges() if edge in together], ()
        allowed = {edge: self._allowed(edge) for edge in self.edges()}
        left = {edge for edge, can in allowed.items() if True in can}
        agreement = {edge: self._agreement(edge) for edge in left} if len(left) > 1 else {}
        certain = {edge for edge in left if False not in allowed[edge]}
        sure: list[Edge] = []
        while clear := [
            edge
            for edge in certain & left
            if all(
                agreement[edge][0] > agreement[other][1]
                for other in left
                if other != edge and in_conflict(edge, other)
            )
        ]:
            sure += clear
            left = {e for e in left if not any(in_conflict(e, taken) for taken in clear)}
        return sure, sorted(left)

    def _allowed(self, edge: Edge) -> set[bool]:
        """Return whether the condition to pair two templates can hold, and whether it can fail."""
        if self.design.condition is None:
            return {True, False}

        def hit(name: str) -> tuple[set[bool], bool]:
            slot = self.design.scored[self.design.position[name]]
            look = self.look(edge, slot, "loose")
            if self.is_open(look):
                return ({True} if look.right else {True, False}), False
            return {look.tally.cor > 0 or look.tally.par > 0}, look.tally.non > 0

        return possible_outcomes(self.design.condition, hit)

    def _agreement(self, edge: Edge) -> tuple[int, int]:
        """Return how badly and how well two templates can agree, in percent."""
        low = high = needed = offered = 0
        for slot, ours, _ in self.slots(edge):
            if not ours:
                continue
            looks = [self.look(edge, slot, mode) for mode in _IN_PAIRING]
            tallies = [ZERO if look.tally.non else look.tally for look in looks]
            right, of = {2 * t.cor + t.par for t in tallies}, {t.pos for t in tallies}
            if any(self.is_open(look) or look.asked for look in looks):
                # People are offered what would agree best, if all that would be asked matched.
                right.add(2 * len(ours))
                of |= {sum(not isinstance(each, Optional) for each in ours), len(ours)}
            right |= {2 * look.right for look in looks if self.is_open(look)}
            low, high = low + min(right), high + max(right)
            needed, offered = needed + min(of), offered + max(of)
        least, most = percent(0, low, offered), percent(0, high, needed)
        return 100 if least is None else least, 100 if most is None else most

    # What pairs count

    def _alone(self, pair: Pair, measure: Measure, row: str) -> Range:
        """Return what a template without a partner counts: no decision is about it."""
        scored = score_pair(self.task, pair, _NOTHING, None)
        return _range([measure.sum_of(self.design, [scored], row)])

    def _pair(self, edge: Edge, measure: Measure, row: str) -> Range:
        """Return what two templates that are paired can count."""
        total = _ZERO
        if templates_count_in(row, self.design):
            total = _range([measure.point(Tally(pos=1, act=1, cor=1))])
        for slot, ours, theirs in self.slots(edge):
            if counts_in(row, slot):
                look = self.look(edge, slot)
                tallies = [look.tally]
                if self.is_open(look):
                    tallies = slot_tallies(slot, ours, theirs, look.right)
                total = total + _range([measure.point(each, slot.weight) for each in tallies])
        return total


def _range(points: Sequence[Point] | Range) -> Range:
    """Return the range that all points lie in."""
    return np.array([np.min(points, axis=0), np.max(points, axis=0)])


def in_conflict(a: Edge, b: Edge) -> bool:
    """Return whether two pairs share a template, so that only one of them can be made."""
    return a[0] == b[0] or a[1] == b[1]


def any_pairing(gains: Mapping[Edge, Range]) -> Range:
    """Return what any pairs, no two of which share a template, can gain together.

    The best pair of each key bounds that, and the best of each response.
    """
    bounds = []
    for side in (0, 1):
        by_template: dict[int, Range] = {}
        for edge, gain in gains.items():
            known = by_template.get(edge[side], _ZERO)
            by_template[edge[side]] = _range(np.concatenate((known, gain)))
        bounds.append(sum(by_template.values(), _ZERO))
    return np.array([np.max(bounds, axis=0)[0], np.min(bounds, axis=0)[1]])


def surely_right(slot: Slot, ours: Sequence[Value], theirs: Sequence[Value]) -> int:
    """Return how many fills are right whatever is decided."""
    if slot.matcher is None:
        return len(equal_pairs(ours, theirs))
    single = len(ours) == len(theirs) == 1
    return int(single and slot.matcher.level_of(ours[0], theirs[0]) == CORRECT)


def slot_tallies(
    slot: Slot, ours: Sequence[Value], theirs: Sequence[Value], right: int
) -> list[Tally]:
    """Return tallies between which a slot of two templates is scored, whatever is decided.

    So many fills are right for sure, and any others may be. A response that is credited with
    several fills counts so many times.
    """
    keys, responses = len(ours), len(theirs)
    needed, given = (
        sum(not isinstance(each, Optional) for each in side) for side in (ours, theirs)
    )
    most = keys + responses
    return [
        Tally(pos=needed, act=given, cor=right),
        Tally(pos=keys, act=responses + max(0, keys - right - 1), cor=keys, icr=keys),
        Tally(
            pos=keys, act=responses, cor=right, par=keys - right, inc=most, ipa=keys, spu=most,
            mis=most, non=1, pie=slot.size * most,
        ),
    ]  # fmt: skip
