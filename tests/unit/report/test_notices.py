"""Every notice of a comparison: data of which it must be said, and data of which it must not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tellapart as ta
from preference_files import judged
from quiz_files import quiz_counts
from tellapart import comparison
from tellapart.comparison import scored
from tellapart.comparison.notices import likely_clusters
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.errors import Notice
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
        name: [
            Counts.from_arrays({name: rng.normal(rng.normal(0, spread), 1, items)})
            for _ in range(number)
        ]
        for name, number in zip("ABC", numbers, strict=False)
    }
    return ta.average_runs(drawn, repeats=repeats)


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
        name: [Counts.from_arrays({name: rng.integers(0, 2, 30)}) for _ in range(number)]
        for name, number in zip("AB", numbers, strict=True)
    }
    return ta.average_runs(drawn, repeats=repeats)


def preferences(rows: list[dict[str, Any]], **options: Any) -> Comparison:
    return of(ta.read(rows), **options)


def in_order(first: int, second: int, **more: float) -> list[dict[str, Any]]:
    """Return judgments of two systems, x shown first so often and y so often."""
    rows = judged({"x": 0.0, "y": 0.0}, first + second, 1, **more)  # type: ignore[arg-type]
    for k, row in enumerate(rows):
        x_won = (row["winner"] == "model_a") == (row["model_a"] == "x")
        row["model_a"], row["model_b"] = ("x", "y") if k < first else ("y", "x")
        row["winner"] = ("model_a" if x_won else "model_b") if k < first else (
            "model_b" if x_won else "model_a"
        )  # fmt: skip
    return rows


def ring(wins: float) -> list[dict[str, Any]]:
    """Return judgments in which x beats y, y beats z and z beats x, as often as asked."""
    rng = np.random.default_rng(3)
    return [
        {"id": f"q{k}", "model_a": "xyz"[k % 3], "model_b": "yzx"[k % 3],
         "winner": "model_a" if rng.random() < wins else "model_b"}
        for k in range(60)
    ]  # fmt: skip


def judge(labels: int = 40, *, chosen: bool = False, apart: bool = False, times: float = 1.0,
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
        seen = order[10 * k * apart : 10 * k * apart + labels]
        people[name] = np.where(np.isin(np.arange(200), seen), own, np.nan)
    texts = [f"g{k % groups}" for k in range(200)]
    data = Counts.from_arrays(
        {name: own * times for name, own in scores.items()}, people=people, labels={"page": texts}
    )
    return of(data, cluster="page" if cluster else None)


def many(**options: Any) -> Comparison:
    """Compare six systems, as if all pairs of no more than four were tested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scored, "MOST_SYSTEMS", 4)
        return of(noise(systems="ABCDEF"), **options)


def labelled(name: str, values: int, items: int = 60) -> Counts:
    texts = [f"v{k % values}" for k in range(items)]
    return Counts.from_arrays(noise(items), labels={name: texts})


def ready(name: str) -> Counts:
    return Counts.from_arrays(
        {system: np.reshape(own, (-1, 1)) for system, own in noise().items()},
        columns=[name], form="items",
    )  # fmt: skip


class Case(NamedTuple):
    """Data of which a notice must be made, words of it, and data without it."""

    there: Callable[[], Comparison]
    words: str
    absent: Callable[[], Comparison]


RISK = {"A": [1.0] * 60, "B": [1.0] * 60}
UNDEFINED = {"A": [[2, 1 + k % 3, 1] for k in range(20)], "silent": [[0, 0, 3]] * 20}
SPREADS = {**noise(50, "abc"), "n": 4 * noise(50, "n", 7)["n"]}

