"""Why two systems differ: groups of items, words of gold, and what explains the difference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz_files import quiz_table
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.explain import Reasons, bucketed, explain
from tellapart.comparison.options import Options
from tellapart.counts import Counts, ItemTexts
from tellapart.report.reasons import render_reasons

WORDS = ["the", "a", "red", "old", "cat", "dog", "sat", "ran", "on", "by", "mat", "hill"]


def explained(counts: Counts, *names: str, **options: object) -> Reasons:
    return explain(counts, names, None, Options(**options))  # type: ignore[arg-type]


def made(seed: int, items: int = 60, worse_on_long: float = 0.0) -> Counts:
    """Make two systems that are alike, but that the second may be worse where gold is long."""
    rng = np.random.default_rng(seed)
    lengths = rng.choice([5, 9, 13, 17], items)
    golds = [" ".join(rng.choice(WORDS, n)) for n in lengths]
    outputs = {
        name: [" ".join(w for w in gold.split() if rng.random() < 0.8) for gold in golds]
        for name in "AB"
    }
    hard = rng.normal(0, 1, items)
    scores = {name: np.round(hard + rng.normal(0, 0.5, items), 3) for name in "AB"}
    scores["B"] = scores["B"] - worse_on_long * (lengths > 15)
    counts = Counts.from_arrays(
        scores,
        items=[f"q{k}" for k in range(items)],
        labels={
            "topic": rng.choice(list("xyz"), items).tolist(),
            "year": rng.integers(1900, 2000, items).astype(str).tolist(),
        },
        kind="item",
    )
    texts = {name: tuple(each) for name, each in outputs.items()}
    return replace(counts, texts=ItemTexts(golds=tuple(golds), outputs=texts))


def test_a_case_by_hand() -> None:
    """Eight items of x, all won, and eight of y, half won: sign tests, and Holm over two."""
    scores = {"A": [1] * 8 + [1, 1, 0, 0] * 2, "B": [0] * 8 + [0, 0, 1, 1] * 2}
    counts = Counts.from_arrays(scores, labels={"topic": ["x"] * 8 + ["y"] * 8}, kind="item")
    (topic,) = explained(counts).groupings
    x, y = topic.buckets
    assert (x.value, x.items, x.difference) == ("x", 8, 1.0)
    assert (x.p, x.p_adjusted, x.different) == (2 / 2**8, 4 / 2**8, True)
    assert (y.value, y.difference, y.p, y.different) == ("y", 0.0, 1.0, False)
    assert topic.contributions == {"x": 0.5, "y": 0.0}
    # Of all ways to deal 12 ones and 4 minus ones to two halves, those as uneven have all four on
    # one side: 2 · C(8, 4) of C(16, 4).
    exact = 2 * comb(8, 4) / comb(16, 4)
    assert topic.p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 1999) ** 0.5)


def test_parts_of_every_grouping_add_up_to_the_difference() -> None:
    found = explained(made(3))
    assert {each.by for each in found.groupings} == {"words of gold", "topic", "year"}
    for each in found.groupings:
        assert sum(each.contributions.values()) == pytest.approx(found.difference)
        assert sum(b.items for b in each.buckets) == found.items


def test_an_effect_on_long_golds_is_found_and_nothing_else() -> None:
    found = explained(made(1, items=200, worse_on_long=1.0))
    first = found.groupings[0]
    assert first.by == "words of gold"
    assert [each.by for each in found.groupings if each.explains] == ["words of gold"]
    assert [each.different for each in first.buckets] == [False, False, False, True]
    assert first.buckets[-1].difference == pytest.approx(1.0, abs=0.3)
    text = render_reasons(found)
    assert "The difference depends on words of gold (corrected p = " in text
    assert "A is better where words of gold is " in text
    assert max(map(len, text.splitlines())) <= 80


def turned(found: Reasons) -> Reasons:
    """Return reasons seen from the second system."""
    groupings = tuple(
        replace(
            each,
            buckets=tuple(bucket.turned() for bucket in each.buckets),
            contributions={name: 0.0 - part for name, part in each.contributions.items()},
        )
        for each in found.groupings
    )
    return replace(
        found, a=found.b, b=found.a, difference=0.0 - found.difference, groupings=groupings
    )


@pytest.mark.parametrize("cluster", [None, "topic"])
def test_exchanging_the_systems_turns_signs_and_nothing_else(cluster: str | None) -> None:
    counts = made(5)
    if cluster:
        topics = tuple(f"t{k // 3}" for k in range(60))
        counts = replace(counts, labels={**counts.labels, "topic": topics})
    one, other = (
        explained(counts, "A", "B", cluster=cluster),
        explained(counts, "B", "A", cluster=cluster),
    )
    assert render_reasons(turned(one)) == render_reasons(other)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40))
def test_equal_values_share_a_bucket_and_buckets_are_in_order(values: Sequence[int]) -> None:
    names, codes = bucketed(np.array(values, np.float64))
    ends = [(float(name.split(" to ")[0]), float(name.split(" to ")[-1])) for name in names]
    assert len(names) <= 4
    assert all(low <= high for low, high in ends)
    assert all(a[1] < b[0] for a, b in pairwise(ends))
    assert all(ends[c][0] <= value <= ends[c][1] for value, c in zip(values, codes, strict=True))


@pytest.mark.slow
def test_systems_that_are_alike_are_seldom_told_apart() -> None:
    """The chance of any false claim of each kind keeps alpha: 50 tables at 0.2."""
    false = np.zeros(2)
    for seed in range(50):
        found = explained(made(seed, items=40), alpha=0.2)
        false += [
            any(each.explains for each in found.groupings),
            any(b.different for each in found.groupings for b in each.buckets),
        ]
    assert (false <= 18).all(), false  # three standard errors above 10


def test_the_command_prints_tables_or_an_object(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("quiz.csv", quiz_table())
    assert main(["diff", "quiz.csv", "--systems", "birch,alder", "--why"]) == 0
    shown = capsys.readouterr().out
    assert "Nothing shows that the difference depends on kind" in shown
    assert "too many values: passage" in shown
    assert main(["diff", "quiz.csv", "--systems", "birch,alder", "--why", "--cluster", "passage",
                 "--format", "jsonl"]) == 0  # fmt: skip
    row = json.loads(capsys.readouterr().out)
    assert (row["a"], row["b"], row["left_out"]) == ("birch", "alder", [])
    assert [each["value"] for each in row["groupings"][0]["buckets"]] == ["lookup", "name", "sum"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("item,A,B\n1,1,0\n2,1,1\n", "--why needs 8 items or more; here are 2"),
        ("prompt,model_a,model_b,winner\n1,A,B,A\n2,A,B,tie\n", "and these are preferences"),
    ],
)
def test_what_is_missing_is_said(
    write: Write, capsys: pytest.CaptureFixture[str], table: str, said: str
) -> None:
    assert main(["diff", write("t.csv", table), "--why"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert ("8 items" in err) == ("8 items" in said)
