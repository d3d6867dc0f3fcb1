"""Pairs that earn most: of the fills of a slot, and of the templates of a document.

Both are assignments, solved exactly in polynomial time, so that no document takes for ever. Among
those that earn the same, criteria that add up decide, so that the counts of a document do not
depend on the order in which things stand in a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

WRONG, PARTIAL, CORRECT = 0, 1, 2
"""What a fill is worth, in halves"""

_EXACT: Final = 1 << 52
"""Weights below this are exact in the floating-point numbers of the solver"""


Fit: TypeAlias = tuple[tuple[int, int, int], ...]
"""Rows and columns that are paired and earn something, and what"""


def best_fit(levels: Sequence[Sequence[int]]) -> Fit:
    """Return the pairs of rows and columns that are worth most, and of these the most correct.

    >>> best_fit([[2, 1], [1, 0]])
    ((0, 0, 2),)
    """
    if not any(map(any, levels)):  # so are most slots of most templates
        return ()
    # Two that are partly right are worth one that is right; then the right one is chosen.
    base = 1 + min(len(levels), len(levels[0]))
    worth = {WRONG: 0, PARTIAL: base, CORRECT: 2 * base + 1}
    pairs = assign([[worth[level] for level in row] for row in levels])
    return tuple((i, j, levels[i][j]) for i, j in pairs)


class PairValue(NamedTuple):
    """What two templates have in common, in the order in which it decides."""

    credit: int
    """In halves of a fill"""
    correct: int
    compared: int
    """Fills that stand against each other: the more, the fewer are missing and spurious"""


def most_valuable(values: Sequence[Sequence[PairValue | None]]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of templates that earn most; those that are None are never paired.

    Of equals, those with the most correct fills are taken, then those with the fewest errors, then
    the most pairs.

    >>> half, none = PairValue(1, 0, 1), None
    >>> most_valuable([[PairValue(2, 1, 1), half], [half, none]])
    ((0, 0),)
    >>> most_valuable([[half, none], [half, half]])
    ((0, 0), (1, 1))
    """
    if not values or not values[0]:
        return ()
    sizes = [value.compared for row in values for value in row if value is not None]
    pairs = min(len(values), len(values[0]))
    most, base = 1 + pairs * max(sizes, default=0), 1 + pairs

    def worth(value: PairValue | None) -> int:
        if value is None:
            return 0
        return ((value.credit * most + value.correct) * most + value.compared) * base + 1

    weights = [[worth(value) for value in row] for row in values]
    largest = max(map(max, weights)) * pairs
    if largest >= _EXACT:  # tens of thousands of fills in one document: let the last criteria go
        shift = (largest // _EXACT).bit_length()
        weights = [[-(-weight >> shift) for weight in row] for row in weights]
    return tuple((i, j) for i, j in assign(weights) if values[i][j] is not None)


def largest_sum(weights: Sequence[Sequence[int | Fraction]]) -> int | Fraction:
    """Return the largest sum of weights, of which no two stand in one row or column.

    >>> largest_sum([[1, 1], [1, 0]]), largest_sum([[Fraction(1, 2), 1]]), largest_sum([])
    (2, 1, 0)
    """
    if not weights or not weights[0]:
        return 0
    return sum((weights[i][j] for i, j in assign(weights)), start=0)


def assign(weights: Sequence[Sequence[int | Fraction]]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of rows and columns, each used once, whose weights have the largest sum.

    Pairs that weigh nothing are left out.

    >>> assign([[3, 2], [2, 0]]), assign([[0, 5]]), assign([[0]])
    (((0, 1), (1, 0)), ((0, 1),), ())
    """
    if len(weights) == 1:
        best = max(weights[0])
        return ((0, weights[0].index(best)),) if best else ()
    if len(weights[0]) == 1:
        return tuple((i, 0) for _, i in assign([[row[0] for row in weights]]))
    if not any(map(any, weights)):
        return ()
    import numpy as np
    from scipy.optimize import linear_sum_assignment  # takes a while to load

    rows, columns = linear_sum_assignment(np.array(weights, np.float64), maximize=True)
    found = zip(rows.tolist(), columns.tolist(), strict=True)
    return tuple((i, j) for i, j in found if weights[i][j])
