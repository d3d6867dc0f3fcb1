"""Data sets in parts: the same answer as in memory, however rows are cut and whoever reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from parquet_folders import Columns, leave_out_exact_tests, same_numbers, write_folder
from tellapart.cli import main
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.formats.tables import parquet_folder, partitions
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
    """By shuffles, of a fixed number or until settled."""
    columns = table(100_201)
    folder = write(columns, [40_000, 70_123])
    leave_out_exact_tests(monkeypatch)

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
    leave_out_exact_tests(monkeypatch)
    options: Any = {"test": test, "shuffles": 500, "intervals": intervals}

    parts = ta.compare(open_partitions(str(folder)), ["f1"], **options)

    same_numbers(parts, ta.compare(in_memory(columns), ["f1"], **options))


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
def test_bounds_of_p_are_those_of_memory(write: Write, tail: str) -> None:
    """Where kinds of items are few, their numbers tell p: of means, residuals and exchanges."""
    for columns, metrics in ((decimals(100_201), None), (counted(100_001), ["f1"])):
        folder = write(columns, [40_000, 70_124])
        options: Any = {"tail": tail, "intervals": False}

        parts = ta.compare(open_partitions(str(folder)), metrics, **options)

        same_numbers(parts, ta.compare(in_memory(columns), metrics, **options))
        assert parts.pairs[0].method == "exact"
        assert parts.pairs[0].shuffles is None


def test_how_p_is_found_does_not_depend_on_the_cut(write: Write) -> None:
    """Differences of too many sizes beside the items are too many in one file and in forty."""
    rng = np.random.default_rng(8)
    columns = {"item": np.arange(100_000), **{name: rng.integers(0, 9_000, 100_000) / 1e4
                                               for name in "AB"}}  # fmt: skip
    options: Any = {"intervals": False}
    found = [
        ta.compare(open_partitions(str(write(columns, cuts, f"cut-{len(cuts)}"))), **options)
        for cuts in ([], list(range(2_500, 100_000, 2_500)))
    ]
    one, forty = (each.pairs[0] for each in found)
    assert (one.p, one.method, one.shuffles) == (forty.p, forty.method, forty.shuffles)


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
    kept = next(each.text for each in parts.warnings if each.code == "clustered")
    assert "whole docs were shuffled" in kept
    assert "would give p" not in kept  # of single items nothing is known any more


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
        (
            changed(right_and_wrong(50), "item", 30, 70),
            "row 12: item '31' comes after '70': sort the rows",
        ),
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


def test_parts_are_of_a_folder(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not there, has no table, has one without ids, or is a file: a sentence for each."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.csv").write_text("item,A,B\n1,0,1\n")
    write({"A": [0, 1], "B": [1, 1]}, name="bare")
    for name, found in {
        "nowhere": "nowhere: there is no such folder; check the name",
        "empty": "empty: there is no Parquet file (.parquet) in this folder",
        "no*e": "no*e: no Parquet file (.parquet) is called like this",
        "bare": "among the columns A, B; name it with --item",
        "file.csv": "--parts reads one table in a folder of Parquet files",
    }.items():
        assert main(["compare", str(tmp_path / name), "--parts"]) == 2
        assert found in capsys.readouterr().err


def refusal(folder: Path, **options: Any) -> str:
    with pytest.raises(DataError) as raised:
        open_partitions(str(folder), **options)
    return str(raised.value)


def test_negative_counts_are_refused_as_in_memory(write: Write) -> None:
    """The row is that of the system, in whatever order an item has its rows; scores may be < 0."""
    columns = counted(50)
    columns["system"] = ["A", "B"] * 20 + ["B", "A"] * 30
    columns = changed(columns, "fp", 91, -2)
    folder = write(columns, [20])
    words = "'-2' in column 'fp' is negative; counts are 0 or more"
    assert refusal(folder).endswith(f"part-1.parquet, row 72: {words}")
    with pytest.raises(DataError, match=words):
        ta.read(str(folder))

    below = changed(right_and_wrong(50), "A", 7, -1)
    open_partitions(str(write(below, name="below")))


ROWS = np.arange(60)
FLAGS = {"old": ROWS % 3 > 0, "new": ROWS % 7 > 0}
SHARES = {"A": ROWS % 7 / 10, "B": ROWS % 5 / 10}


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (FLAGS, {}),
        (SHARES | {"long": ROWS % 2 > 0}, {}),  # true and false beside numbers are a label
        (SHARES | {"long": ROWS % 2 > 0}, {"labels": ["A"]}),
        (SHARES | {"long": ROWS % 2 > 0}, {"system": ["long", "B"]}),
        ({"A": ROWS % 2, "B": ROWS % 3 // 2, "long": ROWS % 2 > 0}, {}),
        (SHARES | {"length": 100 + ROWS}, {}),  # which is hardly a system
        (SHARES | {"length": 100 + ROWS}, {"labels": ["length"]}),
        (SHARES | {"C": ROWS % 9 * 2.5}, {}),  # which is one, perhaps
        ({"a_acc": ROWS % 2, "a_time": ROWS % 5, "b_acc": ROWS % 2, "b_time": ROWS % 7}, {}),
        ({"run": np.tile(["x", "y"], 30), "score": ROWS % 7, "item": ROWS // 2}, {}),
    ],
)
def test_systems_are_those_of_memory(
    write: Write, columns: Columns, options: dict[str, Any]
) -> None:
    """Which columns are systems, what is warned of and what is refused depend on no size."""
    folder = str(write({"item": ROWS, **columns}, [20]))

    def found(read: Callable[..., Any]) -> Any:
        try:
            counts = read(folder, **options)
        except DataError as problem:
            return str(problem).partition(": ")[2]
        return counts.names, tuple(counts.columns), counts.form, counts.notices

    assert found(open_partitions) == found(ta.read)


def test_a_label_that_is_not_there_is_refused(write: Write) -> None:
    folder = write({"item": ROWS, **SHARES})
    assert "no column 'long' (--labels); the table has item, A, B" in refusal(folder, labels="long")


def test_a_label_in_booleans_is_one_for_clusters(write: Write) -> None:
    folder = write({"item": ROWS, **SHARES, "long": ROWS % 4 > 1}, [20])
    (pair,) = ta.compare(open_partitions(str(folder)), cluster="long").pairs
    assert pair.p == ta.compare(ta.read(str(folder)), cluster="long").pairs[0].p


def test_what_is_not_finite_is_named(write: Write) -> None:
    folder = write(changed(decimals(50), "B", 33, float("-inf")), [20])
    assert "part-1.parquet, row 14: '-inf' in column 'B' is not a finite number" in refusal(folder)


def add_file(write: Write, folder: Path, columns: Columns) -> None:
    other = write(columns, name="other") / "part-0.parquet"
    other.rename(folder / f"part-{len(list(folder.iterdir()))}.parquet")


def test_a_system_of_later_files_alone_is_refused(write: Write) -> None:
    folder = write(right_and_wrong(50))
    add_file(write, folder, {"item": [50, 51], "A": [0, 1], "B": [1, 1], "C": [1, 0]})
    assert "part-1.parquet: column 'C' is a system here and none in " in refusal(folder)
    assert open_partitions(str(folder), system=["A", "B"]).names == ("A", "B")


def test_values_of_later_files_alone_are_refused_or_told(write: Write) -> None:
    """Counts are refused; what only may be a score is told, as in the first file."""
    folder = write({name: cells for name, cells in counted(9).items() if name != "fn"})
    add_file(write, folder, {**counted(9), "item": np.repeat(np.arange(9, 18), 2)})
    assert "part-1.parquet: column 'fn' is a value here and none in " in refusal(folder)

    long: Columns = {"item": [1, 1, 2, 2], "system": ["A", "B"] * 2, "score": [1, 0, 0, 1]}
    scores = write(long, name="scores")
    add_file(write, scores, {**long, "item": [3, 3, 4, 4], "words": [7, 8, 9, 7], "by": ["x"] * 4})
    (notice,) = open_partitions(str(scores)).notices
    assert notice.text.startswith("Columns that were not read: words;")


@pytest.mark.parametrize(
    ("by", "plus", "found"),
    [
        (1e-300, 0, "the values are too small to be summed exactly"),
        (1e-11, 0, "the values are too small to be summed exactly"),
        (1e300, 0, "the counts are too large"),
        (1e-3 / 3, 1e9, "too little beside the sum of the values to be exact"),
    ],
)
def test_values_that_no_grid_holds_are_refused_as_in_memory(
    write: Write, by: float, plus: float, found: str
) -> None:
    places = np.arange(30)
    rows = {"A": plus + places % 3 * by, "B": plus + places % 5 * by}
    folder = write({"item": places, **rows}, [10])
    assert found in refusal(folder)
    with pytest.raises(DataError, match=found):
        ta.read(str(folder))


def test_short_floats_beside_long_ones_are_those_of_memory(write: Write) -> None:
    columns = decimals(60)
    short = {"item": np.arange(60), **{k: columns[k].astype(np.float32) for k in "AB"}}
    folder = write(short)
    add_file(write, folder, {**columns, "item": np.arange(60, 120)})
    options: Any = {"test": "shuffle", "seed": 1}
    (one,) = ta.compare(open_partitions(str(folder)), **options).pairs
    (other,) = ta.compare(str(folder), **options).pairs
    assert (one.p, one.exact_difference) == (other.p, other.exact_difference)
    assert ta.read(str(folder)).scales == (1000,)


@pytest.mark.parametrize(("late", "scale"), [(0.125, 1000), (0.5, 10), (1.0, 1), (2.0, 1)])
def test_the_grid_holds_what_only_the_last_rows_have(write: Write, late: float, scale: int) -> None:
    """The first thousand values are right or wrong; so all are only if the last one is, too."""
    columns = right_and_wrong(3_000)
    columns |= {name: columns[name].astype(float) for name in "AB"}
    facts = open_partitions(str(write(changed(columns, "B", 2_999, late), [2_000]))).columns
    assert facts["score"].scale == scale
    assert facts["score"].two_valued == (late == 1)


def test_a_folder_may_be_written_anew(write: Write) -> None:
    open_partitions(str(write(right_and_wrong(50))))
    assert open_partitions(str(write(counted(50)))).form == "counts"


def test_the_id_that_is_out_of_order_is_named(write: Write) -> None:
    """Between files it is the first of the later one; within a file, the row itself."""
    columns = right_and_wrong(50)
    later = write({**columns, "item": [*range(30, 50), *range(30)]}, [20])
    assert "part-1.parquet, row 1: item '0' comes after '49': sort the rows" in refusal(later)
    last = write(changed(columns, "item", 49, 25.5), name="last")
    assert "row 50: item '25.5' comes after '48.0'" in refusal(last)
    texts = write({**columns, "item": sorted(f"q{k}" for k in range(50))}, name="texts")
    assert "part-0.parquet, row 13: item 'q2' comes after 'q19'" in refusal(texts)


def test_whole_numbers_ascend_from_below_zero(write: Write) -> None:
    """In memory they do, too, so that every item has the same coins."""
    columns = right_and_wrong(50)
    folder = write({**columns, "item": np.arange(-30, 20)}, [10, 40])
    options: Any = {"test": "shuffle", "shuffles": 999}
    parts = ta.compare(open_partitions(str(folder)), **options)
    assert parts.pairs[0].p == ta.compare(str(folder), **options).pairs[0].p
    twice = write({**columns, "item": [*range(-30, 0), *range(-1, 19)]}, [30], "twice")
    assert "part-1.parquet, row 1: item '-1' appears twice" in refusal(twice)


def test_items_that_are_not_whole_are_named_with_file_and_row(write: Write) -> None:
    """A row is missing at the end, in the middle, or in the next file."""
    columns = counted(50)
    cut = write(columns, [41])
    assert "part-0.parquet, row 41: item '20' has 1 row at the end of the file" in refusal(cut)
    lost = {name: [*cells[:61], *cells[62:]] for name, cells in columns.items()}
    middle = refusal(write(lost, [40], "middle"))
    assert "part-1.parquet, row 21: item '30' has not one row of each system" in middle


def test_the_sql_of_the_page_sorts_as_demanded(tmp_path: Path) -> None:
    """Its statements give files that are read; the second of them sorts texts."""
    page = (Path(__file__).parents[1] / "docs" / "large-data.md").read_text()
    statements = [each.partition("```")[0] for each in page.split("```sql\n")[1:]]
    (tmp_path / "unsorted").mkdir()
    ids = (
        "i - 700",
        "if(i % 3 = 0, 'q', 'a-7.') || (i * 37 % 1000003) || if(i % 2 = 0, '', 'x01')",
    )
    for statement, own in zip(statements, ids, strict=True):
        rows = f"SELECT {own} AS item, i % 2 AS A, i % 3 AS B FROM range(300000) t(i)"
        order = "ORDER BY hash(i)"
        duckdb.execute(f"COPY ({rows} {order}) TO '{tmp_path}/unsorted/part-0.parquet'")
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        words = statement.replace("unsorted/", f"{tmp_path}/unsorted/").replace("256MB", "100KB")
        with duckdb.connect() as connection:
            connection.execute(words.replace("'scores'", f"'{folder}'"))
        assert len(list(folder.iterdir())) > 1
        assert open_partitions(str(folder)).items == 300_000


def test_a_file_that_is_no_parquet_is_named(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(right_and_wrong(50), [20])
    (folder / "part-1.parquet").write_bytes(b"garbage")
    for words in ([], ["--parts"]):
        assert main(["compare", str(folder), *words]) == 2
        told = capsys.readouterr().err
        assert "part-1.parquet: this cannot be read as Parquet" in told
        assert told.rstrip().endswith("; write it again, or remove it")


def test_rows_that_do_not_fit_in_memory_are_to_be_written_in_smaller_groups(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(decimals(50_000))
    monkeypatch.setattr(parquet_folder, "_MEMORY", "100KB")
    assert refusal(folder).endswith("; write it in smaller groups of rows, which fit in 100KB")
