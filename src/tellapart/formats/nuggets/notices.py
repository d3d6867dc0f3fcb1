"""What was odd about the input but did not stop the scoring, as notices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tellapart.errors import Notice
from tellapart.formats.nuggets.tbf import COREFERENCE, Document, Mention, TbfFile
from tellapart.words import listed, several

if TYPE_CHECKING:
    from tellapart.formats.nuggets.scoring import Options, ScoredDocument


def file_notices(gold: TbfFile, system: TbfFile, names: Sequence[str]) -> Iterator[Notice]:
    """Yield notices of documents that are not on both sides, or there twice."""
    if not gold.blocks:
        yield Notice("no-documents", f"{gold.path} holds no document; there is nothing to score.")
    for file in (gold, system):
        if file.repeated:
            yield Notice(
                "repeated-document",
                f"{file.path}: the last block of each id that is there twice counts: "
                f"{listed(file.repeated, 5)}.",
                file.repeated,
            )
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


def document_notices(documents: Sequence[ScoredDocument], options: Options) -> Iterator[Notice]:
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
    for side in ("gold", "system"):
        yield from _side_notices(side, [getattr(each, side) for each in documents])
    placeholder = options.profile.placeholder
    met = sum(each.gold_labels.types.count(placeholder) for each in documents)
    met += sum(each.gold_labels.realis.count(placeholder) for each in documents)
    if met:
        yield Notice("placeholder", f"{met} gold labels are NOT_ANNOTATED and agree with all.")
    if options.tokens is not None:
        yield from _token_notices([each.id for each in documents], options)


def _side_notices(side: str, documents: Sequence[Document]) -> Iterator[Notice]:
    repeated = tuple(each.id for each in documents if _repeats(m.id for m in each.mentions))
    if repeated:
        yield Notice(
            "repeated-mention-id",
            f"{side} mentions share an id in {_documents(repeated)}; all are counted.",
            repeated,
        )
    empty = tuple(
        f"{each.id}:{m.id}" for each in documents for m in each.mentions if _covers_nothing(m)
    )
    if empty:
        yield Notice(
            "empty-span",
            f"{side} mentions that cover nothing, and so match nothing: {listed(empty, 5)}.",
            empty,
        )
    unknown = tuple(_unknown_arguments(documents))
    if unknown:
        yield Notice(
            "unknown-mention",
            f"{side} relations name ids that are no mentions, which are ignored: "
            f"{listed(unknown, 5)}.",
            unknown,
        )
    single = tuple(
        f"{each.id}:{relation.arguments[0]}"
        for each in documents
        for relation in each.relations
        if relation.name == COREFERENCE and len(relation.arguments) == 1
    )
    if single:
        yield Notice(
            "one-member-cluster",
            f"{several(len(single), f'{side} cluster')} with one member: {listed(single, 5)}.",
            single,
        )


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


def _unknown_arguments(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        if document.relations:
            ids = {mention.id for mention in document.mentions}
            for relation in document.relations:
                yield from (f"{document.id}:{i}" for i in relation.arguments if i not in ids)


def _covers_nothing(mention: Mention) -> bool:
    return not mention.tokens and all(begin >= end for begin, end in mention.pieces)


def _repeats(ids: Iterable[str]) -> bool:
    given = list(ids)
    return len(set(given)) < len(given)


def _documents(names: Sequence[str]) -> str:
    return f"{several(len(names), 'document')} ({listed(tuple(names), 5)})"
