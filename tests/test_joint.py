"""Pairs adjusted under shared shuffles: maxT, minP, Tukey."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tellapart as ta
from tellapart import engine as path
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics.projection import Projection, project
from tellapart.resampling.workers import open_pool
from tellapart.significance import joint_corrections
from tellapart.significance.exact_tests import exact_test
from tellapart.significance.joint_corrections import joint_adjusted
from tellapart.significance.questions import Question

Floats = NDArray[np.float64]
CORRECTIONS = ("maxt", "maxt-single", "minp", "tukey")
KEYS = {
    "maxt": "maxT_step_down",
    "maxt-single": "maxT_single_step",
    "minp": "minP_step_down",
}


def all_pairs(projection: Projection, tail: str = "two") -> list[Question]:
    pairs = combinations(range(len(projection.counts.names)), 2)
    return [Question(projection.metrics[0], a, b, tail) for a, b in pairs]


def adjusted(
    projection: Projection,
    correction: str,
    *,
    questions: list[Question] | None = None,
    shuffles: int = 999,
    seed: int = 0,
    scale: bool = True,
    workers: int = 1,
) -> Floats:
    questions = all_pairs(projection) if questions is None else questions
    with open_pool(workers) as pool:
        return joint_adjusted(
            projection, questions, correction, shuffles, seed, pool, scale=scale
        ).p_values


def exact_ps(projection: Projection, questions: list[Question]) -> Floats:
    found = [exact_test(projection, question) for question in questions]
    return np.array([each.p for each in found if each is not None])


def known(folder: Path) -> tuple[Projection, list[dict[str, Any]]]:
    table = json.loads((folder / "significance/expected.json").read_text())["westfall_young_exact"]
    projection = project(Counts.from_arrays(table["scores"]))
    pairs = [list(pair) for pair in combinations(table["scores"], 2)]
    assert [row["pair"] for row in table["pairs"]] == pairs
    return projection, table["pairs"]


@pytest.mark.parametrize("correction", list(KEYS))
def test_known_fractions(reference_data: Path, correction: str) -> None:
    """Four systems on eight items, all 2^8 sequences of coins."""
    projection, rows = known(reference_data)

    found = adjusted(projection, correction, scale=False)

    assert [Fraction(p) for p in found] == [Fraction(row[KEYS[correction]]) for row in rows]


@pytest.mark.parametrize("correction", ["maxt", "maxt-single"])
def test_drawn_shuffles_come_near_known_fractions(
    reference_data: Path, correction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_corrections, "ENUMERATED_ITEMS", 0)
    projection, rows = known(reference_data)
    shuffles = 50_000

    found = adjusted(projection, correction, shuffles=shuffles, scale=False)

    expected = np.array([float(Fraction(row[KEYS[correction]])) for row in rows])
    sd = np.sqrt(expected * (1 - expected) / shuffles)
    assert (np.abs(found - expected) <= 4.5 * sd + 1 / shuffles).all()
    assert (found != expected).any()


def small_table(seed: int = 0, items: int = 6) -> Projection:
    """Make counts of three systems on a few items."""
    rows = np.random.default_rng(seed).integers(0, 5, (3, items, 3))
    counts = Counts.from_arrays(dict(zip("ABC", rows, strict=True)), ["tp", "fp", "fn"])
    return project(counts, ["f1"])


def all_differences(projection: Projection) -> list[list[Fraction]]:
    """Compute every pair's difference of F1 after each sequence of coins, in fractions."""
    values = projection.counts.values
    items = values.shape[1]

    def f1(rows: NDArray[np.int64]) -> Fraction:
        tp, fp, fn = (int(x) for x in rows.sum(axis=0))
        return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else Fraction(0)

    found = []
    for coins in product((False, True), repeat=items):
        heads = np.array(coins)[:, None]
        found.append(
            [
                f1(np.where(heads, values[b], values[a]))
                - f1(np.where(heads, values[a], values[b]))
                for a, b in combinations(range(len(values)), 2)
            ]
        )
    return found


