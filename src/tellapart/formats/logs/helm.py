"""Runs of HELM: `per_instance_stats.json`, with the run and the texts from the files beside it.

As HELM does, a task is scored by its main metric on its main split, without perturbations; other
metrics are further values. What tells of the run and not of an answer (numbers of references,
reasons to finish) is no value. Trials with other examples in the prompt are repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.logs.log import as_text, list_of, object_of
from tellapart.formats.logs.recipe_reader import Opened, Recipe
from tellapart.formats.records import Record
from tellapart.words import listed, several

_STATS: Final = "per_instance_stats.json"
_MODEL: Final = re.compile(r",?model(_deployment)?=[^,]*")
_OF_THE_RUN: Final = re.compile(
    r"num_references|num_train_trials|num_train_instances|num_bytes|num_perplexity_tokens|logprob|"
    r"batch_size|prompt_truncated|max_prob|finish_reason_\w+|training_(co2|energy)_cost|"
    r"predicted_index|num_instances|inference_\w*idealized\w*|inference_\w*denoised\w*"
)
_SETTINGS: Final = (
    "method", "instructions", "temperature", "max_train_instances", "num_outputs",
)  # fmt: skip
_COSTS: Final = (
    "inference_runtime", "num_prompt_tokens", "num_completion_tokens", "num_output_tokens",
)  # fmt: skip
_USUAL: Final = ("exact_match", "test")


@cache
def _mains() -> dict[str, tuple[str, str]]:
    """Return the metric and split that HELM scores groups of runs by, where not the usual."""
    text = (files("tellapart") / "data" / "helm_mains.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {group: (metric, split) for metric, split, groups in rows for group in groups.split()}


def helm(file: Opened) -> Iterator[Record]:
    """Yield the instances of the split that HELM scores, trial by trial."""
    spec = file.beside(_STATS, "run_spec.json")
    name, adapter = as_text(spec.get("name")), object_of(spec.get("adapter_spec"))
    file.settings |= {key: adapter[key] for key in _SETTINGS if key in adapter}
    groups = [group for group in list_of(spec.get("groups")) if isinstance(group, str)]
    scored_by = (_mains().get(each) for each in (*groups[::-1], name.partition(":")[0]))
    metric, split = next(filter(None, scored_by), _USUAL)
    run = {
        "model": as_text(adapter.get("model")).rpartition("/")[2],
        "task": _task(name),
        "group": groups[0] if groups else "",
    }
    states = _states(file)
    attempts, splits = _attempts(file)
    if split not in splits:
        split = next(iter(splits), "")
    metrics = dict.fromkeys(name for attempt in attempts.values() for name in attempt.fields)
    _choose_main(file, metric, metrics)
    for other, instances in splits.items():
        if other != split:
            left = f"{several(len(instances), 'instance')} of {other!r} left out."
            file.remarks.append(f"HELM scores the split {split!r}; {left}")
    for (trial, instance), (place, scores) in sorted(attempts.items(), key=lambda each: each[0][0]):
        if instance in splits[split]:
            state = _texts(states.get((trial, instance), {}))
            yield Record(place, {**run, **state, "instance": instance, "scores": scores})


def _choose_main(file: Opened, metric: str, metrics: Mapping[str, None]) -> None:
    """Set the metric that the task is scored by: HELM's own, or else the first there is."""
    file.main = next(iter([*(n for n in (metric, _USUAL[0]) if n in metrics), *metrics]), metric)
    if file.main != metric and metrics:
        file.remarks.append(
            f"{shown(file.path)}: HELM scores this task by {metric!r}, which single instances do "
            f"not have; {file.main!r} stands for it."
        )


_Attempts = dict[tuple[int, str], Record]


