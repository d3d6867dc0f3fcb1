"""Values on their grids, by way of `Counts.from_arrays`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.counts import Counts
from tellapart.counts.fixed_point import put_on_grid
from tellapart.errors import DataError

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
