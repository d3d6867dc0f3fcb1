"""Telling logs of evaluations, and files that hold only totals, by how they begin."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head, read_head
from tellapart.words import listed

_ZIP: Final = b"PK\x03\x04"
_NAME_AT: Final = 30  # where the name of a zip's first member begins
_FIRST_MEMBERS: Final = ("_journal/", "header.json", "samples/", "summaries", "reductions.json")
_RESPONSES: Final = frozenset({"resps", "filtered_resps"})


class TotalsError(DataError):
    """A file holds totals only, where one score per item is needed."""

    def about_scores(self) -> DataError:
        """Return the refusal for those who ask for scores and no test."""
        return DataError(str(self).replace(_NEEDS, "Scoring needs one score per item"))


_NEEDS: Final = "A paired test needs one score per item"


def looks_like_inspect(head: Head) -> bool:
    """Tell a log of Inspect, whole or not: `.eval`, or the same as one JSON object.

    >>> looks_like_inspect(Head("x", b'{"version": 2, "status": "success", "eval": {', False))
    True
    """
    if head.path.endswith(".eval"):
        return True
    if head.data.startswith(_ZIP):
        return head.data[_NAME_AT:].startswith(tuple(name.encode() for name in _FIRST_MEMBERS))
    return {"version", "eval"} <= set(head.keys())


def looks_like_lm_eval(head: Head) -> bool:
    """Tell the samples of lm-eval, also where the first line is longer than the head.

    >>> looks_like_lm_eval(Head("x", b'{"doc_id": 0, "doc": {"question": "Who', False))
    True
    """
    row = head.first_row()
    if row is not None:
        return "doc_id" in row and not _RESPONSES.isdisjoint(row)
    keys = head.keys()
    if not {"doc_id", "doc"} <= set(keys):
        return False
    return not _RESPONSES.isdisjoint(keys) or re.search(r'"doc"\s*:\s*\{', head.text) is not None


def looks_like_totals(head: Head) -> str | None:
    """Say why a file of totals cannot be tested and what can, if the file is one.

    >>> looks_like_totals(Head("a.json", b'{"f1": 0.5, "_evaluate_version": "0.4"}', True))
    'a.json has totals only (f1). A paired test needs one score per item: give a table with a row \
per item (item, score) instead.'
    """
    keys = head.keys()
    if "_evaluate_version" in keys:
        names = _numbers(head) or [key for key in keys if not key.startswith("_")]
        return _totals(head, names, "give a table with a row per item (item, score) instead")
    if "results" not in keys or not _LM_EVAL.intersection(keys):
        return None
    results = _value(head.text, "results")
    tasks = {task: row for task, row in (results or {}).items() if isinstance(row, dict)}
    names = list(
        dict.fromkeys(
            name.partition(",")[0]
            for row in tasks.values()
            for name, value in row.items()
            if "," in name and isinstance(value, int | float | str)
        )
    )
    wanted = " or ".join(f"samples_{task}_*.jsonl" for task in list(tasks)[:3])
    wanted = wanted or "samples_*.jsonl"
    there = head.path != STANDARD and any(Path(head.path).parent.glob("samples_*.jsonl*"))
    remedy = f"give {wanted} from the same folder instead"
    if not there:
        remedy = f"run lm-eval again with --log_samples, and give {wanted}"
    return _totals(head, names, remedy)


_LM_EVAL: Final = frozenset({"configs", "group_subtasks", "versions", "n-shot", "lm_eval_version"})


def refuse_others(path: str, expected: str) -> None:
    """Raise the error for a file that is evidently not of the expected kind."""
    if path == STANDARD:
        return
    head = read_head(path)
    totals = looks_like_totals(head)
    if totals is not None:
        raise TotalsError(totals)
    kinds = {"an Inspect log": looks_like_inspect, "a samples file of lm-eval": looks_like_lm_eval}
    if not kinds[expected](head):
        for kind, tells in kinds.items():
            if kind != expected and tells(head):
                raise DataError(
                    f"{shown(path)}: this is {kind}, not {expected}; give files of one format"
                )


def _totals(head: Head, names: list[str], remedy: str) -> str:
    told = f" ({listed(names, 6)})" if names else ""
    return f"{shown(head.path)} has totals only{told}. {_NEEDS}: {remedy}."


def _numbers(head: Head) -> list[str]:
    """Name the outer values that are numbers."""
    try:
        tree = json.loads(head.text)
    except ValueError:
        return []
    return [
        name
        for name, value in tree.items()
        if isinstance(value, int | float) and not name.startswith("_")
    ]


def _value(text: str, key: str) -> dict[str, Any] | None:
    """Parse the object of one outer key, in JSON that may be cut off after it."""
    match = re.search(rf'"{key}"\s*:\s*', text)
    try:
        found = json.JSONDecoder().raw_decode(text, match.end())[0] if match else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
