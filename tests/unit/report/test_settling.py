"""The sentence on how many more items would settle what cannot be told."""

from __future__ import annotations

import numpy as np

import tellapart as ta
from quiz_files import quiz_counts
from tellapart.report.document import finding

SETTLING = "would settle it four times out of five, if the true difference is"


def compared(won: int, lost: int, tied: int) -> ta.Result:
    return ta.compare([1] * won + [0] * (lost + tied), [0] * won + [1] * lost + [0] * tied)


def test_what_cannot_be_told_says_how_many_more_items_would() -> None:
    result = compared(30, 20, 50)
    assert result.answers["mean"].answer == "Cannot tell"
    assert result.answers["mean"].more_items == 308
    assert result.verdict.endswith(f"About 310 more items {SETTLING} 0.100.")
    question, answer, verdict, advice = finding(result.record, "mean")
    assert (question, answer) == ("Is a really better?", "Cannot tell")
    assert SETTLING not in verdict
    assert advice == f"About 310 more items {SETTLING} 0.100."


def test_where_items_may_hang_together_the_advice_is_to_cluster_them() -> None:
    counts = quiz_counts()
    assert "passage" in counts.labels
    result = ta.compare(counts.systems["alder", "birch"])
    asked = "To make sure, add --cluster passage."
    assert finding(result.record, "mean")[3] == asked
    clustered = ta.compare(counts.systems["alder", "birch"], cluster="passage")
    assert finding(clustered.record, "mean")[3] != asked


def test_no_advice_where_nothing_differs_or_too_many_would_be_needed() -> None:
    assert SETTLING not in compared(25, 25, 50).verdict
    close = compared(501, 500, 0)
    assert close.answers["mean"].more_items is None or close.answers["mean"].more_items > 100_100
    assert SETTLING not in close.verdict


def test_of_several_the_hardest_to_tell_from_the_best_counts() -> None:
    """One pair is nearly shown and the other far from it: both are waited for."""
    scores = {"best": [1] * 60 + [0] * 40, "near": [0] * 10 + [1] * 55 + [0] * 35}
    scores["far"] = [1] * 50 + [0] * 50
    scores["far"][:2], scores["far"][-2:] = [0, 0], [1, 1]
    both = ta.compare({name: np.array(own) for name, own in scores.items()})
    hard = ta.compare({name: np.array(scores[name]) for name in ("best", "near")})
    far, near = both.pair("best", "far").p, both.pair("best", "near").p
    assert far is not None
    assert near is not None
    assert far < near
    alone, found = (each.answers["mean"].more_items for each in (hard, both))
    assert alone is not None
    assert found is not None
    assert found >= alone
    said = "more items would tell best and near apart four times out of five, if the true "
    assert said in both.verdict
    assert "settle it" not in both.verdict
    alike = ta.compare({name: np.array(own) for name, own in scores.items()}, margin=0.01)
    assert alike.answers["mean"].more_items is None
