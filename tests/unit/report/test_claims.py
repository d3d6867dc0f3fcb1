"""What one-sided tests claim: of the first system, or of all others against a baseline."""

from __future__ import annotations

import pytest

import tellapart as ta
from tellapart.comparison.answers import as_reported
from tellapart.counts import Counts
from tellapart.report.sentences import claim_words
from unit.report.comparing import first_line


def claims(result: ta.Result) -> list[str]:
    return [claim_words(result.record, as_reported(result.record, p)) for p in result.pairs]


@pytest.mark.parametrize("names", [("old", "new"), ("new", "old")])
def test_with_a_baseline_greater_means_better_than_it_wherever_it_stands(
    names: tuple[str, str],
) -> None:
    """The new system is right on eight items more: p = 1/256 for it, 1 against it."""
    counts = Counts.from_arrays({name: [int(name == "new")] * 8 for name in names})
    result = ta.compare(counts, baseline="old", tail="greater")
    (pair,) = result.pairs
    assert ((pair.a, pair.b), pair.p) == (names, 2.0**-8)  # the order of the table stays
    assert claims(result) == ["new is better than old"]
    assert first_line(result.record) == "Is new better than old?  Yes."
    assert "the claim that new is better than old is shown" in result.verdict
    less = ta.compare(counts, baseline="old", tail="less")
    assert (less.pairs[0].p, claims(less)) == (1.0, ["new is worse than old"])


def test_where_less_is_better_a_claim_is_turned_once() -> None:
    counts = Counts.from_arrays({"slow": [5] * 8, "fast": [1] * 8})
    result = ta.compare(counts, baseline="slow", tail="greater", lower_is_better=True)
    assert result.pairs[0].p == 2.0**-8
    assert "the claim that fast is better than slow is shown" in result.verdict


@pytest.mark.parametrize("test", ["auto", "shuffle", "bootstrap", "sign", "wilcoxon", "mcnemar"])
def test_every_test_asks_about_the_other_system(test: str) -> None:
    counts = Counts.from_arrays({"old": [0] * 12, "new": [1] * 9 + [0] * 3})
    swapped = counts.systems["new", "old"]
    for tail, small in (("greater", True), ("less", False)):
        there, back = (
            ta.compare(each, baseline="old", tail=tail, test=test).pairs[0]
            for each in (counts, swapped)
        )
        assert (there.p < 0.05) == small
        assert there.p == pytest.approx(back.p, abs=0.02)
