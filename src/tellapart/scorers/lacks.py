"""Units that not every system has, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import DataError
from tellapart.notices import Notice
from tellapart.words import listed, plural, several

_SYSTEMS_SHOWN: Final = 6
_IDS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Lacks:
    """Who has what; a unit without all of its values counts as missing."""

    complete: NDArray[np.int64]  # system × number of units + unit, for all that are there
    numbers: NDArray[np.int64]  # per system: how many units it has
    common: NDArray[np.int64]  # the units that every system has
    n_units: int

    def settle(
        self, policy: str, where: str, kind: str, systems: Sequence[str], units: Sequence[str]
    ) -> Notice:
        """Say what was done about it, or raise the error that lists what is missing."""
        lacking = np.flatnonzero(self.numbers < self.n_units).tolist()
        systems = [listed([name]) for name in systems]
        missing = {systems[s]: [units[u] for u in self._missing(s)] for s in lacking}
        ids = tuple(dict.fromkeys(unit for some in missing.values() for unit in some))
        if policy == "zero":
            told = ", ".join(f"{len(some)} of {name}" for name, some in missing.items())
            return Notice("missing", f"Missing {plural(kind)} were counted as 0: {told}.", ids)
        if policy == "drop" and self.common.size:
            dropped = several(self.n_units - self.common.size, kind)
            text = (
                f"Dropped for all systems: {dropped} that not every system has; "
                f"{self.common.size} left."
            )
            return Notice("missing", text, ids)
        raise DataError(where + self._sentence(kind, systems, missing))

    def present(self) -> NDArray[np.bool_]:
        """Tell which units each system has: systems × units."""
        there = np.zeros((len(self.numbers), self.n_units), np.bool_)
        there.ravel()[self.complete] = True
        return there

    def _missing(self, system: int) -> NDArray[np.intp]:
        there = np.zeros(self.n_units, bool)
        there[self.complete[self.complete // self.n_units == system] % self.n_units] = True
        return np.flatnonzero(~there)

    def _sentence(self, kind: str, systems: Sequence[str], missing: dict[str, list[str]]) -> str:
        told = systems if len(systems) <= _SYSTEMS_SHOWN else list(missing)[:_SYSTEMS_SHOWN]
        numbers = [int(self.numbers[systems.index(name)]) for name in told]
        has = [f"{name} has {number}" for name, number in zip(told, numbers, strict=True)]
        has[0] = f"{told[0]} has {several(numbers[0], kind)}"
        if len(told) < len(systems):
            has.append(f"all together have {self.n_units}")
        lists = [
            f"missing in {name}: {listed(ids, _IDS_SHOWN)}"
            for name, ids in list(missing.items())[:_SYSTEMS_SHOWN]
        ]
        remedy = (
            f"--missing drop compares the {several(self.common.size, 'common ' + kind)}, "
            f"--missing zero counts a missing {kind} as 0"
            if self.common.size
            else f"they have no {kind} in common: check the ids and --unit"
        )
        return f"{', '.join(has)}; {'; '.join(lists)}; {remedy}"


def find_lacks(cells: NDArray[Any], n_systems: int, n_units: int, n_metrics: int) -> Lacks:
    """Find out which units are missing where; `cells` are places in systems × units × metrics.

    >>> lacks = find_lacks(np.array([0, 1, 3]), 2, 2, 1)
    >>> lacks.numbers.tolist(), lacks.common.tolist()
    ([2, 1], [1])
    """
    places, values = np.unique(cells // n_metrics, return_counts=True)
    complete = places[values == n_metrics]
    numbers = np.bincount(complete // n_units, minlength=n_systems)
    common = np.flatnonzero(np.bincount(complete % n_units, minlength=n_units) == n_systems)
    return Lacks(complete, numbers, common, n_units)
