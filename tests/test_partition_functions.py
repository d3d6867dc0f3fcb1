"""Functions of sums and joint corrections in parts: the answers of memory, however rows are cut."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from parquet_folders import Columns, leave_out_exact_tests, same_numbers, write_folder
from tellapart.comparison.record import Comparison
from tellapart.counts.partitioned import PartitionedCounts
from tellapart.errors import UsageError
from tellapart.formats.tables import partitions
from tellapart.formats.tables.partitions import open_partitions
from tellapart.metrics.projection import metrics_of
from tellapart.resampling.exact_sums import sum_of_cubes, sum_of_floats, sums_of_products
from tellapart.resampling.workers import open_pool
from tellapart.significance import joint_corrections, partition_data
from tellapart.significance.dispatch import Execution
from tellapart.significance.joint_corrections import permuted_sums
from tellapart.significance.options import Options

duckdb = pytest.importorskip("duckdb")

CORRECTIONS = ("maxt", "maxt-single", "minp", "tukey")


def overlap(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the geometric mean of precision and recall, which is no ratio of sums."""
    tp, fp, fn = (sums[..., k] for k in range(3))
    return np.asarray(tp / np.sqrt((tp + fp) * (tp + fn)))


OVERLAP = ta.Function("overlap", ("tp", "fp", "fn"), overlap)


def counted(items: int, systems: int, seed: int) -> Columns:
    """Return a long table of counts, in which the second system answers more often."""
    rng = np.random.default_rng(seed)
    tp, fp, fn = (rng.poisson(mean, (items, systems)) for mean in (2, 1, 1))
    fp[:, 1] += rng.poisson(0.2, items)
    return long_table(items, systems) | {"tp": tp.ravel(), "fp": fp.ravel(), "fn": fn.ravel()}


def translated(items: int, seed: int = 0) -> Columns:
    """Return the counts of BLEU of two systems, of which one finds a little more."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(8, 30, (items, 2))
    columns = long_table(items, 2) | {
        "hyp_len": lengths.ravel(), "ref_len": np.repeat(rng.integers(8, 30, items), 2),
    }  # fmt: skip
    matches = lengths
    for n in range(1, 5):
        total = lengths - n + 1
        matches = rng.binomial(np.minimum(matches, total), [[0.62, 0.61]])
        columns |= {f"match_{n}": matches.ravel(), f"total_{n}": total.ravel()}
    return columns


def long_table(items: int, systems: int) -> Columns:
    return {
        "item": np.repeat(np.arange(items), systems),
        "system": np.tile(list("ABCDEF"[:systems]), items),
    }


def opened(columns: Columns, folder: Path, cuts: Sequence[int] = ()) -> PartitionedCounts:
    """Return columns in parts, which are files cut at some rows."""
    return open_partitions(str(write_folder(columns, folder, cuts)))


@pytest.fixture(autouse=True)
def no_exact_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what is not tried in parts: exact tests, and all exchanges of few items."""
    leave_out_exact_tests(monkeypatch)


def without_parts(found: Comparison) -> str:
    kept = tuple(notice for notice in found.warnings if notice.code != "partitions")
    return replace(found, warnings=kept).to_json()


@pytest.mark.parametrize(
    "options",
    [{}, {"test": "shuffle", "shuffles": 1500}, {"test": "bootstrap", "shuffles": 300},
     {"tail": "greater", "intervals": "percentile", "shuffles": 400}],
)  # fmt: skip
def test_bleu_is_that_of_memory(tmp_path: Path, options: dict[str, Any]) -> None:
    """By signs of residuals, exchanges and resamples, with BCa intervals and standard errors."""
    columns = translated(2_000)
    data = opened(columns, tmp_path / "data", [1_000, 3_002])

    parts = ta.compare(data, ["bleu"], **options)

    same_numbers(parts, ta.compare(ta.read(columns), ["bleu"], **options))


@settings(max_examples=10, deadline=None)
@given(
    items=st.integers(20, 90),
    seed=st.integers(0, 99),
    cut=st.integers(1, 19),
    test=st.sampled_from(["auto", "shuffle"]),
    correction=st.sampled_from([*CORRECTIONS, "holm"]),
    family=st.sampled_from(["metric", "all"]),
    intervals=st.sampled_from([False, False, True]),
)
def test_any_counts_give_the_numbers_of_memory(
    items: int, seed: int, cut: int, test: str, correction: str, family: str, intervals: bool
) -> None:
    family = "metric" if correction == "tukey" else family  # which is about one metric
    columns = counted(items, 3, seed)
    options: Any = {"test": test, "correction": correction, "family": family, "shuffles": 250,
                    "intervals": intervals}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        data = opened(columns, Path(folder), [3 * cut])
        parts = ta.compare(data, ["f1", OVERLAP], **options)

    memory = ta.compare(ta.read(columns), ["f1", OVERLAP], **options)

    same_numbers(parts, memory, rough=0.1)
    assert [pair.p_interval for pair in parts.pairs] == [pair.p_interval for pair in memory.pairs]
    told = [{notice.code for notice in each.warnings} for each in (parts, memory)]
    assert ("joint-null" in told[0], "complete-null" in told[0]) == (
        "joint-null" in told[1], "complete-null" in told[1],
    )  # fmt: skip


