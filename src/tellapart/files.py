"""Reading text, plain or packed, with errors that users can act on."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Any, Final

from tellapart.errors import DataError
from tellapart.read_once import open_once
from tellapart.words import clean

STANDARD: Final = "-"  # standard input or output, wherever a file is
UNPACKED_FREELY = 1 << 28  # bytes that a compressed file may unpack to, however small it is
UNPACKED_TIMES: Final = 200
LONGEST_LINE = 1 << 30  # bytes: a run as one line of JSON may well have a quarter of them
_MARKS: Final = {
    ".gz": (b"\x1f\x8b",),
    ".zst": (b"(\xb5/\xfd", b"P*M\x18"),  # pzstd begins with a frame to be skipped
}
_CHUNK: Final = 1 << 17


def shown(path: str | Path) -> str:
    """Return the name of a file as messages spell it.

    >>> shown("-"), shown("runs/a.csv")
    ('standard input', 'runs/a.csv')
    """
    return "standard input" if str(path) == STANDARD else clean(str(path))


@contextmanager
def open_text(path: str | Path, encoding: str = "utf-8-sig") -> Iterator[IO[str]]:
    """Open UTF-8 text for reading: plain, gzipped or packed by zstd; `-` is standard input.

    A byte-order mark is skipped and line ends are left as they are. Formats that are older than
    UTF-8 name their encoding. Whatever goes wrong while the text is read inside the `with` block
    is a DataError that names the file.
    """
    with open_unpacked(path) as raw:
        text = io.TextIOWrapper(raw, encoding=encoding, newline="")
        try:
            yield text
        except UnicodeDecodeError:
            raise DataError(
                f"{_undecodable_place(path)}: this is not UTF-8 text; "
                "give a text, or convert it to UTF-8"
            ) from None
        finally:
            with suppress(ValueError):
                text.detach()  # what is below is closed by those who opened it


@contextmanager
def room_for(what: str, file: IO[bytes]) -> Iterator[None]:
    """Turn a failure to keep something in a temporary file into one sentence; the file is closed.

    What is written may fail to reach the disk only when the file is read, or turned to its start.
    """
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            file.close()
        raise DataError(
            f"{what} cannot be kept in {gettempdir()} ({error.strerror or error}); set TMPDIR to a "
            "folder with more room"
        ) from None


class UnpackError(DataError):
    """A compressed file is cut off or damaged."""


def unpacked_name(path: str | Path) -> str:
    """Return a path without the suffix that says how the file is compressed.

    >>> unpacked_name("a.csv.gz"), unpacked_name("a.jsonl.zst"), unpacked_name("a.csv")
    ('a.csv', 'a.jsonl', 'a.csv')
    """
    name = str(path)
    return next((name.removesuffix(each) for each in _MARKS if name.endswith(each)), name)


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading its bytes, unpacked if it is gzipped or zstd, whatever its name.

    What goes wrong while it is read is a DataError.
    """
    with open_bytes(path) as raw:
        head = raw.read(4)
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        suffix = next((each for each, marks in _MARKS.items() if head.startswith(marks)), None)
        if suffix is None and str(path).endswith(tuple(_MARKS)):
            suffix = Path(path).suffix
        if suffix is None:
            yield _bounded(raw, shown(path), None)
            return
        method, opened, damage = _unpacking(raw, suffix, shown(path))
        try:
            with opened as unpacked:
                yield _bounded(unpacked, shown(path), most_unpacked(size))
        except damage as error:
            raise UnpackError(
                f"{shown(path)}: the file is not whole {method} data ({error}); compress it again"
            ) from None


def _unpacking(
    raw: io.BufferedReader, suffix: str, name: str
) -> tuple[str, io.BufferedIOBase, tuple[type[Exception], ...]]:
    """Return how a file is compressed, what unpacks all of its frames, and what damage raises."""
    if suffix == ".gz":
        return "gzip", gzip.GzipFile(fileobj=raw), (EOFError, zlib.error, gzip.BadGzipFile)
    zstd = zstd_module()
    if zstd is None:
        raise needs_zstd(name)
    return "zstd", zstd.ZstdFile(raw), (EOFError, zstd.ZstdError)


