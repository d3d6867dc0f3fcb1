"""Calibration: how often tests reject pairs without a difference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from small_counts import some_counts, some_scores, spread
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.comparison.calibrate import Calibration, Rejections, p_side_by_side
from tellapart.comparison.options import Options
from tellapart.counts import Counts
from tellapart.metrics.scores import Scores, metrics_of, score_counts


def scored(counts: Counts, metric: str | None = None) -> Scores:
    return score_counts(counts, metrics_of(counts, None if metric is None else [metric])[0])


def rates(found: Calibration) -> dict[str, float]:
    return {row.test: row.rate for row in found.rejections}


@pytest.mark.parametrize("test", ["auto", "shuffle", "exact", "bootstrap"])
def test_p_values_are_those_of_a_comparison(test: str) -> None:
    counts = some_counts(items=30)
    options = Options(test=test, shuffles=499, seed=7, correction="none")
    found = p_side_by_side(scored(counts, "f1"), 2, options)
    for names, p in zip(("AB", "CD"), found, strict=True):
        pair = counts.systems[tuple(names)]
        result = ta.compare(pair, metrics=["f1"], test=test, shuffles=499, seed=7, intervals=False)
        expected = result.pairs[0].p
        # Other systems beside the pair make other draws of the bootstrap.
        slack = 4.5 * spread(expected, 499, 499) + 1e-3 if test == "bootstrap" else 1e-12
        assert abs(p - expected) <= slack


@pytest.mark.parametrize(("alpha", "rate"), [(0.10, 18 / 256), (0.05, 2 / 256)])
def test_rates_of_a_case_that_can_be_done_by_hand(alpha: float, rate: float) -> None:
    """Eight items that differ by one: p is that of eight coins, 2/256 or 18/256 or more."""
    counts = Counts.from_arrays({"A": [1, 0] * 4, "B": [0, 1] * 4})
    tests = ["auto", "exact", "sign", "mcnemar"]
    found = ta.calibrate(counts, tests=tests, pairs=2_000, alpha=alpha)
    assert list(rates(found)) == tests
    for row in found.rejections:
        assert abs(row.rate - rate) < 4 * spread(rate, 2_000)
        assert row.verdict == "conservative"


@pytest.mark.parametrize(
    ("rejected", "pairs", "verdict"),
    [(1, 1, "unclear"), (0, 3, "unclear"), (20, 400, "keeps"), (40, 400, "too often"),
     (30, 400, "unclear"), (5, 400, "conservative"), (0, 400, "conservative"),
     (400, 400, "too often")],
)  # fmt: skip
def test_a_verdict_is_a_matter_of_chance_not_of_luck(
    rejected: int, pairs: int, verdict: str
) -> None:
    """One rejection in one pair says nothing; 40 in 400 at .05 says a lot."""
    row = Rejections("f1", "t", "item", pairs, rejected, 0.05)
    assert row.verdict == verdict
    assert row.standard_error > 0


def test_the_record_depends_on_the_seed_and_not_on_the_workers() -> None:
    def record(seed: int, workers: int) -> str:
        tests = ["shuffle", "bootstrap"]
        found = ta.calibrate(
            some_counts(items=25), tests=tests, pairs=200, shuffles=99, seed=seed, workers=workers
        )
        return found.to_json()

    assert record(1, 1) == record(1, 3)
    assert record(1, 1) != record(2, 1)


@pytest.fixture
def table(write: Write) -> str:
    values = some_scores(items=30).values[:, :, 0].T
    rows = [f"i{k},d{k // 3},{a},{b}" for k, (a, b) in enumerate(values.tolist())]
    return write("scores.csv", "\n".join(["item,document,A,B", *rows]) + "\n")


@pytest.mark.parametrize(
    ("name", "cluster", "warned"),
    [("document", [], True), ("document", ["--cluster", "document"], False), ("x", [], False)],
)
def test_items_that_look_grouped_are_told(
    table: str, capsys: Capture, name: str, cluster: list[str], warned: bool
) -> None:
    place = Path(table)
    place.write_text(place.read_text().replace("document", name))
    assert main(["calibrate", table, "--pairs", "20", *cluster, "--json", "found.json"]) == 0
    words = "! Items come in 10 groups by document, which may be right or wrong together: add"
    assert (words in " ".join(capsys.readouterr().out.split())) == warned
    notices = json.loads(Path("found.json").read_text(encoding="utf-8"))["notices"]
    assert [own["code"] for own in notices] == ["maybe-clustered"] * warned


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["five.csv"], "5 items: it takes 6 to reach .05"),
        (["one.csv"], "there is one system, 'one'"),
        (["scores.csv", "--pairs", "0"], "between 1 and 1,000,000,000, not 0"),
        (["scores.csv", "--test", "mcnemar"],
         "test 'mcnemar' does not fit mean of A and B: items are not simply right or wrong"),
        (["scores.csv", "--cluster", "all"], "1 all: it takes 6"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(
    write: Write, capsys: Capture, arguments: list[str], words: str
) -> None:
    def rows(items: int) -> str:
        return "item,all,A,B\n" + "".join(f"i{k},x,{k % 3},{k % 5}\n" for k in range(items))

    write("five.csv", rows(5))
    write("scores.csv", rows(30))
    write("one.csv", "item,score\n" + "".join(f"i{k},{k % 2}\n" for k in range(20)))
    assert main(["calibrate", *arguments]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert not shown.out
    assert "Traceback" not in shown.err
