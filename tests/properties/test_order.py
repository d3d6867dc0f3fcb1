"""Rows that are matched by id may come in any order: the record is the same to the last bit."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.comparison.items import find_differences
from tellapart.comparison.plan import Question, from_pilot, make_plan
from tellapart.counts import Counts
from tellapart.counts.ordering import natural_sorted

SYSTEMS = ("new", "old", "other")
ASKED: dict[str, dict[str, Any]] = {
    "shuffles": {"test": "shuffle", "shuffles": 499},
    "bootstrap": {"test": "bootstrap", "shuffles": 199},
    "clusters": {"test": "shuffle", "shuffles": 199, "cluster": "passage", "by": "topic"},
    "joint": {"correction": "maxt"},
    "runs": {},
    "default": {},
}


def long_rows(runs: int) -> list[dict[str, Any]]:
    """Make the rows of a long table, with labels of the items and, if there are several, runs."""
    rng = random.Random(7)
    return [
        {
            "system": system,
            "item": f"q{k + 1}",
            **({"run": f"seed {run}"} if runs > 1 else {}),
            "passage": f"p{k % 5}",
            "topic": ("sea", "land")[k % 2],
            "score": round(rng.random() * (1.2 if system == "new" else 1.0), 3),
        }
        for run in range(runs)
        for system in SYSTEMS
        for k in range(12)
    ]


@pytest.mark.parametrize("asked", ASKED)
@settings(max_examples=4)
@given(data=st.data())
def test_rows_of_tables_in_any_order(asked: str, data: st.DataObject) -> None:
    """But for the systems, whose order is asked for."""
    rows = long_rows(3 if asked == "runs" else 1)
    expected = ta.compare(ta.read(rows), **ASKED[asked]).to_json()
    found = [rows[k] for k in data.draw(st.permutations(range(len(rows))))]
    found.sort(key=lambda row: SYSTEMS.index(row["system"]))
    assert ta.compare(ta.read(found), **ASKED[asked]).to_json() == expected


def test_plans_and_lists_of_shuffled_items() -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.integers(0, 2, 40) for name in ("A", "B")}
    counts = Counts.from_arrays(values, items=[f"q{k}" for k in range(40)])
    other = counts.keep(rng.permutation(40))
    assert other.items != counts.items
    for ask in (
        lambda given: make_plan(from_pilot(given, "mean"), Question()).to_json(),
        lambda given: [each.item.name for each in find_differences(given).items],
    ):
        assert ask(counts) == ask(other)


@given(st.lists(st.text("a0915_é\0 \n-", max_size=6), unique=True, max_size=12), st.randoms())
def test_natural_order_is_one_order_of_all_ids(ids: list[str], rng: random.Random) -> None:
    """Whatever the order in which ids come, and whichever way they are sorted."""
    expected = natural_sorted(ids)
    assert sorted(expected) == sorted(ids)
    again = list(ids)
    rng.shuffle(again)
    assert natural_sorted(again) == expected
    # The ways for plain numbers and for all else agree.
    beside = natural_sorted([*ids, "~"])
    assert [each for each in beside if each != "~"] == expected
