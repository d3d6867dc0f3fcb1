"""The samples of an Inspect log: values as numbers, messages as text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.logs.samples import Key, Sample, as_text, number, scalar_labels

GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_ATTACHED: Final = "attachment://"
_SUMMARY: Final = 5120  # summaries cut longer texts, and say so
CUT: Final = "...\n(content truncated)"


def as_sample(row: Any, path: str, faults: dict[Key, str]) -> Sample:
    """Make a sample of an object that `summaries.json` or `samples` holds.

    Values that are no numbers are left out, and noted in `faults`.

    >>> row = {"id": 7, "epoch": 1, "target": "31", "scores": {"match": {"value": "C"}}}
    >>> sample = as_sample(row, "quiz.eval", {})
    >>> sample.item, sample.gold, sample.values
    ('7', '31', {('match',): 1.0})
    """
    identity = row.get("id") if isinstance(row, dict) else None
    if not isinstance(identity, str | int) or not str(identity).strip():
        raise DataError(f"{shown(path)}: a sample has no id; this is no log that Inspect wrote")
    place = f"{shown(path)}: item {str(identity)!r}, epoch {epoch_of(row)}"
    attached = row.get("attachments")
    attachments = attached if isinstance(attached, dict) else {}
    given, gold = (_text(row.get(name), attachments) for name in ("input", "target"))
    return Sample(
        item=str(identity),
        values=_values(row.get("scores"), place, faults),
        place=place,
        error=_error(row.get("error")),
        input=given,
        gold=gold,
        output=_output(row, attachments),
        labels=scalar_labels(row.get("metadata"), "metadata"),
        prompt_print=_as_in_summaries(given),
        gold_print=_as_in_summaries(gold),
    )


def epoch_of(row: Mapping[str, Any]) -> int:
    """Return the number of the run; logs without epochs have one."""
    epoch = row.get("epoch", 1)
    return epoch if isinstance(epoch, int) else 1


def is_thin(row: Mapping[str, Any]) -> bool:
    """Tell whether a summary lacks texts that the whole sample has."""
    texts = [row.get("input"), row.get("target"), _answer(row)]
    return not texts[2] or any(mark in as_text(text) for text in texts for mark in _MARKS)


_MARKS: Final = (CUT, json.dumps(CUT)[1:-1])  # in a text, and in messages as JSON


def _values(scores: Any, place: str, faults: dict[Key, str]) -> dict[Key, float]:
    values: dict[Key, float] = {}
    for scorer, score in (scores or {}).items() if isinstance(scores, dict | None) else ():
        for key, raw in _parts(scorer, score.get("value") if isinstance(score, dict) else score):
            value = number(raw, GRADES)
            if value is None:
                finding = (
                    f"{place}: the value of {'.'.join(key)!r} is {as_text(raw)[:60]!r}, which is "
                    "neither a number nor a grade (C, P, I, N); choose other values with --metric"
                )
                faults.setdefault(key, finding)
            elif not math.isnan(value):  # NaN is what Inspect writes where nothing was scored
                values[key] = value
    return values


def _parts(scorer: str, value: Any) -> Iterator[tuple[Key, Any]]:
    """Take a value apart: every key of an object and every place of a list is one."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (scorer, key), part
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield (scorer, str(place)), part
    else:
        yield (scorer,), value


def _error(error: Any) -> str:
    if isinstance(error, dict):
        error = error.get("message") or "an error"
    return str(error) if error else ""


def _answer(row: Mapping[str, Any]) -> str:
    """Return the answer that a scorer took from the output."""
    scores = row.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        answer = score.get("answer") if isinstance(score, dict) else None
        if isinstance(answer, str) and answer.strip():
            return answer
    return ""


def _output(row: Mapping[str, Any], attachments: Mapping[str, Any]) -> str:
    output = row.get("output")
    completion = output.get("completion") if isinstance(output, dict) else None
    return _text(completion, attachments) or _answer(row)


def _text(value: Any, attachments: Mapping[str, Any]) -> str:
    """Return a text, the messages of a chat, or alternatives, a line each."""
    if value is None:
        return ""
    if isinstance(value, list):
        parts = (_content(each) if isinstance(each, dict) else each for each in value)
        return "\n".join(_text(part, attachments) for part in parts)
    text = as_text(value)
    if text.startswith(_ATTACHED):
        return as_text(attachments.get(text.removeprefix(_ATTACHED), text))
    return text


def _content(message: Any) -> Any:
    """Return what a message says: its text, or the texts of its parts."""
    if not isinstance(message, dict):
        return ""
    content = message.get("content", message.get("text"))
    if isinstance(content, list):
        return [_content(part) for part in content]
    return content if content is not None else f"({message.get('type', 'nothing')})"


def _as_in_summaries(text: str) -> str:
    """Cut a text as summaries do, so that both kinds of log can be compared."""
    if text.endswith(CUT) or len(text) <= _SUMMARY:
        return text
    return text[:_SUMMARY] + CUT
