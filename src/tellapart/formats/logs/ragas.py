"""Results of ragas, `result.to_pandas()` saved as CSV, JSON lines or Parquet: metrics by row.

What a sample of ragas has by itself is text; every other column of numbers is a metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import PARQUET, Head
from tellapart.formats.logs.exports import item_of
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Log, Sample, as_text, number, scalar_labels
from tellapart.formats.logs.rows import (
    Numbers,
    Row,
    names_in,
    parquet_has,
    table_rows,
)
from tellapart.formats.problems import Findings, warn_of_lacking

_ASKED: Final = ("user_input", "question")  # before ragas 0.2: question
_ANSWERED: Final = ("response", "answer", "multi_responses")
_GOLD: Final = ("reference", "ground_truth", "ground_truths")
_CONTEXTS: Final = ("retrieved_contexts", "contexts", "reference_contexts")
_LABELS: Final = ("persona_name", "query_style", "query_length", "synthesizer_name")
_FIELDS: Final = frozenset(
    {*_ASKED, *_ANSWERED, *_GOLD, *_CONTEXTS, *_LABELS}
    | {"retrieved_context_ids", "reference_context_ids", "rubrics", "reference_topics"}
    | {"reference_tool_calls", "__index_level_0__", "Unnamed: 0", "", "id"}
)
_OTHERS: Final = frozenset({"system", "model", "model_name", "judge", "winner"})
_OLD_METRICS: Final = frozenset(
    {"faithfulness", "answer_relevancy", "context_precision", "context_recall"}
    | {"context_relevancy", "answer_correctness", "answer_similarity", "context_entity_recall"}
)
_LESS_IS_BETTER: Final = ("noise_sensitivity",)


def _recognises(head: Head) -> bool:
    if head.data.startswith(PARQUET):
        return parquet_has(head, "user_input", "response") or (
            parquet_has(head, "user_input") and parquet_has(head, "reference")
        )
    names = names_in(head)
    if names & _OTHERS:
        return False
    if "user_input" in names:
        return bool(names & {"response", "reference", *_CONTEXTS}) and bool(names - _FIELDS)
    return {"question", "contexts"} <= names and bool(names & _OLD_METRICS)


def _read_file(path: str, problems: Findings) -> list[Log]:
    rows = list(table_rows(path, problems))
    if not rows:
        raise DataError(f"{shown(path)}: there are no rows; give the results of a finished run")
    # In CSV, all numbers are texts.
    typed = any(isinstance(value, int | float) for row in rows for value in row.fields.values())
    numbers = Numbers(problems=problems if typed else None)
    names = _metrics(rows)
    if typed:
        warn_of_lacking([(row.place, row.fields.keys()) for row in rows], "key", problems)
    if not names:
        raise DataError(
            f"{shown(path)}: no column is a metric; save what evaluate() returned, "
            "result.to_pandas(), and not the data set"
        )
    inputs = [_text(row, _ASKED) for row in rows]
    samples = []
    for item, asked, row in zip(_items(inputs), inputs, rows, strict=True):
        if not asked:
            problems.complain(f"{row.place}: there is no `user_input`; give every row one")
            continue
        texts = {
            name: value for name, value in row.fields.items() if name not in {*names, *_FIELDS}
        }
        texts |= {name: row.fields[name] for name in _LABELS if name in row.fields}
        gold = _text(row, _GOLD)
        samples.append(
            Sample(
                item=item,
                values=numbers.of({name: row.fields.get(name) for name in names}, row.place),
                place=row.place,
                input=asked,
                gold=gold,
                output=_text(row, _ANSWERED),
                labels=scalar_labels(texts, "row"),
                gold_print=gold,
            )
        )
    lower = tuple((name,) for name in names if name.startswith(_LESS_IS_BETTER))
    return [Log(path, tuple(samples), faults=numbers.faults, lower=lower)]


def _items(inputs: Sequence[str]) -> list[str]:
    """Return the names of items; what is asked again is another item, as ragas counts it.

    >>> _items(["Who is it?", "Who is it?"])
    ['Who is it?', 'Who is it? (2)']
    """
    times: dict[str, int] = {}
    names = []
    for name in map(item_of, inputs):
        times[name] = times.get(name, 0) + 1
        names.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return names


def _metrics(rows: Sequence[Row]) -> list[str]:
    """Return the columns that hold numbers, or would if more than one row did."""
    found: dict[str, int] = {}
    for row in rows:
        for name, value in row.fields.items():
            if name not in _FIELDS and value is not None:
                found[name] = found.get(name, 0) + (number(value, {}) is not None)
    return [name for name, times in found.items() if 2 * times > len(rows) or times > 1]


def _text(row: Row, names: Sequence[str]) -> str:
    value = next((row.fields[name] for name in names if row.fields.get(name) is not None), "")
    return as_text(value)


FORMAT = log_format(
    "ragas",
    "results of ragas: CSV, JSON lines or Parquet",
    files="results of ragas",
    recognises=_recognises,
    read_file=_read_file,
    suffixes=(".parquet",),
)
