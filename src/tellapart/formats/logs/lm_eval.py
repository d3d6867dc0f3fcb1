"""Samples of lm-eval, `samples_TASK_TIME.jsonl`: a row for each document and filter.

A sample holds the score of the document for a metric that lm-eval averages. Under `perplexity` it
holds a log-likelihood, under `word_perplexity` that and a number of words; of what else lm-eval
sums up in its own way (`mcc`, `bleu`) it holds no score. `results_TIME.json` beside the samples
tells the model, the groups of tasks, how every metric is summed up and what was set.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.log import (
    LIKELIHOOD,
    Harness,
    Key,
    Log,
    Sample,
    Values,
    as_text,
    list_of,
    number,
    object_of,
    scalar_labels,
    text_hash,
    total_notice,
    without_items,
)
from tellapart.formats.problems import Findings
from tellapart.formats.records import json_lines, read_json
from tellapart.words import encodable, several

_NAME: Final = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl")
_FIELDS: Final = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    | {"doc_hash", "prompt_hash", "target_hash"}
)
_RESPONSES: Final = frozenset({"resps", "filtered_resps"})
_AGGREGATIONS: Final[Mapping[str, str]] = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
}
"""How lm-eval sums up a metric unless its task says otherwise; others are means"""
_SUMMED: Final = frozenset(_AGGREGATIONS.values())
_ROUNDING: Final = 1e-6
_INDIFFERENT: Final = frozenset({"batch_size", "max_batch_size", "device", "trust_remote_code"})
_SETTINGS: Final = ("system_instruction", "fewshot_as_multiturn", "chat_template_sha")
_OF_RESULTS: Final = frozenset(
    {"configs", "group_subtasks", "versions", "n-shot", "lm_eval_version"}
)
_IDS: Final = (str, int)
_ARGUMENTS: Final = ("arg_0", "arg_1")


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
    results = _results_beside(path, time)
    metrics = list(map(object_of, list_of(_part_of(results, "configs", task).get("metric_list"))))
    rows = _TaskRows({as_text(m.get("metric")): as_text(m.get("aggregation")) for m in metrics})
    for place, row in json_lines(path, problems, deep=True):
        try:
            rows.add(row, place)
        except DataError as problem:
            problems.complain(str(problem))
        except RecursionError:
            problems.complain(f"{place}: lists or objects are nested too deep; check the file")
    samples = tuple(rows.samples.values())
    if not (problems.fatal or rows.values.faults or any(sample.values for sample in samples)):
        none = f"none of {several(len(samples), 'document')} has a score"
        finding = none if samples else "the file is empty"
        problems.complain(f"{shown(path)}: {finding}; give the samples of a finished run")
    group = _group_of(task, _part_of(results, "group_subtasks"))
    log = Log(
        path,
        samples,
        notices=total_notice(
            path, _part_of(results, "n-samples", task).get("effective"), len(samples)
        ),
        faults=rows.values.faults,
        system=_system(path, match is not None, results),
        task=task,
        group=group,
        group_weights=_group_weights(group, results),
        settings=_settings_of(results),
        time=time,
        perplexities=rows.perplexities,
    )
    keys = list(log.value_keys())
    first = [key for key in keys if metrics and key[0] == metrics[0].get("metric")] or keys
    better = _part_of(results, "higher_is_better", task)
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
        self._known: dict[tuple[str, str], tuple[Key, str]] = {}
        """By the name of a metric and a filter its key, and how it is summed up"""
        self._seen = set[tuple[str, str]]()

    def add(self, row: Mapping[str, Any], place: str) -> None:
        """Add one row; a further filter of a document adds to its values."""
        identity = row.get("doc_id")
        if not isinstance(identity, _IDS) or isinstance(identity, bool):
            raise DataError(
                f"{place}: this is no sample of lm-eval (it has no `doc_id`); give samples_*.jsonl"
            )
        document, filtered = str(identity), str(row.get("filter") or "none")
        if (document, filtered) in self._seen:
            raise DataError(
                f"{place}: document {document!r} is there twice with the filter {filtered!r}; "
                "keep one"
            )
        self._seen.add((document, filtered))
        values = self.values.of(self._scores(row, filtered, place), place)
        known = self.samples.get(document)
        if known is None:
            self.samples[document] = _as_sample(row, document, values, place)
        else:
            known.values.update(values)

    def _scores(self, row: Mapping[str, Any], filtered: str, place: str) -> dict[Key, Any]:
        """Return the scores of a row, of perplexities what they are made of."""
        named = row.get("metrics")  # before lm-eval named them, they were all that is no field
        scores: dict[Key, Any] = {}
        for name in named if isinstance(named, list) else row:
            if not isinstance(name, str) or name in _FIELDS:
                continue
            known = self._known.get((name, filtered)) or self._learn(name, filtered)
            (key, aggregation), raw = known, row.get(name)
            if aggregation not in _SUMMED or raw is None:
                scores[key] = raw
            elif (parts := _likelihood(raw)) is not None:
                self.perplexities[key] = aggregation
                scores |= {
                    (*key, part): value for part, value in zip(LIKELIHOOD, parts, strict=True)
                }
            else:
                self.values.refuse(key, raw, place, f"no log-likelihood, for {aggregation}")
        return scores

    def _learn(self, name: str, filtered: str) -> tuple[Key, str]:
        aggregation = self._aggregations.get(name) or _AGGREGATIONS.get(name, "mean")
        known = (sys.intern(name), sys.intern(filtered)), aggregation
        return self._known.setdefault((name, filtered), known)


def _as_sample(
    row: Mapping[str, Any], document: str, values: dict[Key, float], place: str
) -> Sample:
    """Return the sample of a row; of choices, the output is the likeliest."""
    arguments = row.get("arguments")
    requests = list(arguments.values()) if isinstance(arguments, dict) else list_of(arguments)
    gold, output = as_text(row.get("target")), ""
    likely = _likelihoods(row.get("resps"))
    if len(likely) > 1:
        choices = [_argument(request, 1) for request in requests]
        if len(set(choices)) == len(likely):
            output = choices[likely.index(max(likely))]
            gold = choices[int(gold)] if gold.isdecimal() and int(gold) < len(choices) else gold
    data = f"{row.get('doc_hash') or ''} {row.get('target_hash') or gold}"
    return Sample(
        item=document,
        values=values,
        place=place,
        input=_argument(requests[0], 0) if requests else "",
        gold=gold,
        output=output if likely else _responses(row),
        labels=scalar_labels(row.get("doc"), "doc"),
        data=text_hash(data.strip()),
    )


def _argument(request: Any, number: int) -> str:
    """Return one of the arguments of a request, which stand in a list or under their names."""
    if isinstance(request, dict):
        return as_text(request.get(_ARGUMENTS[number]))
    known = isinstance(request, list) and number < len(request)
    return as_text(request[number]) if known else ""


def _likelihoods(responses: Any) -> list[float]:
    """Return the likelihood of each choice, where these are what the model answered.

    >>> _likelihoods([[["-3.5", "False"]], [[-1.5, False]]]), _likelihoods([["It is Ann"]])
    ([-3.5, -1.5], [])
    """
    try:
        likelihoods = [float(pair[0]) for (pair,) in responses if isinstance(pair, list)]
    except (LookupError, TypeError, ValueError):
        return []
    return [] if any(map(math.isnan, likelihoods)) else likelihoods


def _responses(row: Mapping[str, Any]) -> str:
    """Return what the model wrote: its responses, a line each."""
    texts = [text for response in list_of(row.get("resps")) for text in list_of(response)]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(texts)
    return as_text(row.get("filtered_resps"))


def _likelihood(raw: Any) -> tuple[float, float] | None:
    """Return a log-likelihood, which is never above 0, and what it is divided by; None: no such.

    >>> _likelihood(-2.5), _likelihood([-40.5, 12]), _likelihood([3, 1])
    ((-2.5, 1.0), (-40.5, 12.0), None)
    """
    pair = raw if isinstance(raw, list) else [raw, 1]
    numbers = [each for part in pair if (each := number(part, {})) is not None]
    if len(numbers) != 2 or not numbers[0] <= 0 < numbers[1]:
        return None
    return numbers[0], numbers[1]


# The results of the run


def _results_beside(path: str, time: str) -> Mapping[str, Any]:
    """Return the results of the same time; nothing if there are none."""
    place = Path(path).with_name(f"results_{time}.json")
    if path == STANDARD or not time or not place.is_file():
        return {}
    return _parsed(str(place), place.stat().st_mtime_ns)


def _part_of(tree: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the object at the end of some keys; an empty one if there is none."""
    for key in keys:
        tree = object_of(tree.get(key))
    return tree


