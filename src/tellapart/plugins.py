"""What other packages add to tellapart by entry points: formats, metrics, tests and reports.

A package names what it adds in its ``pyproject.toml``, under the group of that kind:

```toml
[project.entry-points."tellapart.metrics"]
hit-rate = "my_package.metrics:HIT_RATE"
```

Looking through the installed packages takes some milliseconds, so that registries look here only
for names that they do not know themselves, or to list all that there is.
"""

from __future__ import annotations

import sys
from functools import lru_cache
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
    return tuple(_entry_points(group, tuple(sys.path)))


def find(group: str, name: str) -> Any | None:
    """Return what a package adds to a group under a name, or None if no package does.

    >>> find("tellapart.no-such-group", "hit-rate") is None
    True
    """
    entry = _entry_points(group, tuple(sys.path)).get(name)
    return None if entry is None else _loaded(entry)


def load(group: str) -> dict[str, Any]:
    """Return all that other packages add to a group, by name; their modules are imported.

    >>> load("tellapart.no-such-group")
    {}
    """
    entries = _entry_points(group, tuple(sys.path))
    return {name: _loaded(entry) for name, entry in entries.items()}


@lru_cache(maxsize=16)
def _entry_points(group: str, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return a group's entry points by name; looked for again if Python's path has changed."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda each: (each.name, each.value)):
        other = found.setdefault(entry.name, entry)
        # A package that is seen twice on the path is no conflict.
        if other.value != entry.value:
            raise UsageError(
                f"the packages {_package(other)} and {_package(entry)} both add {entry.name!r} to "
                f"{group}; uninstall one of them"
            )
    return found


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as problem:  # whatever a stranger's module raises while it is imported
        raise UsageError(
            f"the plug-in {entry.name!r} ({entry.group}) of the package {_package(entry)} cannot "
            f"be loaded: {type(problem).__name__}: {problem}; mend, update or uninstall the package"
        ) from problem


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
