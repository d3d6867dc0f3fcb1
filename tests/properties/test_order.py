"""Neither the order of rows nor that of systems matters; one alone is never better."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart import stats
from tellapart.comparison.items import find_differences
from tellapart.comparison.plan import Question, from_pilot, make_plan
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted
from tellapart.stats.result import Ints, Test

SYSTEMS = ("new", "old", "other")
ASKED: dict[str, dict[str, Any]] = {
    "shuffles": {"test": "shuffle", "shuffles": 499},
    "bootstrap": {"test": "bootstrap", "shuffles": 199},
    "clusters": {"test": "shuffle", "shuffles": 199, "cluster": "passage", "by": "topic"},
    "joint": {"correction": "maxt"},
    "runs": {},
    "default": {},
}


def long_rows(runs: int) -> list[dict[str, Any]]:
    """Make the rows of a long table, with labels of the items and, if there are several, runs."""
    rng = random.Random(7)
    return [
        {
            "system": system,
            "item": f"q{k + 1}",
            **({"run": f"seed {run}"} if runs > 1 else {}),
            "passage": f"p{k % 5}",
            "topic": ("sea", "land")[k % 2],
            "score": round(rng.random() * (1.2 if system == "new" else 1.0), 3),
        }
        for run in range(runs)
        for system in SYSTEMS
        for k in range(12)
    ]


@pytest.mark.parametrize("asked", ASKED)
@settings(max_examples=4)
@given(data=st.data())
def test_rows_of_tables_in_any_order(asked: str, data: st.DataObject) -> None:
    """But for the systems, whose order is asked for."""
    rows = long_rows(3 if asked == "runs" else 1)
    expected = ta.compare(ta.read(rows), **ASKED[asked]).to_json()
    found = [rows[k] for k in data.draw(st.permutations(range(len(rows))))]
    found.sort(key=lambda row: SYSTEMS.index(row["system"]))
    assert ta.compare(ta.read(found), **ASKED[asked]).to_json() == expected


def test_plans_and_lists_of_shuffled_items() -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.integers(0, 2, 40) for name in ("A", "B")}
    counts = Counts.from_arrays(values, items=[f"q{k}" for k in range(40)])
    other = counts.keep(rng.permutation(40))
    assert other.items != counts.items
    for ask in (
        lambda given: make_plan(from_pilot(given, "mean"), Question()).to_json(),
        lambda given: [each.item.name for each in find_differences(given).items],
    ):
        assert ask(counts) == ask(other)


@given(st.lists(st.text("a0915_é\0 \n-", max_size=6), unique=True, max_size=12), st.randoms())
def test_natural_order_is_one_order_of_all_ids(ids: list[str], rng: random.Random) -> None:
    """Whatever the order in which ids come, and whichever way they are sorted."""
    expected = natural_sorted(ids)
    assert sorted(expected) == sorted(ids)
    again = list(ids)
    rng.shuffle(again)
    assert natural_sorted(again) == expected
    # The ways for plain numbers and for all else agree.
    beside = natural_sorted([*ids, "~"])
    assert [each for each in beside if each != "~"] == expected


# Every test of two systems


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
