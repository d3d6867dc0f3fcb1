"""Test runs of DeepEval, as it saves them: test cases with the scores of metrics.

Whether less of a metric is better, DeepEval's own verdicts tell: a case that passes below the
threshold, or fails above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, as_text, scalar_labels
from tellapart.formats.logs.rows import Numbers, Row, as_object, names_in, read_json
from tellapart.formats.problems import Findings

_KINDS: Final = ("testCases", "conversationalTestCases")
_OF_A_CASE: Final = re.compile(r'"(metricsData|actualOutput|runDuration)"\s*:')
_COSTS: Final = {
    "tokenCost": "cost",
    "completionTime": "latency",
    "inputTokenCount": "input_tokens",
    "outputTokenCount": "output_tokens",
}


def _recognises(head: Head) -> bool:
    names = names_in(head)
    if "testRunData" in names:
        return True
    return bool(names.intersection(_KINDS)) and _OF_A_CASE.search(head.text) is not None


def _read_file(path: str, problems: Findings) -> list[Log]:
    tree = as_object(read_json(path), shown(path))
    run = as_object(tree.get("testRunData", tree), shown(path))
    rows = [row for kind in _KINDS for row in _cases(run.get(kind) or [], kind, path)]
    if not rows:
        raise DataError(f"{shown(path)}: there is no test case; give a finished test run")
    numbers = Numbers(problems=problems)
    samples = []
    for item, row in zip(_items(rows), rows, strict=True):
        with problems.of_file():
            samples.append(_sample(item, row, numbers))
    given = run.get("hyperparameters")
    settings = scalar_labels(given, "set") if isinstance(given, dict) else {}
    model = settings.pop("model", "")
    costs = tuple((name,) for name in _COSTS.values())
    if not any(sample.values for sample in samples) and not problems.fatal:
        problems.complain(f"{shown(path)}: no test case has a score; give a finished test run")
    return [
        Log(
            path,
            tuple(samples),
            faults=numbers.faults,
            system=model or as_text(run.get("identifier") or ""),
            main=("passed",),
            lower=(*_lower(rows), *costs),
            costs=costs,
            settings=settings,
        )
    ]


def _cases(given: Any, kind: str, path: str) -> list[Row]:
    if not isinstance(given, list):
        raise DataError(f"{shown(path)}: {kind!r} is no list; write the test run again")
    places = [f"{shown(path)}, {kind[:-1]} {number}" for number in range(1, len(given) + 1)]
    return [Row(place, as_object(each, place)) for place, each in zip(places, given, strict=True)]


def _items(rows: Sequence[Row]) -> list[str]:
    """Return the names of cases, or what was asked where pytest names several alike."""
    names = [as_text(row.fields.get("name") or "") for row in rows]
    if max(Counter(names).values()) == 1:
        return names
    return [f"{name} {_input(row)}" for name, row in zip(names, rows, strict=True)]


def _input(row: Row) -> str:
    fields = row.fields
    return as_text(fields.get("input") or fields.get("scenario") or _said(fields, "user") or "")


def _said(fields: Mapping[str, Any], role: str) -> str:
    turns = fields.get("turns")
    return "\n".join(
        as_text(turn.get("content"))
        for turn in (turns if isinstance(turns, list) else [])
        if isinstance(turn, dict) and turn.get("role") == role
    )


def _metrics(row: Row) -> list[dict[str, Any]]:
    found = row.fields.get("metricsData") or []
    if not isinstance(found, list) or not all(
        isinstance(each, dict) and isinstance(each.get("name"), str) for each in found
    ):
        raise DataError(f"{row.place}: `metricsData` is no list of named metrics; write it again")
    return found


def _sample(item: str, row: Row, numbers: Numbers) -> Sample:
    fields = row.fields
    metrics = _metrics(row)
    twice = [name for name, n in Counter(each["name"] for each in metrics).items() if n > 1]
    if twice:
        raise DataError(f"{row.place}: the metric {twice[0]!r} appears twice; keep one")
    named = {
        **({"passed": fields["success"]} if "success" in fields else {}),
        **{each["name"]: each.get("score") for each in metrics},
        **{name: fields[key] for key, name in _COSTS.items() if key in fields},
    }
    values = numbers.of(named, row.place)
    for each in metrics:
        if isinstance(each.get("success"), bool):
            values[each["name"], "passed"] = float(each["success"])
    errors = [as_text(each["error"]) for each in metrics if each.get("error")]
    asked = _input(row)
    gold = fields.get("expectedOutput") or fields.get("expectedOutcome")
    answer = fields.get("actualOutput")
    return Sample(
        item=item,
        values=values,
        place=row.place,
        error=errors[0] if errors else "",
        input=asked,
        gold="" if gold is None else as_text(gold),
        output=_said(fields, "assistant") if answer is None else as_text(answer),
        labels=scalar_labels(fields.get("metadata"), "metadata"),
        gold_print="" if gold is None else as_text(gold),
        document_print=asked,
    )


def _lower(rows: Sequence[Row]) -> tuple[Key, ...]:
    """Return the metrics of which less is better."""
    found: dict[Key, None] = {}
    for row in rows:
        for each in _metrics(row):
            score, limit, passed = each.get("score"), each.get("threshold"), each.get("success")
            if not isinstance(score, int | float) or not isinstance(limit, int | float):
                continue
            if (passed is True and score < limit) or (passed is False and score > limit):
                found[each["name"],] = None
    return tuple(found)


FORMAT = log_format(
    "deepeval",
    "test runs of DeepEval",
    files="test runs of DeepEval",
    recognises=_recognises,
    read_file=_read_file,
)
