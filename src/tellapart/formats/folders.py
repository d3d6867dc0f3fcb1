"""The files in a folder and below it, in an order that does not depend on the computer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head, read_head
from tellapart.read_once import only_looking

MOST_FILES: Final = 20_000


def files_below(folder: str) -> list[str]:
    """Return all files below a folder, sorted; what is hidden, or no file, is passed over.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.json", ".hidden", "a.json"):
    ...         open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(path) for path in files_below(folder)]
    ['a.json', 'b.json']
    """
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = (os.path.join(place, name) for name in sorted(names) if not name.startswith("."))
        found += [path for path in visible if os.path.isfile(path)]
        if len(found) > MOST_FILES:
            raise DataError(
                f"{shown(folder)}: there are more than {MOST_FILES:,} files in this folder; name "
                "the folder of the logs themselves"
            )
    return found


def lies_beside(head: Head, logs: Iterable[str]) -> bool:
    """Return whether a file is in the folder of one of the logs, as if all there were listed.

    >>> lies_beside(Head("out/set.json", b"", True), ["out/a.eval", "b.eval"])
    True
    """
    folder = os.path.dirname(head.path)
    return not head.is_folder and any(os.path.dirname(log) == folder for log in logs)


def heads_below(folder: str) -> Iterator[Head]:
    """Yield how all files below a folder begin; to look at them is not to read them."""
    for path in files_below(folder):
        with only_looking():
            head = read_head(path)
        yield head
