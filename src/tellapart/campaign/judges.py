"""How the verdict depends on who judged: under each judge's decisions, and with their disagreement.

A judge's verdict is the one by that judge's own opinions, and by what holds wherever others judged.
The interval that carries the disagreement comes from what second opinions make of each difference
(`campaign.judge_effects`); a decision changes scores at its own item only, so that many can be
tried at once, one at each item.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from tellapart.campaign.agreement import Blind, blind_opinions
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.headline import open_words
from tellapart.campaign.judge_effects import (
    FEWEST,
    Ends,
    Floats,
    JudgeVariance,
    SecondOpinion,
    judge_variance,
)
from tellapart.campaign.judging import load_judging
from tellapart.campaign.log import Decision, Opinions, QuestionId, meaning
from tellapart.campaign.own_process import in_own_process
from tellapart.campaign.questions import Judging
from tellapart.campaign.waiting import Waiting
from tellapart.comparison.record import Pair
from tellapart.errors import TellapartError, UsageError
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.settings import Settings
    from tellapart.comparison.record import Comparison
    from tellapart.counts import Counts

WORKS_FOR_S: Final = 600.0
"""After so long it is given up"""
RESTS: Final = 2.0
"""How long what is known is left as it is, in times of what it took: judges need the machine"""


@dataclass(frozen=True, slots=True)
class PairUnderJudges:
    """A pair of systems by what holds, by nothing, and by each judge's decisions."""

    held: Pair
    nobody: Pair
    by_judge: Mapping[str, Pair]
    interval: Ends | None
    """Of this pair alone, by what holds: as if who judged did not matter"""
    with_judges: Ends | None
    """The same with the disagreement of the judges; None where too little is known of it"""

    @property
    def differing(self) -> list[str]:
        """Under whose decisions the verdict is another one; `nobody` is not asked."""
        return [who for who, each in self.by_judge.items() if told(each) != told(self.held)]

    @property
    def different_with_judges(self) -> bool:
        """Whether 0 is outside of the interval with the disagreement."""
        low, high = self.with_judges or (None, None)
        return (low is not None and low > 0) or (high is not None and high < 0)


def told(pair: Pair) -> str | None:
    """Return which system is told to be better, if any."""
    return pair.favours if pair.different else None


@dataclass(frozen=True, slots=True)
class WhoJudged:
    """How the verdicts of a campaign depend on who judged."""

    metric: str
    level: float
    questions: int
    """About which people have decided something that counts here"""
    doubly: int
    """Of them those that two or more answered without each other"""
    decided: Mapping[str, float]
    """How many each person has decided; where several agree, each has a part"""
    pairs: tuple[PairUnderJudges, ...]
    variance: JudgeVariance | None
    open_questions: str = ""
    """How many questions are open, and what they count as, in a sentence; none: all is judged"""

    @property
    def judges(self) -> tuple[str, ...]:
        """Those who gave an opinion, who ruled only left out."""
        return tuple(self.pairs[0].by_judge) if self.pairs else ()

    @property
    def reason(self) -> str | None:
        """Why there is no interval that carries the disagreement, in a sentence; None if it is."""
        if self.variance is not None:
            return None
        if len(self.judges) < 2:
            return (
                "Fewer than two people have judged, so that nothing is known about what others "
                "would have said."
            )
        return (
            f"{several(self.doubly, 'question')} with two opinions or more "
            f"{'is' if self.doubly == 1 else 'are'} too few to tell how much depends on who "
            f"judged; {FEWEST} are the fewest."
        )

    @property
    def sentence(self) -> str:
        """What depends on who judged, in a sentence or two."""
        moved = [each for each in self.pairs if each.differing]
        pairs = several(len(self.pairs), "pair")
        far = " so far" if self.open_questions else ""
        if not self.judges:
            return "Nobody has judged yet."
        if len(self.judges) == 1:
            return f"One person has judged, {self.judges[0]}."
        if not moved:
            every = f"The verdict{far} is"
            if len(self.pairs) > 1:
                every = f"The verdicts{far} on all {pairs} are"
            return f"{every} the same under each judge's decisions."
        if len(self.pairs) == 1:
            return f"The verdict{far} is another one if {_or(moved[0].differing)} is followed."
        return f"The verdicts{far} on {len(moved)} of {pairs} depend on which judge is followed."


