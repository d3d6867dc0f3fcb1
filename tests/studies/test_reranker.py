"""The reranker of Riezler and Maxwell (2005): its model, its features, and what it chooses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, sparse, special, stats

from studies.riezler import parametric
from studies.riezler.candidates import component_features, gather, phrase_features
from studies.riezler.loglinear import Choices, fit
from studies.riezler.null_pairs import RANDOMIZATION
from studies.riezler.parametric import LEVEL, T, simulate
from studies.riezler.reranking import distinct_columns
from studies.riezler.runs import differences_needed
from studies.riezler.translate.decoder import Candidate

Floats = NDArray[np.float64]


def made(
    weights: list[float], sentences: int, seed: int = 0, size: int = 5, useless: int = 0
) -> Choices:
    """Draw candidates, and the best of each sentence as often as known weights say."""
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((sentences * size, len(weights) + useless))
    scores = (features[:, : len(weights)] @ weights).reshape(sentences, size)
    # The largest of score and Gumbel noise is a draw from the log-linear model.
    best = np.argmax(scores + generator.gumbel(size=scores.shape), axis=1)
    gold = np.zeros((sentences, size))
    gold[np.arange(sentences), best] = 1.0
    starts = np.arange(0, sentences * size, size)
    return Choices(sparse.csc_array(features), starts, gold.ravel())


def test_smooth_problem_agrees_with_scipy() -> None:
    """Without a penalty, a loss written otherwise and another optimiser find the same weights."""
    choices = made([0.8, -0.4, 0.2], sentences=300)
    features = choices.features.toarray().reshape(300, 5, 3)
    gold = choices.best.reshape(300, 5)

    def loss(weights: Floats) -> float:
        scores = features @ weights
        return float((special.logsumexp(scores, axis=1) - (gold * scores).sum(axis=1)).sum())

    peer = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7})
    assert fit(choices, 0.0) == pytest.approx(peer.x, abs=1e-3)
    assert choices.loss(peer.x)[0] == pytest.approx(loss(peer.x))


@given(st.integers(0, 10_000))
def test_order_and_shifts_change_nothing(seed: int) -> None:
    """Candidates in another order, or features shifted for a whole sentence, give the same loss."""
    choices = made([0.5, -0.5], sentences=6, seed=seed, size=4)
    generator = np.random.default_rng(seed)
    weights = generator.standard_normal(2)
    features = choices.features.toarray()
    order = np.concatenate([4 * s + generator.permutation(4) for s in range(6)])
    mixed = Choices(sparse.csc_array(features[order]), choices.starts, choices.best[order])
    shifts = np.repeat(generator.standard_normal((6, 2)), 4, axis=0)
    shifted = Choices(sparse.csc_array(features + shifts), choices.starts, choices.best)
    for other in (mixed, shifted):
        assert other.loss(weights)[0] == pytest.approx(choices.loss(weights)[0])
        assert other.loss(weights)[1] == pytest.approx(choices.loss(weights)[1])


def listed(*texts: str) -> list[Candidate]:
    """Return a list of candidates whose features are their lengths and ranks."""
    return [Candidate(tuple(text.split()), (float(len(text.split())), float(rank)), 0.0)
            for rank, text in enumerate(texts)]  # fmt: skip


def test_features_of_candidates() -> None:
    """By hand: features have mean 0 in a sentence, and in training a spread of 1."""
    lists = [listed("a b c", "a b d", "a b c"), listed("x y", "y x z")]
    found = gather(lists)
    assert found.words == [("a", "b", "c"), ("a", "b", "d"), ("x", "y"), ("y", "x", "z")]
    table = component_features(found, lists, np.array([True, False])).toarray()
    # Lengths do not vary in training; ranks 0 and 1 are half a step from their mean.
    assert table[:, 0].tolist() == [0.0, 0.0, -0.5, 0.5]
    assert table[:, 1].tolist() == [-1.0, 1.0, -1.0, 1.0]
    known, phrases = phrase_features(gather([listed("a b c", "a b d")] * 3), np.ones(3, np.bool_))
    # What both say, (a b), tells nothing; rarer phrases than in three sentences are left out.
    assert known == [("a", "b", "c"), ("a", "b", "d"), ("b", "c"), ("b", "d")]
    assert phrases.toarray()[:2].tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert distinct_columns(phrases).tolist() == [0, 1]


def test_t_test_of_the_simulation_is_scipys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets on which t finds a difference are those of scipy; levels and powers are shares."""
    generator = np.random.default_rng(0)
    differences = generator.standard_normal((50, parametric.ITEMS)) + 0.5
    found = parametric._found(differences, 0)
    whole = np.rint(1_000 * differences)
    expected = stats.ttest_1samp(whole, 0, axis=1).pvalue <= LEVEL
    assert found[T].tolist() == expected.tolist()
    monkeypatch.setattr(parametric, "SETS", 200)
    normal, tails, _ = simulate(0)
    error = math.sqrt(0.25 / 200)
    # Power of t by its noncentral distribution; randomization has the same.
    d = normal.world.effect * math.sqrt(parametric.ITEMS)
    reach = stats.t.isf(LEVEL / 2, parametric.ITEMS - 1)
    power = stats.nct.sf(reach, parametric.ITEMS - 1, d)
    assert abs(normal.power[T] - power) < 4 * error
    assert abs(normal.gain) <= 0.03
    assert tails.gain == pytest.approx(tails.power[RANDOMIZATION] - tails.power[T])


def test_differences_needed_by_scipy() -> None:
    """Tukey's by the studentized range, Scheffé's by the F distribution with many items."""
    for systems in (2, 3, 10, 15):
        found = differences_needed(systems)
        reach = stats.studentized_range.ppf(0.95, systems, 1e6) / math.sqrt(2)
        assert found.tukey == pytest.approx(reach, abs=2e-3)
        scheffe = math.sqrt((systems - 1) * stats.f.isf(0.05, systems - 1, 1e9))
        assert found.scheffe == pytest.approx(scheffe, abs=2e-3)
        sidak = stats.norm.isf((1 - 0.95 ** (1 / math.comb(systems, 2))) / 2)
        assert found.sidak == pytest.approx(sidak, abs=2e-3)
