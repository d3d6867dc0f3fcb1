"""The reranker of Riezler and Maxwell (2005): its model, its features, and what it chooses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, sparse, special, stats

from studies.riezler.candidates import component_features, gather, phrase_features
from studies.riezler.loglinear import Choices, fit
from studies.riezler.reranking import distinct_columns
from studies.riezler.runs import differences_needed
from studies.riezler.translate.decoder import Candidate

Floats = NDArray[np.float64]


def made(weights: list[float], sentences: int, size: int) -> Choices:
    """Draw candidates, and the best of each sentence as often as known weights say."""
    generator = np.random.default_rng(0)
    features = generator.standard_normal((sentences * size, len(weights)))
    scores = (features @ weights).reshape(sentences, size)
    # The largest of score and Gumbel noise is a draw from the log-linear model.
    best = np.argmax(scores + generator.gumbel(size=scores.shape), axis=1)
    gold = np.eye(size)[best].ravel()
    return Choices(sparse.csc_array(features), np.arange(0, sentences * size, size), gold)


def test_smooth_problem_agrees_with_scipy() -> None:
    """Without a penalty, a loss written otherwise and another optimiser find the same weights."""
    choices = made([0.8, -0.4, 0.2], 300, 5)
    features = choices.features.toarray().reshape(300, 5, 3)
    gold = choices.best.reshape(300, 5)

    def loss(weights: Floats) -> float:
        scores = features @ weights
        return float((special.logsumexp(scores, axis=1) - (gold * scores).sum(axis=1)).sum())

    peer = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7})
    assert fit(choices, 0.0) == pytest.approx(peer.x, abs=1e-3)
    assert choices.loss(peer.x)[0] == pytest.approx(loss(peer.x))


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
