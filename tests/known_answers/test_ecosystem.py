"""Every figure of the reference table of everyday files, from the files by one command each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any

import pytest

from log_files import compared, pair_of, scores_of, sentences
from table_files import Capture


@pytest.fixture
def folder(reference_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = reference_data / "ecosystem"
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def expected(folder: Path) -> dict[str, dict[str, Any]]:
    figures: dict[str, dict[str, Any]] = json.loads((folder / "expected.json").read_text())
    return figures


Compare = Callable[..., dict[str, Any]]
"""Runs `compare --json -` and gives the record"""


@pytest.fixture
def compare(capsys: Capture) -> Compare:
    return partial(compared, capsys)


def check_pair(
    compare: Compare,
    wanted: dict[str, Any],
    files: Sequence[str],
    pair: tuple[str, str],
    metric: str,
    cluster: str | None = None,
    tolerance: float = 5.1e-7,
) -> None:
    """Hold every figure of one entry against the record of one command."""
    b, a = pair
    near = pytest.approx
    plain = compare(*files, "--test", "t")
    found = pair_of(plain, b, a, metric)
    assert plain["items"]["count"] == wanted["n"]
    assert scores_of(plain, metric)[a] == near(wanted["mean_a"], abs=tolerance)
    assert scores_of(plain, metric)[b] == near(wanted["mean_b"], abs=tolerance)
    assert found["difference"] == near(wanted["diff_b_minus_a"], abs=tolerance)
    assert found["diagnostics"]["standard_error"] == near(wanted["se_paired"], abs=tolerance)
    assert found["p"] == near(wanted["paired_t_p"], abs=max(tolerance, 5.1e-7) * 4)
    counts = found["items_a_better"], found["items_tied"], found["items_b_better"]
    assert counts == (wanted["b_better"], wanted["ties"], wanted["a_better"])
    if "mcnemar_exact_p" in wanted:
        exact = pair_of(compare(*files, "--test", "mcnemar"), b, a, metric)
        assert exact["p"] == near(wanted["mcnemar_exact_p"], abs=tolerance)
    if "sign_flip_exact_p_by_item" in wanted:
        shuffled = pair_of(compare(*files), b, a, metric)
        assert shuffled["p"] == near(wanted["sign_flip_exact_p_by_item"], abs=tolerance)
    if cluster is None:
        return
    record = compare(*files, "--cluster", cluster)
    found = pair_of(record, b, a, metric)
    assert record["items"]["clusters"] == wanted["clusters"]
    error = found["diagnostics"]["standard_error"]
    assert error == near(wanted["se_paired_clustered"], abs=tolerance)
    if "sign_flip_exact_p_by_passage" in wanted:
        assert found["method"] in ("exact", "enumeration")
        assert found["p"] == near(wanted["sign_flip_exact_p_by_passage"], abs=tolerance)
        assert found["p_adjusted"] == near(wanted["holm_p_by_passage"], abs=tolerance)


PAIRS = [("birch", "alder"), ("cedar", "alder"), ("birch", "cedar")]


BIRCH = PAIRS[0]
CASES = [
    *((f"inspect/quiz includes {b} vs {a}", "inspect/quiz/*.eval", (b, a), "includes", "passage")
      for b, a in PAIRS),
    ("inspect/clauses f1 birch vs alder (mean over 3 epochs first)",
     "inspect/clauses/*.json", BIRCH, "f1", None),
    ("lm_eval/pond_mc acc,none birch vs alder",
     "lm_eval/[ab]*/samples_pond_mc_*", BIRCH, "acc", "story"),
    *((f"lm_eval/crate_gen exact_match,{name} birch vs alder",
       "lm_eval/[ab]*/samples_crate_gen_*", BIRCH, f"exact_match/{name}", None)
      for name in ("strict-match", "flexible-extract")),
    *((f"table/wide.csv {b} vs {a}", f"table/{table}", (b, a), metric, "doc") for b, a in PAIRS
      for table, metric in {"wide.csv": "mean", "long.tsv": "f1", "long.jsonl": "f1",
                            "long.parquet": "f1"}.items()),
]  # fmt: skip
"""Names of figures, and the files, systems, metric and label that give them"""


@pytest.mark.parametrize(("name", "files", "pair", "metric", "cluster"), CASES)
def test_a_pair_of_systems(
    expected: dict[str, Any], compare: Compare, name: str, files: str, pair: tuple[str, str],
    metric: str, cluster: str | None,
) -> None:  # fmt: skip
    check_pair(compare, expected[name], sorted(glob(files)), pair, metric, cluster)


@pytest.mark.parametrize(("name", "metric"), [("nDCG@10", "ndcg@10"), ("AP", "ap")])
def test_trec_runs(expected: dict[str, Any], compare: Compare, name: str, metric: str) -> None:
    """The reference rounded each query's value to four decimals."""
    files = ["trec/alder.run", "trec/birch.run", "--gold", "trec/qrels.txt"]
    wanted = expected[f"trec {name} birch vs alder"]
    check_pair(compare, wanted, files, BIRCH, metric, tolerance=6e-5)


@pytest.mark.parametrize(("scheme", "key"), [("lenient", "lenient"), ("strict", "strict_iob2")])
def test_tags(expected: dict[str, Any], compare: Compare, scheme: str, key: str) -> None:
    """Recall, precision and F1 of seqeval, in both readings."""
    files = ["conll/alder.conll", "conll/birch.tsv", "--gold", "conll/gold.conll"]
    record = compare("--as", "conll", *files, "--scheme", scheme)
    for system in ("alder", "birch"):
        wanted = expected[f"conll {system} vs gold (seqeval 1.2.2 micro)"]
        scores = {metric: scores_of(record, metric)[system] for metric in wanted[key]}
        assert scores == pytest.approx(wanted[key], abs=5.1e-7)
        told = [text for text in sentences(record) if f" of {system} " in text]
        assert [text.split()[0] for text in told] == [str(wanted["orphan_I_tags"])]


def test_counts(expected: dict[str, Any], compare: Compare) -> None:
    """Scores are of summed counts, which no mean over items is."""
    record = compare("table/counts.csv")
    for system, wanted in expected["table/counts.csv micro"].items():
        for metric in ("precision", "recall", "f1"):
            assert scores_of(record, metric)[system] == pytest.approx(wanted[metric], abs=5.1e-7)