def scaled_step_down(null: list[list[Fraction]], single: bool) -> list[float]:
    """Adjust by the definition, on squares over mean squares: no roots, no rounding."""
    pairs = range(len(null[0]))
    mean = [sum(row[j] ** 2 for row in null) for j in pairs]
    squares = [[row[j] ** 2 / mean[j] if mean[j] else Fraction(0) for j in pairs] for row in null]
    order = sorted(pairs, key=lambda j: -squares[0][j])
    adjusted_ps, running = [0.0] * len(order), 0.0
    for place, j in enumerate(order):
        rivals = order if single else order[place:]
        count = sum(max(row[k] for k in rivals) >= squares[0][j] for row in squares)
        running = count / len(null) if single else max(running, count / len(null))
        adjusted_ps[j] = running
    return adjusted_ps


@pytest.mark.parametrize("seed", range(4))
def test_scaled_max_t_is_that_of_the_definition(seed: int) -> None:
    """Each difference over its root mean square, all 2^6 sequences by fractions."""
    projection = small_table(seed)
    null = all_differences(projection)

    assert adjusted(projection, "maxt").tolist() == scaled_step_down(null, single=False)
    assert adjusted(projection, "maxt-single").tolist() == scaled_step_down(null, single=True)


@pytest.mark.parametrize("correction", ["maxt", "maxt-single", "minp"])
@pytest.mark.parametrize("scale", [True, False])
def test_drawn_shuffles_come_near_enumerated_ones(
    correction: str, scale: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Scores of many digits: with few possible values the p-values of different pairs tie, and
    # drawn shuffles break such ties of minP.
    scores = np.random.default_rng(2).integers(0, 10**6, (3, 12)) * np.array([[1], [2], [2]])
    projection = project(Counts.from_arrays(dict(zip("ABC", scores, strict=True))))
    shuffles = 40_000
    expected = adjusted(projection, correction, scale=scale)

    monkeypatch.setattr(joint_corrections, "ENUMERATED_ITEMS", 0)
    found = adjusted(projection, correction, shuffles=shuffles, scale=scale)

    sd = np.sqrt(expected * (1 - expected) / shuffles)
    # A pair's scale, and the ranks of minP, are estimated from the same shuffles.
    assert (np.abs(found - expected) <= 4.5 * sd + 0.003).all()


def many_items(items: int = 60) -> Projection:
    rng = np.random.default_rng(items)
    gold = rng.integers(0, 6, items)
    tables = {}
    for name, skill in zip("ABCD", (0.7, 0.65, 0.6, 0.45), strict=True):
        tp = rng.binomial(gold, skill)
        tables[name] = np.stack([tp, rng.integers(0, 3, items), gold - tp], axis=1)
    return project(Counts.from_arrays(tables, ["tp", "fp", "fn"]), ["f1"])


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_adjusted_p_do_not_depend_on_workers_or_engine(correction: str) -> None:
    projection = many_items()
    expected = adjusted(projection, correction, shuffles=5_000).tolist()

    assert adjusted(projection, correction, shuffles=5_000, workers=2).tolist() == expected
    for engine in path.available():
        with path.using(engine):
            assert adjusted(projection, correction, shuffles=5_000).tolist() == expected
    assert adjusted(projection, correction, shuffles=5_000, seed=1).tolist() != expected


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    correction=st.sampled_from(["maxt", "maxt-single", "minp"]),
    tail=st.sampled_from(["two", "greater", "less"]),
)
def test_adjusted_p_are_at_least_the_pairs_own(seed: int, correction: str, tail: str) -> None:
    """Enumerated: exactly so, and equal for a pair alone."""
    projection = small_table(seed, 7)
    questions = all_pairs(projection, tail)
    own = exact_ps(projection, questions)

    found = adjusted(projection, correction, questions=questions)

    assert (found >= own - 1e-12).all()
    assert (found <= 1).all()
    for question, p in zip(questions, own, strict=True):
        assert adjusted(projection, correction, questions=[question]) == pytest.approx([p])


