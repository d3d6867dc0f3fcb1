"""Runs of HELM: `per_instance_stats.json`, with the run and the texts from the files beside it.

As HELM does, a task is scored by its main metric on its main split, without perturbations; other
metrics and perturbations are further values. What tells of the run and not of an answer (numbers of
references, reasons to finish) is no value. Trials with other examples in the prompt are runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from tellapart.errors import DataError, Notice
from tellapart.files import STANDARD, shown
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, as_text
from tellapart.formats.logs.rows import Row, as_object, names_in, read_json
from tellapart.formats.logs.totals import TotalsError
from tellapart.formats.problems import Findings
from tellapart.words import listed, several

_STATS: Final = "per_instance_stats.json"
_MODEL: Final = re.compile(r",?model(_deployment)?=[^,]*")
_OF_THE_RUN: Final = re.compile(
    r"num_references|num_train_trials|num_train_instances|num_bytes|num_perplexity_tokens|logprob|"
    r"batch_size|prompt_truncated|max_prob|finish_reason_\w+|training_(co2|energy)_cost|"
    r"predicted_index|num_instances|inference_\w*idealized\w*|inference_\w*denoised\w*"
)
_COSTS: Final = re.compile(r"inference_runtime|num_(prompt|completion|output)_tokens")
_OTHERS: Final[dict[str, frozenset[str]]] = {
    "run_spec.json": frozenset({"scenario_spec", "adapter_spec", "metric_specs"}),
    "scenario_state.json": frozenset({"adapter_spec", "request_states"}),
}


def _recognises(head: Head) -> bool:
    return head.text.lstrip().startswith("[") and names_in(head) >= {
        "instance_id",
        "train_trial_index",
        "stats",
    }


def _refuses(head: Head) -> DataError | None:
    names = names_in(head)
    totals = head.text.lstrip().startswith("[") and names >= {"name", "count", "sum", "sum_squared"}
    if totals and "instance_id" not in names:
        return TotalsError(
            f"{shown(head.path)} has totals only. A paired test needs one score per item: give "
            f"{_STATS} from the same folder instead."
        )
    if any(names >= keys for keys in _OTHERS.values()):
        return TotalsError(
            f"{shown(head.path)}: this file of a HELM run has no scores; give the folder of the "
            f"run, or {_STATS} in it"
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


@dataclass(slots=True)
class _Attempt:
    """The stats of one instance in one trial: without and with perturbations."""

    place: str
    values: dict[str, float] = field(default_factory=dict)
    perturbed: dict[str, dict[str, float]] = field(default_factory=dict)
    """By the name of the perturbation"""
    kinds: dict[str, set[str]] = field(default_factory=dict)
    """By the kind, robustness or fairness: the perturbations"""

    def all_values(self) -> dict[Key, float]:
        """Return the values by their keys; the worst over all perturbations of a kind, too."""
        found: dict[Key, float] = {(name,): value for name, value in self.values.items()}
        for name, values in self.perturbed.items():
            found |= {(metric, name): value for metric, value in values.items()}
        for kind, names in self.kinds.items():
            for metric, value in self.values.items():
                tried = [self.perturbed[name].get(metric, value) for name in names]
                if not _COSTS.fullmatch(metric):
                    found[metric, kind] = min([value, *tried])
        return found


def _read_file(path: str, problems: Findings) -> list[Log]:
    spec = _beside(path, "run_spec.json")
    main, groups = _main_of(spec)
    splits: dict[str, set[str]] = {}
    attempts: dict[tuple[str, int], _Attempt] = {}
    left_out: dict[str, None] = {}
    for row in _instances(path, problems):
        with problems.of_file():
            _add(row, attempts, splits, left_out)
    split = main.split if main.split in splits else next(iter(splits), "")
    states = _states(path)
    samples = []
    for (instance, trial), attempt in sorted(attempts.items(), key=lambda each: each[0][1]):
        if instance in splits.get(split, ()):
            samples.append(_sample(instance, attempt, states.get((instance, trial), {})))
    if not samples and not problems.fatal:
        problems.complain(f"{shown(path)}: there are no instances; give a finished run")
    costs = tuple(key for key in _keys(samples) if _COSTS.fullmatch(key[0]))
    first = _main_key(main, samples, path, problems)
    others = {name: len(ids) for name, ids in splits.items() if name != split}
    return [
        Log(
            path,
            tuple(_first_of_all(sample, first) for sample in samples),
            notices=tuple(_notices(split, others, left_out)),
            main=first,
            lower=costs,
            costs=costs,
            group=groups[0] if groups else "",
            **_named(spec),
        )
    ]


def _beside(path: str, name: str) -> dict[str, Any]:
    """Return a file of the same run; nothing where there is none."""
    if path == STANDARD:
        return {}
    file = Path(path).with_name(name)
    return as_object(read_json(str(file)), shown(file)) if file.is_file() else {}


def _main_of(spec: Mapping[str, Any]) -> tuple[_Main, list[str]]:
    given = spec.get("groups")
    groups = [each for each in given if isinstance(each, str)] if isinstance(given, list) else []
    scenario = as_text(spec.get("name") or "").partition(":")[0]
    known = [_mains()[name] for name in (*reversed(groups), scenario) if name in _mains()]
    return (known[0] if known else _USUAL), groups


def _named(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model, the task and the settings of a run."""
    adapter = spec.get("adapter_spec")
    adapter = adapter if isinstance(adapter, dict) else {}
    settings = ("method", "instructions", "temperature", "max_train_instances", "num_outputs")
    return {
        "system": as_text(adapter.get("model") or "").rpartition("/")[2],
        "task": _task(as_text(spec.get("name") or "")),
        "settings": {key: as_text(adapter[key]) for key in settings if key in adapter},
    }