def _or(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def who_judged(campaign: Campaign, judging: Judging | None = None) -> WhoJudged:
    """Return how the verdicts of a campaign depend on who judged.

    `judging` is one that nobody else uses, about which nothing is decided; it is read where there
    is none.
    """
    judging = judging or load_judging(campaign)
    if len(judging.systems) < 2:
        raise UsageError("how a verdict depends on who judged needs two systems or more")
    rows = campaign.log.since()
    opinions = Opinions()
    opinions.add(rows)
    nobody = _compared(campaign.settings, judging.counts())
    metric = next(iter(nobody.metrics))
    items = _hold_all(judging, opinions)
    blind = {q: told for q, told in blind_opinions(rows).items() if q in items}
    counts = judging.counts()
    held = _compared(campaign.settings, counts, metric)
    alone = _compared(campaign.settings, counts, metric, intervals=True)
    by_judge = {
        who: _compared(campaign.settings, counts_under(judging, blind, opinions, who), metric)
        for who in sorted({who for told in blind.values() for who in told})
    }
    doubly = {q: told for q, told in blind.items() if len(told) > 1}
    decided = _decided(opinions, items)
    level = 1 - campaign.settings.alpha
    effects = _second_opinions(judging, doubly, opinions, items, metric)
    questions = len([q for q in items if opinions.of(q)])
    variance = judge_variance(effects, questions, decided) if effects else None
    pairs = []
    for k, (a, b) in enumerate(combinations(judging.systems, 2)):
        plain = alone.pair(a, b, metric)
        interval = plain.interval
        wide = None
        if variance is not None and interval is not None:
            wide = variance.widened(k, plain.difference, interval, level)
        pairs.append(
            PairUnderJudges(
                held.pair(a, b, metric), nobody.pair(a, b, metric),
                {who: found.pair(a, b, metric) for who, found in by_judge.items()},
                interval, wide,
            )
        )  # fmt: skip
    waiting = Waiting(campaign.settings)
    waiting.begin((q.id for item in judging.items for q in judging.questions_at(item)), opinions)
    return WhoJudged(
        metric, level, questions, len(doubly), decided, tuple(pairs), variance,
        open_words(campaign.settings, waiting.progress("")),
    )  # fmt: skip


def _compared(
    settings: Settings, counts: Counts, metric: str | None = None, *, intervals: bool = False
) -> Comparison:
    """Return the comparison of all systems; one with intervals is of each pair by itself."""
    from tellapart.result import compare

    return compare(
        counts,
        metrics=metric or settings.verdict_metric,
        alpha=settings.alpha,
        intervals=intervals,
        correction="none" if intervals else "holm",
    ).record


def _hold_all(judging: Judging, opinions: Opinions) -> dict[QuestionId, str]:
    """Let hold what holds by the log; return the items of the questions about these systems."""
    items = {}
    for kind, subject in opinions.standing:
        item = judging.hold(kind, subject, opinions.holds((kind, subject)))
        if item is not None:
            items[kind, subject] = item
    return items


def counts_under(judging: Judging, blind: Blind, opinions: Opinions, judge: str) -> Counts:
    """Return the scores by a judge's own opinions, and by what holds elsewhere."""
    own = {q: told[judge] for q, told in blind.items() if judge in told}
    for (kind, subject), decision in own.items():
        judging.hold(kind, subject, decision.outcome)
    counts = judging.counts()
    for kind, subject in own:
        judging.hold(kind, subject, opinions.holds((kind, subject)))
    return counts


def _decided(opinions: Opinions, items: Mapping[QuestionId, str]) -> dict[str, float]:
    """Return how many questions each person has decided, parts of those that several agree on."""
    found: dict[str, float] = {}
    for question in items:
        ruling = opinions.ruling(question)
        standing = opinions.of(question) if ruling is None else [ruling]
        if standing and opinions.holds(question) is not None:
            for each in standing:
                found[each.person] = found.get(each.person, 0.0) + 1 / len(standing)
    return found


def _second_opinions(
    judging: Judging,
    doubly: Blind,
    opinions: Opinions,
    items: Mapping[QuestionId, str],
    metric: str,
) -> list[SecondOpinion]:
    """Return what each pair of answers to one question makes of all differences."""
    pairs = list(combinations(range(len(judging.systems)), 2))
    none = np.zeros(len(pairs))
    asked = [
        (question, outcome)
        for question, told in doubly.items()
        for outcome in _several_outcomes(told)
    ]
    scores = _scores_of_each(judging, asked, opinions, items, metric)
    found = []
    for question, told in doubly.items():
        said = list(told.values())
        for one, other in combinations(said, 2):
            effects = none
            if meaning(one) != meaning(other):
                moved = scores[question, one.outcome] - scores[question, other.outcome]
                effects = np.array([moved[a] - moved[b] for a, b in pairs])
            found.append(SecondOpinion((one.person, other.person), effects, 1 / (len(said) - 1)))
    return found


def _several_outcomes(told: Mapping[str, Decision]) -> list[str | None]:
    """Return the outcomes of a question on which people differ; none where they agree."""
    if len({meaning(each) for each in told.values()}) == 1:
        return []
    return list(dict.fromkeys(each.outcome for each in told.values()))


def _scores_of_each(
    judging: Judging,
    asked: Sequence[tuple[QuestionId, str | None]],
    opinions: Opinions,
    items: Mapping[QuestionId, str],
    metric: str,
) -> dict[tuple[QuestionId, str | None], Floats]:
    """Return the scores of all systems with each outcome alone changed."""
    base = judging.counts()
    found = {}
    waiting = list(asked)
    while waiting:
        batch: dict[str, tuple[QuestionId, str | None]] = {}
        for each in waiting:
            if base.judgments is None or not batch:  # a scale of preferences is of all items
                batch.setdefault(items[each[0]], each)
        for (kind, subject), outcome in batch.values():
            judging.hold(kind, subject, outcome)
        counts = judging.counts()
        for (kind, subject), _ in batch.values():
            judging.hold(kind, subject, opinions.holds((kind, subject)))
        for item, each in batch.items():
            changed = counts if base.judgments is not None else _with_item(base, counts, item)
            found[each] = _scores(changed, metric)
            waiting.remove(each)
    return found


def _with_item(base: Counts, other: Counts, item: str) -> Counts:
    """Return counts in which one item is that of others."""
    place, there = base.items.index(item), other.items.index(item)
    scales = np.lcm(np.array(base.scales, object), np.array(other.scales, object))
    values = base.values * (scales // np.array(base.scales, object)).astype(np.int64)
    row = other.values[:, there] * (scales // np.array(other.scales, object)).astype(np.int64)
    values[:, place] = row
    return replace(base, values=values, scales=tuple(int(each) for each in scales))


def _scores(counts: Counts, metric: str) -> Floats:
    """Return the scores of all systems by a metric."""
    if counts.judgments is not None:
        from tellapart.result import compare

        found = compare(counts, metrics=metric, intervals=False, correction="none")
        return np.array([each.scores[metric] for each in found.record.systems])
    from tellapart.metrics.scores import metrics_of, score_counts

    return score_counts(counts, *metrics_of(counts, [metric])).values


def who_judged_in(folder: str) -> WhoJudged:
    """Return how the verdicts of the campaign in a folder depend on who judged."""
    return who_judged(Campaign.open(folder))


@dataclass(slots=True)
class LatestWhoJudged:
    """The same, worked out in the background when somebody wants to see it."""

    campaign: Campaign
    _found: WhoJudged | None = None
    _problem: str = ""
    _version: tuple[int, int] | None = None
    """Up to which submission and decision it is known"""
    _busy: threading.Event | None = None
    _rests_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self, patience_s: float = 5.0) -> tuple[WhoJudged | None, str, bool]:
        """Return what is known, or why it cannot be had, and whether that is up to date."""
        version = self.campaign.version()
        with self._lock:
            if self._version == version:
                return self._found, self._problem, True
            busy = self._busy
            if busy is None and time.monotonic() >= self._rests_until:
                busy = self._busy = threading.Event()
                threading.Thread(target=self._work_out, args=(version, busy), daemon=True).start()
        if busy is not None:
            busy.wait(patience_s)
        with self._lock:
            return self._found, self._problem, self._version == version

    def _work_out(self, version: tuple[int, int], done: threading.Event) -> None:
        found, problem, began = None, "it could not be worked out", time.monotonic()
        try:
            found = in_own_process(
                who_judged_in, self.campaign.folder, returns=WhoJudged, seconds=WORKS_FOR_S
            )
            problem = ""
        except TellapartError as why:
            problem = str(why)
        finally:
            with self._lock:
                self._found, self._problem, self._version = found, problem, version
                self._busy = None
                self._rests_until = time.monotonic() + RESTS * (time.monotonic() - began)
            done.set()
