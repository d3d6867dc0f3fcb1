"""The whole way from counts to a record, in Python."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tellapart as ta
from tellapart.counts import Counts
from tellapart.resampling import path

TESTS = ("auto", "exact", "shuffle", "bootstrap", "bootstrap-abs", "bootstrap-t")
ON_ITEMS = (*TESTS, "sign", "wilcoxon", "t", "mcnemar", "two-sample-t", "binomial", "chi2")
CORRECTIONS = (
    "none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "bh", "by", "maxt",
    "maxt-single", "minp", "tukey",
)  # fmt: skip


def some_counts(units: int = 30, systems: str = "ABCD", seed: int = 0) -> Counts:
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(0, 5 + k, (units, 3)) for k, name in enumerate(systems)}
    labels = {"doc": [f"d{k // 3}" for k in range(units)], "hash": [str(k) for k in range(units)]}
    return Counts.from_arrays(values, columns=["tp", "fp", "fn"], labels=labels, kind="sentence")


def some_items(units: int = 25, seed: int = 1) -> Counts:
    rng = np.random.default_rng(seed)
    return Counts.from_arrays({name: rng.integers(0, 2, units) for name in "AB"})


@pytest.mark.parametrize("test", ON_ITEMS)
def test_a_system_against_its_own_copy_gives_p_1_in_every_test(test: str) -> None:
    scores = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1]
    result = ta.compare(Counts.from_arrays({"A": scores, "copy": scores}), test=test)
    pair = result.pair("A", "copy")
    assert (pair.p, pair.p_adjusted, pair.different) == (1.0, 1.0, False)
    assert "identical" in {notice.code for notice in result.warnings}
    assert "same" in result.verdict


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_copies_are_never_told_apart_under_any_correction(correction: str) -> None:
    counts = some_counts(systems="AB")
    three = Counts.from_arrays(
        {"A": counts.values[0], "copy": counts.values[0], "B": counts.values[1]},
        columns=["tp", "fp", "fn"],
    )
    result = ta.compare(three, ["f1"], correction=correction, shuffles=999)
    assert result.pair("A", "copy").p_adjusted == 1.0


@pytest.mark.parametrize("test", TESTS)
def test_the_record_is_the_same_to_the_last_byte_however_it_was_computed(test: str) -> None:
    counts = some_counts(units=60)
    asked: dict[str, Any] = {
        "test": test,
        "seed": 3,
        "cluster": "doc",
        "metrics": ["recall", "f1"],
        "shuffles": 2_500,
        "intervals": test == "shuffle",  # drawing them once is enough
    }
    once = ta.compare(counts, workers=1, **asked).to_json()
    assert ta.compare(counts, workers=2, **asked).to_json() == once
    assert ta.compare(counts, workers=2, batch=1, **asked).to_json() == once
    with ThreadPoolExecutor(3) as executor:
        assert ta.compare(counts, executor=executor, **asked).to_json() == once
    for each in path.available():
        with path.using(each):
            assert ta.compare(counts, workers=1, batch=3, **asked).to_json() == once


@pytest.mark.parametrize("correction", ["maxt", "minp", "tukey"])
def test_joint_corrections_give_the_same_record_on_every_path(correction: str) -> None:
    asked: dict[str, Any] = {"test": "shuffle", "correction": correction, "shuffles": 2_500}
    records = set()
    for each in path.available():
        with path.using(each):
            records |= {
                ta.compare(some_counts(), ["f1"], workers=n, **asked).to_json() for n in (1, 2)
            }
    assert len(records) == 1


def test_another_seed_gives_other_shuffles_and_is_in_the_record() -> None:
    first, second = (ta.compare(some_counts(), ["f1"], test="shuffle", seed=s) for s in (0, 1))
    assert (first.seed, second.seed) == (0, 1)
    assert [p.exceedances for p in first.pairs] != [p.exceedances for p in second.pairs]


def test_swapping_the_systems_flips_the_sign_and_exchanges_the_tails() -> None:
    counts = some_counts(systems="AB")
    swapped = counts.systems["B", "A"]
    for metric in ("recall", "precision", "f1"):
        two = [ta.compare(c, [metric], test="exact").pairs[0] for c in (counts, swapped)]
        assert two[0].p == pytest.approx(two[1].p, rel=1e-12)
        assert two[0].difference == -two[1].difference
        greater = ta.compare(counts, [metric], test="exact", tail="greater").pairs[0]
        less = ta.compare(swapped, [metric], test="exact", tail="less").pairs[0]
        assert greater.p == pytest.approx(less.p, rel=1e-12)
        assert greater.claim == "A is better than B"


def test_better_means_lower_where_the_metric_says_so() -> None:
    """The first system has fewer errors, so the claim that it is better is believed."""
    rows = {"A": [[9, 0, 1]] * 12, "B": [[6, 3, 4]] * 12}
    counts = Counts.from_arrays(rows, columns=["tp", "fp", "fn"])
    better = ta.compare(counts, ["slot-error-rate"], test="exact", tail="greater")
    assert better.pairs[0].p == 2**-12
    assert better.pairs[0].units_a_better == 12
    assert ta.compare(counts, ["slot-error-rate"], test="exact", tail="less").pairs[0].p == 1.0


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_order_of_units_and_empty_units_do_not_change_an_exact_p(data: st.DataObject) -> None:
    units = data.draw(st.integers(1, 25))
    values = data.draw(arrays(np.int64, (2, units, 3), elements=st.integers(0, 6)))
    order = data.draw(st.permutations(range(units)))
    columns = ["tp", "fp", "fn"]
    plain = Counts.from_arrays({"A": values[0], "B": values[1]}, columns=columns)
    padded = [np.concatenate([v[list(order)], np.zeros((5, 3), int)]) for v in values]
    other = Counts.from_arrays({"A": padded[0], "B": padded[1]}, columns=columns)
    for metric in ("recall", "precision", "f2"):
        asked: dict[str, Any] = {"test": "exact", "intervals": False}
        first = ta.compare(plain, [metric], **asked).pairs[0]
        second = ta.compare(other, [metric], **asked).pairs[0]
        assert first.p == pytest.approx(second.p, rel=1e-12)
        assert first.p is not None
        assert first.p > 0


def test_shuffle_counts_do_not_depend_on_the_other_systems() -> None:
    counts = some_counts()
    alone = ta.compare(counts.systems["B", "D"], ["f1"], test="shuffle").pairs[0]
    among = ta.compare(counts, ["f1"], test="shuffle").pair("B", "D")
    assert alone.exceedances == among.exceedances


def test_p_is_never_zero_however_large_the_difference() -> None:
    better = Counts.from_arrays({"A": [1] * 3_000, "B": [0] * 3_000})
    for test in ("exact", "shuffle", "bootstrap", "sign", "wilcoxon", "mcnemar"):
        p = ta.compare(better, test=test, intervals=False).pairs[0].p
        assert p is not None
        assert p > 0
    exact = ta.compare(better, test="exact", intervals=False).pairs[0]
    assert (exact.smallest_p or 0) > 0
    assert "below 1e-300" in ta.compare(better, test="exact", intervals=False).verdict


def test_three_messages_of_the_muc_papers() -> None:
    """A differs from B on one message: p = 1. C is better on all fifty: p = 2^-49."""
    a = [[15, 5, 0]] * 50 + [[0, 0, 0]] * 50
    b = [[0, 20, 0], *a[1:]]
    c = [[18, 2, 0]] * 50 + [[0, 0, 0]] * 50
    counts = Counts.from_arrays({"A": a, "B": b, "C": c}, columns=["tp", "fp", "fn"])
    result = ta.compare(counts, ["precision"], test="exact")
    assert result.pair("A", "B").p == 1.0
    assert result.pair("A", "C").p == 2.0**-49
    assert result.pair("A", "C").exact_difference == "-3/20"


def test_groups_of_1992_come_out_of_its_9999_shuffles() -> None:
    result = ta.compare(
        ta.example("muc4"),
        ["recall", "precision", "f1"],
        test="shuffle",
        shuffles=9_999,
        alpha=0.10,
        correction="none",
        min_confidence=0.99,
        intervals=False,
    )
    recall = [set(group) for group in result.groups["recall"]]
    assert {"MDC", "NMSU", "LSI", "SRA"} in recall
    assert all({name} in recall for name in ("SYNCH", "USC", "GE"))
    near = {
        pair.a if pair.b == "SYNCH" else pair.b
        for pair in result.pairs
        if pair.metric == "precision" and "SYNCH" in (pair.a, pair.b) and not pair.different
    }
    assert len(near) == 7
    assert not result.pair("SRA", "MDC", "f1").different
    assert not result.pair("SRA", "PARAMAX", "f1").different
    assert result.pair("MDC", "PARAMAX", "f1").different


def test_exact_p_values_of_the_built_in_example() -> None:
    result = ta.compare(ta.example("muc4").systems["GE", "GE-CMU", "UMASS"], ["f1"], test="exact")
    expected = {
        ("GE", "GE-CMU"): 0.046613,
        ("GE", "UMASS"): 0.098674,
        ("GE-CMU", "UMASS"): 0.893066,
    }
    for pair, p in expected.items():
        assert result.pair(*pair).p == pytest.approx(p, abs=5e-7)


def test_exact_needs_a_lattice_or_few_units() -> None:
    rng = np.random.default_rng(0)
    messy = Counts.from_arrays({"A": rng.random(40) / 3, "B": rng.random(40) / 3})
    with pytest.raises(ta.UsageError, match="no exact test of A and B by mean: 40 units differ"):
        ta.compare(messy, test="exact")
    assert ta.compare(messy).pairs[0].method == "sequential"
    assert ta.compare(messy).pairs[0].comparison == "tolerance"


def test_auto_takes_enumeration_then_lattice_then_shuffles() -> None:
    counts = some_counts(units=40, systems="AB")
    mcc = ta.Function("tp-share", ("tp", "fp"), lambda s: s[..., 0] / (s[..., 0] + s[..., 1] + 1))
    few = ta.compare(counts.where(doc=["d0", "d1"]), ["f1"]).pairs[0]
    many = ta.compare(counts, ["f1"]).pairs[0]
    function = ta.compare(counts, [mcc], alpha=0.3).pairs[0]
    fixed = ta.compare(counts, [mcc], shuffles=500).pairs[0]
    assert (few.method, many.method) == ("enumeration", "exact")
    assert (function.method, fixed.method, fixed.shuffles) == ("sequential", "shuffles", 500)


def test_sequential_p_is_near_the_exact_one() -> None:
    """A function of sums that equals F1 is tested by shuffles; F1 itself is exact."""
    counts = some_counts(units=50, systems="AB", seed=4)
    same = ta.Function(
        "same",
        ("tp", "fp", "fn"),
        lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2]),
    )
    result = ta.compare(counts, ["f1", same], shuffles=100_000, test="auto")
    exact, drawn = result.pair("A", "B", "f1").p, result.pair("A", "B", "same")
    assert exact is not None
    assert drawn.exceedances is not None
    sd = (100_000 * exact * (1 - exact)) ** 0.5
    assert abs(drawn.exceedances - 100_000 * exact) < 4.5 * sd


def test_clusters_are_exchanged_whole_and_what_ignoring_them_gives_stands_beside() -> None:
    counts = some_counts(units=30, systems="AB")
    result = ta.compare(counts, ["f1"], cluster="doc")
    pair = result.pairs[0]
    by_hand = ta.compare(counts.by("doc"), ["f1"])
    assert pair.p == by_hand.pairs[0].p
    assert pair.p_ignoring_clusters == ta.compare(counts, ["f1"]).pairs[0].p
    assert result.units["clusters"] == {"kind": "doc", "count": 10, "largest_share": 0.1}
    assert {"icc", "design_effect", "effective_n"} <= pair.diagnostics.keys()
    assert "clustered" in {notice.code for notice in result.warnings}


def test_repeated_texts_are_pointed_out_with_the_p_that_allows_for_them() -> None:
    rng = np.random.default_rng(0)
    labels = {"text": [f"t{k // 2}" for k in range(24)]}
    counts = Counts.from_arrays({n: rng.integers(0, 2, 24) for n in "AB"}, labels=labels)
    result = ta.compare(counts)
    assert "duplicates" in {notice.code for notice in result.warnings}
    assert result.pairs[0].checks["p_by_text"] == ta.compare(counts, cluster="text").pairs[0].p


def test_min_confidence_needs_more_than_a_small_p() -> None:
    """GE and UMASS: p is just below 0.10, but not surely so after 9,999 shuffles."""
    pair = ta.example("muc4").systems["GE", "UMASS"]
    asked: dict[str, Any] = {"alpha": 0.10, "intervals": False}
    assert ta.compare(pair, ["f1"], test="exact", min_confidence=0.99, **asked).pairs[0].different
    drawn = ta.compare(pair, ["f1"], test="shuffle", min_confidence=0.99, **asked).pairs[0]
    assert drawn.confidence is not None
    assert 0.01 < drawn.confidence < 0.99
    assert not drawn.different
    assert drawn.settled is False


def test_margin_asks_for_equivalence_not_for_a_large_p() -> None:
    right = np.tile([0, 1], 200)
    other = np.where(np.arange(400) < 8, 1 - right, right)
    counts = Counts.from_arrays({"new": other, "old": right})
    wide, narrow = (ta.compare(counts, margin=m).pairs[0] for m in (0.1, 0.0001))
    assert (wide.equivalent, wide.a_no_worse, wide.b_no_worse) == (True, True, True)
    assert (narrow.equivalent, narrow.a_no_worse, narrow.b_no_worse) == (False, False, False)
    assert ta.compare(counts).pairs[0].equivalent is None


def test_baseline_compares_with_one_system_only() -> None:
    result = ta.compare(some_counts(), ["f1"], baseline="C")
    assert [(pair.a, pair.b) for pair in result.pairs] == [("A", "C"), ("B", "C"), ("C", "D")]
    assert result.family["size"] == 3
    assert result.groups == {}
    with pytest.raises(ta.UsageError, match="no system 'Z' to be the baseline"):
        ta.compare(some_counts(), baseline="Z")


def test_family_of_all_metrics_is_larger_and_stricter() -> None:
    counts = some_counts()
    one, every = (ta.compare(counts, ["recall", "f1"], family=f) for f in ("metric", "all"))
    assert (one.family["size"], every.family["size"]) == (6, 12)
    pairs = zip(one.pairs, every.pairs, strict=True)
    assert all((a.p_adjusted or 0) <= (b.p_adjusted or 0) + 1e-15 for a, b in pairs)
    assert one.family["experimentwise_error"] == pytest.approx(1 - 0.95**6)


def test_checks_compare_two_runs_the_sign_test_and_the_exact_p() -> None:
    checks = ta.compare(some_items(), test="shuffle", checks=True).pairs[0].checks
    assert checks["two_runs"]["agree"]
    assert checks["sign_test"]["agree"]
    assert checks["exact"]["agree"]
    assert checks["sign_test"]["p"] == pytest.approx(checks["exact"]["p"], rel=1e-9)


def test_independence_tests_have_the_paired_p_beside_them() -> None:
    items = some_items()
    result = ta.compare(items, test="two-sample-t")
    assert result.pairs[0].checks["paired_p"] == ta.compare(items).pairs[0].p
    assert "independent-test" in {notice.code for notice in result.warnings}


def test_tests_that_do_not_fit_say_why() -> None:
    with pytest.raises(
        ta.UsageError, match="'sign' does not fit f1 of A and B: the score is no mean"
    ):
        ta.compare(some_counts(), ["f1"], test="sign")
    with pytest.raises(ta.UsageError, match=r"'mcnemar' does not fit .* not simply right or wrong"):
        ta.compare(Counts.from_arrays({"A": [0.5, 1], "B": [1, 0]}), test="mcnemar")
    with pytest.raises(ta.UsageError, match="share their units: a paired test is stronger"):
        ta.compare(some_items(), test="unpaired")
    assert ta.compare(some_items(), test="unpaired", force=True).pairs[0].p is not None


def test_a_constant_difference_has_no_t_and_the_sign_test_beside_it() -> None:
    counts = Counts.from_arrays({"A": [3, 4, 5, 6, 7, 8, 9], "B": [1, 2, 3, 4, 5, 6, 7]})
    result = ta.compare(counts, test="t")
    pair = result.pairs[0]
    assert (pair.p, pair.p_adjusted, pair.different) == (None, None, False)
    assert pair.note is not None
    assert "0.01562" in pair.note
    assert "undefined-test" in {notice.code for notice in result.warnings}
    assert "undefined" in result.verdict


def test_few_discordant_units_cannot_be_significant_and_that_is_said() -> None:
    result = ta.compare(Counts.from_arrays({"A": [1] * 5, "B": [0] * 5}))
    assert result.pairs[0].p == 2 / 32
    assert {"cannot-reach", "few-units"} <= {notice.code for notice in result.warnings}
    assert result.pairs[0].smallest_p == 2 / 32


def test_one_message_that_decides_everything_is_named() -> None:
    a = [[1, 0, 0]] * 30
    b = [[1, 0, 1]] * 6 + [[1, 0, 0]] * 24
    counts = Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])
    result = ta.compare(counts, ["recall"])
    assert result.pairs[0].different
    assert result.pairs[0].diagnostics["influence"]["decision_changes"] is True
    assert "influence" in {notice.code for notice in result.warnings}


def test_all_zero_counts_are_answered_not_divided() -> None:
    nothing = Counts.from_arrays({"A": [[0, 0, 0]] * 3, "B": [[0, 0, 0]] * 3}, ["tp", "fp", "fn"])
    result = ta.compare(nothing)
    assert [pair.p for pair in result.pairs] == [1.0, 1.0, 1.0]
    assert "undefined" in {notice.code for notice in result.warnings}


def test_one_unit_gives_p_1_and_no_interval() -> None:
    pair = ta.compare(Counts.from_arrays({"A": [0.7], "B": [0.1]})).pairs[0]
    assert (pair.p, pair.interval) == (1.0, (None, None))


def test_record_survives_json_unchanged_and_has_the_promised_keys() -> None:
    result = ta.compare(some_counts(), cluster="doc", test="shuffle", margin=0.5, checks=True)
    text = result.to_json()
    assert ta.Comparison.from_json(text) == result
    assert ta.Comparison.from_json(text).to_json() == text
    record = json.loads(text)
    assert list(record)[:11] == [
        "tellapart", "signature", "alpha", "correction", "seed", "units", "systems", "pairs",
        "groups", "letters", "warnings",
    ]  # fmt: skip
    assert list(record["pairs"][0])[:16] == [
        "a", "b", "metric", "difference", "interval", "p", "p_adjusted", "method", "tail",
        "shuffles", "exceedances", "confidence", "different", "units_a_better", "units_b_better",
        "units_tied",
    ]  # fmt: skip
    assert set(record["units"]) == {"count", "kind", "clusters"}
    assert {"name", "scores", "intervals"} <= set(record["systems"][0])
    assert {"code", "text"} <= set(record["warnings"][0])
    with pytest.raises(ta.DataError, match="no record of a comparison"):
        ta.Comparison.from_json("{}")


def test_scores_are_exact_fractions_where_they_can_be() -> None:
    result = ta.compare(some_counts(), ["f1"])
    system = result.systems[0]
    assert float(Fraction(system.exact_scores["f1"])) == system.scores["f1"]


def test_saving_is_whole_or_not_at_all(tmp_path: Path) -> None:
    result = ta.compare(some_items())
    target = tmp_path / "record.json"
    result.save_json(target)
    assert target.read_text() == result.to_json()
    with pytest.raises(ta.UsageError, match="cannot be written"):
        result.save_json(tmp_path / "no" / "folder.json")
    assert [each.name for each in tmp_path.iterdir()] == ["record.json"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"shuffles": 0}, "at least 1"),
        ({"seed": -1}, "0 or more"),
        ({"tail": "both"}, "unknown tail 'both'"),
        ({"test": "exakt"}, "there is no test 'exakt'; the nearest is 'exact'"),
        ({"correction": "Holm"}, "no correction 'Holm'"),
        ({"margin": -0.1}, "margin must be above 0"),
        ({"min_confidence": 2}, "confidence must be"),
        ({"workers": 0}, "number of workers"),
        ({"intervals": "exact"}, "no interval method"),
        ({"cluster": "document"}, "there is no label 'document'"),
        ({"strata": "document"}, "there is no label 'document'"),
        ({"metrics": ["f1", "f1"]}, "asked for twice"),
        ({"metrics": ["recal"]}, "did you mean 'recall'"),
        ({"metrics": ["fallout"]}, "needs the columns inc spu pie or fp tn"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ta.UsageError, match=said) as caught:
        ta.compare(some_counts(), **asked)
    assert "\n" not in str(caught.value)


def test_one_system_is_too_few() -> None:
    with pytest.raises(ta.UsageError, match="one system, 'A'"):
        ta.compare(some_counts().systems["A"])


def test_progress_is_told_as_work_is_done() -> None:
    told: list[tuple[str, int, int]] = []
    ta.compare(
        some_counts(),
        ["f1"],
        test="shuffle",
        shuffles=50_000,
        progress=lambda what, done, total: told.append((what, done, total)),
    )
    shuffles = [(done, total) for what, done, total in told if what == "shuffles"]
    assert shuffles[0][0] == 0
    assert shuffles[-1][0] == shuffles[-1][1]


def test_verdicts_say_what_was_found_with_names_size_and_certainty() -> None:
    pair = ta.example("muc4").systems["GE", "UMASS"]
    sure = ta.compare(pair, ["f1"], alpha=0.10)
    assert sure.verdict.startswith("GE is better than UMASS: its f1 is 0.044 higher (90 % interval")
    assert "p = .0987" in sure.verdict
    unsure = ta.compare(pair, ["f1"])
    assert "cannot be told from chance" in unsure.verdict
    assert "four times out of five" in unsure.verdict
    assert "equal" not in unsure.verdict


def test_mcnemar_leaves_out_units_with_nothing_in_them() -> None:
    """Five units that only A has right, and ten without any gold: p = 2/32."""
    a, b = [[1, 0]] * 5 + [[0, 0]] * 10, [[0, 1]] * 5 + [[0, 0]] * 10
    counts = Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fn"])
    assert ta.compare(counts, ["recall"], test="mcnemar").pairs[0].p == 0.0625


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-abs", "bootstrap-t"])
def test_p_is_not_zero_where_all_resamples_are_walked(test: str) -> None:
    pair = ta.compare(Counts.from_arrays({"A": [3, 4, 5, 3], "B": [0] * 4}), test=test).pairs[0]
    assert pair.p is not None
    assert pair.p > 0
    assert pair.p_adjusted == pair.p


def test_a_function_that_is_not_vectorised_is_refused() -> None:
    careless = ta.Function("share", ("tp", "fp"), lambda sums: sums[0] / (sums[0] + sums[1]))
    for test in ("shuffle", "bootstrap"):
        with pytest.raises(ta.UsageError, match="function of metric 'share' is not vectorised"):
            ta.compare(some_counts(), [careless], test=test)


def test_only_proportions_go_into_a_table_of_proportions() -> None:
    """F is no proportion, and half credits are no answers, whatever their sum."""
    with pytest.raises(ta.UsageError, match="no proportion"):
        ta.compare(ta.example("muc4").systems["GE", "UMASS"], ["f1"], test="chi2")
    for scores in ([0.5, 0.5, 1, 0], [0.5, 1, 1, 0]):
        halves = Counts.from_arrays({"A": scores, "B": [1, 0, 0, 1]})
        with pytest.raises(ta.UsageError, match="no whole numbers"):
            ta.compare(halves, test="binomial")


def test_the_verdict_follows_the_test_where_the_mean_leans_the_other_way() -> None:
    """A is ahead on twenty items of twenty-one; B on one, by far."""
    counts = Counts.from_arrays({"A": [0.51] * 20 + [0.0], "B": [0.5] * 20 + [1.0]})
    result = ta.compare(counts, test="sign")
    assert result.pairs[0].favours == "A"
    assert "B is better" not in result.verdict
    assert "the sign test speaks for A" in result.verdict


def test_one_sided_tests_speak_of_their_claim_and_make_no_groups() -> None:
    counts = Counts.from_arrays({"worst": [0] * 9, "best": [1] * 9})
    result = ta.compare(counts, tail="greater")
    assert "the claim that worst is better than best is not shown (p = 1)" in result.verdict
    assert (result.groups, result.letters) == ({}, {})


def test_joint_corrections_belong_to_exchanges_of_units() -> None:
    for test in ("t", "bootstrap"):
        with pytest.raises(ta.UsageError, match="goes with exchanges of units"):
            ta.compare(some_items(), test=test, correction="maxt")
    with pytest.raises(ta.UsageError, match="about one metric"):
        ta.compare(some_counts(), correction="tukey", family="all")
    pair = ta.compare(ta.example("muc4").systems["GE", "UMASS"], ["f1"], correction="maxt").pairs[0]
    assert pair.p is not None
    assert pair.p_adjusted is not None
    assert pair.p_adjusted >= pair.p


def test_confidence_is_asked_of_the_level_that_the_correction_implies() -> None:
    """A raw p of .005 among ten pairs is sure at .05 but not at .005."""
    rng = np.random.default_rng(47)
    systems = {f"S{k}": rng.normal(0.02 * k, 0.05, 40).round(3) for k in range(5)}
    result = ta.compare(
        Counts.from_arrays(systems), test="shuffle", min_confidence=0.99, shuffles=999
    )
    for pair in result.pairs:
        if pair.different:
            assert pair.settled or (pair.p_adjusted or 1) < 0.03


def test_undefined_tests_stay_in_the_family() -> None:
    scores = {"A": [3, 4, 5, 6], "B": [1, 2, 3, 4], "C": [1, 4, 2, 2]}
    result = ta.compare(Counts.from_arrays(scores), test="t", correction="bonferroni")
    assert result.pair("A", "B").p is None
    other = result.pair("A", "C")
    assert other.p is not None
    assert other.p_adjusted == pytest.approx(min(1.0, 3 * other.p))


def test_real_valued_counts_are_put_on_one_grid() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((30, 3)), rng.random((30, 3))
    counts = Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fp", "fn"])
    result = ta.compare(counts, ["f1"])
    tp, fp, fn = a.sum(axis=0)
    assert result.systems[0].scores["f1"] == pytest.approx(2 * tp / (2 * tp + fp + fn), rel=1e-9)
    assert result.pairs[0].comparison == "tolerance"


def test_too_few_shuffles_for_the_number_of_pairs_are_pointed_out() -> None:
    rng = np.random.default_rng(0)
    systems = {f"S{k:02}": rng.integers(0, 2, 30) for k in range(12)}
    result = ta.compare(Counts.from_arrays(systems), test="shuffle", shuffles=999)
    assert "few-shuffles" in {notice.code for notice in result.warnings}


def test_what_stands_beside_a_test_does_not_keep_it_from_running() -> None:
    """Nine clusters are enumerated, though the 27 units in them could not be."""
    counts = some_counts(units=27, systems="AB")
    odd = ta.Function("odd", ("tp", "fp"), lambda s: np.sqrt(s[..., 0]) - s[..., 1])
    result = ta.compare(counts, [odd], test="exact", cluster="doc")
    assert result.pairs[0].method == "enumeration"
    assert result.pairs[0].p_ignoring_clusters is None


def test_a_pair_is_seen_from_the_system_named_first() -> None:
    result = ta.compare(some_counts(), ["f1"], margin=0.3)
    there, back = result.pair("A", "C"), result.pair("C", "A")
    assert back.difference == -there.difference
    assert back.interval is not None
    assert there.interval is not None
    assert back.interval == (-(there.interval[1] or 0), -(there.interval[0] or 0))
    assert (back.units_a_better, back.a_no_worse) == (there.units_b_better, there.b_no_worse)
    assert back.mirrored() == there


def test_numbers_of_any_kind_are_taken_and_others_refused() -> None:
    counts = some_counts()
    numbers: dict[str, Any] = {"seed": np.int64(3), "shuffles": np.int64(99)}
    result = ta.compare(counts, "f1", test="shuffle", **numbers)
    assert ta.Comparison.from_json(result.to_json()) == result
    wrong: list[dict[str, Any]] = [{"shuffles": 1e3}, {"alpha": "0.05"}, {"seed": None}]
    for each in wrong:
        with pytest.raises(ta.UsageError, match="must be a"):
            ta.compare(counts, **each)
    with pytest.raises(ta.UsageError, match="compare takes Counts, not dict"):
        ta.compare({"A": [1], "B": [0]})  # type: ignore[arg-type]


def test_sequential_holm_settles_what_its_rank_decides() -> None:
    """Six pairs, all far from their levels: nobody draws to the end."""
    odd = ta.Function("odd", ("tp", "fp"), lambda s: s[..., 0] / (s[..., 0] + s[..., 1]) ** 0.9)
    result = ta.compare(some_counts(units=60, seed=3), [odd], intervals=False)
    assert {pair.method for pair in result.pairs} == {"sequential"}
    assert all(pair.settled for pair in result.pairs)
    assert max(pair.shuffles or 0 for pair in result.pairs) < 1_048_576


def test_margin_question_says_no_where_a_larger_loss_is_shown() -> None:
    from tellapart.report.verdict import question

    counts = Counts.from_arrays({"new": [0] * 30 + [1] * 10, "old": [1] * 40})
    assert (
        question(ta.compare(counts, margin=0.05), "mean")
        == "Is new as good as old?  No, within 0.05."
    )
    assert question(ta.compare(counts, margin=0.9), "mean").endswith("Yes, within 0.9.")
