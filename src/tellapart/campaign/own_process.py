"""Running a function in a process of its own: it may take its time, or even hang, and hurts nobody.

Reading what a stranger sent and comparing sixty systems both take seconds in which a thread would
keep the pages from being answered.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from tellapart.errors import TellapartError

Result = TypeVar("Result")

MEGABYTES: Final = 4096
"""Of address space, numpy's libraries among them"""


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
    # A new interpreter: a fork would copy locks that other threads of a server hold.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=_answer, args=(theirs, megabytes, function, arguments), daemon=True
    )
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise TooSlow(f"it took more than {seconds:g} seconds")
        succeeded, result = ours.recv()
    except EOFError:
        raise Crashed("it took more memory than there is, or worse") from None
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if succeeded:
        return result  # type: ignore[no-any-return]
    raise result


def _answer(
    pipe: Connection, megabytes: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    _limit_memory(megabytes)
    try:
        answer = True, function(*arguments)
    except TellapartError as problem:
        answer = False, problem
    except MemoryError:
        return
    pipe.send(answer)


def _limit_memory(megabytes: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # where a system has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