def _attempts(file: Opened) -> tuple[_Attempts, dict[str, set[str]]]:
    """Return the scores of each trial and instance, and the instances of each split."""
    attempts: _Attempts = {}
    splits: dict[str, set[str]] = {}
    left_out: dict[str, None] = {}
    for place, row in file.records:
        instance, trial = row.get("instance_id"), row.get("train_trial_index")
        if not isinstance(instance, str) or not isinstance(trial, int):
            raise DataError(f"{place}: no `instance_id` or `train_trial_index`; copy the run again")
        scores = attempts.setdefault((trial, instance), Record(place, {})).fields
        for stat in map(object_of, list_of(row.get("stats"))):
            about = object_of(stat.get("name"))
            metric, count, total = as_text(about.get("name")), stat.get("count"), stat.get("sum")
            splits.setdefault(as_text(about.get("split")), set()).add(instance)
            if _OF_THE_RUN.fullmatch(metric) or about.get("perturbation"):
                left_out[f"perturbed {metric}" if about.get("perturbation") else metric] = None
                continue
            if not isinstance(count, int) or not isinstance(total, int | float) or metric in scores:
                raise DataError(
                    f"{place}: {metric!r} has no count and sum, or is there twice; copy the run "
                    "again"
                )
            if count > 0:
                scores[metric] = float(total) / count
    if left_out:
        file.remarks.append(f"Left out, no scores of plain answers: {listed([*left_out], 4)}.")
    return attempts, splits


def _task(run: str) -> str:
    """Return the task of a run: its name without the model.

    >>> _task("boolq:model=org_alder,data_augmentation=canonical")
    'boolq:data_augmentation=canonical'
    >>> _task("mmlu:subject=law,model=org_alder"), _task("gsm:model=org_alder")
    ('mmlu:subject=law', 'gsm')
    """
    return _MODEL.sub("", run).replace(":,", ":").rstrip(":")


def _states(file: Opened) -> dict[tuple[int, str], dict[str, Any]]:
    """Return what was asked and answered, by trial and instance."""
    states: dict[tuple[int, str], dict[str, Any]] = {}
    asked = file.beside(_STATS, "scenario_state.json").get("request_states")
    for state in map(object_of, list_of(asked)):
        instance = object_of(state.get("instance"))
        trial = state.get("train_trial_index") or 0
        plain = not instance.get("perturbation") and state.get("reference_index") is None
        if instance and plain and isinstance(trial, int):
            states.setdefault((trial, as_text(instance.get("id"))), state)
    return states


def _texts(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return prompt, right answers and answer of an instance, and why its request failed."""
    asked, result = object_of(state.get("instance")), object_of(state.get("result"))
    completions = list_of(result.get("completions")) or [{}]
    answer = as_text(object_of(completions[0]).get("text"))
    chosen = object_of(state.get("output_mapping")).get(answer.strip())
    failed = result.get("success") is False
    return {
        "prompt": object_of(state.get("request")).get("prompt"),
        "asked": object_of(asked.get("input")).get("text"),
        "gold": [
            as_text(object_of(reference.get("output")).get("text"))
            for reference in map(object_of, list_of(asked.get("references")))
            if "correct" in list_of(reference.get("tags"))
        ],
        "answer": answer if chosen is None else f"{answer.strip()} ({as_text(chosen)})",
        "error": result.get("error") or "the request failed" if failed else "",
        "labels": {key: asked[key] for key in ("sub_split",) if asked.get(key) is not None},
    }


_OTHER_FILES: Final = "give the folder of the run, or per_instance_stats.json in it"
FORMAT: Final = Recipe(
    "helm",
    about="runs of HELM: per_instance_stats.json, or folders of runs",
    marks=(frozenset({"instance_id", "train_trial_index", "stats"}),),
    records=helm,
    item="instance",
    scores="scores",
    system="model",
    task="task",
    group="group",
    costs={name: f"scores.{name}" for name in _COSTS},
    error="error",
    labels="labels",
    input=("prompt", "asked"),
    gold="gold",
    output="answer",
    totals={
        frozenset({"name", "count", "sum", "sum_squared"}): _OTHER_FILES,
        frozenset({"scenario_spec", "adapter_spec", "metric_specs"}): _OTHER_FILES,
        frozenset({"adapter_spec", "request_states"}): _OTHER_FILES,
    },
)
