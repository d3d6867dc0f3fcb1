"""Tests as a user asks for them: equal scores by default, whole outputs exchanged by name."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import studies  # noqa: F401 - it adds bootstrap-abs
import tellapart as ta
from tellapart.counts import Counts
from tellapart.metrics.text.scoring import text_counts

COLUMNS = ["tp", "fp", "fn"]
PRECISION = ta.Function("tp-share", ("tp", "fp"), lambda s: s[..., 0] / (s[..., 0] + s[..., 1]))

some_rows = st.lists(
    st.tuples(*[st.integers(0, 4)] * 6), min_size=2, max_size=9
)  # tp, fp, fn of either system


def two(rows: list[tuple[int, ...]]) -> Counts:
    both = np.array(rows)
    return Counts.from_arrays({"A": both[:, :3], "B": both[:, 3:]}, COLUMNS)


def unequal(items: int, seed: int = 0, rates: tuple[float, ...] = (1.0, 4.0)) -> Counts:
    """Return systems of equal precision that answer unequally often."""
    rng = np.random.default_rng(seed)
    values = {}
    for name, rate in zip("ABCDEF", rates, strict=False):
        given = rng.poisson(rate, items)
        right = rng.binomial(given, 0.7)
        values[name] = np.stack([right, given - right, rng.poisson(2, items)], axis=1)
    return Counts.from_arrays(values, COLUMNS)


def p_of(counts: Counts, metric: Any, **options: Any) -> float:
    return ta.compare(counts, metrics=[metric], intervals=False, **options).pairs[0].p


def by_hand(rows: list[tuple[int, ...]]) -> tuple[list[Fraction], Fraction] | None:
    """Return the terms of precision, as the formula says, and their sum: the difference."""
    n_a, d_a = [row[0] for row in rows], [row[0] + row[1] for row in rows]
    n_b, d_b = [row[3] for row in rows], [row[3] + row[4] for row in rows]
    if not sum(d_a) or not sum(d_b):
        return None
    pooled = Fraction(sum(n_a) + sum(n_b), sum(d_a) + sum(d_b))
    terms = [
        (na - pooled * da) / sum(d_a) - (nb - pooled * db) / sum(d_b)
        for na, da, nb, db in zip(n_a, d_a, n_b, d_b, strict=True)
    ]
    return terms, Fraction(sum(n_a), sum(d_a)) - Fraction(sum(n_b), sum(d_b))


@given(some_rows)
@settings(deadline=None, max_examples=40)
def test_p_is_the_share_of_all_signs_that_reach_the_difference(rows: list[tuple[int, ...]]) -> None:
    found = by_hand(rows)
    if found is None:
        return
    terms, difference = found
    assert sum(terms, Fraction(0)) == difference
    differing = sum(row[:2] != row[3:5] for row in rows)
    sums = [
        sum((sign * term for sign, term in zip(signs, terms, strict=True)), Fraction(0))
        for signs in itertools.product((1, -1), repeat=len(terms))
    ]
    for tail, reached in (
        ("two", [abs(each) >= abs(difference) for each in sums]),
        ("greater", [each >= difference for each in sums]),
        ("less", [each <= difference for each in sums]),
    ):
        least = 2.0 ** ((tail == "two") - differing) if differing else 1.0
        expected = max(sum(reached) / len(sums), least)
        assert p_of(two(rows), "precision", tail=tail) == pytest.approx(expected, abs=1e-15)


@given(some_rows, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=20)
def test_neither_the_order_of_items_nor_empty_ones_nor_the_order_of_systems_matters(
    rows: list[tuple[int, ...]], random: Any
) -> None:
    if by_hand(rows) is None:
        return
    moved, turned = list(rows), [row[3:] + row[:3] for row in rows]
    random.shuffle(moved)
    one, other, mirrored = (
        ta.compare(two(each), metrics=["precision", "f1", PRECISION], intervals=False).pairs
        for each in (rows, moved, turned)
    )
    padded = p_of(two([*rows, *[(0,) * 6] * 3]), "precision")
    assert padded == pytest.approx(one[0].p, rel=1e-9)
    for k, pair in enumerate(one):
        assert other[k].p == pytest.approx(pair.p, rel=1e-9)
        assert mirrored[k].p == pytest.approx(pair.p, rel=1e-9)
        assert mirrored[k].difference == pytest.approx(-pair.difference)


def test_equal_denominators_leave_the_exchange_test() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(1, 5, 40)
    found = {name: rng.binomial(gold, 0.6) for name in "AB"}
    rows = {k: np.stack([tp, rng.poisson(1, 40), gold - tp], axis=1) for k, tp in found.items()}
    counts = Counts.from_arrays(rows, COLUMNS)
    assert p_of(counts, "recall") == pytest.approx(p_of(counts, "recall", test="exact"), rel=1e-12)


def test_a_system_without_responses_has_no_verdict() -> None:
    counts = Counts.from_arrays(
        {"mute": [[0, 0, 3]] * 8, "loud": [[2, 1, 1]] * 8, "other": [[1, 1, 2]] * 8}, COLUMNS
    )
    result = ta.compare(counts, metrics=["precision"])
    pair = result.pair("mute", "loud")
    assert (pair.p, pair.p_adjusted, pair.different, pair.interval) == (None, None, False, None)
    shown = " ".join(str(result).split())
    assert "The test is undefined for loud - mute, precision; other - mute, precision" in shown
    assert result.pair("loud", "other").p is not None
    assert result.pair("loud", "other").interval is not None
    with pytest.raises(ta.UsageError, match="'precision' is undefined for a system: use corr"):
        ta.compare(counts, metrics=["precision"], correction="maxt")
    assert ta.compare(counts, metrics=["precision"], test="exact").pair("mute", "loud").p


# Texts


@pytest.mark.parametrize(("name", "peer"), [("bleu", "BLEU"), ("chrf", "CHRF"), ("ter", "TER")])
def test_exact_p_is_that_of_all_exchanges_scored_by_sacrebleu(name: str, peer: str) -> None:
    """All 2^7 exchanges of segments, each corpus scored anew by another program."""
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    rng = random.Random(8)
    reference = [" ".join(rng.choices("abcdefgh", k=8)) for _ in range(7)]
    a, b = ([line.replace(rng.choice("abc"), rng.choice("xyz"), 2) for line in reference]
            for _ in range(2))  # fmt: skip
    metric = getattr(sacrebleu, peer)()
    found = []
    for coins in product((False, True), repeat=7):
        sides = zip(*(pair[::-1] if coin else pair
                      for coin, pair in zip(coins, zip(a, b, strict=True), strict=True)),
                    strict=True)  # fmt: skip
        first, second = (metric.corpus_score(list(side), [reference]).score for side in sides)
        found.append(abs(first - second))
    wanted = sum(each >= found[0] - 1e-9 for each in found) / len(found)

    counts = text_counts({"A": a, "B": b}, [reference], [name])
    assert ta.compare(counts, metrics=[name], test="exact").pair("A", "B").p == pytest.approx(
        wanted
    )
