"""Histograms of differences under the null hypothesis, in bins that fit their lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tellapart.stats.result import Flags, Floats

_ARM, _LATTICE_ARM = 20, 30  # bins on each side of the middle one; more where they must fit steps


@dataclass(frozen=True, slots=True)
class Histogram:
    """Differences under the null hypothesis, counted in bins of equal width."""

    start: float
    """The left edge of the first bin"""
    width: float
    counts: tuple[int, ...]
    extreme: tuple[int, ...]
    """Per bin: how many differ at least as much as the measured difference, on the tested side"""
    flipped: bool
    """Whether signs of terms were flipped; otherwise whole outputs were exchanged"""

    @property
    def shuffles(self) -> int:
        """How many were drawn."""
        return sum(self.counts)


def step_of(terms: Floats) -> float | None:
    """Return how far apart neighbouring sums are, where terms are whole numbers."""
    if not (terms == np.rint(terms)).all():
        return None
    return 2.0 * int(np.gcd.reduce(terms.astype(np.int64))) or None


def binned(
    values: Floats, extreme: Flags, worth: float, step: float | None, *, flipped: bool
) -> Histogram:
    """Return values counted in bins of equal width, alike on both sides of 0.

    0 is in the middle of a bin, except where values lie on a lattice that leaves it out: there it
    is between two bins, so that the points are in the middle of theirs. `worth` is the difference
    of scores that a value of 1 is.
    """
    reach = float(np.abs(values).max())
    skips_zero = step is not None and bool(values[0] % step)
    if step is None:
        width = reach / _ARM or 1.0  # if every exchange gives the same score
    else:
        # Bins with equally many lattice points each, or combs would appear; where 0 is a point, an
        # odd number of steps, so that none lies on an edge.
        steps = max(1, math.ceil(reach / ((_LATTICE_ARM + 0.5) * step)))
        width = step * (steps + (1 if steps % 2 == 0 and not skips_zero else 0))
    shift = 0.5 if skips_zero else 0.0
    # The last digits are left out, so that a histogram and its mirror image agree.
    bins = np.rint(np.round(values / width - shift, 9)).astype(np.int64)
    highest = round(reach / width - shift)
    lowest = -highest - (1 if skips_zero else 0)
    size = highest - lowest + 1
    counted = [np.bincount(part - lowest, minlength=size) for part in (bins, bins[extreme])]
    return Histogram(
        (lowest - 0.5 + shift) * width * worth,
        width * worth,
        tuple(counted[0].tolist()),
        tuple(counted[1].tolist()),
        flipped,
    )