@lru_cache(maxsize=2)
def _parsed(place: str, _: int) -> Mapping[str, Any]:
    """Return the results, which are the same for the samples of all tasks."""
    return object_of(read_json(place))


def _settings_of(tree: Mapping[str, Any]) -> dict[str, str]:
    """Return what was set for the run, which may tell runs of one model apart."""
    settings: dict[str, Any] = {}
    for name in ("model_args", "gen_kwargs"):
        given = _part_of(tree, "config").get(name)
        if isinstance(given, str):
            given = dict(part.partition("=")[::2] for part in given.split(",") if "=" in part)
        settings |= object_of(given)
    shots = set(map(str, _part_of(tree, "n-shot").values()))
    settings["num_fewshot"] = shots.pop() if len(shots) == 1 else None  # set for all tasks
    settings |= {name: tree.get(name) for name in _SETTINGS}
    settings["model"] = tree.get("model_name")
    return {
        name: as_text(value)[:60]
        for name, value in settings.items()
        if value not in (None, "") and name not in _INDIFFERENT
    }


def _group_of(task: str, subtasks: Mapping[str, Any]) -> str:
    """Return the outermost group that a task is of.

    >>> _group_of("law", {"mmlu": ["humanities"], "humanities": ["law"]})
    'mmlu'
    """
    chain = [task]
    while above := [g for g, members in subtasks.items() if chain[-1] in list_of(members)]:
        if above[0] in chain:
            break
        chain.append(above[0])
    return chain[-1] if len(chain) > 1 else ""


