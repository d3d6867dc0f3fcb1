"""Running a function in a process of its own: it may take its time and memory, and hurts nobody.

What a stranger sent is read so: the process ends when it takes too long or too much. What it
answers is JSON, and no more is believed of it: it has read strangers' bytes.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from tellapart.errors import DataError, TellapartError

MEGABYTES: Final = 4096
"""Of address space, numpy's libraries among them"""
# A new interpreter that finds the same modules, and not a fork, which would copy locks that other
# threads of a server hold; nor does it run anew what the server itself was started by.
_PROGRAM: Final = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from tellapart.campaign.own_process import answer; answer()"
)


class TooSlow(TellapartError):  # noqa: N818 (read as a sentence where it is caught)
    """The process was ended, as it took longer than it may."""


class Crashed(TellapartError):  # noqa: N818
    """The process ended by itself, out of memory or worse."""


def in_own_process(
    function: Callable[..., Any], *arguments: Any, seconds: float, megabytes: int = MEGABYTES
) -> Any:
    """Return what a function of a module returns, as JSON has it; its errors are DataErrors.

    >>> in_own_process(divmod, 7, 2, seconds=60)
    [3, 1]
    """
    asked = pickle.dumps(sys.path) + pickle.dumps((megabytes, function, arguments))
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the server
    )
    try:
        told, _ = process.communicate(asked, timeout=seconds)
        result, problem = json.loads(told)
    except subprocess.TimeoutExpired:
        raise TooSlow(f"it took more than {seconds:g} seconds") from None
    except (ValueError, TypeError, RecursionError):
        raise Crashed("it took more memory than there is, or worse") from None
    finally:
        process.kill()
        process.communicate()
    if problem is not None:
        raise DataError(str(problem))
    return result


def answer() -> None:
    """Do in the new process what was asked for."""
    pipe = os.dup(1)
    os.dup2(2, 1)  # what libraries print would be part of the answer
    megabytes, function, arguments = pickle.load(sys.stdin.buffer)
    with suppress(ImportError, ValueError, OSError):  # where a system has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found: tuple[Any, str | None]
    try:
        found = function(*arguments), None
    except TellapartError as problem:
        found = None, str(problem)
    with os.fdopen(pipe, "wb") as stream:
        stream.write(json.dumps(found).encode())
