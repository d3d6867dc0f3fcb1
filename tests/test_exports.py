"""Small harnesses and exports of platforms: one command each, scores as the tool has them."""

from __future__ import annotations

import csv
import io
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
from log_files import compared, notices, pair_of
from tellapart.cli import main

ITEMS = 40
RIGHT = {name: export_files.right_items(k, ITEMS) for k, name in enumerate(("alder", "birch"))}

Make = Callable[[Sequence[bool], str], Any]

BINARY: dict[str, tuple[Make, str, str]] = {
    "openai-evals": (export_files.openai_evals, "jsonl", "accuracy"),
    "opencompass": (export_files.opencompass, "json", "accuracy"),
    "braintrust": (export_files.braintrust, "jsonl", "ExactMatch"),
    "langsmith": (export_files.langsmith, "csv", "correctness"),
    "langfuse": (export_files.langfuse, "csv", "correctness"),
    "langfuse traces": (export_files.langfuse_traces, "json", "correctness"),
    "wandb": (export_files.wandb, "table.json", "correct"),
    "every-eval-ever": (export_files.every_eval_ever, "jsonl", "mean"),
    "simple-evals": (export_files.simple_evals, "jsonl", "mean"),
    "simple-evals pages": (export_files.simple_evals_pages, "json", "mean"),
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
    head = 1 if suffix == "csv" or name == "openai-evals" else 0
    Path(paths[1]).write_text("".join([*lines[:head], *lines[head:][::-1]]))
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


def test_costs_are_better_when_less(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seconds, tokens and money of a run are compared where they are named; less is better."""
    paths = _files(tmp_path, export_files.langsmith, "csv")
    record = compared(capsys, *paths)
    assert list(record["metrics"]) == ["correctness", "conciseness"]
    costs = ("latency", "total_tokens", "total_cost")
    assert all(name in " ".join(notices(record).values()) for name in costs)
    named = [word for name in ("correctness", *costs) for word in ("--metric", name)]
    record = compared(capsys, *paths, *named)
    directions = {name: each["higher_is_better"] for name, each in record["metrics"].items()}
    assert directions == {"correctness": True, **dict.fromkeys(costs, False)}


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


def test_opencompass_folders_name_model_and_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`results/MODEL/DATASET.json` of one folder: models are systems, data sets are tasks."""
    for name, right in RIGHT.items():
        for task, some in (("gsm8k", right[:20]), ("math", right[20:])):
            path = tmp_path / "20260101_120000" / "results" / name / f"{task}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(export_files.opencompass(some, name)))
    record = compared(capsys, str(tmp_path / "20260101_120000"))
    assert _scores(record, "accuracy") == pytest.approx({"alder": 0.4, "birch": 0.6})
    assert record["items"]["count"] == ITEMS


def test_replicas_of_opencompass_are_runs(tmp_path: Path) -> None:
    """Values in lists are those of several replicas of the data set."""
    details = [
        {"example_abbr": f"math_{k}", "pred": ["A", "B"], "answer": ["A", "A"], "correct": pair}
        for k, pair in enumerate(([True, False], [True, True], [False, False]))
    ]
    path = tmp_path / "alder.json"
    path.write_text(json.dumps({"accuracy (2 runs average)": 50.0, "details": details}))
    counts = ta.read(path)
    assert _values(counts, "accuracy").tolist() == [[0.5, 1.0, 0.0]]
    assert counts.items == ("math_0", "math_1", "math_2")


def test_details_without_verdicts_are_taken_if_they_give_the_accuracy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Predictions that equal their reference are right, where that is the accuracy of the file."""
    tree = export_files.opencompass(RIGHT["alder"], "alder")
    for row in tree["details"].values():
        del row["correct"]
    path = tmp_path / "alder.json"
    path.write_text(json.dumps(tree))
    counts = ta.read(path)
    assert _values(counts, "accuracy").mean() == pytest.approx(0.4)
    path.write_text(json.dumps({**tree, "accuracy": 77.0}))
    assert "does not give the accuracy" in refused(capsys, "score", str(path))


def test_opencompass_without_details_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Totals, and predictions without scores, are refused by what to do."""
    totals = tmp_path / "results" / "alder" / "gsm8k.json"
    totals.parent.mkdir(parents=True)
    totals.write_text('{"accuracy": 48.0}')
    assert "--dump-eval-details" in refused(capsys, "compare", str(totals))
    predictions = tmp_path / "predictions" / "alder" / "gsm8k.json"
    predictions.parent.mkdir(parents=True)
    row = {"origin_prompt": "q", "prediction": "4", "gold": "4"}
    predictions.write_text(json.dumps({"0": row, "1": row}))
    assert "give results/alder/gsm8k.json" in refused(capsys, "compare", str(predictions))


# OpenAI evals


def test_a_final_report_that_says_otherwise_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = export_files.openai_evals(RIGHT["alder"], "alder")
    rows[-1]["final_report"]["accuracy"] = 0.7
    paths = _files(tmp_path, export_files.openai_evals, "jsonl")
    Path(paths[0]).write_text(export_files.as_jsonl(rows))
    record = compared(capsys, *paths)
    assert (
        "gives 0.7 as the accuracy, and the samples have 0.4" in notices(record)["not-understood"]
    )


def test_an_unfinished_run_is_told(tmp_path: Path) -> None:
    rows = export_files.openai_evals(RIGHT["alder"], "alder")[:-1]
    path = tmp_path / "alder.jsonl"
    path.write_text(export_files.as_jsonl(rows))
    assert any("no final report" in notice.text for notice in ta.read(path).notices)


# Platforms


def test_items_of_platforms_are_known_by_the_data_set_first(tmp_path: Path) -> None:
    """Equal inputs of two records of a data set are two items; without records, runs of one."""
    rows = export_files.braintrust([True, False], "alder")
    for k, row in enumerate(rows):
        row["input"] = "the same"
        row["origin"] = {"object_type": "dataset", "object_id": "d", "id": f"record{k}"}
    path = tmp_path / "alder.jsonl"
    path.write_text(export_files.as_jsonl(rows))
    assert ta.read(path).items == ("record0", "record1")
    for row in rows:
        del row["origin"]
    path.write_text(export_files.as_jsonl(rows))
    counts = ta.read(path)
    assert counts.items == ("the same",)
    assert _values(counts, "ExactMatch").tolist() == [[0.5]]


def test_it_is_said_what_items_are_paired_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids of rows differ from run to run: by inputs, or by traces without their names."""
    record = compared(capsys, *_files(tmp_path, export_files.braintrust, "jsonl"))
    assert "paired by their inputs" in notices(record)["pairing"]
    record = compared(capsys, *_files(tmp_path, export_files.langfuse, "csv"))
    assert "ids of their traces" in notices(record)["pairing"]
    record = compared(capsys, *_files(tmp_path, export_files.openai_evals, "jsonl"))
    assert "pairing" not in notices(record)


def test_braintrust_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV has a column for each score, or JSON in a cell."""
    paths = []
    for name, right in RIGHT.items():
        rows = export_files.braintrust(right, name)
        stream = io.StringIO()
        fields = ["id", "created", "input", "output", "expected", "scores.ExactMatch", "metrics"]
        table = csv.DictWriter(stream, fields)
        table.writeheader()
        for row in rows:
            table.writerow(
                {
                    **{key: row[key] for key in ("id", "created", "output", "expected")},
                    "input": json.dumps(row["input"]),
                    "scores.ExactMatch": row["scores"]["ExactMatch"],
                    "metrics": json.dumps(row["metrics"]),
                }
            )
        path = tmp_path / f"{name}.csv"
        path.write_text(stream.getvalue())
        paths.append(str(path))
    record = compared(capsys, *paths)
    assert _scores(record, "ExactMatch") == pytest.approx({"alder": 0.4, "birch": 0.6})
    assert pair_of(record, "birch", "alder", "ExactMatch")["p"] == pytest.approx(_sign_p())


def test_steps_inside_an_example_are_passed_over(tmp_path: Path) -> None:
    """Braintrust's interface hands out all spans; scores are on those at the root."""
    (row,) = export_files.braintrust([True], "alder")
    inside = {**row, "id": "inner", "span_id": "2", "root_span_id": "1", "scores": None}
    path = tmp_path / "alder.jsonl"
    path.write_text(export_files.as_jsonl([{**row, "span_id": "1", "root_span_id": "1"}, inside]))
    counts = ta.read(path)
    assert len(counts.items) == 1
    assert any("steps inside an example" in notice.text for notice in counts.notices)


def test_random_traces_cannot_be_paired_and_say_what_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of traces with random ids are refused, unless their metadata names the item."""
    lines = export_files.langfuse(RIGHT["alder"], "alder")
    for k in range(ITEMS):
        lines[k + 1] = lines[k + 1].replace(f"t-alder-{k}", f"{k:032x}").replace(",alder,", ",qa,")
    path = tmp_path / "alder.csv"
    path.write_text("".join(lines))
    assert "export the traces" in refused(capsys, "compare", str(path))
    named = [line.replace("{}", f'"{{""dataset_item_id"": ""i{k}""}}"')
             for k, line in enumerate(lines)]  # fmt: skip
    path.write_text("".join(named))
    assert ta.read(path).items[:2] == ("i1", "i2")


def test_one_export_of_langfuse_may_hold_several_systems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trace names tell the systems apart where a file has several."""
    lines = export_files.langfuse(RIGHT["alder"], "alder")
    lines += export_files.langfuse(RIGHT["birch"], "birch")[1:]
    path = tmp_path / "scores.csv"
    path.write_text("".join(lines))
    record = compared(capsys, str(path))
    assert _scores(record, "correctness") == pytest.approx({"alder": 0.4, "birch": 0.6})


def test_langsmith_pairs_by_example_where_it_has_them(tmp_path: Path) -> None:
    """`evaluate(…).to_pandas()` and `get_test_results` write the id of the example."""
    path = tmp_path / "alder.csv"
    path.write_text(
        "input.question,outputs.answer,execution_time,error,id,reference.answer,feedback.correct,"
        "example_id\nq,4,1.5,,r1,4,1,e1\nq,5,2.5,,r2,4,0,e2\nq,,0.1,timeout,r3,4,,e3\n"
    )
    counts = ta.read(path, missing="drop", metrics=["correct", "execution_time"])
    assert counts.items == ("e1", "e2", "e3")
    assert _values(counts, "execution_time").tolist() == [[1.5, 2.5, 0.1]]
    counts = ta.read(path, missing="drop", metrics="correct")
    assert counts.items == ("e1", "e2")
    assert any("failed" in notice.text for notice in counts.notices)


def test_predictions_and_truth_of_wandb_make_a_score(tmp_path: Path) -> None:
    """A table without scores says what was right; that is told."""
    path = tmp_path / "eval.table.json"
    data = [["q1", 3, 3], ["q2", 5, 4]]
    path.write_text(json.dumps({"columns": ["id", "prediction", "truth"], "data": data}))
    counts = ta.read(path)
    assert (counts.names, _values(counts, "correct").tolist()) == (("eval",), [[1.0, 0.0]])
    assert any("'prediction' equals 'truth'" in notice.text for notice in counts.notices)


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


def test_the_short_file_of_simple_evals_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mmlu_alder.json"
    path.write_text('{"stem": 0.5, "stem:std": 0.1, "score:std": 0.2, "score": 0.48}')
    assert "_allresults.json" in refused(capsys, "compare", str(path))


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


@pytest.mark.parametrize("name", ["simple-evals pages", "every-eval-ever", "openai-evals"])
def test_long_texts_hide_no_format(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a file is shows before its first long text, of more than is looked at."""
    make, suffix, metric = BINARY[name]
    long = "word " * 20_000

    def longer(right: Sequence[bool], system: str) -> Any:
        made = make(right, system)
        if name == "every-eval-ever":
            made[0]["input"]["raw"] = long
        elif name == "openai-evals":
            made[1]["data"]["prompt"] = long
        else:
            made["htmls"][0] += long
        return made

    record = compared(capsys, *_files(tmp_path, longer, suffix))
    assert _scores(record, metric) == pytest.approx({"alder": 0.4, "birch": 0.6})


# The shared files


@pytest.mark.parametrize(
    ("stem", "metric", "key"),
    [("bt", "ExactMatch", None), ("evals", "accuracy", "correct")],
)
def test_shared_files_by_one_command(
    stem: str, metric: str, key: str | None, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Means of the rows themselves, and p by scipy."""
    folder = shared_data / "harnesses" / "formats"
    right = {}
    for name in RIGHT:
        text = (folder / f"{stem}_{name}.jsonl").read_text()
        rows = [json.loads(line) for line in text.splitlines()]
        if key is None:
            right[name] = [bool(row["scores"][metric]) for row in rows]
        else:
            right[name] = [row["data"][key] for row in rows if row.get("type") == "match"]
    record = compared(capsys, *(str(folder / f"{stem}_{name}.jsonl") for name in RIGHT))
    for name, some in right.items():
        assert record_score(record, name, metric) == pytest.approx(sum(some) / len(some))
    pairs = list(zip(right["alder"], right["birch"], strict=True))
    won, lost = sum(b > a for a, b in pairs), sum(a > b for a, b in pairs)
    pair = next(each for each in record["pairs"] if each["metric"] == metric)
    assert pair["p"] == pytest.approx(binomtest(won, won + lost).pvalue, rel=1e-9)


def record_score(record: Any, name: str, metric: str) -> float:
    """Return the score of the system whose name ends so."""
    return next(
        float(each["scores"][metric]) for each in record["systems"] if each["name"].endswith(name)
    )


def test_shared_results_of_mteb_are_totals(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(
        capsys, "compare", str(shared_data / "harnesses" / "formats" / "mteb_alder.json")
    )
    assert "totals only (SciFact)" in said
    assert "prediction_folder" in said