def _task(run: str) -> str:
    """Return the task of a run: its name without the model.

    >>> _task("boolq:model=org_alder,data_augmentation=canonical")
    'boolq:data_augmentation=canonical'
    >>> _task("mmlu:subject=law,model=org_alder"), _task("gsm:model=org_alder")
    ('mmlu:subject=law', 'gsm')
    """
    return _MODEL.sub("", run).replace(":,", ":").rstrip(":")


def _instances(path: str, problems: Findings) -> Iterator[Row]:
    tree = read_json(path)
    if not isinstance(tree, list):
        raise DataError(f"{shown(path)}: this is no list of instances; give {_STATS} of a run")
    for number, each in enumerate(tree, 1):
        place = f"{shown(path)}, instance {number}"
        with problems.of_file():
            yield Row(place, as_object(each, place))


def _add(
    row: Row,
    attempts: dict[tuple[str, int], _Attempt],
    splits: dict[str, set[str]],
    left_out: dict[str, None],
) -> None:
    """Add the stats of one instance: metrics of one instance may stand in several rows."""
    instance, trial = row.fields.get("instance_id"), row.fields.get("train_trial_index")
    stats = row.fields.get("stats")
    if not isinstance(instance, str) or not isinstance(trial, int) or not isinstance(stats, list):
        raise DataError(
            f"{row.place}: there is no `instance_id`, `train_trial_index` and list of `stats`; "
            "copy the run again"
        )
    attempt = attempts.setdefault((instance, trial), _Attempt(row.place))
    for stat in stats:
        name = stat.get("name") if isinstance(stat, dict) else None
        if not isinstance(name, dict) or not isinstance(name.get("name"), str):
            raise DataError(f"{row.place}: a stat has no name; copy the run again")
        metric = name["name"]
        splits.setdefault(as_text(name.get("split") or ""), set()).add(instance)
        if _OF_THE_RUN.fullmatch(metric):
            left_out[metric] = None
            continue
        value = _mean(stat, metric, row.place)
        if value is None:
            continue
        perturbation = name.get("perturbation")
        if not isinstance(perturbation, dict):
            values = attempt.values
        else:
            label = as_text(perturbation.get("name") or "perturbed")
            values = attempt.perturbed.setdefault(label, {})
            for kind in ("robustness", "fairness"):
                if perturbation.get(kind):
                    attempt.kinds.setdefault(kind, set()).add(label)
        if metric in values:
            raise DataError(
                f"{row.place}: {metric!r} of instance {instance!r} appears twice; copy the run "
                "again"
            )
        values[metric] = value


