"""What stands beside a p-value: dependence, influence, clusters, undefined scores, power."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart.counts import Counts
from tellapart.metrics.projection import Projection, project
from tellapart.significance import diagnostics
from tellapart.significance.diagnostics import (
    Diagnostics,
    Influence,
    ItemAnalysis,
    discordant,
    undefined_chance,
)


def scores_of(a: Any, b: Any) -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}))


def counts_of(a: Any, b: Any, metric: str = "precision") -> Projection:
    return project(Counts.from_arrays({"A": a, "B": b}, ["tp", "fp", "fn"]), [metric])


def diagnosed(projection: Projection) -> Diagnostics:
    bound = projection.metrics[0]
    d = float(projection.score(bound, 0) - projection.score(bound, 1))
    return ItemAnalysis.of(projection, bound).diagnose(0, 1, d)


def items_won(projection: Projection) -> tuple[int, ...]:
    """Return on how many items two systems differ, and how many the first wins, loses and ties."""
    bound, pair = projection.metrics[0], (np.array([0]), np.array([1]))
    view = ItemAnalysis.of_scores(projection, bound)
    return tuple(int(n[0]) for n in (discordant(projection, bound, *pair), *view.outcomes(*pair)))


def yeh(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "significance/expected.json").read_text())
    return found["yeh2000"]  # type: ignore[no-any-return]


def hits(inputs: dict[str, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lay out which of the key's items each of two methods found."""
    both, only_1, only_2 = (inputs[f"correct_{k}"] for k in ("both", "only_I", "only_II"))
    neither = inputs["possible"] - both - only_1 - only_2
    first = np.repeat([1, 1, 0, 0], [both, only_1, only_2, neither])
    return first, np.repeat([1, 0, 1, 0], [both, only_1, only_2, neither])


def test_correlation_in_the_example_of_yeh(reference_data: Path) -> None:
    """The same from hits as scores and from counts whose recall they are."""
    expected = yeh(reference_data)
    a, b = hits(expected["inputs"])
    rows = [np.stack([x, np.zeros_like(x), 1 - x], axis=1) for x in (a, b)]
    s1, s2 = np.std(a), np.std(b)
    apart = math.sqrt(s1**2 + s2**2 - 2 * expected["r12"] * s1 * s2)

    for projection in (scores_of(a, b), counts_of(rows[0], rows[1], "recall")):
        found = diagnosed(projection)
        assert found.r12 == pytest.approx(expected["r12"], rel=1e-9)
        assert found.inflation == pytest.approx(math.sqrt(s1**2 + s2**2) / apart, rel=1e-9)
        assert items_won(projection) == (34, 28, 6, 69)


def test_inflation_of_equal_spreads(reference_data: Path) -> None:
    """One over the root of 1 - r12: two systems of four items, with any correlation."""
    for row in yeh(reference_data)["independence_inflation"]:
        x, y = np.array([1.0, -1, 0, 0]), np.array([0.0, 0, 1, -1])
        a, r = x, row["r12"]
        b = np.round(r * x + math.sqrt(1 - r * r) * y, 14)
        found = diagnosed(scores_of(a, b))

        assert found.r12 == pytest.approx(r)
        assert found.inflation == pytest.approx(row["sd_ind_over_sd"])


def test_correlation_is_that_of_the_scores() -> None:
    a, b = np.random.default_rng(0).integers(-5, 9, (2, 40))

    assert diagnosed(scores_of(a, b)).r12 == pytest.approx(np.corrcoef(a, b)[0, 1])


def test_a_constant_system_has_no_correlation() -> None:
    found = diagnosed(scores_of([1, 1, 1, 1], [0, 1, 1, 0]))

    assert (found.r12, found.inflation) == (None, None)


def test_identical_systems_go_together_entirely() -> None:
    projection = scores_of([1, 0, 1, 3], [1, 0, 1, 3])
    found = diagnosed(projection)

    assert found.r12 == 1
    assert found.inflation is None
    assert found.half_items is None
    assert items_won(projection) == (0, 0, 0, 4)


def test_the_item_that_moves_the_difference_most() -> None:
    """Differences 10, 1, 1, 0, 0: without the first, the mean falls from 2.4 to 0.5."""
    found = diagnosed(scores_of([10, 1, 1, 0, 0], [0] * 5))

    assert found.influence == Influence("1", 0.5)
    assert found.half_items == 1


