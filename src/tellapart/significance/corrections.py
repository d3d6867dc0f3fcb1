"""Corrections for many comparisons: Bonferroni, Šidák, Holm, Hochberg, Benjamini and others.

`level_of_look` is that of a series of checks against the same test set, made one after another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.errors import UsageError
from tellapart.limits import ALPHA, Number

Floats = NDArray[np.float64]


def experimentwise_error(level: float, k: int) -> float:
    """Return the chance of at least one false rejection in k independent tests at `level`.

    >>> round(experimentwise_error(0.05, 105), 4)
    0.9954
    """
    _check_family(level, k)
    return -math.expm1(k * math.log1p(-level))


def per_comparison_level(experimentwise: float, k: int) -> float:
    """Return the level of each of k tests for the wanted experimentwise error (Šidák).

    >>> round(per_comparison_level(0.05, 5), 5)
    0.01021
    """
    _check_family(experimentwise, k)
    return -math.expm1(math.log1p(-experimentwise) / k)


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


def too_few_shuffles(shuffles: int, k: int, alpha: float) -> bool:
    """Return whether no outcome of the shuffles could be significant after Bonferroni.

    >>> too_few_shuffles(999, 136, 0.05)
    True
    """
    return shuffles < least_shuffles(k, alpha)


def adjust(p_values: ArrayLike, method: str) -> Floats:
    """Return the adjusted p-values of one family, in the order given.

    Bonferroni, Šidák, Holm, Holm-Šidák and Hochberg keep the experimentwise error; "bh" and "by"
    (Benjamini with Hochberg, with Yekutieli) the false discovery rate.

    >>> adjust([0.01, 0.04, 0.02], "holm")
    array([0.03, 0.04, 0.04])
    """
    rule = _rule(method)
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1:
        raise UsageError(f"the p-values of a family are a list, not an array of {raw.ndim} axes")
    if not np.all((raw > 0) & (raw <= 1)):  # also false for NaN
        raise UsageError(
            "only p-values above 0 and up to 1 can be adjusted; leave undefined ones out of the "
            "family, and give one too small for a float as the smallest float above 0"
        )
    order = np.argsort(raw, kind="stable")
    ascending = raw[order]
    adjusted = np.empty_like(raw)
    # Rounding must not bring an adjusted p-value below the raw one.
    adjusted[order] = np.clip(rule(ascending), ascending, 1.0)
    return adjusted


def implied_levels(p_values: ArrayLike, method: str, alpha: float) -> Floats:
    """Return, per test, the level at which the adjustment compares its raw p-value.

    >>> implied_levels([0.04, 0.01, 0.2], "holm", 0.06)
    array([0.03, 0.02, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    k = p.size
    rank = np.empty(k, dtype=np.int64)  # 1 for the smallest
    rank[np.argsort(p, kind="stable")] = np.arange(1, k + 1)
    left = k - rank + 1
    if method == "bonferroni":
        return np.full(k, alpha / k)
    if method == "sidak":
        return np.full(k, per_comparison_level(alpha, k))
    if method in ("holm", "hochberg"):
        return np.asarray(alpha / left)
    if method == "holm-sidak":
        return np.asarray(-np.expm1(np.log1p(-alpha) / left))
    if method in ("bh", "by"):
        harmonic = float((1 / np.arange(1, k + 1)).sum()) if method == "by" else 1.0
        return np.asarray(alpha * rank / (k * harmonic))
    return np.full(k, alpha)


def simultaneous_error(method: str, alpha: float, k: int) -> float | None:
    """Return how often each of k intervals may miss, so that all hold at once at 1 - alpha.

    Those of a stepwise correction are its single-step ones. None for corrections that do not
    promise anything about all pairs at once.

    >>> simultaneous_error("holm", 0.05, 10), simultaneous_error("bh", 0.05, 10)
    (0.005, None)
    """
    if method in ("bonferroni", "holm", "hochberg"):
        return alpha / k
    return per_comparison_level(alpha, k) if method in ("sidak", "holm-sidak") else None


def _bonferroni(p: Floats) -> Floats:
    return p * p.size


def _sidak(p: Floats) -> Floats:
    return _any_of(p, np.full(p.shape, p.size))


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * _remaining(p))


def _holm_sidak(p: Floats) -> Floats:
    return np.maximum.accumulate(_any_of(p, _remaining(p)))


def _hochberg(p: Floats) -> Floats:
    return _running_minimum(p * _remaining(p))


def _benjamini_hochberg(p: Floats) -> Floats:
    return _running_minimum(p * (p.size / _rank(p)))


def _benjamini_yekutieli(p: Floats) -> Floats:
    return _running_minimum(p * (p.size / _rank(p) * np.sum(1 / _rank(p))))


# Each rule takes the p-values of the family in ascending order, and may exceed 1.
_RULES: dict[str, Callable[[Floats], Floats]] = {
    "none": np.copy,
    "bonferroni": _bonferroni,
    "sidak": _sidak,
    "holm": _holm,
    "holm-sidak": _holm_sidak,
    "hochberg": _hochberg,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}


def _rule(method: str) -> Callable[[Floats], Floats]:
    if method in _RULES:
        return _RULES[method]
    near = get_close_matches(method.lower(), _RULES, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(
        f"no correction of p-values is called {method!r}{hint} (known: {', '.join(_RULES)})"
    )


def _rank(p: Floats) -> NDArray[np.int64]:
    return np.arange(1, p.size + 1)


def _remaining(p: Floats) -> NDArray[np.int64]:
    """Return the number of hypotheses not yet rejected at the i-th smallest p-value."""
    return np.arange(p.size, 0, -1)


def _any_of(p: Floats, tests: NDArray[np.int64]) -> Floats:
    """Return 1 - (1-p)^tests, also for p far below the spacing of floats near 1."""
    with np.errstate(divide="ignore"):  # p = 1 has the logarithm -inf, and ends up as 1
        several = -np.expm1(tests * np.log1p(-p))
    return np.where(tests == 1, p, several)  # logarithms would change the last bit of one alone


def _running_minimum(values: Floats) -> Floats:
    """Return the values, none larger than a later one."""
    return np.minimum.accumulate(values[::-1])[::-1]


def _check_family(level: float, k: int) -> None:
    if not 0 < level < 1:
        raise UsageError(f"a level must lie between 0 and 1, not {level}")
    if k < 1:
        raise UsageError(f"a family has at least 1 comparison, not {k}")


LOOK = Number(whole=True, least=1)


def level_of_look(alpha: float, look: int) -> float:
    """Return the level of the `look`-th check, from 1 up, against the same items.

    Twenty builds that change nothing, each held at 5 % against the same release, stop at least one
    of them in up to two series of three. So the k-th check gets the share 1 / (k (k + 1)) of alpha:
    the shares of all checks that will ever be made add up to 1, and the chance that a whole series
    has a false alarm stays below alpha, however long it goes on and however alike the checks are.

    That also holds if what is tried next depends on how earlier checks came out, as long as that is
    all that was learnt of the items: up to the first false alarm there is one history only, in
    which every check passed (the argument of Blum and Hardt's ladder, 2015).

    >>> [round(level_of_look(0.05, look), 5) for look in (1, 2, 3, 10)]
    [0.025, 0.00833, 0.00417, 0.00045]
    """
    alpha = ALPHA.checked(alpha, "alpha")
    look = LOOK.checked(look, "look")
    return float(alpha / (look * (look + 1)))
