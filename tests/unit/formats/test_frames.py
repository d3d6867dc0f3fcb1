"""Series and frames are matched by index or id, and refused where these differ."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from tellapart.errors import DataError

pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

WIDE = "item,topic,passage,old,new,third\n" + "".join(
    f"q{k},{'ab'[k % 2]},p{k // 3},{k % 2},{(k % 5) / 4},{k % 3 > 0:d}\n" for k in range(24)
)
LONG = "Model,Question ID,topic,score,latency\n" + "".join(
    f"{name},q{k},{'ab'[k % 2]},{(k * step % 7) / 10},{k + step}\n"
    for name, step in (("old", 2), ("new", 3), ("the third", 5))
    for k in range(20)
)
COUNTS = "system,item,tp,fp,fn\n" + "".join(
    f"{name},d{k},{k % 3 + more},{k % 2},{2 - k % 3}\n"
    for more, name in enumerate(("old", "new", "third"))
    for k in range(12)
)
IDS = [f"q{k}" for k in range(10)]
OLD = [0.2, 0.9, 0.5, 0.4, 0.7, 0.1, 0.8, 0.3, 0.6, 0.5]
NEW = [0.3, 0.9, 0.6, 0.6, 0.7, 0.1, 0.9, 0.3, 0.6, 0.5]  # four items are better, six the same
SHUFFLED = [7, 2, 9, 4, 0, 5, 1, 8, 3, 6]


def as_pandas(text: str) -> Any:
    return pd.read_csv(io.StringIO(text))


def as_polars(text: str) -> Any:
    return pl.read_csv(io.StringIO(text))


def as_arrow(text: str) -> Any:
    return pl.read_csv(io.StringIO(text)).to_arrow()


def as_columns(text: str) -> Any:
    return as_pandas(text).to_dict("list")


def as_rows(text: str) -> Any:
    return as_pandas(text).to_dict("records")


def as_series_by_column(text: str) -> Any:
    return dict(as_pandas(text))


@pytest.mark.parametrize(
    "make",
    [
        as_pandas, as_polars, as_arrow, as_columns, as_rows, as_series_by_column,
        lambda text: as_pandas(text).sort_values(as_pandas(text).columns[-1], kind="stable"),
        lambda text: as_pandas(text).convert_dtypes(),
        lambda text: {k: v.to_numpy() for k, v in as_pandas(text).items()},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "text",
    [WIDE, LONG, COUNTS, WIDE.replace("item", "ticket"), COUNTS.replace("item", "ticket")],
    ids=["wide", "long", "counts", "wide, by another name", "counts, by another name"],
)
def test_the_record_is_the_same_wherever_the_table_stands(
    make: Callable[[str], Any], text: str, tmp_path: Path
) -> None:
    """Scores, tests, warnings, and the digest of the data, to the last byte."""
    path = tmp_path / "scores.csv"
    path.write_text(text)
    expected = ta.compare(path)
    found = ta.compare(make(text))
    assert len(expected.systems) == 3
    assert expected.signature.split("data ")[1] in found.signature
    assert found.to_json() == expected.to_json()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"item": ["q1", "q2"], "A": [1, 0], "B": [1]}, "'item' has 2 values and 'B' has 1"),
        ({"item": [], "A": [], "B": []}, "the table has no rows"),
        ({"item": ["q1"], "A": np.zeros((1, 2)), "B": [1]}, "column 'A' is no list of values"),
        ({"item": ["q1"], "A": 1, "B": [1]}, "column 'A' is no list of values"),
        (pd.DataFrame([["q1", 0, 1]], columns=["item", "A", "A"]), "have the same name"),
        (
            {"item": ["q1"], "model": ["A"], "score": ["much"]},
            "the frame, row 1: 'much' in column 'score'",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_said(data: Any, said: str) -> None:
    with pytest.raises(DataError, match=re.escape(said)):
        ta.compare(data)


class StandIn:
    """What is used of the library of Hugging Face, which brings a hundred megabytes."""

    class DatasetDict(dict[str, Any]):
        """Splits by name."""

    @dataclass
    class Dataset:
        """A data set that is its table, as one formatted as Arrow is."""

        table: Any

        def with_format(self, kind: str) -> Any:
            """Return what gives rows of the kind."""
            return {"arrow": self.table}[kind]


def test_data_sets_as_their_library_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", StandIn)
    found = ta.compare(StandIn.Dataset(as_arrow(WIDE)))
    assert found.to_json() == ta.compare(as_pandas(WIDE)).to_json()
    splits = StandIn.DatasetDict(train=StandIn.Dataset(as_arrow(WIDE)), test=None)
    with pytest.raises(ta.UsageError, match=r"the splits train, test: give one"):
        ta.compare(splits)


def peer(first: Any, second: Any) -> float:
    """Return the p of all sign patterns, by SciPy."""
    differences = np.round(np.asarray(first, float) - np.asarray(second, float), 6)
    found = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    return float(found.pvalue)


def series(values: list[float], order: list[int]) -> Any:
    return pd.Series([values[k] for k in order], index=[IDS[k] for k in order])


def test_series_are_matched_by_their_index() -> None:
    """Paired by position, as arrays are, p would be another."""
    old, new = series(OLD, list(range(10))), series(NEW, SHUFFLED)
    assert peer(OLD, NEW) == 0.125
    for data in ({"old": old, "new": new}, ta.read({"old": old, "new": new})):
        assert ta.compare(data).pairs[0].p == 0.125
    by_position = ta.compare({"old": old.to_numpy(), "new": new.to_numpy()}).pairs[0].p
    assert by_position == pytest.approx(peer(OLD, new.to_numpy()))
    assert by_position is not None and by_position > 0.5  # noqa: PT018
    counts = ta.read({"new": new, "old": old})
    assert counts.items == tuple(IDS[k] for k in SHUFFLED)


@pytest.mark.parametrize(
    "data",
    [{"old": series(OLD, SHUFFLED)}, pd.DataFrame({"old": OLD}), {"old": pl.Series(OLD)}],
)
def test_arrays_are_no_series(data: Any) -> None:
    """By position, as arrays are, what has an index would be paired wrongly."""
    with pytest.raises(ta.UsageError, match="carry ids of their own"):
        ta.Counts.from_arrays(data)


def frames(column: str, ids: Any) -> tuple[Any, Any]:
    """Return a frame for each system, the rows of the second in another order."""
    old = pd.DataFrame({column: list(ids), "acc": OLD})
    new = pd.DataFrame({column: [ids[k] for k in SHUFFLED], "acc": [NEW[k] for k in SHUFFLED]})
    return old, new


@pytest.mark.parametrize("ids", [IDS, list(range(100, 110))])
@pytest.mark.parametrize("column", ["id", "question_id", "ID", "document", "Nr."])
def test_a_column_of_ids_goes_before_numbers_that_rows_once_had(
    column: str, ids: Any, tmp_path: Path
) -> None:
    """Sorting, filtering and concatenating leave bare numbers in the index, also in a file."""
    old, new = frames(column, ids)
    long = pd.concat([old.assign(model="old"), new.assign(model="new")])
    files = [tmp_path / "index.csv", tmp_path / "plain.csv"]
    for path in files:
        long.to_csv(path, index=path.stem == "index")
    for data in (
        *files,
        {"old": old, "new": new},
        {"old": old.sort_values("acc"), "new": new.sort_values("acc")},
        {"old": old, "new": new.sort_values("acc")},
        long,
        long.sort_values("acc"),
        long.rename(columns={column: "nr"}).set_index("nr"),
    ):
        result = ta.compare(data)
        assert list(result.metrics) == ["acc"]
        assert result.pair("old", "new").p == 0.125
    fewer = {"old": old[old[column] != ids[2]], "new": new[new[column] != ids[2]]}
    assert ta.compare(fewer).pairs[0].p == peer(OLD[:2] + OLD[3:], NEW[:2] + NEW[3:])
    named = long.rename(columns={column: "nr"})
    assert ta.compare(ta.read(named, item="nr")).pair("old", "new").p == 0.125


def test_bare_numbers_name_the_items_if_nothing_else_does() -> None:
    """Remarks on single answers, and tasks of many items, do not; numbers that may be ids ask."""
    old, new = frames("remark", IDS)
    new.index = pd.Index(SHUFFLED)
    new["remark"] += " again"
    assert ta.compare({"old": old, "new": new}).pairs[0].p == 0.125
    assert ta.compare({"old": old["acc"], "new": new["acc"]}).pairs[0].p == 0.125
    wide = pd.DataFrame({"task": ["t", "u"] * 5, "old": OLD, "new": NEW})
    assert ta.read(wide.sort_values("old")).items[0] == "5"
    old["nr"], new["nr"] = range(100, 110), range(107, 117)
    with pytest.raises(DataError, match="the numbers in 'nr' look like ids"):
        ta.compare({"old": old, "new": new})


def test_levels_and_names_that_are_no_texts() -> None:
    old, new = frames("id", IDS)
    joined = pd.concat({"old": old.set_index("id"), "new": new.set_index("id")}).rename_axis(
        [None, None]
    )
    with pytest.raises(DataError, match=r'differ in level_0: system="level_0" makes systems'):
        ta.compare(joined)
    counts = ta.read(joined, system="level_0")
    beside = pd.concat({"old": old.set_index("id"), "new": new.set_index("id")}, axis=1)
    numbered = ta.read(beside.set_axis([0.5, 1.0], axis=1))
    assert (counts.names, numbered.names) == (("old", "new"), ("0.5", "1.0"))
    for other in (ta.read(beside), numbered):
        assert (other.values == counts.values).all()
