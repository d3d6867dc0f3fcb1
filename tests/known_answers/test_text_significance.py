"""Texts through the tests: shuffles against published figures, and copies."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import studies  # noqa: F401 - it adds bootstrap-abs
import tellapart as ta
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
    if key.startswith("wmt17-ende|none"):
        # MultEval's, to which sacreBLEU's own tests hold its p-values
        published = oracle(shared_data)["significance"]["published_with_sacrebleu_tests"]
        for system, (by_bleu, _) in published["multeval_bleu_ter"].items():
            assert close(result.pair(system, baseline).p, by_bleu, 10_000), system


@pytest.mark.slow
@pytest.mark.parametrize(("test", "rule"), [("bootstrap", "signed"), ("bootstrap-abs", "abs")])
def test_bleu_by_bootstrap(shared_data: Path, test: str, rule: str) -> None:
    key = "wmt17-ende|13a|LIUM-NMT.4900"
    systems = ("FBK.4870", "SYSTRAN.4847", "xmu.4910")
    result = compared(shared_data, key, Bleu(), test, ("LIUM-NMT.4900", *systems))
    for system in systems:
        wanted = oracle(shared_data)["significance"]["computed"][key][system]
        p = result.pair(system, "LIUM-NMT.4900").p
        assert close(p, wanted[f"p_boot_shift_{rule}"], 20_000), (system, p)


@pytest.mark.slow
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
