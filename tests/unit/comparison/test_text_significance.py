"""Texts through the tests: shuffles against published figures, and copies."""

from __future__ import annotations

import math
import random
from itertools import product
from pathlib import Path

import pytest

import studies  # noqa: F401 - it adds bootstrap-abs
import tellapart as ta
from tellapart.counts import Counts
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.nist import Nist
from tellapart.metrics.text.scoring import TextMetric, as_metric, text_counts
from tellapart.result import Result
from translation_oracle import lines, oracle, text_path

SHUFFLES = 20_000


def compared(
    data: Path, key: str, metric: TextMetric, test: str = "shuffle", only: tuple[str, ...] = ()
) -> Result:
    """Compare the systems of a set with its baseline."""
    texts, _, baseline = key.split("|")
    figures = (
        oracle(data)["significance"]["computed"].get(key)
        or oracle(data)["significance"]["nist_ar_20000"][key]
    )
    systems = {name: lines(text_path(data, texts, name)) for name in only or figures}
    counts = text_counts(systems, [lines(text_path(data, texts, "ref"))], [metric])
    return ta.compare(
        counts, metrics=[as_metric(metric)], test=test, shuffles=SHUFFLES, baseline=baseline,
        intervals=False,
    )  # fmt: skip


def close(p: float | None, wanted: float, trials: int) -> bool:
    """Tell whether two Monte Carlo p-values agree within 4.5 standard errors of both."""
    assert p is not None
    spread = wanted * (1 - wanted) * (1 / SHUFFLES + 1 / trials)
    return abs(p - wanted) <= 4.5 * math.sqrt(spread) + 1 / SHUFFLES


@pytest.mark.parametrize(
    "key",
    ["wmt17-ende|13a|LIUM-NMT.4900", "wmt17-ende|none|LIUM-NMT.4900",
     "multeval-example|none|baseline.opt0", "ted-tok|none|sys1"],
)  # fmt: skip
def test_bleu_by_randomization(shared_data: Path, key: str) -> None:
    figures = oracle(shared_data)["significance"]["computed"][key]
    result = compared(shared_data, key, Bleu(key.split("|")[1]))
    baseline = key.split("|")[2]
    for system, wanted in figures.items():
        if system != baseline:
            pair = result.pair(system, baseline)
            sign = 1 if pair.a == system else -1
            assert sign * pair.difference == pytest.approx(wanted["delta"], abs=1e-9)
            assert close(pair.p, wanted["p_ar_ge"], 100_000), (system, pair.p)


@pytest.mark.parametrize(("test", "rule"), [("bootstrap", "signed"), ("bootstrap-abs", "abs")])
def test_bleu_by_bootstrap(shared_data: Path, test: str, rule: str) -> None:
    key = "wmt17-ende|13a|LIUM-NMT.4900"
    systems = ("FBK.4870", "SYSTRAN.4847", "xmu.4910")
    result = compared(shared_data, key, Bleu(), test, ("LIUM-NMT.4900", *systems))
    for system in systems:
        wanted = oracle(shared_data)["significance"]["computed"][key][system]
        p = result.pair(system, "LIUM-NMT.4900").p
        assert close(p, wanted[f"p_boot_shift_{rule}"], 20_000), (system, p)


@pytest.mark.parametrize(
    "key",
    ["ted-detok|13a-lc|sys1", "wmt17-ende|13a-lc|LIUM-NMT.4900",
     "multeval-example|none|baseline.opt0"],
)  # fmt: skip
def test_nist_by_randomization(shared_data: Path, key: str) -> None:
    _, kind, baseline = key.split("|")
    metric = Nist("none") if kind == "none" else Nist(lowercase=True)
    result = compared(shared_data, key, metric)
    for system, wanted in oracle(shared_data)["significance"]["nist_ar_20000"][key].items():
        if system != baseline:
            p = result.pair(system, baseline).p
            assert close(p, wanted["p_ar_ge"], 20_000), (system, p)


def test_nist_tells_apart_what_bleu_does_not(shared_data: Path) -> None:
    """The finding of Riezler and Maxwell (2005) on SYSTRAN and LIUM, each metric as published."""
    names = ("SYSTRAN.4847", "LIUM-NMT.4900")
    systems = {name: lines(text_path(shared_data, "wmt17-ende", name)) for name in names}
    reference = lines(text_path(shared_data, "wmt17-ende", "ref"))
    metrics: list[TextMetric] = [Bleu(), Nist(lowercase=True)]
    counts = text_counts(systems, [reference], metrics)
    result = ta.compare(
        counts,
        metrics=[as_metric(m) for m in metrics],
        test="shuffle",
        shuffles=49_999,
        intervals=False,
    )
    bleu, nist = result.pairs
    assert bleu.p == pytest.approx(0.63, abs=0.02)
    assert nist.p is not None
    assert nist.p < 0.0001


def small() -> Counts:
    """Make two systems on eight segments: one good, one with other words in most of them."""
    reference = [f"the {w} sat on a red mat" for w in ("cat", "dog", "hen", "fox", "ape", "owl")]
    worse = [line.replace("sat on a", "lies upon the") for line in reference[:5]] + reference[5:]
    systems = {"A": reference, "B": worse, "copy": list(worse)}
    return text_counts(systems, [reference], ["bleu", "nist", "chrf", "ter"])


@pytest.mark.parametrize("test", ["auto", "shuffle", "bootstrap"])
def test_copy_of_a_system(test: str) -> None:
    """Two equal systems: p is 1, whatever the metric and the test."""
    result = ta.compare(small().systems["B", "copy"], test=test, shuffles=999)
    assert [pair.metric for pair in result.pairs] == ["bleu", "nist", "chrf", "ter"]
    assert [pair.p for pair in result.pairs] == [1.0] * 4


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
