"""Files of relations: JSONL, TSV, or CoNLL-U trees."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tellapart.files import open_text, shown
from tellapart.formats.json_text import parse_json
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.words import several

_FIELDS: Final = 10  # of a CoNLL-U line
_SHAPE: Final = '{"unit": …, "relations": [[…], …]}'
_WORD: Final = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_NO_WORD: Final = re.compile(r"[1-9]\d*-[1-9]\d*|\d+\.[1-9]\d*", re.ASCII)
"""Indices of tokens of several words, and of words that are not in the text"""
_NUMBER: Final = re.compile(r"\d+", re.ASCII)
_CATEGORY: Final = re.compile(r"[A-Z]+|_")
_RELATION: Final = re.compile(r"[a-z]+(:[a-z_]+)*")


@dataclass(slots=True)
class RelationFile:
    """The relations of one file by item, and what else it says of items."""

    path: str
    relations: dict[str, list[Hashable]] = field(default_factory=dict)
    labels: list[dict[str, str]] = field(default_factory=list)


def read_file(path: str | Path, problems: Findings | None = None) -> RelationFile:
    """Return the relations of a file in any of the formats.

    What `problems` lets pass is left out.
    """
    problems = problems or Findings(strict=True)
    with open_text(path) as stream:
        lines = [line.removesuffix("\r") for line in stream.read().split("\n")]
    first = next((line for line in lines if line.strip()), None)
    file = RelationFile(str(path))
    if first is None:
        problems.complain(
            f"{shown(path)}: the file is empty; give the relations of one item a line"
        )
    elif first.lstrip().startswith("{"):
        _read_jsonl(file, lines, problems)
    elif is_conllu(lines):
        _read_conllu(file, lines, problems)
    else:
        _read_tsv(file, lines, problems)
    return file


def _add(file: RelationFile, item: str, relations: list[Hashable]) -> str | None:
    """Add an item; return the problem if it cannot be added."""
    if item in file.relations:
        return f"item {item!r} appears twice"
    file.relations[item] = relations
    return None


def _read_jsonl(file: RelationFile, lines: Sequence[str], problems: Findings) -> None:
    """Read objects {"unit": …, "relations": [[…], …]}; other plain values are labels."""
    places: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{shown(file.path)}:{number}"
        with problems.of_file():
            row = parse_json(line, place, f"give {_SHAPE}")
            problem = _read_row(file, row)
            if problem is not None:
                problems.complain(f"{place}: {problem}")
                continue
            places.append(place)
            if "relations" not in row:
                problems.warn(f'{place}: there is no "relations"; the item was taken to have none')
            for part in filter(_is_odd, row.get("relations") or ()):
                problems.warn(
                    f"{place}: the relation {json.dumps(part)[:60]!r} has parts that are neither "
                    "texts nor whole numbers; it was taken as it is written"
                )
    labels = [(place, each.keys()) for place, each in zip(places, file.labels, strict=True)]
    warn_of_lacking(labels, "label", problems)


def _read_row(file: RelationFile, row: Any) -> str | None:
    """Read one object; return what is wrong with it, if anything is."""
    unit = row.get("unit") if isinstance(row, dict) else None
    if not isinstance(unit, str | int) or isinstance(unit, bool) or not str(unit).strip():
        return f'no "unit"; give {_SHAPE}'
    if not all(map(str.strip, row)):
        return f"a key is empty; give {_SHAPE}"
    relations = row.get("relations")
    if not isinstance(relations, list | None):
        return f'"relations" is no list; give {_SHAPE}'
    lists = [key for key, value in row.items() if isinstance(value, list) and key != "relations"]
    if "relations" not in row and lists:
        return f'no "relations", but a list {lists[0]!r}; give {_SHAPE}'
    if relations and [] in relations:
        return f"relation {relations.index([]) + 1} is empty; give {_SHAPE}"
    problem = _add(file, str(unit), [_frozen(each) for each in relations or ()])
    if problem is None:
        rest = {k: v for k, v in row.items() if k not in ("unit", "relations")}
        file.labels.append(
            {
                k: v if isinstance(v, str) else json.dumps(v)
                for k, v in rest.items()
                if isinstance(v, str | int | float)
            }
        )
    return problem


def _is_odd(relation: Any) -> bool:
    parts = relation if isinstance(relation, list) else [relation]
    return any(isinstance(part, bool) or not isinstance(part, str | int) for part in parts)


def _frozen(relation: Any) -> Hashable:
    """Return a relation as a tuple of texts, equal to the same one in another format."""
    parts = relation if isinstance(relation, list) else [relation]
    return tuple(
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, sort_keys=True)
        for part in parts
    )


def _read_tsv(file: RelationFile, lines: Sequence[str], problems: Findings) -> None:
    """Read lines `item, relation…`, tab separated; an item alone has no relation."""
    usual = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{shown(file.path)}:{number}"
        item, *relation = (part.strip() for part in line.split("\t"))
        if not item or "" in relation:
            what = "item" if not item else f"field {relation.index('') + 2}"
            problems.complain(f"{place}: the {what} is empty; give item and relation, with tabs")
            continue
        relations = file.relations.setdefault(item, [])
        if relation:
            usual = usual or len(relation)
            relations.append(tuple(relation))
            if len(relation) != usual:
                problems.warn(
                    f"{place}: the relation has {several(len(relation), 'field')}, the first one "
                    f"of the file has {usual}; it was taken as it stands"
                )
        elif " " in item:
            problems.warn(
                f"{place}: there is no tab in the line; {item[:40]!r} was taken for an item "
                "without relations"
            )


def is_conllu(lines: Sequence[str]) -> bool:
    """Return whether these are trees in CoNLL-U: ten fields, the first a number.

    Where the first line is not one of a tree, some later one must be so beyond doubt.
    """
    rows = (line.split("\t") for line in lines if line.strip() and not line.startswith("#"))
    first = next(rows, [""])
    if len(first) == _FIELDS and first[0].split("-")[0].split(".")[0].isdigit():
        return True
    return any(map(_is_word, rows))


def _is_word(fields: Sequence[str]) -> bool:
    return (
        len(fields) == _FIELDS
        and _WORD.fullmatch(fields[0]) is not None
        and _CATEGORY.fullmatch(fields[3]) is not None
        and _NUMBER.fullmatch(fields[6]) is not None
        and _RELATION.fullmatch(fields[7]) is not None
    )


@dataclass(slots=True)
class _Sentence:
    """The lines of one sentence of a CoNLL-U file, with their numbers."""

    start: int
    comments: list[str] = field(default_factory=list)
    words: list[tuple[int, list[str]]] = field(default_factory=list)

    @property
    def id(self) -> str | None:
        """What a comment calls it."""
        for comment in self.comments:
            key, _, value = comment.lstrip("# ").partition("=")
            if key.strip() == "sent_id":
                return value.strip() or None
        return None


def _read_conllu(file: RelationFile, lines: Sequence[str], problems: Findings) -> None:
    """Read trees: every word gives (relation, form of its head, its own form)."""
    for number, sentence in enumerate(_sentences(lines), 1):
        wrong = list(_wrong_words(sentence))
        for problem in wrong:
            problems.complain(f"{shown(file.path)}:{problem}")
        words = [word for _, word in sentence.words if _WORD.fullmatch(word[0])]
        forms = {"0": "ROOT", **{word[0]: word[1] for word in words if len(word) == _FIELDS}}
        relations: list[Hashable] = [] if wrong else [(w[7], forms[w[6]], w[1]) for w in words]
        twice = _add(file, sentence.id or str(number), relations)
        if twice is not None:
            problems.complain(f"{shown(file.path)}:{sentence.start}: {twice}")


def _wrong_words(sentence: _Sentence) -> Iterator[str]:
    """Yield what is no word of a tree, by its line; the shared tasks' scorer refuses it as well."""
    wrong = False
    due = 1
    for line, word in sentence.words:
        problem = _wrong_index(word, due)
        if problem is not None:
            wrong = True
            yield f"{line}: {problem}"
        due += not _NO_WORD.fullmatch(word[0])
    indices = {str(k) for k in range(due)}
    for line, word in sentence.words:
        if not wrong and _WORD.fullmatch(word[0]) and word[6] not in indices:
            yield (
                f"{line}: the head of {word[1]!r} is {word[6]!r}, no word of the sentence; give "
                "the index of one, or 0"
            )


