"""Targets for tables of counts and of scores: CSV, TSV, JSONL, Parquet; wide and long."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .damage import KEYED
from .soundness import NUMBER, NotSoundError, json_rows, parsed, shape, table
from .target import Container, File, Sound, Target

SYSTEMS = ("alder", "birch")
NAME = r'(?!\s*")[^,\t\n]*[^,\t\s][^,\t\n]*'
"""The name of an item, a label or a system: anything that needs no quotes"""


VALUE = rf"(?i:{NUMBER}|true|false)"
"""What a system did on an item: true and false are 1 and 0"""


def table_targets() -> Iterator[Target]:
    """Yield the targets of the formats `counts` and `items`."""
    rng = Random(5)
    items = [(f"i{k:02}", f"doc{k // 3}") for k in range(12)]
    scores = {name: [round(rng.random(), 2) for _ in items] for name in SYSTEMS}
    lines = ["item,doc,alder,birch"]
    lines += [f"{item},{doc},{scores['alder'][k]},{scores['birch'][k]}"
              for k, (item, doc) in enumerate(items)]  # fmt: skip
    wide = table(",", f"(?i:item),{NAME},{NAME},{NAME}", NAME, NAME, VALUE, VALUE)
    yield _target("table-wide", "items", File("wide.csv", _text(lines), wide))

    rows: list[dict[str, Any]] = [
        {"system": name, "item": item, "doc": doc, "score": scores[name][k]}
        for name in SYSTEMS
        for k, (item, doc) in enumerate(items)
    ]
    rng.shuffle(rows)
    lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
    long = table(
        "\t", f"(?i:system\titem)\t{NAME}\t(?i:score)", NAME, NAME, NAME, VALUE, unique=(0, 1)
    )
    yield _target("table-long", "items", File("long.tsv", _text(lines), long))

    jsonl = "".join(json.dumps(row) + "\n" for row in rows).encode()
    same = json_rows(unique=lambda row: (row["system"], row["item"]), plain=_with_number)
    yield _target("table-jsonl", "items", File("long.jsonl", jsonl, same, KEYED))

    array = json.dumps(rows).encode()
    yield _target("table-json", "items", File("long.json", array, _sound_array(same), KEYED))

    packed = Container(lambda data: {"rows": _unpack(data)}, _pack)
    data = _pack({"rows": jsonl})
    assert data is not None
    file = File("long.parquet", data, _sound_parquet, KEYED, packed)
    yield _target("table-parquet", "items", file)

    lines = ["system,item,tp,fp,fn"]
    lines += [f"{name},{item},{rng.randint(0, 4)},{rng.randint(0, 2)},{rng.randint(0, 2)}"
              for name in SYSTEMS for item, _ in items]  # fmt: skip
    # Counts may be credits, too: halves and the like.
    counts = table(",", "(?i:system,item,tp,fp,fn)", NAME, NAME, VALUE, VALUE, VALUE, unique=(0, 1))
    yield _target("table-counts", "counts", File("counts.csv", _text(lines), counts))

    lines = ["item,event", *(f"{item},e{k // 2}" for k, (item, _) in enumerate(items))]
    # A row that appears twice says nothing new, and the first column may have any name.
    labels = table(",", f"{NAME},{NAME}", NAME, f"(?:{NAME})?", unique=())
    scored = _text(["item,alder,birch", *(f"{item},{k % 3 // 2},{k % 2}"
                                          for k, (item, _) in enumerate(items))])  # fmt: skip
    yield Target(
        "item-labels",
        "items",
        (File("scores.csv", scored, fixed=True), File("labels.csv", _text(lines), labels)),
        ("scores.csv", "--item-labels", "labels.csv"),
        verbs=("compare",),
    )


def _sound_array(lines: Sound) -> Sound:
    """Return a check of a JSON array: its elements, a line each, are sound lines."""

    def sound(data: bytes, original: bytes) -> bool:
        try:
            found, known = (parsed(each.decode()) for each in (data, original))
            return isinstance(found, list) and lines(*map(_in_lines, (found, known)))
        except (NotSoundError, ValueError):
            return False

    return sound


def _in_lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _with_number(row: Any) -> Any:
    """Return a row whose score is no text, if it is one that spells a number."""
    text = row.get("score") if isinstance(row, dict) else None
    return {**row, "score": 0} if isinstance(text, str) and re.fullmatch(VALUE, text) else row


def _text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _target(name: str, form: str, file: File) -> Target:
    return Target(name, form, (file,), (file.name,), (file.name,))


def _unpack(data: bytes) -> bytes:
    rows = pq.read_table(io.BytesIO(data)).to_pylist()
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _pack(members: Mapping[str, bytes]) -> bytes | None:
    stream = io.BytesIO()
    try:
        rows = [parsed(line) for line in members["rows"].decode().split("\n") if line.strip()]
        # Not compressed, so that damage of the file reaches its texts and numbers.
        pq.write_table(pa.Table.from_pylist(rows), stream, compression="none", use_dictionary=False)
    except (NotSoundError, ValueError, AttributeError, TypeError, OverflowError, pa.ArrowException):
        return None
    return stream.getvalue()


def _sound_parquet(data: bytes, original: bytes) -> bool:
    """Return whether another reader finds rows of the same kind; it has no checksums."""
    try:
        found, known = (pq.read_table(io.BytesIO(each)) for each in (data, original))
        if found.schema != known.schema:
            return False
        rows = found.to_pylist()
    except (ValueError, OSError, pa.ArrowException):
        return False
    names = [(row["system"], row["item"]) for row in rows]
    return {shape(row) for row in rows} == {shape(row) for row in known.to_pylist()} and len(
        set(names)
    ) == len(names)
