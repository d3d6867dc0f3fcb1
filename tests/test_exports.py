"""Small harnesses and exports of platforms: one command each, scores as the tool has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, permutation_test

import export_files
import tellapart as ta
from log_files import compared, pair_of
from tellapart.cli import main

ITEMS = 40
RIGHT = {name: export_files.right_items(k, ITEMS) for k, name in enumerate(("alder", "birch"))}

Make = Callable[[Sequence[bool], str], Any]

BINARY: dict[str, tuple[Make, str, str]] = {
    "every-eval-ever": (export_files.every_eval_ever, "jsonl", "mean"),
}
"""What makes a file with right and wrong answers, its suffix, and the metric that counts them"""


def _text(held: Any, suffix: str) -> str:
    if suffix == "csv":
        return "".join(held)
    return export_files.as_jsonl(held) if suffix == "jsonl" else json.dumps(held)


def _files(tmp_path: Path, make: Make, suffix: str) -> list[str]:
    paths = []
    for name, right in RIGHT.items():
        path = tmp_path / f"{name}.{suffix}"
        path.write_text(_text(make(right, name), suffix))
        paths.append(str(path))
    return paths


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must end with status 2, and return the one sentence that it says."""
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    said = [line for line in captured.err.splitlines() if not line.startswith("read as ")]
    assert len(said) == 1
    return said[0]


def _scores(record: Any, metric: str) -> dict[str, float]:
    return {each["name"].rpartition("/")[2]: each["scores"][metric] for each in record["systems"]}


def _values(counts: ta.Counts, column: str) -> NDArray[np.float64]:
    """Return the values of a column, systems × items."""
    return counts.column(column) / float(counts.scales[counts.columns.index(column)])


def _sign_p() -> float:
    """Return the exact p of right and wrong answers: a fair coin for each item that differs."""
    pairs = list(zip(RIGHT["alder"], RIGHT["birch"], strict=True))
    won = sum(b and not a for a, b in pairs)
    lost = sum(a and not b for a, b in pairs)
    assert (won, lost) == (16, 8)
    return float(binomtest(won, won + lost).pvalue)


