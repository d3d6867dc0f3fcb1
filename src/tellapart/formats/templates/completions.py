"""What undecided fills and pairings leave possible of a message's counts, for each system.

The scorer itself is run with every answer to every question that it raises, slot by slot, so that
tags, fills used up and answers about several fills at once count as they do. Where that would take
too long there is a looser bound, which holds as surely. Slots are taken as independent of each
other, and what the pairing of templates may be is worked out from how well templates can agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, TypeAlias

from tellapart.formats.templates.alignment import Pair
from tellapart.formats.templates.count_areas import (
    Measure,
    Point,
    hull,
    slot_corners,
    sum_of,
    sums,
    surely_right,
    widest_corners,
)
from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.history import Entry, Fill, History, Place
from tellapart.formats.templates.matching import KeyDecisions, offered_fills
from tellapart.formats.templates.muc_reader import Template
from tellapart.formats.templates.possible_pairings import (
    Allowed,
    Edge,
    in_conflict,
    possible_outcomes,
    possible_pairings,
)
from tellapart.formats.templates.questions import Guidelines, Listener
from tellapart.formats.templates.scoring import Task, score_pair
from tellapart.formats.templates.slot_scoring import SlotScorer
from tellapart.formats.templates.tally import Tally, percent
from tellapart.formats.templates.totals import counts_in
from tellapart.formats.templates.values import Optional, Value, equal

MOST_TRIALS: Final = 60
"""How often a slot is scored to find all that is possible, before a looser bound is taken"""
MOST_RESPONSES: Final = 10
"""Of how many templates of a message all pairings are looked at"""
MOST_ALIGNMENTS: Final = 200


@dataclass(frozen=True, slots=True)
class Reach:
    """What a system's counts of a message can still be, and what that hangs on."""

    points: tuple[Point, ...]
    """All that is possible lies between these"""
    looked_up: tuple[Fill, ...]
    """Fills about which a decision could change them"""


@dataclass(slots=True)
class _Trial(History):
    """Decisions as they could become, noting what is looked for and not there."""

    unknown: list[tuple[str, Value]] = field(default_factory=list)

    def find(self, place: Place, response: Value) -> Entry | None:
        """Return the first entry whose response value the given one is equal to."""
        found = History.find(self, place, response)
        if found is None:
            self.unknown.append((place[2], response))
        return found


_NOTHING: Final = History()

Asked: TypeAlias = tuple[str, str, Value]
"""The number of a key template, a slot, and a response value"""


@dataclass(frozen=True, slots=True)
class _Found:
    """What scoring a slot can lead to, and the lookups that this rests on."""

    results: tuple[Tally, ...] | None
    """None if there are too many ways"""
    asked: tuple[Asked, ...]
    free: tuple[Asked, ...]
    """Undecided, and somebody may be asked"""
    passed: tuple[Asked, ...]
    """Undecided, and nobody is asked"""


@dataclass(slots=True)
class MessageCompletions:
    """All ways to complete what is undecided about one message."""

    tasks: Mapping[str, Task]
    message: str
    measure: Measure
    row: str = "all-templates"
    _memo: dict[tuple[int, int, str, str], _Found] = field(default_factory=dict)
    _alone: dict[tuple[str, int, int], Point] = field(default_factory=dict)
    _universe: dict[tuple[str, str], list[Value]] = field(default_factory=dict)
    """What people may be asked about, by key template and slot"""
    _asked: dict[tuple[str, str, int], tuple[bool, Value]] = field(default_factory=dict)
    """Whether that holds a value, by its identity, which lasts as long as the value is kept"""

    def reach(self, history: History, open_: Iterable[Fill] = ()) -> dict[str, Reach]:
        """Return what each system can reach, given the decisions that hold for good.

        `open_` are fills that people may be asked about whether or not a system needs it.
        """
        self._widen((each.place[1], each.place[2], each.response) for each in open_)
        while True:
            walks = {name: _Walk(self, task, history) for name, task in self.tasks.items()}
            found = {name: walk.reach() for name, walk in walks.items()}
            asked = [each for walk in walks.values() for each in walk.asked]
            if not self._widen(asked):
                return found

    def _widen(self, asked: Iterable[Asked]) -> bool:
        """Add to what people may be asked about; return whether there was anything new."""
        new = False
        for number, slot, value in asked:
            known = self._universe.setdefault((number, slot), [])
            if not any(value is other or value == other for other in known):
                known.append(value)
                new = True
        if new:
            self._asked.clear()
        return new

    def is_asked(self, each: Asked) -> bool:
        """Return whether a decision that some system asks for would be found by this value."""
        mark = _by_identity(each)
        if mark not in self._asked:
            number, slot, value = each
            asked = self._universe.get((number, slot), ())
            self._asked[mark] = any(equal(value, other) for other in asked), value
        return self._asked[mark][0]


