"""How a program of ours begins and ends: its streams, signals and errors, and the status it leaves.

Whatever happens, the user reads one sentence and a shell gets a status that means one thing:

* 0: done
* 1: done, and a system is worse (only where that was asked: `--fail-if-worse`)
* 2: the input or the request cannot be used
* 70: an internal error, which is ours to mend
* 130, 143, 129: interrupted (Ctrl-C), terminated, hung up

The module itself imports little; signals are answered even before it is loaded (`signals.py`).
"""

from __future__ import annotations

import codecs
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

from tellapart.console import say
from tellapart.errors import TellapartError
from tellapart.signals import end_on_signals, what_was_written

if TYPE_CHECKING:
    from types import TracebackType

BAD_REQUEST: Final = 2
INTERNAL_ERROR: Final = 70
INTERRUPTED: Final = 128 + signal.SIGINT


def run_program(name: str, work: Callable[[], int]) -> NoReturn:
    """Do a program's work and exit with its status, with streams that cannot fail it."""
    output = _open_streams()
    handled = end_on_signals(name)
    if not _debugging():
        _silence_libraries()
    try:
        status = guarded(name, work)
    except SystemExit as left:  # argparse leaves by itself
        status = left.code if isinstance(left.code, int) else 0 if left.code is None else 2
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    if output is not None and output.problem is not None:
        status = _unwritten(name, output.problem, status)
    for number in handled:
        signal.signal(number, signal.SIG_IGN)  # all is done, and Python is about to take its leave
    sys.exit(status)


def guarded(program: str, work: Callable[[], int]) -> int:
    """Do a program's work, and turn what goes wrong into one sentence and a status.

    >>> guarded("tellapart", lambda: 0)
    0
    """
    try:
        return work()
    except TellapartError as problem:
        say(str(problem), program)
        return BAD_REQUEST
    except MemoryError:
        say("this needs more memory than there is; compare fewer at a time", program)
        return BAD_REQUEST
    except KeyboardInterrupt:
        say(f"interrupted; {what_was_written()}", program)
        return INTERRUPTED
    except Exception as problem:
        if _debugging():
            import traceback

            traceback.print_exc()
        say(_internal(problem), program)
        return INTERNAL_ERROR


@contextmanager
def interruptions_raised() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt, for a verb that has something of its own to say then."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal arrives, nor can its handler be set
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _debugging() -> bool:
    return bool(os.environ.get("TELLAPART_DEBUG"))


def _silence_libraries() -> None:
    """Keep from users what only programmers can use: warnings of libraries, and late tracebacks."""
    import warnings

    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None
    threading.excepthook = lambda _: None


def _internal(problem: Exception) -> str:
    """Return the sentence on an error that is ours: what it is, and where in the code.

    >>> try:
    ...     [][1]
    ... except IndexError as problem:
    ...     _internal(problem).partition(" (")[0]
    'internal error: IndexError in tellapart.program:2'
    """
    text = " ".join(str(problem).split())
    kind = type(problem).__name__
    shown = f"{kind} in {_place(problem.__traceback__)}" + (f" ({text[:200]})" if text else "")
    return (
        f"internal error: {shown}; please report it with the file and this command line "
        "(TELLAPART_DEBUG=1 shows the traceback)"
    )


def _place(trace: TracebackType | None) -> str:
    """Return the last line of ours that was running, and the one in another's code if it was."""
    places: list[str] = []
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", "?"))
        places.append(f"{module}:{trace.tb_lineno}")
        trace = trace.tb_next
    ours = [each for each in places if each.startswith(("tellapart.", "studies."))]
    last = places[-1] if places else "?"
    if not ours or ours[-1] == last:
        return last
    return f"{last}, called by {ours[-1]}"


class _Enduring(io.RawIOBase):
    """A standard stream that goes on when it cannot be written, and remembers why.

    So that a reader who has enough (`| head`), a full disk or a closed stream neither stop the
    work nor change its status in some places and not in others: the end of the program decides.
    """

    def __init__(self, descriptor: int, before: Callable[[], None] | None = None) -> None:
        self._descriptor, self._before = descriptor, before
        self.problem: OSError | None = None

    def writable(self) -> bool:
        """Return that it takes text."""
        return True

    def fileno(self) -> int:
        """Return its number."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether someone sees it."""
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Write what can be written."""
        if self._before is not None:
            self._before()
        while self.problem is None:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError as problem:
                self.problem = problem
        return len(data)


def _open_streams() -> _Enduring | None:
    """Make standard streams that are there, that do not fail, and that spell what they cannot say.

    Returns what remembers whether standard output could be written.
    """
    codecs.register_error(SPELLED, spelled)
    if os.name != "posix":  # a console of Windows has ways of its own
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=SPELLED)
        return None
    for descriptor, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            # A closed stream: else the next file that is opened would be it. Opened the wrong way,
            # standard input and output still fail, but as any stream does.
            os.dup2(os.open(os.devnull, mode), descriptor)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)))
    output = _Enduring(1)
    sys.stdout = _text_stream(output, sys.stdout)
    # Where both go to one place, such as the log of a build, they are in the order of events.
    sys.stderr = _text_stream(_Enduring(2, before=sys.stdout.flush), sys.stderr)
    return output


def _text_stream(raw: _Enduring, replaced: Any) -> io.TextIOWrapper:
    encoding = getattr(replaced, "encoding", None) or "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors=SPELLED,
        line_buffering=raw.fileno() == 2
        or raw.isatty()
        or replaced is None
        or replaced.write_through,
    )


def _unwritten(program: str, problem: OSError, status: int) -> int:
    """Return the status where standard output could not be written, and say why it could not."""
    if isinstance(problem, BrokenPipeError):
        return status  # whoever read our output has enough
    reason = problem.strerror or str(problem)
    say(f"standard output cannot be written ({reason}); the report is not whole", program)
    return status or BAD_REQUEST


SPELLED: Final = "tellapart.spelled"
"""The name of the codecs' way to spell what an encoding lacks"""
_SPELLINGS: Final = {
    "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "×": "x", "·": ".", "•": "*", "…": "...",
    "≥": ">=", "≤": "<=", "≠": "!=", "≈": "~", "±": "+/-", "→": "->", "←": "<-", "“": '"',
    "”": '"', "„": '"', "‘": "'", "’": "'", "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "æ": "ae", "Æ": "AE", "⁄": "/", "√": "sqrt ", "∞": "inf", "α": "alpha", "β": "beta", "│": "|",
    "─": "-", "█": "#", "■": "#", "░": ".", "▏": "|", "µ": "mu", "μ": "mu", "²": "^2", "³": "^3",
}  # fmt: skip


def spelled(problem: UnicodeError) -> tuple[str, int]:
    r"""Spell what an encoding lacks, as codecs ask for it.

    >>> codecs.register_error(SPELLED, spelled)
    >>> "p ≥ .05 – Žižka".encode("ascii", SPELLED), "a\udcff.csv".encode("utf-8", SPELLED)
    (b'p >= .05 - Zizka', b'a\\xff.csv')
    """
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lacking = problem.object[problem.start : problem.end]
    return "".join(map(_spelling, lacking)), problem.end


def _spelling(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is no UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character in _SPELLINGS:
        return _SPELLINGS[character]
    import unicodedata

    letters = unicodedata.normalize("NFKD", character)
    plain = "".join(
        _SPELLINGS.get(each, each) for each in letters if not unicodedata.combining(each)
    )
    return plain if plain.isascii() else character.encode("ascii", "backslashreplace").decode()
