"""Metrics of lm-eval that are no means: what samples hold, the scores, the better side, and p."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from log_files import compared, document, samples_file
from table_files import Write
from tellapart.formats.logs.lm_eval_results import stored

Capture = pytest.CaptureFixture[str]
RANDOM = np.random.default_rng(7)


def _found(counts: ta.Counts) -> tuple[ta.Result, dict[str, dict[str, float]]]:
    result = ta.compare(counts, intervals=False)
    return result, {system.name: system.scores for system in result.systems}


def _likelihoods() -> list[list[float]]:
    return [[round(float(x), 3) for x in RANDOM.uniform(-6, -0.5, 11)] for _ in range(2)]


def _perplexity(a: Any, b: Any, lengths: Any) -> Any:
    """Return the difference of perplexities, for numbers along the last axis."""
    n = np.sum(lengths)
    return np.exp(-np.sum(a, axis=-1) / n) - np.exp(-np.sum(b, axis=-1) / n)


@pytest.mark.parametrize("metric", ["perplexity", "word_perplexity", "bits_per_byte"])
def test_p_is_that_of_all_exchanges(write: Write, capsys: Capture, metric: str) -> None:
    """The exact test of scipy, which enumerates the exchanges of documents."""
    write("unused", "")
    alder, birch = _likelihoods()
    words = [int(x) for x in RANDOM.integers(3, 9, 11)]
    lengths = [1] * 11 if metric == "perplexity" else words
    for name, likelihoods in (("alder", alder), ("birch", birch)):
        values: list[Any] = [
            {metric: x if metric == "perplexity" else [x, n]}
            for x, n in zip(likelihoods, words, strict=True)
        ]
        rows = [document(d, **value) for d, value in enumerate(values)]
        samples_file(name, "t", rows)
    record = compared(capsys, "alder", "birch", "--test", "exact", "--no-intervals")
    (pair,) = record["pairs"]

    def statistic(a: Any, b: Any, axis: int = -1) -> Any:
        assert axis == -1
        if metric == "bits_per_byte":
            return (b.sum(axis=-1) - a.sum(axis=-1)) / math.fsum(lengths) / math.log(2)
        return _perplexity(a, b, lengths)

    found = stats.permutation_test(
        (alder, birch), statistic, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    signed = pair["difference"] if pair["a"] == "alder" else -pair["difference"]
    assert signed == pytest.approx(found.statistic, rel=1e-9)
    assert pair["p"] == pytest.approx(found.pvalue, abs=1e-12)


def _mcc(pairs: Sequence[tuple[int, int]]) -> float:
    metrics = pytest.importorskip("sklearn.metrics")
    return float(metrics.matthews_corrcoef(*zip(*pairs, strict=True)))


def _f1(pairs: Sequence[tuple[int, int]]) -> float:
    metrics = pytest.importorskip("sklearn.metrics")
    return float(metrics.f1_score(*zip(*pairs, strict=True)))


@pytest.mark.parametrize(("metric", "classes", "peer"), [("mcc", 5, _mcc), ("f1", 2, _f1)])
def test_classes_are_scored_as_sklearn_does(
    write: Write, metric: str, classes: int, peer: Callable[[Sequence[tuple[int, int]]], float]
) -> None:
    """Also where one system never chose a class that the other one did."""
    write("unused", "")
    golds = RANDOM.integers(0, classes, 40)
    expected = {}
    for name, most in (("alder", classes), ("birch", max(2, classes - 2))):
        answers = np.where(RANDOM.random(40) < 0.6, golds % most, RANDOM.integers(0, most, 40))
        pairs = [(int(g), int(a)) for g, a in zip(golds, answers, strict=True)]
        rows = [{**document(d, x=0), "metrics": [metric], metric: p} for d, p in enumerate(pairs)]
        samples_file(name, "t", rows)
        expected[name] = peer(pairs)
    _, scores = _found(ta.read(["alder", "birch"]))
    for name, value in expected.items():
        assert scores[name][metric] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("references", [1, 2])
def test_texts_are_scored_as_sacrebleu_does(write: Write, metric: str, references: int) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    write("unused", "")
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw,", "far", "off,", "one", "dog"]
    texts = [[" ".join(RANDOM.permutation(words)[:8]) for _ in range(20)] for _ in range(4)]
    streams = texts[:references]
    peer = getattr(sacrebleu, f"corpus_{metric}")
    for name, outputs in (("alder", texts[2]), ("birch", texts[3])):
        rows = []
        for d, output in enumerate(outputs):
            own = [stream[d] for stream in streams]
            values: Any = {metric: [own if references > 1 else own[0], output]}
            rows.append(document(d, acc=1, **values))
        samples_file(name, "t", rows)
    result, scores = _found(ta.read(["alder", "birch"], metrics=metric))
    for name, outputs in (("alder", texts[2]), ("birch", texts[3])):
        found = scores[name][metric]
        assert found == pytest.approx(peer(outputs, streams).score, rel=1e-9)
    assert result.metrics[metric].higher_is_better == (metric != "ter")


def test_the_results_say_how_a_metric_is_summed_up(write: Write) -> None:
    """An `f1` that the task averages is a plain value."""
    write("unused", "")
    samples_file("alder", "t", [document(d, f1=0.25 * d) for d in range(3)])
    config = {"metric_list": [{"metric": "f1", "aggregation": "mean"}]}
    stated = Path("alder/results_2026-11-01T10-00-00.000001.json")
    for number, told in ((3, False), (4, True)):
        sizes = {"t": {"effective": number}}
        tree = {"results": {}, "configs": {"t": config}, "n-samples": sizes}
        stated.write_text(json.dumps(tree))
        counts = ta.read("alder")
        assert counts.columns == ("f1",)
        texts = [each.text for each in counts.notices if each.code == "not-understood"]
        finding = "says 4 documents, and 3 are here; those here were taken."
        assert [text.endswith(finding) for text in texts] == [True] * told


@pytest.mark.parametrize(
    ("raw", "aggregation"),
    [(2.5, "perplexity"), ([-3.0, 0], "weighted_perplexity"), ([-3.0], "bits_per_byte"),
     ([2, 1], "f1"), ([1, {}], "matthews_corrcoef"), (["a", 3], "bleu"), ([7, "[0.5 0.5]"],
     "brier_score"), ([0, "[0.5 x]"], "brier_score"), ([1, 2], "mean")],
)  # fmt: skip
def test_what_an_aggregation_makes_nothing_of(raw: Any, aggregation: str) -> None:
    found = stored(raw, aggregation)
    assert found is None
