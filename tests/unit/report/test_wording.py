"""How reports word ties, margins, corrections and signatures."""

from __future__ import annotations

import re
from typing import Any

import pytest
from scipy.stats import norm

import tellapart as ta
from quiz_files import CANNOT_TELL, NEARLY, quiz_counts
from tellapart.comparison.answers import headline
from tellapart.counts import Counts
from tellapart.report.text import two_digits
from unit.report.comparing import first_line

ALTERNATING = {"x": [1, 0] * 10, "birch": [0, 1] * 10}


def subject(result: ta.Result) -> str:
    found = re.match(r"Is (\S+) ", first_line(result.record))
    assert found is not None
    return found[1]


@pytest.mark.parametrize("names", [("x", "birch"), ("birch", "x"), ("x", "birch", "low")])
def test_ties_are_told_of_the_system_in_question(names: tuple[str, ...]) -> None:
    scores = {**ALTERNATING, "low": [0] * 20}
    result = ta.compare(Counts.from_arrays({name: scores[name] for name in names}))
    assert subject(result) == "birch"
    assert result.verdict.startswith("birch ")
    assert "has the same score as x, though not on every item" in result.verdict
    assert "  birch - x " in str(result)


@pytest.mark.parametrize("scale", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("digits", [1, 15])
def test_who_is_better_by_little_is_told_by_how_much(scale: float, digits: int) -> None:
    """However small scores are, the better one does not look like the other."""
    first = [round(k % 7 + 1 / 3, digits) for k in range(40)]
    second = [round(each + 0.2 + k % 3 / 7, digits) for k, each in enumerate(first)]
    scores = {"A": first, "B": second}
    result = ta.compare(
        Counts.from_arrays({name: [each * scale for each in own] for name, own in scores.items()})
    )
    text = str(result)
    assert "B is better than A: it scores" in " ".join(text.split())
    assert not re.search(r"\b0\.000\b", text), text
    known = ta.compare(Counts.from_arrays(scores))
    low, high = result.systems[0].intervals["mean"]
    assert (low, high) == pytest.approx(
        [scale * (end or 0.0) for end in known.systems[0].intervals["mean"]], rel=1e-3
    )


def test_the_pairs_that_keep_a_margin_are_named() -> None:
    result = ta.compare(quiz_counts(NEARLY), margin=0.3, cluster="passage")
    assert [pair.equivalent for pair in result.pairs] == [False, True, False]
    assert first_line(result.record) == (
        "Are any two systems equivalent within 0.3?  Yes: cedar - alder (1 of 3 pairs)."
    )
    assert result.verdict.endswith("Equivalent within 0.3: cedar - alder.")
    tight = ta.compare(quiz_counts(NEARLY), margin=0.001, cluster="passage")
    assert first_line(tight.record).endswith("?  Cannot tell.")
    assert tight.verdict.endswith("Equivalent within 0.001: no two are shown to be.")


def test_what_could_be_shown_allows_for_the_correction() -> None:
    """Two pairs by Holm: the smallest p has to pass half of the level."""
    options: dict[str, Any] = {"cluster": "passage", "baseline": "alder"}
    result = ta.compare(quiz_counts(CANNOT_TELL), **options)
    bare = ta.compare(quiz_counts(CANNOT_TELL), **options, correction="none")
    alone, found = (headline(each.record, "mean").diagnostics.detectable for each in (bare, result))
    assert alone is not None
    assert found is not None
    needed = [norm.ppf(1 - level / 2) + norm.ppf(0.8) for level in (0.05, 0.05 / 2)]
    assert found / alone == pytest.approx(needed[1] / needed[0], rel=0.05)
    given = "With 24 passages and the correction for 2 pairs"
    assert f"{given}, a true difference of {two_digits(found)} would be found" in result.verdict
    assert f"With 24 passages, a true difference of {two_digits(alone)} would" in bare.verdict
