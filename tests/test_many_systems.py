"""Boards whose pairs are kept in columns: the same findings as pair by pair, in less room."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tellapart as ta
from tellapart.cli import main
from tellapart.comparison import compare as module
from tellapart.comparison.boards import as_shown, shown_pairs
from tellapart.comparison.columns import Columns, column
from tellapart.comparison.details import details_of
from tellapart.comparison.pair_record import PairDiagnostics, PairResult
from tellapart.report.html.page import render_html
from tellapart.significance.corrections import adjust

SYSTEMS, ITEMS = 120, 80


def board(systems: int = SYSTEMS) -> ta.Counts:
    rng = np.random.default_rng(1)
    right = rng.random((systems, ITEMS)) < np.linspace(0.9, 0.2, systems)[:, None]
    return ta.Counts.from_arrays({f"s{k:03}": row.astype(int) for k, row in enumerate(right)})


@pytest.fixture(scope="module")
def whole() -> ta.Comparison:
    return ta.compare(board())


@pytest.fixture(scope="module")
def columns() -> ta.Comparison:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_WHOLE", 1000)
        return ta.compare(board())


def test_pairs_of_columns_are_those_made_one_by_one(
    whole: ta.Comparison, columns: ta.Comparison
) -> None:
    """Those that are shown are the same; others lack the interval."""
    assert isinstance(columns.pairs, Columns)
    assert len(columns.pairs) == len(whole.pairs) == SYSTEMS * (SYSTEMS - 1) // 2
    shown = set(shown_pairs(whole))
    assert shown == set(shown_pairs(columns))
    for number, (own, its) in enumerate(zip(columns.pairs, whole.pairs, strict=True)):
        if number in shown:
            assert own == its
            assert own.interval is not None
        else:
            lacking = {"interval": None, "interval_for": None, "interval_level": None}
            assert own == replace(its, **lacking, interval_method=None)  # type: ignore[arg-type]
            assert own.diagnostics == PairDiagnostics()


def test_all_else_is_as_without_columns(whole: ta.Comparison, columns: ta.Comparison) -> None:
    assert columns.groups == whole.groups
    assert columns.letters == whole.letters
    assert columns.ranks == whole.ranks
    assert columns.answers == whole.answers
    assert columns.verdict == whole.verdict
    assert columns.systems == whole.systems
    assert [each.code for each in columns.warnings] == [
        *(each.code for each in whole.warnings),
        "many-systems",
    ]


def test_p_values_and_ranks_from_scratch(columns: ta.Comparison) -> None:
    """The sign test by SciPy, Holm's step-down by hand, and wins and losses counted."""
    rows = board().values[:, :, 0]
    pairs = list(itertools.combinations(range(SYSTEMS), 2))
    p_values = []
    for a, b in pairs:
        won, lost = int((rows[a] > rows[b]).sum()), int((rows[a] < rows[b]).sum())
        p_values.append(stats.binomtest(won, won + lost).pvalue if won + lost else 1.0)
    table = columns.pairs
    assert isinstance(table, Columns)
    np.testing.assert_allclose(table.column("p"), p_values, rtol=1e-9)
    order, holm, largest = np.argsort(p_values, kind="stable"), np.empty(len(pairs)), 0.0
    for k, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(pairs) - k)))
        holm[place] = largest
    np.testing.assert_allclose(table.column("p_adjusted"), holm, rtol=1e-9)
    means = rows.mean(axis=1)
    better, worse = np.zeros(SYSTEMS, int), np.zeros(SYSTEMS, int)
    for (a, b), p in zip(pairs, holm, strict=True):
        if p <= 0.05:
            first, second = (a, b) if means[a] > means[b] else (b, a)
            worse[first] += 1
            better[second] += 1
    expected = {f"s{k:03}": (1 + better[k], SYSTEMS - worse[k]) for k in range(SYSTEMS)}
    assert columns.ranks["mean"] == expected


