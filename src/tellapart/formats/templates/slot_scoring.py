"""Scoring one slot of a pair of templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from tellapart.formats.templates.design import Design, Slot
from tellapart.formats.templates.history import Adjudicator, Entry, Question, Status
from tellapart.formats.templates.matchers import Matcher, Prepared
from tellapart.formats.templates.matching import (
    FAILED,
    Credit,
    KeyDecisions,
    corresponding,
    match,
    match_set_fill,
)
from tellapart.formats.templates.pairing import CORRECT, PARTIAL, WRONG, Fit, best_fit
from tellapart.formats.templates.tally import Tally
from tellapart.formats.templates.values import (
    Alternatives,
    Optional,
    Reference,
    Value,
    equal,
    inner,
    readings,
    untagged,
)

_BEST_FIRST: Final = ("match", "partial", "fail")


@dataclass(slots=True)
class SlotScorer:
    """Scores slots of one key template against one response template.

    Without an adjudicator nothing is asked; `loose` accepts a common word, as pairing does.
    """

    design: Design
    decisions: KeyDecisions
    response_template: str = ""
    adjudicator: Adjudicator | None = None
    loose: bool = False

    def score(self, slot: Slot, keys: Sequence[Value], responses: Sequence[Value]) -> Tally:
        """Return the score of one slot."""
        if not keys and not responses:
            return Tally(non=1, pie=slot.size)
        return _SlotScore(self, slot, list(keys), list(responses)).score()

    def share_a_word(self, keys: Sequence[Value], responses: Sequence[Value]) -> bool:
        """Return whether the texts of two lists of values have a word in common."""
        return not self.design.words(keys).isdisjoint(self.design.words(responses))


def _equal_in_a_reading(key: Value, response: Value) -> bool:
    return any(equal(key, reading) for reading in readings(response))


def equal_pairs(keys: Sequence[Value], responses: Sequence[Value]) -> Sequence[tuple[Value, Value]]:
    """Return the fills that are equal by the rules of 1992, each response used once."""
    pairs, left = [], list(responses)
    for key in keys:
        found = next((each for each in left if _equal_in_a_reading(key, each)), None)
        if found is not None:
            _remove(left, found)
            pairs.append((key, found))
    return pairs


def _best_match(
    decisions: KeyDecisions, slot: Slot, keys: Sequence[Value], response: Value
) -> Credit | None:
    """Return what the best reading of a response earns; None if nothing is known of any."""
    earned = [match(decisions, slot, keys, reading) for reading in readings(response)]
    known = [credit for credit in earned if credit is not None]
    return min(known, key=lambda credit: _BEST_FIRST.index(credit.status), default=None)


def _size(value: Value) -> int:
    """Return how many members of a set a key fill names.

    As in 1992, optional alternatives count as one, unless they have a tag.
    """
    reference = inner(value)
    if isinstance(reference, Reference):
        return _size(reference.value)
    if isinstance(value, Alternatives):
        return len(value.members)
    return 0 if value is None else 1


@dataclass(slots=True)
class _SlotScore:
    """The score of one slot, as it is worked out."""

    scorer: SlotScorer
    slot: Slot
    keys: list[Value]
    responses: list[Value]
    failed: list[Value] = field(default_factory=list)
    paired: list[Value] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Tally._fields, 0))
    turn: int = 0
    """How many questions were asked"""

    def score(self) -> Tally:
        single = self.slot.matcher is None and len(self.keys) <= 1 and len(self.responses) <= 1
        if self.slot.matcher is not None:
            self._fit()
        elif single:
            self._compare()
        else:
            self._pair_equals()
            self._match()
            if self.scorer.loose and self.scorer.share_a_word(self.keys, self.responses):
                self.counts["par"] += 1
            self._ask()
        if self.keys or self.responses or self.failed:
            self._count_leftovers(single)
        if self.slot.is_set:
            sizes = [max(0, self.slot.size - _size(fill)) for fill in self.paired]
            self.counts["pie"] = sum(sizes) if sizes else self.slot.size
        if single and not self.counts["pos"] and not self.counts["act"]:
            self.counts["non"] = 1
        return Tally(**self.counts)

    def _compare(self) -> None:
        """Compare the only fill of the key with the only one of the response."""
        for key, response in zip(self.keys[:], self.responses[:], strict=False):
            credit = self._credit(key, response)
            if credit is not None and credit.status != "fail":
                self.responses.clear()
                self._use([key], credit)

    def _credit(self, key: Value, response: Value) -> Credit | None:
        bare_key, bare_response = inner(key), inner(response)
        if _equal_in_a_reading(bare_key, response):
            return Credit("match")
        credit = _best_match(self.scorer.decisions, self.slot, [bare_key], response)
        if credit is not None:
            return credit
        if self.slot.is_set:
            found = match_set_fill(self.slot, bare_key, bare_response)
            if found != "ask":
                return found
        elif self.scorer.loose and self.slot.kind == "string":
            shared = self.scorer.share_a_word([bare_key], [bare_response])
            return Credit("match") if shared else None
        return self._question([key], response)

    def _pair_equals(self) -> None:
        for key, response in equal_pairs(self.keys, self.responses):
            _remove(self.responses, response)
            self._use([key], Credit("match"))

    def _match(self) -> None:
        for response in list(self.responses) if self.keys else ():
            credit = _best_match(self.scorer.decisions, self.slot, self.keys, response)
            self._settle(response, credit)

    def _fit(self) -> None:
        """Pair fills to earn most, by the slot's matcher and by decisions; ask about the rest."""
        keys, responses = list(self.keys), list(self.responses)
        matcher = self.slot.matcher or Matcher()
        for i, j, level in slot_fit(self.slot, keys, responses, self.scorer.decisions):
            decided = matcher.level_of(keys[i], responses[j]) < level
            status: Status = "match" if level == CORRECT else "partial"
            self._settle(responses[j], Credit(status, decided, (keys[i],)))
        if not self.slot.is_set:
            self._ask()

    def _ask(self) -> None:
        # Questions go on after the last key fill is used up; what they leave in the history counts.
        if self.scorer.adjudicator is None or not self.keys:
            return
        for response in list(self.responses):
            if self.slot.is_set:
                self._settle(response, self._ask_set_fill(response))
            else:
                self._settle(response, self._question(self.keys, response))

    def _ask_set_fill(self, response: Value) -> Credit:
        """Compare a response with one key fill only, and ask if their tags disagree."""
        if not self.keys:
            return FAILED
        key = self._nearest(response)
        found = match_set_fill(self.slot, key, response)
        if found == "ask":
            found = self._question([key], response)
        if found is None or found.status == "fail":
            return FAILED
        return found._replace(fills=(key,))

    def _question(self, keys: Sequence[Value], response: Value) -> Credit:
        """Ask about a response; only fills with a corresponding tag are offered, if any is."""
        scorer, decisions = self.scorer, self.scorer.decisions
        if scorer.adjudicator is None:
            return FAILED
        tagged = corresponding(decisions, self.slot, keys, response)
        offered = tuple(each.fill for each in tagged) or tuple(keys)
        place = decisions.message, decisions.number, scorer.response_template
        reply = scorer.adjudicator(Question(*place, self.slot, self.turn, offered, response))
        self.turn += 1
        if reply.status == "fail":
            return FAILED
        # As in 1992, a reply about the only fill offered holds for all that are left.
        fills = tuple(offered[i] for i in reply.chosen) if len(offered) > 1 else None
        return Credit(reply.status, interactive=True, fills=fills)

    def _nearest(self, response: Value) -> Value:
        for key in self.keys:
            if equal(untagged(key), response) or equal(key, response):
                return key
        for key in self.keys:
            if self.slot.narrower(untagged(key), response):
                return key
        return self.keys[0]

    def _settle(self, response: Value, credit: Credit | None) -> None:
        if credit is None:
            return
        _remove(self.responses, response)
        if credit.status == "fail":
            self.failed.append(response)
        else:
            self._use(self.keys if credit.fills is None else credit.fills, credit)

    def _use(self, fills: Iterable[Value], credit: Credit) -> None:
        used = list(fills)
        right = credit.status == "match"
        for name in ("pos", "act", "cor" if right else "par"):
            self.counts[name] += len(used)
        if credit.interactive:
            self.counts["icr" if right else "ipa"] += len(used)
        for fill in used:
            _remove(self.keys, fill)
        self.paired += used

    def _count_leftovers(self, single: bool) -> None:
        """Set what is left against each other: wrong, spurious or missing.

        Of several, an optional fill on either side cancels one on the other.
        """
        required = [key for key in self.keys if not isinstance(key, Optional)]
        optional = [key for key in self.keys if isinstance(key, Optional)]
        left = self.responses + self.failed
        required_left = sum(not isinstance(response, Optional) for response in left)
        cancelled = 0 if single else min(len(optional), len(left) - required_left)
        both = min(len(self.keys), len(left)) - cancelled
        pos, act = max(len(required), both), max(required_left, both)
        inc = min(pos, act)
        more = {"pos": pos, "act": act, "inc": inc, "spu": act - inc, "mis": pos - inc}
        for name, count in more.items():
            self.counts[name] += count
        self.paired += required
        if len(left) <= len(self.keys):
            self.paired += optional[:1] * (pos - len(required))


