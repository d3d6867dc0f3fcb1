"""Files of harnesses and exports of platforms that tests make: what one system's file holds.

Each function takes which items are right, one truth value each, and the name of the system.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]


def right_items(system: int, items: int) -> list[bool]:
    """Return which items a system has right: the second one is right more often.

    With 40 items, 8 are right for the first alone and 16 for the second alone.
    """
    return [k % 5 == 0 or (k % 5 in (1, 2) if system else k % 5 == 3) for k in range(items)]


def openai_evals(right: Sequence[bool], system: str) -> list[Row]:
    """Return the record of a run of OpenAI's evals."""
    run = {"run_id": f"2611160{system}", "created_by": "", "created_at": "2026-11-16 03:00:01"}
    spec = {"completion_fns": [system], "eval_name": "arith.dev.v0", "base_eval": "arith"}
    rows: list[Row] = [{"spec": {**spec, "split": "dev", "run_config": {}, **run}}]
    for k, correct in enumerate(right):
        events = (
            ("sampling", {"prompt": f"q{k}", "sampled": ["4" if correct else "5"]}),
            ("match", {"correct": correct, "expected": "4", "picked": "4" if correct else None}),
        )
        for kind, data in events:
            event = {"event_id": len(rows) - 1, "sample_id": f"arith.dev.{k}", "type": kind}
            rows.append({**run, **event, "data": data})
    rows.append({"final_report": {"accuracy": sum(right) / len(right)}, "run_id": run["run_id"]})
    return rows


def opencompass(right: Sequence[bool], system: str) -> Row:
    """Return results of OpenCompass with details."""
    details = {
        str(k): {
            "prompt": f"q{k}",
            "origin_prediction": f"{system} says {'A' if correct else 'B'}",
            "predictions": "A" if correct else "B",
            "references": "A",
            "correct": correct,
        }
        for k, correct in enumerate(right)
    }
    return {"accuracy": 100 * sum(right) / len(right), "details": details, "type": "GEN"}


def livebench(right: Sequence[bool], system: str) -> list[Row]:
    """Return judgments of LiveBench of three tasks in two categories, of unequal sizes."""
    tasks = [("web_of_lies", "reasoning"), ("spatial", "reasoning"), ("typos", "language")]
    rows = []
    for k, correct in enumerate(right):
        task, category = tasks[0 if 2 * k < len(right) else 1 if 10 * k < 7 * len(right) else 2]
        row = {"question_id": f"h{k}", "task": task, "model": system, "score": int(correct)}
        rows.append({**row, "turn": 1, "tstamp": 1.7e9, "category": category})
    return rows


def mt_bench(right: Sequence[bool], system: str) -> list[Row]:
    """Return single-answer judgments of MT-bench: two turns of each question."""
    rows = []
    for k, correct in enumerate(right):
        for turn in (1, 2):
            score = (7 if correct else 4) + (k + turn) % 3
            rows.append(
                {
                    "question_id": 81 + k,
                    "model": system,
                    "judge": ["gpt-4", "single-v1"],
                    "user_prompt": f"q{k}",
                    "judgment": f"Rating: [[{score}]]",
                    "score": score,
                    "turn": turn,
                    "tstamp": 1.7e9,
                }
            )
    return rows


def braintrust(right: Sequence[bool], system: str) -> list[Row]:
    """Return an exported experiment of Braintrust."""
    return [
        {
            "id": f"row{k}-{system}",
            "created": "2026-11-16",
            "input": {"question": f"q{k}"},
            "output": "4" if correct else "5",
            "expected": "4",
            "scores": {"ExactMatch": int(correct), "Factuality": 0.9 if correct else 0.1 * (k % 3)},
            "metrics": {"duration": 1 + k % 3, "total_tokens": 50 + k},
            "metadata": {"topic": "ab"[k % 2]},
            "tags": None,
        }
        for k, correct in enumerate(right)
    ]


def langsmith(right: Sequence[bool], system: str) -> list[str]:
    """Return the lines of an exported experiment of LangSmith."""
    lines = [
        "id,inputs.question,outputs.answer,reference.answer,feedback.correctness,"
        "feedback.conciseness,latency,total_tokens,total_cost,error\n"
    ]
    lines += [
        f"{k}-{system}-uuid,q{k},ans {system},gold,{int(correct)},0.{k % 7},{1 + k % 3},{80 + k},"
        f"0.00{k % 9 + 1},\n"
        for k, correct in enumerate(right)
    ]
    return lines


