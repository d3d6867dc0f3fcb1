"""Every reference figure for texts, made by sacreBLEU and NIST's script on real outputs."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tellapart.errors import DataError
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.ngrams import Texts
from tellapart.metrics.text.nist import Nist
from translation_oracle import VARIANTS, counted, oracle, read_texts

SETS = ("wmt17-ende", "multeval-example", "ted-tok", "ted-detok", "set2")


def variants_of(data: Path, texts: str) -> dict[str, list[str]]:
    """Return which systems of a set have figures for which variant."""
    found: dict[str, list[str]] = {}
    for system, figures in oracle(data)["corpus"][texts].items():
        for variant in figures:
            if variant.partition(":first")[0] in VARIANTS:
                found.setdefault(variant, []).append(system)
    return found


def wanted_sums(variant: str, figures: dict[str, Any]) -> list[float]:
    if variant.startswith("BLEU"):
        # Under add-k the published counts of orders 2 and up have k added.
        k = [0, 1, 1, 1] if "addk" in variant else [0, 0, 0, 0]
        parts = [np.subtract(figures[w], k[: len(figures[w])]) for w in ("counts", "totals")]
        return [figures["sys_len"], figures["ref_len"], *parts[0], *parts[1]]
    if variant.startswith("chrF"):
        return list(figures["stats_sum"])
    if variant.startswith("TER"):
        return [figures["num_edits"], figures["ref_length"]]
    return [*figures["info_sums"], *figures["ngram_totals"], figures["ref_len_avg"]]


@pytest.mark.slow
@pytest.mark.parametrize("texts", SETS)
def test_corpus_figures(shared_data: Path, texts: str) -> None:
    """Scores to 1e-9, whole numbers exactly, single segments where they are published."""
    for variant, systems in variants_of(shared_data, texts).items():
        name, _, first = variant.partition(":first")
        metric = VARIANTS[name]
        part = read_texts(shared_data, texts, systems, int(first) if first else None)
        rows = counted(metric, part)
        for system, of_segments in zip(systems, rows, strict=True):
            figures = oracle(shared_data)["corpus"][texts][system][variant]
            place, sums = f"{texts} {system} {variant}", of_segments.sum(axis=0)
            assert metric.score(sums) == pytest.approx(figures["score"], abs=1e-9), place
            if isinstance(metric, Bleu):
                told = metric.parts(sums)
                assert told["precisions"] == pytest.approx(figures["precisions"], abs=1e-9), place
                assert told["brevity_penalty"] == pytest.approx(figures["bp"], abs=1e-9), place
            slack = 1e-9 * max(1.0, sums.max()) if name.startswith("NIST") else 0
            assert sums == pytest.approx(wanted_sums(variant, figures), abs=slack), place
            for key, n in (("first10_segment_stats", 10), ("first20_segment_stats", 20)):
                if key in figures:
                    assert of_segments[:n] == pytest.approx(np.array(figures[key]), abs=1e-9), place


@pytest.mark.slow
def test_segment_statistics(shared_data: Path) -> None:
    """All per-segment statistics that are published, exactly."""
    kinds = {
        "bleu-none": "BLEU:none",
        "bleu-13a": "BLEU:13a",
        "chrf2pp": "chrF:chrF2++",
        "ter": "TER:default",
    }
    files = sorted((shared_data / "mt" / "segstats").glob("*.tsv.gz"))
    assert len(files) >= 17
    for path in files:
        texts, _, rest = path.name.removesuffix(".tsv.gz").partition(".")
        system, _, kind = rest.rpartition(".")
        found = counted(VARIANTS[kinds[kind]], read_texts(shared_data, texts, [system]))[0]
        with gzip.open(path, "rt") as stream:
            wanted = np.loadtxt(stream, skiprows=1)
        assert np.array_equal(found, wanted), path.name


def edge_cases(data: Path) -> dict[str, Any]:
    cases: dict[str, Any] = oracle(data)["edge_cases"]
    return cases


def test_edge_cases(shared_data: Path) -> None:
    """Empty texts, missing references, ties, odd blanks: statistics, corpus and segment scores."""
    checked = 0
    for name, case in edge_cases(shared_data).items():
        texts = Texts((case["hyps"],), tuple(case["refs"]))
        for kind, key in (("BLEU", "bleu"), ("chrF", "chrf"), ("TER", "ter")):
            for variant in (each for each in case[key] if f"{kind}:{each}" in VARIANTS):
                figures, place = case[key][variant], f"{name} {kind}:{variant}"
                metric = VARIANTS[f"{kind}:{variant}"]
                rows = counted(metric, texts)[0]
                assert rows.tolist() == figures["segment_stats"], place
                score = metric.score(rows.sum(axis=0))
                assert score == pytest.approx(figures["score"], abs=1e-9), place
                if isinstance(metric, Bleu):
                    alone = replace(metric, effective_order=True).score(rows)
                    wanted = figures["sentence_scores_eff"]
                    assert alone == pytest.approx(wanted, abs=1e-9), place
                checked += 1
    assert checked >= 500


NIST_VARIANTS = {
    "v13a-lc": Nist(lowercase=True, compat="mteval"),
    "v13a-case": Nist(compat="mteval"),
    "intl-case": Nist("intl", compat="mteval"),
    "no-norm": Nist("none", compat="mteval"),
    "own_whitespace": Nist("none", compat="mteval"),
    "own_whitespace_noquirk": Nist("none"),
}


def test_edge_cases_of_nist(shared_data: Path) -> None:
    """The script's figures; where it divides by zero there is an error that says why."""
    for name, case in edge_cases(shared_data).items():
        texts = Texts((case["hyps"],), tuple(case["refs"]))
        for variant, figures in case["nist"].items():
            if variant == "nltk_whitespace":
                continue  # clips by another rule where there are several references
            if (name, variant) == ("tok_13a", "no-norm"):
                continue  # the script reads its texts as SGML: there entities are no plain text
            metric = NIST_VARIANTS[variant]
            if isinstance(figures, dict) and "error" in figures:
                with pytest.raises(DataError, match="no reference has any words"):
                    counted(metric, texts)
                continue
            rows = counted(metric, texts)[0]
            wanted = figures["NIST"] if isinstance(figures, dict) else figures
            assert metric.score(rows.sum(axis=0)) == pytest.approx(wanted, abs=1e-9), (
                name,
                variant,
            )
            if isinstance(figures, dict):
                alone = metric.score(rows)
                assert alone == pytest.approx(figures["NIST_seg"], abs=1e-9), (name, variant)
