"""Counts: how they are chosen, clustered and saved, and the grids of their values."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_files import read_tables
from tellapart.counts import KNOWN_COLUMNS, Counts, ItemTexts
from tellapart.counts.fixed_point import put_on_grid
from tellapart.errors import DataError, UsageError
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
        (
            ({"A": [[1, 2]], "B": [[1]] * 2},),
            "'B' has 2 items, 'A' has 1: they are paired by their",
        ),
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
        (({"A": ["1", "1_0"]},), "'A', item '2', column 'score': '1_0' is not a finite number"),
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


# Values on their grids, by way of Counts.from_arrays


LIMIT = 2**51


def test_decimals_are_what_they_say() -> None:
    """0.1 is one tenth, whether it comes as text, Decimal or float of any length."""
    texts = ["0.1", "0.25", "3", "-2e-3"]
    given_as: list[Any] = [
        texts,
        [Decimal(text) for text in texts],
        [float(text) for text in texts],
        np.array(texts, dtype=np.float32),
    ]
    for values in given_as:
        counts = Counts.from_arrays({"A": values})
        assert (counts.scales, counts.exact) == ((1000,), (True,))
        assert counts.values.ravel().tolist() == [100, 250, 3000, -2]


def test_tiny_values_are_exact_or_refused() -> None:
    assert Counts.from_arrays({"A": [1e-9, 2e-9]}).values.ravel().tolist() == [1, 2]
    assert Counts.from_arrays({"A": [1e-15, 1]}).values.ravel().tolist() == [1, 10**15]
    for tiny in ([1e-15, 2e-15], [1e-300, 2e-300], [1e-10 / 3, 0.0]):
        with pytest.raises(DataError, match=r"below 1e-9; multiply"):
            Counts.from_arrays({"A": tiny})


@pytest.mark.parametrize(
    "values", [[2**50, 2**50], [2**62, 2**62], [1e300], [10**30], np.array([2**63], np.uint64)]
)
def test_sums_beyond_the_limit_are_refused(values: Any) -> None:
    with pytest.raises(DataError, match="'score': the sum of the values is too large"):
        Counts.from_arrays({"A": values})
    assert Counts.from_arrays({"A": [2**50, 2**50 - 1]}).summed()[0, 0] == LIMIT - 1


@given(st.lists(st.decimals(-(10**6), 10**6, allow_nan=False, places=5), min_size=1, max_size=20))
def test_short_decimals_are_exact(values: list[Decimal]) -> None:
    """The grid of decimals gives back their exact values, also when they came as floats."""
    for given_values in (values, [float(v) for v in values], [str(v) for v in values]):
        counts = Counts.from_arrays({"A": given_values})
        assert counts.exact == (True,)
        found = [Fraction(v, counts.scales[0]) for v in counts.values.ravel().tolist()]
        assert found == [Fraction(v) for v in values]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20))
def test_floats_are_on_the_grid_that_the_rule_says(values: list[float]) -> None:
    """An independent rendering of the rule, in rational arithmetic on the shortest decimals."""
    texts = [Decimal(repr(value)) for value in values]
    places = max(0, *(-int(text.normalize().as_tuple().exponent) for text in texts))
    total = sum(abs(Fraction(text)) for text in texts)
    largest = max(map(abs, values))
    try:
        counts = Counts.from_arrays({"A": values})
    except DataError:
        assert 0 < largest < 1e-9
        return
    found = counts.values.ravel().tolist()
    assert sum(map(abs, found)) < LIMIT
    if places <= 18 and total * 10**places < LIMIT:
        assert counts.exact == (True,)
        assert [Fraction(v, counts.scales[0]) for v in found] == [Fraction(t) for t in texts]
    else:
        assert counts.exact == (False,)
        scale = counts.scales[0]
        assert scale & (scale - 1) == 0
        assert found == [round(Fraction(v) * scale) for v in values]
        finer = sum(abs(round(Fraction(v) * scale * 2)) for v in values)
        assert scale == 2**62 or finer >= LIMIT


@pytest.mark.parametrize("n", [10, 40])
def test_small_differences_of_large_values_are_refused_not_rounded(n: int) -> None:
    rng = np.random.default_rng(0)
    rows = [1e12 + rng.normal(size=n) for _ in range(2)]
    with pytest.raises(DataError, match="subtract the same number"):
        put_on_grid(rows, "score")
    shifted = put_on_grid([row - 1e12 for row in rows], "score")  # the remedy is one
    exact = (rows[0] - 1e12).sum() - (rows[1] - 1e12).sum()
    found = (shifted.values[0].sum() - shifted.values[1].sum()) / shifted.scale
    assert found == pytest.approx(exact, abs=1e-9)
