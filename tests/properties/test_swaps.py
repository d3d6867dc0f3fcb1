"""Every test of two systems: swapped they keep p, one alone is never better, p is never 0."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart import stats
from tellapart.stats.result import Ints, Test

OPPOSITE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def as_it_is(scores: Ints) -> Any:
    return scores


def real(scores: Ints) -> Any:
    return scores / 7


def ratios(scores: Ints) -> Any:
    """Return what was right of what was tried, which differs from system to system."""
    return np.stack([scores, 5 + scores % 4], axis=1)


def repeated(scores: Ints) -> Any:
    return np.repeat(scores, 5)


def runs(scores: Ints) -> Any:
    return np.stack([scores, np.roll(scores, 1), scores])


COUNTED: dict[str, tuple[Callable[..., Test], Callable[[Ints], Any]]] = {
    "signs of whole numbers": (stats.sign_flip, as_it_is),
    "signs of real numbers": (stats.sign_flip, real),
    "t": (stats.paired_t, as_it_is),
    "sign": (stats.sign_test, as_it_is),
    "ranks": (stats.wilcoxon, as_it_is),
    "splits": (stats.unpaired, as_it_is),
    "exchanges": (partial(stats.exchange, exact=True), ratios),
}
DRAWN: dict[str, tuple[Callable[..., Test], Callable[[Ints], Any]]] = {
    "drawn splits": (partial(stats.unpaired, n_resamples=99), repeated),
    "drawn exchanges": (partial(stats.exchange, exact=False, n_resamples=99), ratios),
    "resamples": (partial(stats.bootstrap, n_resamples=99), ratios),
    "runs": (stats.runs_test, runs),
}


def systems(seed: int) -> tuple[Ints, Ints]:
    """Return the scores of two systems on a few items."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, (2, int(rng.integers(3, 10))))
    return a, b


@pytest.mark.parametrize("name", [*COUNTED, *DRAWN])
@given(st.integers(0, 10_000), st.sampled_from(sorted(OPPOSITE)))
def test_swapped_systems_keep_p(name: str, seed: int, alternative: str) -> None:
    test, made = (COUNTED | DRAWN)[name]
    a, b = map(made, systems(seed))
    p = test(a, b, alternative=alternative).p
    assert test(b, a, alternative=OPPOSITE[alternative]).p == p
    assert p is None or 0 < p <= 1
    assert test(a, a).p == 1.0


@given(st.integers(0, 10_000), st.sampled_from(sorted(OPPOSITE)))
def test_swapped_systems_of_unlike_numbers_of_items_keep_p(seed: int, alternative: str) -> None:
    a, b = map(repeated, systems(seed))
    p = stats.unpaired(a[8:], b, alternative=alternative, n_resamples=99).p
    other = OPPOSITE[alternative]
    assert stats.unpaired(b, a[8:], alternative=other, n_resamples=99).p == p


@pytest.mark.parametrize("name", COUNTED)
@given(st.integers(0, 10_000), st.sampled_from(sorted(OPPOSITE)))
def test_the_order_of_items_does_not_matter(name: str, seed: int, alternative: str) -> None:
    (test, made), (a, b) = COUNTED[name], systems(seed)
    order = np.random.default_rng(seed).permutation(len(a))
    expected = test(made(a), made(b), alternative=alternative).p
    found = test(made(a[order]), made(b[order]), alternative=alternative).p
    assert found == (expected and pytest.approx(expected, rel=1e-12))