def zstd_module() -> Any:
    """Return the module that reads zstd: standard from Python 3.14 on; None where there is none."""
    try:
        if sys.version_info >= (3, 14):
            import compression.zstd as zstd
        else:
            import backports.zstd as zstd
    except ImportError:
        return None
    return zstd


def needs_zstd(name: str) -> DataError:
    """Return the refusal of a file that only one more package can read."""
    return DataError(
        f"{name}: this is compressed by zstd, which needs one more package before Python 3.14: "
        "pip install 'tellapart[zstd]', or unpack it yourself"
    )


def most_unpacked(size: int) -> int:
    """Return how many bytes may come out of so many compressed ones.

    What people compress shrinks to a tenth or a fiftieth; what shrinks further is a trap, or holds
    nothing. Those who know better unpack the file themselves: plain files have no such bound.

    >>> most_unpacked(1000) >> 20, most_unpacked(10 << 20) >> 20
    (256, 2000)
    """
    return max(UNPACKED_FREELY, UNPACKED_TIMES * size)


def too_much_unpacked(name: str, most: int) -> DataError:
    """Return the refusal of a small file that unpacks to a large one."""
    return DataError(
        f"{name}: this unpacks to more than {most >> 20:,} MiB, over {UNPACKED_TIMES} times its "
        "size, which no ordinary file does; unpack it yourself if it is sound, and give that"
    )


def _bounded(raw: io.BufferedIOBase, name: str, most: int | None) -> io.BufferedReader:
    return io.BufferedReader(_Bounded(raw, name, most), _CHUNK)


class _Bounded(io.RawIOBase):
    """Bytes whose number is bounded if they are unpacked, and whose lines are in any case."""

    def __init__(self, raw: io.BufferedIOBase, name: str, most: int | None) -> None:
        self._raw, self._name, self._most = raw, name, most
        self._done = self._in_line = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        chunk = self._raw.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._done += len(chunk)
        if self._most is not None and self._done > self._most:
            raise too_much_unpacked(self._name, self._most)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._in_line = len(chunk) - 1 - end + (self._in_line if end < 0 else 0)
        if self._in_line > LONGEST_LINE:
            raise DataError(
                f"{self._name}:{self._line()}: the line is longer than {LONGEST_LINE >> 20:,} "
                "MiB; check that this is a text with lines"
            )
        return len(chunk)

    def _line(self) -> int:
        """Return the number of the last line that was read."""
        self._raw.seek(0)
        left, line = self._done - self._in_line, 1
        while left > 0 and (chunk := self._raw.read(min(left, _CHUNK))):
            line += chunk.count(b"\n")
            left -= len(chunk)
        return line


def check_name(path: str | Path) -> None:
    """Refuse what cannot be the name of any file, which not all functions of Python take."""
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise DataError(f"{shown(path)}: no file can have this name; check it")


@contextmanager
def open_bytes(path: str | Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading its bytes as they are, and for moving in them; pipes as well.

    What goes wrong while it is read is a DataError.
    """
    check_name(path)
    try:
        with open_once(str(path), shown(path)) as raw:
            yield raw
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: str | Path, error: OSError) -> DataError:
    """Return the DataError for a file that cannot be opened or read."""
    if error.errno == errno.ENOENT:
        return DataError(f"{shown(path)}: there is no such file; check the name and the folder")
    if error.errno == errno.ENAMETOOLONG:
        name = shown(path)
        return DataError(
            f"{name[:40]}…: no file has a name of {len(name):,} characters; several runs of a "
            "system are NAME=run1,run2"
        )
    if error.errno == errno.EISDIR:
        return DataError(f"{shown(path)}: this is a folder; name the file in it")
    reason = error.strerror or str(error)
    return DataError(f"{shown(path)}: the file cannot be read ({reason}); check its permissions")


def _undecodable_place(path: str | Path) -> str:
    """Name the file and its first line that is not UTF-8, if it can be read again."""
    with open_unpacked(path) as raw:
        for number, line in enumerate(raw, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return f"{shown(path)}:{number}"
    return shown(path)
