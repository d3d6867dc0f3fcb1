"""Reading text and writing whole files, with errors that users can act on."""

from __future__ import annotations

import errno
import gzip
import io
import os
import secrets
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from tellapart.errors import DataError, UsageError
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
def write_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only when it is whole.

    The bytes go to a temporary file in the same folder, which then replaces `path`; after an
    error the old file is as it was. `-` is standard output; devices and pipes are written to
    directly. A path that cannot be written is a UsageError.
    """
    if str(path) == STANDARD:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with _replacing(target) as stream:
            yield stream
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{path}: the file cannot be written ({reason}); give a path in a folder that exists "
            "and is writable"
        ) from None


def check_writable(path: str | Path) -> None:
    """Refuse a path that cannot be written before any work is done for it."""
    if str(path) != STANDARD and Path(path).is_dir():
        raise UsageError(f"{path}: this is a folder; name a file to write")
    folder = Path(os.path.realpath(path)).parent
    if str(path) != STANDARD and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise UsageError(
            f"{path}: the file cannot be written (no such folder, or not yours to write in); give "
            "a path in a folder that exists and is writable"
        )


def check_folder(path: str | Path) -> None:
    """Refuse a folder that cannot be made or written in, before any work is done for it."""
    whole = Path(os.path.realpath(path))
    there = next(each for each in (whole, *whole.parents) if each.exists())
    if not there.is_dir():
        raise UsageError(f"{path}: {there.name} is a file, and a folder is needed; give another")
    if not os.access(there, os.W_OK):
        raise UsageError(f"{path}: the folder is not yours to write in; give another")


def make_folder(path: str | Path) -> None:
    """Make a folder unless it is there; what stands in the way is a UsageError."""
    check_folder(path)
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: the folder cannot be made ({reason}); give another") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a text file as UTF-8, whole or not at all; `-` is standard output."""
    with write_atomically(path) as stream:
        stream.write(text.encode())


@contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        # Not mkstemp: the new file gets the permissions that any new file would.
        with temporary.open("xb") as stream:
            yield stream
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


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
