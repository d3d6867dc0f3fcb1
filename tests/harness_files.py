"""Files of evaluation harnesses that tests make themselves: what one system's file holds.

Each function gets the name of the system, and its items with whether it has them right.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from tellapart import Counts

Rows = Sequence[tuple[str, bool]]
Row = dict[str, Any]


def rows(right: Sequence[bool]) -> Rows:
    """Return items `q0`, `q1`, …, each right or wrong."""
    return [(f"q{k}", ok) for k, ok in enumerate(right)]


def promptfoo_rows(systems: Mapping[str, Rows]) -> list[Row]:
    """Return results of promptfoo: a row for each test and provider."""
    return [
        {
            "cost": 0.001 * (k + 1), "latencyMs": 10 + k, "namedScores": {"tone": 0.5},
            "prompt": {"raw": f"Say: {item}", "label": "Say: {{question}}"}, "promptIdx": k,
            "provider": {"id": f"fake:{name}", "label": name},
            "response": {"output": f"answer {ok}"}, "score": float(ok), "success": ok,
            "testCase": {
                "vars": {"question": item, "topic": f"t{int(item[1:]) % 2}"},
                "assert": [{"type": "equals", "value": f"a {item}"}],
            },
            "testIdx": int(item[1:]), "tokenUsage": {"total": 5}, "vars": {"question": item},
            "failureReason": 0 if ok else 1,
        }
        for k, (name, own) in enumerate(systems.items())
        for item, ok in own
    ]  # fmt: skip


def promptfoo(systems: Mapping[str, Rows]) -> Row:
    """Return the JSON that promptfoo writes."""
    results = {"version": 3, "results": promptfoo_rows(systems)}
    return {"evalId": "eval-1", "results": results, "config": {}, "shareableUrl": None}


def deepeval(name: str, own: Rows) -> Row:
    """Return a test run of DeepEval."""
    cases = [
        {
            "name": item, "input": f"{item}?", "actualOutput": f"answer {ok}",
            "expectedOutput": f"a {item}", "success": ok, "order": k,
            "metricsData": [
                {"name": "Exact Match", "threshold": 0.5, "success": ok, "score": float(ok)},
                {"name": "Bias", "threshold": 0.5, "success": True, "score": 0.25},
            ],
        }
        for k, (item, ok) in enumerate(own)
    ]  # fmt: skip
    return {"testCases": cases, "metricsScores": [], "hyperparameters": {"model": name}}


def ragas(_: str, own: Rows) -> list[Row]:
    """Return results of ragas."""
    return [
        {"user_input": f"{item}: how many?", "response": f"answer {ok}", "reference": f"a {item}",
         "exact_match": float(ok)}
        for item, ok in own
    ]  # fmt: skip


def evalplus(_: str, own: Rows, plus: Rows | None = None) -> Row:
    """Return results of EvalPlus: `plus` are the tasks that pass the new tests."""
    passed = {True: "pass", False: "fail"}
    tasks: dict[str, list[Row]] = {}
    for (item, base), (_, further) in zip(own, plus or own, strict=True):
        row = {"task_id": item, "solution": f"def f(): return {base}"}
        statuses = {"base_status": passed[base], "plus_status": passed[further]}
        tasks.setdefault(item, []).append({**row, **statuses})
    return {"date": "2026-11-16 03:00", "hash": "fe585eb4", "eval": tasks}


def swe_bench(_: str, own: Rows) -> Row:
    """Return a report of SWE-bench."""
    ids = [f"django__django-{item}" for item, _ in own]
    resolved = [name for name, (_, ok) in zip(ids, own, strict=True) if ok]
    return {
        "total_instances": len(ids), "submitted_instances": len(ids),
        "resolved_instances": len(resolved), "submitted_ids": ids, "completed_ids": ids,
        "resolved_ids": resolved, "unresolved_ids": [name for name in ids if name not in resolved],
        "error_ids": [], "empty_patch_ids": [], "incomplete_ids": [], "schema_version": 2,
    }  # fmt: skip


def helm_stats(_: str, own: Rows, split: str = "test", **metrics: float) -> list[Row]:
    """Return `per_instance_stats.json` of HELM."""
    return [
        {"instance_id": item, "train_trial_index": 0, "stats": [
            helm_stat(name, value, split)
            for name, value in {"exact_match": float(ok), "quasi_exact_match": float(ok),
                                "num_references": 1.0, **metrics}.items()
        ]}
        for item, ok in own
    ]  # fmt: skip


def helm_stat(name: str, value: float, split: str = "test", perturbation: Row | None = None) -> Row:
    """Return one stat of HELM."""
    about = {"name": name, "split": split, "perturbation": perturbation}
    return {"name": about, "count": 1, "sum": value, "sum_squared": value**2, "mean": value}


def helm_spec(name: str, task: str = "boolq", group: str = "boolq") -> Row:
    """Return `run_spec.json` of HELM."""
    return {
        "name": f"{task}{',' if ':' in task else ':'}model=org_{name}", "groups": [group],
        "adapter_spec": {"method": "generation", "model": f"org/{name}", "temperature": 0.0},
        "scenario_spec": {"class_name": "helm.S", "args": {}}, "metric_specs": [],
    }  # fmt: skip


def helm_state(own: Rows) -> Row:
    """Return `scenario_state.json` of HELM."""
    states = [
        {
            "instance": {
                "input": {"text": item}, "id": item, "split": "test",
                "references": [{"output": {"text": "a"}, "tags": ["correct"]},
                               {"output": {"text": "no"}, "tags": []}],
            },
            "train_trial_index": 0, "request": {"model": "m", "prompt": f"Solve: {item}"},
            "result": {"success": True, "completions": [{"text": f"answer {ok}"}]},
        }
        for item, ok in own
    ]  # fmt: skip
    return {"adapter_spec": {}, "request_states": states}


def lighteval(_: str, own: Rows, task: str = "law|0") -> bytes:
    """Return details of lighteval, which are Parquet."""
    import pyarrow as pa

    return parquet(pa.Table.from_pylist([
        {
            "doc": {"query": f"{item}?", "choices": [" a", " b"], "gold_index": 1, "id": item,
                    "task_name": task},
            "metric": {"acc": int(ok)},
            "model_response": {"text": [], "logprobs": [-1.0, -0.5 if ok else -2.0]},
        }
        for item, ok in own
    ]))  # fmt: skip


def parquet(table: Any) -> bytes:
    """Return a table of pyarrow as a file."""
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(table, stream, compression="none")
    return stream.getvalue()


def means(counts: Counts, column: str) -> dict[str, float]:
    """Return the mean of one column for each system."""
    scale = counts.scales[counts.columns.index(column)]
    totals = counts.column(column).sum(axis=1)
    return {
        name: float(total) / (scale * len(counts.items))
        for name, total in zip(counts.names, totals, strict=True)
    }
