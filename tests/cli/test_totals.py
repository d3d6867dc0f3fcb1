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
    assert record["different"] is None
    assert record["p"] == pytest.approx([2 * 0.5**14, binomtest(118, 222).pvalue])
