"""Whether the columns of a wide table are alike, as those of systems are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from numpy.typing import NDArray

from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.metrics.directions import ends_in_measure
from tellapart.words import listed

CODE: Final = "odd-column"
_FAR: Final = 10  # times as large as the largest of all others
_COUNTED: Final = 2  # beyond which whole numbers are no points for right and wrong


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a column: the one farthest from 0, and what kind of numbers they are."""

    extreme: float = 0.0
    whole: bool = True
    """Whether all are whole numbers"""
    negative: bool = False

    def with_values(self, values: NDArray[Any]) -> Range:
        """Return the range with some more values."""
        low, high = float(values.min()), float(values.max())
        whole = self.whole and (values.dtype.kind in "iu" or bool((values % 1 == 0).all()))
        extreme = max(self.extreme, low, high, key=abs)
        return Range(extreme, whole, self.negative or low < 0)

    @property
    def is_share(self) -> bool:
        """Whether all are 0 to 1, and not all 0."""
        return 0 < self.extreme <= 1 and not self.negative

    @property
    def is_counted(self) -> bool:
        """Whether these are whole numbers as no share is, such as levels 1 to 5, or lengths."""
        return self.whole and abs(self.extreme) > _COUNTED


def odd_columns(extremes: Mapping[str, float]) -> Iterator[Notice]:
    """Yield warnings of columns that are far from all others, by their values farthest from 0.

    Small ones tell something only where several others agree.

    >>> [notice.text for notice in odd_columns({"A": 1.0, "B": 0.75, "length": 412.0})]
    ["The column 'length' has values as far as 412, all others stay within 1: if it is a label and \
no system, --labels length says so."]
    >>> list(odd_columns({"A": 1.0, "B": 9.5}))
    []
    """
    if len(extremes) < 2:
        return
    sizes = sorted(map(abs, extremes.values()))
    for name, extreme in extremes.items():
        size = abs(extreme)
        least = sizes[1] if size == sizes[0] else sizes[0]  # of all others
        most = sizes[-2] if size == sizes[-1] else sizes[-1]
        if size > _FAR * most > 0:
            finding = f"has values as far as {extreme:g}, all others stay within {most:g}"
        elif len(sizes) > 2 and least > _FAR * size > 0:
            finding = f"stays within {size:g}, all others have values as far as {least:g}"
        else:
            continue
        remedy = f"if it is a label and no system, --labels {name} says so"
        yield Notice(CODE, f"The column {name!r} {finding}: {remedy}.", (name,))


def unlike(ranges: Mapping[str, Range]) -> bool:
    """Return whether no two columns are alike, or some are shares and others levels or lengths.

    >>> unlike({"A": Range(1.0), "B": Range(0.5, whole=False), "difficulty": Range(5.0)})
    True
    >>> unlike({"style": Range(1.0), "speed": Range(1830.5, whole=False)})
    True
    >>> unlike({"A": Range(1.0), "B": Range(0.5, whole=False)})
    False
    """
    if _two_kinds(ranges):
        return True
    sizes = sorted(abs(each.extreme) for each in ranges.values())
    return len(sizes) > 1 and all(large > _FAR * small > 0 for small, large in pairwise(sizes))


def _two_kinds(ranges: Mapping[str, Range]) -> bool:
    some = ranges.values()
    return any(each.is_share for each in some) and any(each.is_counted for each in some)


def _labels(ranges: Mapping[str, Range]) -> list[str]:
    """Return the columns that are probably labels: there are fewer than of the other kind."""
    shares = [name for name, each in ranges.items() if each.is_share]
    others = [name for name in ranges if name not in shares]
    few, many = sorted((others, shares), key=len)
    return few if _two_kinds(ranges) and len(many) > 1 else []


def refusal_of_unlike(path: str, ranges: Mapping[str, Range]) -> DataError:
    """Return why columns can hardly be systems, and what to do about it."""
    finding = ", ".join(f"{name} as far as {each.extreme:g}" for name, each in ranges.items())
    labels = _labels(ranges)
    if labels:
        return DataError(
            f"{shown(path)}: the columns are not alike, so that they can hardly all be systems: "
            f"{finding}; --labels {','.join(labels)} says what is a label, --system "
            f"{','.join(ranges)} that all are systems"
        )
    return DataError(
        f"{shown(path)}: the columns are not alike, so that they can hardly be systems: {finding}; "
        f"if they are systems, --system {','.join(ranges)} says so; if they are values of one "
        "system, give a file for each"
    )


def refuse_several_measures(path: str, columns: Sequence[str]) -> None:
    """Refuse columns that are several measures of each system, such as `a_acc` and `a_latency`."""
    named = {name: found for name in columns if (found := ends_in_measure(name)) is not None}
    systems = [system for system, _ in named.values()]
    if len(set(systems)) == len(systems):
        return
    measures = Counter(measure for _, measure in named.values())
    most = max(measures, key=measures.__getitem__)
    chosen = [name for name, (_, measure) in named.items() if measure == most]
    remedy = f"--system {','.join(chosen)} compares by {most}"
    raise DataError(
        f"{shown(path)}: the columns are several values ({listed(tuple(measures))}) of "
        f"{listed(tuple(dict.fromkeys(systems)))}, and no systems; "
        f"{remedy if len(chosen) > 1 else 'give a file for each system'}; --system "
        f"{','.join(columns)} takes all for systems"
    )