@pytest.mark.parametrize("correction", [*CORRECTIONS, "holm"])
def test_the_record_depends_neither_on_the_cut_nor_on_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, correction: str
) -> None:
    """Blocks of shuffles that are read again, and sums that were kept, change nothing, too."""
    columns = counted(3_000, 3, seed=1)
    options: Any = {"correction": correction, "shuffles": 2_500, "intervals": correction == "minp"}
    whole = opened(columns, tmp_path / "one")
    first = without_parts(ta.compare(whole, ["f1", OVERLAP], workers=1, **options))
    monkeypatch.setattr(partitions, "_VALUES", 1)
    monkeypatch.setattr(partition_data, "_MOST_SUMS", 1)
    monkeypatch.setattr(partition_data, "_MOST_KEPT", 0)

    cut = opened(columns, tmp_path / "cut", [9, 5_001])

    assert without_parts(ta.compare(cut, ["f1", OVERLAP], workers=3, **options)) == first


def test_too_many_resamples_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellapart.significance.bootstrap_tests.MOST_RESAMPLED", 1_000)
    data = opened(counted(50, 2, 0), tmp_path / "data")
    with pytest.raises(UsageError, match="would not fit in memory: draw at most"):
        ta.compare(data, ["f1"], test="bootstrap")


whole_numbers = st.integers(-(1 << 51), 1 << 51)
floats = st.floats(allow_nan=False, allow_infinity=False, width=64)


def test_permutations_of_parts_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever items are cut, within blocks that share random numbers or between them."""
    monkeypatch.setattr(joint_corrections, "ITEM_BLOCK", 16)
    forms = np.random.default_rng(0).integers(0, 9, (2, 3, 50))
    whole = permuted_sums(forms, 0, (1, 5), items=50)
    for cut in (1, 16, 23, 40):
        first, second = forms[:, :, :cut], forms[:, :, cut:]
        parts = permuted_sums(first, 0, (1, 5), 50), permuted_sums(second, 0, (1, 5), 50, cut)
        assert (parts[0] + parts[1] == whole).all()
    assert (whole.sum(axis=1) == forms.sum(axis=(1, 2))).all()


def test_pairs_stand_behind_the_systems(tmp_path: Path) -> None:
    columns: Columns = {"item": range(9), **{f"s{k}": [k % 2] * 9 for k in range(6)}}
    counts = opened(columns, tmp_path / "six")
    options = Options()
    with open_pool(1) as pool:
        data = partition_data.PartitionedData(
            counts, tuple(metrics_of(counts.empty(), None)), options.seed, Execution(pool), False
        )
        places = [data.pair_place(a, b) for a, b in combinations(range(6), 2)]
    assert places == list(range(6, 21))


def test_a_system_without_a_score_is_told(tmp_path: Path) -> None:
    columns = counted(60, 2, 0)
    for name in ("tp", "fp", "fn"):
        columns[name] = np.where(columns["system"] == "B", 0, columns[name])

    parts = ta.compare(opened(columns, tmp_path / "data"), ["f1"])

    assert (parts.pairs[0].p, parts.pairs[0].interval) == (None, None)
    assert "undefined-test" in [notice.code for notice in parts.warnings]


@given(st.lists(st.tuples(whole_numbers, whole_numbers), min_size=1, max_size=30))
def test_sums_of_products_and_cubes_are_exact(pairs: list[tuple[int, int]]) -> None:
    rows = np.array(pairs, np.int64).T
    expected = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in rows.tolist()]
                for a in rows.tolist()]  # fmt: skip
    assert sums_of_products(rows).tolist() == expected
    assert sum_of_cubes(rows[0]) == sum(x**3 for x, _ in pairs)


@given(st.lists(floats, max_size=30))
def test_sums_of_floats_are_exact(values: list[float]) -> None:
    assert sum_of_floats(np.array(values, np.float64)) == sum(map(Fraction, values))
