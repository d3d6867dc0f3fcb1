"""`--as every-eval-ever`: results in the schema that evaluations share, with a row per item.

Items are in `UUID_samples.jsonl`; the file `UUID.json` beside it has totals, and says what a metric
is called and whether less is better.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import Gathered, first_object, part, plain_text, text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, scalar_labels
from tellapart.formats.logs.rows import Row, names_in, read_json, table_rows
from tellapart.formats.logs.totals import TotalsError, totals_sentence
from tellapart.formats.problems import Findings

SCORE: Final = "score"
_KEYS: Final = frozenset({"evaluation_id", "model_id", "evaluation_name", "sample_id"})
_TOTALS: Final = frozenset({"evaluation_id", "model_info", "evaluation_results"})
_LOWER: Final[tuple[Key, ...]] = (
    ("latency_ms",),
    ("generation_time_ms",),
    ("total_tokens",),
    ("output_tokens",),
)
_SUFFIXES: Final = ("_samples.jsonl", ".jsonl")


def _recognises(head: Head) -> bool:
    return names_in(head) >= _KEYS


def _refuses(head: Head) -> DataError | None:
    if not names_in(head) >= _TOTALS:
        return None
    tree = first_object(head)
    results = tree.get("evaluation_results")
    names = [
        str(each["evaluation_name"])
        for each in (results if isinstance(results, list) else [])
        if isinstance(each, dict) and "evaluation_name" in each
    ]
    details = tree.get("detailed_evaluation_results")
    named = details.get("file_path") if isinstance(details, dict) else None
    stem = os.path.splitext(head.path)[0]
    beside = [f"{stem}{suffix}" for suffix in _SUFFIXES if os.path.isfile(f"{stem}{suffix}")]
    remedy = "give the UUID_samples.jsonl that goes with it, if there is one"
    if beside:
        remedy = f"give {shown(beside[0])} instead"
    elif isinstance(named, str):
        remedy = f"give {os.path.basename(named)}, which has the items, instead"
    return TotalsError(totals_sentence(head, names, remedy))


@dataclass(slots=True)
class _Aggregate:
    """What the file of totals says of the items in the one beside it."""

    names: dict[str, str] = field(default_factory=dict)
    """By the id of a result: what its metric is called"""
    lower: set[Key] = field(default_factory=set)
    settings: dict[str, str] = field(default_factory=dict)
    time: str = ""


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    aggregate = _aggregate(path)
    merged: dict[tuple[str, str, str], list[dict[Key, Any]]] = {}
    rows: dict[tuple[str, str, str], Row] = {}
    for row in table_rows(path, problems):
        if not isinstance(row.fields.get("evaluation"), dict) or not text(row, "sample_id"):
            problems.complain(
                f"{row.place}: this has no `sample_id` or no `evaluation`; give a file with one "
                "result per item"
            )
            continue
        whose = text(row, "model_id"), text(row, "evaluation_name"), text(row, "sample_id")
        rows.setdefault(whose, row)
        name = aggregate.names.get(text(row, "evaluation_result_id"), SCORE)
        runs = merged.setdefault(whose, [])
        run = next((each for each in runs if (name,) not in each), None)
        if run is None:
            runs.append(run := _costs(row))
        run[(name,)] = part(row, "evaluation").get("score")
    for whose, runs in merged.items():
        for run in runs:
            found.add(_sample(rows[whose], run, found), whose[0], whose[1])
    return found.logs(
        lower=(*_LOWER, *sorted(aggregate.lower)),
        costs=_LOWER,
        settings=aggregate.settings,
        time=aggregate.time,
    )


def _costs(row: Row) -> dict[Key, Any]:
    usage, speed = part(row, "token_usage"), part(row, "performance")
    found = {**usage, **speed}
    return {key: found[key[0]] for key in _LOWER if found.get(key[0]) is not None}


def _sample(row: Row, values: Mapping[Key, Any], found: Gathered) -> Sample:
    asked = part(row, "input")
    gold = plain_text(asked.get("reference"))
    prompt = plain_text(asked.get("raw"))
    scored = {key: value for key, value in values.items() if key not in _LOWER}
    costs = {key: value for key, value in values.items() if key in _LOWER}
    return Sample(
        text(row, "sample_id"),
        found.values({**scored, **costs}, row.place),
        row.place,
        error=text(row, "error"),
        input=prompt,
        gold=gold,
        output=plain_text(part(row, "output").get("raw") or row.fields.get("messages")),
        labels=found.labels(part(row, "metadata"), "metadata", row.place),
        prompt_print=prompt,
        gold_print=gold,
    )


def _aggregate(path: str) -> _Aggregate:
    """Return what the file of totals beside it says; nothing where there is none."""
    found = _Aggregate()
    suffix = next((each for each in _SUFFIXES if path.endswith(each)), None)
    beside = f"{path.removesuffix(suffix)}.json" if suffix else ""
    if path == STANDARD or not beside or not os.path.isfile(beside):
        return found
    tree = read_json(beside)
    if not isinstance(tree, dict):
        return found
    found.time = str(tree.get("evaluation_timestamp") or tree.get("retrieved_timestamp") or "")
    results = [each for each in tree.get("evaluation_results") or [] if isinstance(each, dict)]
    for result in results:
        config = result.get("metric_config")
        config = config if isinstance(config, dict) else {}
        name = str(config.get("metric_name") or config.get("evaluation_description") or SCORE)
        identity = str(result.get("evaluation_result_id") or "")
        if identity:
            found.names[identity] = name
        if config.get("lower_is_better") is True:
            found.lower.add((name if identity else SCORE,))
        found.settings.update(_settings(result))
    return found


def _settings(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    config = result.get("generation_config")
    arguments = config.get("generation_args") if isinstance(config, dict) else None
    yield from scalar_labels(arguments, "generation").items()


FORMAT = log_format(
    "every-eval-ever",
    "results in the schema every_eval_ever, JSONL with a row per item",
    files="results in the schema every_eval_ever",
    recognises=_recognises,
    read_file=_read_file,
    refuses=_refuses,
)
