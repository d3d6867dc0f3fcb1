"""The collector of cycles, paused where a great many small objects are made that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Pause the collector of cycles, which would visit all that was read again and again.

    Documents as trees of small objects hold no cycles, and looking for some takes as long as
    reading and scoring them. What is no longer referred to is freed at once, as ever.

    >>> with without_collection():
    ...     gc.isenabled()
    False
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