def slot_fit(
    slot: Slot, keys: Sequence[Value], responses: Sequence[Value], decisions: KeyDecisions
) -> Fit:
    """Return the pairs of fills that are worth most, by the slot's matcher and by decisions."""
    matcher = slot.matcher or Matcher()
    decided = [decisions.find(slot.name, response) for response in responses]
    if not any(decided) and not any(isinstance(inner(key), Reference) for key in keys):
        ours, theirs = (tuple(map(matcher.prepared, side)) for side in (keys, responses))
        return _plain_fit(matcher, ours, theirs)
    return best_fit(
        [
            [
                _decided_level(matcher.level_of(key, response), key, entry)
                for response, entry in zip(responses, decided, strict=True)
            ]
            for key in keys
        ]
    )


@lru_cache(maxsize=1 << 16)
def _plain_fit(
    matcher: Matcher, keys: tuple[Prepared, ...], responses: tuple[Prepared, ...]
) -> Fit:
    return best_fit([[matcher.level(key, response) for response in responses] for key in keys])


def _decided_level(level: int, key: Value, entry: Entry | None) -> int:
    """Return what a response is worth that people have decided about, or may have."""
    if entry is None or level == CORRECT:
        return level
    if entry.status == "fail" or not any(equal(key, other) for other in entry.keys):
        return WRONG
    return CORRECT if entry.status == "match" else PARTIAL


def _remove(fills: list[Value], fill: Value) -> None:
    """Remove one fill by identity: another with the same text is another fill."""
    for i, other in enumerate(fills):
        if other is fill:
            del fills[i]
            return
