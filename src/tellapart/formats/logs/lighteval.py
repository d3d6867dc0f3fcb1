"""Details of lighteval, `details_TASK_TIME.parquet`: the metrics of every sample.

lighteval writes them to `details/ORG/MODEL/TIME/`; of several times, the newest counts. What it
writes to `results/` are totals, which are refused by naming the details.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Log, Sample, as_text
from tellapart.formats.logs.rows import Numbers, Row, names_in, parquet_has, parquet_rows
from tellapart.formats.logs.totals import TotalsError
from tellapart.formats.problems import Findings

_TIME: Final = r"\d{4}-\d\d-\d\dT[\d.:-]+"
_NAME: Final = re.compile(rf"details_(?P<task>.+?)(_(?P<time>{_TIME}))?\.parquet")
_RESULTS: Final = frozenset({"config_general", "results", "summary_general"})
_COLUMNS: Final = (
    *("doc.id", "doc.query", "doc.choices", "doc.gold_index", "doc.task_name"),
    *("model_response.text", "model_response.logprobs", "metric"),
    # Before lighteval 0.10:
    *("full_prompt", "choices", "gold", "gold_index", "predictions", "metrics"),
)


def _recognises(head: Head) -> bool:
    return parquet_has(head, "doc", "metric", "model_response") or parquet_has(
        head, "full_prompt", "predictions", "metrics"
    )


def _refuses(head: Head) -> DataError | None:
    if not names_in(head) >= _RESULTS:
        return None
    tasks = re.search(r'"results"\s*:\s*\{\s*"([^"]+)"', head.text)
    wanted = f"details_{tasks[1] if tasks else 'TASK'}_*.parquet"
    return TotalsError(
        f"{shown(head.path)} has totals only. A paired test needs one score per item: give "
        f"{wanted} from the folder details instead, which lighteval writes with --save-details."
    )


def _read_file(path: str, problems: Findings) -> list[Log]:
    numbers = Numbers(problems=problems)
    samples: list[Sample] = []
    tasks: dict[str, None] = {}
    for number, row in enumerate(parquet_rows(path, _COLUMNS)):
        with problems.of_file():
            doc = row.fields.get("doc") or {}
            tasks[as_text(doc.get("task_name") or "")] = None
            samples.append(_sample(row, doc, str(number), numbers))
    if not samples and not problems.fatal:
        problems.complain(f"{shown(path)}: there are no samples; give details of a finished run")
    name = None if path == STANDARD else _NAME.fullmatch(unpacked_name(Path(path).name))
    task = name["task"] if name else " ".join(tasks)
    time = (name["time"] if name else None) or ""
    folder = Path(path).resolve().parent
    dated = bool(time) and re.fullmatch(_TIME, folder.name) is not None
    return [
        Log(
            path,
            tuple(samples),
            faults=numbers.faults,
            system=folder.parent.name if dated else "",
            task=task,
            identity=f"{folder.parent} {task}" if dated else "",
            time=time,
        )
    ]


def _sample(row: Row, doc: Mapping[str, Any], number: str, numbers: Numbers) -> Sample:
    fields = row.fields
    metrics = fields.get("metric") or fields.get("metrics")
    if not isinstance(metrics, dict) or not metrics:
        raise DataError(f"{row.place}: the sample has no metric; write the details again")
    choices = _list(doc.get("choices", fields.get("choices")))
    gold = _list(doc.get("gold_index", fields.get("gold_index")))
    answer = fields.get("model_response") or {}
    prompt = as_text(doc.get("query") or fields.get("full_prompt") or "")
    right = _chosen(choices, gold) or [as_text(each) for each in _list(fields.get("gold"))]
    return Sample(
        item=as_text(doc.get("id") or number),
        values=numbers.of(metrics, row.place),
        place=row.place,
        input=prompt,
        gold="\n".join(right),
        output=_output(answer, choices, fields),
        prompt_print=prompt,
        gold_print="\n".join(right),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _chosen(choices: Sequence[Any], places: Sequence[Any]) -> list[str]:
    return [
        as_text(choices[place])
        for place in places
        if isinstance(place, int) and 0 <= place < len(choices)
    ]


def _output(answer: Mapping[str, Any], choices: Sequence[Any], fields: Mapping[str, Any]) -> str:
    """Return what was generated, or the choice that is likeliest."""
    texts = _list(answer.get("text") or fields.get("predictions"))
    likely = [each for each in _list(answer.get("logprobs")) if isinstance(each, int | float)]
    if texts or not likely or len(likely) != len(choices):
        return "\n".join(map(as_text, texts))
    return as_text(choices[likely.index(max(likely))])


FORMAT = log_format(
    "lighteval",
    "details of lighteval, Parquet",
    files="details of lighteval",
    recognises=_recognises,
    read_file=_read_file,
    refuses=_refuses,
    suffixes=(".parquet",),
)
