"""The verdict under each judge: by that judge's own opinions, and by what holds elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tellapart.campaign.agreement import Blind, blind_opinions
from tellapart.campaign.board import SO_FAR
from tellapart.campaign.judging import compared, desk_of, load_judging
from tellapart.campaign.opinions import Opinions
from tellapart.comparison.record import Comparison, Pair
from tellapart.report.table import Column, Table
from tellapart.report.text import pair_adjusted, signed

if TYPE_CHECKING:
    from tellapart.campaign.campaign import Campaign
    from tellapart.campaign.questions import Judging
    from tellapart.counts import Counts


ALL, NONE = "all decisions", "no decisions"
MOST_PAIRS: Final = 15


@dataclass(frozen=True, slots=True)
class WhoJudged:
    """How the verdicts of a campaign depend on who judged."""

    found: Mapping[str, Comparison]
    """By what holds, by no decision, and by those of each judge; who ruled only has none"""
    open_questions: str = ""
    """What open questions count as, in a sentence; none: all is judged"""

    def table(self) -> Table:
        """Return the verdicts on each pair by what holds, by no decision, and by each judge's.

        Of many pairs only those are shown about which they differ.
        """
        held = self.found[ALL]
        metric, alpha = next(iter(held.metrics)), held.alpha
        rows = list[tuple[str, Pair]]()
        for pair in held.pairs:
            under = {who: each.pair(pair.a, pair.b, metric) for who, each in self.found.items()}
            if len(held.pairs) <= MOST_PAIRS or len(set(map(better, under.values()))) > 1:
                rows += under.items()
        columns = (
            Column("by", "text", lambda row: row[0]),
            Column("difference", "difference", lambda row: signed(row[1].difference)),
            Column("adjusted p", "p", lambda row: pair_adjusted(row[1], alpha)),
            Column("better", "name", lambda row: better(row[1]) or "-"),
        )
        caption = f"Differences by {metric} with each judge's decisions first"
        return Table.of(rows, columns, caption, section=lambda row: f"{row[1].a} − {row[1].b}")


def better(pair: Pair) -> str | None:
    """Return which system is shown to be better, if any."""
    return pair.favours if pair.different else None


def who_judged(campaign: Campaign) -> WhoJudged:
    """Return how the verdicts of a campaign depend on who judged."""
    desk, settings = desk_of(campaign), campaign.settings
    judging = desk.judging  # which nobody else uses
    blind = {
        (kind, subject): said
        for (kind, subject), said in blind_opinions(campaign.log.since()).items()
        if judging.hold(kind, subject, desk.opinions.holds((kind, subject))) is not None
    }
    scored = {ALL: judging.counts(), NONE: load_judging(campaign).counts()}
    for who in sorted({who for said in blind.values() for who in said}):
        scored[who] = counts_under(judging, blind, desk.opinions, who)
    found = {who: compared(settings, each, intervals=False) for who, each in scored.items()}
    still = SO_FAR[settings.judging] if desk.progress("").open else ""
    return WhoJudged(found, still)


def counts_under(judging: Judging, blind: Blind, opinions: Opinions, judge: str) -> Counts:
    """Return the scores by a judge's own opinions, and by what holds elsewhere."""
    own = {question: said[judge] for question, said in blind.items() if judge in said}
    for (kind, subject), decision in own.items():
        judging.hold(kind, subject, decision.outcome)
    counts = judging.counts()
    for kind, subject in own:
        judging.hold(kind, subject, opinions.holds((kind, subject)))
    return counts
