"""Reading relations: JSONL, TSV, or CoNLL-U trees."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.files import open_text, shown
from tellapart.formats.complaints import Complain, refuse, why_no_json
from tellapart.formats.relations.relations import item_counts
from tellapart.formats.runs import average_runs
from tellapart.formats.sources import default_name, parse_source

_FIELDS = 10  # of a CoNLL-U line


@dataclass(slots=True)
class RelationFile:
    """The items of one file by item, and what else it says of items."""

    path: str
    relations: dict[str, list[Hashable]] = field(default_factory=dict)
    labels: list[dict[str, str]] = field(default_factory=list)


def read_relations(
    systems: Sequence[str | Path],
    gold: Sequence[str | Path],
    *,
    missing: str = "error",
    responses: bool = False,
) -> Counts:
    """Read the relations of systems and gold as counts; several runs of a system are averaged."""
    if len(gold) != 1:
        raise UsageError(f"relations need one file of gold relations (--gold), not {len(gold)}")
    wanted = read_file(gold[0])
    runs: dict[str, list[RelationFile]] = {}
    for text in systems:
        source = parse_source(text)
        name = source.name or default_name(source.paths[0])
        if name in runs:
            raise DataError(f"two systems are called {name!r}; tell them apart with NAME=path")
        runs[name] = [read_file(path) for path in source.paths]
    every = {
        f"{name} {k}" if len(files) > 1 else name: file.relations
        for name, files in runs.items()
        for k, file in enumerate(files, 1)
    }
    if responses and len(every) > len(runs):
        raise UsageError("--unit response takes one run of each system")
    counts = item_counts(
        every, wanted.relations, missing=missing, responses=responses, labels=_labels(wanted)
    )
    if len(every) == len(runs):
        return counts
    rest = iter(counts.names)
    return average_runs(
        {name: [counts.systems[(next(rest),)] for _ in files] for name, files in runs.items()}
    )


def _labels(file: RelationFile) -> dict[str, list[str]]:
    """Return the labels that every item has."""
    if not file.labels:
        return {}
    names = [name for name in file.labels[0] if all(name in each for each in file.labels)]
    return {name: [each[name] for each in file.labels] for name in names}


def read_file(path: str | Path, *, complain: Complain = refuse) -> RelationFile:
    """Read one file; its content says the format. What `complain` lets pass is left out."""
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
    """Add an item, or say why it cannot be added."""
    if item in file.relations:
        return f"item {item!r} is there twice"
    file.relations[item] = relations
    return None


def _read_jsonl(file: RelationFile, lines: Sequence[str], complain: Complain) -> None:
    """Read objects {"item": …, "relations": [[…], …]}; other plain values are labels."""
    for number, line in enumerate(lines, 1):
        problem = _read_row(file, line) if line.strip() else None
        if problem is not None:
            complain(f"{shown(file.path)}:{number}: {problem}")


def _read_row(file: RelationFile, line: str) -> str | None:
    """Read one object, or say what is wrong with it."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return f"this is not JSON ({why_no_json(error)}); give {_SHAPE}"
    if not isinstance(row, dict) or not isinstance(row.get("unit"), str | int):
        return f'no "item"; give {_SHAPE}'
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


_SHAPE = '{"unit": …, "relations": [[…], …]}'


def _frozen(relation: Any) -> Hashable:
    """Make a relation comparable with the same one in another format; items may be anything."""
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
    """Tell trees in CoNLL-U: ten fields, the first a number."""
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
    """Give the sentences of a CoNLL-U file with the number of their first line."""
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
