"""Calibration: how often tests reject where nothing differs, and where a known difference is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

import tellapart as ta
from small_counts import some_counts, some_scores, spread
from table_files import Write
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.errors import TellapartError
from tellapart.metrics.projection import project
from tellapart.metrics.runs import average_runs
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.scoring import as_metric, text_counts
from tellapart.planning.calibration_record import (
    CalibratedTest,
    Calibration,
    ClusterCount,
    calibrated_test,
)
from tellapart.planning.dependence import suspected_groups
from tellapart.planning.null_pairs import (
    EqualScores,
    NoisyRuns,
    count_splits,
    make_pairs,
)
from tellapart.planning.pair_tests import Draws, p_values
from tellapart.report.calibration import render, sentence
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.diagnostics import ItemAnalysis
from translation_oracle import lines, oracle, text_path

RESAMPLING = ["shuffle", "bootstrap", "bootstrap-abs", "bootstrap-t"]


def rates(test: CalibratedTest) -> dict[float, float]:
    return {rate.level: rate.rate for rate in test.rates}


# What the literature says of the tests, on the built-in example


def test_muc4_randomization_keeps_its_level_and_the_folded_bootstrap_does_not() -> None:
    """5 % for randomization and the signed shift, some 10 % for the rule of 2005."""
    found = ta.calibrate(ta.example("muc4"), null="swap", tests=RESAMPLING, sizes=[])
    tests = {each.test: each for each in found.metric("f1").tests}
    error = spread(0.05, found.null_pairs)
    assert found.null_pairs == 2_000
    assert all(rate.far == 0 for rate in tests["shuffle"].rates)
    assert abs(rates(tests["shuffle"])[0.05] - 0.05) < 4 * error
    # On 100 items the signed shift rejects about half a per cent more than it should.
    assert abs(rates(tests["bootstrap"])[0.05] - 0.055) < 4 * error
    assert abs(rates(tests["bootstrap-t"])[0.05] - 0.05) < 4 * error
    assert abs(rates(tests["bootstrap-abs"])[0.05] - 0.12) < 4 * spread(0.12, 2_000)
    assert tests["bootstrap-abs"].verdict == "rejects too often"
    assert tests["shuffle"].verdict == "keeps its level"


def test_rates_agree_with_those_measured_elsewhere(shared_data: Path) -> None:
    """1,000 null pairs of two translation systems by other code; BLEU, 1,000 trials a test."""
    figures = oracle(shared_data)["type_I_error"]["rates"]["LIUM-NMT.4900 / online-B.0"]
    names = ["LIUM-NMT.4900", "online-B.0"]
    systems = {name: lines(text_path(shared_data, "wmt17-ende", name)) for name in names}
    reference = lines(text_path(shared_data, "wmt17-ende", "ref"))
    counts = text_counts(systems, [reference], [Bleu("13a")])
    metric = as_metric(Bleu("13a"))
    found = ta.calibrate(
        counts, metric, null="swap", tests=RESAMPLING, pairs=200, shuffles=999, sizes=[]
    )
    columns = {"shuffle": "AR", "bootstrap": "boot signed shift",
               "bootstrap-abs": "boot abs-shift (paper Fig.2, sacrebleu, Moses)"}  # fmt: skip
    for test, column in columns.items():
        for level, rate in rates(found.metrics[0].test(test)).items():
            wanted = figures[column][f"{level:g}"]
            assert abs(rate - wanted) < 4.5 * spread(max(rate, wanted), 200, 1_000), (test, level)
    assert "bootstrap-t" in [each.test for each in found.metrics[0].skipped]


def plain_rates(a: NDArray[np.int64], b: NDArray[np.int64], pairs: int) -> dict[str, float]:
    """Do the same by plain NumPy: swap, test by definition, count what is rejected at .05."""
    rng = np.random.default_rng(99)
    rejected = dict.fromkeys(("shuffle", "bootstrap", "bootstrap-abs", "t"), 0)
    n, draws = len(a), 499
    for _ in range(pairs):
        d = (a - b) * rng.choice([-1, 1], n)
        size = abs(d.mean()) - 1e-9
        shuffled = (d * rng.choice([-1, 1], (draws, n))).mean(axis=1)
        drawn = d[rng.integers(0, n, (draws, n))].mean(axis=1)
        reached = {
            "shuffle": np.abs(shuffled) >= size,
            "bootstrap": np.abs(drawn - d.mean()) >= size,
            "bootstrap-abs": np.abs(drawn) - np.abs(drawn).mean() >= size,
        }
        for test, hits in reached.items():
            rejected[test] += (hits.sum() + 1) / (draws + 1) <= 0.05
        # 2.0227 is the upper 2.5 % point of Student's t with 39 degrees of freedom.
        rejected["t"] += size / (d.std(ddof=1) / math.sqrt(n)) >= 2.0227
    return {test: count / pairs for test, count in rejected.items()}


def test_rates_agree_with_a_plain_simulation() -> None:
    counts = some_scores()
    a, b = counts.values[:, :, 0]
    wanted = plain_rates(a, b, 1_500)
    found = ta.calibrate(
        counts, null="swap", tests=list(wanted), pairs=1_500, shuffles=999, sizes=[]
    )
    for each in found.metrics[0].tests:
        rate = wanted[each.test]
        assert abs(rates(each)[0.05] - rate) < 4 * spread(rate, 1_500, 1_500), each.test


def test_rates_of_a_case_that_can_be_done_by_hand() -> None:
    """Eight items that differ by one: p is that of eight coins, 2/256 or 18/256 or more."""
    counts = Counts.from_arrays({"A": [1, 0] * 4, "B": [0, 1] * 4})
    tests = ["exact", "sign", "mcnemar"]
    found = ta.calibrate(counts, null="swap", tests=tests, pairs=4_000, sizes=[])
    wanted = {0.10: 18 / 256, 0.05: 2 / 256, 0.01: 2 / 256}
    for each in found.metrics[0].tests:
        for level, rate in rates(each).items():
            assert abs(rate - wanted[level]) < 4 * spread(wanted[level], 4_000)
        assert each.verdict == "keeps it, but conservative"


def items(better: int, worse: int, same: int) -> Counts:
    """Make two systems with so many items that only one has right, and others."""
    first = [1] * better + [0] * worse + [1] * same
    second = [0] * better + [1] * worse + [1] * same
    return Counts.from_arrays({"A": first, "B": second})


def test_a_conservative_test_is_not_said_to_break_its_level() -> None:
    """Nine items that differ: coins give a p of 20/512 or less, or else of 92/512 or more."""
    found = ta.calibrate(items(5, 4, 51), tests=["shuffle", "sign"], pairs=400, sizes=[])
    words = sentence(found.metrics[0])
    assert found.metrics[0].differing == 9
    assert words.startswith("Only 9 items differ in a null pair (median)")
    assert "keep their level, but are conservative" in words
    assert "no test keeps" not in words


def test_no_test_keeps_its_level_only_where_all_reject_too_often() -> None:
    found = ta.calibrate(ta.example("muc4"), null="swap", tests=["bootstrap-abs"], pairs=400)
    words = "Outputs exchanged at random: no test keeps its level"
    assert sentence(found.metrics[0]).startswith(words)


def test_outputs_that_do_not_differ_are_said_first() -> None:
    found = ta.calibrate(items(0, 0, 30), tests=["shuffle", "sign"], pairs=150)
    text = render(found)
    assert text.splitlines()[1].startswith("Put to the test: outputs that could as well be")
    assert "\nNothing to calibrate on" in text
    assert "level" not in sentence(found.metrics[0])
    assert "p-values" not in text
    assert "Power" not in text
    record = json.loads(found.to_json())
    assert {each["verdict"] for each in record["metrics"][0]["tests"]} == {"nothing to reject"}


def test_rates_somewhat_above_the_level_are_not_called_kept() -> None:
    """124 of 2,000 at .05 is 2.5 standard errors above 100, which is no proof of anything."""
    p = np.concatenate([np.full(124, 0.04), np.full(76, 0.07), np.full(1_800, 0.5)])
    found = calibrated_test("t", p, [])
    assert [rate.far for rate in found.rates][:2] == [0, 0]
    near = replace(found, rates=found.rates[:2])
    assert near.verdict == "no departure shown"
    assert (near.highest.level, near.highest.rate) == (0.05, 0.062)


def test_a_rate_of_none_or_all_still_has_an_error() -> None:
    none, all_of_them = (calibrated_test("t", np.full(400, p), []).rates[1] for p in (0.9, 0.001))
    assert (none.rate, all_of_them.rate) == (0, 1)
    assert none.standard_error == pytest.approx(all_of_them.standard_error)
    assert 0.001 < none.standard_error < 0.003


# Clusters, runs, and data that can show little


def clustered(documents: int = 40, size: int = 8) -> Counts:
    """Make systems that are each right or wrong on whole documents."""
    rng = np.random.default_rng(0)
    right = np.repeat(rng.integers(0, 2, (2, documents)), size, axis=1)
    noise = rng.random(right.shape) < 0.1
    labels = {"document": [f"d{k // size}" for k in range(documents * size)]}
    values = np.where(noise, 1 - right, right)
    return Counts.from_arrays({"A": values[0], "B": values[1]}, labels=labels)


def test_ignoring_clusters_rejects_too_often() -> None:
    found = ta.calibrate(
        clustered(), tests=["shuffle", "sign"], cluster="document", pairs=400, shuffles=999
    )
    kept, ignoring, _ = found.metrics[0].tests
    assert (kept.label, ignoring.label) == ("shuffle", "shuffle, items")
    assert kept.verdict == "keeps its level"
    assert rates(ignoring)[0.05] > 0.3
    assert found.items.clusters == ClusterCount(40, "document")
    assert "that ignores clusters rejects too often" in " ".join(render(found).split())


def test_runs_that_differ_as_wholes_fool_tests_over_items() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=200)
    runs = [f"A (run {k})" for k in range(8)]
    values = {
        name: (rng.random(200) < 1 / (1 + np.exp(-base - shift))).astype(int)
        for name, shift in zip(runs, rng.normal(0, 0.8, 8), strict=True)
    }
    counts = Counts.from_arrays(values)
    found = ta.calibrate(counts, null="split", runs={"A": runs}, tests=["shuffle"], shuffles=999)
    assert found.null == "runs"
    assert found.null_pairs == count_splits(8) == 35
    assert found.metrics[0].tests[0].verdict == "rejects too often"
    assert "shared-runs" in [notice.code for notice in found.warnings]


# Nulls that a test can fail


def said(found: Calibration) -> str:
    return " ".join(render(found).split())


def verdicts(found: Calibration, null: str) -> dict[str, str]:
    (other,) = [each for each in found.others if each.null == null]
    return {each.test: each.verdict for each in other.metrics[0].tests}


def precise_but_terse(rng: np.random.Generator) -> Counts:
    """Equal precision, .7: one system answers once in two messages, the other five times in one."""
    rows = {}
    for name, often in (("terse", 0.5), ("wordy", 5.0)):
        given = rng.poisson(often, 100)
        right = rng.binomial(given, 0.7)
        rows[name] = np.stack([right, given - right, np.ones_like(given)], axis=1)
    return Counts.from_arrays(rows, columns=["tp", "fp", "fn"])


def test_unequal_denominators_fail_the_exchange_but_not_the_default_test() -> None:
    counts = precise_but_terse(np.random.default_rng(2))
    tests = ["auto", "shuffle"]
    found = ta.calibrate(counts, "precision", tests=tests, pairs=600, shuffles=999, sizes=[])
    assert found.metrics[0].test("shuffle").verdict == "keeps its level"
    assert verdicts(found, "equal") == {"auto": "keeps its level", "shuffle": "rejects too often"}
    words = said(found)
    assert "Equal scores, but outputs not exchanged: the default test of equal scores" in words
    assert "The randomization test rejects too often" in words


def test_clusters_that_nobody_named_are_found_among_neighbours() -> None:
    plain = clustered()
    counts = Counts.from_arrays({n: plain.column("score")[k] for k, n in enumerate(plain.names)})
    found = ta.calibrate(counts, tests=["shuffle"], pairs=400, shuffles=999, sizes=[])
    assert verdicts(found, "clusters") == {"shuffle": "rejects too often"}
    groups = next(each for each in found.others if each.null == "clusters").metrics[0].groups
    assert groups is not None
    assert (groups.label, groups.alike) == (None, True)
    assert "Name the groups in a column, and use --cluster with it." in said(found)
    named = ta.calibrate(plain, null="clusters", tests=["shuffle"], pairs=400, shuffles=999)
    assert named.metrics[0].groups is not None
    assert named.metrics[0].groups.label == "document"
    assert "Use --cluster document." in said(named)


def test_independent_items_are_rarely_taken_for_dependent_ones() -> None:
    """Of 200 test sets without groups, about one in twenty looks as if it had some."""
    alike = 0
    for k in range(200):
        rng = np.random.default_rng(k)
        values = rng.normal(size=(2, 60))
        found = suspected_groups(
            Counts.from_arrays(dict(zip("AB", values, strict=True))), values, k
        )
        assert found is not None
        alike += found.alike
    assert 1 <= alike <= 21  # 10 expected; 3.5 standard errors


def test_a_constant_against_skewed_scores_fails() -> None:
    rng = np.random.default_rng(1)
    counts = Counts.from_arrays({"old": np.ones(20), "new": rng.exponential(1, 20).round(3)})
    found = ta.calibrate(counts, null="equal", tests=["shuffle", "sign"], pairs=2_000, sizes=[])
    assert found.metrics[0].test("sign").verdict == "rejects too often"
    assert sum(each.rate > each.level for each in found.metrics[0].test("shuffle").rates) >= 2


def test_chances_of_items_make_scores_equal() -> None:
    counts = ta.example("muc4").systems["GE", "GE-CMU", "UMASS"]
    projection = project(counts, ["f1"])
    bound = projection.metrics[0]
    terms = ItemAnalysis.of(projection, bound).terms
    assert terms is not None
    source = EqualScores.of(projection, terms)
    assert source is not None
    assert source.pairs == ((0, 1), (0, 2), (1, 2))
    for (a, b), chances in zip(source.pairs, source.chances, strict=True):
        sums = 100 * (projection.forms[:, [a, b]] @ chances).T
        first, second = scores(bound, sums)
        assert first == pytest.approx(second, abs=1e-9)
        assert chances.sum() == pytest.approx(1)


def test_systems_far_apart_cannot_be_made_equal() -> None:
    counts = Counts.from_arrays({"A": [5, 6, 7, 8, 9, 5, 6, 7], "B": [0, 1, 0, 1, 0, 1, 0, 1]})
    found = ta.calibrate(counts, tests=["shuffle"], pairs=100, shuffles=99, sizes=[])
    assert {each.null for each in found.untested} == {"equal", "clusters", "runs"}
    words = said(found)
    assert "(no two systems score the same on any items drawn again)" in words
    assert "(fewer than 20 items cannot show groups)" in words
    with pytest.raises(TellapartError, match="--null equal: no two systems score the same"):
        ta.calibrate(counts, null="equal", tests=["shuffle"], pairs=100)


def test_runs_are_put_to_the_test_where_they_are_given(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "AB":
        for k in range(4):
            right = np.random.default_rng(k + ord(name)).random(40) < (0.3, 0.8)[k % 2]
            rows = "".join(f"{i},{v:d}\n" for i, v in enumerate(right))
            write(f"{name}{k}.csv", "item,score\n" + rows)
    sources = [f"{name}=" + ",".join(f"{name}{k}.csv" for k in range(4)) for name in "AB"]
    options = ["--test", "shuffle", "--pairs", "100", "--shuffles", "199", "--json", "found.json"]
    assert main(["calibrate", *sources, *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "runs that could have come out otherwise." in out
    assert "Not put to the test" not in out
    record = json.loads(Path("found.json").read_text())
    assert [each["null"] for each in record["others"]] == ["equal", "clusters", "run-noise"]
    assert record["others"][-1]["null_pairs"] == 100
    assert record["systems"] == ["A", "B"]


def several_runs(spread: float) -> Counts:
    rng = np.random.default_rng(5)
    easy = rng.random(150)
    runs = {
        name: [
            Counts.from_arrays({name: (rng.random(150) < easy + shift).astype(int)})
            for shift in (-spread, 0.0, 0.0, spread)
        ]
        for name in "AB"
    }
    return average_runs(runs)


def test_the_default_test_of_runs_is_tried_on_runs_that_vary() -> None:
    tests = ["auto", "shuffle"]
    found = ta.calibrate(several_runs(0.15), tests=tests, pairs=400, shuffles=199, sizes=[])
    assert found.null == "swap"
    assert [each.test for each in found.metrics[0].tests] == ["shuffle"]
    assert "over items and runs" in {s.test: s.reason for s in found.metrics[0].skipped}["auto"]
    noisy = found.others[-1]
    assert (noisy.null, noisy.null_pairs) == ("run-noise", 400)
    rates = {each.test: each.rates[1].rate for each in noisy.metrics[0].tests}
    assert rates["shuffle"] > 0.2  # runs that differ as wholes fool a test over items
    assert rates["auto"] < 0.08
    words = said(found)
    assert "default test over items and runs keeps its level" in words
    assert "same test as shuffle where" not in words


def test_the_default_test_of_runs_is_that_of_a_comparison() -> None:
    projection = project(several_runs(0.15))
    source = NoisyRuns.of(projection)
    assert source is not None
    pairs = make_pairs(source, 3, range(5))
    bound = source.bound(projection.metrics[0])
    found = p_values(pairs, bound, ["auto"], Draws(999, 99, 0))["auto"]
    for k, p in enumerate(found):
        halves = {
            name: [Counts.from_arrays({name: run}) for run in half[2:, k]]
            for name, half in (("A", pairs.first), ("B", pairs.second))
        }
        pair = ta.compare(average_runs(halves), intervals=False).pairs[0]
        assert p == pytest.approx(pair.p, abs=0.05)


def test_the_default_test_of_runs_is_not_tried_on_averaged_runs() -> None:
    found = ta.calibrate(several_runs(0.1), tests=["auto"], pairs=100, shuffles=99)
    assert found.null == "run-noise"
    with pytest.raises(TellapartError, match="auto cannot be tried on such pairs"):
        ta.calibrate(several_runs(0.1), null="swap", tests=["auto"], pairs=100)
    with pytest.raises(TellapartError, match="no two systems have several runs"):
        ta.calibrate(some_scores(), null="run-noise", pairs=100)


def test_identical_systems_are_never_told_apart() -> None:
    counts = Counts.from_arrays({"A": [1, 0, 1, 0, 1, 1, 0, 1], "B": [1, 0, 1, 0, 1, 1, 0, 1]})
    found = ta.calibrate(counts, pairs=200)
    assert all(rate.rate == 0 for each in found.metrics[0].tests for rate in each.rates)
    assert "few-differences" in [notice.code for notice in found.warnings]


def test_six_items_are_enough_to_begin_with() -> None:
    counts = some_counts(items=6)
    found = ta.calibrate(counts, tests=["shuffle", "exact", "bootstrap"], pairs=120)
    assert "few-units" in [notice.code for notice in found.warnings]
    assert rates(found.metrics[0].test("exact"))[0.01] == 0


def test_tests_that_do_not_fit_are_named_with_the_reason() -> None:
    found = ta.calibrate(some_counts(items=12), pairs=20, sizes=[])
    reasons = {each.test: each.reason for each in found.metrics[0].skipped}
    assert {"sign", "wilcoxon", "t", "mcnemar", "two-sample-t", "chi2", "binomial"} <= {*reasons}
    assert reasons["chi2"] == "the score is no proportion of right answers"
    assert "use --test" not in " ".join(reasons.values())
    assert [each.test for each in found.metrics[0].tests] == ["auto", *RESAMPLING]


# The record and the command line


def test_the_record_depends_on_the_seed_and_not_on_the_workers() -> None:
    def record(seed: int, workers: int) -> str:
        tests = [*RESAMPLING, "unpaired"]
        options = {"pairs": 200, "shuffles": 99, "seed": seed, "workers": workers}
        return ta.calibrate(some_counts(items=25), tests=tests, **options).to_json()  # type: ignore[arg-type]

    assert record(1, 1) == record(1, 3)
    assert record(1, 1) != record(2, 1)


@pytest.fixture
def table(write: Write) -> str:
    values = some_scores(items=30).values[:, :, 0].T
    rows = [f"i{k},d{k // 3},{a},{b}" for k, (a, b) in enumerate(values.tolist())]
    return write("scores.csv", "\n".join(["item,document,A,B", *rows]) + "\n")


QUICK = ["--pairs", "150", "--shuffles", "199"]


def test_command_prints_finding_tables_and_method(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", table, *QUICK, "--json", "found.json", "--svg", "pictures"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "Can the tests be trusted on these data?\nPut to the test: outputs that could as well"
    )
    assert "bootstrap-abs" in out
    assert "Power: planted differences" in out
    assert "seed 0" in out
    assert max(map(len, out.splitlines())) <= 80
    record = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert record["study"] == "calibrate"
    assert record["null_pairs"] == 150
    assert {each["test"] for each in record["metrics"][0]["tests"]} >= {"shuffle", "t", "wilcoxon"}
    drawing = ElementTree.parse("pictures/p-values-mean.svg").getroot()
    panels = [each for each in drawing.iter() if each.get("class") == "panel"]
    assert len(panels) == len(record["metrics"][0]["tests"])


def test_json_alone_on_standard_output(
    table: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["calibrate", table, *QUICK, "--test", "sign", "--json", "-"]) == 0
    record = json.loads(capsysbinary.readouterr().out)
    assert [each["test"] for each in record["metrics"][0]["tests"]] == ["sign"]


def test_without_files_the_example_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--pair", "GE", "UMASS", "--metric", "recall,f1", "--test", "shuffle"]
    assert main(["calibrate", *QUICK, *options]) == 0
    shown = capsys.readouterr()
    assert "the built-in example" in shown.err
    assert "outputs of GE and UMASS" in shown.out
    assert "recall: Outputs exchanged at random: the randomization test" in shown.out


def test_runs_named_with_commas_are_split(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    for k in range(4):
        values = np.random.default_rng(k).integers(0, 2, 20)
        write(f"r{k}.csv", "item,score\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    sources = "A=r0.csv,r1.csv,r2.csv,r3.csv"
    assert main(["calibrate", "--null", "split", sources, "--test", "shuffle"]) == 0
    out = capsys.readouterr().out
    assert "3 null pairs of the same 4 runs" in out
    assert "Put to the test: nothing." in out
    assert "in 3 ways: too few" in " ".join(out.split())
    assert "one half of a system's runs" in out
    assert "p-values" not in out  # three are no histogram
    assert "Power" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["five.csv"], "no exchange can give a p below 0.0625 (2/2^5)"),
        (["eleven.csv", "--null", "split"], "5 in each half"),
        (["one.csv", "--null", "swap"], "--null swap needs two"),
        (["scores.csv", "--pairs", "0"], "at least 1, not 0"),
        (["scores.csv", "--test", "tt"], "there is no test 'tt'; did you mean 't'"),
        (["scores.csv", "--test", "mcnemar"], "items are not simply right or wrong"),
        (["scores.csv", "--pair", "A", "A"], "twice"),
        (["scores.csv", "--pair", "A", "X"], "no system 'X'"),
        (["scores.csv", "--seed", "-1"], "--seed must be at least 0, not -1"),
        (["scores.csv", "--shuffles", "0"], "at least 1"),
        (["scores.csv", "--cluster", "nothing"], "no label 'nothing'"),
        (["scores.csv", "--cluster", "all"], "1 all is too few"),
        (["--null", "split", "A=one.csv,again.csv", "scores.csv"], "has one run"),
        (["--as", "text"], "name the files"),
        (["scores.csv", "--svg", "scores.csv"], "a folder is needed"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    write: Write, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    def some(items: int) -> str:
        return "item,all,A,B\n" + "".join(f"i{k},x,{k % 3},{k % 5}\n" for k in range(items))

    write("five.csv", some(5))
    write("eleven.csv", some(11))
    write("scores.csv", some(30))
    for name in ("one.csv", "again.csv"):
        write(name, "item,score\n" + "".join(f"i{k},{k % 2}\n" for k in range(20)))
    assert main(["calibrate", *arguments]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert not shown.out
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    "call",
    [
        lambda: ta.calibrate(some_scores(), null="none"),
        lambda: ta.calibrate(replace(some_scores(), present=np.ones((2, 40), np.bool_))),
        lambda: ta.calibrate(some_scores(), null="split", runs={"A": ["A"], "B": ["B"]}),
        lambda: ta.calibrate(some_scores(), ta.ItemFunction("own", ("score",), np.mean)),
    ],
)
def test_bad_calls_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(TellapartError):
        call()
