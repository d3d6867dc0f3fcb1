"""Data sets in parts: the same answer as in memory, however rows are cut and whoever reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from parquet_folders import Columns, same_numbers, write_folder
from tellapart.cli import main
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.formats.tables import partitions
from tellapart.formats.tables.partitions import open_partitions

duckdb = pytest.importorskip("duckdb")

LEVELS = {"A": 0.7, "B": 0.6, "C": 0.4}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write columns as a folder of Parquet files, cut at some rows."""

    def written(columns: Columns, cuts: Sequence[int] = (), name: str = "data") -> Path:
        return write_folder(columns, tmp_path / name, cuts)

    return written


def right_and_wrong(items: int, seed: int = 0) -> Columns:
    """Return a wide table of two systems, right or wrong, of which one is a little better."""
    rng = np.random.default_rng(seed)
    hard = rng.random(items)
    a, b = (hard + 0.3 * rng.random(items) < level for level in (0.61, 0.605))
    return {"item": np.arange(items), "A": a.astype(np.int8), "B": b.astype(np.int8)}


def decimals(items: int) -> Columns:
    rng = np.random.default_rng(1)
    a, b = np.round(rng.beta(3, 2, (2, items)), 3)
    return {"item": np.arange(items), "A": a, "B": np.round(0.98 * b, 3)}


def counted(items: int) -> Columns:
    """Return a long table of counts, in which one system answers more often."""
    rng = np.random.default_rng(2)
    tp, fp, fn = (rng.poisson(mean, (items, 2)) for mean in (2, 1, 1))
    fp[:, 1] += rng.poisson(0.3, items)
    names = np.tile(["A", "B"], items)
    return {"item": np.repeat(np.arange(items), 2), "system": names, "tp": tp.ravel(),
            "fp": fp.ravel(), "fn": fn.ravel()}  # fmt: skip


def in_memory(columns: Columns) -> Counts:
    return ta.read(columns)


@pytest.mark.parametrize("table", [right_and_wrong, decimals])
@pytest.mark.parametrize("options", [{"test": "shuffle", "shuffles": 3000}, {"seed": 3}])
def test_means_are_those_of_memory(
    write: Write, monkeypatch: pytest.MonkeyPatch, table: Any, options: Any
) -> None:
    """By shuffles, of a fixed number or until settled; exact tests are left out in memory, too."""
    columns = table(100_201)
    folder = write(columns, [40_000, 70_123])
    monkeypatch.setattr(
        "tellapart.significance.dispatch.exact_tests",
        lambda _, questions, *__, **___: [None] * len(questions),
    )

    parts = ta.compare(open_partitions(str(folder)), **options)

    same_numbers(parts, ta.compare(in_memory(columns), **options))
    assert any(notice.code == "partitions" for notice in parts.warnings)


@pytest.mark.parametrize(
    ("test", "intervals"), [("auto", True), ("shuffle", False), ("bootstrap-abs", False)]
)
def test_ratios_of_counts_are_those_of_memory(
    write: Write, monkeypatch: pytest.MonkeyPatch, test: str, intervals: bool
) -> None:
    """F1 by signs of residuals, exchanges or resamples, from a long table; BCa intervals, too."""
    columns = counted(100_001)
    folder = write(columns, [50_000, 120_002])
    monkeypatch.setattr(
        "tellapart.significance.dispatch.exact_tests",
        lambda _, questions, *__, **___: [None] * len(questions),
    )
    options: Any = {"test": test, "shuffles": 500, "intervals": intervals}

    parts = ta.compare(open_partitions(str(folder)), ["f1"], **options)

    same_numbers(parts, ta.compare(in_memory(columns), ["f1"], **options))


def test_resamples_of_many_kinds_are_drawn_block_by_block(write: Write) -> None:
    columns = decimals(100_300)
    folder = write(columns, [70_000])
    options: Any = {"test": "bootstrap", "shuffles": 60, "intervals": "percentile"}

    parts = ta.compare(open_partitions(str(folder)), **options)

    same_numbers(parts, ta.compare(in_memory(columns), **options))


