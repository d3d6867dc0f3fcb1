"""Files of evaluation harnesses that tests make themselves: what one system's file holds.

Each function gets the right and wrong answers of a system, a row for each item or run.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tellapart import Counts

Right = Sequence[bool]
Row = dict[str, Any]


def lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def promptfoo_rows(systems: Mapping[str, Right], prompt: str = "Say: {{question}}") -> list[Row]:
    """Return results of promptfoo: a row for each test and provider."""
    return [
        {
            "cost": 0.001 * (k + 1),
            "gradingResult": {"pass": ok, "score": float(ok), "reason": "as asserted"},
            "latencyMs": 10 + k,
            "namedScores": {"tone": 0.5},
            "prompt": {"raw": f"Say: q{test}", "label": prompt},
            "promptIdx": k,
            "provider": {"id": f"fake:{name}", "label": name},
            "response": {"output": f"answer {ok}", "tokenUsage": {"total": 5}},
            "score": float(ok),
            "success": ok,
            "testCase": {
                "vars": {"question": f"q{test}", "topic": f"t{test % 2}"},
                "assert": [{"type": "equals", "value": f"a{test}"}],
            },
            "testIdx": test,
            "tokenUsage": {"total": 5},
            "vars": {"question": f"q{test}", "topic": f"t{test % 2}"},
            "failureReason": 0 if ok else 1,
        }
        for k, (name, right) in enumerate(systems.items())
        for test, ok in enumerate(right)
    ]


def promptfoo(systems: Mapping[str, Right], **more: Any) -> Row:
    """Return the JSON that promptfoo writes."""
    rows = promptfoo_rows(systems, **more)
    results = {"version": 3, "timestamp": "2026-11-16T03:08:12.297Z", "results": rows}
    return {"evalId": "eval-1", "results": results, "config": {}, "shareableUrl": None}


def deepeval(name: str, right: Right) -> Row:
    """Return a test run of DeepEval."""
    cases = [
        {
            "name": f"case_{k}",
            "input": f"q{k}?",
            "actualOutput": f"answer {ok}",
            "expectedOutput": f"a{k}",
            "flaky": False,
            "success": ok,
            "metricsData": [
                {"name": "Exact Match", "threshold": 0.5, "success": ok, "score": float(ok)},
                {"name": "Bias", "threshold": 0.5, "success": True, "score": 0.25},
            ],
            "runDuration": 0.07,
            "order": k,
        }
        for k, ok in enumerate(right)
    ]
    return {
        "testCases": cases,
        "metricsScores": [],
        "hyperparameters": {"model": name},
        "testPassed": sum(right),
        "testFailed": len(right) - sum(right),
    }


def ragas_rows(right: Right) -> list[Row]:
    """Return results of ragas."""
    return [
        {
            "user_input": f"q{k}: how many?",
            "retrieved_contexts": ["ctx a", "ctx b"],
            "response": f"answer {ok}",
            "reference": f"a{k}",
            "exact_match": float(ok),
            "faithfulness": 0.5,
        }
        for k, ok in enumerate(right)
    ]


def ragas_csv(right: Right) -> str:
    """Return results of ragas as pandas writes them."""
    rows = ragas_rows(right)
    stream = io.StringIO()
    table = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return stream.getvalue()


def evalplus(runs: Sequence[Right], plus: Sequence[Right] | None = None) -> Row:
    """Return results of EvalPlus: `plus` are the samples that pass the new tests."""
    tasks: dict[str, list[Row]] = {}
    for base_row, plus_row in zip(runs, plus or runs, strict=True):
        for task, (base, further) in enumerate(zip(base_row, plus_row, strict=True)):
            tasks.setdefault(f"HumanEval/{task}", []).append(
                {
                    "task_id": f"HumanEval/{task}",
                    "solution": "def f(): pass",
                    "base_status": "pass" if base else "fail",
                    "plus_status": "pass" if further else "fail",
                    "base_fail_tests": [],
                    "plus_fail_tests": [],
                }
            )
    return {"date": "2026-11-16 03:00", "hash": "fe585eb4", "eval": tasks}


def swebench(right: Right) -> Row:
    """Return a report of SWE-bench; the last two instances have no patch and an error."""
    ids = [f"django__django-{10000 + k}" for k in range(len(right))]
    resolved = [each for each, ok in zip(ids, right, strict=True) if ok]
    others = [each for each in ids if each not in resolved]
    return {
        "total_instances": len(ids),
        "submitted_instances": len(ids),
        "completed_instances": len(ids),
        "resolved_instances": len(resolved),
        "unresolved_instances": len(others),
        "empty_patch_instances": 0,
        "error_instances": 0,
        "completed_ids": ids,
        "incomplete_ids": [],
        "empty_patch_ids": [],
        "submitted_ids": ids,
        "resolved_ids": resolved,
        "unresolved_ids": others,
        "error_ids": [],
        "schema_version": 2,
    }


def helm_stats(runs: Sequence[Right], split: str = "test", **metrics: float) -> list[Row]:
    """Return `per_instance_stats.json` of HELM: `runs` are trials over all instances."""
    return [
        {
            "instance_id": f"id{k}",
            "train_trial_index": trial,
            "stats": [
                helm_stat(name, value, split)
                for name, value in {
                    "num_references": 1.0,
                    "exact_match": float(ok),
                    "quasi_exact_match": float(ok),
                    "inference_runtime": 0.25,
                    **metrics,
                }.items()
            ],
        }
        for trial, right in enumerate(runs)
        for k, ok in enumerate(right)
    ]


def helm_stat(name: str, value: float, split: str = "test", perturbation: Row | None = None) -> Row:
    """Return one stat of HELM."""
    key = {"name": name, "split": split}
    full = {**key, "perturbation": perturbation} if perturbation else key
    return {"name": full, "count": 1, "sum": value, "sum_squared": value**2, "mean": value}


def helm_spec(model: str, task: str, groups: Sequence[str]) -> Row:
    """Return `run_spec.json` of HELM."""
    return {
        "name": f"{task}{',' if ':' in task else ':'}model={model.replace('/', '_')}",
        "scenario_spec": {"class_name": "helm.S", "args": {}},
        "adapter_spec": {"method": "generation", "model": model, "temperature": 0.0},
        "metric_specs": [],
        "groups": list(groups),
    }


def helm_state(right: Right) -> Row:
    """Return `scenario_state.json` of HELM."""
    states = [
        {
            "instance": {
                "input": {"text": f"q{k}"},
                "references": [
                    {"output": {"text": f"a{k}"}, "tags": ["correct"]},
                    {"output": {"text": "no"}, "tags": []},
                ],
                "split": "test",
                "id": f"id{k}",
            },
            "train_trial_index": 0,
            "request": {"model": "m", "prompt": f"Solve: q{k}"},
            "result": {"success": True, "completions": [{"text": f"answer {ok}"}]},
        }
        for k, ok in enumerate(right)
    ]
    return {"adapter_spec": {}, "request_states": states}


def lighteval_table(right: Right, task: str = "law|0") -> Any:
    """Return details of lighteval as a table of pyarrow."""
    import pyarrow as pa

    return pa.Table.from_pylist(
        [
            {
                "doc": {
                    "query": f"q{k}?",
                    "choices": [" a", " b"],
                    "gold_index": 1,
                    "id": str(k),
                    "task_name": task,
                },
                "metric": {"acc": int(ok)},
                "model_response": {"text": [], "logprobs": [-1.0, -0.5 if ok else -2.0]},
            }
            for k, ok in enumerate(right)
        ]
    )


def exact_p(first: Sequence[float], second: Sequence[float], /, *, scale: int = 1) -> float:
    """Return the exact p of a paired randomization test: all exchanges, by convolution.

    `scale` makes integers of the values.
    """
    import numpy as np
    from scipy.signal import convolve

    steps = np.rint(np.subtract(first, second, dtype=float) * scale).astype(int)
    chances = np.ones(1)
    for step in np.abs(steps[steps != 0]):
        exchanged = np.zeros(2 * step + 1)
        exchanged[[0, -1]] = 0.5
        chances = convolve(chances, exchanged, method="direct")
    sums = np.arange(len(chances)) - (len(chances) - 1) // 2
    return float(chances[np.abs(sums) >= abs(int(steps.sum()))].sum())


def means(counts: Counts, column: str) -> dict[str, float]:
    """Return the mean of one column for each system."""
    scale = counts.scales[counts.columns.index(column)]
    sums = counts.column(column).sum(axis=1)
    return {
        name: float(total) / (scale * len(counts.items))
        for name, total in zip(counts.names, sums, strict=True)
    }