@dataclass(slots=True)
class _Walk:
    """Goes through all that is possible for one system."""

    whole: MessageCompletions
    task: Task
    history: History
    keys: list[Template] = field(init=False)
    responses: list[Template] = field(init=False)
    asked: list[Asked] = field(default_factory=list)
    looked_up: list[Asked] = field(default_factory=list)
    _pairs: dict[Edge, list[Point]] = field(default_factory=dict)
    _agreements: dict[Edge, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        message = self.whole.message
        self.keys, self.responses = (
            self.task.key.sorted(message),
            self.task.response.sorted(message),
        )

    @property
    def design(self) -> Design:
        return self.task.design

    def reach(self) -> Reach:
        """Return what is possible."""
        fixed = self._by_hand()
        if fixed is None:
            edges = {
                (k, r): allowed
                for k, key in enumerate(self.keys)
                for r, response in enumerate(self.responses)
                if key.relevant and response.relevant
                if (allowed := self._allowed(key, response)) != "never"
            }
            ways = self._alignments(edges)
            conflicting = any(in_conflict(a, b) for a, b in combinations(edges, 2))
            if ways is not None and len(ways) > 1 and conflicting:
                ways = self._offered(edges, ways)
            if ways is None:
                points = self._any_pairing(list(edges))
            else:
                points = hull([point for way in ways for point in self._points(way)])
        else:
            points = self._points(fixed)
        fills = [Fill((self.whole.message, n, slot), value) for n, slot, value in self.looked_up]
        return Reach(tuple(points), tuple(dict.fromkeys(fills)))

    def _by_hand(self) -> list[Edge] | None:
        """Return the pairing that people have made, if they have."""
        message, history = self.whole.message, self.history
        if not history.pairing(message, self.task.system):
            return None
        made = self.task.align_message(message, history)
        at = {id(each): k for side in (self.keys, self.responses) for k, each in enumerate(side)}
        return [
            (at[id(pair.key)], at[id(pair.response)])
            for pair in made
            if pair.key and pair.response and pair.key.relevant and pair.response.relevant
        ]

    # Which pairs there can be

    def _allowed(self, key: Template, response: Template) -> Allowed:
        """Return whether two templates may be paired, whatever is decided."""
        if self.design.condition is None:
            return "maybe"

        def hit(name: str) -> tuple[set[bool], bool]:
            at = self.design.position[name]
            slot = self.design.scored[at]
            found = self._slot(key, response, slot, "loose")
            if found is None:
                right = surely_right(slot, key.fills[at], response.fills[at])
                return ({True} if right else {True, False}), False
            hits = {tally.cor > 0 or tally.par > 0 for tally in found}
            return hits, all(tally.non > 0 for tally in found)

        hits = possible_outcomes(self.design.condition, hit)
        return "maybe" if len(hits) > 1 else "always" if True in hits else "never"

    def _agreement(self, edge: Edge) -> tuple[int, int]:
        """Return how badly and how well two templates can agree, in percent."""
        if edge not in self._agreements:
            self._agreements[edge] = self._agreed(self.keys[edge[0]], self.responses[edge[1]])
        return self._agreements[edge]

    def _agreed(self, key: Template, response: Template) -> tuple[int, int]:
        low: list[Point] = [(0, 0)]
        for slot, ours, theirs in zip(self.design.scored, key.fills, response.fills, strict=True):
            if ours:
                both = [self._slot(key, response, slot, how) for how in ("asked", "plain")]
                points: set[Point] = set()
                for found in both:
                    if found is None:
                        needed = sum(not isinstance(each, Optional) for each in ours)
                        right = 2 * surely_right(slot, ours, theirs)
                        points |= {(right, needed), (right, len(ours)), (2 * len(ours), len(ours))}
                    else:
                        points |= {
                            (0, 0) if each.non else (2 * each.cor + each.par, each.pos)
                            for each in found
                        }
                low = hull(sums(low, points))
        # A ratio over sums is extreme at a corner of them, but for a denominator of 0.
        rates = [100 if (p := percent(0, n, d)) is None else p for n, d in low]
        return min(rates), max(rates)

    def _alignments(self, edges: Mapping[Edge, Allowed]) -> list[list[Edge]] | None:
        """Return the pairings that agreement alone can lead to; None if there are too many."""
        if not any(in_conflict(a, b) for a, b in combinations(edges, 2)):
            certain = [edge for edge, allowed in edges.items() if allowed == "always"]
            doubtful = [edge for edge in edges if edge not in certain]
            if len(doubtful) > 5:
                return None
            return [
                [*certain, *some]
                for size in range(len(doubtful) + 1)
                for some in combinations(doubtful, size)
            ]
        agree = {edge: self._agreement(edge) for edge in edges}
        return possible_pairings(frozenset(edges), edges, agree)

    def _offered(
        self, edges: Mapping[Edge, Allowed], ways: Sequence[Sequence[Edge]]
    ) -> list[list[Edge]] | None:
        """Return the pairings that people may be offered: with any two templates put together."""
        agree = {edge: self._agreement(edge) for edge in edges}
        found = {tuple(way): None for way in ways}
        for edge in edges:
            rest = frozenset(other for other in edges if not in_conflict(other, edge))
            with_it = possible_pairings(rest, edges, agree)
            if with_it is None:
                return None
            found.update((tuple(sorted([edge, *way])), None) for way in with_it)
        return [list(way) for way in found] if len(found) <= MOST_ALIGNMENTS else None

    # What pairs count

    def _points(self, way: Iterable[Edge]) -> list[Point]:
        """Return what a pairing can count."""
        keys, responses = set(range(len(self.keys))), set(range(len(self.responses)))
        points: list[Point] = [(0, 0)]
        for k, r in way:
            points = hull(sums(points, self._pair((k, r))))
            keys.discard(k)
            responses.discard(r)
        alone = [self._without(k, None) for k in keys] + [self._without(None, r) for r in responses]
        return [(n + sum(p[0] for p in alone), d + sum(p[1] for p in alone)) for n, d in points]

    def _any_pairing(self, edges: Sequence[Edge]) -> list[Point]:
        """Return what any pairing of these templates can count, none of them included."""
        used = sorted({r for _, r in edges})
        if len(used) > MOST_RESPONSES:
            return self._loosely()
        ways: dict[frozenset[int], list[Point]] = {frozenset(): [(0, 0)]}
        for k in range(len(self.keys)):
            partners = [r for key, r in edges if key == k]
            after: dict[frozenset[int], list[Point]] = {}
            for taken, points in ways.items():
                for r in (None, *partners):
                    if r is None:
                        added, now = [self._without(k, None)], taken
                    elif r in taken:
                        continue
                    else:
                        added, now = self._pair((k, r)), taken | {r}
                    after[now] = [*after.get(now, ()), *sums(points, added)]
            ways = {taken: hull(points) for taken, points in after.items()}
        every = []
        for taken, points in ways.items():
            alone = [self._without(None, r) for r in range(len(self.responses)) if r not in taken]
            more = sum(p[0] for p in alone), sum(p[1] for p in alone)
            every += [(n + more[0], d + more[1]) for n, d in points]
        return hull(every)

    def _loosely(self) -> list[Point]:
        """Return a bound for any pairing of very many templates."""
        keys = sum(len(f) for key in self.keys if key.relevant for f in key.fills)
        responses = sum(len(f) for each in self.responses if each.relevant for f in each.fills)
        templates = len(self.keys) + len(self.responses)
        return widest_corners(self.whole.measure, keys + templates, responses + templates)

    def _without(self, k: int | None, r: int | None) -> Point:
        """Return what a template without a partner counts."""
        known = self.whole._alone
        at = self.task.system, -1 if k is None else k, -1 if r is None else r
        if at not in known:
            pair = Pair(
                None if k is None else self.keys[k], None if r is None else self.responses[r]
            )
            # No decision is about a template that has no partner.
            scored = score_pair(self.task, pair, _NOTHING, Guidelines(_NOTHING))
            known[at] = sum_of(self.design, [scored], self.whole.row, self.whole.measure)
        return known[at]

    def _pair(self, edge: Edge) -> list[Point]:
        """Return what two templates that are paired can count."""
        if edge not in self._pairs:
            self._pairs[edge] = self._paired(self.keys[edge[0]], self.responses[edge[1]])
        return self._pairs[edge]

    def _paired(self, key: Template, response: Template) -> list[Point]:
        whole = self.whole
        points: list[Point] = [(0, 0)]
        if self.design.summing.template_id and whole.row not in ("set-fills", "string-fills"):
            points = [whole.measure.point(Tally(pos=1, act=1, cor=1))]
        for slot, ours, theirs in zip(self.design.scored, key.fills, response.fills, strict=True):
            if not counts_in(whole.row, slot) or not (ours or theirs):
                continue
            found = self._slot(key, response, slot, "asked", will_ask=True)
            if found is None:
                added = slot_corners(whole.measure, slot, ours, theirs)
            else:
                added = list({whole.measure.point(tally) for tally in found})
            points = hull(sums(points, added))
        return points

    def _slot(
        self, key: Template, response: Template, slot: Slot, how: str, will_ask: bool = False
    ) -> Sequence[Tally] | None:
        """Return what a slot can be scored as; None if that would take too long.

        `how` is asked, as pairs are scored; plain or loose, as pairing looks at them.
        """
        position = self.design.position[slot.name]
        if not key.fills[position] or not response.fills[position]:
            scorer = SlotScorer(self.design, KeyDecisions(_NOTHING, "", ""))
            return [scorer.score(slot, key.fills[position], response.fills[position])]
        whole, at = self.whole, (id(key), id(response), slot.name, how)
        known = whole._memo.get(at)
        if known is None or not self._still(known):
            known = whole._memo[at] = self._try(key, response, slot, how)
        self.looked_up += known.free
        if will_ask:
            self.asked += known.asked
        return known.results

    def _still(self, known: _Found) -> bool:
        """Return whether the same would be found again."""
        own, is_asked = set(map(_by_identity, known.asked)), self.whole.is_asked
        return not any(map(is_asked, known.passed)) and all(
            _by_identity(each) in own or is_asked(each) for each in known.free
        )

    def _try(self, key: Template, response: Template, slot: Slot, how: str) -> _Found:
        """Score a slot with all answers to what is open about it, if they are few enough."""
        asked: dict[tuple[str, str, int], Asked] = {}
        if how == "plain":  # what would be asked about these two may be decided, too
            self._slot(key, response, slot, "asked")
            first = self.whole._memo[id(key), id(response), slot.name, "asked"]
            asked = {_by_identity(each): each for each in first.asked}
        free: dict[tuple[str, str, int], Asked] = {}
        passed: dict[tuple[str, str, int], Asked] = {}
        results: set[Tally] | None = set()
        at = self.design.position[slot.name]
        fills = len(key.fills[at])
        stack: list[tuple[tuple[str, Entry], ...]] = [()]
        trials = 0
        while stack and results is not None:
            decided = stack.pop()
            tally, questions, unknown = self._score(key, response, slot, how, decided)
            for each in questions:
                asked[_by_identity(each)] = each
            open_ = []
            for each in unknown:
                mark = _by_identity(each)
                if mark in asked or self.whole.is_asked(each):
                    free[mark] = each
                    open_.append(mark)
                else:
                    passed[mark] = each
            trials += 1
            if not open_:
                results.add(tally)
            elif (
                how != "asked"
                or trials > MOST_TRIALS
                or (not decided and _too_many(slot, fills, len(set(open_))))
            ):
                results = None
            else:
                _, name, value = free[open_[0]]
                answers = self._answers(key, name, value)
                stack += [(*decided, (name, entry)) for entry in answers]
        lists = (tuple(each.values()) for each in (asked, free, passed))
        return _Found(None if results is None else tuple(results), *lists)

    def _score(
        self,
        key: Template,
        response: Template,
        slot: Slot,
        how: str,
        decided: Iterable[tuple[str, Entry]],
    ) -> tuple[Tally, list[Asked], list[Asked]]:
        """Return a slot's tally with some more decisions, what was asked, and what was unknown."""
        message, number = key.message, key.number
        before = self.history.entries.get(message, {}).get(number, {})
        entries = {name: list(some) for name, some in before.items()}
        for name, entry in decided:
            entries.setdefault(name, []).append(entry)
        trial = _Trial({message: {number: entries}})
        listener = Listener(trial) if how == "asked" else None
        decisions = KeyDecisions(trial, message, number)
        scorer = SlotScorer(self.design, decisions, response.number, listener, loose=how == "loose")
        at = self.design.position[slot.name]
        tally = scorer.score(slot, key.fills[at], response.fills[at])
        asked = [(number, q.slot.name, q.response) for q in listener.asked] if listener else []
        return tally, asked, [(number, *each) for each in trial.unknown]

    def _answers(self, key: Template, name: str, response: Value) -> Iterator[Entry]:
        """Yield all that can be decided about a fill."""
        at = self.design.position[name]
        fills = offered_fills(self.design.scored[at], key.fills[at], response)
        yield Entry(response, "fail")
        for size in range(1, len(fills) + 1):
            for some in combinations(fills, size):
                yield Entry(response, "match", some)
                yield Entry(response, "partial", some)


def _too_many(slot: Slot, fills: int, open_: int) -> bool:
    """Return whether the looser bound is as good, or there are too many answers to try."""
    plain = slot.kind == "string" and not slot.refers_to
    return (plain and fills == 1) or (2 ** (fills + 1) - 1) ** open_ > MOST_TRIALS


def _by_identity(each: Asked) -> tuple[str, str, int]:
    return each[0], each[1], id(each[2])
