"""Plans of labels: how many items people should label beside a judge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.validity.judges import Judging
from judged_tables import long_table, scores_of
from tellapart.cli import main
from tellapart.comparison.plan import Question, from_labels, make_plan
from tellapart.stats.ppi import Judged, powered_difference


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the one sentence of a refusal."""
    assert main([*map(str, words)]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    return told[-1]


def _p(first: Judged, second: Judged) -> float:
    p = powered_difference(first, second).test().p
    assert p is not None
    return p


@pytest.mark.slow
def test_planned_labels_find_the_difference() -> None:
    """With as many labels as planned, the difference is found about as often as asked."""
    setting = Judging(labels=100, accuracy=0.9, items=800, gap=0.12)
    question = Question(difference=0.12)
    plans = [make_plan(from_labels(scores_of(setting, seed)), question) for seed in range(15)]
    needed = int(np.median([plan.needed or 800 for plan in plans]))
    again = Judging(labels=needed, accuracy=0.9, items=800, gap=0.12)
    found = [_p(*pair) <= 0.05 for pair in again.drawn(300, seed=99)]
    assert 0.72 < np.mean(found) < 0.90


@pytest.mark.parametrize("labels", [1, 5])
def test_plan_by_too_few_labels(
    labels: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal says how many it takes, however few there are."""
    scores = scores_of(Judging(labels=labels, accuracy=0.9))
    table = long_table(scores, tmp_path / "s.csv")
    told = refusal(capsys, "plan", table, "--metric", "judge", "--human", "human")
    number = "1 item" if labels == 1 else "5 items"
    assert f"people labelled {number} of both systems; a plan needs 10" in told
