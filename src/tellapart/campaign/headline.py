"""How a campaign stands, in words that claim no more than is known while questions are open.

The sentence of a finished comparison is said when nothing is open. Before that, what counts is what
is settled however the open questions are answered; scores are as judged so far.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

from tellapart.campaign.bounds import Finding, Outlook
from tellapart.campaign.desk import Progress
from tellapart.campaign.settings import Settings
from tellapart.words import listed, several


@dataclass(frozen=True, slots=True)
class Headline:
    """What may be said of the systems now."""

    words: str
    figures: str
    """How scores and intervals are to be read while questions are open; empty if none is"""
    settled: tuple[str, ...] = ()
    """What holds of which pairs however the open questions are answered"""


def headline_of(
    settings: Settings,
    progress: Progress,
    outlook: Outlook | None,
    verdict: tuple[str, str],
    systems: Sequence[str],
) -> Headline:
    """Return what may be said of systems.

    `verdict` is by which metric they are compared, and the sentence that holds when nothing is
    open. An outlook by another metric is of no use, nor one on other systems or questions: it is
    from before or after.

    >>> progress = Progress(total=9, decided=0, conflicts=0, yours=0)
    >>> headline_of(Settings("T", "items"), progress, None, ("rating", ""), ["A"]).words
    'Nothing is judged yet: all 9 questions are open.'
    """
    still = progress.open
    if not still:
        return Headline(verdict[1], "")
    if outlook is not None and not _is_about(outlook, still, systems, verdict[0]):
        outlook = None
    findings = outlook.findings if outlook is not None else ()
    known = [each for each in findings if each.settled]
    settled = _sentences(known)
    if outlook is not None and len(known) == len(findings):
        told = settled[0] if len(findings) == 1 else f"All {len(findings):,} pairs are settled"
        however = "question is" if still == 1 else f"{still:,} questions are"
        head = f"{told} {outlook.at}, however the open {however} answered."
    elif not progress.answered:
        head = f"Nothing is judged yet: all {several(still, 'question')} are open."
    else:
        of = several(progress.total, "question")
        head = f"Not settled yet: {still:,} of {of} {'is' if still == 1 else 'are'} open"
        if outlook is not None:
            head += f", and {outlook.can_change:,} can still change a conclusion {outlook.at}"
        if known:
            head += f"; {len(known):,} of {several(len(findings), 'pair')} settled"
        head += "."
    return Headline(head, figures_words(settings), tuple(settled))


def figures_words(settings: Settings) -> str:
    """Return how scores are to be read while questions are open.

    >>> figures_words(Settings("T", "items", judging="preference"))
    'Figures are as judged so far: what has no answer yet, or answers that differ, counts as a tie.'
    """
    counts = {
        "fills": "as the scorer has it by itself",
        "keys": "as if both annotators were right",
        "preference": "as a tie",
        "rating": f"as '{min(settings.scale, key=settings.scale.__getitem__)}'",
    }[settings.judging]
    return (
        "Figures are as judged so far: what has no answer yet, or answers that differ, counts "
        f"{counts}."
    )


def _is_about(outlook: Outlook, still: int, systems: Collection[str], metric: str) -> bool:
    named = set(chain.from_iterable((each.a, each.b) for each in outlook.findings))
    same = outlook.open == still and outlook.metric in ("", metric)
    return same and named == set(systems)


def _sentences(findings: Collection[Finding]) -> list[str]:
    """Return who is better than whom, and who cannot be told apart, a sentence for each system."""
    better: dict[str, list[str]] = {}
    alike: dict[str, list[str]] = {}
    for each in findings:
        a, b = each.a, each.b
        if each.better is None:
            alike.setdefault(a, []).append(b)
        else:
            first, second = (a, b) if each.better == each.a else (b, a)
            better.setdefault(first, []).append(second)
    order = sorted(better, key=lambda name: (-len(better[name]), name))
    return [
        *(f"{name} is better than {listed(sorted(better[name]), 99)}" for name in order),
        *(f"{name} cannot be told from {listed(sorted(alike[name]), 99)}" for name in alike),
    ]
