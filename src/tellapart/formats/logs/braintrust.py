"""`--as braintrust`: an exported experiment of Braintrust, JSONL, JSON or CSV, a row per example.

Rows have ids of their own in every experiment. Items are known by the record of the data set they
came from, or else by their input.
"""

from __future__ import annotations

from typing import Any, Final

from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import (
    INPUTS,
    Gathered,
    first_object,
    item_of,
    part,
    plain_text,
    text,
    under,
)
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.rows import Row, names_in, table_rows
from tellapart.formats.problems import Findings
from tellapart.words import several

_BESIDE: Final = frozenset({"expected", "metrics", "span_id", "created", "tags", "experiment_id"})
_NO_METRICS: Final = frozenset({"start", "end", "caller_lineno"})
"""Times of day, and a line of a program"""


def _recognises(head: Head) -> bool:
    keys = names_in(head)
    if "input" not in keys or "output" not in keys or len(keys & _BESIDE) < 2:
        return False
    scores = first_object(head).get("scores", {})
    return isinstance(scores, dict | None) and (
        "scores" in keys or any(key.startswith("scores.") for key in keys)
    )


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    rows = list(table_rows(path, problems))
    roots = [row for row in rows if _is_root(row) and found.is_new(row)]
    if len(roots) < len(rows):
        problems.warn(
            f"{shown(path)}: {several(len(rows) - len(roots), 'row')} are steps inside an example; "
            "they were passed over"
        )
    experiments = {text(row, "experiment_id") for row in roots}
    metrics = dict[Key, None]()
    by_record = all(_record(row) for row in roots)
    found.pairing = "" if by_record else INPUTS
    for row in roots:
        measured = {key: value for key, value in _metrics(row).items() if key not in metrics}
        metrics.update(dict.fromkeys(measured))
        sample = _sample(row, found, by_record=by_record)
        found.add(sample, text(row, "experiment_id") if len(experiments) > 1 else "")
    return found.logs(lower=tuple(metrics), costs=tuple(metrics))


def _is_root(row: Row) -> bool:
    root, span = text(row, "root_span_id"), text(row, "span_id")
    inside = row.fields.get("is_root") in (False, "false") or (root and span and root != span)
    return not inside


def _record(row: Row) -> str:
    """Return the record of the data set that a row was made from."""
    origin = part(row, "origin")
    named = origin.get("id") if origin.get("object_type") == "dataset" else None
    return str(named or text(row, "dataset_record_id"))


def _fields(row: Row, name: str) -> dict[str, Any]:
    """Return an object of a row, whole or as one column for each key."""
    return {**part(row, name), **under(row, f"{name}.")}


def _metrics(row: Row) -> dict[Key, Any]:
    return {
        (name,): value
        for name, value in _fields(row, "metrics").items()
        if name not in _NO_METRICS and isinstance(value, int | float | str)
    }


def _sample(row: Row, found: Gathered, *, by_record: bool) -> Sample:
    asked = plain_text(row.fields.get("input"))
    scores: dict[Key, Any] = {(name,): value for name, value in _fields(row, "scores").items()}
    gold = plain_text(row.fields.get("expected"))
    return Sample(
        _record(row) if by_record else item_of(asked),
        found.values({**scores, **_metrics(row), **scores}, row.place),
        row.place,
        error=text(row, "error"),
        input=asked,
        gold=gold,
        output=plain_text(row.fields.get("output")),
        labels=found.labels(_fields(row, "metadata"), "metadata", row.place),
        prompt_print=asked,
        gold_print=gold,
    )


FORMAT = log_format(
    "braintrust",
    "experiments of Braintrust, exported as JSONL, JSON or CSV",
    files="experiments of Braintrust",
    recognises=_recognises,
    read_file=_read_file,
    suffixes=(".csv",),
)
