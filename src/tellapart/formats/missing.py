"""Items that not every system has: which they are, and what becomes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts.ordering import natural_sorted
from tellapart.errors import DataError, Notice, UsageError
from tellapart.words import listed, plural, several

POLICIES: Final = ("error", "zero", "drop", "own")
"""What `--missing` takes; "own" keeps each system's own items, for an unpaired test"""

_SYSTEMS_SHOWN: Final = 6
_IDS_SHOWN: Final = 5


def check_policy(missing: str) -> None:
    """Refuse what is no policy for missing items.

    >>> check_policy("drop")
    """
    if missing not in POLICIES:
        raise UsageError(f"missing is {', '.join(POLICIES)}, not {missing!r}")


@dataclass(frozen=True, slots=True, eq=False)
class MissingItems:
    """Which system has which items; an item without all of its values counts as missing."""

    complete: NDArray[np.int64]  # system × number of items + item, for all that are there
    numbers: NDArray[np.int64]  # per system: how many items it has
    common: NDArray[np.int64]  # the items that every system has
    n_items: int

    def settle(
        self,
        policy: str,
        where: str,
        kind: str,
        systems: Sequence[str],
        items: Sequence[str],
        noted: Mapping[str, Collection[str]] | None = None,
    ) -> list[Notice]:
        """Return the notices of what was done, or raise the error that lists what is missing.

        `where` begins the error. `noted` are the items of each system that a notice of the caller
        is about; there is no further notice if these are all.
        """
        lacking = np.flatnonzero(self.numbers < self.n_items).tolist()
        missing = {
            systems[s]: natural_sorted([items[u] for u in self._missing(s)]) for s in lacking
        }
        if policy == "error" or not (policy == "zero" or self.common.size):
            raise DataError(where + self._sentence(kind, systems, missing))
        known = {name: set((noted or {}).get(name, ())) for name in missing}
        if policy == "drop":  # once for all systems
            known = dict.fromkeys(missing, set[str]().union(*known.values()))
        rest = {name: [u for u in some if u not in known[name]] for name, some in missing.items()}
        ids = tuple(dict.fromkeys(item for some in rest.values() for item in some))
        if not ids:
            return []
        if policy == "zero":
            each = ", ".join(f"{len(some)} of {listed([n])}" for n, some in rest.items() if some)
            return [Notice("missing", f"Missing {plural(kind)} were counted as 0: {each}.", ids)]
        noun = f"further {kind}" if any(known.values()) else kind
        text = f"{several(len(ids), noun)} that not every system has; {self.common.size} left."
        return [Notice("missing", f"Dropped for all systems: {text}", ids)]

    def present(self) -> NDArray[np.bool_]:
        """Return which items each system has, as systems × items."""
        there = np.zeros((len(self.numbers), self.n_items), np.bool_)
        there.ravel()[self.complete] = True
        return there

    def _missing(self, system: int) -> NDArray[np.intp]:
        there = np.zeros(self.n_items, bool)
        there[self.complete[self.complete // self.n_items == system] % self.n_items] = True
        return np.flatnonzero(~there)

    def _sentence(self, kind: str, systems: Sequence[str], missing: dict[str, list[str]]) -> str:
        named = systems if len(systems) <= _SYSTEMS_SHOWN else list(missing)[:_SYSTEMS_SHOWN]
        numbers = [int(self.numbers[systems.index(name)]) for name in named]
        has = [f"{listed([name])} has {n}" for name, n in zip(named, numbers, strict=True)]
        has[0] = f"{listed(named[:1])} has {several(numbers[0], kind)}"
        if len(named) < len(systems):
            has.append(f"all together have {self.n_items}")
        lists = [
            f"missing in {listed([name])}: {listed(ids, _IDS_SHOWN)}"
            for name, ids in list(missing.items())[:_SYSTEMS_SHOWN]
        ]
        remedy = (
            f"--missing drop compares the {several(self.common.size, 'common ' + kind)}, "
            f"--missing zero counts a missing {kind} as 0"
            if self.common.size
            else f"they have no {kind} in common: check the ids and --item"
        )
        return f"{', '.join(has)}; {'; '.join(lists)}; {remedy}"


def find_missing(cells: NDArray[Any], n_systems: int, n_items: int, n_metrics: int) -> MissingItems:
    """Return which items are missing where; `cells` are places in systems × items × metrics.

    >>> missing = find_missing(np.array([0, 1, 3]), 2, 2, 1)
    >>> missing.numbers.tolist(), missing.common.tolist()
    ([2, 1], [1])
    """
    places, values = np.unique(cells // n_metrics, return_counts=True)
    complete = places[values == n_metrics]
    numbers = np.bincount(complete // n_items, minlength=n_systems)
    common = np.flatnonzero(np.bincount(complete % n_items, minlength=n_items) == n_systems)
    return MissingItems(complete, numbers, common, n_items)
