"""The matrix of p-values, one metric over another, as the Message Understanding Conferences had it.

p stands where the row scores better than the column. A row with many p-values is that of a good
system; one whose p-values are all above, or all below, is good by one of the two metrics alone
(Chinchor, Hirschman and Lewis 1993, figure 10).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import as_reported, ranking
from tellapart.comparison.record import Comparison
from tellapart.report.display_names import display_names
from tellapart.report.numbers import p_text, plain
from tellapart.report.sentences import two_metrics_sentence
from tellapart.report.terminal_text import (
    columns,
    filled,
    left,
    right,
    room,
    short_names,
    shortened,
)
from tellapart.report.wording import claim_word, p_name
from tellapart.words import clean, several

MARK = "*"
"""Before the p of a pair that is told apart"""
_INDENT = "  "
_LONGEST = 20  # columns of a name at the left
_TINY = 1e-4


@dataclass(frozen=True, slots=True)
class PMatrix:
    """The p-values of one metric, or of two, by row and column."""

    result: Comparison
    metrics: tuple[str, ...]
    """The first stands above the second"""
    order: tuple[str, ...]
    """The systems, the best by the first metric first"""
    cells: dict[tuple[str, str], tuple[PairResult | None, ...]]
    """By row and column: for each metric the pair, the row first, where the row scores better"""

    @classmethod
    def of(cls, result: Comparison, metric: str) -> PMatrix:
        """Return the matrix that has a metric: recall over precision, or the metric alone."""
        two = result.two_metrics
        both: tuple[str, ...] = () if two is None else (two.first, two.second)
        metrics = both if metric in both else (metric,)
        cells: dict[tuple[str, str], list[PairResult | None]] = {}
        for pair in result.pairs:
            if pair.metric in metrics:
                shown = as_reported(result, pair)
                cell = cells.setdefault((shown.a, shown.b), [None] * len(metrics))
                cell[metrics.index(pair.metric)] = shown
        order = tuple(system.name for system in ranking(result, metrics[0]))
        return cls(result, metrics, order, {key: tuple(cell) for key, cell in cells.items()})

    def words(self, row: str, column: str) -> tuple[str, ...]:
        """Return the lines of a cell: p, marked where the pair is told apart, or nothing."""
        found = self.cells.get((row, column), (None,) * len(self.metrics))
        return tuple("" if pair is None else self._word(pair) for pair in found)

    def told(self, row: str, column: str) -> int:
        """Return by how many of the metrics two systems are told apart, whichever is ahead."""
        cells = (*self.cells.get((row, column), ()), *self.cells.get((column, row), ()))
        return sum(pair is not None and pair.different for pair in cells)

    def scores(self, system: str) -> tuple[str, ...]:
        """Return the scores of a system, a line each."""
        found = next(each.scores for each in self.result.systems if each.name == system)
        return tuple(plain(found[metric]) for metric in self.metrics)

    def title(self) -> str:
        """Return what the matrix shows."""
        over = " over ".join(clean(metric) for metric in self.metrics)
        return f"{p_name(self.result)}-values of all pairs, {over}"

    def how_to_read(self) -> str:
        """Return where p stands, and what the mark means."""
        where = "p stands where the row scores better than the column"
        if self.result.tail != "two":
            where = f"p is that of the claim that the row is {claim_word(self.result)}"
        if len(self.metrics) == 2:
            where += "; {} above, {} below".format(*map(clean, self.metrics))
        return f"{where}; {MARK} {p_name(self.result)} at most {self.result.alpha:g}: told apart."

    def found(self) -> str:
        """Return how many pairs are told apart: by both metrics, by one, by neither."""
        if len(self.metrics) == 2 and (both := two_metrics_sentence(self.result)):
            return both
        pairs = [p for p in self.result.pairs if p.metric in self.metrics]
        apart = sum(pair.different for pair in pairs)
        return f"{apart:,} of {several(len(pairs), 'pair')} can be told apart."

    def _word(self, pair: PairResult) -> str:
        mark = MARK if pair.different else ""
        return f"{mark}{short_p(pair.p_adjusted, self.result.alpha)}"


def short_p(p: float | None, alpha: float) -> str:
    """Return p as short as a cell needs; a tiny one has a single digit, and none is 0.

    >>> short_p(0.0284, 0.05), short_p(4.6e-8, 0.05), short_p(1.0, 0.05), short_p(None, 0.05)
    ('.0284', '5e-8', '1', '-')
    """
    if p is None or not 1e-300 <= p < min(_TINY, alpha):
        return p_text(p, alpha)
    digit, _, power = f"{p:.0e}".partition("e-")
    return f"{digit}e-{int(power)}"


def matrices(result: Comparison) -> Iterator[PMatrix]:
    """Yield the matrices that hold all metrics once."""
    shown: set[str] = set()
    for metric in result.metrics:
        if metric not in shown:
            found = PMatrix.of(result, metric)
            shown.update(found.metrics)
            yield found


def p_values(result: Comparison) -> str:
    """Return the p-values of all pairs as text, in parts as wide as there is room."""
    result = display_names(result).applied(result)
    return "\n\n".join("\n".join(_lines(each)) for each in matrices(result)) + "\n"


def _lines(matrix: PMatrix) -> Iterator[str]:
    names = short_names(matrix.order, _LONGEST)
    wide = max(6, *map(columns, names.values()))
    digits = max(len(score) for name in matrix.order for score in matrix.scores(name))
    cell = max(digits, *(len(w) for key in matrix.cells for w in matrix.words(*key)))
    heads = short_names(matrix.order, max(cell, 7))
    cell = max(cell, *map(columns, heads.values()))
    at_once = max(1, (room() - len(_INDENT) - wide - 2 - digits) // (cell + 2))
    yield filled(f"{matrix.title()}; {several(len(matrix.order), 'system')}", _INDENT)
    for start in range(0, len(matrix.order), at_once):
        part = matrix.order[start : start + at_once]
        yield ""
        yield _line(("", wide), ("", digits), *((heads[name], cell) for name in part))
        edges = [matrix.scores(name) for name in part]
        for k, _ in enumerate(matrix.metrics):
            yield _line(("", wide), ("", digits), *((scores[k], cell) for scores in edges))
        for row in matrix.order:
            yield from _row(matrix, row, part, (names[row], wide, digits, cell))
    yield ""
    yield filled(f"{matrix.how_to_read()} {matrix.found()}", _INDENT)
    yield from shortened(heads)
    yield from shortened({name: names[name] for name in names if names[name] != heads[name]})


def _row(
    matrix: PMatrix, row: str, part: Sequence[str], look: tuple[str, int, int, int]
) -> Iterator[str]:
    name, wide, digits, cell = look
    for k, score in enumerate(matrix.scores(row)):
        words = (matrix.words(row, other)[k] if other != row else "." for other in part)
        yield _line((name if k == 0 else "", wide), (score, digits), *((w, cell) for w in words))


def _line(name: tuple[str, int], *cells: tuple[str, int]) -> str:
    return (_INDENT + "  ".join([left(*name), *(right(*cell) for cell in cells)])).rstrip()
