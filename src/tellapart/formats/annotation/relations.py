"""F over relations, or any sets: what a system's parse has in common with the reference's.

Per item: the relations of the system, those of the gold, and how many they share, copies counted.
With responses as items, what exactly one of two systems gave is exchanged (Yeh 2000).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.formats.annotation.model import (
    check_files,
    common_items,
    labels_by_name,
    read_corpus,
    refuse_extra,
)
from tellapart.formats.annotation.relation_files import read_relation_file
from tellapart.formats.annotation.views import with_views
from tellapart.formats.contract import Sources
from tellapart.metrics.runs import averaged
from tellapart.options import NoOptions
from tellapart.words import listed

Relations: TypeAlias = Mapping[str, Iterable[Hashable]]
"""Item → its relations; none for an item that was not parsed, or has none"""

COLUMNS: Final = ("sys", "gold", "match")


def read_relations(
    systems: Sequence[str | Path],
    gold: Sequence[str | Path],
    *,
    missing: str = "error",
    responses: bool = False,
) -> Counts:
    """Return the relations of systems and gold as counts; runs of a system are averaged."""
    corpus = read_corpus(systems, gold, read_relation_file, "relations")
    if responses and len(corpus.runs) > len(corpus.files):
        raise UsageError("--unit response takes one run of each system")
    counts = relation_counts(
        {name: file.relations for name, file in corpus.runs.items()},
        corpus.gold.relations,
        missing=missing,
        responses=responses,
        labels=labels_by_name(corpus.gold.documents),
    )
    notices = (*corpus.problems.notices(), *counts.notices)
    return averaged(replace(counts, notices=()), corpus.files, notices)


def relation_counts(
    systems: Mapping[str, Relations],
    gold: Relations,
    *,
    missing: str = "error",
    responses: bool = False,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Counts:
    """Return how many relations systems and gold have, and share: columns `sys gold match`.

    `missing` says what becomes of items that not all have: "error", "zero" (no relations there),
    or "drop". With `responses` every single relation is an item, labelled with the one it is from
    (`unit`) and with its kind (`relation`): the first part of it.

    >>> gold = {"s1": [("subj", "see", "cat"), ("obj", "see", "dog")]}
    >>> counts = relation_counts({"A": {"s1": [("subj", "see", "cat")]}}, gold)
    >>> counts.summed().tolist()
    [[1, 2, 1]]
    """
    notices = []
    known = dict.fromkeys(gold)
    if missing == "zero":
        known |= {item: None for relations in systems.values() for item in relations}
    if not known:
        raise DataError("there are no items with relations; give at least one")
    for name, relations in systems.items():
        extra = [item for item in relations if item not in known]
        if extra:
            notices.append(refuse_extra(name, extra, "the gold", missing, "item"))
    items, absent = common_items(list(known), systems, missing, "item")
    wanted = [Counter(gold.get(item, ())) for item in items]
    given = {
        name: [Counter(relations.get(item, ())) for item in items]
        for name, relations in systems.items()
    }
    if responses:
        counts = _by_response(items, wanted, given)
    else:
        place = {item: k for k, item in enumerate(gold)}
        chosen = {
            name: [texts[place[item]] if item in place else "" for item in items]
            for name, texts in (labels or {}).items()
        }
        counts = _by_item(items, wanted, given, chosen)
    return replace(counts, notices=(*notices, *absent, *_undefined(counts)))


def _undefined(counts: Counts) -> list[Notice]:
    """Return a notice where F is undefined: no relations on either side."""
    given, wanted, _ = counts.summed().T
    empty = tuple(np.array(counts.names)[given + wanted == 0].tolist())
    text = f"Neither the gold nor {listed(empty)} has any items: F is undefined, and shown as 0."
    return [Notice("no-items", text, empty)] if empty else []


_Counted: TypeAlias = Sequence[Counter[Hashable]]


def _by_item(
    items: list[str],
    wanted: _Counted,
    given: Mapping[str, _Counted],
    labels: Mapping[str, Sequence[str]],
) -> Counts:
    """Return the counts item by item."""
    arrays = {
        name: np.array(
            [
                (g.total(), w.total(), (g & w).total())
                for g, w in zip(relations, wanted, strict=True)
            ],
            np.int64,
        )
        for name, relations in given.items()
    }
    counts = Counts.from_arrays(arrays, COLUMNS, items, labels, kind="segment", form="counts")
    outputs = {name: tuple(map(_listed, relations)) for name, relations in given.items()}
    texts = ItemTexts(golds=tuple(map(_listed, wanted)), outputs=outputs)

    def view(at: int) -> ItemView:
        return _view(wanted[at], {name: relations[at] for name, relations in given.items()})

    return with_views(replace(counts, texts=texts), view)


def _by_response(items: list[str], wanted: _Counted, given: Mapping[str, _Counted]) -> Counts:
    """Return every relation as an item: given or not, wanted or not, copies apart."""
    units, kinds, texts = list[str](), list[str](), list[str]()
    rows: list[list[tuple[int, int, int]]] = []
    for item, key, *responses in zip(items, wanted, *given.values(), strict=True):
        for relation, copies in _union(key, responses).items():
            for copy in range(copies):
                units.append(item)
                kinds.append(_kind(relation))
                texts.append(_in_words(relation))
                in_gold = int(copy < key[relation])
                has = [int(copy < counter[relation]) for counter in responses]
                rows.append([(h, in_gold, h * in_gold) for h in has])
    if not rows:
        raise DataError("there are no responses: neither the gold nor a system has any items")
    values = np.array(rows, np.int64)
    ids = [f"{unit}/{k}" for k, unit in enumerate(units, 1)]
    counts = Counts.from_arrays(
        {name: values[:, k] for k, name in enumerate(given)},
        COLUMNS,
        ids,
        {"unit": units, "relation": kinds},
        kind="response",
        form="counts",
    )

    def where(there: Iterable[int]) -> tuple[str, ...]:
        return tuple(text if flag else "" for flag, text in zip(there, texts, strict=True))

    outputs = {name: where(values[:, k, 0]) for k, name in enumerate(given)}
    return replace(counts, texts=ItemTexts(golds=where(values[:, 0, 1]), outputs=outputs))


def _union(key: Counter[Hashable], others: Iterable[Counter[Hashable]]) -> Counter[Hashable]:
    """Return each relation with the most copies that anyone has, in order of appearance."""
    union = Counter(key)
    for other in others:
        union |= other
    return union


def _view(wanted: Counter[Hashable], given: Mapping[str, Counter[Hashable]]) -> ItemView:
    """Return relations one by one: what gold has, and what each system has of it and beyond it."""
    rows = []
    for relation, copies in _union(wanted, given.values()).items():
        text, number = _in_words(relation), wanted[relation]
        for copy in range(copies):
            cells = {
                system: (Piece(text, "right" if copy < number else "spurious"),)
                if copy < relations[relation]
                else (Piece("", "missing", "missing"),) * (copy < number)
                for system, relations in given.items()
            }
            rows.append(ViewRow("", (Piece(text),) * (copy < number), cells))
    return ItemView((ViewSection(tuple(rows), "Relations"),))


def _listed(counted: Counter[Hashable]) -> str:
    return "; ".join(map(_in_words, counted.elements()))


def _in_words(relation: Hashable) -> str:
    return " ".join(map(str, relation)) if isinstance(relation, tuple) else str(relation)


def _kind(relation: Hashable) -> str:
    return str(relation[0]) if isinstance(relation, tuple) and relation else str(relation)


def read(sources: Sources, _: NoOptions) -> Counts:
    """Return relations as counts, segment by segment or response by response."""
    if sources.item not in (None, "segment", "response"):
        raise UsageError(f"the items of relations are segments or responses, not {sources.item!r}")
    return read_relations(
        sources.systems,
        sources.gold,
        missing=sources.missing or "error",
        responses=sources.item == "response",
    )


def findings(systems: Sequence[str], gold: Sequence[str], _: NoOptions) -> list[Finding]:
    """Return the problems of files of relations, and the items that a file lacks."""
    return check_files(
        systems, gold, read_relation_file, lambda: read_relations(systems, gold).notices
    )
