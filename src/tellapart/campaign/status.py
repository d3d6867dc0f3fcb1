"""What a campaign says at a terminal: how far it is, and how far people agree."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.campaign.agreement import NAMED, agreement_of
from tellapart.campaign.board import headline_of
from tellapart.campaign.bounds import Bounds
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judges import ALL, who_judged
from tellapart.campaign.judging import compared, desk_of
from tellapart.report.document import conclusion
from tellapart.report.method import method
from tellapart.report.table import terminal
from tellapart.report.text import filled, joined
from tellapart.words import clean, several


def status_lines(campaign: Campaign) -> Iterator[str]:
    """Yield how far it is, what is settled, and what the scores are."""
    desk = desk_of(campaign)
    settings, judging, progress = campaign.settings, desk.judging, desk.progress("")
    keys = settings.judging == "keys"
    who = several(len(judging.systems), "annotator" if keys else "system")
    yield f"{settings.title}: {settings.judging} of {who}"
    conflicts = f" ({several(progress.conflicts, 'conflict')})" if progress.conflicts else ""
    yield (
        f"{several(progress.total, 'question')}: {progress.decided:,} decided, "
        f"{progress.open:,} open{conflicts}"
    )
    for name, number in campaign.log.decided().items():
        yield f"{name}: {several(number, 'decision')}"
    if len(judging.systems) < 2:
        yield f"{judging.systems[0]} is alone: add another system to compare it with"
        return
    counts = judging.counts()
    result = compared(settings, counts)
    metric = next(iter(result.metrics))
    said = conclusion(result, metric)
    stands = headline_of(progress, Bounds(desk).update(), said, settings.judging)
    yield stands.words
    for sentence in stands.settled:
        yield f"Settled: {sentence}"
    if stands.figures or keys:
        so_far = "So far" if stands.figures else "Against the settled key"
        scores = (f"{clean(each.name)} {each.scores[metric]:.3f}" for each in result.systems)
        yield f"{so_far}, by {metric}: {', '.join(scores)}"
    if stands.figures:
        yield stands.figures
    yield f"Method: {method(result)}"
    if progress.open and settings.judging == "fills":
        yield "Note: answers that pair templates otherwise, and new systems, change what is asked."
    for notice in counts.notices:
        if notice.code != "open-questions":
            yield f"Note: {notice.text}"


def report_text(campaign: Campaign) -> str:
    """Return how far people agree, and how the verdict depends on who judged."""
    systems = campaign.systems()
    questions = desk_of(campaign).questions if systems else {}
    agreement = agreement_of(campaign.log.since(), campaign.settings, questions)
    parts = [filled(agreement.sentence), *map(terminal, agreement.tables())]
    parts += [filled(NAMED)] if agreement.kinds else []
    if len(systems) > 1:
        judged = who_judged(campaign)
        parts += [filled(judged.open_questions), terminal(judged.table())]
        parts.append(filled(method(judged.found[ALL])))
    return joined(parts)
