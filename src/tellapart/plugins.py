"""What other packages add to tellapart by entry points: formats, metrics, tests and reports.

A package names what it adds in its ``pyproject.toml``, under the group of that kind:

```toml
[project.entry-points."tellapart.metrics"]
hit-rate = "my_package.metrics:HIT_RATE"
```

`add` does the same for this process alone: the studies of papers bring their tests so.
Looking through the installed packages takes some milliseconds, so that registries look here only
for names that they do not know themselves, or to list all that there is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FORMATS = "tellapart.formats"
METRICS = "tellapart.metrics"
TESTS = "tellapart.tests"
REPORTS = "tellapart.reports"


def names(group: str) -> tuple[str, ...]:
    """Return the names that other packages add to a group, sorted; none of them is imported.

    >>> names("tellapart.no-such-group")
    ()
    """
    return tuple(sorted(_entry_points(group)))


def find(group: str, name: str) -> Any | None:
    """Return what a package adds to a group under a name, or None if no package does.

    >>> find("tellapart.no-such-group", "hit-rate") is None
    True
    """
    entry = _entry_points(group).get(name)
    if entry is None:
        return None
    try:
        return entry.load()
    except Exception as problem:  # whatever a stranger's module raises while it is imported
        raise UsageError(
            f"the plug-in {name!r} of {_package(entry)} cannot be loaded: "
            f"{type(problem).__name__}: {problem}"
        ) from problem


def add(group: str, name: str, value: str) -> None:
    """Add to a group, in this process, what an entry point would: ``module:object`` under a name.

    >>> add("tellapart.no-such-group", "root", "math:sqrt")
    >>> find("tellapart.no-such-group", "root")(9)
    3.0
    >>> del _added["tellapart.no-such-group", "root"]
    """
    from importlib.metadata import EntryPoint

    _added[group, name] = EntryPoint(name, value, group)


class Names(Collection[str]):
    """The names that an option takes: our own, then those that other packages add to a group.

    Other packages are looked through only for a name that is not ours, or to list all names.

    >>> known = Names(("auto", "exact"), "tellapart.no-such-group")
    >>> "exact" in known, list(known)
    (True, ['auto', 'exact'])
    """

    def __init__(self, own: Iterable[str], group: str) -> None:
        self._own, self._group = tuple(own), group

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in names(self._group)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._own, *names(self._group))))

    def __len__(self) -> int:
        return sum(1 for _ in self)


_added: dict[tuple[str, str], EntryPoint] = {}
"""What was added in this process, by group and name"""


def _entry_points(group: str) -> dict[str, EntryPoint]:
    """Return a group's entry points by name, those of this process included."""
    added = {name: entry for (its_group, name), entry in _added.items() if its_group == group}
    return {**_installed(group), **added}


@cache
def _installed(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:  # else one package that is seen twice on the path
            both = " and ".join(sorted(map(_package, (other, entry))))
            raise UsageError(f"{both} both add {entry.name!r} to {group}; uninstall one")
    return found


def _package(entry: EntryPoint) -> str:
    return entry.module if entry.dist is None else entry.dist.name
