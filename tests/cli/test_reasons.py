"""Why two systems differ: groups of items, and what explains the difference."""

from __future__ import annotations

import json

import numpy as np
import pytest

from quiz import quiz_table
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.comparison.explain import Reasons, explain
from tellapart.comparison.options import Options
from tellapart.counts import Counts
from tellapart.report.reasons import render_reasons
from tellapart.stats import dependence


def explained(counts: Counts, **options: object) -> Reasons:
    return explain(counts, None, Options(**options))  # type: ignore[arg-type]


def made(seed: int, items: int = 60, worse_on_long: float = 0.0) -> Counts:
    """Make two systems that are alike, but that the second may be worse on long items."""
    rng = np.random.default_rng(seed)
    lengths = rng.choice([5, 9, 13, 17], items)
    hard = rng.normal(0, 1, items)
    scores = {name: np.round(hard + rng.normal(0, 0.5, items), 3) for name in "AB"}
    scores["B"] = scores["B"] - worse_on_long * (lengths > 15)
    labels = {
        "length": lengths.astype(str).tolist(),
        "topic": rng.choice(list("xyz"), items).tolist(),
        "year": rng.integers(1900, 2000, items).astype(str).tolist(),
    }
    return Counts.from_arrays(scores, labels=labels)


def test_items_without_labels_are_not_grouped() -> None:
    """Whatever texts they have."""
    found = explained(Counts.from_arrays({"A": [1] * 8, "B": [0] * 8}))
    assert "- There is no label by which items could be grouped." in render_reasons(found)


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
    assert topic.p == dependence([1] * 8 + [1, 1, -1, -1] * 2, ["x"] * 8 + ["y"] * 8).p


def test_parts_of_every_grouping_add_up_to_the_difference() -> None:
    found = explained(made(3))
    assert {each.by for each in found.groupings} == {"length", "topic"}
    for each in found.groupings:
        assert sum(each.contributions.values()) == pytest.approx(found.difference)
        assert sum(b.items for b in each.buckets) == found.items


def test_an_effect_on_long_golds_is_found_and_nothing_else() -> None:
    found = explained(made(1, items=200, worse_on_long=1.0))
    first = found.groupings[0]
    assert first.by == "length"
    assert [each.by for each in found.groupings if each.explains] == ["length"]
    assert [each.different for each in first.buckets] == [False, False, False, True]
    assert first.buckets[-1].difference == pytest.approx(1.0, abs=0.3)
    text = render_reasons(found)
    assert "The difference depends on length (corrected p = " in text
    assert max(map(len, text.splitlines())) <= 80


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


def test_the_command_prints_an_object(write: Write, capsys: Capture) -> None:
    write("quiz.csv", quiz_table())
    assert main(["diff", "quiz.csv", "--systems", "birch,alder", "--why", "--cluster", "passage",
                 "--format", "jsonl"]) == 0  # fmt: skip
    row = json.loads(capsys.readouterr().out)
    assert (row["a"], row["b"], row["left_out"]) == ("birch", "alder", [])
    assert [each["value"] for each in row["groupings"][0]["buckets"]] == ["lookup", "name", "sum"]
