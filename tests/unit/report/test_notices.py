"""Every notice of a comparison: data of which it must be said, and data of which it must not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from preference_files import judged
from quiz import quiz_counts
from small_counts import in_runs
from tellapart import comparison
from tellapart.comparison import testing
from tellapart.comparison.notices import maybe_clustered
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.counts.suites import Suite
from tellapart.errors import Notice
from tellapart.report.findings import preference_sentences
from tellapart.report.notices import NOTICES, notice_sentence, notice_sentences


def of(data: Any, metrics: Any = None, **options: Any) -> Comparison:
    """Compare arrays by system, or whatever `ta.compare` takes."""
    counts = Counts.from_arrays(data) if isinstance(data, dict) else data
    return ta.compare(counts, metrics=metrics, **options).record


def said(record: Comparison, code: str) -> list[str]:
    """Return the sentences of a code."""
    return [notice_sentence(record, each) for each in record.notices if each.code == code]


def rights(items: int = 24, **right: int) -> dict[str, list[int]]:
    """Return systems that have their first so many items right."""
    return {name: [1] * k + [0] * (items - k) for name, k in right.items()}


def noise(items: int = 60, systems: str = "AB", seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(0, 1, items).round(3) for name in systems}


def runs(*numbers: int, spread: float = 1.0, items: int = 40, repeats: bool = False) -> Counts:
    """Return systems A, B, … with so many runs each, which lie apart by `spread`."""
    rng = np.random.default_rng(5)
    drawn = {
        name: [rng.normal(rng.normal(0, spread), 1, items) for _ in range(number)]
        for name, number in zip("ABC", numbers, strict=False)
    }
    return in_runs(drawn, repeats=repeats)


def lacking(*scores: Sequence[int | None]) -> Counts:
    """Return systems A and B, of which some scores are missing."""
    there = np.array([[score is not None for score in own] for own in scores])
    counts = Counts.from_arrays(
        {n: [x or 0 for x in own] for n, own in zip("AB", scores, strict=True)}
    )
    return counts if there.all() else replace(counts, present=there)


def answers(*numbers: int, repeats: bool = False) -> Counts:
    """Return systems whose runs have right and wrong answers."""
    rng = np.random.default_rng(6)
    drawn = {
        name: [rng.integers(0, 2, 30) for _ in range(number)]
        for name, number in zip("AB", numbers, strict=True)
    }
    return in_runs(drawn, repeats=repeats)


def preferences(rows: list[dict[str, Any]], **options: Any) -> Comparison:
    return of(ta.read(rows), **options)


def in_order(first: int, second: int) -> list[dict[str, Any]]:
    """Return judgments of two systems, x shown first so often and y so often."""
    rows = judged({"x": 0.0, "y": 0.0}, first + second, 1)
    for k, row in enumerate(rows):
        x_won = (row["winner"] == "model_a") == (row["model_a"] == "x")
        row["model_a"], row["model_b"] = ("x", "y") if k < first else ("y", "x")
        row["winner"] = ("model_a" if x_won else "model_b") if k < first else (
            "model_b" if x_won else "model_a"
        )  # fmt: skip
    return rows


def ring(wins: int) -> list[dict[str, Any]]:
    """Return judgments in which x beats y, y beats z and z beats x, so often of 20."""
    return [{"id": f"q{k}", "model_a": "xyz"[k % 3], "model_b": "yzx"[k % 3],
             "winner": "model_a" if k // 3 < wins else "model_b"} for k in range(60)]  # fmt: skip


def judge(labels: int = 40, *, chosen: bool = False, apart: int = 0, times: float = 1.0,
          groups: int = 100, cluster: bool = False) -> Comparison:  # fmt: skip
    """Compare two systems that a judge scored on 200 items, and people on some of them."""
    rng = np.random.default_rng(4)
    truth = {
        name: (rng.random(200) < rate).astype(float) for name, rate in (("A", 0.6), ("B", 0.5))
    }
    scores = {name: np.where(rng.random(200) < 0.9, own, 1 - own) for name, own in truth.items()}
    order = rng.permutation(200)
    if chosen:  # the labels are of items that the judge likes
        order = np.argsort(-scores["A"] - scores["B"], kind="stable")
    people = {}
    for k, (name, own) in enumerate(truth.items()):
        seen = order[k * apart : k * apart + labels]
        people[name] = np.where(np.isin(np.arange(200), seen), own, np.nan)
    texts = [f"g{k % groups}" for k in range(200)]
    data = Counts.from_arrays(
        {name: own * times for name, own in scores.items()}, people=people, labels={"page": texts}
    )
    return of(data, cluster="page" if cluster else None)


def many(**options: Any) -> Comparison:
    """Compare six systems, as if all pairs of no more than four were tested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "MOST_SYSTEMS", 4)
        return of(noise(systems="ABCDEF"), **options)


