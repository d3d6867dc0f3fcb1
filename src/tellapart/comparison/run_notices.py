"""What a report says of runs: which question was asked of them, and where the noise comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.comparison.pair_record import Noise, PairResult
from tellapart.errors import Notice
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound, Projection
from tellapart.significance.options import Options
from tellapart.significance.varying_runs import MOST_MISSING, AskedOfRuns
from tellapart.words import listed, plural

_OTHERS = "other runs of the same systems may give another"


def notices_of_runs(
    projection: Projection, pairs: Sequence[PairResult], options: Options, runs: AskedOfRuns | None
) -> Iterator[Notice]:
    """Yield what readers have to know where systems have several runs."""
    if runs is None:
        return
    used_up = [bound.metric.name for bound in projection.metrics if _used_up(projection, bound)]
    if used_up:
        use = "uses" if len(used_up) == 1 else "use"
        text = f"{listed(used_up)} {use} up the runs of an item: the verdict is about "
        yield Notice("runs-used-up", f"{text}other {_items(projection)}, not about other runs.")
        if len(used_up) == len(projection.metrics):
            return
    if runs.asked == "fixed":
        yield Notice("these-runs", f"{_why(runs, options)}: the verdict is about these very runs, "
                     f"and {_OTHERS}.")  # fmt: skip
        return
    noises = [pair.noise for pair in pairs if pair.noise is not None]
    if noises:
        yield Notice("runs", _split(noises, _items(projection)), tuple(runs.numbers))
    yield from _few_runs(runs)
    lacking = [
        bound.metric.name for bound in projection.metrics if isinstance(bound.metric, ItemFunction)
    ]
    if lacking:
        text = f"{listed(lacking)} is not a function of sums, so the noise of runs is not known: "
        yield Notice("these-runs", f"{text}what it shows is about these very runs.")


def all_used_up(projection: Projection) -> bool:
    """Return whether every metric is made of all runs together, so that none is of their means."""
    return bool(projection.counts.runs) and all(
        _used_up(projection, bound) for bound in projection.metrics
    )


def _used_up(projection: Projection, bound: Bound) -> bool:
    counts = projection.counts
    kept = counts.columns[: counts.runs[0].shape[2]]
    return not set(bound.metric.columns) <= set(kept)


def _items(projection: Projection) -> str:
    return plural(projection.counts.cluster or projection.counts.kind)


def _why(runs: AskedOfRuns, options: Options) -> str:
    """Return why the question is about these runs, as the beginning of a sentence."""
    single = [name for name, number in runs.numbers.items() if number < 2]
    named = {
        "option": "The runs are taken as they are (--runs fixed)",
        "test": f"The {options.test} test takes the runs as they are",
        "correction": f"--correction {options.correction} exchanges items, not runs",
        "confidence": "--min-confidence is about exchanges of items, not of runs",
        "single": f"{listed(single)} {'has' if len(single) == 1 else 'have'} a single run",
        "missing": f"More than {100 * MOST_MISSING:.0f} % of the runs of items are missing",
    }
    return named[str(runs.why)]


def _few_runs(runs: AskedOfRuns) -> Iterator[Notice]:
    single = [name for name, number in runs.numbers.items() if number == 1]
    if single:
        has = "has a single run" if len(single) == 1 else "have a single run each"
        text = f"{listed(single)} {has}: pairs with {'it' if len(single) == 1 else 'them'} are "
        yield Notice("single-run", f"{text}compared as these very runs, and {_OTHERS}.",
                     tuple(single))  # fmt: skip
    two = [name for name, number in runs.numbers.items() if number == 2]
    if two:
        text = "Two runs can hardly tell how far apart the runs of a system lie: make three or more"
        yield Notice("two-runs", f"{text} of {listed(two)}.", tuple(two))


def _split(noises: Sequence[Noise], items: str) -> str:
    """Return where the uncertainty comes from, and what would help more."""
    low_high = [_range([noise.shares[k] for noise in noises]) for k in range(3)]
    return (
        f"The verdict allows for other runs of these systems. Of the uncertainty, {low_high[0]} "
        f"comes from {items}, {low_high[1]} from runs and {low_high[2]} from chance in single "
        f"answers: {_helps([noise.helps for noise in noises], items)}."
    )


def _helps(helps: Sequence[str], items: str) -> str:
    """Return what would help more, in all pairs or in how many."""
    if set(helps) == {"either"}:
        return f"more {items} and more runs would help equally"
    if set(helps) == {"runs"}:
        return f"more runs would help more than more {items}"
    if set(helps) == {"items"}:
        return f"more {items} would help more than more runs"
    by_runs, by_items = helps.count("runs"), helps.count("items")
    return (
        f"more runs would help more in {by_runs} of {len(helps)} comparisons, more {items} in "
        f"{by_items}"
    )


def _range(shares: Sequence[float]) -> str:
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"
