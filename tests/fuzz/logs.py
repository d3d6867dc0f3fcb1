"""Targets for logs of Inspect and of lm-eval."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from log_files import document, eval_log, header, json_log, sample

from .damage import KEYED
from .soundness import (
    NUMBER,
    NotSoundError,
    ascii_pattern,
    json_rows,
    no_repeats,
    parsed,
    shape,
    text_of,
)
from .target import Container, File, Target

if sys.version_info >= (3, 14):
    zstd_zipfile: Any = zipfile
else:
    from backports.zstd import zipfile as zstd_zipfile

ITEMS = 8
_VALUE = ascii_pattern(rf"[CIPN]|True|False|{NUMBER}")
"""Correct, incorrect, partial, no answer; or a number, which may be a text, too"""


def log_targets() -> Iterator[Target]:
    """Yield the targets of `inspect` and `lm-eval`."""
    archives = tuple(
        File(f"{name}.eval", eval_log(rows, head, wholes=rows), _sound_archive, KEYED,
             Container(_members, _packed), also=(name,))
        for name, rows, head in _logs()
    )  # fmt: skip
    names = tuple(file.name for file in archives)
    yield Target("inspect-eval", "inspect", archives, names, names)

    trees = tuple(
        File(f"{name}.json", json_log(rows, head).encode(), _sound_log, KEYED, also=(name,))
        for name, rows, head in _logs()
    )
    names = tuple(file.name for file in trees)
    yield Target("inspect-json", "inspect", trees, names, names)

    samples = []
    for k, name in enumerate(("alder", "birch")):
        rows = [document(n, acc=(n * 3 + k) % 4 // 2, acc_norm=1) for n in range(ITEMS)]
        place = f"{name}/samples_pond_2026-11-01T10-00-00.000001.jsonl"
        text = "".join(json.dumps(row) + "\n" for row in rows)
        check = json_rows(lambda row: (row["doc_id"], row["filter"]), _fixed)
        samples.append(File(place, text.encode(), check, KEYED, also=(name,)))
    yield Target("lm-eval", "lm-eval", tuple(samples), ("alder", "birch"), ("alder", "birch"))


def _logs() -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    for k, name in enumerate(("alder", "birch")):
        rows = [sample(f"i{n}", "C" if (n * 3 + k) % 4 // 2 else "I") for n in range(ITEMS)]
        dataset = {"name": "quiz", "samples": ITEMS, "sample_ids": [row["id"] for row in rows]}
        results = {"total_samples": ITEMS, "completed_samples": ITEMS}
        yield name, rows, header(f"mockllm/{name}", spec={"dataset": dataset}, results=results)


def _fixed(row: Any) -> Any:
    """Return what a row of lm-eval may not have otherwise."""
    return tuple(row["metrics"]), row["filter"]


def _members(data: bytes) -> dict[str, bytes]:
    with zstd_zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zstd_zipfile.ZipFile(stream, "w", zstd_zipfile.ZIP_ZSTANDARD) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _sound_archive(data: bytes, original: bytes) -> bool:
    try:
        found, known = _members(data), _members(original)
        if set(found) != set(known):
            return False
        trees = {name: parsed(text_of(each) or "") for name, each in found.items()}
        models = {name: parsed(text_of(each) or "") for name, each in known.items()}
    # Whatever a damaged archive makes the library raise, it is no sound archive.
    except Exception:
        return False
    wholes = [name for name in known if name.startswith("samples/")]
    return (
        _same_header(trees["header.json"], models["header.json"])
        and _sound_rows(trees["summaries.json"], models["summaries.json"])
        and all(shape(trees[name]) == shape(models[name]) for name in wholes)
    )


def _sound_log(data: bytes, original: bytes) -> bool:
    try:
        found, known = (parsed(text_of(each) or "") for each in (data, original))
    except NotSoundError:
        return False
    if not isinstance(found, dict) or "samples" not in found:
        return False
    return _same_header(found, known) and _sound_rows(found["samples"], known["samples"])


def _same_header(found: Any, known: Any) -> bool:
    """Return whether only names are others: of model, task and data set."""
    heads = [{key: each[key] for key in each if key != "samples"} for each in (found, known)]
    return (
        shape(heads[0]) == shape(heads[1])
        and found["results"] == known["results"]
        and found["eval"]["dataset"]["samples"] == known["eval"]["dataset"]["samples"]
        and found["eval"]["dataset"]["sample_ids"] == known["eval"]["dataset"]["sample_ids"]
        and found["eval"]["config"] == known["eval"]["config"]
        and found["status"] == known["status"]
    )


def _plain(row: Any) -> Any:
    """Return a sample whose value is a letter, if it is one that can be counted."""
    try:
        value = row["scores"]["match"]["value"]
    except (KeyError, TypeError, IndexError):
        return row
    counted = isinstance(value, str | int | float) and _VALUE.fullmatch(str(value))
    return (
        {**row, "scores": {"match": {**row["scores"]["match"], "value": "C"}}} if counted else row
    )


def _sound_rows(found: Any, known: Any) -> bool:
    """Return whether these are the samples that the header counts, with other values perhaps."""
    found = [_plain(row) for row in found] if isinstance(found, list) else None
    if not isinstance(found, list) or {shape(row) for row in found} != {
        shape(row) for row in known
    }:
        return False
    return (
        {row["id"] for row in found} == {row["id"] for row in known}
        and no_repeats((row["id"], row["epoch"]) for row in found)
        and all(row["epoch"] == 1 for row in found)
        and all(_VALUE.fullmatch(str(row["scores"]["match"]["value"])) for row in found)
    )
