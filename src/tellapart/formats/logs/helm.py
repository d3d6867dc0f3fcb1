"""Runs of HELM: `per_instance_stats.json`, with the run and the texts from the files beside it.

As HELM does, a task is scored by its main metric on its main split, without perturbations; other
metrics are further values. What tells of the run and not of an answer (numbers of references,
reasons to finish) is no value. Trials with other examples in the prompt are repeats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from tellapart.errors import DataError, Notice
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import Harness
from tellapart.formats.logs.log import (
    Log,
    Sample,
    as_text,
    list_of,
    object_of,
    text_hash,
)
from tellapart.formats.logs.recipe_reader import keys_of
from tellapart.formats.problems import Findings
from tellapart.formats.records import Record, as_object, read_json, read_records
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
_COSTS: Final = re.compile(r"inference_runtime|num_(prompt|completion|output)_tokens")
_OTHERS: Final = (
    frozenset({"scenario_spec", "adapter_spec", "metric_specs"}),
    frozenset({"adapter_spec", "request_states"}),
)


def _recognises(head: Head) -> bool:
    marks = {"instance_id", "train_trial_index", "stats"}
    return head.text.lstrip().startswith("[") and keys_of(head) >= marks


def _refuses(head: Head) -> DataError | None:
    keys = keys_of(head)
    totals = {"name", "count", "sum", "sum_squared"} <= keys and "instance_id" not in keys
    if totals or any(keys >= marks for marks in _OTHERS):
        return DataError(
            f"{shown(head.path)}: this file of a HELM run has no scores of items; give the folder "
            f"of the run, or {_STATS} in it"
        )
    return None


class _Main(NamedTuple):
    """What HELM scores a task by."""

    metric: str
    split: str


_USUAL: Final = _Main("exact_match", "test")


@cache
def _mains() -> dict[str, _Main]:
    """Return what HELM scores groups of runs by, where it is not the usual."""
    text = (files("tellapart") / "data" / "helm_mains.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {group: _Main(metric, split) for metric, split, all_ in rows for group in all_.split()}


class _Attempt(NamedTuple):
    """The stats of one instance in one trial, by metric."""

    place: str
    values: dict[str, float]


@dataclass(slots=True)
class _Run:
    """The stats of all instances of a run."""

    attempts: dict[tuple[str, int], _Attempt] = field(default_factory=dict)
    """By instance and trial"""
    splits: dict[str, dict[str, None]] = field(default_factory=dict)
    """The instances of each split"""
    left_out: dict[str, None] = field(default_factory=dict)
    """What is no score of an answer"""

    def add(self, record: Record) -> None:
        """Add the stats of one instance: metrics of one instance may stand in several rows."""
        instance, trial = record.fields.get("instance_id"), record.fields.get("train_trial_index")
        if not isinstance(instance, str) or not isinstance(trial, int):
            raise DataError(
                f"{record.place}: there is no `instance_id` and `train_trial_index`; copy the run "
                "again"
            )
        attempt = self.attempts.setdefault((instance, trial), _Attempt(record.place, {}))
        for stat in map(object_of, list_of(record.fields.get("stats"))):
            name = object_of(stat.get("name"))
            metric, count, total = name.get("name"), stat.get("count"), stat.get("sum")
            if not isinstance(metric, str):
                raise DataError(f"{record.place}: a stat has no name; copy the run again")
            self.splits.setdefault(as_text(name.get("split")), {})[instance] = None
            if _OF_THE_RUN.fullmatch(metric) or name.get("perturbation"):
                self.left_out[f"perturbed {metric}" if name.get("perturbation") else metric] = None
                continue
            if count == 0:  # it was not measured
                continue
            if not isinstance(count, int) or not isinstance(total, int | float) or count < 0:
                raise DataError(
                    f"{record.place}: {metric!r} has no count and sum; copy the run again"
                )
            if metric in attempt.values:
                raise DataError(
                    f"{record.place}: {metric!r} of instance {instance!r} appears twice; copy the "
                    "run again"
                )
            attempt.values[metric] = float(total) / count

    def notices(self, split: str) -> list[Notice]:
        """Return what is not in the scores of a split."""
        notices = [
            Notice(
                "left-out",
                f"HELM scores the split {split!r}; {several(len(ids), 'instance')} of {name!r} "
                f"{'was' if len(ids) == 1 else 'were'} left out.",
                (name,),
            )
            for name, ids in self.splits.items()
            if name != split
        ]
        if names := tuple(self.left_out):
            text = "Left out, since they are no scores of plain answers: "
            notices.append(Notice("left-out", f"{text}{listed(names, 4)}.", names))
        return notices


def read_file(path: str, problems: Findings) -> list[Log]:
    """Return the log of one run."""
    spec = _beside(path, "run_spec.json")
    groups = [group for group in list_of(spec.get("groups")) if isinstance(group, str)]
    scenario = as_text(spec.get("name")).partition(":")[0]
    known = [_mains()[name] for name in (*groups[::-1], scenario) if name in _mains()]
    main = known[0] if known else _USUAL
    run = _Run()
    for record in read_records(path, problems=problems):
        with problems.of_file():
            run.add(record)
    split = main.split if main.split in run.splits else next(iter(run.splits), "")
    metrics = dict.fromkeys(name for each in run.attempts.values() for name in each.values)
    wished = [name for name in (main.metric, _USUAL.metric) if name in metrics]
    first = next(iter([*wished, *metrics]), main.metric)
    if first != main.metric and metrics:
        problems.warn(
            f"{shown(path)}: HELM scores this task by {main.metric!r}, which single instances do "
            f"not have; {first!r} stands for it"
        )
    states = _states(path)
    samples = tuple(
        _sample(instance, attempt, states.get((instance, trial), {}))
        for (instance, trial), attempt in sorted(run.attempts.items(), key=lambda each: each[0][1])
        if instance in run.splits.get(split, ())
    )
    if not samples and not problems.fatal:
        problems.complain(f"{shown(path)}: there are no instances; give a finished run")
    costs = tuple((name,) for name in metrics if _COSTS.fullmatch(name))
    adapter = object_of(spec.get("adapter_spec"))
    return [
        Log(
            path,
            samples,
            notices=tuple(run.notices(split)),
            main=(first,),
            lower=costs,
            costs=costs,
            group=groups[0] if groups else "",
            system=as_text(adapter.get("model")).rpartition("/")[2],
            task=_task(as_text(spec.get("name"))),
            settings={key: as_text(adapter[key]) for key in _SETTINGS if key in adapter},
        )
    ]


def _beside(path: str, name: str) -> dict[str, Any]:
    """Return a file of the same run; nothing where there is none."""
    file = Path(path).with_name(name)
    if path == STANDARD or not file.is_file():
        return {}
    return as_object(read_json(str(file)), shown(file))


def _task(run: str) -> str:
    """Return the task of a run: its name without the model.

    >>> _task("boolq:model=org_alder,data_augmentation=canonical")
    'boolq:data_augmentation=canonical'
    >>> _task("mmlu:subject=law,model=org_alder"), _task("gsm:model=org_alder")
    ('mmlu:subject=law', 'gsm')
    """
    return _MODEL.sub("", run).replace(":,", ":").rstrip(":")


def _states(path: str) -> dict[tuple[str, int], dict[str, Any]]:
    """Return what was asked and answered, by instance and trial."""
    states: dict[tuple[str, int], dict[str, Any]] = {}
    for state in map(
        object_of, list_of(_beside(path, "scenario_state.json").get("request_states"))
    ):
        instance = object_of(state.get("instance"))
        if instance and not instance.get("perturbation") and state.get("reference_index") is None:
            key = as_text(instance.get("id")), int(state.get("train_trial_index") or 0)
            states.setdefault(key, state)
    return states


def _sample(instance: str, attempt: _Attempt, state: Mapping[str, Any]) -> Sample:
    asked, result = object_of(state.get("instance")), object_of(state.get("result"))
    prompt = as_text(object_of(state.get("request")).get("prompt"))
    completions = list_of(result.get("completions")) or [{}]
    answer = as_text(object_of(completions[0]).get("text"))
    chosen = object_of(state.get("output_mapping")).get(answer.strip())
    golds = [
        as_text(object_of(reference.get("output")).get("text"))
        for reference in map(object_of, list_of(asked.get("references")))
        if "correct" in list_of(reference.get("tags"))
    ]
    part = asked.get("sub_split")
    failed = result.get("success") is False
    return Sample(
        item=instance,
        values={} if failed else {(name,): value for name, value in attempt.values.items()},
        place=attempt.place,
        error=as_text(result.get("error") or "the request failed") if failed else "",
        input=prompt or as_text(object_of(asked.get("input")).get("text")),
        gold="\n".join(golds),
        output=answer if chosen is None else f"{answer.strip()} ({as_text(chosen)})",
        labels={} if part is None else {"sub_split": as_text(part)},
        prompt=text_hash(prompt),
        data=text_hash("\n".join(golds)),
    )


FORMAT = Harness(
    "helm",
    "runs of HELM: per_instance_stats.json, or folders of runs",
    files="runs of HELM (per_instance_stats.json)",
    recognises=_recognises,
    read_file=read_file,
    refuses=_refuses,
).format()
