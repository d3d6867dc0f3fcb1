"""Files of preferences: every spelling of who won becomes the share of a prompt that was won."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta


@pytest.fixture
def files(shared_data: Path) -> Path:
    return shared_data / "harnesses" / "formats"


# Known answers of the files


def test_arena_hard_scores_as_it_does_itself(files: Path) -> None:
    """arena-hard's own figure: clear verdicts count three times, the model is B, then A."""
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


def test_alpaca_eval_scores_as_it_does_itself(files: Path) -> None:
    """AlpacaEval's win rate is the mean of preference - 1."""
    result = ta.compare(ta.read(files / "annotations.json"))
    rows = json.loads((files / "annotations.json").read_text())
    scores = {each.name: each.scores["win_rate"] for each in result.systems}
    assert scores["birch"] == pytest.approx(np.mean([r["preference"] - 1 for r in rows]), abs=1e-12)
    assert set(scores) == {"birch", "gpt4_1106_preview"}
