"""Files that hold only totals, where one score per item is needed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head
from tellapart.formats.json_text import glance
from tellapart.words import listed

_NEEDS: Final = "A paired test needs one score per item"
_LM_EVAL: Final = frozenset({"configs", "group_subtasks", "versions", "n-shot", "lm_eval_version"})


class TotalsError(DataError):
    """A file of a run has totals only, or what is read beside its scores; these are needed."""

    def about_scores(self) -> DataError:
        """Return the refusal for those who ask for scores and no test."""
        return DataError(str(self).replace(_NEEDS, "Scoring needs one score per item"))


def looks_like_totals(head: Head) -> str | None:
    """Return why a file of totals cannot be tested and what can, if the file is one.

    >>> looks_like_totals(Head("a.json", b'{"f1": 0.5, "_evaluate_version": "0.4"}', True))
    'a.json has totals only (f1). A paired test needs one score per item: give a table with a row \
per item (item, score) instead.'
    """
    keys = head.keys()
    if "_evaluate_version" in keys:
        names = _numbers(head) or [key for key in keys if not key.startswith("_")]
        return totals_sentence(
            head, names, "give a table with a row per item (item, score) instead"
        )
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
    return totals_sentence(head, names, remedy)


def totals_sentence(head: Head, names: Sequence[str], remedy: str) -> str:
    """Return why a file of totals, under these names, cannot be tested, and the remedy."""
    scores = f" ({listed(names, 6)})" if names else ""
    return f"{shown(head.path)} has totals only{scores}. {_NEEDS}: {remedy}."


def _numbers(head: Head) -> list[str]:
    """Return the names of the outer values that are numbers."""
    tree = glance(head.text)
    return [
        name
        for name, value in (tree.items() if isinstance(tree, dict) else ())
        if isinstance(value, int | float) and not name.startswith("_")
    ]


def _value(text: str, key: str) -> dict[str, Any] | None:
    """Return the object of one outer key, in JSON that may be cut off after it."""
    match = re.search(rf'"{key}"\s*:\s*', text)
    try:
        found = json.JSONDecoder().raw_decode(text, match.end())[0] if match else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
