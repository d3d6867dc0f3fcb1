"""BLEU under exchanges by native code: the same counts as NumPy's, whatever the texts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from tellapart import engine
from tellapart.counts import Counts
from tellapart.metrics.scores import FunctionScores, score_counts
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.scoring import as_metric
from tellapart.stats.exchange import FunctionTests

SHARDS = [(0, 2048), (3, 700)]
SIGNS = (0, 1, -1)


def bleu_counts(
    seed: int, items: int, words: int, share: float, systems: int = 3
) -> NDArray[np.int64]:
    """Return columns of BLEU: systems × items × columns."""
    rng = np.random.default_rng(seed)
    reference = rng.integers(1, words + 1, items)
    rows = []
    for _ in range(systems):
        length = rng.binomial(2 * reference, 0.45)
        totals = np.maximum(length[:, None] - np.arange(4), 0)
        matches = [rng.binomial(totals[:, 0], share)]
        for n in range(1, 4):
            matches.append(rng.binomial(np.minimum(matches[-1], totals[:, n]), share))
        rows.append(np.column_stack([length, reference, *matches, totals]))
    return np.stack(rows)


def exchanges_of(
    values: NDArray[np.float64] | NDArray[np.int64], bleu: Bleu | None = None
) -> FunctionTests:
    """Return the tests of all pairs of systems, two-sided and one-sided."""
    metric = as_metric(bleu or Bleu())
    arrays = {chr(ord("A") + k): rows for k, rows in enumerate(values)}
    scores = score_counts(Counts.from_arrays(arrays, list(metric.columns)), metric)
    assert isinstance(scores, FunctionScores)

    asked = [(a, b, sign) for a, b in combinations(range(len(values)), 2) for sign in SIGNS]
    return FunctionTests.of(
        scores.columns,
        [(a, b) for a, b, _ in asked],
        scores.metric.scores,
        [sign for _, _, sign in asked],
        scores.scale,
        scores.is_penalised_mean,
    )


def counted(tests: FunctionTests, path: str) -> list[list[int]]:
    with engine.using(path):
        found: list[list[int]] = tests.count(1, SHARDS).tolist()
        return found


NATIVE = [path for path in engine.available() if path != "numpy"]


@pytest.mark.parametrize("path", NATIVE)
@pytest.mark.parametrize(
    ("items", "words", "share"), [(300, 40, 0.6), (60, 12, 0.5), (25, 4, 0.3), (9, 3, 0.2)]
)
def test_counts_are_those_of_numpy(path: str, items: int, words: int, share: float) -> None:
    """Also where sums fall to 0, which BLEU smooths, and where many exchanges are tied."""
    tests = exchanges_of(bleu_counts(items, items, words, share))
    expected = counted(tests, "numpy")
    assert counted(tests, path) == expected


@pytest.mark.parametrize(
    "bleu", [Bleu(order=2), Bleu(smooth="add-k"), Bleu(smooth="floor"), Bleu(effective_order=True)]
)
def test_every_kind_of_bleu(bleu: Bleu) -> None:
    values = bleu_counts(11, 120, 20, 0.5)
    if bleu.order == 2:
        values = values[:, :, [0, 1, 2, 3, 6, 7]]
    tests = exchanges_of(values, bleu)
    expected = counted(tests, "numpy")
    assert counted(tests, engine.active()) == expected
