"""Files of relations: JSONL, TSV, or CoNLL-U trees."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tellapart.files import open_text, shown
from tellapart.formats.json_text import JsonError, parse_json
from tellapart.formats.problems import Complain, refuse

_FIELDS: Final = 10  # of a CoNLL-U line
_SHAPE: Final = '{"unit": …, "relations": [[…], …]}'


@dataclass(slots=True)
class RelationFile:
    """The relations of one file by item, and what else it says of items."""

    path: str
    relations: dict[str, list[Hashable]] = field(default_factory=dict)
    labels: list[dict[str, str]] = field(default_factory=list)


def read_file(path: str | Path, *, complain: Complain = refuse) -> RelationFile:
    """Return the relations of a file in any of the formats.

    What `complain` lets pass is left out.
    """
    with open_text(path) as stream:
        lines = [line.removesuffix("\r") for line in stream.read().split("\n")]
    first = next((line for line in lines if line.strip()), None)
    file = RelationFile(str(path))
    if first is None:
        complain(f"{shown(path)}: the file is empty; give the relations of one item a line")
        return file
    if first.lstrip().startswith("{"):
        _read_jsonl(file, lines, complain)
    elif is_conllu(lines):
        _read_conllu(file, lines, complain)
    else:
        _read_tsv(file, lines)
    return file


def _add(file: RelationFile, item: str, relations: list[Hashable]) -> str | None:
    """Add an item; return the problem if it cannot be added."""
    if item in file.relations:
        return f"item {item!r} is there twice"
    file.relations[item] = relations
    return None


def _read_jsonl(file: RelationFile, lines: Sequence[str], complain: Complain) -> None:
    """Read objects {"unit": …, "relations": [[…], …]}; other plain values are labels."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{shown(file.path)}:{number}"
        try:
            problem = _read_row(file, parse_json(line, place, f"give {_SHAPE}"))
        except JsonError as error:
            complain(str(error))
            continue
        if problem is not None:
            complain(f"{place}: {problem}")


def _read_row(file: RelationFile, row: Any) -> str | None:
    """Read one object; return what is wrong with it, if anything is."""
    if not isinstance(row, dict) or not isinstance(row.get("unit"), str | int):
        return f'no "unit"; give {_SHAPE}'
    relations = row.get("relations")
    if not isinstance(relations, list | None):
        return f'"relations" is no list; give {_SHAPE}'
    problem = _add(file, str(row["unit"]), [_frozen(each) for each in relations or ()])
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


def _frozen(relation: Any) -> Hashable:
    """Return a relation as a tuple of texts, equal to the same one in another format."""
    parts = relation if isinstance(relation, list) else [relation]
    return tuple(
        part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, sort_keys=True)
        for part in parts
    )


def _read_tsv(file: RelationFile, lines: Sequence[str]) -> None:
    """Read lines `item, relation…`, tab separated; an item alone has no relation."""
    for line in lines:
        if not line.strip():
            continue
        item, *relation = line.split("\t")
        relations = file.relations.setdefault(item.strip(), [])
        if relation:
            relations.append(tuple(part.strip() for part in relation))


def is_conllu(lines: Sequence[str]) -> bool:
    """Return whether these are trees in CoNLL-U: ten fields, the first a number."""
    for line in lines:
        if line and not line.startswith("#"):
            fields = line.split("\t")
            return len(fields) == _FIELDS and fields[0].split("-")[0].split(".")[0].isdigit()
    return False


def _read_conllu(file: RelationFile, lines: Sequence[str], complain: Complain) -> None:
    """Read trees: every word gives (relation, form of its head, its own form)."""
    for number, (start, comments, words) in enumerate(_sentences(lines), 1):
        item = next((c.partition("=")[2].strip() for c in comments if _is_id(c)), str(number))
        forms = {"0": "ROOT", **{word[0]: word[1] for word in words if word[0].isdigit()}}
        relations: list[Hashable] = []
        problem = None
        for word in words:
            if len(word) != _FIELDS or (word[0].isdigit() and word[6] not in forms):
                problem = (
                    f"in this sentence {' '.join(word)[:40]!r} is no CoNLL-U word whose head is "
                    "there; give ten fields, tab separated"
                )
                break
            if word[0].isdigit():
                relations.append((word[7], forms[word[6]], word[1]))
        problem = problem or _add(file, item, relations)
        if problem is not None:
            complain(f"{shown(file.path)}:{start}: {problem}")


def _is_id(comment: str) -> bool:
    return comment.lstrip("# ").partition("=")[0].strip() == "sent_id"


def _sentences(lines: Sequence[str]) -> Iterator[tuple[int, list[str], list[list[str]]]]:
    """Yield the sentences of a CoNLL-U file with the number of their first line."""
    start, comments, words = 1, list[str](), list[list[str]]()
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("#"):
            comments.append(line)
        elif line.strip():
            words.append(line.split("\t"))
        else:
            if words or comments:
                yield start, comments, words
            start, comments, words = number + 1, [], []
