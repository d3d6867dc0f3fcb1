"""Texts through the tests: shuffles against published figures, and copies."""

from __future__ import annotations

import random
from itertools import product

import pytest

import studies  # noqa: F401 - it adds bootstrap-abs
import tellapart as ta
from tellapart.metrics.text.scoring import text_counts


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
