"""Ranks: the places of systems that the tests of all pairs do not rule out."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from tellapart.comparison.answers import rank_sets
from tellapart.counts import Counts
from tellapart.report.formats import find_writer

STAIRS = {"low": [0] * 24, "top": [1] * 20 + [0] * 4, "mid": [1] * 10 + [0] * 14}
"""Systems that are all told apart, in an order of their own"""


@pytest.mark.parametrize(
    ("scores", "options", "ranks"),
    [
        (STAIRS, {}, {"low": (3, 3), "top": (1, 1), "mid": (2, 2)}),
        (STAIRS, {"lower_is_better": True}, {"low": (1, 1), "mid": (2, 2), "top": (3, 3)}),
        # Two that nobody can tell apart, far ahead of a third and a fourth.
        ({**STAIRS, "near": [1] * 19 + [0] * 5}, {},
         {"low": (4, 4), "top": (1, 2), "mid": (3, 3), "near": (1, 2)}),
        ({name: [1, 0] * 8 for name in "ABC"}, {}, dict.fromkeys("ABC", (1, 3))),
    ],
)  # fmt: skip
def test_systems_that_are_not_told_apart_share_their_places(
    scores: dict[str, list[int]], options: dict[str, Any], ranks: dict[str, tuple[int, int]]
) -> None:
    assert ta.compare(Counts.from_arrays(scores), **options).ranks == {"mean": ranks}


@pytest.mark.parametrize(
    "asked", [{"baseline": "mid"}, {"tail": "greater"}, {"baseline": "mid", "tail": "less"}]
)
def test_there_are_none_where_not_every_pair_is_compared_both_ways(asked: dict[str, Any]) -> None:
    result = ta.compare(Counts.from_arrays(STAIRS), **asked)
    assert result.ranks == {}
    assert "rank" not in str(result)
    assert "rank" not in find_writer("tsv").write(result.record)


@given(st.lists(st.lists(st.integers(0, 1), min_size=12, max_size=12), min_size=3, max_size=5))
def test_ranks_follow_from_the_pairs_whatever_their_order(rows: list[list[int]]) -> None:
    names = "VWXYZ"[: len(rows)]
    result = ta.compare(
        Counts.from_arrays(dict(zip(names, rows, strict=True))), alpha=0.3, intervals=False
    )
    found = result.ranks["mean"]
    backwards = tuple(pair.turned() for pair in reversed(result.pairs))
    assert rank_sets(replace(result.record, pairs=backwards))["mean"] == found
    for a, b in combinations(names, 2):
        pair = result.pair(a, b)
        if pair.different:
            ahead, behind = (a, b) if pair.difference > 0 else (b, a)
            # One that is shown to be behind has neither the first place nor the other the last.
            assert found[behind][0] > 1
            assert found[ahead][1] < len(names)
    assert all(1 <= best <= worst <= len(names) for best, worst in found.values())
