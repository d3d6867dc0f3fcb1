"""The matrix of p-values, cell by cell, and pairs that differ in both metrics, one or none."""

from __future__ import annotations

import re
from itertools import combinations, product

import tellapart as ta
from small_counts import some_counts
from tellapart.report.document import p_matrix
from tellapart.report.formats import find_writer
from tellapart.report.text import p_text


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


def test_p_stands_in_the_row_of_the_better_system() -> None:
    metrics = ["recall", "precision"]
    result = ta.compare(some_counts(8, "ABC"), metrics=metrics, correction="none", intervals=False)
    found = cells(result, *metrics)
    scores = {each.name: each.scores for each in result.systems}
    for row, column, metric in product("ABC", "ABC", metrics):
        line = found[row, column, metric]
        if row == column or scores[row][metric] < scores[column][metric]:
            assert line == ("." if row == column else "")
        else:
            p = result.pair(row, column, metric).p
            assert line == ("*" if p <= 0.05 else "") + p_text(p, 0.05)


def test_a_tiny_p_has_one_digit_so_that_more_systems_fit() -> None:
    result = ta.compare({"A": [1] * 20, "B": [0] * 20})
    assert cells(result, "mean")["A", "B", "mean"] == "*2e-06"


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
