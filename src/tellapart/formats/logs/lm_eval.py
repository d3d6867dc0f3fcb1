"""Samples of lm-eval, `samples_TASK_TIME.jsonl`: a row for each document and filter.

`results_TIME.json` beside them, where it is there, tells the model, the groups of tasks, how every
metric is summed up and what was set (`lm_eval_results`).
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError, Notice
from tellapart.files import shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.lm_eval_results import (
    PERPLEXITIES,
    aggregation_of,
    group_of,
    group_weights,
    likelihood,
    part_of,
    refuse_totals,
    results_beside,
    settings_of,
)
from tellapart.formats.logs.log import (
    LIKELIHOOD,
    Harness,
    Key,
    Log,
    Sample,
    Spelling,
    Values,
    as_text,
    list_of,
    number,
    object_of,
    scalar_labels,
    text_hash,
)
from tellapart.formats.problems import Findings
from tellapart.formats.records import json_lines
from tellapart.words import encodable, several

_NAME: Final = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl")
_FIELDS: Final = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)
_RESPONSES: Final = frozenset({"resps", "filtered_resps"})
# Tuples: unlike dict | list, they are not made anew for every sample.
_HOLDERS: Final = (dict, list)
_IDS: Final = (str, int)

SPELLING: Final = Spelling(("/", ","), plain=0)


def _recognises(head: Head) -> bool:
    """Return whether these are samples of lm-eval; the first line may be longer than the head."""
    row = head.first_row()
    if row is not None:
        return "doc_id" in row and not _RESPONSES.isdisjoint(row)
    keys = head.keys()
    if not {"doc_id", "doc"} <= set(keys):
        return False
    return not _RESPONSES.isdisjoint(keys) or re.search(r'"doc"\s*:\s*\{', head.text) is not None


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
    results = results_beside(path, time)
    metrics = list(map(object_of, list_of(part_of(results, "configs", task).get("metric_list"))))
    rows = _TaskRows({as_text(m.get("metric")): as_text(m.get("aggregation")) for m in metrics})
    for place, row in json_lines(path, problems):
        try:
            rows.add(row, place)
        except DataError as problem:
            problems.complain(str(problem))
    samples = tuple(rows.samples.values())
    if not (problems.fatal or rows.values.faults or any(sample.values for sample in samples)):
        none = f"none of {several(len(samples), 'document')} has a score"
        finding = none if samples else "the file is empty"
        problems.complain(f"{shown(path)}: {finding}; give the samples of a finished run")
    notices = []
    stated = part_of(results, "n-samples", task).get("effective")
    if isinstance(stated, int) and stated != len(samples):
        text = f"{shown(path)}: the results beside it say {several(stated, 'document')}, and "
        text += f"{len(samples)} are here; those here were taken."
        notices.append(Notice("not-understood", text, (path,)))
    group = group_of(task, part_of(results, "group_subtasks"))
    log = Log(
        path,
        samples,
        notices=tuple(notices),
        faults=rows.values.faults,
        system=_system(path, match is not None, results),
        task=task,
        group=group,
        group_weights=group_weights(group, results),
        settings=settings_of(results),
        time=time,
        perplexities=rows.perplexities,
    )
    keys = list(log.value_keys())
    first = [key for key in keys if metrics and key[0] == metrics[0].get("metric")] or keys
    better = part_of(results, "higher_is_better", task)
    lower = tuple(key for key in keys if better.get(key[0]) is False)
    return [replace(log, main=first[0] if first else None, lower=lower)]


def _system(path: str, named: bool, results: Mapping[str, Any]) -> str:
    """Return the name of a system: that of its model, or of the folder of its files.

    lm-eval calls the folder `org__model`. Files that were renamed name their systems themselves.
    """
    if not named or not os.path.isfile(path):
        return ""
    folder, model = Path(path).resolve().parent.name, as_text(results.get("model_name"))
    if model and folder == results.get("model_name_sanitized"):
        return model.rstrip("/").rpartition("/")[2]
    return encodable(folder.rpartition("__")[2] or folder) or "unnamed"


class _TaskRows:
    """The samples of one file, by their documents."""

    def __init__(self, aggregations: Mapping[str, str]) -> None:
        self.samples: dict[str, Sample] = {}
        self.values = Values()
        self.perplexities: dict[Key, str] = {}
        """How metrics that are no means are summed up"""
        self._aggregations = aggregations
        self._seen = set[tuple[str, str]]()

    def add(self, row: Mapping[str, Any], place: str) -> None:
        """Add one row; a further filter of a document adds to its values."""
        identity = row.get("doc_id")
        if not isinstance(identity, _IDS) or isinstance(identity, bool):
            raise DataError(
                f"{place}: this is no sample of lm-eval (it has no `doc_id`); give samples_*.jsonl"
            )
        document, filtered = str(identity), sys.intern(str(row.get("filter") or "none"))
        if (document, filtered) in self._seen:
            raise DataError(
                f"{place}: document {document!r} appears twice with the filter {filtered!r}; "
                "keep one of the rows"
            )
        self._seen.add((document, filtered))
        values = self.values.of(self._scores(row, filtered, place), place)
        known = self.samples.get(document)
        if known is None:
            self.samples[document] = _as_sample(row, values, place)
        else:
            known.values.update(values)

    def _scores(self, row: Mapping[str, Any], filtered: str, place: str) -> dict[Key, Any]:
        """Return the scores of a row, of perplexities what they are made of."""
        named = row.get("metrics")  # before lm-eval named them, they were all that is no field
        scores: dict[Key, Any] = {}
        for name in named if isinstance(named, list) else row:
            if not isinstance(name, str) or name in _FIELDS:
                continue
            key, raw = (sys.intern(name), filtered), row.get(name)
            aggregation = aggregation_of(name, self._aggregations)
            if aggregation not in PERPLEXITIES or raw is None:
                scores[key] = raw
            elif (parts := likelihood(raw)) is not None:
                self.perplexities[key] = aggregation
                scores |= {
                    (*key, part): value for part, value in zip(LIKELIHOOD, parts, strict=True)
                }
            else:
                self.values.refuse(key, raw, place, f"no log-likelihood, for {aggregation}")
        return scores


def _as_sample(row: Mapping[str, Any], values: dict[Key, float], place: str) -> Sample:
    """Return the sample of a row; of choices, the output is the likeliest."""
    requests = _requests(row.get("arguments"))
    prompt = as_text(requests[0][0]) if requests and requests[0] else ""
    gold, output = as_text(row.get("target")), ""
    choices = [as_text(request[1]) for request in requests if len(request) > 1]
    likely = _likelihoods(row.get("resps")) if len(choices) > 1 else []
    if len(likely) > 1 and len(set(choices)) == len(likely):
        output = choices[likely.index(max(likely))]
        gold = choices[int(gold)] if gold.isdecimal() and int(gold) < len(choices) else gold
    document = " ".join(filter(None, (row.get("doc_hash"), row.get("target_hash") or gold)))
    return Sample(
        item=str(row["doc_id"]),
        values=values,
        place=place,
        input=prompt,
        gold=gold,
        output=output or _responses(row),
        labels=scalar_labels(row.get("doc"), "doc"),
        data=text_hash(document),
    )


def _requests(arguments: Any) -> list[list[Any]]:
    """Return what the model was asked: a list for each request, as dicts or lists hold them."""
    requests = arguments.values() if isinstance(arguments, dict) else list_of(arguments)
    return [
        list(request.values()) if isinstance(request, dict) else request
        for request in requests
        if isinstance(request, _HOLDERS)
    ]


def _likelihoods(responses: Any) -> list[float]:
    """Return the likelihood of each choice, where these are what the model answered."""
    likelihoods = []
    for pair in list_of(responses):
        while isinstance(pair, list) and len(pair) == 1:
            (pair,) = pair
        value = number(pair[0], {}) if isinstance(pair, list) and len(pair) == 2 else None
        if value is None or math.isnan(value):
            return []
        likelihoods.append(value)
    return likelihoods


def _responses(row: Mapping[str, Any]) -> str:
    """Return what the model wrote: its responses, a line each."""
    texts = [text for response in list_of(row.get("resps")) for text in list_of(response)]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(texts)
    return as_text(row.get("filtered_resps"))


FORMAT = Harness(
    "lm-eval",
    "samples of lm-eval, files or folders",
    files="samples of lm-eval",
    recognises=_recognises,
    read_file=read_file,
    refuses=refuse_totals,
    spelling=SPELLING,
    weights="groups",
).format()