def test_swapping_systems_changes_nothing() -> None:
    projection = many_items()
    swapped = [Question(q.bound, q.b, q.a, q.tail) for q in all_pairs(projection)]

    for correction in CORRECTIONS:
        expected = adjusted(projection, correction)
        assert np.array_equal(adjusted(projection, correction, questions=swapped), expected)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("items", [1, 5, 30])
def test_identical_systems_have_p_one(correction: str, items: int) -> None:
    rows = np.random.default_rng(items).integers(0, 9, items)
    projection = project(Counts.from_arrays({"A": rows, "B": rows, "C": rows}))

    assert adjusted(projection, correction).tolist() == [1, 1, 1]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_an_identical_pair_among_others_has_p_one(correction: str) -> None:
    a, c = np.random.default_rng(3).integers(0, 9, (2, 30))
    projection = project(Counts.from_arrays({"A": a, "B": a, "C": c}))

    assert adjusted(projection, correction)[0] == 1


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_nothing_but_zeros_has_p_one(correction: str) -> None:
    rows = np.zeros((4, 3), np.int64)
    projection = project(Counts.from_arrays({"A": rows, "B": rows}, ["tp", "fp", "fn"]), ["f1"])

    assert adjusted(projection, correction).tolist() == [1]


def close_systems(ones: int, items: int, changed: int) -> Projection:
    """Make two systems that differ on a few of very many items."""
    a = (np.arange(items) < ones).astype(np.int64)
    b = a.copy()
    b[:changed] = 0
    return project(Counts.from_arrays({"A": a, "B": b}))


@pytest.mark.parametrize(("ones", "items"), [(37_161, 59_449), (16_503, 58_922), (34_946, 50_359)])
def test_ties_count_though_systems_are_close(ones: int, items: int) -> None:
    """One item of fifty thousand differs: every exchange ties, whatever rounding says."""
    projection = close_systems(ones, items, 1)

    for correction in CORRECTIONS:
        assert adjusted(projection, correction, shuffles=19).tolist() == [1]


@pytest.mark.parametrize("correction", ["maxt", "maxt-single", "minp"])
@pytest.mark.parametrize("seed", [3, 4, 11])
def test_close_decimals_tie_exactly(correction: str, seed: int) -> None:
    """Means a millionth apart, of thousandths: one pair alone keeps its exact p."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 1000, 20_000) / 1000
    b = a.copy()
    a[:8], b[:8] = rng.integers(0, 4, 8) / 1000, rng.integers(0, 4, 8) / 1000
    projection = project(Counts.from_arrays({"A": a, "B": b}))

    assert adjusted(projection, correction).tolist() == (
        exact_ps(projection, all_pairs(projection)).tolist()
    )


def all_ranges(scores: NDArray[np.int64]) -> Floats:
    """Compute the range of the systems' sums after each permutation within each item."""
    orders = list(permutations(range(len(scores))))
    sums = np.zeros((1, len(scores)), np.int64)
    for item in scores.T:
        permuted = np.array([item[list(order)] for order in orders])
        sums = (sums[:, None, :] + permuted[None, :, :]).reshape(-1, len(scores))
    return np.asarray(sums.max(axis=1) - sums.min(axis=1), np.float64)


def test_tukey_comes_near_all_permutations() -> None:
    """Three systems, six items: 6^6 permutations."""
    scores = np.random.default_rng(6).integers(0, 5, (3, 6)) + np.array([[0], [1], [3]])
    projection = project(Counts.from_arrays(dict(zip("ABC", scores, strict=True))))
    shuffles, ranges = 20_000, all_ranges(scores)

    found = adjusted(projection, "tukey", shuffles=shuffles)

    for p, (a, b) in zip(found, combinations(range(3), 2), strict=True):
        exact = float((ranges >= abs(int(scores[a].sum() - scores[b].sum()))).mean())
        assert abs(p - exact) <= 4.5 * math.sqrt(exact * (1 - exact) / shuffles) + 1 / shuffles


