"""No file of one harness is taken for another: every shared file against every format.

The shared files are those that the tools themselves wrote.
"""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tellapart.formats.contract import Format
from tellapart.formats.head import Head, read_head
from tellapart.formats.registry import format_of, formats, guess_format

TABLES = format_of("items").name
"""Tables take what nobody else does: rows of anything may be one"""

SHARED = {
    "inspect-*/*.eval": "inspect",
    "lm-eval-*/samples_*.jsonl": "lm-eval",
    "lighteval/details/*.parquet": "lighteval",
    "promptfoo/out.json*": "promptfoo",
    "deepeval/*.json": "deepeval",
    "ragas/*": "ragas",
    "humaneval/*_results.jsonl": "humaneval",
    "helm/run/per_instance_stats.json": "helm",
    "formats/arena_*.jsonl": "arena-hard",
    "formats/annotations.json": "alpaca-eval",
    "formats/bt_*.jsonl": "items",
    "formats/evalplus_*.json": "evalplus",
    "formats/evals_*.jsonl": "items",
    "formats/*.verified.json": "swe-bench",
    "formats/prefs.*": "preferences",
    "formats/prefs_wide.csv": "items",
    "formats/plain_*.jsonl": "items",
    "everyday/*": "items",
}
"""By pattern: what the shared files are; the first that fits"""

BESIDE = {
    "promptfoo/out.csv": "promptfoo",
    "formats/mteb_*.json": None,
    "lm-eval-*/results_*.json": "lm-eval",
    "lighteval/results/*.json": "lighteval",
    "inspect-set/eval-set.json": "inspect",
    "helm/run/scenario.json": None,
    "helm/run/*.json": "helm",
    "README.md": None,
}
"""Files without items: which format refuses them by naming those with items, if any does"""


def _takers(head: Head) -> list[str]:
    """Return which formats recognise a file; tables only where no other does."""
    found = [each.name for each in formats() if each.recognises(head)]
    for general in (TABLES, "preferences"):
        found = [name for name in found if name != general] or found
    return found


def _refusers(head: Head) -> list[str]:
    return [each.name for each in formats() if each.refuses is not None and each.refuses(head)]


def _is_of_harness(kind: Format) -> bool:
    return kind.recognises.__module__.startswith(
        ("tellapart.formats.logs", "tellapart.formats.pre")
    )


@pytest.mark.parametrize("folder", ["formats", "everyday", ""])
def test_shared_files_are_what_they_are(folder: str, shared_data: Path) -> None:
    """Every file of the shared folder: of its own format alone, or refused by the right one."""
    root = shared_data / "harnesses"
    seen = 0
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        top = name.partition("/")[0]
        if path.is_dir() or (top if top in ("formats", "everyday") else "") != folder:
            continue
        seen += 1
        head = read_head(os.fspath(path))
        expected = _expected(name, SHARED)
        if expected is not None:
            assert guess_format([path]) is format_of(expected), name
            if _is_of_harness(format_of(expected)):
                assert _takers(head) == [format_of(expected).name], name
        else:
            assert any(fnmatch(name, pattern) for pattern in BESIDE), name
            refuser = _expected(name, BESIDE)
            assert _refusers(head)[:1] == ([refuser] if refuser else []), name
            assert set(_takers(head)) <= {TABLES}, name
    assert seen


def _expected(name: str, known: dict[str, str] | dict[str, str | None]) -> str | None:
    return next((found for pattern, found in known.items() if fnmatch(name, pattern)), None)