def _group_weights(group: str, tree: Mapping[str, Any]) -> str:
    """Return what counts the same in a group, which only its scores tell: items, or tasks.

    >>> scores = {"a": {"acc,none": 0.2}, "b": {"acc,none": 0.8}, "g": {"acc,none": 0.5}}
    >>> sizes = {"a": {"effective": 10}, "b": {"effective": 30}}
    >>> tree = {"results": scores, "n-samples": sizes, "group_subtasks": {"g": ["a", "b"]}}
    >>> _group_weights("g", tree)
    'tasks'
    """
    members = list_of(_part_of(tree, "group_subtasks").get(group))
    sizes = {task: _part_of(tree, "n-samples", task).get("effective") or 0 for task in members}
    for name, stated in _part_of(tree, "results", group).items():
        scores = {task: _part_of(tree, "results", task).get(name) for task in members}
        known = {task: float(s) for task, s in scores.items() if isinstance(s, int | float)}
        if "," not in name or not isinstance(stated, int | float) or len(known) < 2:
            continue
        total = sum(sizes[task] for task in known) or math.nan
        by_items = math.fsum(score * sizes[task] for task, score in known.items()) / total
        by_tasks = math.fsum(known.values()) / len(known)
        if abs(by_items - stated) > _ROUNDING > abs(by_tasks - stated):
            return "tasks"
    return "items"


def _refuse_totals(head: Head) -> DataError | None:
    """Return why a file of totals cannot be tested and what can, if the file is one."""
    keys = head.keys()
    if "results" not in keys or "config_general" in keys or not _OF_RESULTS.intersection(keys):
        return None
    remedy = "give its folder with samples_TASK_*.jsonl, which `--log_samples` writes"
    return without_items(head.path, remedy)


FORMAT = Harness(
    "lm-eval",
    "samples of lm-eval, files or folders",
    files="samples of lm-eval",
    recognises=_recognises,
    read_file=read_file,
    refuses=_refuse_totals,
    separator="/",
    plain=0,
    weights="groups",
).format()
