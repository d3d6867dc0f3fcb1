"""Suites: 57 tasks × 6 models of the size of MMLU, and samples of 100 MB read from disk.

The peer makes the same differences and exact p-values of all tasks and pairs by a loop of
`scipy.stats.binomtest`; the peer of reading is `json.loads` of every line, kept.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import tellapart as ta
from benchmarks.measure import best, goal, heading, line, peak_megabytes
from tellapart.counts.suites import Suite

TASKS, MODELS, ITEMS = 57, 6, 14_042
SAMPLES, TEXT = 20_000, 2_400  # rows of 5 kB: 100 MB for each of two models, in ten tasks


def run() -> None:
    """Print the times and the memory of a suite."""
    heading(f"{TASKS} tasks × {MODELS} models, {ITEMS:,} items")
    counts = _mmlu()
    result = ta.compare(counts)
    own = [part.p for part in result.slices if part.p is not None]
    p_values = _by_scipy(counts)
    assert len(own) == len(p_values) == TASKS * MODELS * (MODELS - 1) // 2
    ours = best(lambda: ta.compare(counts), 2)
    line("compare: overall, all pairs on all tasks, intervals", ours)
    line(
        "scipy.stats.binomtest of all pairs on all tasks, no more",
        best(lambda: _by_scipy(counts), 2),
        ours,
    )
    line(
        "scipy.stats.permutation_test of one pair overall, no more",
        best(lambda: _overall(counts), 1),
        ours,
    )
    apart = max(abs(a - b) for a, b in zip(own, p_values, strict=True))
    goal("p-values of tasks apart from scipy's", apart, 1e-9)
    with tempfile.TemporaryDirectory() as folder:
        size = _write(Path(folder))
        heading(f"samples of lm-eval, {size / 1e6:.0f} MB in 20 files")
        ours = best(lambda: ta.read(folder), 2)
        line("read", ours)
        line("json.loads of every line, kept", best(lambda: loaded(folder), 2), ours)
        most, whole = (
            peak_megabytes(f"{load}({folder!r})")
            for load in (
                "import tellapart as ta; counts = ta.read",
                "from benchmarks.suites import loaded; rows = loaded",
            )
        )
        goal("peak memory, as a share of that of json.loads", most / whole, 1.0)
        print(f"  {most:.0f} MB, json.loads {whole:.0f} MB")


def _mmlu() -> ta.Counts:
    """Return six models on tasks whose sizes are spread as those of MMLU are."""
    rng = np.random.default_rng(0)
    sizes = np.sort(rng.lognormal(5.2, 0.7, TASKS))
    sizes = np.maximum(100, (sizes * ITEMS / sizes.sum())).astype(int)
    tasks = [f"task_{k:02}" for k, n in enumerate(sizes) for _ in range(n)]
    hard = rng.normal(0, 1, len(tasks))
    arrays = {
        f"model{m}": (hard + rng.normal(0, 1, len(tasks)) < 0.3 + 0.05 * m).astype(int)
        for m in range(MODELS)
    }
    items = [f"{task}/{k}" for k, task in enumerate(tasks)]
    counts = ta.Counts.from_arrays(arrays, items=items, labels={"task": tasks})
    return replace(counts, suite=Suite.of(tasks))


def _by_scipy(counts: ta.Counts) -> list[float]:
    """Return the exact p of every pair on every task."""
    from scipy.stats import binomtest

    tasks = np.array(counts.labels["task"])
    right = {name: counts.values[k, :, 0] for k, name in enumerate(counts.names)}
    found = []
    for a, b in combinations(counts.names, 2):
        for task in dict.fromkeys(counts.labels["task"]):
            of_task = tasks == task
            one, other = right[a][of_task], right[b][of_task]
            won, lost = int((one > other).sum()), int((one < other).sum())
            found.append(binomtest(won, won + lost).pvalue if won + lost else 1.0)
    return found


def _overall(counts: ta.Counts) -> float:
    """Return p of the mean of tasks of one pair, by 9,999 shuffles."""
    from scipy.stats import permutation_test

    assert counts.suite is not None
    weights = counts.suite.weights(counts.sizes)
    assert weights is not None
    one, other = weights * counts.values[:2, :, 0]
    found = permutation_test(
        (one, other), lambda x, y, axis: (x - y).sum(axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=9_999, batch=100, rng=np.random.default_rng(0),
    )  # fmt: skip
    return float(found.pvalue)


def _write(folder: Path) -> int:
    """Write samples as lm-eval does, with long prompts; return their size."""
    rng = np.random.default_rng(1)
    words = "x" * TEXT
    size = 0
    for model in ("alder", "birch"):
        for task in range(10):
            path = folder / f"org__{model}" / f"samples_task{task}_2026-11-16T03-01-22.97.jsonl"
            path.parent.mkdir(exist_ok=True)
            with path.open("w") as file:
                for doc in range(SAMPLES // 10):
                    row: dict[str, Any] = {
                        "doc_id": doc, "doc": {"question": f"{doc} {words}"}, "target": "A",
                        "arguments": {"gen_args_0": {"arg_0": f"{doc} {words}", "arg_1": " A"}},
                        "resps": [[["-1.0", "False"]]], "filtered_resps": [["-1.0", "False"]],
                        "filter": "none", "metrics": ["acc"], "doc_hash": f"d{task}-{doc}",
                        "prompt_hash": f"p{doc}", "target_hash": "t",
                        "acc": float(rng.integers(2)),
                    }  # fmt: skip
                    file.write(json.dumps(row) + "\n")
            size += path.stat().st_size
    return size


def loaded(folder: str) -> list[Any]:
    """Return all samples of a folder, as a program does that takes no care."""
    return [json.loads(line) for path in Path(folder).rglob("*.jsonl") for line in path.open()]
