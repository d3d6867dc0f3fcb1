"""The three kinds of metric: ratios of sums, functions of sums, functions of items.

A metric is a value that prints as it is typed: ``f0.5``, ``recall``, ``overgeneration``. Most are
ratios of two linear forms of the columns; saying so makes their tests exact and fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import TellapartError, UsageError

ITEMS = "#units"
"""The name by which a form refers to the number of items, as in a mean."""

Weights: TypeAlias = tuple[tuple[str, Fraction], ...]


def _fraction(value: Fraction | int | float | str) -> Fraction:
    # A float stands for the decimal that it prints as: 0.1 is one tenth.
    return Fraction(str(float(value)) if isinstance(value, float) else value)


def _weights(form: Mapping[str, Fraction | int | float | str]) -> Weights:
    weights = {column: _fraction(weight) for column, weight in form.items()}
    return tuple(sorted((column, weight) for column, weight in weights.items() if weight))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A score that is one linear form of the summed columns over another.

    >>> ratio("ser", {"sub": 1, "del": 1, "ins": 1}, {"ref": 1}, higher_is_better=False)
    ser
    """

    name: str
    numerator: Weights
    denominator: Weights
    higher_is_better: bool = True
    undefined: Fraction = Fraction(0)
    """The score where the denominator is zero."""
    proportion: bool = False
    """Whether the numerator counts some of what the denominator counts."""
    signature: str | None = None
    """All that changes the number but the columns do not tell (tokenizer, smoothing, …)"""
    weighted: bool = False
    """Whether items count as their suite has it: a mean of tasks that are not of the same size"""

    def __repr__(self) -> str:
        return self.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the metric reads."""
        used = dict.fromkeys(column for column, _ in self.numerator + self.denominator)
        return tuple(column for column in used if column != ITEMS)

    @property
    def is_mean(self) -> bool:
        """Whether the score is a sum over the number of items."""
        return self.is_weighted_mean and not self.weighted

    @property
    def is_weighted_mean(self) -> bool:
        """Whether the score is a mean over items, each of which may have a weight."""
        return [column for column, _ in self.denominator] == [ITEMS]


@dataclass(frozen=True, slots=True)
class Function:
    """A score that is any vectorised function of the summed columns.

    The function gets an array whose last axis runs over `columns` and returns one score for each
    of the others.

    >>> Function("harm", ("tp", "fp"), lambda sums: sums[..., 0] - sums[..., 1])
    harm
    """

    name: str
    columns: tuple[str, ...]
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    higher_is_better: bool = True
    signature: str | None = None
    """All that changes the number but the columns do not tell (tokenizer, smoothing, …)"""
    undefined: float = 0.0
    """The score where the function gives no finite number"""

    def __repr__(self) -> str:
        return self.name

    def scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of sums, which run along the last axis."""
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self.function(sums), np.float64)
        except (MemoryError, TellapartError):
            raise
        except Exception as problem:  # whatever a user's function raises
            raise _failure(self, "sums", problem) from problem
        if found.shape != sums.shape[:-1]:
            raise UsageError(
                f"the function of metric {self.name!r} is not vectorised: for sums of shape "
                f"{sums.shape} it returned shape {found.shape}; write sums[..., 0] for the first "
                "column, not sums[0]"
            )
        return np.where(np.isfinite(found), found, self.undefined)


@dataclass(frozen=True, slots=True)
class ItemFunction:
    """A score of the rows themselves, for what sums cannot tell (a median, say): the slow path.

    The function gets the rows of one system, items × `columns`, and returns its score.

    >>> ItemFunction("median", ("score",), lambda rows: float(np.median(rows[:, 0])))
    median
    """

    name: str
    columns: tuple[str, ...]
    function: Callable[[NDArray[np.float64]], float]
    higher_is_better: bool = True

    def __repr__(self) -> str:
        return self.name

    def score(self, rows: NDArray[np.float64]) -> float:
        """Return the score of one system's rows, items × columns.

        >>> ItemFunction("best", ("score",), lambda rows: rows.max()).score(np.array([[3.0], [5]]))
        5.0
        """
        try:
            return float(self.function(rows))
        except (MemoryError, TellapartError):
            raise
        except Exception as problem:  # whatever a user's function raises
            raise _failure(self, "rows", problem) from problem


Metric: TypeAlias = Ratio | Function | ItemFunction


def _failure(metric: Function | ItemFunction, what: str, problem: Exception) -> UsageError:
    """Return the complaint about a metric's function that raised an exception."""
    return UsageError(
        f"the function of metric {metric.name!r} fails on {what} of the columns "
        f"{' '.join(metric.columns)}: {type(problem).__name__}: {problem}"
    )


def ratio(
    name: str,
    numerator: Mapping[str, Fraction | int | float | str],
    denominator: Mapping[str, Fraction | int | float | str],
    *,
    higher_is_better: bool = True,
    undefined: Fraction | int | float | str = 0,
) -> Ratio:
    """Return the ratio metric of weighted columns.

    >>> ratio("exact-match", {"cor": 1}, {"pos": 1}).columns
    ('cor', 'pos')
    """
    if not _weights(denominator):
        raise UsageError(f"metric {name!r} needs a denominator: give at least one column a weight")
    return Ratio(
        name, _weights(numerator), _weights(denominator), higher_is_better, _fraction(undefined)
    )


def mean(column: str, name: str | None = None, *, higher_is_better: bool = True) -> Ratio:
    """Return the metric that is the mean of a column over items.

    >>> mean("score")
    mean
    >>> mean("rouge", name="rouge")
    rouge
    """
    found = ratio(name or "mean", {column: 1}, {ITEMS: 1}, higher_is_better=higher_is_better)
    return replace(found, proportion=True)
