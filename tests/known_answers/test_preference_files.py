"""Files of preferences: every spelling of who won becomes the share of a prompt that was won."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from table_files import real


def rates_of(counts: ta.Counts) -> dict[str, list[Fraction]]:
    return {name: [row[0] for row in rows] for name, rows in real(counts).items()}


def rates(path: str, **options: Any) -> dict[str, list[Fraction]]:
    return rates_of(ta.read(path, **options))


@pytest.fixture
def files(shared_data: Path) -> Path:
    return shared_data / "harnesses" / "formats"


# Known answers of the files


def test_words_and_names_of_the_shared_tables(files: Path) -> None:
    """The same 150 judgments as win/tie/lose, as names of places, and as a table of points."""
    wide = [row.split(",") for row in (files / "prefs_wide.csv").read_text().split()[1:]]
    alder = [Fraction(row[1]) for row in wide]
    assert rates(str(files / "prefs.jsonl"))["alder"] == alder
    counts = ta.read(files / "prefs.csv", names="alder,birch")
    assert real(counts) == real(ta.read(files / "prefs.jsonl"))
    assert not [each for each in counts.notices if "--names" in each.text]


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
