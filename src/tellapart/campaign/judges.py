"""The verdict under each judge: by that judge's own opinions, and by what holds elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from tellapart.campaign.agreement import Blind, blind_opinions
from tellapart.campaign.board import figures_words
from tellapart.campaign.judging import compared, desk_of, load_judging
from tellapart.campaign.opinions import Opinions
from tellapart.comparison.record import Pair
from tellapart.report.table import Column, Table
from tellapart.report.text import pair_adjusted, signed

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.questions import Judging
    from tellapart.counts import Counts


@dataclass(frozen=True, slots=True)
class PairUnderJudges:
    """A pair of systems by what holds, by nothing, and by each judge's decisions."""

    held: Pair
    nobody: Pair
    by_judge: Mapping[str, Pair]

    @property
    def name(self) -> str:
        """Which systems they are, the second one being taken from the first."""
        return f"{self.held.a} − {self.held.b}"

    @property
    def differing(self) -> list[str]:
        """Under whose decisions the verdict is another one; `nobody` is not asked."""
        return [who for who, pair in self.by_judge.items() if better(pair) != better(self.held)]


def better(pair: Pair) -> str | None:
    """Return which system is shown to be better, if any."""
    return pair.favours if pair.different else None


ALL, NONE = "all decisions", "no decisions"
MOST_PAIRS: Final = 15
"""That are shown at once; of more, those that depend most on who judged"""


@dataclass(frozen=True, slots=True)
class WhoJudged:
    """How the verdicts of a campaign depend on who judged."""

    metric: str
    alpha: float
    judges: tuple[str, ...]
    """Those who gave an opinion, who ruled only left out"""
    pairs: tuple[PairUnderJudges, ...]
    """Those first whose verdict depends on who judged, or whose difference moves most"""
    open_questions: str = ""
    """What open questions count as, in a sentence; none: all is judged"""

    def table(self) -> Table:
        """Return the verdicts on each pair by what holds, by no decision, and by each judge's."""
        rows = [
            (pair, who, found)
            for pair in self.pairs[:MOST_PAIRS]
            for who, found in ((ALL, pair.held), (NONE, pair.nobody), *pair.by_judge.items())
        ]
        columns = (
            Column("by", "text", lambda row: row[1]),
            Column("difference", "difference", lambda row: signed(row[2].difference)),
            Column("adjusted p", "p", lambda row: pair_adjusted(row[2], self.alpha)),
            Column("better", "name", lambda row: better(row[2]) or "-"),
            Column("", "text", lambda row: "*" if row[1] in row[0].differing else ""),
        )
        caption = f"Differences by {self.metric} with each judge's decisions first"
        if len(self.pairs) > MOST_PAIRS:
            caption += f"; the {MOST_PAIRS} of {len(self.pairs):,} pairs that depend most on them"
        notes = ("* another verdict than by all decisions",)
        return Table.of(rows, columns, caption, section=lambda row: row[0].name, notes=notes)


def who_judged(campaign: Campaign) -> WhoJudged:
    """Return how the verdicts of a campaign depend on who judged."""
    desk, settings = desk_of(campaign), campaign.settings
    judging = desk.judging  # which nobody else uses
    blind = {
        (kind, subject): said
        for (kind, subject), said in blind_opinions(campaign.log.since()).items()
        if judging.hold(kind, subject, desk.opinions.holds((kind, subject))) is not None
    }
    nobody = compared(settings, load_judging(campaign).counts(), intervals=False)
    metric = next(iter(nobody.metrics))
    held = compared(settings, judging.counts(), intervals=False)
    by_judge = {
        who: compared(settings, counts_under(judging, blind, desk.opinions, who), intervals=False)
        for who in sorted({who for said in blind.values() for who in said})
    }
    pairs = [
        PairUnderJudges(
            held.pair(a, b, metric),
            nobody.pair(a, b, metric),
            {who: found.pair(a, b, metric) for who, found in by_judge.items()},
        )
        for a, b in combinations(judging.systems, 2)
    ]
    pairs.sort(key=_dependence)
    still = figures_words(settings) if desk.progress("").open else ""
    return WhoJudged(metric, settings.alpha, tuple(by_judge), tuple(pairs), still)


def _dependence(pair: PairUnderJudges) -> tuple[bool, float]:
    differences = [each.difference - pair.held.difference for each in pair.by_judge.values()]
    return not pair.differing, -max(map(abs, differences), default=0.0)


def counts_under(judging: Judging, blind: Blind, opinions: Opinions, judge: str) -> Counts:
    """Return the scores by a judge's own opinions, and by what holds elsewhere."""
    own = {question: said[judge] for question, said in blind.items() if judge in said}
    for (kind, subject), decision in own.items():
        judging.hold(kind, subject, decision.outcome)
    counts = judging.counts()
    for kind, subject in own:
        judging.hold(kind, subject, opinions.holds((kind, subject)))
    return counts
