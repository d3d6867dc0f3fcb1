"""The results file of lm-eval that stands beside samples: what it says of the run and its scores.

It names the model, the groups of tasks, how every metric is summed up and what was set; and its
scores tell whether the samples are all there, and the same.

A sample holds the score of the document for a metric that lm-eval averages, and something else for
the others (`stored`): a log-likelihood under `perplexity`, a log-likelihood and a number of words
under `word_perplexity`, the gold class and the chosen one under `mcc` and `f1`, texts under `bleu`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_unpacked, shown
from tellapart.formats.logs.log import Aggregate, Key, Sample, as_text, number, parse_log
from tellapart.formats.problems import Findings
from tellapart.words import several

MEANS: Final = ("mean", "nanmean")
TEXTS: Final = ("bleu", "chrf", "ter")
_BRIER: Final = "brier_score"
_LIKELY: Final = ("perplexity", "weighted_perplexity", "bits_per_byte")

AGGREGATIONS: Final[Mapping[str, str]] = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "mcc": "matthews_corrcoef",
    "f1": "f1",
    "brier_score": _BRIER,
    **{name: name for name in TEXTS},
}
"""How lm-eval sums up a metric unless its task says otherwise; others are means"""

RATES: Final = frozenset({"acc", "acc_norm", "exact_match"})


@dataclass(frozen=True, slots=True)
class Stored:
    """What a sample holds under the name of a metric: a score, or what a score is made of."""

    score: float | None = None
    """The score of the document; NaN if it was not scored"""
    parts: Mapping[str, float] | None = None
    """Numbers that add over documents"""
    texts: tuple[str, tuple[str, ...]] | None = None
    """An output and its references"""


NOTHING: Final = Stored()


def aggregation_of(metric: str, stated: Mapping[str, str]) -> str:
    """Return how a metric is summed up; `stated` is what the results of the run say of its task.

    >>> aggregation_of("perplexity", {}), aggregation_of("f1", {"f1": "mean"})
    ('perplexity', 'mean')
    """
    return stated.get(metric) or AGGREGATIONS.get(metric, "mean")


def stored(raw: Any, aggregation: str) -> Stored:
    """Return what a value means to an aggregation; `NOTHING` if it is no score of one document.

    >>> stored(-2.5, "perplexity").parts
    {'log-likelihood': -2.5, 'length': 1.0}
    >>> stored([-40.5, 12], "weighted_perplexity").parts
    {'log-likelihood': -40.5, 'length': 12.0}
    >>> stored([1, "[0.25 0.75]"], "brier_score").score
    0.125
    """
    if raw is None:
        return Stored(math.nan)
    if aggregation in _LIKELY:
        return _likelihood(raw if isinstance(raw, list) else [raw, 1])
    if isinstance(raw, list):
        if len(raw) != 2:
            return NOTHING
        if aggregation == _BRIER:
            return _brier(*raw)
        if aggregation in TEXTS:
            return _texts(*raw)
        if aggregation in ("matthews_corrcoef", "f1"):
            return _classes(raw[0], raw[1], aggregation)
        return NOTHING
    return Stored(number(raw, {}))


def _likelihood(pair: Sequence[Any]) -> Stored:
    """Return a log-likelihood, which is never above 0, and what it is divided by."""
    from tellapart.metrics.aggregates import LENGTH, LOG_LIKELIHOOD

    if len(pair) != 2:
        return NOTHING
    likelihood, length = (number(each, {}) for each in pair)
    if likelihood is None or length is None or not (likelihood <= 0 < length):
        return NOTHING
    return Stored(parts={LOG_LIKELIHOOD: likelihood, LENGTH: length})


def _brier(gold: Any, given: Any) -> Stored:
    """Return the squared distance of the probabilities, written as numpy prints them, from gold."""
    texts = given.strip("[] \n").split() if isinstance(given, str) else given
    if not isinstance(texts, list) or not isinstance(gold, int) or not 0 <= gold < len(texts):
        return NOTHING
    found = [number(each, {}) for each in texts]
    if any(each is None or math.isnan(each) for each in found):
        return NOTHING
    return Stored(math.fsum(((p or 0.0) - (k == gold)) ** 2 for k, p in enumerate(found)))


def _classes(gold: Any, answer: Any, aggregation: str) -> Stored:
    from tellapart.metrics.aggregates import confusion

    if not isinstance(gold, int | str) or not isinstance(answer, int | str):
        return NOTHING
    names = [str(int(each)) if isinstance(each, bool) else str(each) for each in (gold, answer)]
    if aggregation == "f1":  # of two classes, 0 and 1
        return Stored(parts=confusion(*names, only="1")) if {*names} <= {"0", "1"} else NOTHING
    return Stored(parts=confusion(*names))


def _texts(references: Any, output: Any) -> Stored:
    if isinstance(output, list) and len(output) == 1:
        output = output[0]
    given = references if isinstance(references, list) else [references]
    if not isinstance(output, str) or not given or not all(isinstance(r, str) for r in given):
        return NOTHING
    return Stored(texts=(output, tuple(given)))


_ROUNDING: Final = 1e-6
_INDIFFERENT: Final = frozenset({"batch_size", "max_batch_size", "device", "trust_remote_code"})
_SETTINGS: Final = ("system_instruction", "fewshot_as_multiturn", "chat_template_sha")


@dataclass(frozen=True, slots=True)
class Results:
    """What the results say of one task."""

    name: str = ""
    """The file, as messages name it"""
    task: str = ""
    model: str = ""
    folder: str = ""
    """What lm-eval calls the folder of the model"""
    group: str = ""
    group_weights: str = "items"
    """What counts the same in the score of the group: its items, or its tasks"""
    aggregations: Mapping[str, str] = field(default_factory=dict)
    first: str = ""
    """The metric that the task names first"""
    lower: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    documents: int | None = None
    scores: Mapping[str, Any] = field(default_factory=dict)

    def contradictions(
        self, samples: Sequence[Sample], aggregates: Mapping[Key, Aggregate]
    ) -> Iterator[str]:
        """Yield where the results have another number of documents, or other scores.

        >>> list(Results().contradictions([], {}))
        []
        """
        if self.documents is not None and self.documents != len(samples):
            verb = "is" if len(samples) == 1 else "are"
            yield (
                f"{self.name} says {several(self.documents, 'document')}, and {len(samples)} "
                f"{verb} here; some may be lost, and those here were taken"
            )
            return
        for name, stated in self.scores.items():
            metric, _, filtered = name.partition(",")
            if not filtered or not isinstance(stated, int | float) or math.isnan(stated):
                continue
            found = _score((metric, filtered), samples, aggregates, self.aggregations)
            if found is not None and abs(found - stated) > _ROUNDING * max(1.0, abs(stated)):
                yield (
                    f"{self.name} gives {stated:.4g} as {name!r}, and the documents have "
                    f"{found:.4g}; the documents were taken"
                )


def _score(
    key: Key,
    samples: Sequence[Sample],
    aggregates: Mapping[Key, Aggregate],
    stated: Mapping[str, str],
) -> float | None:
    """Return the score that the documents have, if all of them have what it is made of."""
    if key in aggregates:
        return _aggregated(key, samples, aggregates[key])
    values = [sample.values[key] for sample in samples if key in sample.values]
    means = aggregation_of(key[0], stated) in (*MEANS, "brier_score")
    # What some lack has a warning of its own.
    if not values or len(values) != len(samples) or not means:
        return None
    return math.fsum(values) / len(values)


def _aggregated(key: Key, samples: Sequence[Sample], how: Aggregate) -> float | None:
    import numpy as np

    from tellapart.metrics.aggregates import aggregate, part_names
    from tellapart.metrics.kinds import Function

    parts = part_names(how.kind, how.parts)
    if not all(any((*key, part) in sample.values for part in parts) for sample in samples):
        return None
    sums = {p: math.fsum(sample.values.get((*key, p), 0.0) for sample in samples) for p in parts}
    metric = aggregate(how.kind, key[0], {part: part for part in parts})
    if isinstance(metric, Function):
        return float(metric.scores(np.array([sums[column] for column in metric.columns])))
    above, below = (
        math.fsum(float(weight) * sums[column] for column, weight in form)
        for form in (metric.numerator, metric.denominator)
    )
    return above / below if below else float(metric.undefined)


def results_beside(path: str, task: str, time: str, problems: Findings) -> Results:
    """Return what the results of the same time say of the task; nothing if there are none."""
    place = Path(path).with_name(f"results_{time}.json")
    if not task or not time or not os.path.isfile(place):
        return Results()
    try:
        with open_unpacked(place) as stream:
            tree = _parsed(str(place), stream.read())
    except (DataError, OSError):
        problems.warn(
            f"{shown(path)}: {place.name} beside it cannot be read, so that nothing tells whether "
            "it is whole"
        )
        return Results()
    config = _object(_object(tree.get("configs")).get(task))
    metrics = [each for each in _list(config.get("metric_list")) if isinstance(each, dict)]
    number = _object(_object(tree.get("n-samples")).get(task)).get("effective")
    higher = _object(_object(tree.get("higher_is_better")).get(task))
    group = _group(task, _object(tree.get("group_subtasks")))
    names = [str(each.get("metric")) for each in metrics if each.get("metric")]
    return Results(
        name=place.name,
        task=task,
        model=_name(tree.get("model_name")),
        folder=_name(tree.get("model_name_sanitized")),
        group=group,
        group_weights=_group_weights(group, tree),
        aggregations={
            str(each.get("metric")): each["aggregation"]
            for each in metrics
            if isinstance(each.get("aggregation"), str)
        },
        first=names[0] if names else "",
        lower=tuple(name for name, better in higher.items() if better is False),
        settings=_settings(tree),
        documents=number if isinstance(number, int) else None,
        scores=_object(_object(tree.get("results")).get(task)),
    )


@lru_cache(maxsize=2)
def _parsed(place: str, text: bytes) -> Mapping[str, Any]:
    """Return the results, which are the same for the samples of all tasks."""
    return _object(parse_log(text, place))


def _settings(tree: Mapping[str, Any]) -> dict[str, str]:
    """Return what was set for the run, which may tell runs of one model apart."""
    run = _object(tree.get("config"))
    found: dict[str, Any] = {}
    for name in ("model_args", "gen_kwargs"):
        given = run.get(name)
        if isinstance(given, str):
            given = dict(each.partition("=")[::2] for each in given.split(",") if "=" in each)
        found.update(_object(given))
    shots = set(map(str, _object(tree.get("n-shot")).values()))
    found["num_fewshot"] = shots.pop() if len(shots) == 1 else None  # set for all tasks
    found.update((name, tree.get(name)) for name in _SETTINGS)
    return {
        name: as_text(value)[:60]
        for name, value in found.items()
        if value not in (None, "") and name not in _INDIFFERENT
    }


def _group(task: str, subtasks: Mapping[str, Any]) -> str:
    """Return the outermost group that a task is of.

    >>> _group("law", {"mmlu": ["humanities"], "humanities": ["law"]})
    'mmlu'
    """
    found, seen = task, {task}
    while True:
        above = [name for name, some in subtasks.items() if found in _list(some)]
        if not above or above[0] in seen:
            return "" if found == task else found
        found = above[0]
        seen.add(found)


def _group_weights(group: str, tree: Mapping[str, Any]) -> str:
    """Return what counts the same in a group, which only its scores tell: items, or tasks.

    >>> scores = {"a": {"acc,none": 0.2}, "b": {"acc,none": 0.8}, "g": {"acc,none": 0.5}}
    >>> sizes = {"a": {"effective": 10}, "b": {"effective": 30}}
    >>> _group_weights("g", {"results": scores, "n-samples": sizes, "group_subtasks": {"g": "ab"}})
    'items'
    >>> tree = {"results": scores, "n-samples": sizes, "group_subtasks": {"g": ["a", "b"]}}
    >>> _group_weights("g", tree)
    'tasks'
    """
    results, sizes = _object(tree.get("results")), _object(tree.get("n-samples"))
    members = [
        name for name in _list(_object(tree.get("group_subtasks")).get(group)) if name in results
    ]
    for name, stated in _object(results.get(group)).items():
        found = [
            (float(_object(results[each]).get(name, math.nan)), _size(sizes, each))
            for each in members
            if isinstance(_object(results[each]).get(name), int | float)
        ]
        if "," not in name or not isinstance(stated, int | float) or len(found) < 2:
            continue
        total = math.fsum(size for _, size in found)
        weighted = math.fsum(score * size for score, size in found) / total if total else math.nan
        plain = math.fsum(score for score, _ in found) / len(found)
        if abs(weighted - stated) > _ROUNDING > abs(plain - stated):
            return "tasks"
    return "items"


def _size(sizes: Mapping[str, Any], task: str) -> float:
    found = _object(sizes.get(task)).get("effective")
    return float(found) if isinstance(found, int) else 0.0


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
