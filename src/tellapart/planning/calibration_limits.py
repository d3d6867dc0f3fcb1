"""What a calibration refuses, and what it warns of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice, UsageError
from tellapart.metrics import ItemFunction
from tellapart.metrics.projection import Bound
from tellapart.planning.calibrated import LEVELS
from tellapart.planning.null_pairs import Null, RunsNull, SplitNull
from tellapart.significance.registry import TESTS
from tellapart.words import nearest, plural, several

NULLS = ("swap", "split")
FEWEST_ITEMS = 6
"""Below, no exchange can give a p of .05"""


def check_choices(null: str, tests: Sequence[str]) -> None:
    """Refuse names that are none."""
    if null not in NULLS:
        raise UsageError(f"there is no null {null!r}; {nearest(null, NULLS)}")
    for test in tests:
        if test not in TESTS:
            raise UsageError(f"there is no test {test!r}; {nearest(test, TESTS)}")
        if test == "auto":
            raise UsageError("auto chooses between exact and shuffle: name one of the two")


def check_numbers(pairs: int, shuffles: int | None, seed: int) -> None:
    """Refuse numbers that make no sense."""
    if pairs < 1:
        raise UsageError(f"the number of null pairs must be at least 1, not {pairs}")
    if shuffles is not None and shuffles < 1:
        raise UsageError(f"the number of shuffles must be at least 1, not {shuffles}")
    if seed < 0:
        raise UsageError(f"the seed must be 0 or more, not {seed}")


def check_systems(counts: Counts, null: str, runs: Mapping[str, Sequence[str]] | None) -> None:
    """Refuse too few systems or runs, and systems that do not have the same items."""
    if counts.present is not None:
        raise UsageError(
            f"the systems do not have the same {plural(counts.kind)}: drop those that not all have"
        )
    if null == "swap" and len(counts.names) < 2:
        raise UsageError(
            f"there is one system, {counts.names[0]!r}: swapping outputs needs two; with one, "
            "split its items (--null split)"
        )
    if runs is not None and all(len(own) < 2 for own in runs.values()):
        raise UsageError("no system has two runs to split; give NAME=run1,run2")


def check_metric(bound: Bound) -> None:
    """Refuse a metric whose pairs cannot be summed up."""
    if isinstance(bound.metric, ItemFunction):
        raise UsageError(
            f"metric {bound.metric.name!r} cannot be calibrated: it is no function of sums"
        )


def check_items(counts: Counts, null: Null) -> None:
    """Refuse data on which nothing could ever be rejected."""
    if null.items >= FEWEST_ITEMS:
        return
    rows, halves = counts.cluster or counts.kind, isinstance(null, SplitNull)
    found = several(len(counts.items), rows)
    if halves:
        found += f", {null.items} in each half,"
    raise DataError(
        f"{found} {'is' if len(counts.items) == 1 else 'are'} too few: no exchange can give a p "
        f"below {2.0 ** (1 - null.items):g} (2/2^{null.items}), so nothing could be rejected at "
        f".05; give {2 * FEWEST_ITEMS if halves else FEWEST_ITEMS} {plural(rows)} or more"
    )


def find_warnings(counts: Counts, null: Null, number: int) -> list[Notice]:
    """Say what these data cannot show, whatever the metric."""
    found = []
    smallest = 2.0 ** (1 - null.items)
    if smallest > min(LEVELS):
        found.append(
            Notice(
                "few-units",
                f"With {several(null.items, counts.cluster or counts.kind)} in a pair no exchange "
                f"can give a p below {smallest:.4f}: nothing can be rejected at {min(LEVELS)}.",
            )
        )
    if isinstance(null, RunsNull):
        runs = sum(map(len, null.systems))
        found.append(
            Notice(
                "shared-runs",
                f"{several(number, 'null pair')} of the same {several(runs, 'run')}: pairs have "
                "runs in common, so the rates are less sure than their standard errors say.",
            )
        )
    elif isinstance(null, SplitNull) and any(each.code == "repeats" for each in counts.notices):
        found.append(
            Notice(
                "runs-not-split",
                "The runs were averaged, and the items split; to split the runs, give them as "
                "NAME=run1,run2.",
            )
        )
    return found


def few_differences(few: int, number: int, metric: str) -> Notice:
    """Say that some pairs hardly differ."""
    return Notice(
        "few-differences",
        f"In {few:,} of {number:,} null pairs fewer than {FEWEST_ITEMS} items differ in {metric}: "
        "no exchange of so few can be significant at .05.",
        (metric,),
    )


def not_planted(sizes: Sequence[float], metric: str) -> Notice:
    """Say that some pairs cannot be made as different as was wanted."""
    told = " or ".join(f"{size:g}" for size in sizes)
    return Notice(
        "not-planted",
        f"Not every pair can be made to differ by {told} standard errors in {metric}: even the "
        "better output on every item makes less.",
        (metric,),
    )