def _wrong_index(word: Sequence[str], due: int) -> str | None:
    """Return what is wrong with the fields or the index of a word, if anything is."""
    if len(word) != _FIELDS:
        return f"{' '.join(word)[:40]!r} has {several(len(word), 'field')}; give ten, with tabs"
    if "" in map(str.strip, word):
        place = [field.strip() for field in word].index("") + 1
        return f"field {place} of {' '.join(word)[:40]!r} is empty; write _ for what is not known"
    if not _WORD.fullmatch(word[0]) and not _NO_WORD.fullmatch(word[0]):
        return (
            f"{word[0]!r} is no index of a word; write 1, 2, …, or 2-3 for a token of several "
            "words and 2.1 for a word that is not in the text"
        )
    if _WORD.fullmatch(word[0]) and int(word[0]) != due:
        return (
            f"the index of {word[1]!r} is {word[0]}, and {due} is due; number the words of a "
            "sentence from 1, and end it by a blank line"
        )
    return None


def _sentences(lines: Sequence[str]) -> Iterator[_Sentence]:
    """Yield the sentences of a CoNLL-U file; comments that name none are not one."""
    sentence = _Sentence(1)
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("#"):
            sentence.comments.append(line)
        elif line.strip():
            sentence.words.append((number, line.split("\t")))
        else:
            if sentence.words or sentence.id is not None:
                yield sentence
            sentence = _Sentence(number + 1)
