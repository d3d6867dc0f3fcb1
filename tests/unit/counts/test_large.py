"""Tables that stay where they are give the answers of the same rows in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import tellapart as ta
from table_files import Capture
from tellapart.cli import main
from tellapart.counts.large import LargeTable

ITEMS = 400


def wide() -> Any:
    """Return scores of three systems, with a label of clusters."""
    rng = np.random.default_rng(5)
    right = rng.random(ITEMS)
    return pd.DataFrame(
        {
            "Question ID": [f"q{k}" for k in range(ITEMS)],
            "passage": [f"p{k // 4}" for k in range(ITEMS)],
            "old": (right < 0.5).astype(int),
            "new": (right < 0.6).astype(int),
            "third": rng.integers(0, 5, ITEMS) / 4,
        }
    )


def long() -> Any:
    """Return counts of two systems, a row for each system and item."""
    rng = np.random.default_rng(6)
    parts = [
        pd.DataFrame(
            {
                "Model": name,
                "Question ID": [f"q{k}" for k in range(ITEMS)],
                "passage": [f"p{k // 4}" for k in range(ITEMS)],
                "tp": rng.integers(0, 4 + better, ITEMS),
                "fp": rng.integers(0, 3, ITEMS),
                "fn": rng.integers(0, 3, ITEMS),
            }
        )
        for name, better in (("old", 0), ("new", 1))
    ]
    return pd.concat(parts, ignore_index=True).sample(frac=1, random_state=1)


def as_polars(frame: Any) -> Any:
    return pl.from_pandas(frame).lazy()


def as_duckdb(frame: Any) -> Any:
    return duckdb.from_df(frame)


def as_dask(frame: Any) -> Any:
    return import_module("dask.dataframe").from_pandas(frame, npartitions=3)


HAS_DASK = find_spec("dask") is not None
engines = pytest.mark.parametrize("lazy", [as_polars, as_duckdb, *[as_dask] * HAS_DASK])


@pytest.mark.skipif(not HAS_DASK, reason="dask is not installed: its tables are not tried")
def test_dask_is_tried() -> None:
    assert ta.read(as_dask(wide())).systems == ("old", "new", "third")


def same(found: Any, expected: Any) -> None:
    """Hold scores, differences, p-values and intervals against those of rows in memory."""
    scores = {system.name: system.scores for system in found.systems}
    for system in expected.systems:
        assert scores[system.name] == pytest.approx(system.scores, rel=1e-12)
    assert len(found.pairs) == len(expected.pairs)
    for pair in expected.pairs:
        own = found.pair(pair.a, pair.b, pair.metric)
        assert own.difference == pytest.approx(pair.difference, rel=1e-12)
        assert own.p == pytest.approx(pair.p, rel=1e-9)
        assert own.p_adjusted == pytest.approx(pair.p_adjusted, rel=1e-9)
        low, high = pair.interval
        drawn = 0.05 * (high - low) if pair.interval_method == "bca" else 1e-9
        assert own.interval == pytest.approx(pair.interval, abs=drawn)
        assert own.different == pair.different
    assert found.items.count == expected.items.count


@engines
@pytest.mark.parametrize("cluster", [None, "passage"])
def test_wide_tables(lazy: Callable[[Any], Any], cluster: str | None) -> None:
    found = ta.compare(lazy(wide()), cluster=cluster)
    same(found, ta.compare(wide(), cluster=cluster))
    assert any(notice.code == "rows-are-items" for notice in found.notices)


@engines
@pytest.mark.parametrize("cluster", [None, "passage"])
def test_long_tables(lazy: Callable[[Any], Any], cluster: str | None) -> None:
    """They are grouped by item, whatever the order of their rows."""
    options: dict[str, Any] = {"metrics": ["f1", "recall"], "cluster": cluster}
    same(ta.compare(lazy(long()), **options), ta.compare(long(), **options))


@engines
def test_reading_loads_nothing(lazy: Callable[[Any], Any]) -> None:
    table = ta.read(lazy(wide()))
    assert isinstance(table, LargeTable)
    assert table.systems == ("old", "new", "third")
    assert table.labels == ("passage",)
    assert len(table.counts().items) <= 3 * 5  # right or wrong twice, and five scores


@engines
@pytest.mark.parametrize("cluster", [None, "passage"])
def test_wide_rows_without_a_number_are_refused(
    lazy: Callable[[Any], Any], cluster: str | None
) -> None:
    """Sums would leave them out in silence."""
    frame = wide().astype({"new": "Int64"})
    frame.loc[7, "new"] = None
    with pytest.raises(ta.DataError, match="1 row of 'new' without a number"):
        ta.compare(lazy(frame), cluster=cluster)


@engines
def test_items_that_lack_or_repeat_are_refused(lazy: Callable[[Any], Any]) -> None:
    frame = long()
    own = (frame["Model"] == "old") & (frame["Question ID"] == "q3")
    with pytest.raises(ta.DataError, match="item 'q3' has no value of 'old'"):
        ta.compare(lazy(frame[~own]), metrics="f1")
    with pytest.raises(ta.DataError, match="item 'q3' has 2 rows of 'old'"):
        ta.compare(lazy(pd.concat([frame, frame[own]])), metrics="f1")


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "t", "mcnemar"])
def test_what_needs_single_items_is_right_or_refused(test: str) -> None:
    """A row that stands for many items is not taken for one."""
    frame = wide()[["Question ID", "old", "new"]]
    expected = ta.compare(frame, test=test).pairs[0].p
    try:
        found = ta.compare(as_polars(frame), test=test).pairs[0].p
    except ta.UsageError:
        return
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_folder_of_parquet(tmp_path: Path, capsys: Capture) -> None:
    """By the command line and by Python, with a part of the rows and by clusters."""
    folder = tmp_path / "scores"
    folder.mkdir()
    rows = pl.from_pandas(long())
    rows[:300].write_parquet(folder / "a.parquet")
    rows[300:].write_parquet(folder / "b.parquet")
    expected = ta.compare(long(), metrics="f1", cluster="passage")
    same(ta.compare(folder, metrics="f1", cluster="passage"), expected)
    asked = ["compare", str(folder), "--metric", "f1", "--cluster", "passage", "--json", "-"]
    assert main(asked) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["pairs"][0]["p"] == pytest.approx(expected.pairs[0].p, rel=1e-9)
    part = long()[long()["passage"].isin(["p1", "p2", "p3"])]
    where = [word for name in ("p1", "p2", "p3") for word in ("--where", f"passage={name}")]
    assert main([*asked[:4], *where, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["pairs"][0]
    assert found["p"] == pytest.approx(ta.compare(part, metrics="f1").pairs[0].p, rel=1e-9)


@engines
@pytest.mark.parametrize("make", [wide, long])
def test_clusters_may_be_numbered(lazy: Callable[[Any], Any], make: Callable[[], Any]) -> None:
    frame = make()
    numbered = frame.assign(passage=frame["passage"].str[1:].astype(int))
    metrics = None if make is wide else "f1"
    found = ta.compare(lazy(numbered), metrics=metrics, cluster="passage")
    same(found, ta.compare(frame, metrics=metrics, cluster="passage"))
    with pytest.raises(ta.UsageError, match="there is no label 'page'"):
        ta.compare(lazy(numbered), metrics=metrics, cluster="page")


def test_values_that_are_too_many_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """P is then an upper bound, and the report says so."""
    rng = np.random.default_rng(2)
    old = rng.normal(size=5_000)
    frame = pd.DataFrame({"old": old, "new": old + rng.normal(0, 1, 5_000)})
    peer = stats.ttest_rel(old, frame["new"]).pvalue
    monkeypatch.setattr("tellapart.counts.large.MOST_ROWS", 4_999)
    found = ta.compare(as_polars(frame))
    assert any(notice.code == "values-rounded" for notice in found.notices)
    assert peer < found.pairs[0].p < 1.5 * peer
    assert found.pairs[0].method == "rounded"
    assert "an upper bound" in str(found)
    assert "exact" not in str(found)
