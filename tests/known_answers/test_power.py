"""Power: by all outcomes, by brute force, by statsmodels, and what holds of every pilot."""

from __future__ import annotations

import json

import pytest

import tellapart as ta
from known_answers.golden import GOLDEN, needs_golden
from tellapart.metrics import metric
from tellapart.metrics.scores import score_counts
from tellapart.stats.power import (
    detectable,
    needed,
    read_pilot,
)

# --- plans of version 0.1 ---


@needs_golden
@pytest.mark.parametrize(
    ("case", "table", "pair", "name"),
    [
        ("plan-60", "right_wrong_60", ("sysA", "sysB"), "score"),
        ("plan-250", "right_wrong_250", ("sysA", "sysB"), "score"),
        ("plan-decimals", "decimals_150", ("one", "three"), "score"),
        ("plan-f1", "tp_fp_fn", ("crf", "bert"), "f1"),
    ],
)
def test_plans_are_those_of_the_first_version(
    case: str, table: str, pair: tuple[str, str], name: str
) -> None:
    counts = ta.read(GOLDEN / "tables" / f"{table}.csv")
    chosen = ta.mean("score") if name == "score" else metric(name, counts.columns)
    scores = score_counts(counts, chosen)
    a, b = (counts.names.index(system) for system in pair)
    terms = scores.terms(a, b, "own")
    assert terms is not None
    pilot = read_pilot(terms.contributions * scores.n, differing=scores.differing(a, b))
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    (expected,) = (each["answer"]["plan"] for each in cases if each["name"] == case)
    found = detectable(pilot).difference
    assert found == pytest.approx(expected["detectable"], rel=0.06)
    assert found is not None
    assert needed(pilot, found / 2).n == pytest.approx(expected["needed"], rel=0.06)