CASES = {
    "runs-used-up": Case(
        lambda: of(answers(3, 3), ["pass@2"]), "pass@2 uses up the runs of an item: the verdict is "
        "about other items, not other runs.", lambda: of(answers(3, 3), ["mean"]),
    ),
    "these-runs": Case(
        lambda: of(runs(3, 3), runs="fixed"), "The runs are taken as they are (--runs fixed): the "
        "verdict holds for these runs only.", lambda: of(runs(3, 3)),
    ),
    "runs": Case(
        lambda: of(runs(3, 3)), "The verdict allows for other runs of these systems. Of the "
        "uncertainty, ", lambda: of(runs(3, 3), runs="fixed"),
    ),
    "repeats-spread": Case(
        lambda: of(runs(3, 3, repeats=True)), "Of the uncertainty, ",
        lambda: of(runs(3, 3)),
    ),
    "single-run": Case(
        lambda: of(runs(3, 3, 1)), "C has a single run: with it the verdict holds for these "
        "runs only", lambda: of(runs(3, 3, 3)),
    ),
    "two-runs": Case(
        lambda: of(runs(2, 3)), "how far apart runs lie: make three or more of A.",
        lambda: of(runs(3, 3)),
    ),
    "direction": Case(
        lambda: of(ready("blobs")), "Higher was taken to be better: blobs; --lower-is-better "
        "blobs reverses that.", lambda: of(ready("accuracy")),
    ),
    "few-items": Case(
        lambda: of(noise(15)), "Only 15 items: the intervals are rough, the exact test was used.",
        lambda: of(noise(20)),
    ),
    "few-clusters": Case(
        lambda: of(labelled("doc", 9), cluster="doc"), "Only 9 docs: the intervals are rough",
        lambda: of(labelled("doc", 10), cluster="doc"),
    ),
    "maybe-clustered": Case(
        lambda: of(quiz_counts()), "Items come in 24 groups by passage, which may be right "
        "or wrong together: add --cluster passage, and trust that answer.",
        lambda: of(quiz_counts(), cluster="passage"),
    ),
    "duplicates": Case(
        lambda: of(labelled("text", 59)), "1 item with the text of another one, which is not "
        "independent: --cluster text keeps them together.", lambda: of(labelled("prompt", 3)),
    ),
    "identical": Case(
        lambda: of(rights(A=9, B=9, C=3)), "A and B have the same score on every item; p is 1.",
        lambda: of({"A": [1, 0] * 12, "B": [0, 1] * 12}),
    ),
    "undefined": Case(
        lambda: of(Counts.from_arrays(UNDEFINED, ["tp", "fp", "fn"]), ["precision"]),
        "precision of silent is undefined and counts as 0.",
        lambda: of(Counts.from_arrays(UNDEFINED, ["tp", "fp", "fn"]), ["recall"]),
    ),
    "cannot-reach": Case(
        lambda: of(rights(low=0, high=5)), "No outcome could be significant at 0.05 where so few "
        "items differ: high - low, mean.", lambda: of(rights(low=0, high=6)),
    ),
    "floor": Case(
        lambda: of(rights(30, A=30, B=0), test="shuffle", shuffles=999),
        "p cannot be smaller than 1/(999 + 1) with 999 shuffles.",
        lambda: of(rights(30, A=30, B=28), test="shuffle", shuffles=999),
    ),
    "many-pairs": Case(
        lambda: of(noise(systems="ABCD"), correction="none"),
        "6 pairs were tested without correction.", lambda: of(noise(systems="ABCD")),
    ),
    "few-shuffles": Case(
        lambda: of(noise(systems="ABCDEFGHIJKL"), test="shuffle", shuffles=999),
        "With 66 pairs and holm, nothing can be significant: use --shuffles 1319 or more.",
        lambda: of(noise(systems="ABC"), test="shuffle", shuffles=999),
    ),
    "unsettled": Case(
        lambda: of(rights(A=6, B=0), test="shuffle", shuffles=999, alpha=0.04),
        "More shuffles are needed to settle on which side of the level p is: A - B, mean.",
        lambda: of(rights(A=6, B=0), test="shuffle", shuffles=99_999, alpha=0.04),
    ),
    "unpaired-test": Case(
        lambda: of(noise(), test="unpaired"), "The unpaired test ignores that the systems saw the "
        "same items", lambda: of(noise(), test="t"),
    ),
    "undefined-test": Case(
        lambda: of({"A": [3, 4, 5, 6], "B": [1, 2, 3, 4]}, test="t"),
        "The test is undefined for A - B, mean: all differences are the same.",
        lambda: of({"A": [3, 4, 5, 6], "B": [1, 2, 3, 5]}, test="t"),
    ),
    "unequal-spreads": Case(
        lambda: of(SPREADS, correction="tukey", shuffles=99), "times as much as another: use "
        "--correction maxt.",
        lambda: of(noise(50, "abc"), correction="tukey", shuffles=99),
    ),
    "skewed": Case(
        lambda: of({"A": np.geomspace(0.01, 8, 20).round(3), "B": [2.4] * 20}),
        "The differences are very skewed, or all the same, on 20 items: p supposes that each could "
        "as well be reversed, and a rare large one not yet seen may undo the answer: B - A, mean.",
        lambda: of({"A": np.geomspace(0.01, 8, 20).round(3), "B": [0.3] * 20}),
    ),
    "influence": Case(
        lambda: of(rights(30, A=6, B=0)), "would change whether they are told apart: A - B, mean.",
        lambda: of(rights(30, A=9, B=0)),
    ),
    "not-all-tested": Case(
        many, "Of 15 pairs of 6 systems, 9 were tested: the best with every "
        "other, and neighbours in rank. --baseline NAME compares all with one.",
        lambda: many(baseline="A"),
    ),
    "one-scale": Case(
        lambda: preferences(ring(0.95)), "One scale does not fit these judgments (p = ",
        lambda: preferences(ring(0.5)),
    ),
    "one-order": Case(
        lambda: preferences(in_order(30, 0)), "Only one order was judged: x was always first",
        lambda: preferences(in_order(15, 15)),
    ),
    "orders-unbalanced": Case(
        lambda: preferences(in_order(60, 10)), "x was shown first 60 times and y 10 times",
        lambda: preferences(in_order(36, 34)),
    ),
    "first-place": Case(
        lambda: preferences(judged({"x": 0.0, "y": 0.0}, 90, 1, first_place=2.0)),
        "The first place won 90 % (p = ", lambda: preferences(judged({"x": 0.0, "y": 0.0}, 90, 1)),
    ),
    "always-won": Case(
        lambda: preferences(judged({"x": 40.0, "y": 0.0, "z": 0.0}, 30, 1)), "x won always: how "
        "far apart has no bound.",
        lambda: preferences(judged({"x": 0.4, "y": 0.0, "z": 0.0}, 30, 1)),
    ),
    "labels-not-random": Case(
        lambda: judge(chosen=True), "The labelled items are unlike the others: the judge gives A ",
        judge,
    ),
    "labelled-apart": Case(
        lambda: judge(apart=True), "People did not see the same items of all systems (40 of A, 40 "
        "of B; 30 of all)", judge,
    ),
    "few-labels": Case(
        lambda: judge(15), "Only 15 labelled items: intervals hold from 20 on.",
        lambda: judge(20),
    ),
    "few-labelled-clusters": Case(
        lambda: judge(groups=12, cluster=True), "The labels are from 12 page groups: intervals "
        "hold from 20 on.", lambda: judge(cluster=True),
    ),
    "different-scales": Case(
        lambda: judge(times=10.0), "Judge and people use different scales (0 to 10, 0 to 1)", judge,
    ),
    "missing-bounds": Case(
        lambda: of(lacking([1] * 20 + [None], [0] * 15 + [None] + [1] * 5)), "2 items not "
        "every system has are left out (A lacks 1, B lacks 1); with any scores of 0 to 1 for "
        "them, p is between 3.1e-05 and .0005.", lambda: of(lacking([1] * 20, [0] * 15 + [1] * 5)),
    ),
    "no-lowest": Case(
        lambda: of({"A": [-1] * 30, "B": [-1] * 30}, margin=0.6), "the margin is kept if no item "
        "scores below -1, the least that was seen.",
        lambda: of({"A": [1] * 30, "B": [1] * 30}, margin=0.6),
    ),
    "no-bounds": Case(
        lambda: of(lacking([1] * 20 + [None], [5] * 15 + [1] * 6)), "whether the 1 item not every "
        "system has would change",
        lambda: of(lacking([1] * 20 + [None], [0] * 15 + [1] * 6)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", CASES)
def test_what_must_be_said_is_said_in_these_words(code: str) -> None:
    record = CASES[code].there()
    (sentence,) = said(record, code)
    assert CASES[code].words in sentence
    assert sentence.endswith(".")
    assert "  " not in sentence
    assert Comparison.from_json(record.to_json()).notices == record.notices


@pytest.mark.parametrize("code", CASES)
def test_what_is_not_true_is_not_said(code: str) -> None:
    assert said(CASES[code].absent(), code) == []


def test_every_code_has_its_sentence_and_its_case() -> None:
    files = Path(comparison.__path__[0]).glob("*.py")
    texts = [path.read_text() for path in files if path.name not in ("calibrate.py", "gate.py")]
    codes = {code for text in texts for code in re.findall(r'Notice\(\s*"([a-z-]+)"', text)}
    codes |= {code for text in texts for code in re.findall(r'_pairs\(\s*"([a-z-]+)"', text)}
    assert codes - {"few-items", "few-clusters"} <= set(NOTICES) == set(CASES)


# What depends on the case


def test_few_items_make_no_intervals_rough_that_are_not() -> None:
    few = {"A": [1, 1, 0, 1, 1, 1, 1], "B": [0, 0, 1, 0, 1, 1, 1]}
    for options, text in {
        ("auto", True): "Only 7 items: the exact test was used.",
        ("bootstrap", False): "Only 7 items: p-values may be too small.",
        ("t", False): "Only 7 items: little can be shown.",
    }.items():
        assert said(of(few, test=options[0], intervals=options[1]), "few-items") == [text]
    drawn = of(noise(15), test="bootstrap")
    assert said(drawn, "few-items") == [
        "Only 15 items: the intervals are rough, and p-values may be too small."
    ]


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
    (told,) = said(of({"A": [1.0] * 8, "B": [0.9] * 8}), "skewed")
    assert "or all the same, on 8 items: p supposes" in told
    assert not said(of({"A": [1] * 8, "B": [0] * 8}), "skewed")
    assert not said(of({"A": [1.0] * 80, "B": [0.9] * 80}), "skewed")


def test_more_runs_help_more_only_where_they_do() -> None:
    (far,) = said(of(runs(4, 4, spread=2.0)), "runs")
    assert far.endswith(": more runs would help most.")


def test_ids_that_look_grouped_are_pointed_out() -> None:
    assert said(of(replace(quiz_counts(), labels={})), "maybe-clustered") == [
        "Item ids look grouped (p00-q1, p00-q2 ...). If so, name the group in a column, and add "
        "--cluster."
    ]


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
    found = likely_clusters(Counts.from_arrays({"A": [0] * len(ids)}, items=ids))
    assert found == ((None, tuple(ids[:2])) if ids in GROUPED else None)


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
    assert likely_clusters(labelled(label, values)) == ((label, ()) if groups else None)


def test_names_of_pairs_are_those_of_the_report_and_three_are_enough() -> None:
    record = of(rights(low=0, a=1, b=2, c=3))
    (text,) = said(record, "cannot-reach")
    assert text.count(";") == 3
    assert text.endswith("; and 3 more.")
    assert "a - low, mean" in text
