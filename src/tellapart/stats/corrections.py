"""Corrections for many comparisons, and levels of tests that are made one after another."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from tellapart.errors import UsageError
from tellapart.stats.result import Floats, probability

METHODS = "none", "bonferroni", "holm", "bh"


def bonferroni(p: ArrayLike) -> Floats:
    """Return p-values times their number: the chance of any false rejection stays at the level.

    Args:
        p: the p-values of one family, above 0 and up to 1.

    >>> bonferroni([0.01, 0.04])
    array([0.02, 0.08])
    """
    return adjust(p, "bonferroni")


def holm(p: ArrayLike) -> Floats:
    """Return p-values adjusted by Holm's steps: as Bonferroni's, and never larger.

    Args:
        p: the p-values of one family, above 0 and up to 1.

    >>> holm([0.01, 0.04, 0.02])
    array([0.03, 0.04, 0.04])
    """
    return adjust(p, "holm")


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return p-values adjusted for the false discovery rate (Benjamini and Hochberg 1995).

    Args:
        p: the p-values of one family, above 0 and up to 1.

    >>> benjamini_hochberg([0.01, 0.04, 0.02])
    array([0.03, 0.04, 0.03])
    """
    return adjust(p, "bh")


def adjust(p: ArrayLike, method: str) -> Floats:
    """Return the adjusted p-values of one family, in the order given.

    Args:
        p: the p-values, above 0 and up to 1.
        method: ``none``, ``bonferroni``, ``holm``, ``bh``. "bh" is Benjamini's and Hochberg's false
            discovery rate.

    >>> adjust([0.01, 0.04, 0.02], "none")
    array([0.01, 0.04, 0.02])

    """
    values = np.asarray(p, np.float64)
    if values.ndim != 1 or not ((values > 0) & (values <= 1)).all():  # also false for NaN
        raise UsageError("p must hold the p-values of one family, above 0 and up to 1")
    order = np.argsort(values, kind="stable")
    ascending, k = values[order], values.size
    ranks = np.arange(1, k + 1)
    if _known(method) == "none":
        stepped = ascending
    elif method == "bonferroni":
        stepped = k * ascending
    elif method == "holm":
        stepped = np.maximum.accumulate((k - ranks + 1) * ascending)
    else:
        stepped = np.minimum.accumulate((k / ranks * ascending)[::-1])[::-1]
    adjusted = np.empty_like(values)
    adjusted[order] = np.clip(stepped, ascending, 1.0)  # rounding must not bring it below the raw p
    return adjusted


def implied_levels(p: ArrayLike, method: str, alpha: float) -> Floats:
    """Return the level at which a correction compares each p-value, families along the last axis.

    >>> implied_levels([0.04, 0.01, 0.2], "holm", 0.06)
    array([0.03, 0.02, 0.06])
    """
    values = np.asarray(p, np.float64)
    k = values.shape[-1]
    ranks = values.argsort(axis=-1, kind="stable").argsort(axis=-1) + 1
    if _known(method) == "holm":
        return np.asarray(alpha / (k - ranks + 1))
    if method == "bh":
        return np.asarray(alpha * ranks / k)
    return np.full(values.shape, alpha / k if method == "bonferroni" else alpha)


def simultaneous_error(method: str, alpha: float, k: int) -> float | None:
    """Return how often each of k intervals may miss, so that all hold at once at 1 - alpha.

    None for corrections that promise nothing about all pairs at once.

    >>> simultaneous_error("holm", 0.05, 10), simultaneous_error("bh", 0.05, 10)
    (0.005, None)
    """
    return alpha / k if _known(method) in ("bonferroni", "holm") else None


def least_shuffles(k: int, alpha: float) -> int:
    """Return the least shuffles with which p can pass Bonferroni's correction for k comparisons.

    >>> least_shuffles(136, 0.05)
    2719
    """
    _check_family(alpha, k)
    shuffles = max(1, math.ceil(k / alpha) - 2)
    while k / (shuffles + 1) > alpha:  # at most twice: the quotient above is rounded
        shuffles += 1
    return shuffles


def level_of_look(alpha: float, look: int) -> float:
    """Return the level of the `look`-th check, from 1 up, against the same items.

    It is the share 1 / (k (k + 1)) of alpha. All shares add up to 1, so that the chance of a false
    alarm in a whole series stays below alpha, however long it goes on and however alike the checks
    are. That also holds if what is tried next depends on how earlier checks came out, as long as
    that is all that was learnt of the items: up to the first false alarm there is one history, in
    which every check passed (Blum and Hardt 2015).

    >>> [round(level_of_look(0.05, look), 5) for look in (1, 2, 3, 10)]
    [0.025, 0.00833, 0.00417, 0.00045]
    """
    _check_family(alpha, look)
    return alpha / (look * (look + 1))


def _known(method: str) -> str:
    if method not in METHODS:
        raise UsageError(f"there is no correction {method!r}; there are {', '.join(METHODS)}")
    return method


def _check_family(level: float, k: int) -> None:
    probability(level, "a level")
    if k != int(k) or k < 1:
        raise UsageError(f"there must be at least 1 comparison, not {k}")
