"""Ranks: the places of systems that the tests of all pairs do not rule out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from quiz_files import YES, quiz_table
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.answers import rank_sets
from tellapart.counts import Counts
from tellapart.report.document import system_table
from tellapart.report.formats import find_writer

STAIRS = {"low": [0] * 24, "top": [1] * 20 + [0] * 4, "mid": [1] * 10 + [0] * 14}
"""Systems that are all told apart, in an order of their own"""


def tied() -> Counts:
    """Give two systems that nobody can tell apart, far ahead of a third and a fourth."""
    near = [1] * 19 + [0] * 5
    return Counts.from_arrays({**STAIRS, "near": near})


def test_systems_that_all_differ_have_one_place_each() -> None:
    result = ta.compare(Counts.from_arrays(STAIRS))
    assert result.ranks == {"mean": {"low": (3, 3), "top": (1, 1), "mid": (2, 2)}}


def test_systems_that_are_not_told_apart_share_their_places() -> None:
    assert ta.compare(tied()).ranks["mean"] == {
        "low": (4, 4), "top": (1, 2), "mid": (3, 3), "near": (1, 2),
    }  # fmt: skip


def test_where_nothing_is_shown_every_place_is_possible() -> None:
    same = Counts.from_arrays({name: [1, 0] * 8 for name in "ABC"})
    assert set(ta.compare(same).ranks["mean"].values()) == {(1, 3)}


def test_where_lower_is_better_the_smallest_score_is_first() -> None:
    result = ta.compare(Counts.from_arrays(STAIRS), lower_is_better=True)
    assert result.ranks["mean"] == {"low": (1, 1), "mid": (2, 2), "top": (3, 3)}


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


def test_terminal_table_and_page_show_the_ranks_of_the_record(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write("quiz.csv", quiz_table(YES))
    words = ["compare", table, "--cluster", "passage"]
    assert main([*words, "--json", "record.json", "--html", "page.html"]) == 0
    record = json.loads(Path("record.json").read_text(encoding="utf-8"))
    assert record["ranks"]["mean"] == {"alder": [2, 3], "birch": [1, 1], "cedar": [2, 3]}
    text = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[-2] for line in text.splitlines() if " - 0." in line}
    assert rows == {"alder": "2-3", "birch": "1", "cedar": "2-3"}
    assert "rank: the places that a system may truly hold, for all systems at once (95 %)" in text
    page = Path("page.html").read_text(encoding="utf-8")
    assert len(re.findall("2[-–]3</td>", page)) == 2
    assert "may truly hold, for all systems at once (95 %)</p>" in page
    assert ta.Comparison.from_json(json.dumps(record)).ranks["mean"]["birch"] == (1, 1)


def test_bold_are_those_that_share_a_group_with_the_best_however_many_groups_there_are() -> None:
    rng = np.random.default_rng(5)
    skills = np.linspace(0.1, 0.9, 60)
    scores = {f"s{k:02d}": (rng.random(200) < own).astype(int) for k, own in enumerate(skills)}
    record = ta.compare(scores, intervals=False, correction="none").record
    letters = record.letters["mean"]
    assert any("aa" in own.split() for own in letters.values())
    for row in system_table(record, "mean").rows:
        assert row.bold == ("a" in letters[row.cells[0].parts[0]].split())
