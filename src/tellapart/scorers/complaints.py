"""What a reader does about a problem: refuse the file, or note it and go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tellapart.errors import DataError

Complain: TypeAlias = Callable[[str], None]
"""Takes the sentence of a problem; the reader skips what it is about if this returns"""


def refuse(problem: str) -> None:
    """Raise the problem as the error that it is."""
    raise DataError(problem)
