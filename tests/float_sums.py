"""A watch over `sum`: since Python 3.12 it sums floats with other roundings than before."""

from __future__ import annotations

import builtins
import sys
from typing import Any

_plain_sum = builtins.sum


def watched_sum(values: Any, /, start: Any = 0) -> Any:
    """Return what `sum` does; refuse floats that the package sums with it."""
    found = _plain_sum(values, start)
    if type(found) is float and sys._getframe(1).f_globals.get("__name__", "").startswith(
        ("tellapart.", "studies.")
    ):
        raise AssertionError(
            "the built-in sum of floats depends on the version of Python: use math.fsum"
        )
    return found


def watch() -> None:
    """Put the watch in the place of the built-in function."""
    builtins.sum = watched_sum
