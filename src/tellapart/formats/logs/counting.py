"""How logs become counts: attempts of systems at items, with texts and labels, which are aligned.

Perplexities, which are made of sums over items, become columns, and metrics that read them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.suites import TASK, Block, Suite
from tellapart.errors import DataError, Notice
from tellapart.formats.align import Attempts, Axis, align
from tellapart.formats.logs.columns import Chosen, Column
from tellapart.formats.logs.log import LIKELIHOOD, Key, Log, Sample, is_label
from tellapart.metrics import Function, Metric, metric, ratio
from tellapart.words import listed, several

GROUP: Final = "group"
_LONGEST_SHOWN: Final = 60
_LARGEST_EXPONENT: Final = 700.0  # e to the power of more is no number

Systems: TypeAlias = Mapping[str, Sequence[tuple[str, Log]]]
"""By system, its logs, each with the run that it is of"""


class _Attempt(NamedTuple):
    """One sample, with what it is of."""

    system: str
    run: str
    log: Log
    item: str
    sample: Sample


def count_logs(
    systems: Systems, chosen: Chosen, missing: str, weights: str, remarks: Sequence[Notice]
) -> Counts:
    """Return the counts of logs; `missing` and `weights` are what users may choose."""
    logs = [log for own in systems.values() for _, log in own]
    several_tasks = len({log.task for log in logs}) > 1
    scored = {task for column in chosen.columns.values() for task in column}
    attempts: list[_Attempt] = []
    for system, own in systems.items():
        for run, log in own:
            task = f"{log.task}/" if several_tasks else ""
            if log.task in scored:
                attempts += [
                    _Attempt(system, run, log, task + each.item, each) for each in log.samples
                ]
    first = _first_of_items(attempts)
    place = {item: number for number, item in enumerate(first)}
    columns, metrics = _columns(logs, chosen)
    labels, differing = _labels(attempts, first, several_tasks)
    rows = Attempts(
        systems=Axis.of(attempt.system for attempt in attempts),
        items=Axis(tuple(first), np.array([place[a.item] for a in attempts], np.int32)),
        values={
            name: np.array([_value(each, keys.get(each.log.task)) for each in attempts])
            for name, keys in columns.items()
        },
        place=lambda row: attempts[row].sample.place,
        labels=labels,
        texts=_texts(attempts, first),
        errors={k: a.sample.error for k, a in enumerate(attempts) if a.sample.error},
        runs=Axis.of(attempt.run for attempt in attempts),
    )
    counts = align(replace(rows, repeats=rows.numbered()), missing=missing)
    notices = [*dict.fromkeys(notice for log in logs for notice in log.notices), *remarks]
    notices += [*counts.notices, *differing]
    if several_tasks:
        suite = _suite(logs, counts.labels[TASK], weights, chosen.scores)
        counts = replace(counts, suite=suite)
    return replace(counts, notices=tuple(notices), lower=chosen.lower, metrics=metrics)


def _value(attempt: _Attempt, key: Key | None) -> float:
    return np.nan if key is None else attempt.sample.values.get(key, np.nan)


def _columns(logs: Sequence[Log], chosen: Chosen) -> tuple[dict[str, Column], tuple[Metric, ...]]:
    """Return the columns, with perplexities resolved into what they are made of.

    The metrics are those of all columns, or none if every column is a plain value.
    """
    kinds = {
        name: kind
        for name, keys in chosen.columns.items()
        for log in logs
        if (kind := log.perplexities.get(keys.get(log.task, ())))
    }
    if not kinds:
        return dict(chosen.columns), ()
    columns: dict[str, Column] = {}
    metrics: list[Metric] = []
    for name, keys in chosen.columns.items():
        if name not in kinds:
            columns[name] = keys
            metrics.append(metric(name, [name], items=True))
            continue
        for part in LIKELIHOOD:
            columns[f"{name} {part}"] = {task: (*key, part) for task, key in keys.items()}
        metrics.append(_perplexity(kinds[name], name))
    return columns, tuple(metrics)


def _perplexity(kind: str, name: str) -> Metric:
    """Return the metric of log-likelihoods, by how lm-eval sums it up: less is better."""
    likelihood, length = (f"{name} {part}" for part in LIKELIHOOD)
    if kind == "bits_per_byte":
        return ratio(name, {likelihood: -1 / math.log(2)}, {length: 1}, higher_is_better=False)

    def perplexity(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.exp(np.minimum(-sums[..., 0] / sums[..., 1], _LARGEST_EXPONENT)))

    return Function(name, (likelihood, length), perplexity, higher_is_better=False)


def _first_of_items(attempts: Sequence[_Attempt]) -> dict[str, Sample]:
    """Return the first sample of each item, after checking that all files have the same data."""
    first: dict[str, Sample] = {}
    other: dict[str, Sample] = {}
    for attempt in attempts:
        known = first.setdefault(attempt.item, attempt.sample)
        if _differ(known.data, attempt.sample.data):
            other.setdefault(attempt.item, attempt.sample)
    for item, sample in other.items():
        known, (mine, theirs) = first[item], (_quoted(sample.gold), _quoted(first[item].gold))
        finding = f"the gold answer is {mine}, but {theirs} in {known.place}"
        if mine == theirs:
            finding = f"the item is not the one in {known.place}: its data differ"
        raise DataError(
            f"{sample.place}: {finding}; the files disagree about {several(len(other), 'item')}: "
            "compare runs on the same version of the data"
        )
    return first


def _differ(one: str, other: str) -> bool:
    return bool(one) and bool(other) and one != other


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…")


def _labels(
    attempts: Sequence[_Attempt], items: Iterable[str], several_tasks: bool
) -> tuple[dict[str, tuple[str, ...]], list[Notice]]:
    """Return what files say of items alike; what differs between them is no label."""
    labels: dict[str, dict[str, str]] = {}
    differing: dict[str, str] = {}
    for attempt in attempts:
        log, sample = attempt.log, attempt.sample
        given = sample.labels
        if several_tasks:
            given = {**given, TASK: log.task, **({GROUP: log.group} if log.group else {})}
        for name, text in given.items():
            if labels.setdefault(name, {}).setdefault(attempt.item, text) != text:
                differing.setdefault(name, sample.place)
    kept = {
        name: tuple(texts.get(item, "") for item in items)
        for name, texts in labels.items()
        if name not in differing and is_label(list(texts.values()))
    }
    if not differing:
        return kept, []
    text = (
        f"What differs between systems or runs is no label of an item: "
        f"{listed(tuple(differing), 6)} (as first seen in {next(iter(differing.values()))})."
    )
    return kept, [Notice("labels-differ", text, tuple(differing))]


def _texts(attempts: Sequence[_Attempt], first: Mapping[str, Sample]) -> ItemTexts | None:
    """Return the prompts, the gold answers, and what each system answered in each attempt."""
    inputs = tuple(sample.input for sample in first.values())
    golds = tuple(sample.gold for sample in first.values())
    answers: dict[str, dict[str, list[str]]] = {}
    for attempt in attempts:
        by_item = answers.setdefault(attempt.system, {})
        by_item.setdefault(attempt.item, []).append(attempt.sample.output)
    outputs = {
        name: tuple(_joined_answers(by_item.get(item, ())) for item in first)
        for name, by_item in answers.items()
        if any(text.strip() for texts in by_item.values() for text in texts)
    }
    texts_of_items = ItemTexts(inputs if any(inputs) else (), golds if any(golds) else (), outputs)
    return texts_of_items if texts_of_items != ItemTexts() else None


def _joined_answers(texts: Sequence[str]) -> str:
    r"""Return the answers of all attempts at an item; several have their numbers.

    >>> _joined_answers(["yes"]), _joined_answers(["yes", "no"])
    ('yes', '(1) yes\n(2) no')
    """
    if len(texts) < 2 or not any(text.strip() for text in texts):
        return "".join(texts)
    return "\n".join(f"({number}) {text}" for number, text in enumerate(texts, 1))


def _suite(
    logs: Sequence[Log], tasks: Sequence[str], weights: str, scores: Mapping[str, str]
) -> Suite:
    """Return how the tasks are summed up; `tasks` has the one of every item.

    By ``groups``, a group of tasks counts as much as a task of none; within it, items or tasks
    count the same, as the harness has it.
    """
    by_task = {log.task: log for log in logs}
    members = {task: by_task[task] for task in dict.fromkeys(tasks)}
    sizes = Counter(log.group for log in members.values())
    blocks = {}
    for task, log in members.items():
        if weights == "items":
            blocks[task] = Block("", len(members))
        elif weights == "tasks" or not log.group:
            blocks[task] = Block(task)
        elif log.group_weights == "items":
            blocks[task] = Block(log.group, sizes[log.group])
        else:
            blocks[task] = Block(task, share=Fraction(1, sizes[log.group]))
    place = {block: k for k, block in enumerate(dict.fromkeys(blocks.values()))}
    codes = np.array([place[blocks[task]] for task in tasks], np.int64)
    return Suite(tuple(place), codes, TASK, scores=dict(scores))
