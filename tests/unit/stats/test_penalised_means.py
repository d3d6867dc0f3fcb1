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


@pytest.mark.parametrize("path", NATIVE)
def test_few_shuffles_are_in_doubt(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code decides all of a usual test set, so that NumPy is not asked."""
    tests = exchanges_of(bleu_counts(7, 1000, 40, 0.6))
    expected = counted(tests, "numpy")
    monkeypatch.setattr(FunctionTests, "_differences", lambda *_: pytest.fail("in doubt"))
    assert counted(tests, path) == expected


@pytest.mark.parametrize("path", NATIVE)
def test_systems_that_are_alike_always_reach_their_difference(path: str) -> None:
    values = bleu_counts(3, 50, 20, 0.5, systems=1)
    tests = exchanges_of(np.concatenate([values, values]))
    assert counted(tests, path) == [[2048] * 3, [700] * 3]


@pytest.mark.parametrize("path", NATIVE)
def test_next_to_no_output(path: str) -> None:
    """The penalty of a system that says one word in a hundred thousand is 0 to any digits."""
    values = bleu_counts(5, 40, 30, 0.9, systems=2)
    values[:, :, 1] *= 100_000
    values[:, :, 2:6] = np.maximum(values[:, :, 2:6], 1)
    values[:, :, 6:] = np.maximum(values[:, :, 6:], 1)
    tests = exchanges_of(values)
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


def test_runs_that_are_averaged_share_a_scale() -> None:
    """Sums of three runs are thirds."""
    runs = [bleu_counts(seed, 200, 30, 0.6, systems=2) for seed in range(3)]
    tests = exchanges_of(np.mean(runs, axis=0))
    expected = counted(tests, "numpy")
    assert counted(tests, engine.active()) == expected
