"""Metrics of lm-eval that are no means: what samples hold, the scores, the better side, and p."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from log_files import compared, document, samples_file
from table_files import Write

Capture = pytest.CaptureFixture[str]
RANDOM = np.random.default_rng(7)


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


def test_the_results_say_how_a_metric_is_summed_up(write: Write) -> None:
    """A `perplexity` that the task averages is a plain value."""
    write("unused", "")
    samples_file("alder", "t", [document(d, perplexity=0.25 * d) for d in range(3)])
    config = {"metric_list": [{"metric": "perplexity", "aggregation": "mean"}]}
    stated = Path("alder/results_2026-11-01T10-00-00.000001.json")
    for number, told in ((3, False), (4, True)):
        sizes = {"t": {"effective": number}}
        tree = {"results": {}, "configs": {"t": config}, "n-samples": sizes}
        stated.write_text(json.dumps(tree))
        counts = ta.read("alder")
        assert counts.columns == ("perplexity",)
        texts = [each.text for each in counts.notices if each.code == "not-understood"]
        finding = "says 4 documents, and 3 are here; those here were taken."
        assert [text.endswith(finding) for text in texts] == [True] * told


def test_what_holds_no_score_of_a_document_is_left_out(write: Write) -> None:
    """The gold class and the chosen one, a likelihood above 1, or of no words."""
    write("unused", "")
    values: dict[str, Any] = {"mcc": [1, 0], "perplexity": 2.5, "word_perplexity": [-3.0, 0]}
    samples_file("alder", "t", [document(d, acc=1, **values) for d in range(3)])
    counts = ta.read("alder")
    assert counts.columns == ("acc",)
    (notice,) = (each for each in counts.notices if each.code == "not-numbers")
    assert set(notice.affected) == {"mcc", "perplexity", "word_perplexity"}
