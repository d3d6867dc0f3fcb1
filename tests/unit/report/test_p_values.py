"""The matrix of p-values, cell by cell, and pairs that differ in both metrics, one or none."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np

import tellapart as ta
from small_counts import some_counts
from tellapart.report.document import p_matrix
from tellapart.report.formats import find_writer
from tellapart.report.text import p_text

RECALL, PRECISION = 2, 1  # the column of tp, fp, fn that counts against the score


def cells(result: ta.Result, *metrics: str) -> dict[tuple[str, str, str], str]:
    """Return what the matrix has for a row over a column, by metric."""
    table = p_matrix(result.record, metrics)
    names = [column.head for column in table.columns[2:]]
    rows = zip(product(names, metrics), table.rows[len(metrics) :], strict=True)
    return {
        (name, other, metric): "".join(cell.parts)
        for (name, metric), row in rows
        for other, cell in zip(names, row.cells[2:], strict=True)
    }


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
    found = cells(result, "recall", "precision")
    scores = {each.name: each.scores for each in result.systems}
    values = {name: np.asarray(counts.values[k]) for k, name in enumerate(counts.names)}
    for row, column in product("ABC", repeat=2):
        for metric, missed in (("recall", RECALL), ("precision", PRECISION)):
            line = found[row, column, metric]
            if row == column or scores[row][metric] < scores[column][metric]:
                assert line == ("." if row == column else "")
            else:
                p = brute_force_p(values[row], values[column], missed)
                assert line == ("*" if p <= 0.05 else "") + p_text(p, 0.05)


def test_there_is_one_p_for_each_pair_and_metric_and_pairs_are_counted_once() -> None:
    muc = ta.compare(ta.example(), test="shuffle", shuffles=999, correction="none", alpha=0.1,
                     metrics=["recall", "precision"], intervals=False)  # fmt: skip
    text, two = find_writer("p-values").write(muc.record), muc.two_metrics
    assert len(re.findall(r"(?<=  )\*?(?:\.\d{4,}|[\d.]+e-\d+|1)(?!\S)", text)) == 2 * 136
    assert f"{two.both} differ in both recall and precision" in " ".join(text.split())
    told: dict[tuple[bool, bool], int] = {}
    same = 0
    for names in combinations([system.name for system in muc.systems], 2):
        recall, precision = muc.pair(*names, "recall"), muc.pair(*names, "precision")
        key = recall.different, precision.different
        told[key] = told.get(key, 0) + 1
        same += key == (True, True) and recall.difference * precision.difference > 0
    assert (two.both, two.first_only) == (told[True, True], told[True, False])
    assert (two.second_only, two.neither) == (told[False, True], told[False, False])
    assert two.same_ahead == same > 0
