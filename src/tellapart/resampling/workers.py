"""Where shards run: on threads of this process.

What a shard returns depends on the shard alone, so that the result is the same by however many
workers it was computed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from tellapart.limits import WORKERS
from tellapart.progress import Progress, no_progress

Payload = TypeVar("Payload")
Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerPool:
    """A map of a function over items, in order, on threads; without any, one after the other.

    >>> with open_pool(1) as pool:
    ...     list(pool.map(lambda base, item: base + item, 10, [1, 2, 3]))
    [11, 12, 13]
    """

    def __init__(self, count: int = 1, threads: ThreadPoolExecutor | None = None) -> None:
        self.count = count
        self._threads = threads

    def map(
        self,
        function: Callable[[Payload, Item], Result],
        payload: Payload,
        items: Sequence[Item],
        progress: Progress = no_progress,
        what: str = "",
    ) -> Iterator[Result]:
        """Yield function(payload, item) for every item, in the order of the items."""
        results: Iterable[Result]
        if self._threads is None or len(items) == 1:
            results = (function(payload, item) for item in items)
        else:
            results = self._threads.map(partial(function, payload), items)
        progress(what, 0, len(items))
        for done, result in enumerate(results, 1):
            yield result
            progress(what, done, len(items))


def default_workers() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def open_pool(count: int | None = None) -> Iterator[WorkerPool]:
    """Open so many threads; by default one for each core."""
    count = WORKERS.checked(default_workers() if count is None else count, "workers")
    if count == 1:
        yield WorkerPool()
        return
    with ThreadPoolExecutor(count) as threads:
        yield WorkerPool(count, threads)