def labelled(name: str, values: int, items: int = 60) -> Counts:
    texts = [f"v{k % values}" for k in range(items)]
    return Counts.from_arrays(noise(items), labels={name: texts})


def ready(name: str) -> Counts:
    return Counts.from_arrays(
        {system: np.reshape(own, (-1, 1)) for system, own in noise().items()},
        columns=[name], form="items",
    )  # fmt: skip


Make = Callable[[], Comparison]
Case = tuple[Make, Make, *tuple[str, ...]]
"""Data of which a notice must be made, data without it, and figures or names that must be in it"""

UNDEFINED = Counts.from_arrays(
    {"A": [[2, 1 + k % 3, 1] for k in range(20)], "silent": [[0, 0, 3]] * 20}, ["tp", "fp", "fn"]
)
SPREADS = {**noise(50, "abc"), "n": 4 * noise(50, "n", 7)["n"]}
GRADES = Counts.from_arrays(
    {n: [[k * p % 2, (k * p) % 11] for k in range(40)] for n, p in (("A", 3), ("B", 7))},
    ["accuracy", "grade"], form="items",
)  # fmt: skip
SKEWED = np.geomspace(0.01, 8, 20).round(3)
EVEN = {"x": 0.0, "y": 0.0}


def shuffled(data: dict[str, list[int]], shuffles: int = 999, **options: Any) -> Comparison:
    return of(data, test="shuffle", shuffles=shuffles, **options)


