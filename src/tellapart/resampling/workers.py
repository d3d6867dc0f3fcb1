"""Where shards run: on threads, on any `concurrent.futures` executor, or on a Dask cluster.

What a shard returns depends on the shard alone, so that the result is the same wherever, and by
however many workers, it was computed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pickle import PicklingError
from typing import Any, TypeVar

from tellapart.errors import UsageError
from tellapart.limits import WORKERS
from tellapart.progress import Progress, no_progress
from tellapart.resampling.dask_cluster import open_cluster

Payload = TypeVar("Payload")
Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerPool:
    """A map of a function over items, in order, on whatever executor it was given.

    >>> with open_pool(1) as pool:
    ...     list(pool.map(lambda base, item: base + item, 10, [1, 2, 3]))
    [11, 12, 13]
    """

    def __init__(self, count: int, submit: Callable[..., Iterable[Any]] | None) -> None:
        self.count = count
        self._submit = submit

    def map(
        self,
        function: Callable[[Payload, Item], Result],
        payload: Payload,
        items: Sequence[Item],
        progress: Progress = no_progress,
        what: str = "",
    ) -> Iterator[Result]:
        """Yield function(payload, item) for every item, in the order of the items."""
        if self._submit is None or len(items) == 1:
            results: Iterable[Any] = (function(payload, item) for item in items)
        else:
            results = self._submit(function, payload, items)
        progress(what, 0, len(items))
        try:
            for done, result in enumerate(results, 1):
                yield result
                progress(what, done, len(items))
        except (PicklingError, AttributeError) as problem:
            if "pickle" not in str(problem):
                raise
            raise UsageError(
                "a metric's function cannot be sent to other processes: define it at the top of a "
                "module, not as a lambda, or use threads"
            ) from None


def default_workers() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def open_pool(
    count: int | None = None,
    executor: Executor | None = None,
    cluster_address: str | None = None,
) -> Iterator[WorkerPool]:
    """Open workers: `count` threads, a given executor, or the Dask cluster at an address."""
    count = default_workers() if count is None else count
    count = WORKERS.checked(count, "workers")
    if cluster_address is not None:
        with (
            ThreadPoolExecutor(count) as threads,
            open_cluster(cluster_address, partial(_on_executor, threads)) as (cores, submit),
        ):
            yield WorkerPool(cores, submit)
    elif executor is not None:
        yield WorkerPool(count, partial(_on_executor, executor))
    elif count == 1:
        yield WorkerPool(1, None)
    else:
        with ThreadPoolExecutor(count) as pool:
            yield WorkerPool(count, partial(_on_executor, pool))


def _on_executor(
    executor: Executor, function: Callable[..., Any], payload: Any, items: Sequence[Any]
) -> Iterable[Any]:
    return executor.map(partial(function, payload), items)
