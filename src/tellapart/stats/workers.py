"""Where the parts of a computation run: in this thread, or on several.

What a part returns depends on the part alone, so that the result is the same by however many
workers it was computed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TypeVar

from tellapart.errors import UsageError
from tellapart.progress import Progress, no_progress

Payload = TypeVar("Payload")
Part = TypeVar("Part")
Result = TypeVar("Result")


class WorkerPool:
    """A map of a function over parts, in order, on one or several threads.

    >>> with open_pool(1) as pool:
    ...     list(pool.map(lambda base, part: base + part, 10, [1, 2, 3]))
    [11, 12, 13]
    """

    def __init__(self, count: int = 1, threads: ThreadPoolExecutor | None = None) -> None:
        self.count = count
        self._threads = threads

    def map(
        self,
        function: Callable[[Payload, Part], Result],
        payload: Payload,
        parts: Sequence[Part],
        progress: Progress = no_progress,
        what: str = "",
    ) -> Iterator[Result]:
        """Return function(payload, part) for every part, in the order of the parts."""
        mapped = map if self._threads is None or len(parts) == 1 else self._threads.map

        def told(result: Result, done: int) -> Result:
            progress(what, done, len(parts))
            return result

        progress(what, 0, len(parts))
        return map(told, mapped(partial(function, payload), parts), count(1))


def default_workers() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def open_pool(count: int | None = None) -> Iterator[WorkerPool]:
    """Open workers: `count` threads, by default one per core."""
    count = default_workers() if count is None else count
    if count < 1:
        raise UsageError(f"workers is a number of threads, 1 or more, not {count}")
    if count == 1:
        yield WorkerPool()
        return
    with ThreadPoolExecutor(count) as threads:
        yield WorkerPool(count, threads)
