"""A judge's scores and people's: what `compare` is asked of them, and plans of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from benchmarks.validity.judges import Judging
from judged_tables import long_table, scores_of
from table_files import Capture
from tellapart.cli import main
from tellapart.comparison.plan import Question, from_labels, make_plan
from tellapart.stats.ppi import powered_difference

ITEMS = 200


def judged() -> ta.Counts:
    """Return three systems of which people labelled the first forty items."""
    rng = np.random.default_rng(4)
    right = {
        name: rng.random(ITEMS) < share for name, share in zip("ABC", (0.9, 0.5, 0.4), strict=True)
    }
    judge = {name: np.where(rng.random(ITEMS) < 0.9, own, ~own) for name, own in right.items()}
    human = {name: [*map(float, own[:40]), *[None] * (ITEMS - 40)] for name, own in right.items()}
    topics = ["sums", "words"] * (ITEMS // 2)
    return ta.Counts.from_arrays(judge, people=human, labels={"topic": topics})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"min_confidence": 0.99}, "drop min_confidence="),
        ({"test": "t"}, "drop test="),
        ({"margin": 0.1}, "drop margin="),
        ({"by": "topic"}, "drop by="),
        ({"cost": "judge"}, "drop cost="),
        ({"metrics": "judge"}, "drop metrics"),
        ({"foo": 3}, "there is no option 'foo'"),
        ({"systems": ["A", "D"]}, "there is no system 'D'"),
        ({"where": {"domain": "sums"}}, "there is no label 'domain'"),
        ({"lower_is_better": "f1"}, "lower_is_better= f1: "),
        ({"other": [1, 0]}, "two arrays go together"),
    ],
)
def test_what_has_no_place_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ta.UsageError, match=said):
        ta.compare(judged(), **asked)


def test_some_systems_and_some_items_are_compared() -> None:
    result = ta.compare(judged(), systems=["C", "A"], where={"topic": "sums"})
    assert [system.name for system in result.systems] == ["C", "A"]
    assert result.record.items.count == ITEMS / 2


@pytest.mark.slow
def test_planned_labels_find_the_difference() -> None:
    """With as many labels as planned, the difference is found about as often as asked."""
    setting = Judging(labels=100, accuracy=0.9, items=800, gap=0.12)
    question = Question(difference=0.12)
    plans = [make_plan(from_labels(scores_of(setting, seed)), question) for seed in range(15)]
    needed = int(np.median([plan.needed or 800 for plan in plans]))
    again = Judging(labels=needed, accuracy=0.9, items=800, gap=0.12)
    found = [powered_difference(*pair).test().p <= 0.05 for pair in again.drawn(300, seed=99)]
    assert 0.72 < np.mean(found) < 0.90


@pytest.mark.parametrize("labels", [1, 5])
def test_plan_by_too_few_labels(labels: int, tmp_path: Path, capsys: Capture) -> None:
    """The refusal says how many it takes, however few there are."""
    scores = scores_of(Judging(labels=labels, accuracy=0.9))
    table = long_table(scores, tmp_path / "s.csv")
    assert main(["plan", str(table), "--metric", "judge", "--human", "human"]) == 2
    number = "1 item" if labels == 1 else "5 items"
    assert f"people labelled {number} of both; a plan needs 10" in capsys.readouterr().err
