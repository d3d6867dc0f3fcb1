"""The matrix of p-values, recall over precision."""

from __future__ import annotations

import re
from itertools import product

import numpy as np

import tellapart as ta
from p_matrices import cells, muc4
from small_counts import some_counts
from tellapart.report.formats import find_writer
from tellapart.report.text import short_p

RECALL, PRECISION = 2, 1  # the column of tp, fp, fn that counts against the score


def p_values(result: ta.Result) -> str:
    return find_writer("p-values").write(result.record)


def brute_force_p(a: np.ndarray, b: np.ndarray, missed: int) -> float:
    """Return the share of all exchanges of items that differ as much as the measured scores."""

    def difference(first: np.ndarray, second: np.ndarray) -> float:
        one, two = (sums[0] / (sums[0] + sums[missed]) for sums in (first.sum(0), second.sum(0)))
        return float(abs(one - two))

    measured, found = difference(a, b), []
    for flips in product((False, True), repeat=len(a)):
        swapped = np.array(flips)[:, None]
        found.append(difference(np.where(swapped, b, a), np.where(swapped, a, b)))
    return float(np.mean(np.array(found) >= measured - 1e-12))


def test_p_stands_in_the_row_of_the_better_system_and_is_that_of_all_exchanges() -> None:
    counts = some_counts(8, "ABC")
    result = ta.compare(counts, metrics=["recall", "precision"], test="exact", correction="none",
                        intervals=False)  # fmt: skip
    found = cells(result, "precision")
    scores = {each.name: each.scores for each in result.systems}
    values = {name: np.asarray(counts.values[k]) for k, name in enumerate(counts.names)}
    for row, column in product("ABC", repeat=2):
        for metric, missed in (("recall", RECALL), ("precision", PRECISION)):
            line = found[row, column, metric]
            if row == column or scores[row][metric] < scores[column][metric]:
                assert line == ("." if row == column else "")
            else:
                p = brute_force_p(values[row], values[column], missed)
                assert line == ("*" if p <= 0.05 else "") + short_p(p, 0.05)


def test_there_is_one_p_for_each_pair_and_metric() -> None:
    """Both, one and neither are counted as the record has them."""
    muc = muc4()
    text, two = p_values(muc), muc.two_metrics
    assert len(re.findall(r"(?<=  )\*?(?:\.\d{4,}|\d+e-\d+|1)(?!\S)", text)) == 2 * 136
    assert two is not None
    assert f"{two.both} differ in both recall and precision" in " ".join(text.split())
