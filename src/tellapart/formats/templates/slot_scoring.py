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
        if slot.matcher is not None:
            return _Fitted(self, slot, list(keys), list(responses)).score()
        if len(keys) <= 1 and len(responses) <= 1:
            return _Single(self, slot).score(
                keys[0] if keys else None, responses[0] if responses else None
            )
        return _Several(self, slot, list(keys), list(responses)).score()

    def share_a_word(self, keys: Sequence[Value], responses: Sequence[Value]) -> bool:
        """Return whether the texts of two lists of values have a word in common."""
        return not self.design.words(keys).isdisjoint(self.design.words(responses))


@dataclass(slots=True)
class _Questions:
    """Puts the questions about one slot."""

    scorer: SlotScorer
    slot: Slot
    turn: int = 0

    def ask(self, keys: Sequence[Value], response: Value) -> Credit:
        """Ask about a response; only fills with a corresponding tag are offered, if any is."""
        scorer = self.scorer
        tagged = corresponding(scorer.decisions, self.slot, keys, response)
        offered = tuple(each.fill for each in tagged) if tagged else tuple(keys)
        question = Question(
            scorer.decisions.message,
            scorer.decisions.number,
            scorer.response_template,
            self.slot,
            self.turn,
            offered,
            response,
        )
        self.turn += 1
        if scorer.adjudicator is None:
            return FAILED
        reply = scorer.adjudicator.ask(question)
        if reply.status == "fail":
            return FAILED
        # As in 1992, a reply about the only fill offered holds for all that are left.
        fills = tuple(offered[i] for i in reply.chosen) if len(offered) > 1 else None
        return Credit(reply.status, interactive=True, fills=fills)


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
class _Single:
    """A slot with at most one fill on either side."""

    scorer: SlotScorer
    slot: Slot

    def score(self, key: Value, response: Value) -> Tally:
        key_optional, response_optional = isinstance(key, Optional), isinstance(response, Optional)
        counts = dict.fromkeys(("pos", "act"), 0)
        if response is not None and not (response_optional and key is None):
            counts["act"] = 1
        if key is not None and not (key_optional and not counts["act"]):
            counts["pos"] = 1
        if self.slot.is_set:
            ignored = key_optional and not counts["act"]
            counts["pie"] = self.slot.size - (0 if ignored else _size(key))
        left_out = (key is None or key_optional) and response is None
        if left_out or (response_optional and key is None):
            return Tally(non=1, **counts)
        credit = self._credit(key, response)
        if credit is not None and credit.status != "fail":
            right = credit.status == "match"
            counts["cor" if right else "par"] = 1
            if credit.interactive:
                counts["icr" if right else "ipa"] = 1
        elif key is None:
            counts["spu"] = 1
        elif response is None:
            counts["mis"] = 1
        else:
            counts["inc"] = 1
        return Tally(**counts)

    def _credit(self, key: Value, response: Value) -> Credit | None:
        bare_key, bare_response = inner(key), inner(response)
        if _equal_in_a_reading(bare_key, response):
            return Credit("match")
        if key is None or response is None:
            return None
        credit = _best_match(self.scorer.decisions, self.slot, [bare_key], response)
        if credit is not None:
            return credit
        questions = _Questions(self.scorer, self.slot)
        may_ask = self.scorer.adjudicator is not None
        if self.slot.is_set:
            found = match_set_fill(self.slot, bare_key, bare_response)
            if found == "ask":
                return questions.ask([key], response) if may_ask else None
            return found
        if self.scorer.loose and self.slot.kind == "string":
            shared = self.scorer.share_a_word([bare_key], [bare_response])
            return Credit("match") if shared else None
        return questions.ask([key], response) if may_ask else None


