"""`--as openai-evals`: the record of a run of OpenAI's evals, one event a line.

The first line has the spec of the run, then come events of samples (what was asked and sampled,
whether it matched, metrics, errors), and at the end the final report.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import Gathered, first_object, part, plain_text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.rows import Row, table_rows
from tellapart.formats.problems import Findings

ACCURACY: Final[Key] = ("accuracy",)
_ROUNDING: Final = 1e-6


def _recognises(head: Head) -> bool:
    spec = first_object(head).get("spec")
    return isinstance(spec, dict) and "eval_name" in spec


@dataclass(slots=True)
class _Events:
    """What the events say of one sample."""

    place: str
    matches: list[Any] = field(default_factory=list)
    metrics: dict[Key, Any] = field(default_factory=dict)
    prompt: str = ""
    gold: str = ""
    outputs: list[str] = field(default_factory=list)
    error: str = ""

    def add(self, kind: Any, data: Mapping[str, Any]) -> None:
        """Take in one event."""
        if kind == "match":
            self.matches.append(data.get("correct"))
            self.gold = self.gold or plain_text(data.get("expected"))
        elif kind == "metrics":
            self.metrics.update({(name,): value for name, value in data.items()})
        elif kind == "sampling":
            self.prompt = self.prompt or plain_text(data.get("prompt"))
            self.outputs.append(plain_text(data.get("sampled")))
        elif kind == "error":
            self.error = plain_text(data.get("message")) or "error"


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    spec: dict[str, Any] = {}
    report: dict[str, Any] = {}
    events: dict[str, _Events] = {}
    for row in table_rows(path, problems):
        if "spec" in row.fields:
            spec = part(row, "spec")
        elif "final_report" in row.fields:
            report = part(row, "final_report")
        else:
            _add(row, events, problems)
    for item, each in events.items():
        for sample in _samples(item, each, found):
            found.add(sample, ",".join(map(str, _models(spec))), str(spec.get("eval_name") or ""))
    for problem in _contradictions(report, found):
        problems.warn(f"{shown(path)}: {problem}")
    return found.logs(
        main=ACCURACY if any(each.matches for each in events.values()) else None,
        time=str(spec.get("created_at") or ""),
    )


def _add(row: Row, events: dict[str, _Events], problems: Findings) -> None:
    item = row.fields.get("sample_id")
    if item is None or "type" not in row.fields:
        problems.complain(
            f"{row.place}: this is no event of a sample (it has no `sample_id` or `type`); give "
            "the record that the run wrote"
        )
        return
    known = events.setdefault(str(item), _Events(row.place))
    known.add(row.fields["type"], part(row, "data"))


def _models(spec: Mapping[str, Any]) -> list[Any]:
    models = spec.get("completion_fns") or spec.get("model_name") or spec.get("model_names") or []
    if isinstance(models, dict):
        models = models.get("completions") or []
    return models if isinstance(models, list) else [models]


def _samples(item: str, events: _Events, found: Gathered) -> list[Sample]:
    """Return the attempts at an item: one for each match, or one with metrics alone."""
    attempts = []
    for k, correct in enumerate(events.matches or [None]):
        fields = {**events.metrics, **({ACCURACY: correct} if events.matches else {})}
        output = events.outputs[k] if k < len(events.outputs) else "".join(events.outputs[:1])
        attempts.append(
            Sample(
                item,
                found.values(fields, events.place),
                events.place,
                error=events.error,
                input=events.prompt,
                gold=events.gold,
                output=output,
                prompt_print=events.prompt,
                gold_print=events.gold,
            )
        )
    return attempts


def _contradictions(report: Mapping[str, Any], found: Gathered) -> list[str]:
    """Return what the final report says otherwise, or that there is none."""
    if not report:
        return ["there is no final report; the run may not have ended, and what is here was taken"]
    stated = report.get("accuracy")
    values = [
        sample.values[ACCURACY]
        for samples in found.samples.values()
        for sample in samples
        if ACCURACY in sample.values
    ]
    if not values or not isinstance(stated, int | float):
        return []
    mean = math.fsum(values) / len(values)
    if abs(mean - stated) <= _ROUNDING:
        return []
    return [
        f"the final report gives {stated:.4g} as the accuracy, and the samples have {mean:.4g}; "
        "the samples were taken"
    ]


FORMAT = log_format(
    "openai-evals",
    "records of OpenAI's evals, JSONL",
    files="records of OpenAI's evals",
    recognises=_recognises,
    read_file=_read_file,
)
