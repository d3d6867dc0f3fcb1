"""Running a function in a process of its own: it may take its time, or even hang, and hurts nobody.

Reading what a stranger sent and comparing sixty systems both take seconds in which a thread would
keep the pages from being answered.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from tellapart.errors import TellapartError

Result = TypeVar("Result")

MEGABYTES: Final = 4096
"""Of address space, numpy's libraries among them"""
# A new interpreter that finds the same modules, and not a fork, which would copy locks that other
# threads of a server hold; nor does it run anew what the server itself was started by.
_PROGRAM: Final = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from tellapart.campaign.own_process import answer; answer()"
)
_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()


class TooSlow(TellapartError):  # noqa: N818 (read as a sentence where it is caught)
    """The process was ended, as it took longer than it may."""


class Crashed(TellapartError):  # noqa: N818
    """The process ended by itself, out of memory or worse."""


def in_own_process(
    function: Callable[..., Result], *arguments: Any, seconds: float, megabytes: int = MEGABYTES
) -> Result:
    """Return what a function of a module returns; a TellapartError that it raises is raised here.

    >>> in_own_process(divmod, 7, 2, seconds=60)
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
    if not told:
        raise Crashed("it took more memory than there is, or worse")
    succeeded, result = pickle.loads(told)
    if succeeded:
        return result  # type: ignore[no-any-return]
    raise result


def answer() -> None:
    """Do in the new process what was asked for."""
    # What libraries print would be part of the answer.
    told = os.dup(1)
    os.dup2(2, 1)
    megabytes, function, arguments = pickle.load(sys.stdin.buffer)
    _limit_memory(megabytes)
    try:
        found = pickle.dumps((True, function(*arguments)))
    except TellapartError as problem:
        found = pickle.dumps((False, problem))
    except MemoryError:
        return
    with os.fdopen(told, "wb") as pipe:
        pipe.write(found)


def _limit_memory(megabytes: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # where a system has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        process.kill()
