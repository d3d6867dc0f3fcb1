from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.counts import KNOWN_COLUMNS, Counts, ItemTexts
from tellapart.errors import DataError, UsageError
from tellapart.formats.tables.reader import read_tables
from tellapart.metrics.runs import average_runs

COLUMNS = ["tp", "fp", "fn"]


@pytest.fixture
def counts() -> Counts:
    return Counts.from_arrays(
        {"GE": [[3, 1, 0], [2, 0, 1], [1, 1, 1]], "UMASS": [[2, 2, 1], [1, 0, 2], [0, 0, 2]]},
        columns=COLUMNS,
        items=["m1", "m2", "m3"],
        labels={"doc": ["d1", "d2", "d1"], "domain": ["news", "web", "news"], "n": ["1", "2", "3"]},
        kind="message",
    )


def test_systems_are_chosen_by_name_in_the_order_asked_for(counts: Counts) -> None:
    assert (counts.systems[0], counts.systems[:1]) == ("GE", ("GE",))
    swapped = counts.systems[["UMASS", "GE"]]
    assert swapped.systems == ("UMASS", "GE")
    assert swapped.values.tolist() == counts.values[::-1].tolist()
    with pytest.raises(UsageError, match=r"'UMAS'.*UMASS"):
        counts.systems["GE", "UMAS"]
    with pytest.raises(UsageError, match="each once"):
        counts.systems["GE", "GE"]
    assert pickle.loads(pickle.dumps(swapped.systems)) == ("UMASS", "GE")
    assert copy.deepcopy(swapped) == swapped


def test_equality_is_of_what_is_said_not_of_the_grid(counts: Counts) -> None:
    assert counts != counts.systems["GE"]
    assert Counts.from_arrays({"A": [0.5, 1.0]}) == Counts.from_arrays({"A": ["0.50", "1"]})
    assert Counts.from_arrays({"A": [0.5, 1.0]}) != Counts.from_arrays({"A": [5, 10]})


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.sampled_from("abc")), min_size=1))
def test_clustering_keeps_the_sums(rows: list[tuple[int, str]]) -> None:
    counts = Counts.from_arrays(
        {"A": [value for value, _ in rows]}, labels={"c": [label for _, label in rows]}
    )
    clustered = counts.by("c")
    assert clustered.summed().tolist() == counts.summed().tolist()
    assert clustered.sizes.sum() == len(rows)
    for item, value in zip(clustered.items, clustered.values[0, :, 0].tolist(), strict=True):
        assert value == sum(v for v, label in rows if label == item)


