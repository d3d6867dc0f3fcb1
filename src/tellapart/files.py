"""Reading text, plain or packed, with errors that users can act on."""

from __future__ import annotations

import errno
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from tellapart.errors import DataError
from tellapart.words import clean

STANDARD: Final = "-"  # standard input or output, wherever a file is


def shown(path: str | Path) -> str:
    """Return the name of a file as messages spell it.

    >>> shown("-"), shown("runs/a.csv")
    ('standard input', 'runs/a.csv')
    """
    return "standard input" if str(path) == STANDARD else clean(str(path))


@contextmanager
def open_text(path: str | Path, encoding: str = "utf-8-sig") -> Iterator[IO[str]]:
    """Open UTF-8 text for reading: plain, `.gz`, or `-` for standard input.

    A byte-order mark is skipped and line ends are left as they are. Formats that are older than
    UTF-8 name their encoding. Whatever goes wrong while the text is read inside the `with` block
    is a DataError that names the file.
    """
    try:
        with _open_bytes(path) as raw:
            # Detached rather than closed, so that standard input stays open for its owner.
            text = io.TextIOWrapper(raw, encoding=encoding, newline="")
            try:
                yield text
            finally:
                with suppress(ValueError):
                    text.detach()
    except UnicodeDecodeError:
        raise DataError(
            f"{_undecodable_place(path)}: this is not UTF-8 text; "
            "give a text table, or convert it to UTF-8"
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{shown(path)}: the file is not whole gzip data ({error}); compress it again"
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: str | Path, error: OSError) -> DataError:
    """Return the DataError for a file that cannot be opened or read."""
    if error.errno == errno.ENOENT:
        return DataError(f"{shown(path)}: there is no such file; check the name and the folder")
    if error.errno == errno.EISDIR:
        return DataError(f"{shown(path)}: this is a folder; name the file in it")
    reason = error.strerror or str(error)
    return DataError(f"{shown(path)}: the file cannot be read ({reason}); check its permissions")


@contextmanager
def _open_bytes(path: str | Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    if str(path) == STANDARD:
        yield sys.stdin.buffer
    elif str(path).endswith(".gz"):
        with gzip.open(path, "rb") as stream:
            yield stream
    else:
        with open(path, "rb") as stream:
            yield stream


def _undecodable_place(path: str | Path) -> str:
    """Name the file and its first line that is not UTF-8, if it can be read again."""
    if str(path) != STANDARD:
        with _open_bytes(path) as raw:
            for number, line in enumerate(raw, 1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    return f"{path}:{number}"
    return shown(path)
