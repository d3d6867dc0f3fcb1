"""Running a function in a process of its own: it may take its time, or even hang, and hurts nobody.

Reading what a stranger sent and comparing sixty systems both take seconds in which a thread would
keep the pages from being answered. The new process is told what to do by a pickle. What it answers
is JSON, which becomes what the caller expects, and nothing else: the process has
read strangers' bytes.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from tellapart.errors import DataError, TellapartError, UsageError

Result = TypeVar("Result")

MEGABYTES: Final = 4096
"""Of address space, numpy's libraries among them"""
# A new interpreter that finds the same modules, and not a fork, which would copy locks that other
# threads of a server hold; nor does it run anew what the server itself was started by.
_PROGRAM: Final = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from tellapart.campaign.own_process import answer; answer()"
)
_ERRORS: Final = {kind.__name__: kind for kind in (TellapartError, DataError, UsageError)}
_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()


class TooSlow(TellapartError):  # noqa: N818 (read as a sentence where it is caught)
    """The process was ended, as it took longer than it may."""


class Crashed(TellapartError):  # noqa: N818
    """The process ended by itself, out of memory or worse."""


def in_own_process(
    function: Callable[..., Result],
    *arguments: Any,
    returns: Any,
    seconds: float,
    megabytes: int = MEGABYTES,
) -> Result:
    """Return what a function of a module returns; a TellapartError that it raises is raised here.

    `returns` is what that is: texts, numbers, and lists, mappings and records of them.

    >>> in_own_process(divmod, 7, 2, returns=tuple[int, int], seconds=60)
    (3, 1)
    """
    asked = pickle.dumps(sys.path) + pickle.dumps((megabytes, function, arguments))
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the server, which ends it
    )
    with _lock:
        _running.add(process)
    try:
        told, _ = process.communicate(asked, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise TooSlow(f"it took more than {seconds:g} seconds") from None
    finally:
        process.kill()
        process.communicate()
        with _lock:
            _running.discard(process)
    try:
        answered = json.loads(told)
        if answered["error"] is None:
            return read_as(returns, answered["result"])  # type: ignore[no-any-return]
        problem = _ERRORS[answered["error"]](read_as(str, answered["result"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Crashed("it took more memory than there is, or worse") from None
    raise problem


def answer() -> None:
    """Do in the new process what was asked for."""
    # What libraries print would be part of the answer.
    told = os.dup(1)
    os.dup2(2, 1)
    megabytes, function, arguments = pickle.load(sys.stdin.buffer)
    _limit_memory(megabytes)
    try:
        found = written(function(*arguments))
    except TellapartError as problem:
        kind = next(name for name, each in reversed(_ERRORS.items()) if isinstance(problem, each))
        found = written(str(problem), kind)
    except MemoryError:
        return
    with os.fdopen(told, "wb") as pipe:
        pipe.write(found)


def written(result: Any, error: str | None = None) -> bytes:
    """Return a result, or the words of an error, as the server is told it."""
    return json.dumps({"error": error, "result": result}, default=_plain).encode()


def _plain(value: Any) -> Any:
    """Return what JSON has instead of a record, or of numbers of numpy."""
    return asdict(value) if is_dataclass(value) else value.tolist()  # type: ignore[arg-type]


def read_as(kind: Any, value: Any) -> Any:
    """Return plain data as what it is declared to be; a TypeError if it is something else.

    >>> from tellapart.errors import Finding
    >>> read_as(list[Finding], [{"text": "a.txt:3: the line is blank", "fatal": False}])
    [Finding(text='a.txt:3: the line is blank', fatal=False)]
    """
    origin, inside = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        return _read_as_one_of(inside, value)
    if is_dataclass(origin) and isinstance(value, dict):
        kinds = _kinds_of(kind)
        given = {each.name: read_as(kinds[each.name], value[each.name]) for each in fields(origin)}
        if len(given) == len(value):
            return origin(**given)  # type: ignore[operator]
    elif origin in (dict, Mapping) and isinstance(value, dict):
        return {name: read_as(inside[1], each) for name, each in value.items()}
    elif origin is list and isinstance(value, list):
        return [read_as(inside[0], each) for each in value]
    elif origin is tuple and isinstance(value, list):
        each_kind = inside[:1] * len(value) if inside[-1] is ... else inside
        return tuple(read_as(of, each) for of, each in zip(each_kind, value, strict=True))
    elif origin is float and isinstance(value, float | int):
        return float(value)
    elif getattr(origin, "__name__", "") == "ndarray" and isinstance(value, list):
        import numpy as np

        return np.array(read_as(list[float], value))
    elif origin in (str, int, bool, type(None)) and type(value) is origin:
        return value
    raise TypeError(f"this is no {kind}: {value!r:.100}")


@cache
def _kinds_of(record: Any) -> dict[str, Any]:
    """Return what the fields of a record are; remembered, since it takes long to find out."""
    return get_type_hints(record)


def _read_as_one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    for kind in kinds:
        with suppress(TypeError, KeyError):
            return read_as(kind, value)
    raise TypeError(f"this is none of {kinds}: {value!r:.100}")


def _limit_memory(megabytes: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # where a system has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        process.kill()