@dataclass(slots=True)
class _Several:
    """A slot with several fills on at least one side."""

    scorer: SlotScorer
    slot: Slot
    keys: list[Value]
    responses: list[Value]
    failed: list[Value] = field(default_factory=list)
    paired: list[Value] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Tally._fields, 0))

    def score(self) -> Tally:
        self._pair_equals()
        if self.keys and self.responses:
            self._match()
        if self.scorer.loose and self.scorer.share_a_word(self.keys, self.responses):
            self.counts["par"] += 1
        if self.scorer.adjudicator is not None and self.keys and self.responses:
            self._ask()
        if self.keys or self.responses or self.failed:
            self._count_leftovers()
        if self.slot.is_set:
            sizes = [max(0, self.slot.size - _size(fill)) for fill in self.paired]
            self.counts["pie"] = sum(sizes) if sizes else self.slot.size
        return Tally(**self.counts)

    def _pair_equals(self) -> None:
        for key, response in equal_pairs(self.keys, self.responses):
            _remove(self.responses, response)
            self._use([key], Credit("match"))

    def _match(self) -> None:
        for response in list(self.responses):
            credit = _best_match(self.scorer.decisions, self.slot, self.keys, response)
            self._settle(response, credit)

    def _ask(self) -> None:
        # Questions go on after the last key fill is used up; what they leave in the history counts.
        questions = _Questions(self.scorer, self.slot)
        for response in list(self.responses):
            if self.slot.is_set:
                self._settle(response, self._ask_set_fill(questions, response))
            else:
                self._settle(response, questions.ask(self.keys, response))

    def _ask_set_fill(self, questions: _Questions, response: Value) -> Credit:
        """Compare a response with one key fill only, and ask if their tags disagree."""
        if not self.keys:
            return FAILED
        key = self._nearest(response)
        found = match_set_fill(self.slot, key, response)
        if found == "ask":
            found = questions.ask([key], response)
        if found is None or found.status == "fail":
            return FAILED
        return found._replace(fills=(key,))

    def _nearest(self, response: Value) -> Value:
        for key in self.keys:
            if equal(_untagged(key), response) or equal(key, response):
                return key
        for key in self.keys:
            if self.slot.narrower(_untagged(key), response):
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

    def _count_leftovers(self) -> None:
        """Set what is left against each other: wrong, spurious or missing."""
        required = [key for key in self.keys if not isinstance(key, Optional)]
        optional = [key for key in self.keys if isinstance(key, Optional)]
        left = self.responses + self.failed
        required_left = sum(not isinstance(response, Optional) for response in left)
        self.paired += required
        cancelled = min(len(optional), len(left) - required_left)
        keys, responses = len(self.keys) - cancelled, len(left) - cancelled
        if responses == required_left:
            self._leftovers_of_key(keys, len(required), responses, optional)
        else:
            self._leftovers_of_response(keys, responses, required_left)

    def _leftovers_of_key(
        self, keys: int, required: int, responses: int, optional: Sequence[Value]
    ) -> None:
        if keys < responses:
            self._add(pos=keys, act=responses, inc=keys, spu=responses - keys)
        elif responses <= required:
            self._add(pos=required, act=responses, inc=responses, mis=required - responses)
        else:
            self._add(pos=responses, act=responses, inc=responses)
            self.paired += [optional[0]] * (responses - required)

    def _leftovers_of_response(self, keys: int, responses: int, required: int) -> None:
        if responses < keys:
            self._add(pos=keys, act=responses, inc=responses, mis=keys - responses)
        elif keys <= required:
            self._add(pos=keys, act=required, inc=keys, spu=required - keys)
        else:
            self._add(pos=keys, act=keys, inc=keys)

    def _add(self, **more: int) -> None:
        for name, count in more.items():
            self.counts[name] += count


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


@dataclass(slots=True)
class _Fitted(_Several):
    """A slot of a schema: its fills are paired to earn most, by its matcher and by decisions."""

    def _pair_equals(self) -> None:
        """Nothing goes before the best fit."""

    def _match(self) -> None:
        keys, responses = list(self.keys), list(self.responses)
        matcher = self.slot.matcher or Matcher()
        for i, j, level in slot_fit(self.slot, keys, responses, self.scorer.decisions):
            decided = matcher.level_of(keys[i], responses[j]) < level
            status: Status = "match" if level == CORRECT else "partial"
            self._settle(responses[j], Credit(status, decided, (keys[i],)))

    def _ask(self) -> None:
        if not self.slot.is_set:
            _Several._ask(self)


def _untagged(value: Value) -> Value:
    return value.value if isinstance(value, Reference) else value


def _remove(fills: list[Value], fill: Value) -> None:
    """Remove one fill by identity: another with the same text is another fill."""
    for i, other in enumerate(fills):
        if other is fill:
            del fills[i]
            return
