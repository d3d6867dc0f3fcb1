"""Textbook tests of paired scores."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from known_answers.golden import golden_columns, golden_pairs, needs_golden
from tellapart.stats.paired import mcnemar, paired_t, sign_test, wilcoxon
from tellapart.stats.result import Test


@needs_golden
@pytest.mark.parametrize(
    ("case", "table", "test"),
    [
        ("rw120-t", "right_wrong_120", paired_t),
        ("rw120-wilcoxon", "right_wrong_120", wilcoxon),
        ("rw120-sign", "right_wrong_120", sign_test),
        ("dec40-t", "decimals_40", paired_t),
        ("dec40-wilcoxon", "decimals_40", wilcoxon),
    ],
)
def test_golden_answers(case: str, table: str, test: Callable[..., Test]) -> None:
    columns = golden_columns(table)
    for (a, b), pair in golden_pairs(case).items():
        assert test(columns[a], columns[b]).p == pytest.approx(pair["p"], rel=1e-9)


@needs_golden
def test_golden_mcnemar() -> None:
    a, b = golden_columns("right_wrong_120").values()
    found = mcnemar(int((a > b).sum()), int((b > a).sum()))
    assert found.p == golden_pairs("rw120-mcnemar")["sysA", "sysB"]["p"]