def test_slices_keep_items_by_label(counts: Counts) -> None:
    assert counts.where(domain="news").items == ("m1", "m3")
    assert counts.where({"domain": "news"}).labels["n"] == ("1", "3")
    assert counts.where(domain=["news", "web"]) == counts
    assert counts.where(domain={"web"}).items == ("m2",)
    assert counts.where(n=3).items == ("m3",)
    assert counts.by("doc").where(domain="news").sizes.tolist() == [2]
    with pytest.raises(DataError, match=r"no message has domain = sport"):
        counts.where(domain="sport")
    with pytest.raises(UsageError, match="there are doc, domain, n"):
        counts.where(genre="news")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"A": [[1, 2]], "B": [[1]]},), r"the array of 'B' has the shape \(1, 1\), that of 'A'"),
        (({"A": [1, 2], "B": [1]},), r"'B' has the shape"),
        (({"A": [[1, 2], [1]]},), "different lengths"),
        (({"A": []},), "no items"),
        (({"A": [[[1]]]},), "3 axes"),
        (({},), "every system needs a name"),
        (({" ": [1]},), "every system needs a name"),
        (({"A": [[1, 2]]},), "2 columns; name them"),
        (({"A": [[1, 2]]}, ["tp"]), "1 columns are named, the arrays have 2"),
        (({"A": [[1, 2]]}, ["tp", "tp"]), "unique"),
        (({"A": [1, 2]}, None, ["u", "u"]), "'u' appears twice"),
        (({"A": [1, 2]}, None, ["u", ""]), "one is empty"),
        (({"A": [1, 2]}, None, ["u"]), "1 item ids for 2 rows"),
        (({"A": [1, 2]}, None, None, {"doc": ["d"]}), "label 'doc' has 1 values for 2 items"),
        (({"A": [1.0, math.nan]}, None, ["u", "v"]), "'A', item 'v', column 'score': nan"),
        (({"A": [1.0, -math.inf]},), "'A', item '2', column 'score': -inf"),
        (({"A": ["1", "1_0"]},), "'A', item '2', column 'score': 1_0 is not a finite number"),
        (({"A": [1, None]},), "None is not a finite number"),
        (({"A": ["1e999"]},), "is not a finite number"),
        (({"A": [[1, 2], [3, -4]]}, ["x", "y"]), "'A', item '2', column 'y': -4 is negative"),
        (({"A": [-0.5]}, ["tp"], None, None, "unit", "items"), "column 'tp': -0.5 is negative"),
    ],
)
def test_bad_arrays_are_refused_with_what_and_where(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        Counts.from_arrays(*arguments)


@given(st.lists(st.lists(st.integers(0, 1000), min_size=2, max_size=2), min_size=1, max_size=7))
def test_the_mean_of_runs_is_the_rational_mean(runs: list[list[int]]) -> None:
    counts = average_runs(
        {
            "A": [Counts.from_arrays({"A": run}) for run in runs],
            "B": [Counts.from_arrays({"B": runs[0]})] * 4,
        }
    )
    scale = counts.scales[0]
    means = [Fraction(sum(item), len(runs)) for item in zip(*runs, strict=True)]
    assert [Fraction(v, scale) for v in counts.column("score")[0].tolist()] == means
    assert [Fraction(v, scale) for v in counts.column("score")[1].tolist()] == runs[0]


IDS = (
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
    .map(str.strip)
    .filter(bool)
)
VALUES = st.one_of(
    st.integers(0, 10**6),
    st.decimals(0, 10**4, allow_nan=False, places=3),
    st.floats(0, 10**4).filter(lambda x: x == 0 or x > 1e-9),
)


@st.composite
def any_counts(draw: st.DrawFn) -> Counts:
    form = draw(st.sampled_from(["counts", "items"]))
    items = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    known = sorted(KNOWN_COLUMNS)
    names = st.sampled_from(known) if form == "counts" else IDS
    columns = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    labels = draw(
        st.dictionaries(
            st.sampled_from(["doc", "domain"]),
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3).map(str.strip),
                     min_size=len(items), max_size=len(items)).filter(any),
        )
    )  # fmt: skip
    kinds = [draw(st.sampled_from([st.integers(0, 99), VALUES])) for _ in columns]
    arrays = {name: [[draw(kind) for kind in kinds] for _ in items] for name in systems}
    return Counts.from_arrays(
        {name: np.array(rows, dtype=object) for name, rows in arrays.items()},
        columns, items, labels, draw(st.sampled_from(["unit", "message", "verse"])), form,
    )  # fmt: skip


@given(any_counts(), st.sampled_from([".csv", ".tsv"]))
def test_any_counts_survive_the_way_through_a_table(
    tmp_path_factory: pytest.TempPathFactory, counts: Counts, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    counts.to_table(path)
    columns = counts.columns if counts.form == "counts" else None
    again = read_tables([path], item=counts.kind, columns=columns, labels=tuple(counts.labels))
    assert again == counts  # labels are named, since one may look like a number


def test_runs_keep_their_texts() -> None:
    """Inputs and gold answers stay; the outputs of a system's runs stand below each other."""

    def run(name: str, answers: tuple[str, ...]) -> Counts:
        counts = Counts.from_arrays({name: [1, 0]}, items=["u", "v"])
        return replace(counts, texts=ItemTexts(("x?", "y?"), ("a", "b"), {name: answers}))

    counts = average_runs(
        {"A": [run("A1", ("a", "c")), run("A2", ("a", "d"))], "B": [run("B", ("", ""))]}
    )

    assert counts.texts is not None
    assert counts.texts.golds == ("a", "b")
    assert counts.texts.outputs == {"A": ("a\na", "c\nd"), "B": ("", "")}
