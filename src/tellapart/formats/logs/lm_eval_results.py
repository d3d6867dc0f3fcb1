"""The results file of lm-eval that stands beside samples: what it says of the run and its scores.

It names the model, the groups of tasks, how every metric is summed up and what was set.

A sample holds the score of the document for a metric that lm-eval averages. Under `perplexity` it
holds a log-likelihood, under `word_perplexity` that and a number of words; of what else lm-eval
sums up in its own way (`mcc`, `bleu`) it holds no score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD
from tellapart.formats.head import Head
from tellapart.formats.logs.log import as_text, list_of, number, object_of, without_items
from tellapart.formats.records import read_json

_PERPLEXITIES: Final[Mapping[str, str]] = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
}
"""How lm-eval sums up a metric unless its task says otherwise; others are means"""
PERPLEXITIES: Final = frozenset(_PERPLEXITIES.values())
_ROUNDING: Final = 1e-6
_INDIFFERENT: Final = frozenset({"batch_size", "max_batch_size", "device", "trust_remote_code"})
_SETTINGS: Final = ("system_instruction", "fewshot_as_multiturn", "chat_template_sha")
_OF_RESULTS: Final = frozenset(
    {"configs", "group_subtasks", "versions", "n-shot", "lm_eval_version"}
)


def aggregation_of(metric: str, stated: Mapping[str, str]) -> str:
    """Return how a metric is summed up; `stated` is what the results of the run say of its task.

    >>> aggregation_of("word_perplexity", {}), aggregation_of("perplexity", {"perplexity": "mean"})
    ('weighted_perplexity', 'mean')
    """
    return stated.get(metric) or _PERPLEXITIES.get(metric, "mean")


def likelihood(raw: Any) -> tuple[float, float] | None:
    """Return a log-likelihood, which is never above 0, and what it is divided by; None: no such.

    >>> likelihood(-2.5), likelihood([-40.5, 12]), likelihood([3, 1])
    ((-2.5, 1.0), (-40.5, 12.0), None)
    """
    pair = raw if isinstance(raw, list) else [raw, 1]
    numbers = [each for part in pair if (each := number(part, {})) is not None]
    if len(numbers) != 2 or not numbers[0] <= 0 < numbers[1]:
        return None
    return numbers[0], numbers[1]


def results_beside(path: str, time: str) -> Mapping[str, Any]:
    """Return the results of the same time; nothing if there are none."""
    place = Path(path).with_name(f"results_{time}.json")
    if path == STANDARD or not time or not place.is_file():
        return {}
    return _parsed(str(place), place.stat().st_mtime_ns)


def part_of(tree: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the object at the end of some keys; an empty one if there is none."""
    for key in keys:
        tree = object_of(tree.get(key))
    return tree


@lru_cache(maxsize=2)
def _parsed(place: str, _: int) -> Mapping[str, Any]:
    """Return the results, which are the same for the samples of all tasks."""
    return object_of(read_json(place))


def settings_of(tree: Mapping[str, Any]) -> dict[str, str]:
    """Return what was set for the run, which may tell runs of one model apart."""
    settings: dict[str, Any] = {}
    for name in ("model_args", "gen_kwargs"):
        given = part_of(tree, "config").get(name)
        if isinstance(given, str):
            given = dict(part.partition("=")[::2] for part in given.split(",") if "=" in part)
        settings |= object_of(given)
    shots = set(map(str, part_of(tree, "n-shot").values()))
    settings["num_fewshot"] = shots.pop() if len(shots) == 1 else None  # set for all tasks
    settings |= {name: tree.get(name) for name in _SETTINGS}
    settings["model"] = tree.get("model_name")
    return {
        name: as_text(value)[:60]
        for name, value in settings.items()
        if value not in (None, "") and name not in _INDIFFERENT
    }


def group_of(task: str, subtasks: Mapping[str, Any]) -> str:
    """Return the outermost group that a task is of.

    >>> group_of("law", {"mmlu": ["humanities"], "humanities": ["law"]})
    'mmlu'
    """
    chain = [task]
    while above := [g for g, members in subtasks.items() if chain[-1] in list_of(members)]:
        if above[0] in chain:
            break
        chain.append(above[0])
    return chain[-1] if len(chain) > 1 else ""


def group_weights(group: str, tree: Mapping[str, Any]) -> str:
    """Return what counts the same in a group, which only its scores tell: items, or tasks.

    >>> scores = {"a": {"acc,none": 0.2}, "b": {"acc,none": 0.8}, "g": {"acc,none": 0.5}}
    >>> sizes = {"a": {"effective": 10}, "b": {"effective": 30}}
    >>> tree = {"results": scores, "n-samples": sizes, "group_subtasks": {"g": ["a", "b"]}}
    >>> group_weights("g", tree)
    'tasks'
    """
    members = list_of(part_of(tree, "group_subtasks").get(group))
    sizes = {task: part_of(tree, "n-samples", task).get("effective") or 0 for task in members}
    for name, stated in part_of(tree, "results", group).items():
        scores = {task: part_of(tree, "results", task).get(name) for task in members}
        known = {task: float(s) for task, s in scores.items() if isinstance(s, int | float)}
        if "," not in name or not isinstance(stated, int | float) or len(known) < 2:
            continue
        total = sum(sizes[task] for task in known) or math.nan
        by_items = math.fsum(score * sizes[task] for task, score in known.items()) / total
        by_tasks = math.fsum(known.values()) / len(known)
        if abs(by_items - stated) > _ROUNDING > abs(by_tasks - stated):
            return "tasks"
    return "items"


def refuse_totals(head: Head) -> DataError | None:
    """Return why a file of totals cannot be tested and what can, if the file is one."""
    keys = head.keys()
    if "_evaluate_version" in keys:
        remedy = "give a table with a row per item (item, score) instead"
    elif "results" in keys and "config_general" not in keys and _OF_RESULTS.intersection(keys):
        there = head.path != STANDARD and any(Path(head.path).parent.glob("samples_*.jsonl*"))
        remedy = "give samples_TASK_*.jsonl from the same folder instead"
        if not there:
            remedy = "run lm-eval again with --log_samples, and give samples_TASK_*.jsonl"
    else:
        return None
    return without_items(head.path, remedy)
