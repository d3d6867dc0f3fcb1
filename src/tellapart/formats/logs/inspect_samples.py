"""The samples of a log of Inspect, made one by one of what `summaries.json` or `samples` hold."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.logs.kept_texts import LARGE, KeptTexts, text_print
from tellapart.formats.logs.log import Key, Sample, as_text, number, scalar_labels

GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
CUT: Final = "...\n(content truncated)"
_CUT_MARKS: Final = (CUT, json.dumps(CUT)[1:-1])  # in a text, and in messages as JSON
_SUMMARY: Final = 5120  # summaries cut longer texts, and say so
_ATTACHED: Final = "attachment://"
TIMES: Final = ("total_time", "working_time")
TOKENS: Final = ("total_tokens", "input_tokens", "output_tokens", "total_cost")


class SampleRows:
    """The samples of one log, of which no row is kept; what is wrong with one is told at the end.

    The header may say that the run failed, whose rows are of no account, and it may come last.
    """

    def __init__(self, path: str, header: Any) -> None:
        self._path, self._header = path, object_of(header)
        self.kept = KeptTexts(large=os.path.isfile(path) and os.path.getsize(path) > LARGE)
        self._samples: list[Sample] = []
        self._epochs: list[int] = []
        self._names: list[tuple[str, ...] | None] = []  # of the metadata of each
        self._shapes: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._seen: set[tuple[str, int]] = set()
        self._faults: dict[int, dict[Key, str]] = {}  # by epoch
        self._refusal: DataError | None = None

    def add(self, row: Any) -> None:
        """Add the sample of a row."""
        if self._refusal is not None:
            return
        try:
            epoch = self._checked_epoch(row)
            faults = self._faults.setdefault(epoch, {})
            sample = _as_sample(row, self._path, faults, _only_scorer(self._header))
        except DataError as error:
            self._refusal = error
            return
        metadata = row.get("metadata")
        names = tuple(map(sys.intern, metadata)) if isinstance(metadata, dict) else None
        self._names.append(names if names is None else self._shapes.setdefault(names, names))
        self._epochs.append(epoch)
        self._samples.append(self.kept.take(sample))
        if self.kept.too_many():
            self._samples = list(self.kept.drop(self._samples))

    def refuse(self, text: str) -> None:
        """Keep what is wrong with all of the samples."""
        self._refusal = DataError(text)

    def checked(self, spec: Mapping[str, Any]) -> tuple[Sample, ...]:
        """Return the samples, epoch by epoch, or refuse them."""
        if self._refusal is not None:
            raise self._refusal
        if not self._samples:
            config = spec.get("config")
            off = isinstance(config, dict) and config.get("log_samples") is False
            why = "it was written with --no-log-samples" if off else "the log is empty"
            raise DataError(
                f"{shown(self._path)}: there are no samples ({why}); a paired test needs one score "
                "per item: run the evaluation with --log-samples"
            )
        return tuple(self._samples[k] for k in self._order())

    def faults(self) -> dict[Key, str]:
        """Return the values that are no numbers: what is wrong with the first."""
        found: dict[Key, str] = {}
        for epoch in sorted(self._faults):
            found = {**found, **{k: v for k, v in self._faults[epoch].items() if k not in found}}
        return found

    def label_names(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what the metadata of each sample that has any are called, by its place."""
        found = ((self._samples[k].item, self._names[k]) for k in self._order())
        return [
            (f"{shown(self._path)}: item {item!r}", names)
            for item, names in found
            if names is not None
        ]

    def _order(self) -> list[int]:
        return sorted(range(len(self._epochs)), key=self._epochs.__getitem__)

    def _checked_epoch(self, row: Any) -> int:
        if not isinstance(row, dict):
            return 0
        epoch = row.get("epoch", 1)
        if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 1:
            raise DataError(
                f"{shown(self._path)}: item {str(row.get('id'))!r}: the epoch is "
                f"{as_text(epoch)[:40]!r}, no whole number from 1 on; give a log that Inspect wrote"
            )
        pair = str(row.get("id")), epoch
        if pair in self._seen:
            raise DataError(
                f"{shown(self._path)}: item {pair[0]!r}, epoch {pair[1]} appears twice; give each "
                "sample of the data set its own id"
            )
        self._seen.add(pair)
        return epoch


