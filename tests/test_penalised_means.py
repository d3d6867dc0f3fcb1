"""BLEU under exchanges by native code: the same counts as NumPy's, whatever the texts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tellapart import engine
from tellapart.counts import Counts
from tellapart.metrics.projection import Projection, project
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.scoring import as_metric
from tellapart.significance import shuffle_tests
from tellapart.significance.questions import Question
from tellapart.significance.shuffle_tests import ShuffleJob, count_shards

SHARDS = [(0, 2048), (3, 700)]
TAILS = ("two", "greater", "less")


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


def projected(values: NDArray[np.int64], bleu: Bleu | None = None) -> Projection:
    metric = as_metric(bleu or Bleu())
    names = [chr(ord("A") + k) for k in range(len(values))]
    arrays = dict(zip(names, values, strict=True))
    return project(Counts.from_arrays(arrays, list(metric.columns)), [metric])


def job_of(projection: Projection, seed: int = 1) -> ShuffleJob:
    systems = len(projection.counts.names)
    questions = [
        Question(projection.metrics[0], a, b, tail)
        for a in range(systems)
        for b in range(a + 1, systems)
        for tail in TAILS
    ]
    return ShuffleJob.of(projection, questions, seed)


NATIVE = [path for path in engine.available() if path != "numpy"]


@pytest.mark.parametrize("path", NATIVE)
@pytest.mark.parametrize(
    ("items", "words", "share"), [(300, 40, 0.6), (60, 12, 0.5), (25, 4, 0.3), (9, 3, 0.2)]
)
def test_counts_are_those_of_numpy(path: str, items: int, words: int, share: float) -> None:
    """Also where sums fall to 0, which BLEU smooths, and where many exchanges are tied."""
    job = job_of(projected(bleu_counts(items, items, words, share)))
    with engine.using("numpy"):
        expected = count_shards(job, SHARDS)
    with engine.using(path):
        assert count_shards(job, SHARDS).tolist() == expected.tolist()


@pytest.mark.parametrize("path", NATIVE)
def test_few_shuffles_are_in_doubt(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code decides all of a usual test set, so that NumPy is not asked."""
    job = job_of(projected(bleu_counts(7, 1000, 40, 0.6)))
    with engine.using("numpy"):
        expected = count_shards(job, SHARDS)
    monkeypatch.setattr(shuffle_tests, "_count_some", lambda *_: pytest.fail("in doubt"))
    with engine.using(path):
        assert count_shards(job, SHARDS).tolist() == expected.tolist()


@pytest.mark.parametrize("path", NATIVE)
def test_systems_that_are_alike_always_reach_their_difference(path: str) -> None:
    values = bleu_counts(3, 50, 20, 0.5, systems=1)
    job = job_of(projected(np.concatenate([values, values])))
    with engine.using(path):
        assert count_shards(job, SHARDS).tolist() == [[2048] * 3, [700] * 3]


@pytest.mark.parametrize("path", NATIVE)
def test_next_to_no_output(path: str) -> None:
    """The penalty of a system that says one word in a hundred thousand is 0 to any digits."""
    values = bleu_counts(5, 40, 30, 0.9, systems=2)
    values[:, :, 1] *= 100_000
    values[:, :, 2:6] = np.maximum(values[:, :, 2:6], 1)
    values[:, :, 6:] = np.maximum(values[:, :, 6:], 1)
    job = job_of(projected(values))
    with engine.using("numpy"):
        expected = count_shards(job, SHARDS)
    with engine.using(path):
        assert count_shards(job, SHARDS).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "bleu", [Bleu(order=2), Bleu(smooth="add-k"), Bleu(smooth="floor"), Bleu(effective_order=True)]
)
def test_every_kind_of_bleu(bleu: Bleu) -> None:
    values = bleu_counts(11, 120, 20, 0.5)
    if bleu.order == 2:
        values = values[:, :, [0, 1, 2, 3, 6, 7]]
    job = job_of(projected(values, bleu))
    with engine.using("numpy"):
        expected = count_shards(job, SHARDS)
    assert count_shards(job, SHARDS).tolist() == expected.tolist()


def test_runs_that_are_averaged_share_a_scale() -> None:
    """Sums of three runs are thirds: ratios of them are what native code works with."""
    runs = [bleu_counts(seed, 200, 30, 0.6, systems=2) for seed in range(3)]
    metric = as_metric(Bleu())
    arrays = {name: np.mean([run[k] for run in runs], axis=0) for k, name in enumerate("AB")}
    projection = project(Counts.from_arrays(arrays, list(metric.columns)), [metric])
    job = job_of(projection)
    with engine.using("numpy"):
        expected = count_shards(job, SHARDS)
    assert count_shards(job, SHARDS).tolist() == expected.tolist()
