"""Runs and conditions of systems: what is asked of them, and the spread that they add to a pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tellapart.comparison.options import JOINT, Options
from tellapart.comparison.record import RunsInfo
from tellapart.counts import Counts
from tellapart.metrics.scores import Scores
from tellapart.stats.runs import MAX_MISSING, Spread, spread


def runs_info(counts: Counts, options: Options) -> RunsInfo | None:
    """Return what is asked of the runs; None where no system has several.

    Tests and corrections that exchange items, if named, are about these runs only. So is a pair of
    which one system has a single run: ``single`` is said if no pair is left.
    """
    numbers = {name: _runs_of(counts, k) for k, name in enumerate(counts.names)}
    if max(numbers.values()) < 2:  # repeats of items are averaged, and that is all
        return None
    why = _why_fixed(counts, options, numbers)
    return RunsInfo(why is None, numbers, why)


def _runs_of(counts: Counts, system: int) -> int:
    """Return how many runs a system has, in any condition."""
    if counts.cells:
        return len(set(counts.cells[system]))
    return len(counts.runs[system]) if counts.runs else 1


def _why_fixed(counts: Counts, options: Options, numbers: dict[str, int]) -> str | None:
    if options.runs == "fixed":
        return "option"
    if options.test != "auto":
        return "test"
    if options.correction in JOINT:
        return "correction"
    if options.min_confidence is not None:
        return "confidence"
    several = [name for name, number in numbers.items() if number > 1]
    if len(several) < 2 or (options.baseline is not None and options.baseline not in several):
        return "single"
    shares = [_share_missing(counts, k) for k in range(len(counts.names))]
    return "missing" if max(shares) > MAX_MISSING else None


def _share_missing(counts: Counts, system: int) -> float:
    """Return the share of runs of items that a system lacks; one repeat of an item is enough."""
    runs = counts.runs[system]
    cells = counts.cells[system] if counts.cells else tuple(("", str(k)) for k in range(len(runs)))
    lacking = [
        np.isnan(runs[[k for k, own in enumerate(cells) if own == cell]]).all(axis=0)
        for cell in dict.fromkeys(cells)
    ]
    return float(np.mean(lacking)) if len(runs) > 1 else 0.0


def spread_of_pair(scores: Scores, a: int, b: int) -> Spread | None:
    """Return where the uncertainty of a difference comes from; None where runs add nothing.

    None as well where one of the systems has a single run, which does not tell how far it varies.
    """
    cells = scores.counts.cells
    conditions = [{cell[0] for cell in cells[k]} if cells else set() for k in (a, b)]
    return _spread(scores, (a, b), conditions[0] == conditions[1])


def spread_of_system(scores: Scores, system: int) -> Spread | None:
    """Return where the uncertainty of one score comes from; None where runs add nothing."""
    return _spread(scores, (system,))


def _spread(scores: Scores, systems: tuple[int, ...], crossed: bool = True) -> Spread | None:
    values = scores.run_contributions(systems)
    found = None if values is None else spread(*values, crossed=crossed)
    if found is None or not found.varies or found.borrowed:
        return None
    # Contributions add up to the difference of ratios to the first order only.
    apart = [scores.values[system] for system in systems]
    return replace(found, difference=float(apart[0] - sum(apart[1:])))
