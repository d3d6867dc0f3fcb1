"""Files of relations: JSONL, TSV, or CoNLL-U trees."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.annotation.formats import CONLLU_FIELDS, is_conllu
from tellapart.formats.annotation.model import Document
from tellapart.formats.problems import Findings
from tellapart.formats.records import as_object, parse_json
from tellapart.words import several

_SHAPE: Final = '{"unit": …, "relations": [[…], …]}'
_WORD: Final = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_NO_WORD: Final = re.compile(r"[1-9]\d*-[1-9]\d*|\d+\.[1-9]\d*", re.ASCII)
"""Indices of tokens of several words, and of words that are not in the text"""


@dataclass(slots=True)
class RelationFile:
    """The relations of one file by item, and its items with their labels."""

    path: str
    relations: dict[str, list[Hashable]] = field(default_factory=dict)
    documents: list[Document[Any]] = field(default_factory=list)

    def add(
        self, item: str, relations: list[Hashable], place: str, labels: dict[str, str] | None = None
    ) -> None:
        """Add an item, which must be new."""
        if item in self.relations:
            raise DataError(f"{place}: item {item!r} appears twice; give each its own id")
        self.relations[item] = relations
        self.documents.append(Document(item, labels=labels or {}, place=place))


def read_relation_file(path: str, problems: Findings) -> RelationFile:
    """Return the relations of a file of any kind; what `problems` lets pass is left out."""
    file = RelationFile(shown(path))
    with open_text(path) as stream:
        lines = [line.removesuffix("\r") for line in stream.read().split("\n")]
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise DataError(f"{file.path}: the file is empty; give the relations of one item a line")
    if first.lstrip().startswith("{"):
        for number, line in enumerate(lines, 1):
            place = f"{file.path}:{number}"
            with problems.of_file():
                if line.strip():
                    _add_row(
                        file, as_object(parse_json(line, place, f"give {_SHAPE}"), place), place
                    )
    elif is_conllu(lines):
        _read_conllu(file, lines, problems)
    elif not any("\t" in line for line in lines):
        raise DataError(f"{file.path}:1: there is no tab between item and relation; give one")
    else:
        _read_tsv(file, lines, problems)
    return file


def _add_row(file: RelationFile, row: dict[str, Any], place: str) -> None:
    """Read an object {"unit": …, "relations": [[…], …]}; other plain values are labels."""
    unit, relations = row.get("unit"), row.get("relations")
    if not isinstance(unit, str | int) or isinstance(unit, bool) or not str(unit).strip():
        raise DataError(f'{place}: no "unit"; give {_SHAPE}')
    if not isinstance(relations, list | None):
        raise DataError(f'{place}: "relations" is no list; give {_SHAPE}')
    other = next((key for key, value in row.items() if isinstance(value, list)), "relations")
    if relations is None and other != "relations":
        raise DataError(f'{place}: no "relations", but a list {other!r}; give {_SHAPE}')
    if relations and [] in relations:
        raise DataError(f"{place}: relation {relations.index([]) + 1} is empty; give {_SHAPE}")
    labels = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in row.items()
        if key not in ("unit", "relations") and isinstance(value, str | int | float)
    }
    file.add(str(unit), [_frozen(each) for each in relations or ()], place, labels)


def _frozen(relation: Any) -> Hashable:
    """Return a relation as a tuple of texts, equal to the same one in another format."""
    parts = relation if isinstance(relation, list) else [relation]
    return tuple(
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, sort_keys=True)
        for part in parts
    )


def _read_tsv(file: RelationFile, lines: Sequence[str], problems: Findings) -> None:
    """Read lines `item, relation…`, tab separated; an item alone has no relation."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{file.path}:{number}"
        item, *relation = (part.strip() for part in line.split("\t"))
        if not item or "" in relation:
            what = "item" if not item else f"field {relation.index('') + 2}"
            problems.complain(f"{place}: the {what} is empty; give item and relation, with tabs")
            continue
        if item not in file.relations:
            file.add(item, [], place)
        if relation:
            file.relations[item].append(tuple(relation))
        elif " " in item:
            problems.warn(
                f"{place}: there is no tab in the line; {item[:40]!r} was taken for an item "
                "without relations"
            )


def _read_conllu(file: RelationFile, lines: Sequence[str], problems: Findings) -> None:
    """Read trees: every word gives (relation, form of its head, its own form)."""
    for number, (start, sentence) in enumerate(_sentences(lines), 1):
        item, rows = str(number), list[tuple[int, list[str]]]()
        for at, line in enumerate(sentence, start):
            key, _, value = line.lstrip("# ").partition("=")
            if not line.startswith("#"):
                rows.append((at, line.split("\t")))
            elif key.strip() == "sent_id" and value.strip():
                item = value.strip()
        wrong = [f"{file.path}:{at}: {problem}" for at, problem in _wrong_rows(rows)]
        for problem in wrong:
            problems.complain(problem)
        words = [row for _, row in rows if _WORD.fullmatch(row[0])]
        forms = {"0": "ROOT"} | {word[0]: word[1] for word in words if not wrong}
        with problems.of_file():
            relations: list[Hashable] = [] if wrong else [(w[7], forms[w[6]], w[1]) for w in words]
            file.add(item, relations, f"{file.path}:{start}")


def _sentences(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each sentence and the number of its first; comments alone are none."""
    start, sentence = 1, list[str]()
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            sentence.append(line)
            continue
        if any(not line.startswith("#") or "sent_id" in line for line in sentence):
            yield start, sentence
        start, sentence = number + 1, []


def _wrong_rows(rows: Sequence[tuple[int, list[str]]]) -> Iterator[tuple[int, str]]:
    """Yield what is no word of a tree, by its line; the shared tasks' scorer refuses it as well."""
    indices = {"0"}
    for line, row in rows:
        if len(row) != CONLLU_FIELDS:
            given = f"{' '.join(row)[:40]!r} has {several(len(row), 'field')}"
            yield line, f"{given}; give ten, with tabs"
        elif not _WORD.fullmatch(row[0]) and not _NO_WORD.fullmatch(row[0]):
            remedy = "write 1, 2, …, or 2-3 for a token of several words and 2.1 for an empty node"
            yield line, f"{row[0]!r} is no index of a word; {remedy}"
        elif row[0] in indices:
            yield line, f"there are two words {row[0]} in the sentence; end it by a blank line"
        indices.add(row[0])
    for line, row in rows:
        if len(row) == CONLLU_FIELDS and _WORD.fullmatch(row[0]) and row[6] not in indices:
            head = f"the head of {row[1]!r} is {row[6]!r}, no word of the sentence"
            yield line, f"{head}; give the index of one, or 0"
