"""F over relations, or any sets: what a system's parse has in common with the reference's.

Files are JSON lines or CoNLL-U trees. Per item: the relations of the system, those of the gold, and
how many they share, copies counted. With responses as items, what exactly one of two systems gave
is exchanged (Yeh 2000).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import DataError, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.annotation.formats import CONLLU_FIELDS, is_conllu
from tellapart.formats.annotation.model import (
    Document,
    common_items,
    labels_by_name,
    read_corpus,
    refuse_extra,
)
from tellapart.formats.contract import Sources
from tellapart.formats.head import read_head
from tellapart.formats.logs.log import scalar_labels
from tellapart.formats.problems import Findings
from tellapart.formats.records import json_lines
from tellapart.metrics.runs import averaged
from tellapart.options import NoOptions
from tellapart.words import several

Relations: TypeAlias = Mapping[str, Iterable[Hashable]]
"""Item → its relations; none for an item that was not parsed, or has none"""

COLUMNS: Final = ("sys", "gold", "match")


def relation_counts(
    systems: Mapping[str, Relations],
    gold: Relations,
    *,
    missing: str = "error",
    responses: bool = False,
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
        raise DataError("the gold has no items; check the file")
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
    counts = (_by_response if responses else _by_item)(items, wanted, given)
    return replace(counts, notices=(*notices, *absent))


_Counted: TypeAlias = Sequence[Counter[Hashable]]


def _by_item(items: list[str], wanted: _Counted, given: Mapping[str, _Counted]) -> Counts:
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
    counts = Counts.from_arrays(arrays, COLUMNS, items, kind="segment", form="counts")
    outputs = {name: tuple(map(_listed, relations)) for name, relations in given.items()}
    texts = ItemTexts(golds=tuple(map(_listed, wanted)), outputs=outputs)
    places = {item: k for k, item in enumerate(items)}

    def view(item: str) -> ItemView:
        at, rows = places[item], []
        for relation, in_gold, there in _apart(wanted[at], [own[at] for own in given.values()]):
            text = _in_words(relation)
            cells = {
                name: (Piece(text, _MARKS[has, in_gold]),)
                for name, has in zip(given, there, strict=True)
                if has or in_gold
            }
            rows.append(ViewRow(_kind(relation), (Piece(text),) * in_gold, cells))
        return ItemView((ViewSection(tuple(rows), "Relations"),))

    return replace(counts, texts=texts, views=view)


_MARKS: Final = {(True, True): "right", (True, False): "spurious", (False, True): "missing"}
"""How a relation is judged, by whether a system and gold have it"""


def _by_response(items: list[str], wanted: _Counted, given: Mapping[str, _Counted]) -> Counts:
    """Return every relation as an item: given or not, wanted or not, copies apart."""
    units, kinds, texts = list[str](), list[str](), list[str]()
    rows: list[list[tuple[bool, bool, bool]]] = []
    for item, key, *responses in zip(items, wanted, *given.values(), strict=True):
        for relation, in_gold, there in _apart(key, responses):
            units.append(item)
            kinds.append(_kind(relation))
            texts.append(_in_words(relation))
            rows.append([(has, in_gold, has and in_gold) for has in there])
    if not rows:
        raise DataError("neither the gold nor a system has relations; check the files")
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


def _apart(
    key: Counter[Hashable], others: Sequence[Counter[Hashable]]
) -> Iterator[tuple[Hashable, bool, list[bool]]]:
    """Yield each relation that anyone has, copies apart: whether gold and each other have it."""
    for relation in dict.fromkeys(chain(key, *others)):
        for copy in range(max(counter[relation] for counter in (key, *others))):
            yield relation, copy < key[relation], [copy < own[relation] for own in others]


def _listed(counted: Counter[Hashable]) -> str:
    return "; ".join(map(_in_words, counted.elements()))


def _in_words(relation: Hashable) -> str:
    return " ".join(map(str, relation)) if isinstance(relation, tuple) else str(relation)


def _kind(relation: Hashable) -> str:
    return str(relation[0]) if isinstance(relation, tuple) and relation else str(relation)


def read(sources: Sources, _: NoOptions) -> Counts:
    """Return relations as counts, segment by segment or response by response.

    Runs of a system are averaged; what the gold says of a segment are its labels.
    """
    responses = sources.item == "response"
    corpus = read_corpus(sources, read_relation_file, "relations")
    if responses and len(corpus.runs) > len(corpus.files):
        raise UsageError("--unit response takes one run of each system")
    counts = relation_counts(
        {name: file.relations for name, file in corpus.runs.items()},
        corpus.gold.relations,
        missing=sources.missing or "error",
        responses=responses,
    )
    if not responses:
        known = corpus.gold.labels
        segments: list[Document[Any]] = [
            Document(item, labels=known.get(item, {})) for item in counts.items
        ]
        counts = replace(counts, labels=labels_by_name(segments))
    notices = (*corpus.problems.notices(), *counts.notices)
    return averaged(replace(counts, notices=()), corpus.files, notices)


# Files

_SHAPE: Final = '{"unit": …, "relations": [[…], …]}'
_WORD: Final = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_NO_WORD: Final = re.compile(r"[1-9]\d*-[1-9]\d*|\d+\.[1-9]\d*", re.ASCII)
"""Indices of tokens of several words, and of words that are not in the text"""
_SENTENCE_ID: Final = re.compile(r"#\s*sent_id\s*=\s*(.*\S)\s*")


@dataclass(slots=True)
class RelationFile:
    """The relations and the labels of one file by item."""

    path: str
    relations: dict[str, list[Hashable]] = field(default_factory=dict)
    labels: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def add(
        self, item: str, relations: list[Hashable], place: str, labels: Mapping[str, str]
    ) -> None:
        """Add an item, which must be new."""
        if item in self.relations:
            raise DataError(f"{place}: item {item!r} appears twice; give each its own id")
        self.relations[item] = relations
        self.labels[item] = labels


def read_relation_file(path: str, problems: Findings) -> RelationFile:
    """Return the relations of a file; what `problems` lets pass is left out."""
    file = RelationFile(shown(path))
    head = read_head(path)
    if is_conllu(head.lines):
        with open_text(path) as stream:
            _read_conllu(file, stream, problems)
    elif head.kind == "json":
        for place, row in json_lines(path, problems):
            with problems.of_file():
                _add_row(file, row, place)
    else:
        raise DataError(f"{file.path}: these are no relations; give {_SHAPE} a line, or CoNLL-U")
    return file


def _add_row(file: RelationFile, row: dict[str, Any], place: str) -> None:
    """Read an object {"unit": …, "relations": [[…], …]}; other plain values are labels."""
    unit, relations = row.get("unit"), row.get("relations")
    if not isinstance(unit, str | int) or isinstance(unit, bool) or not str(unit).strip():
        raise DataError(f'{place}: no "unit"; give {_SHAPE}')
    if not isinstance(relations, list) or [] in relations:
        raise DataError(f'{place}: no list "relations", or one of them is empty; give {_SHAPE}')
    others = {key: value for key, value in row.items() if key not in ("unit", "relations")}
    file.add(str(unit), list(map(_frozen, relations)), place, scalar_labels(others, "label"))


def _frozen(relation: Any) -> Hashable:
    """Return a relation as a tuple of texts, equal to the same one in another format."""
    parts = relation if isinstance(relation, list) else [relation]
    return tuple(
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, sort_keys=True)
        for part in parts
    )


def _read_conllu(file: RelationFile, lines: Iterable[str], problems: Findings) -> None:
    """Read trees: every word gives (relation, form of its head, its own form)."""
    start, item, rows = 1, "", list[tuple[str, list[str]]]()
    for number, raw in enumerate(chain(lines, [""]), 1):
        line = raw.rstrip("\r\n")
        if comment := _SENTENCE_ID.fullmatch(line):
            item = comment[1]
        elif line.strip() and not line.startswith("#"):
            rows.append((f"{file.path}:{number}", line.split("\t")))
        elif not line.strip():
            if rows or item:
                with problems.of_file():
                    named = item or str(len(file.relations) + 1)
                    file.add(named, _tree(rows), f"{file.path}:{start}", {})
            start, item, rows = number + 1, "", []


def _tree(rows: Sequence[tuple[str, list[str]]]) -> list[Hashable]:
    """Return the relations of a tree; the shared tasks' scorer refuses the same trees."""
    forms, words = {"0": "ROOT"}, list[tuple[str, list[str]]]()
    for place, row in rows:
        if len(row) != CONLLU_FIELDS:
            raise DataError(f"{place}: {several(len(row), 'field')}; CoNLL-U has ten, with tabs")
        if _NO_WORD.fullmatch(row[0]):
            continue
        if not _WORD.fullmatch(row[0]) or row[0] in forms:
            raise DataError(f"{place}: {row[0]!r} is no new index of a word; write 1, 2, …")
        forms[row[0]] = row[1]
        words.append((place, row))
    for place, row in words:
        if row[6] not in forms:
            raise DataError(
                f"{place}: the head of {row[1]!r} is {row[6]!r}; give a word of the sentence, or 0"
            )
    return [(row[7], forms[row[6]], row[1]) for _, row in words]