@pytest.mark.parametrize("name", BINARY)
def test_one_command_gives_the_score_and_the_exact_p(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No option but the files: the format is told, items pair, means and p are the known ones."""
    make, suffix, metric = BINARY[name]
    paths = _files(tmp_path, make, suffix)
    record = compared(capsys, *paths)
    assert _scores(record, metric) == pytest.approx({"alder": 16 / 40, "birch": 24 / 40})
    assert record["items"]["count"] == ITEMS
    pair = next(each for each in record["pairs"] if each["metric"] == metric)
    assert pair["p"] == pytest.approx(_sign_p(), rel=1e-9)


@pytest.mark.parametrize("name", BINARY)
def test_python_reads_the_same(name: str, tmp_path: Path) -> None:
    """`ta.read` gives the counts of the command line, with texts where the files have them."""
    make, suffix, metric = BINARY[name]
    counts = ta.read(_files(tmp_path, make, suffix))
    assert _values(counts, "score" if metric == "mean" else metric).tolist() == [
        [float(correct) for correct in right] for right in RIGHT.values()
    ]


@pytest.mark.parametrize("name", BINARY)
def test_rows_in_another_order_are_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Items are paired by what they are, not by their place in the file."""
    make, suffix, metric = BINARY[name]
    if suffix not in ("jsonl", "csv"):
        pytest.skip("not written in lines")
    paths = _files(tmp_path, make, suffix)
    lines = Path(paths[1]).read_text().splitlines(keepends=True)
    Path(paths[1]).write_text("".join(lines[::-1]))
    record = compared(capsys, *paths)
    pair = next(each for each in record["pairs"] if each["metric"] == metric)
    assert pair["p"] == pytest.approx(_sign_p(), rel=1e-9)


@pytest.mark.parametrize("name", BINARY)
def test_a_broken_file_is_one_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut off in the middle, a file is refused in one line that names it."""
    make, suffix, _ = BINARY[name]
    paths = _files(tmp_path, make, suffix)
    whole = Path(paths[1]).read_text()
    Path(paths[1]).write_text(whole[: len(whole) // 2 - 1])
    assert "birch" in refused(capsys, "compare", *paths)


# LiveBench and MT-bench: several models in one file


def test_livebench_is_the_mean_of_categories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both models in one file; tasks, then categories, count the same, as LiveBench has it."""
    rows = [row for name, right in RIGHT.items() for row in export_files.livebench(right, name)]
    path = tmp_path / "ground_truth_judgment.jsonl"
    path.write_text(export_files.as_jsonl(rows))
    record = compared(capsys, str(path))
    for name in RIGHT:
        scores: dict[tuple[str, str], list[int]] = {}
        for row in rows:
            if row["model"] == name:
                scores.setdefault((row["category"], row["task"]), []).append(row["score"])
        means = {task: sum(some) / len(some) for task, some in scores.items()}
        reasoning = [mean for (category, _), mean in means.items() if category == "reasoning"]
        language = [mean for (category, _), mean in means.items() if category == "language"]
        expected = (fmean(reasoning) + fmean(language)) / 2
        assert _scores(record, "mean")[name] == pytest.approx(expected)


def _mt_rows(items: int = 10) -> list[dict[str, Any]]:
    return [
        row for name, right in RIGHT.items() for row in export_files.mt_bench(right[:items], name)
    ]


def test_mt_bench_averages_as_it_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """First turn, second turn and average are MT-bench's own; p is that of all exchanges."""
    rows = _mt_rows()
    path = tmp_path / "gpt-4_single.jsonl"
    path.write_text(export_files.as_jsonl(rows))
    record = compared(capsys, str(path))
    questions: dict[str, list[float]] = {}
    for name in RIGHT:
        mine = [row for row in rows if row["model"] == name]
        for metric, turns in (("score", (1, 2)), ("first_turn", (1,)), ("second_turn", (2,))):
            grades = [row["score"] for row in mine if row["turn"] in turns]
            assert _scores(record, metric)[name] == pytest.approx(sum(grades) / len(grades))
        questions[name] = [sum(r["score"] for r in mine[k : k + 2]) / 2 for k in range(0, 20, 2)]
    a, b = questions["alder"], questions["birch"]
    expected = permutation_test(
        (a, b),
        lambda x, y, axis: (x - y).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**11,
    ).pvalue
    pair = pair_of(record, "birch", "alder", "score")
    assert pair["p"] == pytest.approx(float(expected), rel=1e-9)


def test_turns_without_a_grade_are_left_out_and_told(tmp_path: Path) -> None:
    """MT-bench writes -1 where the judge gave no grade; that is no grade."""
    rows = _mt_rows()
    rows[1]["score"] = -1
    path = tmp_path / "gpt-4_single.jsonl"
    path.write_text(export_files.as_jsonl(rows))
    counts = ta.read(path, metrics="score")
    assert _values(counts, "score")[0, 0] == rows[0]["score"]
    assert any("1 turn no grade" in notice.text for notice in counts.notices)


def test_categories_of_mt_bench_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "gpt-4_single.jsonl"
    path.write_text(export_files.as_jsonl(_mt_rows(ITEMS)))
    counts = ta.read(path)
    assert counts.labels["category"][:11] == ("writing",) * 10 + ("roleplay",)


# OpenCompass


# OpenAI evals


# Platforms


# Shared schemas


def test_the_totals_of_every_eval_ever_name_the_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Totals are refused by naming the file beside them; that one has names from the totals."""
    totals = {
        "schema_version": "0.2.1",
        "evaluation_id": "arith/org/alder/1706000000",
        "retrieved_timestamp": "1706000000",
        "model_info": {"id": "org/alder", "name": "alder"},
        "evaluation_results": [
            {
                "evaluation_name": "arith",
                "evaluation_result_id": "r1",
                "metric_config": {"metric_name": "toxicity", "lower_is_better": True},
                "score_details": {"score": 0.4},
            }
        ],
    }
    rows = export_files.every_eval_ever(RIGHT["alder"], "alder")
    for row in rows:
        row["evaluation_result_id"] = "r1"
    items = tmp_path / "0a-1b_samples.jsonl"
    items.write_text(export_files.as_jsonl(rows))
    path = tmp_path / "0a-1b.json"
    path.write_text(json.dumps(totals))
    said = refused(capsys, "compare", str(path))
    assert "totals only (arith)" in said
    assert f"give {items} instead" in said
    counts = ta.read(tmp_path)
    assert _values(counts, "toxicity").mean() == pytest.approx(0.4)
    result = ta.compare(
        ta.read([f"one={items}", f"two={items}"], metrics="toxicity"), intervals=False
    )
    assert not result.metrics["toxicity"].higher_is_better


def test_rankings_of_mteb_are_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its judgements: the document found first counts 1, found third 1/log2(4)."""
    paths = _files(tmp_path, export_files.mteb_predictions, "json")
    gold = tmp_path / "qrels.tsv"
    gold.write_text("".join(export_files.mteb_judgements(ITEMS)))
    record = compared(capsys, "--gold", str(gold), *paths, "--metric", "ndcg@10")
    assert _scores(record, "ndcg@10") == pytest.approx(
        {"alder": (16 + 24 / 2) / 40, "birch": (24 + 16 / 2) / 40}
    )
    assert record["pairs"][0]["p"] == pytest.approx(_sign_p())


# The shared files


def test_shared_results_of_mteb_are_totals(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(
        capsys, "compare", str(shared_data / "harnesses" / "formats" / "mteb_alder.json")
    )
    assert "totals only (SciFact)" in said
    assert "prediction_folder" in said
