"""The data that ship with the package."""

from __future__ import annotations

from importlib.resources import as_file, files

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.scorers.tables import read_tables
from tellapart.words import nearest

EXAMPLES = ("muc4",)


def example(name: str = "muc4") -> Counts:
    """Return built-in counts: ``muc4`` has 17 systems on the 100 messages of MUC-4's test set.

    >>> example("muc4")
    <Counts: 17 systems × 100 messages × 10 columns>
    """
    if name not in EXAMPLES:
        raise UsageError(f"there is no example {name!r}; {nearest(name, EXAMPLES)}")
    with as_file(files("tellapart") / "data" / f"{name}.csv") as path:
        return read_tables([path])
