"""What users are warned of: each code where it belongs, in the words of the reports."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import tellapart as ta
from quiz_files import NEARLY, quiz_counts
from tellapart.comparison.item_notices import likely_clusters
from tellapart.counts import Counts
from tellapart.errors import Notice
from tellapart.metrics.runs import average_runs
from tellapart.words import p_text


def warned(result: ta.Comparison) -> dict[str, str]:
    return {notice.code: notice.text for notice in result.warnings}


def test_clusters_are_said_to_be_kept() -> None:
    result = ta.compare(quiz_counts(NEARLY), cluster="passage")
    assert warned(result)["clustered"] == (
        "Items of one passage are not independent: whole passages were shuffled."
    )


def test_resampled_clusters_are_drawn() -> None:
    text = warned(ta.compare(quiz_counts(), cluster="passage", test="bootstrap"))["clustered"]
    assert text.endswith("whole passages were drawn.")


def test_a_label_that_groups_items_is_proposed_as_the_cluster() -> None:
    result = ta.compare(quiz_counts())
    assert warned(result)["maybe-clustered"] == (
        "Items come in 24 groups by passage, and those of one group may be right or wrong "
        "together: add --cluster passage, and trust that answer."
    )
    assert "maybe-clustered" not in warned(ta.compare(quiz_counts(), cluster="passage"))


def test_ids_that_look_grouped_are_pointed_out() -> None:
    bare = replace(quiz_counts(), labels={})
    assert warned(ta.compare(bare))["maybe-clustered"] == (
        "Item ids look grouped (p00-q1, p00-q2 ...). If so, add a column that names the group, "
        "and name it with --cluster."
    )


def test_few_items_do_not_make_intervals_rough_that_are_not_there() -> None:
    few = Counts.from_arrays({"A": [1, 1, 0, 1, 1, 1, 1], "B": [0, 0, 1, 0, 1, 1, 1]})
    said = {
        ("auto", True): "Only 7 items: the exact test was used.",
        ("auto", False): "Only 7 items: the exact test was used.",
        ("bootstrap", False): "Only 7 items: p-values are too small.",
        ("t", False): "Only 7 items: little can be shown.",
    }
    for (test, intervals), text in said.items():
        assert warned(ta.compare(few, test=test, intervals=intervals))["few-units"] == text


GROUPED = [
    [f"letter{k // 2}/s{k % 2}" for k in range(20)],
    [f"{k // 4}.{k % 4}" for k in range(40)],
    [f"doc_{k // 5}_{k % 5}" for k in range(50)],
]
NOT_GROUPED = [
    [f"q{k}" for k in range(1, 73)],
    [f"{k:04}" for k in range(1, 101)],
    [f"TST3-MUC4-{k:04}" for k in range(1, 101)],
    [f"TST{3 + k // 50}-MUC4-{k:04}" for k in range(100)],
    [f"news-{k}" for k in range(40)] + [f"web-{k}" for k in range(40)],
    [f"{name}-{k}" for name in ("news", "web", "law", "mail", "talk", "blog") for k in range(9)],
    [f"uuid{k:x}-{7 * k:x}" for k in range(50)],
    [f"p{k}-q1" for k in range(30)],
    ["p00-q1", "p00-q2", *(f"x{k}" for k in range(30))],
]


@pytest.mark.parametrize("ids", GROUPED)
def test_ids_of_groups(ids: list[str]) -> None:
    found = likely_clusters(Counts.from_arrays({"A": [0] * len(ids)}, items=ids))
    assert found is not None
    assert found.ids == tuple(ids[:2])


@pytest.mark.parametrize("ids", NOT_GROUPED)
def test_ids_of_no_groups(ids: list[str]) -> None:
    assert likely_clusters(Counts.from_arrays({"A": [0] * len(ids)}, items=ids)) is None


@pytest.mark.parametrize(
    ("label", "values", "groups"),
    [
        ("doc", 10, True),
        ("Document_ID", 10, True),
        ("topic", 10, True),
        ("topic", 3, False),  # a few large ones are kinds
        ("doc", 60, False),  # one each
        ("genre", 10, False),
        ("hash", 10, False),
    ],
)
def test_labels_of_groups(label: str, values: int, groups: bool) -> None:
    labels = {label: [f"v{k % values}" for k in range(60)]}
    counts = Counts.from_arrays({"A": [0] * 60}, labels=labels)
    found = likely_clusters(counts)
    assert (found is not None and found.label == label) is groups


def test_groups_that_the_files_tell_of_are_not_told_again() -> None:
    counts = quiz_counts()
    assert likely_clusters(counts) is not None
    told = Notice("maybe-clustered", "The logs group items by passage.")
    assert likely_clusters(replace(counts, notices=(told,))) is None
    found = ta.compare(replace(counts, notices=(told,)), intervals=False).warnings
    assert [n.text for n in found if n.code == told.code] == [told.text]


def test_of_many_ids_the_beginning_tells() -> None:
    ids = [f"p{k // 5}-q{k % 5}" for k in range(20_000)] + [f"x{k}" for k in range(20_000)]
    found = likely_clusters(Counts.from_arrays({"A": [0] * len(ids)}, items=ids))
    assert found is not None
    assert found.ids == ("p0-q0", "p0-q1")


def test_the_built_in_messages_are_not_grouped() -> None:
    assert likely_clusters(ta.example("muc4")) is None


def test_few_items_say_how_rough_and_which_test() -> None:
    rng = np.random.default_rng(0)
    counts = Counts.from_arrays({name: rng.integers(0, 2, 15) for name in "AB"}, kind="document")
    assert warned(ta.compare(counts))["few-units"] == (
        "Only 15 documents: the exact test was used."
    )
    drawn = warned(ta.compare(counts, test="bootstrap"))["few-units"]
    assert drawn == "Only 15 documents: p-values are too small."
    kept = warned(ta.compare(counts, margin=0.1))["few-units"]
    assert kept == "Only 15 documents: the exact test was used."


def test_intervals_of_few_items_are_rough_unless_they_are_of_right_and_wrong_ones() -> None:
    rng = np.random.default_rng(0)
    counts = Counts.from_arrays({name: rng.random(15) for name in "AB"}, kind="document")
    assert warned(ta.compare(counts))["few-units"] == (
        "Only 15 documents: the intervals are rough, the exact test was used."
    )
    drawn = warned(ta.compare(counts, test="bootstrap"))["few-units"]
    assert drawn == "Only 15 documents: the intervals are rough, and p-values too small."
    shuffled = warned(ta.compare(counts, test="shuffle"))["few-units"]
    assert shuffled == "Only 15 documents: the intervals are rough."


def test_the_floor_of_shuffles_is_named() -> None:
    counts = Counts.from_arrays({"A": [1] * 30, "B": [0] * 30})
    text = warned(ta.compare(counts, test="shuffle", shuffles=999))["floor"]
    assert text == "p cannot be smaller than 0.001 with 999 shuffles."


def test_many_pairs_without_correction() -> None:
    rng = np.random.default_rng(1)
    counts = Counts.from_arrays({name: rng.integers(0, 2, 25) for name in "ABCD"})
    asked = warned(ta.compare(counts, correction="none"))
    assert asked["many-pairs"] == "6 pairs were tested without correction."
    assert "many-pairs" not in warned(ta.compare(counts))


def test_a_difference_of_few_items_points_to_them() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.02, 0.02, (2, 60))
    a += 0.01
    a[:3] += 1
    text = warned(ta.compare(Counts.from_arrays({"A": a.round(3), "B": b.round(3)})))["outlier"]
    assert re.fullmatch(
        r"[123] items? makes? up half of the difference of A and B by mean: see them with "
        r"tellapart diff\.",
        text,
    )


def test_items_that_all_have_right_are_counted() -> None:
    counts = Counts.from_arrays({"A": [1] * 18 + [0, 1], "B": [1] * 18 + [1, 0]}, kind="item")
    assert warned(ta.compare(counts))["ceiling"] == (
        "90 % of items are right for all systems by mean."
    )


def test_runs_are_averaged_and_their_spread_is_told() -> None:
    rng = np.random.default_rng(3)
    scores = {name: rng.integers(0, 2, (3, 30)) for name in "AB"}
    runs = {
        name: [Counts.from_arrays({name: run}, kind="item") for run in each]
        for name, each in scores.items()
    }
    told = ", ".join(
        f"{np.std(each.mean(axis=1), ddof=1):.3f} for {name}" for name, each in scores.items()
    )
    assert warned(ta.compare(average_runs(runs)))["repeats"] == (
        f"3 runs per item were averaged first; run-to-run spread is {told}."
    )


def test_unsettled_pairs_come_with_the_range_of_their_p() -> None:
    pair = ta.example("muc4").systems["GE", "UMASS"]
    result = ta.compare(pair, ["f1"], test="shuffle", alpha=0.10, intervals=False)
    low, high = result.pairs[0].p_interval or (0, 0)
    said = f"GE - UMASS, f1 (exact p between {p_text(low)} and {p_text(high)})."
    assert warned(result)["unsettled"].endswith(said)


def test_warnings_name_pairs_as_the_report_shows_them() -> None:
    """The second system is ahead, so it comes first."""
    counts = Counts.from_arrays({"low": [0] * 5, "high": [1] * 5})
    assert warned(ta.compare(counts))["cannot-reach"].endswith("high - low, mean.")


def test_tukey_warns_where_systems_do_not_vary_alike() -> None:
    rng = np.random.default_rng(6)
    quiet = {f"q{k}": rng.normal(0, 1, 50).round(2) for k in range(5)}
    noisy = {f"n{k}": rng.normal(0, 4, 50).round(2) for k in range(2)}
    assert "unequal-spreads" not in warned(
        ta.compare(Counts.from_arrays(quiet), correction="tukey", shuffles=99, intervals=False)
    )
    both = Counts.from_arrays({**quiet, **noisy})
    text = warned(ta.compare(both, correction="tukey", shuffles=99, intervals=False))[
        "unequal-spreads"
    ]
    assert "times by mean" in text
    assert text.endswith("use --correction maxt.")
    assert "unequal-spreads" not in warned(
        ta.compare(both, correction="maxt", shuffles=99, intervals=False)
    )
