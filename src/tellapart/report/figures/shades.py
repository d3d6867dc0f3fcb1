"""Shades of heat maps: the same difference has the same shade in every figure of a scale."""

from __future__ import annotations

import math
from collections.abc import Iterable

STRONGEST = 0.75
"""Opacity of the deepest shade: words on it stay readable"""
PALE = 0.1
"""Opacity that no cell exceeds whose difference may be chance"""
_SHARE = 0.25  # of the scale: from here on, all shades are the deepest


def deepest_from(scores: Iterable[float]) -> float:
    """Return the difference from which on a shade is the deepest: a quarter of the scores' scale.

    The scale goes to 1 or, where scores are larger, to the power of ten that holds them all: to 100
    for BLEU. It depends on the kind of scores, not on how far apart these systems happen to be, so
    that a shade means the same in two comparisons.

    >>> deepest_from([0.003, 0.62]), deepest_from([31.2, 28.4]), deepest_from([1.5, 4.5])
    (0.25, 25.0, 2.5)
    """
    largest = max((abs(score) for score in scores if math.isfinite(score)), default=1.0)
    return _SHARE * 10.0 ** max(0, math.ceil(math.log10(max(largest, 1.0)) - 1e-9))


def opacity(difference: float, deepest: float, *, told: bool) -> float:
    """Return the opacity of a cell; `told` says whether chance does not explain its difference.

    >>> [opacity(size, 0.25, told=True) for size in (-0.25, 0.9)], opacity(0.9, 0.25, told=False)
    ([0.75, 0.75], 0.1)
    """
    shade = STRONGEST * min(1.0, abs(difference) / deepest)
    return shade if told else min(shade, PALE)
