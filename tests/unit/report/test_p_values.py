"""The matrix of p-values, recall over precision, as text and as a figure."""

from __future__ import annotations

import re
from itertools import product

import numpy as np

import tellapart as ta
from p_matrices import cells, muc4
from small_counts import some_counts
from svg_reading import with_class
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


def test_text_and_figure_have_the_same_cells() -> None:
    """One p for each pair and metric; both, one and neither are counted as the record has them."""
    muc = muc4()
    text, svg = p_values(muc), muc.figure("p-values").svg
    shaded: dict[str, int] = {}
    drawn = []
    for cell in with_class(svg, "cell"):
        box = cell.find("{*}path")
        assert box is not None
        shade = box.get("fill-opacity", "")
        names = (cell.findtext("{*}title") or "").partition(":")[0].split(" over ")
        shaded[" ".join(sorted(names))] = {"0": 0, "0.12": 1, "0.34": 2}[shade]
        drawn += [each.text or "" for each in cell.iterfind("{*}text")]
    written = re.findall(r"(?<=  )\*?(?:\.\d{4,}|\d+e-\d+|1)(?!\S)", text)
    assert len(drawn) == 2 * 136
    assert sorted(drawn) == sorted(written)
    two = muc.two_metrics
    assert two is not None
    by_count = [list(shaded.values()).count(k) for k in (0, 1, 2)]
    assert by_count == [two.neither, two.first_only + two.second_only, two.both]
    assert f"{two.both} differ in both recall and precision" in " ".join(text.split())
