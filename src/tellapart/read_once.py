"""What is read from a path is read once: pipes are kept, and checksums are of what was read.

A guess of the format reads the beginning of a file, its reader all of it, and an error message
looks for the line again. Files stand that. A pipe (standard input, a FIFO, a shell's `<(…)`) gives
its bytes to the first who asks; so they are kept, in memory or in a temporary file, for as long as
a block of `reading_once` lasts, and whoever opens the path in that block gets them all.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import threading
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import IO, Any, Final

from tellapart.console import say
from tellapart.errors import DataError
from tellapart.words import clean

STANDARD_INPUT: Final = "-"
WAITING_S = 2.0  # until standard error says what is waited for
MOST_BYTES = 1 << 35  # of a pipe: /dev/zero has no end
_IN_MEMORY: Final = 1 << 26  # bytes of a pipe; more go to a temporary file
_CHUNK: Final = 1 << 18
_LONGEST_FIRST: Final = 1 << 26  # bytes of a line by which it is told whether a file has lines
_PACKED: Final = (b"PK", b"PAR1", b"\x1f\x8b", b"(\xb5/\xfd", b"P*M\x18")


@contextmanager
def reading_once(*, checksums: bool = False) -> Iterator[None]:
    """Keep what comes out of pipes until the block ends; also a decorator.

    With `checksums`, also those of files are taken, when they are first opened; a file that
    changes after that is refused. A block inside another one is part of it.
    """
    if _current.get() is not None:
        yield
        return
    session = _Session(checksums)
    token = _current.set(session)
    try:
        yield
    finally:
        _current.reset(token)
        session.close()


def start_reading(paths: Iterable[str]) -> None:
    """Begin to read all pipes among the paths, at the same time.

    Whoever writes two of them may write either first, and waits until it is read.
    """
    session = _current.get()
    if session is not None:
        for path in paths:
            key = _stream_key(path)
            if key is not None:
                name = "standard input" if path == STANDARD_INPUT else clean(path)
                session.stream(key, path, name)


@contextmanager
def open_once(path: str, name: str) -> Iterator[io.BufferedReader]:
    """Open a path to read its bytes, and to move in them; `name` is for messages.

    A file that changes while it is open is a DataError.
    """
    session = _current.get() or _Session()
    key = _stream_key(path)
    if key is not None:
        with session.stream(key, path, name).opened() as stream:
            yield stream
        return
    with open(path, "rb") as file:
        session.opened.add(os.path.abspath(path))
        cut = _cut_short.get()
        if cut is not None:
            end = _end_of_whole_lines(file)
            if end < os.fstat(file.fileno()).st_size:
                cut.add(path)
            whole: io.BufferedReader = io.BufferedReader(_Again(file, end), _CHUNK)
            with whole:
                yield whole
            if os.fstat(file.fileno()).st_size < end:
                raise _changed(name)
            return
        before = session.state(path, file, name)
        try:
            yield file
        except Exception:
            # What looks like damage is half of the old file and half of the new one.
            _refuse_changed(file, before, name)
            raise
        _refuse_changed(file, before, name)


def checksums_within(path: str) -> dict[str, str]:
    """Return the SHA-256 of what was read from a path or, of a folder, from the files in it."""
    session = _current.get()
    if session is None:
        return {}
    key = _stream_key(path)
    if key is not None:
        stream = session.streams.get(key)
        return {path: stream.checksum} if stream is not None else {}
    if not os.path.isdir(path):
        return {path: session.checksums[path]} if path in session.checksums else {}
    inside = os.path.join(os.path.realpath(path), "")
    return {
        each: checksum
        for each, checksum in sorted(session.checksums.items())
        if os.path.realpath(each).startswith(inside)
    }


@contextmanager
def only_looking() -> Iterator[None]:
    """Let files be opened in the block without a note of it: to see whether they are to be read.

    >>> with reading_once():
    ...     with only_looking(), open_once(__file__, "this"):
    ...         pass
    ...     files_opened()
    []
    """
    session = _Session()
    token = _current.set(session)
    try:
        yield
    finally:
        _current.reset(token)
        session.close()


@contextmanager
def whole_lines() -> Iterator[set[str]]:
    """Let files that grow be read up to their last whole line in the block.

    The set has the paths of those of which something was left. That more is added to a file while
    it is read does no harm here.
    """
    cut: set[str] = set()
    token = _cut_short.set(cut)
    try:
        yield cut
    finally:
        _cut_short.reset(token)


def _end_of_whole_lines(file: IO[bytes]) -> int:
    """Return where the last whole line ends; packed files and JSON documents have no lines."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    first = file.readline(_LONGEST_FIRST)
    begun = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    as_json = begun.startswith((b"{", b"["))
    if first.startswith(_PACKED) or not first.endswith(b"\n") or (as_json and not _is_json(begun)):
        return size
    end = size
    last = b""
    while b"\n" not in last:
        start = max(0, end - _CHUNK)
        file.seek(start)
        last = file.read(end - start) + last
        end = start
    last = last[last.rindex(b"\n") + 1 :]
    return size if not last.strip() or (as_json and _is_json(last)) else size - len(last)


def _is_json(text: bytes) -> bool:
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def files_opened() -> list[str]:
    """Return all files that were opened to be read in this block, also unasked.

    >>> with reading_once():
    ...     with open_once(os.devnull, "nothing"):  # a device, and no file
    ...         files_opened()
    []
    """
    session = _current.get()
    return [] if session is None else sorted(session.opened)


_State = tuple[int, int, int, int]


def _state_of(file: IO[bytes]) -> _State:
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _refuse_changed(file: IO[bytes], before: _State, name: str) -> None:
    if not file.closed and _state_of(file) != before:
        raise _changed(name)


