"""Units that not every system has, and what becomes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
        self,
        policy: str,
        where: str,
        kind: str,
        systems: Sequence[str],
        units: Sequence[str],
        told: Mapping[str, Collection[str]] | None = None,
    ) -> list[Notice]:
        """Say what was done about it, or raise the error that lists what is missing.

        `where` begins the error. `told` are the units of each system that a notice of the caller
        is about; there is nothing to say if these are all.
        """
        lacking = np.flatnonzero(self.numbers < self.n_units).tolist()
        missing = {systems[s]: [units[u] for u in self._missing(s)] for s in lacking}
        if policy == "error" or not (policy == "zero" or self.common.size):
            raise DataError(where + self._sentence(kind, systems, missing))
        known = {name: set((told or {}).get(name, ())) for name in missing}
        if policy == "drop":  # once for all systems
            known = dict.fromkeys(missing, set[str]().union(*known.values()))
        rest = {name: [u for u in some if u not in known[name]] for name, some in missing.items()}
        ids = tuple(dict.fromkeys(unit for some in rest.values() for unit in some))
        if not ids:
            return []
        if policy == "zero":
            each = ", ".join(f"{len(some)} of {listed([n])}" for n, some in rest.items() if some)
            return [Notice("missing", f"Missing {plural(kind)} were counted as 0: {each}.", ids)]
        noun = f"further {kind}" if any(known.values()) else kind
        text = f"{several(len(ids), noun)} that not every system has; {self.common.size} left."
        return [Notice("missing", f"Dropped for all systems: {text}", ids)]

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
        has = [f"{listed([name])} has {n}" for name, n in zip(told, numbers, strict=True)]
        has[0] = f"{listed(told[:1])} has {several(numbers[0], kind)}"
        if len(told) < len(systems):
            has.append(f"all together have {self.n_units}")
        lists = [
            f"missing in {listed([name])}: {listed(ids, _IDS_SHOWN)}"
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
