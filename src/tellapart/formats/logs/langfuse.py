"""`--as langfuse`: exported scores or traces of Langfuse, CSV, JSON or JSONL.

Traces have ids of their own in every run. Items are known by the data set's item in the metadata,
or by the input of the trace, or, in exported scores, by the trace's id without the trace's name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import INPUTS, Gathered, item_of, part, plain_text, text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, parse_log
from tellapart.formats.logs.rows import Row, names_in, table_rows
from tellapart.formats.problems import Findings
from tellapart.words import several

_SCORES: Final = frozenset({"traceId", "name", "value", "dataType"})
_STORED: Final = {
    "trace_id": "traceId", "data_type": "dataType", "string_value": "stringValue",
    "trace_name": "traceName",
}  # fmt: skip
"""The names of fields in exports to a blob storage, and those in exports by hand"""
_TRACES: Final = frozenset({"input", "output", "latency", "totalCost", "observationCount"})
_OF_TRACES: Final = _TRACES | {
    "id", "projectId", "timestamp", "createdAt", "updatedAt", "name", "release", "version",
    "userId", "sessionId", "environment", "tags", "traceTags", "public", "bookmarked", "metadata",
    "usage", "inputCost", "outputCost", "level", "errorCount", "warningCount", "defaultCount",
    "debugCount", "scores", "inputTokens", "outputTokens", "totalTokens", "comments", "htmlPath",
}  # fmt: skip
"""What a trace has; any other column is a score"""
_COSTS: Final = ("latency", "totalCost", "totalTokens")
_LOWER: Final = tuple((name,) for name in _COSTS)
_ITEM: Final = ("dataset_item_id", "datasetItemId", "item_id", "itemId")
_RUN: Final = ("experiment_run_name", "experiment_name", "run_name", "dataset_run_name")
_RANDOM: Final = re.compile(
    r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
_MARKS: Final = "-_.:/ "


def _recognises(head: Head) -> bool:
    names = names_in(head)
    return _as_exported(names) >= _SCORES or names >= _TRACES


def _as_exported(names: set[str]) -> set[str]:
    return {_STORED.get(name, name) for name in names}


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    rows = [row for row in table_rows(path, problems) if found.is_new(row)]
    if any("observationCount" in row.fields for row in rows):
        _add_traces(rows, found)
    else:
        stored = [_renamed(row) for row in rows]
        _add_scores([row for row in stored if _is_score(row, problems)], found)
    return found.logs(lower=_LOWER, costs=_LOWER)


def _renamed(row: Row) -> Row:
    return Row(row.place, {_STORED.get(name, name): value for name, value in row.fields.items()})


def _is_score(row: Row, problems: Findings) -> bool:
    if not text(row, "name"):
        problems.complain(f"{row.place}: the score has no name; export it again")
        return False
    if not text(row, "traceId"):
        problems.warn(f"{row.place}: the score is of no trace; it was passed over")
        return False
    return True


def _add_scores(rows: Sequence[Row], found: Gathered) -> None:
    """Add exported scores: those of a trace are a sample, those of one name further runs."""
    items = _items(rows, found)
    names = {text(row, "traceName") for row in rows}
    runs: dict[tuple[str, str], list[dict[Key, Any]]] = {}
    places: dict[tuple[str, str], str] = {}
    for row, item in zip(rows, items, strict=True):
        system = _run(row) or (text(row, "traceName") if len(names) > 1 else "")
        known = runs.setdefault((system, item), [])
        places.setdefault((system, item), row.place)
        key = (text(row, "name"),)
        run = next((each for each in known if key not in each), None)
        if run is None:
            known.append(run := {})
        run[key] = _value(row)
    for (system, item), known in runs.items():
        for fields in known:
            place = places[system, item]
            found.add(Sample(item, found.values(fields, place), place), system)


def _value(row: Row) -> Any:
    """Return a score: a category is a word, anything else a number."""
    word = row.fields.get("stringValue")
    return word if text(row, "dataType") == "CATEGORICAL" else row.fields.get("value", word)


def _items(rows: Sequence[Row], found: Gathered) -> list[str]:
    """Return which item each score is about."""
    named = [_item(row) for row in rows]
    if all(named):
        return named
    if all(_RANDOM.fullmatch(text(row, "traceId")) for row in rows) and rows:
        raise DataError(
            f"{shown(found.path)}: the traces have random ids in every run, and nothing here tells "
            "which items they are about; export the traces, which have their inputs, or give "
            "scores the metadata dataset_item_id"
        )
    ids = [(text(row, "traceId"), text(row, "traceName")) for row in rows]
    if not all(name and name in trace for trace, name in ids):
        return [trace for trace, _ in ids]
    found.pairing = "the ids of their traces without the names of these"
    return [_without(name, trace) for trace, name in ids]


def _without(name: str, trace: str) -> str:
    """Return the id of a trace without the name of what was run.

    >>> _without("alder", "t-alder-7")
    't-7'
    """
    rest = re.sub(f"([{_MARKS}])[{_MARKS}]+", r"\1", trace.replace(name, "")).strip(_MARKS)
    return rest or trace


def _item(row: Row) -> str:
    metadata = part(row, "metadata")
    return next((str(metadata[key]) for key in _ITEM if metadata.get(key)), "")


def _run(row: Row) -> str:
    metadata = part(row, "metadata")
    return next((str(metadata[key]) for key in _RUN if metadata.get(key)), "")


def _add_traces(rows: Sequence[Row], found: Gathered) -> None:
    """Add exported traces, each with its scores in columns of their own."""
    scored = list(dict.fromkeys(name for row in rows for name in row.fields))
    names = [name for name in scored if name not in _OF_TRACES]
    unscored = [row for row in rows if all(_given(row, name) is None for name in names)]
    if unscored:
        found.problems.warn(
            f"{shown(found.path)}: {several(len(unscored), 'trace')} without a score; passed over"
        )
    by_item = all(_item(row) for row in rows)
    found.pairing = "" if by_item else INPUTS
    for row in rows:
        fields: dict[Key, Any] = {(name,): _given(row, name) for name in names}
        if all(value is None for value in fields.values()):
            continue
        costs: dict[Key, Any] = {key: row.fields.get(key[0]) for key in _LOWER}
        asked = plain_text(_parsed(row, "input"))
        found.add(
            Sample(
                _item(row) if by_item else item_of(asked),
                found.values({**fields, **costs}, row.place),
                row.place,
                input=asked,
                output=plain_text(_parsed(row, "output")),
                prompt_print=asked,
            ),
            _run(row),
        )


def _given(row: Row, name: str) -> Any:
    """Return a score of a trace: several of one name are averaged, if they are numbers."""
    values = _parsed(row, name)
    if not isinstance(values, list):
        return None if values == "" else values
    numbers = [value for value in values if isinstance(value, int | float)]
    if numbers and len(numbers) == len(values):
        return math.fsum(numbers) / len(numbers)
    return values[0] if len(values) == 1 else None if not values else ",".join(map(str, values))


def _parsed(row: Row, name: str) -> Any:
    """Return a field; in a table, lists and objects are JSON inside a cell."""
    value = row.fields.get(name)
    if isinstance(value, str) and value.lstrip().startswith(("[", "{", '"')):
        return parse_log(value, f"{row.place}, {name}")
    return value


FORMAT = log_format(
    "langfuse",
    "scores or traces of Langfuse, exported as CSV or JSON",
    files="exports of Langfuse",
    recognises=_recognises,
    read_file=_read_file,
    suffixes=(".csv",),
)
