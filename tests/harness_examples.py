"""The files that the commands of docs/llm-evaluations.md name, by format."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import export_files
import harness_files as made

SYSTEMS = {
    "alder": [k % 3 == 0 for k in range(12)],
    "birch": [k % 3 != 1 for k in range(12)],
}


def _lighteval(folder: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    for name, right in SYSTEMS.items():
        when = "2026-11-01T10-00-00.000001"
        path = folder / "out/details/org" / name / when / f"details_law|0_{when}.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(made.lighteval_table(right), path)


def _helm(folder: Path) -> None:
    for name, right in SYSTEMS.items():
        for task in ("boolq:", "mmlu:subject=law"):
            spec = made.helm_spec(f"org/{name}", task, [task.partition(":")[0]])
            run = folder / "benchmark_output/runs/v1" / str(spec["name"])
            run.mkdir(parents=True)
            (run / "run_spec.json").write_text(json.dumps(spec))
            (run / "scenario_state.json").write_text(json.dumps(made.helm_state(right)))
            (run / "per_instance_stats.json").write_text(json.dumps(made.helm_stats([right])))


def _promptfoo(folder: Path) -> None:
    (folder / "out.json").write_text(json.dumps(made.promptfoo(SYSTEMS)))


def _per_system(name: str, make: Callable[[str, list[bool]], str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for k, (system, right) in enumerate(SYSTEMS.items(), 1):
            path = folder / name.format(system=system, day=k)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(make(system, right))

    return write


def _mteb(folder: Path) -> None:
    _exported("{system}/SciFact_predictions.json", export_files.mteb_predictions)(folder)
    judged = export_files.mteb_judgements(len(SYSTEMS["alder"]))
    (folder / "qrels.tsv").write_text("".join(judged))


def _exported(name: str, make: Callable[[Sequence[bool], str], Any]) -> Callable[[Path], None]:
    """Return what writes a file for each system: lines of CSV, JSON, or rows as JSON lines."""

    def text(system: str, right: list[bool]) -> str:
        held = make(right, system)
        if name.endswith(".csv"):
            return "".join(held)
        return export_files.as_jsonl(held) if name.endswith(".jsonl") else json.dumps(held)

    return _per_system(name, text)


def _in_one_file(name: str, make: Callable[[Sequence[bool], str], Any]) -> Callable[[Path], None]:
    """Return what writes one file with the rows of all systems."""

    def write(folder: Path) -> None:
        rows = [row for system, right in SYSTEMS.items() for row in make(right, system)]
        (folder / name).write_text(export_files.as_jsonl(rows))

    return write


def _arena_hard(name: str, right: list[bool]) -> str:
    rows = [
        {
            "question_id": f"q{k}",
            "model": name,
            "judge": "gpt-4",
            "games": [{"score": "B>A" if won else "A>B"}, {"score": "A>B" if won else "B>A"}],
        }
        for k, won in enumerate(right)
    ]
    return export_files.as_jsonl(rows)


def _alpaca_eval(name: str, right: list[bool]) -> str:
    rows = [
        {
            "instruction": f"i{k}",
            "generator_1": "gpt4",
            "output_1": "one",
            "generator_2": name,
            "output_2": "another",
            "preference": 2 if won else 1,
        }
        for k, won in enumerate(right)
    ]
    return json.dumps(rows)


def _mt_bench_pair(folder: Path) -> None:
    rows = [
        {
            "question_id": 81 + k,
            "model_1": "alder",
            "model_2": "birch",
            "g1_winner": winner,
            "g2_winner": winner,
            "turn": 1,
        }
        for k, winner in enumerate(["model_2", "tie", "model_1", "model_2"] * 3)
    ]
    (folder / "gpt-4_pair.jsonl").write_text(export_files.as_jsonl(rows))


def _tau_bench(_: str, right: list[bool]) -> str:
    rows = [
        {"task_id": k, "reward": float(ok), "info": {}, "traj": [], "trial": 0}
        for k, ok in enumerate(right)
    ]
    return json.dumps(rows)


def _harbor(folder: Path) -> None:
    for name, right in SYSTEMS.items():
        for k, ok in enumerate(right):
            path = folder / "jobs" / name / f"task{k}__1" / "result.json"
            path.parent.mkdir(parents=True)
            agent = {"name": "agent", "model_info": {"name": name}}
            trial = {"task_name": f"task{k}", "trial_name": f"task{k}__1", "agent_info": agent}
            rewards = {"rewards": {"reward": float(ok)}}
            path.write_text(json.dumps({**trial, "verifier_result": rewards}))


def _comet(folder: Path) -> None:
    tree = {
        f"{name}.txt": [
            {"src": f"s{k}", "mt": "m", "ref": "r", "COMET": float(ok)}
            for k, ok in enumerate(right)
        ]
        for name, right in SYSTEMS.items()
    }
    (folder / "segments.json").write_text(json.dumps(tree))


def _segment_scores(folder: Path) -> None:
    lines = [f"{name}\t{float(ok)}\n" for name, right in SYSTEMS.items() for ok in right]
    (folder / "COMET-22-refA.seg.score").write_text("".join(lines))


EXAMPLES: dict[str, Callable[[Path], None]] = {
    "lighteval": _lighteval,
    "helm": _helm,
    "promptfoo": _promptfoo,
    "deepeval": _per_system(
        "test_run_2026110{day}_100000.json",
        lambda name, right: json.dumps(made.deepeval(name, right)),
    ),
    "ragas": _per_system("{system}.csv", lambda _, right: made.ragas_csv(right)),
    "humaneval": _per_system(
        "{system}.jsonl_results.jsonl",
        lambda _, right: made.lines(made.humaneval_rows([right, right])),
    ),
    "evalplus": _per_system(
        "{system}_eval_results.json", lambda _, right: json.dumps(made.evalplus([right]))
    ),
    "swe-bench": _per_system(
        "{system}.verified.json", lambda _, right: json.dumps(made.swebench(right))
    ),
    "livebench": _in_one_file("ground_truth_judgment.jsonl", export_files.livebench),
    "mt-bench": _in_one_file("gpt-4_single.jsonl", export_files.mt_bench),
    "arena-hard": _per_system("model_judgment/gpt-4/{system}.jsonl", _arena_hard),
    "alpaca-eval": _per_system("{system}/annotations.json", _alpaca_eval),
    "mt-bench-pair": _mt_bench_pair,
    "trec": _mteb,
    "tau-bench": _per_system("{system}.json", _tau_bench),
    "harbor": _harbor,
    "comet": _comet,
    "seg-score": _segment_scores,
    "every-eval-ever": _exported(
        "data/arith/org/{system}/0a1b-{day}_samples.jsonl", export_files.every_eval_ever
    ),
}
"""By the name of the format: writes the files of its command into a folder"""
