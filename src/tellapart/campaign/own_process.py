"""Running a function in a process of its own: it may take its time and memory, and hurts nobody.

What a stranger sent is read so: the process ends when it takes too long or too much. What it
answers is JSON, and no more is believed of it: it has read strangers' bytes.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError, TellapartError

MEGABYTES: Final = 4_000
"""Of memory that a process may take"""
# A new interpreter that finds the same modules, and not a fork, which would copy locks that other
# threads of a server hold; nor does it run anew what the server itself was started by.
_PROGRAM: Final = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from tellapart.campaign.own_process import answer; answer()"
)

_TAKEN: Final = re.compile(r"VmData:\s+(\d+) kB")


class Ended(TellapartError):  # noqa: N818 (read as a sentence where it is caught)
    """The process was ended, as it took longer than it may, or ended by itself, out of memory."""


def in_own_process(function: Callable[..., Any], *arguments: Any, seconds: float) -> Any:
    """Return what a function of a module returns, as JSON has it; its errors are DataErrors.

    >>> in_own_process(divmod, 7, 2, seconds=60)
    [3, 1]
    """
    with tempfile.TemporaryFile() as asked:  # what was sent may be large, and is in memory once
        pickle.dump(sys.path, asked)
        pickle.dump((function, arguments), asked)
        asked.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM],
            stdin=asked,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server
        )
    try:
        told, _ = process.communicate(timeout=seconds)
        result, problem = json.loads(told)
    except subprocess.TimeoutExpired:
        raise Ended(f"reading it takes more than {seconds:g} seconds") from None
    except (ValueError, TypeError, RecursionError):
        raise Ended("reading it takes too much memory, or fails") from None
    finally:
        process.kill()
        process.communicate()
    if problem is not None:
        raise DataError(str(problem))
    return result


@contextmanager
def memory_within(megabytes: float, name: str) -> Iterator[None]:
    """Let reading a file in the block take so much memory; what needs more is a DataError.

    Systems that cannot say how much is taken have no such limit.
    """
    import_module("numpy")  # whose libraries are no part of it
    try:
        import resource

        taken = int(_TAKEN.search(Path("/proc/self/status").read_text())[1]) << 10  # type: ignore[index]
    except (ImportError, OSError, TypeError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (taken + int(megabytes * 1e6), hard))
    try:
        yield
    except MemoryError:
        raise DataError(
            f"{name}: reading it takes more than {megabytes:,.0f} MB of memory; send a smaller file"
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def answer() -> None:
    """Do in the new process what was asked for."""
    pipe = os.dup(1)
    os.dup2(2, 1)  # what libraries print would be part of the answer
    function, arguments = pickle.load(sys.stdin.buffer)
    found: tuple[Any, str | None]
    try:
        with memory_within(MEGABYTES, "all together"):
            found = function(*arguments), None
    except TellapartError as problem:
        found = None, str(problem)
    with os.fdopen(pipe, "wb") as stream:
        stream.write(json.dumps(found).encode())
