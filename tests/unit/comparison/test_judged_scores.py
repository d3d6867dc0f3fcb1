"""What `compare` is asked of a judge's scores and people's is honoured or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tellapart as ta

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
        ({"lower_is_better": "f1"}, "names 'f1', which is no value here"),
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
