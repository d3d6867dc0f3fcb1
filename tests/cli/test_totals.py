"""`compare --totals`: what can be said of systems without their files."""

from __future__ import annotations

import json

import pytest
from scipy.stats import binomtest

from table_files import Capture
from tellapart.cli import main


def test_depends_on_the_items(capsys: Capture) -> None:
    """From 14 differing items (all of them won) to 222: a range that holds the level."""
    assert main(["compare", "--totals", "A=396/500", "B=382/500", "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    (pair,) = record["pairs"]
    assert pair["different"] is None
    assert pair["p"] == pytest.approx([2 * 0.5**14, binomtest(118, 222).pvalue])


def test_both_ends_of_many_pairs_are_corrected(capsys: Capture) -> None:
    command = ["compare", "--totals", "A=40/50", "B=32/50", "C=30/50", "--json", "-"]
    assert main(command) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    for end in (0, 1):
        smallest = min(pair["p"][end] for pair in pairs)
        assert min(pair["p_adjusted"][end] for pair in pairs) == pytest.approx(3 * smallest)
    assert main([*command, "--correction", "none"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert all(pair["p_adjusted"] == pair["p"] for pair in pairs)