CASES: dict[str, Case] = {
    "runs-used-up": (lambda: of(answers(3, 3), ["pass@2"]), lambda: of(answers(3, 3), ["mean"]),
                     "pass@2"),
    "these-runs": (lambda: of(runs(3, 3), runs="fixed"), lambda: of(runs(3, 3)), "--runs fixed"),
    "runs": (lambda: of(runs(3, 3)), lambda: of(runs(3, 3), runs="fixed"), " % from "),
    "repeats-spread": (lambda: of(runs(3, 3, repeats=True)), lambda: of(runs(3, 3)), " % from "),
    "single-run": (lambda: of(runs(3, 3, 1)), lambda: of(runs(3, 3, 3)), "C has a single run"),
    "two-runs": (lambda: of(runs(2, 3)), lambda: of(runs(3, 3)), "three or more of A."),
    "direction": (lambda: of(ready("blobs")), lambda: of(ready("accuracy")),
                  "--lower-is-better blobs"),
    "few-items": (lambda: of(noise(15)), lambda: of(noise(20)), "15 items"),
    "few-clusters": (lambda: of(labelled("doc", 9), cluster="doc"),
                     lambda: of(labelled("doc", 10), cluster="doc"), "9 docs"),
    "maybe-clustered": (lambda: of(quiz_counts()), lambda: of(quiz_counts(), cluster="passage"),
                        "24 groups by passage"),
    "duplicates": (lambda: of(labelled("text", 59)), lambda: of(labelled("prompt", 3)),
                   "1 item with the same text as another one"),
    "identical": (lambda: of(rights(A=9, B=9, C=3)), lambda: of({"A": [1, 0] * 12,
                  "B": [0, 1] * 12}), "A and B"),
    "undefined": (lambda: of(UNDEFINED, ["precision"]), lambda: of(UNDEFINED, ["recall"]),
                  "precision of silent is undefined and counts as 0."),
    "cannot-reach": (lambda: of(rights(low=0, a=1, b=2, c=3)), lambda: of(rights(low=0, high=6)),
                     "a - low, mean; ", " and 3 more."),
    "few-shuffles": (lambda: shuffled(noise(systems="ABCDEFGHIJKL")),
                     lambda: shuffled(noise(systems="ABC")), "--shuffles 1319"),
    "unsettled": (lambda: shuffled(rights(A=6, B=0), alpha=0.04),
                  lambda: shuffled(rights(A=6, B=0), 99_999, alpha=0.04), "A - B, mean."),
    "unpaired-test": (lambda: of(noise(), test="unpaired"), lambda: of(noise(), test="t")),
    "undefined-test": (lambda: of({"A": [3, 4, 5, 6], "B": [1, 2, 3, 4]}, test="t"),
                       lambda: of({"A": [3, 4, 5, 6], "B": [1, 2, 3, 5]}, test="t"),
                       "A - B, mean: all differences are the same."),
    "unequal-spreads": (lambda: of(SPREADS, correction="tukey", shuffles=99),
                        lambda: of(noise(50, "abc"), correction="tukey", shuffles=99), " times "),
    "skewed": (lambda: of({"A": SKEWED, "B": [2.4] * 20}),
               lambda: of({"A": SKEWED, "B": [0.3] * 20}), "20 items"),
    "not-all-tested": (many, lambda: many(baseline="A"), "9 of 15 pairs were tested"),
    "orders-unbalanced": (lambda: preferences(in_order(60, 10)),
                          lambda: preferences(in_order(36, 34)), "first 60 times, y 10"),
    "first-place": (lambda: preferences(judged(EVEN, 90, 1, first_place=2.0)),
                    lambda: preferences(judged(EVEN, 90, 1)), "The first place won 93 % (p = "),
    "always-won": (lambda: preferences(judged({"x": 40.0, "y": 0.0, "z": 0.0}, 30, 1)),
                   lambda: preferences(judged({"x": 0.4, "y": 0.0, "z": 0.0}, 30, 1)), "x won"),
    "labels-not-random": (lambda: judge(chosen=True), judge, "the judge gives A "),
    "few-labels": (lambda: judge(15), lambda: judge(20), "15 labelled items"),
    "few-labelled-clusters": (lambda: judge(groups=12, cluster=True), lambda: judge(cluster=True),
                              "12 page groups"),
    "different-scales": (lambda: judge(times=10.0), judge, "(0 to 10, 0 to 1)"),
    "labelled-apart": (lambda: judge(apart=10), judge, "(40 of A, 40 of B; 30 of all)"),
    "one-scale": (lambda: preferences(ring(17)), lambda: preferences(ring(11)), "(p = "),
    "margin-scales": (lambda: of(GRADES, ["accuracy", "grade"], margin=0.05),
                      lambda: of(GRADES, ["grade"], margin=0.05), "serves accuracy and grade"),
    "bar-scales": (lambda: of(GRADES, ["accuracy", "grade"], at_least=0.05),
                   lambda: of(GRADES, ["grade"], at_least=0.05), "serves accuracy and grade"),
    "missing-bounds": (lambda: of(lacking([1] * 20 + [None], [0] * 15 + [None] + [1] * 5)),
                       lambda: of(lacking([1] * 20, [0] * 15 + [1] * 5)),
                       "(A lacks 1, B lacks 1): with any scores of 0 to 1, p is between 3.1e-05 "
                       "and .0005."),
    "two-scales": (lambda: of({"A": [0.3, 0.9] * 15, "B": [25, 88] * 15}),
                   lambda: of({"A": [0, 1] * 15, "B": [3, 8] * 15}),
                   "By mean, A scores 1 at most on every item, and B up to 88: give"),
    "no-lowest": (lambda: of({"A": [-1] * 30, "B": [-1] * 30}, margin=0.6),
                  lambda: of({"A": [1] * 30, "B": [1] * 30}, margin=0.6), "-1, the least seen."),
    "no-bounds": (lambda: of(lacking([1] * 20 + [None], [5] * 15 + [1] * 6)),
                  lambda: of(lacking([1] * 20 + [None], [0] * 15 + [1] * 6)), "the 1 item"),
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_a_notice_is_there_where_it_is_true_and_nowhere_else(code: str) -> None:
    there, absent, *figures = CASES[code]
    record = there()
    (sentence,) = said(record, code)
    assert all(words in sentence for words in figures)
    assert sentence.endswith(".")
    assert "  " not in sentence
    assert Comparison.from_json(record.to_json()).notices == record.notices
    assert said(absent(), code) == []


def test_every_code_has_its_sentence_and_its_case() -> None:
    files = Path(comparison.__path__[0]).glob("*.py")
    texts = [path.read_text() for path in files if path.name not in ("calibrate.py", "gate.py")]
    codes = {code for text in texts for code in re.findall(r'Notice\(\s*"([a-z-]+)"', text)}
    codes |= {code for text in texts for code in re.findall(r'_pairs\(\s*"([a-z-]+)"', text)}
    assert codes - {"few-items", "few-clusters"} <= set(NOTICES) == set(CASES)


# What depends on the case


def test_what_was_allowed_for_is_said_where_it_costs_nothing() -> None:
    alike = {"A": [[1.0, 0, 1, 1] * 10] * 3, "B": [[0.0, 0, 1, 1] * 10] * 3}
    (told,) = said(of(in_runs(alike)), "runs")
    assert told.endswith("runs add no uncertainty.")
    both = preferences(judged(EVEN, 90, 1, first_place=2.0, both_orders=True))
    assert "places cancel" in preference_sentences(both)[0]


@pytest.mark.parametrize("repeats", [True, False])
def test_repeats_that_a_score_uses_up_were_not_averaged(repeats: bool) -> None:
    """pass@2 takes the runs of an item together; a mean takes their mean."""
    counts = answers(3, 3, repeats=repeats)
    told = Notice("reducer", "Epochs were averaged, while a.eval itself reports them by pass_at_2.")
    counts = replace(counts, notices=(*counts.notices, told))
    used, both = (of(counts, metrics) for metrics in (["pass@2"], ["mean", "pass@2"]))
    assert not any("averaged" in sentence for sentence in notice_sentences(used))
    said_of_both = " ".join(notice_sentences(both))
    assert "3 runs per item were averaged first" in said_of_both
    assert "Epochs were averaged" in said_of_both
    assert bool(said(both, "runs-used-up")) is not repeats  # no epoch can be lucky as a whole


def test_differences_that_are_all_the_same_are_skewed_unless_right_or_wrong() -> None:
    """A constant .9 against eight right ones: one that is wrong has just not been seen."""
    assert said(of({"A": [1.0] * 8, "B": [0.9] * 8}), "skewed")
    assert not said(of({"A": [1] * 8, "B": [0] * 8}), "skewed")
    assert not said(of({"A": [1.0] * 80, "B": [0.9] * 80}), "skewed")


GROUPED = [
    [f"letter{k // 2}/s{k % 2}" for k in range(20)],
    [f"{k // 4}.{k % 4}" for k in range(40)],
    [f"doc_{k // 5}_{k % 5}" for k in range(50)],
    [f"p{k // 5}-q{k % 5}" for k in range(20_000)] + [f"x{k}" for k in range(20_000)],
]
NOT_GROUPED = [
    [f"q{k}" for k in range(1, 73)],
    [f"TST3-MUC4-{k:04}" for k in range(1, 101)],
    [f"TST{3 + k // 50}-MUC4-{k:04}" for k in range(100)],
    [f"news-{k}" for k in range(40)] + [f"web-{k}" for k in range(40)],
    [f"{name}-{k}" for name in ("news", "web", "law", "mail", "talk", "blog") for k in range(9)],
    [f"uuid{k:x}-{7 * k:x}" for k in range(50)],
    [f"p{k}-q1" for k in range(30)],
    ["p00-q1", "p00-q2", *(f"x{k}" for k in range(30))],
]


@pytest.mark.parametrize("ids", [*GROUPED, *NOT_GROUPED], ids=lambda ids: ids[0])
def test_ids_of_groups(ids: list[str]) -> None:
    found = maybe_clustered(Counts.from_arrays({"A": [0] * len(ids)}, items=ids))
    assert (found and found.about) == (tuple(ids[:2]) if ids in GROUPED else None)


def test_groups_are_counted_in_each_task_as_they_would_be_joined() -> None:
    tasks = ["law"] * 30 + ["news"] * 30
    labels = {"task": tasks, "doc": [f"d{k % 10}" for k in range(60)]}
    counts = Counts.from_arrays({"A": [0] * 60}, labels=labels)
    found = maybe_clustered(replace(counts, suite=Suite.of(tasks)))
    assert found is not None
    assert found.numbers == {"groups": 20}


@pytest.mark.parametrize(
    ("label", "values", "groups"),
    [
        ("doc", 10, True), ("Document_ID", 10, True), ("topic", 10, True),
        ("topic", 3, False),  # a few large ones are kinds
        ("doc", 60, False),  # one each
        ("genre", 10, False), ("hash", 10, False),
    ],
)  # fmt: skip
def test_labels_of_groups(label: str, values: int, groups: bool) -> None:
    found = maybe_clustered(labelled(label, values))
    assert (found and found.about) == ((label,) if groups else None)


def test_a_cost_on_another_scale_is_no_condition_of_quality() -> None:
    """And what is said of another metric is none of this one."""
    rng = np.random.default_rng(1)
    right = {"old": rng.integers(0, 2, 40) * 0, "new": np.ones(40, int)}
    other = {"old": rng.random(40) * 30 + 5, "new": rng.random(40)}
    counts = ta.Counts.from_arrays(
        {name: np.stack([right[name], other[name]], axis=1) for name in right},
        ["correct", "other"], form="items",
    )  # fmt: skip
    found = ta.compare(counts, metrics=["correct", "other"]).record
    assert [found.answers[name].conditions for name in found.metrics] == [(), ("same-scale",)]
    assert not [n for n in ta.compare(counts, cost=["other"]).notices if n.code == "two-scales"]
