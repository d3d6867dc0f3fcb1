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


def as_jsonl(rows: Sequence[Row]) -> str:
    """Write a row a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)
