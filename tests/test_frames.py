"""Series and frames are matched by index or id, and refused where these differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from tellapart.errors import DataError

pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

IDS = [f"q{k}" for k in range(10)]
OLD = [0.2, 0.9, 0.5, 0.4, 0.7, 0.1, 0.8, 0.3, 0.6, 0.5]
NEW = [0.3, 0.9, 0.6, 0.6, 0.7, 0.1, 0.9, 0.3, 0.6, 0.5]  # four items are better, six the same
SHUFFLED = [7, 2, 9, 4, 0, 5, 1, 8, 3, 6]


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
    for data in ({"old": old, "new": new}, ta.Counts.from_arrays({"old": old, "new": new})):
        assert ta.compare(data).pairs[0].p == 0.125
    by_position = ta.compare({"old": old.to_numpy(), "new": new.to_numpy()}).pairs[0].p
    assert by_position == pytest.approx(peer(OLD, new.to_numpy()))
    assert by_position is not None and by_position > 0.5  # noqa: PT018
    counts = ta.Counts.from_arrays({"new": new, "old": old})
    assert counts.items == tuple(IDS[k] for k in SHUFFLED)


def test_an_index_that_was_sorted_is_one() -> None:
    """Rows that count from 0 in one frame, and in another order in the other, are matched."""
    old = pd.DataFrame({"score": OLD})["score"]
    new = pd.DataFrame({"score": NEW})["score"].iloc[SHUFFLED]
    assert ta.compare({"old": old, "new": new}).pairs[0].p == 0.125
    assert ta.compare({"old": old, "new": pd.Series(NEW)}).pairs[0].p == 0.125
    assert ta.compare({"old": old, "new": NEW}).pairs[0].p == 0.125  # both only count the rows


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ([*IDS[:9], "q99"], "1 item only in 'old' (q9) and 1 item only in 'new' (q99)"),
        ([*IDS[:9], "q0"], "the values of 'new' have the id 'q0' twice"),
        (range(100, 110), "10 items only in 'old' (q0, q1, q2 and 7 more)"),
    ],
)
def test_other_items_are_refused(index: Any, said: str) -> None:
    data = {"old": series(OLD, list(range(10))), "new": pd.Series(NEW, index=index)}
    with pytest.raises(DataError) as error:
        ta.compare(data)
    assert said in str(error.value)
    assert ".to_numpy()" in str(error.value)
    assert ta.compare({k: each.to_numpy() for k, each in data.items()}).pairs[0].p == 0.125


def test_ids_beside_none_are_refused() -> None:
    with pytest.raises(DataError, match="'old' have ids and those of 'new' have none"):
        ta.compare({"old": series(OLD, SHUFFLED), "new": NEW})


def test_items_and_labels_follow_the_index() -> None:
    old, new = series(OLD, SHUFFLED), series(NEW, list(range(10)))
    topics = pd.Series([f"t{k % 2}" for k in range(10)], index=IDS)
    counts = ta.Counts.from_arrays({"old": old, "new": new}, items=IDS, labels={"topic": topics})
    assert counts.items == tuple(IDS)
    assert counts.labels["topic"][:3] == ("t0", "t1", "t0")
    assert counts.values[:, 3, 0].tolist() == [4, 6]


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_of_one_system_each_are_matched_by_their_ids(library: Any) -> None:
    def frame(values: list[float], order: list[int]) -> Any:
        return library.DataFrame(
            {"question_id": [IDS[k] for k in order], "text": ["?"] * 10,
             "accuracy": [values[k] for k in order], "latency_ms": [9.0 - k for k in order]}
        )  # fmt: skip

    data = {"old": frame(OLD, list(range(10))), "new": frame(NEW, SHUFFLED)}
    result = ta.compare(data)
    assert result.pair("old", "new", "accuracy").p == 0.125
    assert result.pair("old", "new", "latency_ms").difference == 0
    assert not result.metrics["latency_ms"].higher_is_better
    with pytest.raises(DataError, match="there is no column 'f1' in the frame"):
        ta.Counts.from_arrays(data, columns=["f1"])


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_read_as_a_table_is(library: Any) -> None:
    """Long, with a column of models, or wide, with a column for each."""
    wide = library.DataFrame({"id": IDS, "old": OLD, "new": NEW})
    assert ta.compare(wide).pairs[0].p == 0.125
    assert ta.read(wide).items == tuple(IDS)
    long = library.DataFrame(
        {"model": ["old"] * 10 + ["new"] * 10, "id": IDS + [IDS[k] for k in SHUFFLED],
         "score": OLD + [NEW[k] for k in SHUFFLED], "topic": ["x"] * 20}
    )  # fmt: skip
    result = ta.compare(long)
    assert result.pair("old", "new").p == 0.125
    assert ta.read(long).labels == {"topic": ("x",) * 10}
    assert ta.read(long, system="model", columns=["score"]).names == ("old", "new")
    with pytest.raises(DataError, match="the frame, row 2: topic 'x' is there twice"):
        ta.read(long, item="topic")


def test_the_index_of_a_wide_frame_names_the_items() -> None:
    frame = pd.DataFrame({"old": OLD, "new": NEW}, index=pd.Index(IDS, name="question"))
    counts = ta.read(frame)
    assert (counts.items, counts.kind, counts.names) == (tuple(IDS), "question", ("old", "new"))
    assert ta.compare(frame).pairs[0].p == 0.125
    assert ta.Counts.from_arrays(frame).items == tuple(IDS)


def test_what_is_missing_in_a_frame_is_missing() -> None:
    frame = pd.DataFrame({"id": IDS, "old": OLD, "new": [None, *NEW[1:]]})
    with pytest.raises(DataError, match="missing in new: q0"):
        ta.read(frame)
    assert len(ta.read(frame, missing="drop").items) == 9


def frames(column: str, ids: Any) -> tuple[Any, Any]:
    """Return a frame for each system, the rows of the second in another order."""
    old = pd.DataFrame({column: list(ids), "acc": OLD})
    new = pd.DataFrame({column: [ids[k] for k in SHUFFLED], "acc": [NEW[k] for k in SHUFFLED]})
    return old, new


@pytest.mark.parametrize("ids", [IDS, list(range(100, 110))])
@pytest.mark.parametrize("column", ["id", "question_id", "ID"])
def test_a_column_of_ids_goes_before_numbers_that_rows_once_had(column: str, ids: Any) -> None:
    """Sorting, filtering and concatenating leave bare numbers in the index."""
    old, new = frames(column, ids)
    long = pd.concat([old.assign(model="old"), new.assign(model="new")])
    for data in (
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


def test_the_ids_that_systems_share_decide() -> None:
    """An id of its own for each row names no item, in frames as in tables."""
    old, new = frames("question_id", IDS)
    old["id"], new["id"] = range(10), range(10, 20)
    for data in ({"old": old, "new": new}, {"old": old.set_index("question_id"), "new": new}):
        result = ta.compare(data)
        assert list(result.metrics) == ["acc"]
        assert result.pair("old", "new").p == 0.125
    both = {"old": old.set_index("question_id"), "new": new.set_index("question_id")}
    assert ta.compare(both).pair("old", "new").p == 0.125
    long = pd.concat([old.assign(model="old"), new.assign(model="new")])
    counts = ta.read(long)
    assert (counts.kind, counts.columns, counts.items) == ("question", ("acc",), tuple(IDS))


def test_a_wide_frame_needs_no_ids() -> None:
    """The rows are the items; of a long one, each row would be."""
    for library in (pd, pl):
        wide = library.DataFrame({"old": OLD, "new": NEW})
        assert ta.compare(wide).pairs[0].p == 0.125
        long = library.DataFrame({"model": ["old"] * 10 + ["new"] * 10, "score": OLD + NEW})
        with pytest.raises(DataError, match="no item column"):
            ta.compare(long)
    assert ta.compare(pd.DataFrame({"old": OLD, "new": NEW}).iloc[SHUFFLED]).pairs[0].p == 0.125


def test_systems_in_an_index_of_several_levels() -> None:
    old, new = frames("id", IDS)
    named = pd.concat({"old": old, "new": new}, names=["model"])
    assert ta.compare(named).pair("old", "new").p == 0.125
    unnamed = pd.concat({"old": old, "new": new})
    with pytest.raises(DataError, match="--system says which"):
        ta.compare(unnamed)
    assert ta.compare(ta.read(unnamed, system="level_0")).pair("old", "new").p == 0.125
