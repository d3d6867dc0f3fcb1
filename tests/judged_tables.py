"""Two systems whom an automatic judge scored and people checked in part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.validity.judges import Judging
from tellapart.counts import Counts

NAMES = ("alder", "birch")


def scores_of(setting: Judging, seed: int = 0) -> Counts:
    """Return the scores of two systems, drawn once."""
    pair = next(setting.drawn(1, seed))
    return Counts.from_arrays(
        {name: each.judge for name, each in zip(NAMES, pair, strict=True)},
        people={name: each.people for name, each in zip(NAMES, pair, strict=True)},
        items=[f"q{k}" for k in range(setting.items)],
    )


def judge_of(scores: Counts) -> NDArray[np.float64]:
    """Return the judge's scores: systems × items."""
    return scores.column("judge") / np.float64(scores.scales[0])


def people_of(scores: Counts) -> NDArray[np.float64]:
    """Return people's scores: systems × items."""
    assert scores.people is not None
    return scores.people


def cell(value: float) -> str:
    return "" if np.isnan(value) else f"{value:g}"


def long_table(scores: Counts, path: Path) -> Path:
    """Write one row per system and item, people's score empty where nobody looked."""
    lines = ["system,item,judge,human"]
    for k, name in enumerate(scores.names):
        values = zip(scores.items, judge_of(scores)[k], people_of(scores)[k], strict=True)
        lines += [f"{name},{item},{judge:g},{cell(human)}" for item, judge, human in values]
    path.write_text("\n".join(lines) + "\n")
    return path