def record_without_parts(source: Path, **options: Any) -> str:
    found = ta.compare(open_partitions(str(source)), **options)
    kept = tuple(notice for notice in found.warnings if notice.code != "partitions")
    return replace(found, warnings=kept).to_json()


def test_the_answer_does_not_depend_on_the_cut(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same rows in one file or in four, in large parts or small, by one worker or several."""
    columns = decimals(100_300)
    whole, four = write(columns), write(columns, [3, 65_536, 99_999], "four")
    options: Any = {"test": "shuffle", "shuffles": 2500}
    first = record_without_parts(whole, workers=1, **options)
    monkeypatch.setattr(partitions, "_VALUES", 1)

    assert record_without_parts(whole, workers=2, **options) == first
    assert record_without_parts(four, workers=3, **options) == first


def test_clusters_may_cross_files(write: Write) -> None:
    """Their sums are those of memory, and so is p."""
    rng = np.random.default_rng(0)
    columns = counted(5_000)
    columns["doc"] = [f"d{k}" for k in np.repeat(rng.integers(0, 400, 5_000), 2)]
    folder = write(columns, [4_000, 4_002])
    options: Any = {"cluster": "doc", "seed": 1}

    parts = ta.compare(open_partitions(str(folder)), ["f1"], **options)
    memory = ta.compare(in_memory(columns), ["f1"], **options)

    (one,), (other,) = parts.pairs, memory.pairs
    assert (one.p, one.exact_difference, one.interval) == (
        other.p, other.exact_difference, other.interval,
    )  # fmt: skip
    assert parts.units == memory.units


def test_unsigned_numbers_are_numbers(write: Write) -> None:
    rng = np.random.default_rng(4)
    rows = {name: rng.integers(0, 2, 50).astype(np.uint64) for name in "AB"}
    folder = write({"item": np.arange(50), **rows})
    small = {name: row.astype(np.int64) for name, row in rows.items()}
    same_numbers(ta.compare(ta.open_partitions(str(folder))), ta.compare(Counts.from_arrays(small)))


def test_three_systems_in_booleans_and_natural_order(write: Write) -> None:
    """Files and ids are in the order of people: part-10 after part-9, q10 after q9."""
    rng = np.random.default_rng(3)
    items = 1_300
    columns: Columns = {"id": [f"q{k}" for k in range(items)]}
    columns |= {
        name: rng.random(items) < level for name, level in zip("ABC", (0.7, 0.6, 0.4), strict=True)
    }
    folder = write(columns, range(100, items, 100))
    options: Any = {"test": "shuffle", "shuffles": 999}

    parts = ta.compare(open_partitions(str(folder)), **options)

    memory = ta.compare(in_memory(columns), **options)
    assert [pair.exceedances for pair in parts.pairs] == [p.exceedances for p in memory.pairs]
    assert parts.groups == memory.groups
    assert parts.ranks == memory.ranks
    assert "<svg" in ta.Comparison.from_json(parts.to_json())._repr_html_()


def changed(columns: Columns, name: str, row: int, value: Any) -> Columns:
    cells = list(columns[name])
    cells[row] = value
    return {**columns, name: cells}


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (changed(right_and_wrong(50), "item", 30, 29), "item '29' appears twice"),
        (changed(right_and_wrong(50), "item", 30, 70), "not in the order of ids: sort the rows"),
        (changed(right_and_wrong(50), "A", 40, None), "part-1.parquet, row 21: there is no score"),
        (changed(counted(50), "system", 41, "A"), "has not one row of each system (A, B)"),
        (changed(counted(50), "item", 41, 21), "has not one row of each system (A, B)"),
        (changed(right_and_wrong(50), "item", 3, None), "row 4: there is no item"),
    ],
)
def test_what_is_wrong_with_items_is_named(write: Write, columns: Columns, found: str) -> None:
    with pytest.raises(DataError) as raised:
        open_partitions(str(write(columns, [20])))
    assert found in str(raised.value)


def test_a_file_without_a_column_of_the_others_is_named(write: Write) -> None:
    folder = write(right_and_wrong(50))
    other = write({"item": [50, 51], "A": [0, 1], "C": [1, 1]}, name="other")
    (other / "part-0.parquet").rename(folder / "part-1.parquet")
    with pytest.raises(DataError, match=r"part-1.parquet: there is no column 'B', which"):
        open_partitions(str(folder))


def test_ids_must_ascend_over_files(write: Write) -> None:
    columns = right_and_wrong(50)
    columns["item"] = [*range(20), *range(19, 49)]
    with pytest.raises(DataError, match=r"part-1.parquet, row 1: item '19' appears twice"):
        open_partitions(str(write(columns, [20])))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"test": "exact"}, "--test exact"),
        ({"margin": 0.1}, "--margin"),
        ({"by": "doc"}, "--by"),
        ({"strata": "doc"}, "--strata"),
    ],
)
def test_what_needs_single_items_is_refused_by_name(
    write: Write, options: dict[str, Any], named: str
) -> None:
    data = open_partitions(str(write(right_and_wrong(50))))
    with pytest.raises(UsageError, match=f"{named} needs all items in one memory"):
        ta.compare(data, **options)


def test_functions_of_items_are_refused(write: Write) -> None:
    data = open_partitions(str(write(right_and_wrong(50))))
    median = ta.ItemFunction("median", ("score",), np.median)
    with pytest.raises(UsageError, match="'median' is no function of sums"):
        ta.compare(data, [median])


def test_addresses_need_an_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    with pytest.raises(UsageError, match="httpfs"):
        open_partitions("s3://bucket/folder")


def record(capsys: pytest.CaptureFixture[str], *words: str) -> Comparison:
    assert main(["compare", *words, "--json", "-"]) == 0
    return Comparison.from_json(capsys.readouterr().out)


def test_a_small_folder_is_read_as_a_table(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = counted(400)
    in_memory(columns).to_table(tmp_path / "counts.csv")

    folder = record(capsys, str(write(columns, [300])), "--metric", "f1")

    assert folder == record(capsys, str(tmp_path / "counts.csv"), "--metric", "f1")
    assert not folder.in_parts


def test_a_folder_or_a_pattern_is_compared_in_parts_when_asked(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(right_and_wrong(3_000), [1_000])
    page = tmp_path / "page.html"
    words = ["--test", "shuffle", "--fail-if-worse"]

    parts = record(capsys, str(folder), "--parts", "--html", str(page), *words)
    pattern = record(capsys, f"{folder}/*.parquet", *words)

    assert parts == pattern
    assert parts.in_parts
    assert parts.pairs[0].p == record(capsys, str(folder), *words).pairs[0].p
    assert "were compared in 2 parts" in page.read_text()
    assert main(["compare", str(folder), "--parts"]) == 0
    printed = capsys.readouterr().out
    assert "items read part by part" in printed
    assert "tellapart diff" not in printed


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--where", "a=b"], "--where needs all items in one memory"),
        (["--save-counts", "x.csv"], "--save-counts needs all items in one memory"),
        (["--metric", "f1"], "no value is named 'f1'"),
        (["--cluster", "doc"], "there is no label 'doc'; labels are: none"),
    ],
)
def test_what_parts_cannot_do_is_said_in_one_sentence(
    write: Write, capsys: pytest.CaptureFixture[str], words: list[str], found: str
) -> None:
    assert main(["compare", str(write(right_and_wrong(90))), "--parts", *words]) == 2
    assert found in capsys.readouterr().err


def test_parts_are_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path), "--parts"]) == 2
    assert "--parts reads one table in a folder of Parquet files" in capsys.readouterr().err
