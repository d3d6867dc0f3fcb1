"""Shards on a Dask cluster, named by the address of its scheduler.

Nothing here waits for ever. An address that does not answer is refused within seconds. A cluster
that is lost in the middle of the work (its scheduler, or all of its workers, dead or frozen) is
given up, and the rest is done here: a shard gives the same result wherever it runs.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from tellapart.errors import UsageError

CONNECT_S: Final = 5
"""Within how many seconds a scheduler has to answer"""
PATIENCE_S: Final = 10
"""For how many seconds a cluster may be without workers before it is given up"""
SILENCE_S: Final = 30
"""For how many seconds all workers may be silent; busy ones send a heartbeat every few seconds"""
_POLL_S: Final = 2
_CLOSE_S: Final = 2
_VERSION_S: Final = 60  # a worker may first have to load the package, on a busy machine
_ADDRESS: Final = re.compile(r"(?:(\w+)://)?(\[[\da-fA-F:.%\w]+\]|[^\s:/@\[\]]+):(\d{1,5})/?")
_PROTOCOLS: Final = ("tcp", "tls")
_HERE: Final = re.compile(r"inproc://[^\s/]+/(\d+)/\d+")

Map = Callable[[Callable[..., Any], Any, Sequence[Any]], Iterable[Any]]


class ClusterLost(UserWarning):
    """A cluster was given up in the middle of the work, and the rest was done here."""


@contextmanager
def open_cluster(address: str, local: Map) -> Iterator[tuple[int, Map]]:
    """Connect to a scheduler: yield how many cores it has, and a map over its workers.

    `local` is the map that goes on where the cluster is lost.
    """
    _knock(address)
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise UsageError(
            "a cluster needs the extra 'dask': pip install 'tellapart[dask]'"
        ) from None
    with _quiet():
        client = _connected(distributed.Client, address)
        cluster = _Cluster(address, client, local, distributed.KilledWorker)
        try:
            cores = cluster.cores()
            if not cores:
                raise UsageError(
                    f"the Dask scheduler at {address!r} has no workers; start some with "
                    f"`dask worker {address}`"
                )
            cluster.check_versions()
            yield sum(cores.values()), cluster.map
        finally:
            _close(client)


def _connected(client_class: Any, address: str) -> Any:
    # In two steps, so that what is half made can be closed; it would complain when it is deleted.
    client = client_class.__new__(client_class)
    try:
        client.__init__(address, timeout=CONNECT_S, set_as_default=False)
    except BaseException as problem:
        _close(client)
        if isinstance(problem, Exception):
            raise _no_answer(address, problem) from None
        raise
    return client


def _close(client: Any) -> None:
    with suppress(Exception):  # what is lost need not be closed
        client.close(timeout=_CLOSE_S)
    client.status = "closed"


def _knock(address: str) -> None:
    """Refuse an address that is none, or where nobody is, or somebody who does not speak."""
    inside = _HERE.fullmatch(address)
    if inside is not None and inside[1] == str(os.getpid()):
        return  # a scheduler that Python code has started in this very process
    if address.startswith("inproc:"):
        raise _other_protocol(address, "inproc")
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        raise UsageError(
            f"{address!r} is no address of a Dask scheduler; write tcp://HOST:PORT, as the "
            "scheduler prints it"
        )
    protocol, host, port = found[1] or "tcp", found[2].strip("[]"), int(found[3])
    if protocol not in _PROTOCOLS:
        raise _other_protocol(address, protocol)
    try:
        with socket.create_connection((host, port), timeout=CONNECT_S) as line:
            if protocol == "tcp":  # with tls it is for us to begin
                _listen(line)
    except (OSError, UnicodeError) as problem:
        raise _no_answer(address, problem) from None


def _other_protocol(address: str, protocol: str) -> UsageError:
    return UsageError(
        f"{address!r}: a Dask scheduler is reached by {' or '.join(_PROTOCOLS)}, not by "
        f"{protocol!r}; write tcp://HOST:PORT"
    )


def _listen(line: socket.socket) -> None:
    """Wait for the greeting of a scheduler, which it sends unasked."""
    if not line.recv(1):
        raise ConnectionError("it closes the line without a greeting")


def _no_answer(address: str, problem: Exception) -> UsageError:
    why = " ".join(str(problem).split()) or type(problem).__name__
    if isinstance(problem, TimeoutError):
        why = f"nothing came within {CONNECT_S} seconds"
    return UsageError(
        f"no Dask scheduler answers at {address!r}: {why}; check the address, or leave "
        "--cluster-address out to work here"
    )


class _Cluster:
    """A connection to a scheduler, and what to do when it is lost."""

    def __init__(
        self, address: str, client: Any, local: Map, killed_worker: type[Exception]
    ) -> None:
        self._address, self._client, self._local = address, client, local
        self._lost = (killed_worker, CancelledError, OSError)
        self._given_up = False

    def cores(self) -> dict[str, int]:
        """Return the cores of every worker; a scheduler that does not say is an OSError."""
        return dict(self._ask("ncores"))

    def _heartbeats(self) -> dict[str, float]:
        """Return when the scheduler last heard of every worker, by the scheduler's clock."""
        workers = self._ask("identity")["workers"]
        return {worker: about["last_seen"] for worker, about in workers.items()}

    def _ask(self, what: str) -> Any:
        try:
            asked = getattr(self._client.scheduler, what)
            return self._client.sync(asked, callback_timeout=CONNECT_S)
        except (AttributeError, RuntimeError) as closed:  # the client noticed it first
            raise OSError("the connection is closed") from closed

    def check_versions(self) -> None:
        """Refuse workers without this very version of the package: results could differ."""
        mine = own_version()
        # By a function that every Python has: of what it cannot import a worker says nothing.
        told = {
            worker: self._client.submit(
                version, "tellapart", workers=[worker], allow_other_workers=False, pure=False
            )
            for worker in self.cores()
        }
        for worker, future in told.items():
            try:
                theirs = future.result(timeout=_VERSION_S)
            except PackageNotFoundError:
                theirs = None
            except Exception as problem:
                raise UsageError(
                    f"the worker {worker} of the cluster at {self._address!r} does not answer "
                    f"({type(problem).__name__}); restart it"
                ) from None
            if theirs != mine:
                has = f"tellapart {theirs}" if theirs else "no tellapart"
                raise UsageError(
                    f"the worker {worker} of the cluster at {self._address!r} has {has}; install "
                    f"tellapart {mine} on all workers"
                )

    def map(
        self, function: Callable[..., Any], payload: Any, items: Sequence[Any]
    ) -> Iterator[Any]:
        """Yield the results of all items in order, from the cluster as long as it is there."""
        done = 0
        if not self._given_up:
            try:
                for future in self._sent(function, payload, items):
                    result = self._result(future)
                    done += 1
                    yield result
            except self._lost as problem:
                self._given_up = True
                why = " ".join(str(problem).split())[:200] or type(problem).__name__
                warnings.warn(
                    f"the cluster at {self._address!r} was lost ({why}); the rest was done here, "
                    "with the same result",
                    ClusterLost,
                    stacklevel=2,
                )
        if done < len(items):
            yield from self._local(function, payload, items[done:])

    def _sent(
        self, function: Callable[..., Any], payload: Any, items: Sequence[Any]
    ) -> Sequence[Any]:
        # The payload travels once; a shard that dies with its worker is run again elsewhere.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large payloads
            shared = self._client.submit(_itself, payload, pure=False)
            futures: Sequence[Any] = self._client.map(
                partial(_swapped, function), items, payload=shared, pure=False
            )
        return futures

    def _result(self, future: Any) -> Any:
        """Return what a shard found; OSError if there is nobody left who could work on it."""
        heard: dict[str, float] = {}
        silent: float = 0  # counted by our questions, not by a clock, which goes on while we sleep
        while True:
            try:
                return future.result(timeout=_POLL_S)
            except TimeoutError:
                if future.status == "error":
                    raise  # the shard's own, which it raises here, too
            beats = self._heartbeats()
            lives = any(heard.get(worker) != beat for worker, beat in beats.items())
            silent = 0 if lives else silent + _POLL_S
            heard = beats
            if not beats and silent > PATIENCE_S:
                raise OSError(f"it has had no workers for {PATIENCE_S} seconds")
            if silent > SILENCE_S:
                raise OSError(f"its workers have been silent for {SILENCE_S} seconds")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own messages from standard error: what matters is said in one sentence."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = [logging.getLogger(name) for name in (*names, "tornado.application")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def own_version() -> str:
    """Return the version that workers must have, too."""
    return version("tellapart")


def _itself(payload: Any) -> Any:
    return payload


def _swapped(function: Callable[..., Any], item: Any, payload: Any) -> Any:
    return function(payload, item)
