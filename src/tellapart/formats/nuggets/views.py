"""What stands behind a document: its mentions, each beside the one that a system has for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.formats.nuggets.attributes import PLAIN
from tellapart.formats.nuggets.evaluation import Evaluation
from tellapart.formats.nuggets.scoring import ScoredDocument
from tellapart.formats.nuggets.tbf import Mention


@dataclass(frozen=True, slots=True)
class MentionViews:
    """Gold mentions with what each system found there, and what it found elsewhere."""

    evaluations: Mapping[str, Evaluation]

    def __call__(self, name: str) -> ItemView:
        """Return the mentions of one document, as their spans were mapped."""
        documents = {
            system: next(each for each in found.scoring.documents if each.id == name)
            for system, found in self.evaluations.items()
        }
        links = {
            system: {gold: (own, dice) for gold, own, dice in each.mappings[PLAIN].links()}
            for system, each in documents.items()
        }
        first = next(iter(documents.values()))
        rows = [
            ViewRow(
                "",
                (_mention(mention),),
                {
                    system: (_judged(document, k, links[system].get(k)),)
                    for system, document in documents.items()
                },
            )
            for k, mention in enumerate(first.gold.mentions)
        ]
        alone = {}
        for system, document in documents.items():
            used = {own for own, _ in links[system].values()}
            mentions = enumerate(document.system.mentions)
            alone[system] = [mention for k, mention in mentions if k not in used]
        others = [
            ViewRow(
                "",
                outputs={
                    system: (_mention(some[k], "spurious"),)
                    for system, some in alone.items()
                    if k < len(some)
                },
            )
            for k in range(max(map(len, alone.values())))
        ]
        sections = [
            ViewSection(tuple(rows), "Mentions of the gold"),
            ViewSection(tuple(others), "Not in the gold"),
        ]
        return ItemView(tuple(each for each in sections if each.rows))


def _mention(mention: Mention, mark: str = "", tag: str = "") -> Piece:
    return Piece(mention.text, mark, tag or f"{mention.type} {mention.realis}")


def _judged(document: ScoredDocument, gold: int, link: tuple[int, float] | None) -> Piece:
    """Return the mention of a system for one of gold: right if span, type and realis are."""
    if link is None:
        return Piece("", "missing", "missing")
    own, dice = link
    ours, theirs = document.system_labels, document.gold_labels
    same = ours.types[own] == theirs.types[gold] and ours.realis[own] == theirs.realis[gold]
    mark = "wrong" if not same else "right" if dice == 1 else "partial"
    mention = document.system.mentions[own]
    overlap = "" if dice == 1 else f", overlap {dice:.2f}"
    return _mention(mention, mark, f"{mention.type} {mention.realis}{overlap}")
