"""What was odd about the input but did not stop the scoring, as notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tellapart.errors import Notice
from tellapart.formats.nuggets.tbf import COREFERENCE, Document, Mention, TbfFile
from tellapart.words import listed, several

if TYPE_CHECKING:
    from tellapart.formats.nuggets.scoring import Options, ScoredDocument


def file_notices(gold: TbfFile, system: TbfFile, names: Sequence[str]) -> Iterator[Notice]:
    """Yield notices of documents that appear twice, or not on both sides."""
    if not gold.blocks:
        yield Notice("no-documents", f"{gold.path} holds no document; there is nothing to score.")
    for file in (gold, system):
        if file.repeated:
            yield Notice(
                "repeated-document",
                f"{file.path}: the last block of each id that appears twice counts: "
                f"{listed(file.repeated, 5)}.",
                file.repeated,
            )
    yield from unshared_documents(gold, system, names)


def unshared_documents(gold: TbfFile, system: TbfFile, names: Sequence[str]) -> Iterator[Notice]:
    """Yield notices of documents, of those to be scored, that are not on both sides."""
    lacking = tuple(name for name in names if name not in system.blocks)
    if names and len(lacking) == len(names):
        yield Notice("no-common-document", f"{system.path} has none of the gold documents.")
    elif lacking:
        yield Notice(
            "missing-document",
            f"{system.path} lacks {_documents(lacking)}, scored as an empty response.",
            lacking,
        )
    extra = tuple(sorted(system.blocks.keys() - gold.blocks.keys()))
    if extra:
        yield Notice(
            "extra-document",
            f"{system.path} has {_documents(extra)} that the gold file lacks; not scored.",
            extra,
        )


def document_notices(
    documents: Sequence[ScoredDocument], options: Options, paths: tuple[str, str]
) -> Iterator[Notice]:
    """Yield notices of empty documents and spans, repeated ids, placeholders, missing tables."""
    empty = tuple(each.id for each in documents if not each.n_gold)
    if empty:
        yield Notice(
            "empty-gold-document",
            f"{_documents(empty)} without gold mentions: left out of the averages, so that false "
            "alarms there cost nothing.",
            empty,
        )
    silent = tuple(each.id for each in documents if each.n_gold and not each.n_system)
    if silent:
        yield Notice("no-system-mention", f"{_documents(silent)} without system mentions.", silent)
    for side, path in zip(("gold", "system"), paths, strict=True):
        yield from _side_notices(path, [getattr(each, side) for each in documents])
    placeholder = options.profile.placeholder
    met = sum(each.gold_labels.types.count(placeholder) for each in documents)
    met += sum(each.gold_labels.realis.count(placeholder) for each in documents)
    if met:
        yield Notice("placeholder", f"{met} gold labels are NOT_ANNOTATED and agree with all.")
    if options.tokens is not None:
        yield from _token_notices([each.id for each in documents], options)


def _side_notices(path: str, documents: Sequence[Document]) -> Iterator[Notice]:
    """Yield notices of one file, each with the line of the first that it is about."""
    repeated = {each.id: again for each in documents if (again := _repeated(each.mentions))}
    if repeated:
        yield Notice(
            "repeated-mention-id",
            f"{path}:{min(repeated.values())}: mentions share an id in "
            f"{_documents(tuple(repeated))}; all are counted.",
            tuple(repeated),
        )
    empty = [(each.id, m.id, m.line) for each in documents for m in each.mentions if _empty(m)]
    unknown = list(_unknown_arguments(documents))
    single = [
        (each.id, relation.arguments[0], relation.line)
        for each in documents
        for relation in each.relations
        if relation.name == COREFERENCE and len(relation.arguments) == 1
    ]
    for code, found, text in (
        ("empty-span", empty, "mentions that cover nothing, and so match nothing"),
        ("unknown-mention", unknown, "relations name ids that are no mentions, and are ignored"),
        ("one-member-cluster", single, f"{several(len(single), 'cluster')} with one member"),
    ):
        if found:
            names = tuple(f"{document}:{name}" for document, name, _ in found)
            first = min(line for *_, line in found)
            yield Notice(code, f"{path}:{first}: {text}: {listed(names, 5)}.", names)


def _token_notices(names: Sequence[str], options: Options) -> Iterator[Notice]:
    folder = options.tokens
    if folder is None:
        return
    missing = tuple(name for name in names if folder.table(name) is None)
    if missing:
        yield Notice(
            "missing-token-table",
            f"{folder.path} has no token table of {_documents(missing)}.",
            missing,
        )


def _unknown_arguments(documents: Sequence[Document]) -> Iterator[tuple[str, str, int]]:
    for document in documents:
        if document.relations:
            ids = {mention.id for mention in document.mentions}
            for relation in document.relations:
                for each in relation.arguments:
                    if each not in ids:
                        yield document.id, each, relation.line


def _empty(mention: Mention) -> bool:
    return not mention.tokens and all(begin >= end for begin, end in mention.pieces)


def _repeated(mentions: Sequence[Mention]) -> int | None:
    """Return the line of the first mention whose id another one had; None if there is none."""
    seen = set[str]()
    for mention in mentions:
        if mention.id in seen:
            return mention.line
        seen.add(mention.id)
    return None


def _documents(names: Sequence[str]) -> str:
    return f"{several(len(names), 'document')} ({listed(tuple(names), 5)})"
