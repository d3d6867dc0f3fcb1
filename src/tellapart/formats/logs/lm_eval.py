"""Samples of lm-eval, `samples_TASK_TIME.jsonl`: a row for each document and filter.

`results_TIME.json` beside them, where it is there, tells the model, the groups of tasks, how every
metric is summed up and what was set.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.kept_texts import LARGE, KeptTexts, text_print
from tellapart.formats.logs.lm_eval_results import (
    MEANS,
    RATES,
    Results,
    aggregation_of,
    results_beside,
    stored,
)
from tellapart.formats.logs.log import (
    NOT_EMPTY,
    Aggregate,
    Key,
    Log,
    Sample,
    as_text,
    number,
    parse_log,
    scalar_labels,
)
from tellapart.formats.logs.metric_names import Spelling
from tellapart.formats.logs.totals import TotalsError, looks_like_totals
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.words import encodable, several

_NAME: Final = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl")
_FIELDS: Final = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)
_RESPONSES: Final = frozenset({"resps", "filtered_resps"})


def _recognises(head: Head) -> bool:
    """Return whether these are samples of lm-eval; the first line may be longer than the head."""
    row = head.first_row()
    if row is not None:
        return "doc_id" in row and not _RESPONSES.isdisjoint(row)
    keys = head.keys()
    if not {"doc_id", "doc"} <= set(keys):
        return False
    return not _RESPONSES.isdisjoint(keys) or re.search(r'"doc"\s*:\s*\{', head.text) is not None


def _refuses(head: Head) -> DataError | None:
    totals = looks_like_totals(head)
    return None if totals is None else TotalsError(totals)


def _short_names(keys: Sequence[Key]) -> list[str]:
    """Return the names of metrics, with the filter where there are several."""
    filters = Counter(metric for metric, _ in keys)
    return [f"{metric}/{filtered}" if filters[metric] > 1 else metric for metric, filtered in keys]


def _levels(key: Key) -> list[set[str]]:
    metric, filtered = key
    return [{f"{metric}/{filtered}", f"{metric},{filtered}"}, {metric}, {filtered}]


SPELLING: Final = Spelling(_short_names, _levels, lambda key: key[0])


def read_file(path: str, problems: Findings) -> list[Log]:
    """Return the samples of one file; rows that `problems` lets pass are left out.

    >>> import json, tempfile
    >>> row = {"doc_id": 0, "doc": {}, "resps": [["4"]], "filter": "none", "metrics": ["acc"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "samples_sums.jsonl")
    ...     _ = path.write_text(json.dumps({**row, "acc": 1.0}))
    ...     (log,) = read_file(str(path), Findings(strict=True))
    >>> log.task, log.samples[0].values
    ('sums', {('acc', 'none'): 1.0})
    """
    match = _NAME.fullmatch(unpacked_name(Path(path).name))
    task, time = (match["task"], match["time"] or "") if match else ("", "")
    results = results_beside(path, task, time, problems)
    large = os.path.isfile(path) and os.path.getsize(path) > LARGE
    found, empty = _TaskRows(results.aggregations, KeptTexts(large=large)), True
    with open_text(path) as stream:
        for line_no, line in enumerate(stream, 1):
            if line.strip():
                empty, place = False, f"{shown(path)}:{line_no}"
                with problems.of_file():
                    found.add(_checked_row(line, place), place)
    samples = tuple(found.with_texts())
    if empty:
        problems.complain(f"{shown(path)}: the file is empty; give the samples of a finished run")
    elif not (problems.fatal or found.faults or any(sample.values for sample in samples)):
        problems.complain(
            f"{shown(path)}: none of {several(len(samples), 'document')} has a score; give "
            "the samples of a finished run"
        )
    for finding in found.odd:
        problems.warn(finding)
    warn_of_lacking(found.keys, "label", problems, NOT_EMPTY)
    aggregates = found.aggregates()
    for problem in results.contradictions(samples, aggregates):
        problems.warn(f"{shown(path)}: {problem}")
    first = [key for key in found.metrics if key[0] == results.first] or list(found.metrics)
    return [
        Log(
            path,
            samples,
            notices=tuple(found.kept.notices(path)),
            faults=found.faults,
            system=_system(path, results),
            task=task,
            group=results.group,
            group_weights=results.group_weights,
            main=first[0] if first else None,
            lower=tuple(key for key in found.metrics if key[0] in results.lower),
            settings={**results.settings, **({"model": results.model} if results.model else {})},
            time=time,
            aggregates=aggregates,
        )
    ]


def _system(path: str, results: Results) -> str:
    """Return the name of a system: that of its model, or of the folder of its files.

    lm-eval calls the folder `org__model`. Files that were renamed name their systems themselves.
    """
    if _NAME.fullmatch(unpacked_name(Path(path).name)) is None or not os.path.isfile(path):
        return ""
    folder = Path(path).resolve().parent.name
    if results.model and folder == results.folder:
        return results.model.rstrip("/").rpartition("/")[2]
    return encodable(folder.rpartition("__")[2] or folder) or "unnamed"


@dataclass(slots=True)
class _TaskRows:
    """The samples of one file, and what is wrong with values that are no scores."""

    aggregations: Mapping[str, str]
    """How metrics are summed up, where the results say so"""
    kept: KeptTexts
    samples: dict[str, Sample] = field(default_factory=dict)
    faults: dict[Key, str] = field(default_factory=dict)
    seen: dict[str, set[str]] = field(default_factory=dict)
    """By filter, the documents"""
    odd: list[str] = field(default_factory=list)
    """Values that are unlike what lm-eval writes"""
    keys: list[tuple[str, Collection[str]]] = field(default_factory=list)
    """By the place of each row, what its document has"""
    shapes: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    """What documents have, each once"""
    metrics: dict[Key, None] = field(default_factory=dict)
    """The metrics that have values, in order"""
    parts: dict[Key, dict[str, None]] = field(default_factory=dict)
    """What scores are made of that are no means"""
    texts: dict[Key, dict[str, tuple[str, tuple[str, ...]]]] = field(default_factory=dict)
    """By metric and document, outputs and their references"""

    def add(self, row: Mapping[str, Any], place: str) -> None:
        """Add one row; a further filter of a document adds to its values."""
        document = str(row["doc_id"])
        filtered = str(row.get("filter") or "none")
        seen = self.seen.setdefault(filtered, set())
        if document in seen:
            raise DataError(
                f"{place}: document {document!r} appears twice with the filter {filtered!r}; "
                "keep one of the rows"
            )
        seen.add(document)
        if isinstance(row.get("doc"), dict):
            names = tuple(map(sys.intern, row["doc"]))  # no view, which would hold the texts
            self.keys.append((place, self.shapes.setdefault(names, names)))
        values = self._values(row, document, filtered, place)
        known = self.samples.get(document)
        if known is None:
            self.samples[document] = self.kept.take(_as_sample(row, values, place))
            if self.kept.too_many():
                rest = self.kept.drop(list(self.samples.values()))
                self.samples = dict(zip(self.samples, rest, strict=True))
        else:
            self.samples[document] = replace(known, values={**known.values, **values})

    def _values(
        self, row: Mapping[str, Any], document: str, filtered: str, place: str
    ) -> dict[Key, float]:
        named = row.get("metrics")  # before lm-eval named them, they were all that is no field
        values: dict[Key, float] = {}
        for name in named if isinstance(named, list) else row:
            if not isinstance(name, str) or name in _FIELDS:
                continue
            key, raw = (sys.intern(name), sys.intern(filtered)), row.get(name)
            aggregation = aggregation_of(name, self.aggregations)
            found = stored(raw, aggregation)
            if found.parts is not None:
                values.update(((*key, part), value) for part, value in found.parts.items())
                self.parts.setdefault(key, {}).update(dict.fromkeys(found.parts))
            elif found.texts is not None:
                self.texts.setdefault(key, {})[document] = found.texts
            elif found.score is None:
                self.faults.setdefault(key, _no_score(place, name, raw, aggregation))
                continue
            elif math.isnan(found.score):
                continue
            else:
                values[key] = found.score
                self._note_odd(name, raw, found.score, place)
            self.metrics[key] = None
        return values

    def _note_odd(self, name: str, raw: Any, value: float, place: str) -> None:
        if isinstance(raw, str) or (name in RATES and not 0 <= value <= 1):
            finding = "written as a text" if isinstance(raw, str) else "not between 0 and 1"
            self.odd.append(
                f"{place}: the value of {name!r} is {as_text(raw)[:60]!r}, {finding}; it "
                f"was taken for {value:g}"
            )

    def with_texts(self) -> list[Sample]:
        """Return the samples, with what BLEU, chrF and TER count in their texts."""
        for key, texts in self.texts.items():
            from tellapart.metrics.aggregates import text_numbers

            outputs, references = zip(*texts.values(), strict=True)
            kind = aggregation_of(key[0], self.aggregations)
            rows = text_numbers(kind, outputs, references)
            self.parts[key] = dict.fromkeys(rows[0])
            for document, row in zip(texts, rows, strict=True):
                known = self.samples[document]
                values = {(*key, part): value for part, value in row.items()}
                self.samples[document] = replace(known, values={**known.values, **values})
        return list(self.samples.values())

    def aggregates(self) -> dict[Key, Aggregate]:
        """Return the scores that are no means."""
        return {
            key: Aggregate(aggregation_of(key[0], self.aggregations), tuple(parts))
            for key, parts in self.parts.items()
        }


def _no_score(place: str, name: str, raw: Any, aggregation: str) -> str:
    finding = "which is no score of a single document"
    if aggregation not in MEANS:
        finding = f"of which {aggregation} makes no score"
    return (
        f"{place}: the value of {name!r} is {as_text(raw)[:60]!r}, {finding}; choose another "
        "metric with --metric"
    )


def _checked_row(line: str, place: str) -> dict[str, Any]:
    """Return the row of one line."""
    row = parse_log(line, place)
    document = row.get("doc_id") if isinstance(row, dict) else None
    if not isinstance(document, str | int) or isinstance(document, bool):
        raise DataError(
            f"{place}: this is no sample of lm-eval (it has no `doc_id`); give samples_*.jsonl"
        )
    return dict(row)


def _as_sample(row: Mapping[str, Any], values: Mapping[Key, float], place: str) -> Sample:
    """Return the sample of a row."""
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
        input=sys.intern(prompt),
        gold=_choice(gold, continuations) if choice else gold,
        output=continuations[chosen.index(max(chosen))] if choice else _responses(row),
        labels=scalar_labels(row.get("doc"), "doc"),
        prompt_print=text_print(str(row.get("prompt_hash") or prompt)),
        gold_print=text_print(str(row.get("target_hash") or gold)),
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


FORMAT = log_format(
    "lm-eval",
    "samples of lm-eval, files or folders",
    files="samples of lm-eval",
    recognises=_recognises,
    read_file=read_file,
    refuses=_refuses,
    spelling=SPELLING,
    weights="groups",
)