def test_the_most_influential_item_may_speak_against_the_difference() -> None:
    """Differences 3, 3, 3, 3, -6: without the last, the mean rises from 1.2 to 3."""
    found = diagnosed(scores_of([3, 3, 3, 3, 0], [0, 0, 0, 0, 6]))

    assert found.influence == Influence("5", 3.0)


def test_influence_on_a_ratio() -> None:
    """Precision 9/10 against 5/10; without the first item 1 against nothing, which is 0."""
    projection = counts_of([[1, 1, 0], [8, 0, 0]], [[5, 5, 0], [0, 0, 8]])

    assert diagnosed(projection).influence == Influence("1", 1.0)
    assert items_won(projection) == (2, 1, 0, 1)


@pytest.mark.parametrize("sign", [1, -1])
def test_how_many_items_make_up_half_of_the_difference(sign: int) -> None:
    """Three items of twelve have all of it, a third each."""
    apart = sign * np.array([4, 4, 4] + [0] * 9)

    assert diagnosed(scores_of(apart, np.zeros(12, int))).half_items == 2


@pytest.mark.parametrize("score", [0.01, 1, 5.56, 92.51, 1234.56])
def test_half_of_the_items_make_up_half_of_an_even_difference(score: float) -> None:
    """On any scale, whatever rounding does to the sum."""
    assert diagnosed(scores_of([score] * 8, [0] * 8)).half_items == 4


def test_no_items_make_up_half_of_no_difference() -> None:
    assert diagnosed(scores_of([1, 0], [0, 1])).half_items is None


def test_outcomes_follow_the_direction_of_the_metric() -> None:
    a, b = [[3, 0, 1], [2, 0, 2], [1, 0, 3]], [[1, 0, 3], [2, 0, 2], [0, 0, 4]]

    for metric in ("recall", "undergeneration"):
        assert items_won(counts_of(a, b, metric)) == (2, 2, 0, 1)


def test_outcomes_of_items_are_exact() -> None:
    """1/3 and 10/30 tie; an item without output scores what the metric declares."""
    a, b = [[1, 2, 0], [0, 0, 0], [2, 1, 0]], [[10, 20, 0], [0, 3, 0], [0, 0, 0]]

    assert items_won(counts_of(a, b)) == (3, 1, 0, 2)


def test_one_item_says_little() -> None:
    projection = scores_of([1], [0])

    assert diagnosed(projection) == Diagnostics(None, None, None, None)
    assert items_won(projection) == (1, 1, 0, 0)


def test_metrics_of_rows_have_fewer_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a number of items they are not scored again without each of them."""
    median = ta.ItemFunction("median", ("score",), lambda rows: float(np.median(rows)))
    projection = project(Counts.from_arrays({"A": [1, 2, 7], "B": [1, 1, 2]}), [median])

    found = diagnosed(projection)
    assert found.influence == Influence("1", 3.0)  # medians 4.5 and 1.5, instead of 2 and 1
    assert items_won(projection) == (2, 0, 0, 1)

    monkeypatch.setattr(diagnostics, "SLOW_ITEMS", 2)
    assert diagnosed(projection).influence is None


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([0, 0, 1]), st.sampled_from([0, 0, 2])), min_size=1, max_size=8
    )
)
def test_the_chance_of_an_undefined_score_is_that_of_enumeration(
    rows: list[tuple[int, int]],
) -> None:
    """Either system may be left without any output."""
    a, b = ([[0, row[system], 1] for row in rows] for system in (0, 1))
    undefined = 0
    for coins in product((0, 1), repeat=len(rows)):
        sums = [
            sum(row[(system + coin) % 2] for row, coin in zip(rows, coins, strict=True))
            for system in (0, 1)
        ]
        undefined += 0 in sums

    projection = counts_of(a, b)

    assert undefined_chance(projection, projection.metrics[0], 0, 1) == (undefined / 2 ** len(rows))


def test_the_chance_of_an_undefined_score_with_many_items() -> None:
    """A positive number however many items there are; zero if one item rules it out."""
    rows, none = [[1, 1, 0]] * 3000, [[0, 0, 1]] * 3000
    projection = counts_of(rows, none)
    assert 0 < undefined_chance(projection, projection.metrics[0], 0, 1) < 1e-300
    projection = counts_of([*rows, [1, 0, 0]], [*none, [1, 0, 0]])
    assert undefined_chance(projection, projection.metrics[0], 0, 1) == 0
    mean = scores_of([0, 0], [0, 0])
    assert undefined_chance(mean, mean.metrics[0], 0, 1) == 0
