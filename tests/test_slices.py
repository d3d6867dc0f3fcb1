"""The same differences on parts of the items."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tellapart as ta
from small_counts import some_counts
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.details import details_of
from tellapart.comparison.pair_record import Slice
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.metrics import Function, ItemFunction
from tellapart.report.figures.slices import how
from tellapart.report.method import method

PRODUCT = Function("product", ("tp", "fp", "fn"), lambda s: s[..., 0] ** 2 / s.sum(-1) ** 1.5)


def labelled(topics: str, **scores: list[float]) -> Counts:
    return Counts.from_arrays(scores, labels={"topic": list(topics)}, kind="item")


def by_value(result: Comparison, metric: str = "mean") -> dict[str, Slice]:
    return {each.value: each for each in result.slices if each.metric == metric}


def test_a_slice_is_the_comparison_on_its_items_alone() -> None:
    counts = labelled("xxxxxxyyy", A=[1, 1, 1, 1, 1, 1, 0, 1, 0], B=[0, 0, 0, 0, 0, 0, 1, 1, 0])
    found = by_value(ta.compare(counts, by="topic"))

    assert list(found) == ["x", "y"]
    assert (found["x"].units, found["x"].difference, found["x"].p) == (6, 1.0, 2**-5)
    assert (found["y"].units, found["y"].p) == (3, 1.0)
    assert found["y"].difference == pytest.approx(-1 / 3)
    # Holm over two values: twice the smaller p.
    assert (found["x"].p_adjusted, found["x"].different) == (2**-4, False)
    assert (found["y"].p_adjusted, found["y"].different) == (1.0, False)


@given(st.integers(0, 10_000), st.sampled_from(["two", "greater", "less"]))
@settings(max_examples=10, deadline=None)
def test_exact_slices_agree_with_the_comparison_of_their_items(seed: int, tail: str) -> None:
    counts = some_counts(24, "ABC", seed)
    labels = {"topic": tuple("xy"[k % 2] for k in range(24)), **counts.labels}
    counts = Counts.from_arrays(
        dict(zip("ABC", counts.values, strict=True)), counts.columns, labels=labels
    )
    whole = ta.compare(counts, by="topic", tail=tail)

    for value in "xy":
        alone = ta.compare(counts.where(topic=value), tail=tail, intervals=False)
        for part in (each for each in whole.slices if each.value == value):
            pair = alone.pair(part.a, part.b, part.metric)
            assert part.difference == pair.difference
            assert part.p == pytest.approx(pair.p)


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
def test_intervals_of_means_invert_the_test_as_those_of_pairs_do(tail: str) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 100, (2, 30))
    counts = labelled("x" * 20 + "y" * 10, A=a, B=b)
    found = by_value(ta.compare(counts, by="topic", alpha=0.2, tail=tail))
    for value in "xy":  # two values, so that each interval may miss half as often
        alone = ta.compare(counts.where(topic=value), alpha=0.1, tail=tail).pairs[0]
        assert found[value].interval == alone.interval
        assert found[value].interval_method == alone.interval_method


def test_other_intervals_are_by_t(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellapart.comparison.slices.SHUFFLED_QUESTIONS", 0)
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 100, (2, 30))
    found = by_value(ta.compare(labelled("x" * 20 + "y" * 10, A=a, B=b), by="topic", alpha=0.1))
    for value, part in (("x", slice(20)), ("y", slice(20, 30))):
        d = (a - b)[part]
        wanted = stats.t.interval(0.95, len(d) - 1, d.mean(), stats.sem(d))
        assert found[value].interval == pytest.approx(wanted)
        assert found[value].interval_method == "t"


def right_or_wrong(passages: int) -> Counts:
    """Make passages of three questions each, where the first system leads by chance alone."""
    rng = np.random.default_rng(passages)
    n = 3 * passages
    labels = {
        "passage": [str(k // 3) for k in range(n)],
        "half": ["xy"[2 * k // n] for k in range(n)],
    }
    values = {name: rng.integers(0, 2, n).tolist() for name in "AB"}
    return Counts.from_arrays(values, labels=labels, kind="item")


@pytest.mark.parametrize("passages", [4, 6, 10, 24])
@pytest.mark.parametrize("questions", [0, 200])
def test_no_interval_of_right_and_wrong_reaches_beyond_what_is_possible(
    passages: int, questions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tellapart.comparison.slices.SHUFFLED_QUESTIONS", questions)
    for part in ta.compare(right_or_wrong(passages), cluster="passage", by="half").slices:
        assert part.interval is not None
        assert all(end is None or -1 <= end <= 1 for end in part.interval)


def test_the_footer_says_how_intervals_of_slices_are_made() -> None:
    items = ta.compare(right_or_wrong(10), cluster="passage", by="half")
    assert "slices" not in method(items)  # the same test is inverted
    ratios = ta.compare(some_counts(24), "f1", by="doc")
    assert "; intervals of slices by t over sentences." in method(ratios)


def test_slices_count_items_and_the_clusters_they_are_in() -> None:
    """With 5 clusters p cannot be below 1/16, so that no difference is ruled out at .05."""
    counts = right_or_wrong(10)
    clustered = ta.compare(counts, cluster="passage", by="half").slices
    assert [(part.units, part.clusters, part.interval) for part in clustered] == [
        (15, 5, (None, None))
    ] * 2
    assert {part.clusters for part in ta.compare(counts, by="half").slices} == {None}


def test_many_questions_are_answered_by_t() -> None:
    rng = np.random.default_rng(3)
    scores = {f"s{k}": rng.integers(0, 100, 200) for k in range(12)}
    counts = Counts.from_arrays(scores, labels={"topic": ["wxyz"[k % 4] for k in range(200)]})
    result = ta.compare(counts, by="topic", intervals=False)

    assert len(result.slices) == 4 * 66
    for part in result.slices[:20]:
        kept = np.array(counts.labels["topic"]) == part.value
        wanted = stats.ttest_rel(scores[part.a][kept], scores[part.b][kept]).pvalue
        assert part.p == pytest.approx(wanted)
        assert part.interval is None


def test_no_p_by_t_is_smaller_than_exchanges_allow() -> None:
    """Where every item says the same, t would be infinite."""
    scores = {f"s{k}": [k] * 40 for k in range(12)}
    counts = Counts.from_arrays(scores, labels={"topic": ["wxyz"[k % 4] for k in range(40)]})

    assert {part.p for part in ta.compare(counts, by="topic", intervals=False).slices} == {2**-9}


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
def test_t_and_shuffles_tell_much_the_same(tail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = some_counts(120, "AB", 8)
    labels = {"topic": tuple("xy"[k % 2] for k in range(120))}
    counts = Counts.from_arrays(
        dict(zip("AB", counts.values, strict=True)), counts.columns, labels=labels
    )
    metrics: list[str | Function] = ["recall", "f1", PRODUCT]
    shuffled = ta.compare(counts, metrics, by="topic", tail=tail).slices
    monkeypatch.setattr("tellapart.comparison.slices.SHUFFLED_QUESTIONS", 0)
    analytic = ta.compare(counts, metrics, by="topic", tail=tail).slices

    for one, other in zip(shuffled, analytic, strict=True):
        assert one.p == pytest.approx(other.p, abs=0.03)


def test_clusters_stay_together_within_a_slice() -> None:
    """Three documents with two sentences of each kind: 2^3 exchanges, not 2^6."""
    counts = Counts.from_arrays(
        {"A": [1] * 12, "B": [0] * 12},
        labels={"doc": list("uuuuvvvvwwww"), "kind": list("xxyy" * 3)},
    )
    found = by_value(ta.compare(counts, cluster="doc", by="kind"))

    assert {(part.units, part.p) for part in found.values()} == {(6, 0.25)}


def test_items_without_the_label_are_a_slice_of_their_own() -> None:
    counts = Counts.from_arrays({"A": [1, 0, 1], "B": [0, 0, 1]}, labels={"topic": ["x", "", "x"]})

    assert [part.value for part in ta.compare(counts, by="topic").slices] == ["x", "(none)"]


def test_several_labels_have_corrections_of_their_own() -> None:
    counts = Counts.from_arrays(
        {"A": [1] * 8, "B": [0] * 8}, labels={"one": list("xxxxyyyy"), "two": list("xxxxxxxx")}
    )
    found = ta.compare(counts, by=["one", "two"]).slices

    assert [(part.by, part.value) for part in found] == [("one", "x"), ("one", "y"), ("two", "x")]
    assert [part.p_adjusted for part in found] == [0.25, 0.25, 2**-7]


def test_slices_are_in_the_record_and_in_the_signature() -> None:
    counts = labelled("xxyy", A=[1, 0, 1, 1], B=[0, 0, 1, 0])
    result = ta.compare(counts, by="topic")

    assert Comparison.from_json(result.to_json()) == result
    assert json.loads(result.to_json())["slices"][0]["value"] == "x"
    assert "| by topic |" in result.signature
    assert "by topic" not in ta.compare(counts).signature


def test_functions_of_items_have_differences_only() -> None:
    median = ItemFunction("median", ("score",), lambda rows: float(np.median(rows[:, 0])))
    counts = labelled("xxxyyy", A=[3, 1, 2, 5, 5, 6], B=[1, 1, 1, 5, 1, 1])
    found = by_value(ta.compare(counts, [median], by="topic"), "median")

    assert [(part.difference, part.p, part.interval) for part in found.values()] == [
        (1.0, None, None),
        (4.0, None, None),
    ]


@pytest.mark.parametrize(
    ("label", "told"),
    [("genre", "no label 'genre'.*: doc, hash"), ("doc", "exchanged as wholes"), ("hash", "101")],
)
def test_labels_that_tell_no_slices_apart_are_refused(label: str, told: str) -> None:
    with pytest.raises(ta.UsageError, match=told):
        ta.compare(some_counts(101, "AB"), "f1", cluster="doc", by=label)


# In the details of a report


def test_reports_choose_labels_with_a_few_values() -> None:
    counts = Counts.from_arrays(
        {"A": [1, 0] * 10, "B": [0] * 20},
        labels={
            "same": ["x"] * 20,
            "id": [str(k) for k in range(20)],
            "topic": list("xy" * 10),
            "doc": list("vvvvwwwwuuuuzzzztttt"),
        },
    )
    plain, clustered = (details_of(ta.compare(counts, cluster=c)) for c in (None, "doc"))

    assert {part.by for part in plain.pairs[0].slices} == {"topic", "doc"}
    assert {part.by for part in clustered.pairs[0].slices} == {"topic"}


def test_labels_that_name_each_item_are_no_kinds() -> None:
    counts = labelled("abcdefghi", A=[1] * 9, B=[0] * 9)

    assert details_of(ta.compare(counts)).pairs[0].slices == ()


def test_reports_show_the_slices_that_were_asked_for_pair_by_pair() -> None:
    counts = Counts.from_arrays(
        {"A": [1, 0] * 10, "B": [0] * 20, "C": [1] * 20},
        labels={"topic": list("xy" * 10), "half": list("xxxxxxxxxxyyyyyyyyyy")},
    )
    result = ta.compare(counts, by="half")
    details = details_of(result)

    for shown in details.pairs:
        assert [(part.by, part.a, part.b) for part in shown.slices] == [
            ("half", shown.a, shown.b)
        ] * 2
    assert sum(len(shown.slices) for shown in details.pairs) == len(result.slices)


# On the command line

TABLE = "item,topic,A,B\n" + "".join(
    f"{k},{'sea' if k % 2 else 'land'},{k % 2},{int(k % 3 == 0)}\n" for k in range(20)
)


def test_by_on_the_command_line(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    table = write("t.csv", TABLE)

    assert main(["compare", table, "--by", "topic", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["slices"]
    assert [(part["by"], part["value"], part["units"]) for part in found] == [
        ("topic", "land", 10),
        ("topic", "sea", 10),
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--by", "genre"], "there is no label 'genre' to compare by; the labels are: topic"),
        (["--by", "selection"], "--as muc"),
    ],
)
def test_bad_labels_on_the_command_line(
    write: Write, options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", write("t.csv", TABLE), *options]) == 2
    assert told in capsys.readouterr().err


def test_how_intervals_are_made_is_said_in_words() -> None:
    counts = labelled("xxxxxxyyy", A=[1, 1, 1, 1, 1, 1, 0, 1, 0], B=[0, 0, 0, 0, 0, 0, 1, 1, 0])
    result = ta.compare(counts, by="topic", correction="none")
    assert {each.interval_method for each in result.slices} == {"tango"}
    said = how(result, result.slices)
    assert "95 % intervals by Tango's score method, for all values at once" in said
    assert "p adjusted by Holm over the values of this label" in said  # whatever --correction is
    pair = replace(result.pairs[0], method="exact", interval_method="inversion")
    assert "by inverting the same test with shuffles" in method(replace(result, pairs=(pair,)))
