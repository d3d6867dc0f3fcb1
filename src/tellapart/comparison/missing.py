"""`--missing bounds`: whether an answer holds whatever the missing items scored.

What is reported are the items that every system has. The test of each pair is made twice more, with
all items: the first system scores the worst where it has no score and the second the best, and the
other way round. The p of "the first is better" falls with the difference on any item, so that no
way to complete the scores lies beyond these two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tellapart.comparison.answers import CANNOT_TELL, answer
from tellapart.comparison.incomplete import Incomplete
from tellapart.comparison.record import Answer, Comparison, Notice, Pair
from tellapart.comparison.scored import Scored, Tested, decide
from tellapart.comparison.testing import Pairs, Work
from tellapart.stats.result import Test


@dataclass(frozen=True, slots=True)
class Completions:
    """The pairs of one metric as they would be at best and at worst for a conclusion."""

    metric: str
    incomplete: Incomplete
    weakest: tuple[Pair, ...] = ()
    """With the largest p that any scores of the missing items give"""
    strongest: tuple[Pair, ...] = ()
    """With the smallest"""

    def condition(self, record: Comparison, told: Answer) -> str:
        """Return the code of whether the answer by this metric holds whatever is missing."""
        pairs = self.strongest if told.answer == CANNOT_TELL else self.weakest
        other = answer(replace(record, pairs=pairs), self.metric) if pairs else None
        holds = other is not None and other.answer == told.answer
        return "whatever-missing" if holds else "unless-missing"

    def notices(self) -> Iterator[Notice]:
        """Yield what is missing, and the range of p of two systems."""
        counts, there = self.incomplete.counts, self.incomplete.there
        lacking = dict(zip(counts.names, (~there).sum(axis=1).tolist(), strict=True))
        numbers = {"missing": int((~there.all(axis=0)).sum()), "lacking": lacking}
        if self.incomplete.ends is None:
            yield Notice("no-bounds", (self.metric,), numbers)
            return
        if len(self.weakest) == 1:
            numbers["p"] = [self.strongest[0].p, self.weakest[0].p]
        yield Notice("missing-bounds", (self.metric,), {**numbers, "ends": [*self.incomplete.ends]})


def completions(scored: Scored, tested: Tested, pairs: Sequence[Pair], work: Work) -> Completions:
    """Return what the pairs of a metric could be, whatever the missing items scored."""
    incomplete = scored.incomplete
    assert incomplete is not None
    if incomplete.ends is None:
        return Completions(scored.scores.name, incomplete)
    low, high = incomplete.ends
    weakest, strongest = list[tuple[Test, float]](), list[tuple[Test, float]]()
    for a, b, sign in tested.pairs:
        corners = []
        for ends in ((low, high), (high, low)):
            part = scored.part(incomplete.filled(a, b, ends))
            assert part is not None
            one = Pairs(np.array([0]), np.array([1]), np.array([sign]))
            (difference,) = part.scores.differences(one.a, one.b).tolist()
            corners.append((part.tests(one, work)[0], difference))
        corners.sort(key=lambda corner: corner[0].p or 1.0)
        (_, first), (_, last) = corners
        strongest.append(corners[0])
        turns = sign == 0 and first * last <= 0  # the scores may be equal
        weakest.append((Test(1.0, "exact"), 0.0) if turns else corners[1])
    made = []
    for found in (weakest, strongest):
        decided = decide(scored, replace(tested, tests=[test for test, _ in found]), work)
        rows = zip(pairs, found, decided.p_adjusted, decided.different, strict=True)
        made.append(tuple(_completed(scored, *row) for row in rows))
    return Completions(scored.scores.name, incomplete, made[0], made[1])


def _completed(
    scored: Scored, pair: Pair, found: tuple[Test, float], p_adjusted: float, different: bool
) -> Pair:
    """Return a pair as it would be with the test and the difference of a completion."""
    test, difference = found
    favours = None
    if difference != 0:
        higher = scored.scores.metric.higher_is_better
        favours = pair.a if (difference > 0) == higher else pair.b
    return replace(
        pair, p=test.p, p_adjusted=float(p_adjusted), different=bool(different), favours=favours
    )
