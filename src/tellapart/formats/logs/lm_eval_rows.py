"""The rows of lm-eval's samples: one for each document and filter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.logs.archives import parsed
from tellapart.formats.logs.samples import Key, Sample, as_text, number, scalar_labels

_FIELDS: Final = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)


@dataclass(slots=True)
class TaskRows:
    """The samples of one file, and what is wrong with values that are no scores."""

    samples: dict[str, Sample] = field(default_factory=dict)
    faults: dict[Key, str] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, row: Mapping[str, Any], task: str, place: str) -> None:
        """Take one row; a further filter of a document adds to its values."""
        document = str(row["doc_id"])
        filtered = str(row.get("filter") or "none")
        if (document, filtered) in self.seen:
            raise DataError(
                f"{place}: document {document!r} is there twice with the filter {filtered!r}; "
                "keep one of the rows"
            )
        self.seen.add((document, filtered))
        values = self._values(row, (task, filtered), place)
        known = self.samples.get(document)
        if known is None:
            self.samples[document] = as_sample(row, values, place)
        else:
            self.samples[document] = replace(known, values={**known.values, **values})

    def _values(self, row: Mapping[str, Any], of: tuple[str, str], place: str) -> dict[Key, float]:
        named = row.get("metrics")  # before lm-eval named them, they were all that is no field
        values: dict[Key, float] = {}
        for name in named if isinstance(named, list) else row:
            if not isinstance(name, str) or name in _FIELDS:
                continue
            key = (of[0], name, of[1])
            raw = row.get(name)
            value = number(raw, {})
            if value is not None and not math.isnan(value):
                values[key] = value
            elif raw is not None:
                finding = (
                    f"{place}: the value of {name!r} is {as_text(raw)[:60]!r}, which is no score "
                    "of a single document; choose another metric with --metric"
                )
                self.faults.setdefault(key, finding)
        return values


def rows(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the rows of a file with their places; what is no row of lm-eval is a DataError."""
    empty = True
    with open_text(path) as stream:
        for line_no, line in enumerate(stream, 1):
            if line.strip():
                empty = False
                place = f"{shown(path)}:{line_no}"
                yield place, checked_row(line, place)
    if empty:
        raise DataError(f"{shown(path)}: the file is empty; give the samples of a finished run")


def checked_row(line: str, place: str) -> dict[str, Any]:
    """Parse one line."""
    row = parsed(line, place)
    if not isinstance(row, dict) or not isinstance(row.get("doc_id"), str | int):
        raise DataError(
            f"{place}: this is no sample of lm-eval (it has no `doc_id`); give samples_*.jsonl"
        )
    return row


def as_sample(row: Mapping[str, Any], values: Mapping[Key, float], place: str) -> Sample:
    """Make a sample of a row."""
    requests = _requests(row.get("arguments"))
    prompt = as_text(requests[0][0]) if requests and requests[0] else ""
    target = row.get("target")
    gold = "" if target is None else as_text(target)
    continuations = [as_text(request[1]) for request in requests if len(request) > 1]
    chosen = _likelihoods(row.get("resps"))
    choice = len(chosen) > 1 and len(set(continuations)) == len(chosen)
    return Sample(
        item=str(row["doc_id"]),
        values=values,
        place=place,
        input=prompt,
        gold=_choice(gold, continuations) if choice else gold,
        output=continuations[chosen.index(max(chosen))] if choice else _responses(row),
        labels=scalar_labels(row.get("doc"), "doc"),
        prompt_print=str(row.get("prompt_hash") or prompt),
        gold_print=str(row.get("target_hash") or gold),
        document_print=str(row.get("doc_hash") or ""),
    )


def _requests(arguments: Any) -> list[list[Any]]:
    """Return what the model was asked: a list for each request, as dicts or lists hold them."""
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    if not isinstance(requests, list):
        return []
    return [
        list(each.values()) if isinstance(each, dict) else each
        for each in requests
        if isinstance(each, dict | list)
    ]


def _likelihoods(responses: Any) -> list[float]:
    """Return the likelihood of each choice, where these are what the model answered."""
    found = []
    for response in responses if isinstance(responses, list) else ():
        pair = response
        while isinstance(pair, list) and len(pair) == 1:
            pair = pair[0]
        if not isinstance(pair, list) or len(pair) != 2:
            return []
        value = number(pair[0], {})
        if value is None or math.isnan(value):
            return []
        found.append(value)
    return found


def _choice(gold: str, continuations: Sequence[str]) -> str:
    """Return the text of the right choice, where the target is its number."""
    numbers = [str(number) for number in range(len(continuations))]
    return continuations[numbers.index(gold)] if gold in numbers else gold


def _responses(row: Mapping[str, Any]) -> str:
    """Return what the model wrote: its responses, a line each."""
    texts: list[str] = []
    responses = row.get("resps")
    for response in responses if isinstance(responses, list) else ():
        texts += response if isinstance(response, list) else [response]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(texts)
    filtered = row.get("filtered_resps")
    return "" if filtered is None else as_text(filtered)