def test_tukey_comes_near_a_plain_permutation_loop() -> None:
    projection, shuffles = many_items(30), 4_000
    rng, values = np.random.default_rng(0), projection.counts.values
    ranges = np.empty(shuffles)
    for k in range(shuffles):
        order = rng.permuted(np.tile(np.arange(4), (30, 1)), axis=1).T
        tp, fp, fn = np.take_along_axis(values, order[:, :, None], axis=0).sum(axis=1).T
        scores = 2 * tp / (2 * tp + fp + fn)
        ranges[k] = scores.max() - scores.min()

    found = adjusted(projection, "tukey", shuffles=shuffles)

    for p, question in zip(found, all_pairs(projection), strict=True):
        scores = [float(projection.score(question.bound, s)) for s in (question.a, question.b)]
        loop = float((ranges >= abs(scores[0] - scores[1]) - 1e-12).mean())
        assert abs(p - loop) <= 4.5 * math.sqrt(2 * loop * (1 - loop) / shuffles) + 1 / shuffles


def test_tukey_adjusts_each_metric_by_itself() -> None:
    counts = many_items().counts
    both = project(counts, ["recall", "precision"])
    questions = [Question(bound, 0, b, "two") for bound in both.metrics for b in (1, 2, 3)]

    found = adjusted(both, "tukey", questions=questions).tolist()

    alone = []
    for metric in ("recall", "precision"):
        projection = project(counts, [metric])
        asked = [Question(projection.metrics[0], 0, b, "two") for b in (1, 2, 3)]
        alone += adjusted(projection, "tukey", questions=asked).tolist()
    assert found == alone


def test_functions_of_sums_are_adjusted_as_ratios_are() -> None:
    counts = many_items().counts
    f1 = ta.Function(
        "f", ("tp", "fp", "fn"), lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2])
    )
    as_ratio, as_function = project(counts, ["f1"]), project(counts, [f1])

    for correction in CORRECTIONS:
        expected = adjusted(as_ratio, correction, shuffles=2_000)
        assert adjusted(as_function, correction, shuffles=2_000) == pytest.approx(expected)


def test_what_cannot_be_adjusted_is_refused() -> None:
    median = ta.ItemFunction("median", ("score",), lambda rows: float(np.median(rows)))
    rows = np.random.default_rng(0).integers(0, 9, (2, 30))
    counts = Counts.from_arrays(dict(zip("AB", rows, strict=True)))
    for correction in CORRECTIONS:
        with pytest.raises(UsageError, match="no function of sums"):
            adjusted(project(counts, [median]), correction)
    projection = project(counts)
    with pytest.raises(UsageError, match="two-sided"):
        adjusted(projection, "tukey", questions=all_pairs(projection, "greater"))
    with pytest.raises(UsageError, match="would not fit in memory"):
        adjusted(projection, "minp", shuffles=joint_corrections.MAX_MATRIX + 1)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_true_null_is_hardly_ever_rejected_for_any_pair(correction: str) -> None:
    """Of 300 families without a difference at most 5 % have a pair called different."""
    rng, families, rejected = np.random.default_rng(5), 300, 0
    for seed in range(families):
        scores = rng.integers(0, 10, 20) + rng.integers(0, 2, (4, 20))
        projection = project(
            Counts.from_arrays(dict(zip("ABCD", scores, strict=True)), ["s"], form="items")
        )
        rejected += bool(adjusted(projection, correction, shuffles=199, seed=seed).min() <= 0.05)

    assert rejected <= families * 0.05 + 4 * math.sqrt(families * 0.05 * 0.95)