def _mean(stat: Mapping[str, Any], metric: str, place: str) -> float | None:
    """Return the value of a stat; None where it was not measured."""
    count, total = stat.get("count"), stat.get("sum")
    if count == 0:
        return None
    if (
        not isinstance(count, int)
        or isinstance(count, bool)
        or not isinstance(total, int | float)
        or count < 0
        or abs(total) > 1e300
    ):
        raise DataError(f"{place}: {metric!r} has no count and sum; copy the run again")
    return float(total) / count


def _keys(samples: Sequence[Sample]) -> dict[Key, None]:
    return dict.fromkeys(key for sample in samples for key in sample.values)


def _first_of_all(sample: Sample, key: Key) -> Sample:
    """Return a sample that has one value before the others, as it is to be reported."""
    if key not in sample.values:
        return sample
    return replace(sample, values={key: sample.values[key], **sample.values})


def _main_key(main: _Main, samples: Sequence[Sample], path: str, problems: Findings) -> Key:
    """Return the main metric, or another that instances have."""
    keys = _keys(samples)
    if (main.metric,) in keys or not keys:
        return (main.metric,)
    found = (_USUAL.metric,) if (_USUAL.metric,) in keys else next(iter(keys))
    problems.warn(
        f"{shown(path)}: HELM scores this task by {main.metric!r}, which single instances do not "
        f"have; {found[0]!r} stands for it"
    )
    return found


def _notices(
    split: str, others: Mapping[str, int], left_out: Mapping[str, None]
) -> Iterator[Notice]:
    for name, number in others.items():
        text = f"HELM scores the split {split!r}; {several(number, 'instance')} of {name!r}"
        yield Notice("left-out", f"{text} {'was' if number == 1 else 'were'} left out.", (name,))
    if left_out:
        text = "Left out, since they tell of the run and not of its answers: "
        yield Notice("left-out", f"{text}{listed(tuple(left_out), 4)}.", tuple(left_out))


def _states(path: str) -> dict[tuple[str, int], dict[str, Any]]:
    """Return what was asked and answered, by instance and trial."""
    states = _beside(path, "scenario_state.json").get("request_states")
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for state in states if isinstance(states, list) else []:
        instance = state.get("instance") if isinstance(state, dict) else None
        if not isinstance(instance, dict) or instance.get("perturbation"):
            continue
        if state.get("reference_index") is None:
            key = as_text(instance.get("id") or ""), int(state.get("train_trial_index") or 0)
            found.setdefault(key, state)
    return found


def _sample(instance: str, attempt: _Attempt, state: Mapping[str, Any]) -> Sample:
    asked = _dict(state.get("instance"))
    result = _dict(state.get("result"))
    prompt = as_text(_dict(state.get("request")).get("prompt") or "")
    completions = result.get("completions")
    answer = (
        _dict(completions[0]).get("text") if isinstance(completions, list) and completions else ""
    )
    answer = as_text(answer or "")
    chosen = _dict(state.get("output_mapping")).get(answer.strip())
    gold = "\n".join(_golds(asked.get("references")))
    part = asked.get("sub_split")
    failed = result.get("success") is False
    return Sample(
        item=instance,
        values={} if failed else attempt.all_values(),
        place=attempt.place,
        error=as_text(result.get("error") or "the request failed") if failed else "",
        input=prompt or as_text(_dict(asked.get("input")).get("text") or ""),
        gold=gold,
        output=answer if chosen is None else f"{answer.strip()} ({as_text(chosen)})",
        labels={} if part is None else {"sub_split": as_text(part)},
        prompt_print=prompt,
        gold_print=gold,
    )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _golds(references: Any) -> list[str]:
    given = [_dict(each) for each in references] if isinstance(references, list) else []
    return [
        as_text(_dict(each.get("output")).get("text") or "")
        for each in given
        if isinstance(each.get("tags"), list) and "correct" in each["tags"]
    ]


FORMAT = log_format(
    "helm",
    "runs of HELM: per_instance_stats.json, or folders of runs",
    files="runs of HELM (per_instance_stats.json)",
    recognises=_recognises,
    read_file=_read_file,
    refuses=_refuses,
)