def rows_of(path: str, header: Any, rows: Any) -> SampleRows:
    """Return the samples of a list of rows, or of what should be one."""
    found = SampleRows(path, header)
    if isinstance(rows, Iterable) and not isinstance(rows, str | dict):
        for row in rows:
            found.add(row)
    elif rows is not None:
        found.refuse(f"{shown(path)}: the samples are no list; give a log that Inspect wrote")
    return found


def object_of(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Return a field as a text; an empty one where there is none."""
    return str(fields.get(name) or "")


def _only_scorer(header: Any) -> str:
    """Return the name of the scorer of logs that had one only, and no name for it in samples."""
    scorer = object_of(header.get("results")).get("scorer")
    return text_of(object_of(scorer), "name") or "score"


def _as_sample(row: Any, path: str, faults: dict[Key, str], scorer: str = "score") -> Sample:
    """Return the sample of an object that `summaries.json` or `samples` holds.

    Values that are no numbers are left out, and noted in `faults`. `scorer` names the only score
    of a row that has no name for it.

    >>> row = {"id": 7, "epoch": 1, "target": "31", "scores": {"match": {"value": "C"}}}
    >>> sample = _as_sample(row, "quiz.eval", {})
    >>> sample.item, sample.gold, sample.values
    ('7', '31', {('match',): 1.0})
    """
    identity = row.get("id") if isinstance(row, dict) else None
    if not isinstance(identity, str | int) or not str(identity).strip():
        raise DataError(f"{shown(path)}: a sample has no id; this is no log that Inspect wrote")
    place = f"{shown(path)}: item {str(identity)!r}, epoch {epoch_of(row)}"
    attached = row.get("attachments")
    attachments = attached if isinstance(attached, dict) else {}
    scores = row.get("scores")
    if scores is None and isinstance(row.get("score"), dict):  # as the first version had it
        scores = {scorer: row["score"]}
    values = _values(scores, place, faults)
    given, gold = (_text(row.get(name), attachments) for name in ("input", "target"))
    return Sample(
        item=str(identity),
        values={**values, **_costs(row)} if values else {},
        place=place,
        error=_error(row.get("error")),
        input=given,
        gold=gold,
        output=_output(row, attachments),
        labels=scalar_labels(row.get("metadata"), "metadata"),
        prompt_print=text_print(_as_in_summaries(given)),
        gold_print=text_print(_as_in_summaries(gold)),
    )


def epoch_of(row: Mapping[str, Any]) -> int:
    """Return the number of the run; logs without epochs have one."""
    epoch = row.get("epoch", 1)
    return epoch if isinstance(epoch, int) else 1


def is_thin(row: Mapping[str, Any]) -> bool:
    """Return whether a summary lacks texts that the whole sample has."""
    texts = [row.get("input"), row.get("target"), _answer(row)]
    return not texts[2] or any(mark in as_text(text) for text in texts for mark in _CUT_MARKS)


def _values(scores: Any, place: str, faults: dict[Key, str]) -> dict[Key, float]:
    values: dict[Key, float] = {}
    if not isinstance(scores, dict | None):
        raise DataError(f"{place}: the scores are no object; give a log that Inspect wrote")
    for scorer, score in (scores or {}).items():
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


def _costs(row: Mapping[str, Any]) -> dict[Key, float]:
    """Return what a sample took: seconds, and tokens of all models."""
    found: dict[Key, float] = {}
    for name in TIMES:
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            found[name,] = float(value)
    usages = [each for each in object_of(row.get("model_usage")).values() if isinstance(each, dict)]
    for name in TOKENS:
        numbers = [each[name] for each in usages if isinstance(each.get(name), int | float)]
        if numbers:
            found[name,] = math.fsum(numbers)
    return found


def _parts(scorer: str, value: Any) -> Iterator[tuple[Key, Any]]:
    """Yield the parts of a value: every key of an object and every place of a list is one."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (sys.intern(scorer), sys.intern(key)), part
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield (sys.intern(scorer), str(place)), part
    else:
        yield (sys.intern(scorer),), value


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
    """Return a text cut as summaries do, so that both kinds of log can be compared."""
    if text.endswith(CUT) or len(text) <= _SUMMARY:
        return text
    return text[:_SUMMARY] + CUT