def test_the_record_survives_json_pickle_and_copies(columns: ta.Comparison) -> None:
    text = columns.to_json()
    assert ta.Comparison.from_json(text) == columns
    assert ta.Comparison.from_json(text).to_json() == text
    assert pickle.loads(pickle.dumps(columns.pairs)) == columns.pairs
    assert copy.deepcopy(columns.pairs) == columns.pairs
    record = json.loads(text)["pairs"]
    assert record["count"] == len(columns.pairs)
    assert record["same"]["metric"] == "mean"
    assert {len(values) for values in record["columns"].values()} == {record["count"]}
    assert [each["number"] for each in record["shown"]] == shown_pairs(columns)
    assert len(text) < 0.3 * len(ta.compare(board(), intervals=False).to_json())


def test_one_pair_is_found_from_either_side(whole: ta.Comparison, columns: ta.Comparison) -> None:
    for a, b in (("s003", "s099"), ("s099", "s003")):
        own, its = columns.pair(a, b), whole.pair(a, b)
        assert (own.a, own.difference, own.p_adjusted) == (its.a, its.difference, its.p_adjusted)


def test_reports_see_what_is_shown(whole: ta.Comparison, columns: ta.Comparison) -> None:
    seen = as_shown(columns)
    assert len(seen.pairs) < 2 * SYSTEMS
    first, *rest = str(columns).split("\n\n  !")[0].splitlines()
    assert str(whole).startswith("\n".join([first, *rest]))
    assert len(str(columns).splitlines()) < 30
    page = render_html(seen, details_of(seen))
    told = sum(pair.different for pair in whole.pairs)
    assert f"{told:,} of {len(whole.pairs):,} pairs can be told apart" in page
    assert len(page) < 500_000


def test_several_metrics_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics of the same items, and of others: pairs stay by metric, ranks are of all pairs."""
    rng = np.random.default_rng(2)
    rows = {f"s{k:02}": rng.integers(0, 9, (30, 3)).tolist() for k in range(40)}
    counts = ta.Counts.from_arrays(rows, ["tp", "fp", "fn"])
    whole = ta.compare(counts, test="shuffle", shuffles=99, intervals=False)
    monkeypatch.setattr(module, "MOST_WHOLE", 1000)
    found = ta.compare(counts, test="shuffle", shuffles=99, intervals=False)
    assert isinstance(found.pairs, Columns)
    assert found.pairs.values("metric") == [pair.metric for pair in whole.pairs]
    assert (found.two_metrics, found.ranks) == (whole.two_metrics, whole.ranks)
    assert found.answers == whole.answers


def test_the_command_writes_columns_and_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "MOST_WHOLE", 1000)
    counts = board(60)
    table = tmp_path / "board.csv"
    rows = counts.values[:, :, 0]
    lines = [",".join(["item", *counts.names])]
    lines += [",".join([f"q{k}", *map(str, rows[:, k])]) for k in range(ITEMS)]
    table.write_text("\n".join(lines) + "\n")
    record, page = tmp_path / "record.json", tmp_path / "page.html"
    main(["compare", str(table), "--full", "--json", str(record), "--html", str(page)])
    assert "Of 1,770 pairs, 117 have intervals and diagnostics" in " ".join(
        capsys.readouterr().out.replace("!", " ").split()
    )
    assert ta.Comparison.from_json(record.read_text()).pair("s000", "s059").different
    assert "Matrix of all pairs" not in page.read_text()
    main(["compare", str(table), "--format", "tsv"])
    assert len(capsys.readouterr().out.splitlines()) == 1771


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), max_size=9), st.data())
def test_columns_are_the_sequence_that_they_were_made_of(
    values: list[float | None], data: st.DataObject
) -> None:
    base = ta.compare({"item": ["1", "2"], "A": [1, 0], "B": [0, 1]}).pairs[0]
    pairs = [replace(base, p=value, interval=(value, None)) for value in values]
    table = Columns.of(PairResult, pairs)
    assert table == pairs
    assert table[1:] == pairs[1:]
    if pairs:
        k = data.draw(st.integers(-len(pairs), len(pairs) - 1))
        assert table[k] == pairs[k]
        other = table.replaced({"p": column([1.0] * len(pairs))})
        assert other == [replace(pair, p=1.0) for pair in pairs]
    with pytest.raises(IndexError):
        table[len(pairs)]


def test_holm_of_many_is_that_of_statsmodels() -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    p_values = np.random.default_rng(3).random(5000) ** 4 + 1e-12
    np.testing.assert_allclose(adjust(p_values, "holm"), multipletests(p_values, method="holm")[1])