def langfuse(right: Sequence[bool], system: str) -> list[str]:
    """Return the lines of exported scores of Langfuse."""
    lines = ["id,timestamp,traceId,traceName,name,source,value,stringValue,dataType,metadata\n"]
    lines += [
        f"s{system}{k},2026-11-16T03:00:00Z,t-{system}-{k},{system},correctness,API,{int(correct)},,"
        "NUMERIC,{}\n"
        for k, correct in enumerate(right)
    ]
    return lines


def langfuse_traces(right: Sequence[bool], system: str) -> list[Row]:
    """Return exported traces of Langfuse, with their scores in columns of their own."""
    return [
        {
            "id": f"{k:016x}{len(system):016x}",
            "timestamp": "2026-11-16T03:00:00Z",
            "name": "qa",
            "metadata": {},
            "input": {"question": f"q{k}"},
            "output": f"{system} says",
            "latency": 1 + k % 3,
            "totalCost": 0.001 * (1 + k % 4),
            "totalTokens": 40 + k,
            "observationCount": 1,
            "correctness": [int(correct)],
        }
        for k, correct in enumerate(right)
    ]


def wandb(right: Sequence[bool], system: str) -> Row:
    """Return a table of W&B."""
    data = [[k, system, "x", correct] for k, correct in enumerate(right)]
    return {"columns": ["id", "model", "prediction", "correct"], "data": data}


def every_eval_ever(right: Sequence[bool], system: str) -> list[Row]:
    """Return results with a row per item in the schema every_eval_ever."""
    return [
        {
            "schema_version": "0.2.1",
            "evaluation_id": f"arith/org/{system}/1706000000",
            "model_id": f"org/{system}",
            "evaluation_name": "arith",
            "sample_id": f"a{k}",
            "interaction_type": "single_turn",
            "input": {"raw": f"q{k}", "reference": ["4"]},
            "output": {"raw": ["4" if correct else "5"]},
            "answer_attribution": [{"source": "output.raw", "extracted_value": "4"}],
            "evaluation": {"score": float(correct), "is_correct": correct},
            "token_usage": {"input_tokens": 9, "output_tokens": k % 5, "total_tokens": 9 + k % 5},
            "performance": {"latency_ms": 100 + k},
        }
        for k, correct in enumerate(right)
    ]


def simple_evals(right: Sequence[bool], system: str) -> list[Row]:
    """Return a row per sample, as simple-evals has them."""
    return [
        {
            "question_id": k,
            "question": f"q{k}",
            "answer": "A",
            "extracted_answer": "A" if correct else None,
            "score": float(correct),
            "convo": [
                {"role": "user", "content": f"q{k}"},
                {"role": "assistant", "content": system},
            ],
        }
        for k, correct in enumerate(right)
    ]


def simple_evals_pages(right: Sequence[bool], system: str) -> Row:
    """Return the file of all results of simple-evals: a page and a conversation per sample."""
    return {
        "score": sum(right) / len(right),
        "metrics": {"score:std": 0.5},
        "htmls": [
            f"<h3>Results</h3>\n<p>Correct Answer: A</p>\n<p>Score: {float(correct)}</p>\n"
            for correct in right
        ],
        "convos": [
            [{"role": "user", "content": f"q{k}"}, {"role": "assistant", "content": system}]
            for k in range(len(right))
        ],
    }


def mteb_predictions(right: Sequence[bool], system: str) -> Row:
    """Return the rankings of a retrieval task of MTEB: the document in question first or third."""
    queries = {
        f"q{k}": {f"d{k}": 3.5 if correct else 1.5, "x": 2.5, "y": 2.0}
        for k, correct in enumerate(right)
    }
    meta = {"model_name": f"org/{system}", "revision": "1"}
    return {"mteb_model_meta": meta, "default": {"test": queries}}


def mteb_judgements(items: int) -> list[str]:
    """Return the lines of the judgements of `mteb_predictions`."""
    return [
        "query-id\tcorpus-id\tscore\n",
        *(f"q{k}\td{k}\t1\n" for k in range(items)),
    ]


def as_jsonl(rows: Sequence[Row]) -> str:
    """Write a row a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)
