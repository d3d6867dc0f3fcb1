"""`compare --totals`: what can be said of systems without their files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scipy.stats import binomtest

from tellapart.cli import main


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["compare", "--totals", *words, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


def test_depends_on_the_items(capsys: pytest.CaptureFixture[str]) -> None:
    """From 14 differing items (all of them won) to 222: a range that holds the level."""
    pair = _json(capsys, "A=396/500", "B=382/500")["pairs"][0]
    assert pair["different"] is None
    assert pair["p"] == pytest.approx([2 * 0.5**14, binomtest(118, 222).pvalue])
    assert main(["compare", "--totals", "A=396/500", "B=382/500"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert (
        "Is A really better than B? Cannot tell from totals: p is between .0001 and .3830" in text
    )
    assert "The two may differ on 14 to 222 items" in text


def test_ends_of_many_pairs_are_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("A=40/50", "B=32/50", "C=30/50")
    pairs = _json(capsys, *words)["pairs"]
    smallest = sorted(pair["p"][0] for pair in pairs)
    assert min(pair["p_adjusted"][0] for pair in pairs) == pytest.approx(3 * smallest[0])
    plain = _json(capsys, *words, "--correction", "none")["pairs"]
    assert all(pair["p_adjusted"] == pair["p"] for pair in plain)
