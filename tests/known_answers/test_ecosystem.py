"""Every figure of the reference table of everyday files, from the files by one command each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tellapart.cli import main


@pytest.fixture
def folder(reference_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = reference_data / "ecosystem"
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def expected(folder: Path) -> dict[str, dict[str, Any]]:
    figures: dict[str, dict[str, Any]] = json.loads((folder / "expected.json").read_text())
    return figures


class Command:
    """Runs `compare --json -` and gives the record."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> dict[str, Any]:
        """Run one command."""
        assert main(["compare", *words, "--json", "-"]) == 0
        record: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return record


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def pair_of(record: dict[str, Any], b: str, a: str, metric: str) -> dict[str, Any]:
    """Find the pair b minus a of a record, turned round where it is the other way."""
    for pair in record["pairs"]:
        if {pair["a"], pair["b"]} == {a, b} and pair["metric"] == metric:
            sign = 1 if pair["a"] == b else -1
            better = ["items_a_better", "items_b_better"][::sign]
            return {
                **pair,
                "difference": sign * pair["difference"],
                "b_better": pair[better[0]],
                "a_better": pair[better[1]],
            }
    raise AssertionError(f"no pair {b} - {a} by {metric}")


def score_of(record: dict[str, Any], system: str, metric: str) -> float:
    (found,) = [s["scores"][metric] for s in record["systems"] if s["name"] == system]
    return float(found)


def check_pair(
    compare: Command,
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
    assert score_of(plain, a, metric) == near(wanted["mean_a"], abs=tolerance)
    assert score_of(plain, b, metric) == near(wanted["mean_b"], abs=tolerance)
    assert found["difference"] == near(wanted["diff_b_minus_a"], abs=tolerance)
    assert found["diagnostics"]["standard_error"] == near(wanted["se_paired"], abs=tolerance)
    assert found["p"] == near(wanted["paired_t_p"], abs=max(tolerance, 5.1e-7) * 4)
    counts = found["b_better"], found["items_tied"], found["a_better"]
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


@pytest.mark.parametrize("pair", PAIRS)
def test_inspect_quiz(expected: dict[str, Any], compare: Command, pair: tuple[str, str]) -> None:
    files = sorted(map(str, Path("inspect/quiz").glob("*.eval")))
    wanted = expected[f"inspect/quiz includes {pair[0]} vs {pair[1]}"]

    check_pair(compare, wanted, files, pair, "includes", cluster="passage")


def test_inspect_clauses(expected: dict[str, Any], compare: Command) -> None:
    files = sorted(map(str, Path("inspect/clauses").glob("*.json")))
    wanted = expected["inspect/clauses f1 birch vs alder (mean over 3 epochs first)"]

    check_pair(compare, wanted, files, PAIRS[0], "f1")


def samples(task: str) -> list[str]:
    return [str(next(Path("lm_eval", s).glob(f"samples_{task}_*"))) for s in ("alder", "birch")]


def test_lm_eval_choices(expected: dict[str, Any], compare: Command) -> None:
    wanted = expected["lm_eval/pond_mc acc,none birch vs alder"]

    check_pair(compare, wanted, samples("pond_mc"), PAIRS[0], "acc", cluster="story")


@pytest.mark.parametrize("name", ["strict-match", "flexible-extract"])
def test_lm_eval_filters(expected: dict[str, Any], compare: Command, name: str) -> None:
    wanted = expected[f"lm_eval/crate_gen exact_match,{name} birch vs alder"]

    check_pair(compare, wanted, samples("crate_gen"), PAIRS[0], f"exact_match/{name}")


@pytest.mark.parametrize(("name", "metric"), [("nDCG@10", "ndcg@10"), ("AP", "ap")])
def test_trec_runs(expected: dict[str, Any], compare: Command, name: str, metric: str) -> None:
    """The reference rounded each query's value to four decimals."""
    files = ["trec/alder.run", "trec/birch.run", "--gold", "trec/qrels.txt"]

    wanted = expected[f"trec {name} birch vs alder"]
    check_pair(compare, wanted, files, PAIRS[0], metric, tolerance=6e-5)


@pytest.mark.parametrize("name", ["nDCG@10", "AP"])
def test_trec_scores_per_query(expected: dict[str, Any], compare: Command, name: str) -> None:
    files = ["alder=trec/per_query_alder.tsv", "birch=trec/per_query_birch.tsv"]

    check_pair(compare, expected[f"trec {name} birch vs alder"], files, PAIRS[0], name.lower())


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("table", ["wide.csv", "long.tsv", "long.jsonl", "long.parquet"])
def test_score_tables(
    expected: dict[str, Any], compare: Command, table: str, pair: tuple[str, str]
) -> None:
    wanted = expected[f"table/wide.csv {pair[0]} vs {pair[1]}"]
    metric = "mean" if table == "wide.csv" else "f1"

    check_pair(compare, wanted, [f"table/{table}"], pair, metric, cluster="doc")


def test_counts(expected: dict[str, Any], compare: Command) -> None:
    record = compare("table/counts.csv")

    for system, wanted in expected["table/counts.csv micro"].items():
        for metric in ("precision", "recall", "f1"):
            assert score_of(record, system, metric) == pytest.approx(wanted[metric], abs=5.1e-7)


@pytest.mark.parametrize(("scheme", "key"), [("lenient", "lenient"), ("strict", "strict_iob2")])
def test_tags(expected: dict[str, Any], compare: Command, scheme: str, key: str) -> None:
    files = ["conll/alder.conll", "conll/birch.tsv", "--gold", "conll/gold.conll"]
    record = compare("--as", "conll", *files, "--scheme", scheme)

    for system in ("alder", "birch"):
        wanted = expected[f"conll {system} vs gold (seqeval 1.2.2 micro)"]
        for metric in ("precision", "recall", "f1"):
            found = score_of(record, system, metric)
            assert found == pytest.approx(wanted[key][metric], abs=5.1e-7)
        told = [w["text"] for w in record["notices"] if w["code"] == "orphan-tags"]
        assert any(f"{wanted['orphan_I_tags']}" in text and system in text for text in told)