def _changed(name: str) -> DataError:
    return DataError(
        f"{name}: the file changed while it was read; wait until it is finished, and try again"
    )


def is_gone_once_read(path: str) -> bool:
    """Return whether a path is standard input or a pipe, of which nothing is left for another call.

    >>> is_gone_once_read("-"), is_gone_once_read("runs/a.csv")
    (True, False)
    """
    return _stream_key(path) is not None


def _stream_key(path: str) -> Hashable | None:
    """Return what tells a pipe or device from others; None for files, folders and nothing.

    The same pipe may have two names, such as `-` and `/dev/stdin`.
    """
    try:
        found = os.fstat(sys.stdin.fileno()) if path == STANDARD_INPUT else os.stat(path)
    except (OSError, ValueError, AttributeError):  # of a closed or a replaced standard input
        return path if path == STANDARD_INPUT else None
    if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode):
        return path if path == STANDARD_INPUT else None
    return found.st_dev, found.st_ino, found.st_rdev


class _Stream:
    """What comes out of a pipe: read to its end in the background, and kept."""

    def __init__(self, path: str, name: str) -> None:
        import hashlib
        import tempfile

        self._path, self._name = path, name
        self._kept: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        self._digest = hashlib.sha256()
        self._problem: Exception | None = None
        self._done = threading.Event()
        # A daemon: a FIFO that nobody writes to must not keep the program from ending.
        threading.Thread(target=self._keep, daemon=True).start()

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """Open what came out of the pipe, from its beginning; wait until all is there."""
        if not self._done.wait(WAITING_S):
            end = "; Ctrl-D ends it" if self._path == STANDARD_INPUT and sys.stdin.isatty() else ""
            say(f"waiting for the end of {self._name}{end}")
            while not self._done.wait(WAITING_S):
                pass
        if self._problem is not None:
            raise self._problem
        stream: io.BufferedReader = io.BufferedReader(_Again(self._kept), _CHUNK)
        with stream:
            yield stream

    @property
    def checksum(self) -> str:
        """The SHA-256 of all that came."""
        return self._digest.hexdigest()

    def close(self) -> None:
        """Forget what came; what is still waited for is left to end with the program."""
        if self._done.is_set():
            self._kept.close()

    def _keep(self) -> None:
        size = 0
        try:
            with self._source() as source:
                while chunk := source.read(_CHUNK):
                    self._digest.update(chunk)
                    size += len(chunk)
                    if size > MOST_BYTES:
                        raise DataError(
                            f"{self._name}: more than {MOST_BYTES >> 30} GiB came out of this "
                            "pipe; write it to a file, and give that"
                        )
                    self._write(chunk)
        except Exception as problem:  # raised again by whoever opens the pipe
            closed = isinstance(problem, OSError) and problem.errno == errno.EBADF
            self._problem = _closed() if closed else problem
        finally:
            self._done.set()

    def _write(self, chunk: bytes) -> None:
        try:
            self._kept.write(chunk)
        except OSError as error:
            from tempfile import gettempdir

            raise DataError(
                f"{self._name}: what comes out of this pipe cannot be kept in "
                f"{gettempdir()} ({error.strerror or error}); set TMPDIR to a folder with "
                "more room"
            ) from None

    @contextmanager
    def _source(self) -> Iterator[IO[bytes]]:
        if self._path != STANDARD_INPUT:
            with open(self._path, "rb", buffering=0) as source:
                yield source
            return
        try:
            number = sys.stdin.fileno()
        except io.UnsupportedOperation:  # replaced by something in memory
            yield sys.stdin.buffer
            return
        except (AttributeError, ValueError):
            raise _closed() from None
        # Not by its buffer, whose lock a thread that still waits would hold when Python ends.
        with open(os.dup(number), "rb", buffering=0) as source:
            yield source


def _closed() -> DataError:
    return DataError("standard input is closed; give a file, or a pipe")


class _Again(io.RawIOBase):
    """A reader with a place of its own in bytes that are kept once."""

    def __init__(self, kept: IO[bytes], end: int | None = None) -> None:
        self._kept, self._place, self._end = kept, 0, end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self._kept.seek(self._place)
        left = len(buffer) if self._end is None else max(0, self._end - self._place)
        data = self._kept.read(min(len(buffer), left))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_CUR:
            offset += self._place
        elif whence == os.SEEK_END:
            self._kept.seek(0, os.SEEK_END)
            offset += self._kept.tell() if self._end is None else self._end
        self._place = max(0, offset)
        return self._place


@dataclass(slots=True)
class _Session:
    """What was read so far."""

    wanted: bool = False
    """Whether checksums of files are"""
    streams: dict[Hashable, _Stream] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    """Files, whoever asked for them"""
    _states: dict[str, _State] = field(default_factory=dict)

    def stream(self, key: Hashable, path: str, name: str) -> _Stream:
        """Return a pipe, which is read from now on."""
        if key not in self.streams:
            self.streams[key] = _Stream(path, name)
        return self.streams[key]

    def state(self, path: str, file: IO[bytes], name: str) -> _State:
        """Return by what a change would show, after the checksum was taken if it is wanted."""
        import hashlib

        state = _state_of(file)
        if not self.wanted:
            return state
        if path not in self._states:
            self._states[path] = state
            self.checksums[path] = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
            file.seek(0)
            state = _state_of(file)
        if self._states[path] != state:
            raise _changed(name)
        return state

    def close(self) -> None:
        """Forget what came out of pipes."""
        for stream in self.streams.values():
            stream.close()


_current: Final[ContextVar[_Session | None]] = ContextVar("reading", default=None)
_cut_short: Final[ContextVar[set[str] | None]] = ContextVar("whole lines", default=None)
