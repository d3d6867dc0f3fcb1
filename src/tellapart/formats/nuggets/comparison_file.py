"""The comparison file: gold and system mentions side by side, as the plain alignment pairs them."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.formats.nuggets.attributes import PLAIN, Labels
from tellapart.formats.nuggets.scoring import ScoredDocument, Scoring
from tellapart.formats.nuggets.tbf import COREFERENCE, Document, Mention


def comparison_text(scoring: Scoring, name: str, coref: bool) -> str:
    """Write the whole file; `name` is the system file's, which starts each line."""
    lines = [
        line for document in scoring.documents for line in _document_lines(document, name, coref)
    ]
    return "".join(f"{line}\n" for line in lines)


def _document_lines(document: ScoredDocument, name: str, coref: bool) -> Iterator[str]:
    yield f"#BeginOfDocument {document.id}"
    partners = {gold: (own, dice) for gold, own, dice in document.alignments[PLAIN].links()}
    for i in range(document.n_gold):
        gold = _fields(document.gold, document.gold_labels, i)
        own, score = "-", "-"
        if i in partners:
            at, dice = partners[i]
            own, score = _fields(document.system, document.system_labels, at), f"{dice:.2f}"
        yield f"{name}\t{gold}\t|\t{own}\t{score}"
    aligned = {own for own, _ in partners.values()}
    for i in range(document.n_system):
        if i not in aligned:
            yield f"{name}\t-\t|\t{_fields(document.system, document.system_labels, i)}\t-"
    if coref:
        yield from _cluster_lines(document.gold, "gold")
        yield from _cluster_lines(document.system, "system")
    yield "#EndOfDocument "


def _fields(document: Document, labels: Labels, i: int) -> str:
    mention = document.mentions[i]
    return "\t".join((mention.id, _span(mention), labels.types[i], labels.realis[i], mention.text))


def _span(mention: Mention) -> str:
    if mention.tokens:
        return ",".join(mention.tokens)
    return ",".join(str(at) for begin, end in mention.pieces for at in range(begin, end))


def _cluster_lines(document: Document, side: str) -> Iterator[str]:
    texts = {mention.id: mention.text.replace(",", "") for mention in document.mentions}
    for relation in document.relations:
        if relation.name == COREFERENCE:
            members = ",".join(f"{i}:{texts[i]}" for i in relation.arguments if i in texts)
            yield f"@coref\t{side}\t{members}"
