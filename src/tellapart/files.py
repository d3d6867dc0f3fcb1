"""Files: reading bytes and text, plain or packed, and writing files whole or not at all.

Standard input and pipes give their bytes once; inside a block of `reading_once`, whoever opens
them gets all of them. Every error is one sentence that names the file and what to do.
"""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import re
import secrets
import shutil
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from tellapart.console import remark, send
from tellapart.errors import DataError, UsageError
from tellapart.words import clean

Value = TypeVar("Value")

STANDARD: Final = "-"  # standard input or output, wherever a file is
UNPACKED_FREELY = 1 << 28  # bytes that a compressed file may unpack to, however small it is
UNPACKED_TIMES: Final = 200
_MARKS: Final = {
    ".gz": (b"\x1f\x8b",),
    # A frame, or one of sixteen kinds of frames to be skipped, with which pzstd begins.
    ".zst": (b"(\xb5/\xfd", *(bytes([0x50 + kind]) + b"*M\x18" for kind in range(16))),
}
_BINARY: Final = (
    b"PK\x03\x04", b"PK\x05\x06", b"PAR1", *(mark for marks in _MARKS.values() for mark in marks)
)  # fmt: skip
_OFFICE: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # zip and .xlsx; .xls
_CHUNK: Final = 1 << 17
_UNREADABLE: Final = {
    errno.ENOENT: "there is no such file; check the name and the folder",
    errno.EISDIR: "this is a folder; name the file in it",
}

_kept: Final[ContextVar[dict[str, bytes] | None]] = ContextVar("kept", default=None)
"""What came out of standard input and pipes in this block"""
_cut_short: Final[ContextVar[set[str] | None]] = ContextVar("cut_short", default=None)
"""The files whose last line is left in this block, since it is not whole"""
_most_unpacked: Final[ContextVar[int]] = ContextVar("most_unpacked", default=sys.maxsize)
"""How many bytes may come out of any compressed file in this block"""


def shown(path: str | Path) -> str:
    """Return the name of a file as messages spell it.

    >>> shown("-"), shown("runs/a.csv")
    ('standard input', 'runs/a.csv')
    """
    return "standard input" if str(path) == STANDARD else clean(str(path))


@contextmanager
def reading_once() -> Iterator[None]:
    """Keep what comes out of standard input and pipes until the block ends; also a decorator.

    A guess of the format reads the beginning, the reader everything, an error looks for its line.
    """
    with _holding(_kept, _kept_here()):
        yield


def _kept_here() -> dict[str, bytes]:
    """Return what is kept in this block; outside of any, nothing is."""
    kept = _kept.get()
    return {} if kept is None else kept


def whole_lines() -> AbstractContextManager[set[str]]:
    """Read files that grow up to their last whole line in the block; yield which were cut."""
    return _holding(_cut_short, set())


@contextmanager
def _holding(variable: ContextVar[Any], value: Value) -> Iterator[Value]:
    """Let a variable have a value in the block."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def is_stream(path: str | Path) -> bool:
    """Return whether a path is standard input, a pipe or a device, which gives its bytes once.

    >>> is_stream("-"), is_stream("runs/a.csv"), is_stream("/dev/null")
    (True, False, True)
    """
    is_stored = os.path.isfile(path) or os.path.isdir(path)
    return str(path) == STANDARD or (os.path.exists(path) and not is_stored)


def _stream_bytes(path: str) -> bytes:
    """Return all that comes out of standard input or a pipe, or what came when it was read."""
    kept = _kept_here()
    if path in kept:
        return kept[path]
    if path != STANDARD:
        kept[path] = Path(path).read_bytes()
    elif sys.stdin is None or sys.stdin.closed:
        raise DataError("standard input is closed; give a file, or a pipe")
    else:
        if sys.stdin.isatty():
            remark("reading standard input; Ctrl-D ends it")
        kept[path] = sys.stdin.buffer.read()
    return kept[path]


@contextmanager
def open_bytes(path: str | Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading its bytes as they are, and for moving in them; pipes as well.

    What goes wrong while it is read is a DataError.
    """
    check_name(path)
    cut = _cut_short.get()
    try:
        if is_stream(path):
            content = _stream_bytes(str(path))
        elif cut is not None:
            content = _whole_lines(path, cut)
        else:
            with open(path, "rb") as file:
                yield file
            return
        yield io.BufferedReader(io.BytesIO(content), _CHUNK)
    except OSError as error:
        other = f"the file cannot be read ({error.strerror or error}); check it"
        raise DataError(f"{shown(path)}: {_UNREADABLE.get(error.errno or 0, other)}") from None


def _whole_lines(path: str | Path, cut: set[str]) -> bytes:
    """Return a file up to its last whole line; packed files and JSON documents have no lines."""
    content = Path(path).read_bytes()
    first = content.partition(b"\n")[0].strip()
    is_document = first.startswith((b"{", b"[")) and not first.endswith((b"}", b"]"))
    end = content.rfind(b"\n") + 1
    is_whole = end in (0, len(content)) or _is_json_object(content[end:])
    if is_whole or is_document or content.startswith(_BINARY):
        return content
    cut.add(str(path))
    return content[:end]


def _is_json_object(line: bytes) -> bool:
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(line), dict)
    return False


def read_bytes(path: str | Path) -> bytes:
    """Return what is in a file, as it is."""
    with open_bytes(path) as stream:
        return stream.read()


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
            yield raw
            return
        opened, damage = _unpacking(raw, suffix, shown(path))
        try:
            with opened as unpacked:
                bounded = _Bounded(unpacked, shown(path), most_unpacked(size))
                yield io.BufferedReader(bounded, _CHUNK)
        except damage as error:
            problem = f"this is no whole {suffix} file ({error})"
            raise UnpackError(f"{shown(path)}: {problem}; compress it again") from None


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
            raise _not_text(path) from None
        finally:
            with suppress(ValueError):
                text.detach()  # what is below is closed by those who opened it


def _not_text(path: str | Path) -> DataError:
    """Return the refusal of what is not UTF-8: a spreadsheet, an archive, or its first bad line."""
    place = shown(path)
    with open_unpacked(path) as raw:
        if raw.peek(4).startswith(_OFFICE):
            finding = "this is a spreadsheet or a zip archive"
            return DataError(f"{place}: {finding}; save it as CSV, or unpack it")
        for number, line in enumerate(raw, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                place = f"{place}:{number}"
                break
    return DataError(f"{place}: this is not UTF-8 text; convert it")


class UnpackError(DataError):
    """A compressed file is cut off or damaged."""


def unpacked_name(path: str | Path) -> str:
    """Return a path without the suffix that says how the file is compressed.

    >>> unpacked_name("a.csv.gz"), unpacked_name("a.jsonl.zst"), unpacked_name("a.csv")
    ('a.csv', 'a.jsonl', 'a.csv')
    """
    return str(path).removesuffix(".gz").removesuffix(".zst")


def _unpacking(
    raw: io.BufferedReader, suffix: str, name: str
) -> tuple[io.BufferedIOBase, tuple[type[Exception], ...]]:
    """Return what unpacks all frames of a file, and what damage raises."""
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=raw), (EOFError, zlib.error, gzip.BadGzipFile)
    zstd = zstd_module()
    if zstd is None:
        raise DataError(f"{needs_zstd(name)}, or unpack it")
    return zstd.ZstdFile(raw), (EOFError, zstd.ZstdError)


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
    command = f"{sys.executable} -m pip install 'tellapart[zstd]'"
    return DataError(f"{name}: zstd needs a package: {command}")


def most_unpacked(size: int) -> int:
    """Return how many bytes may come out of so many compressed ones.

    What people compress shrinks to a tenth or a fiftieth; what shrinks further is a trap, or holds
    nothing. Those who know better unpack the file themselves: plain files have no such bound.

    >>> most_unpacked(1000) >> 20, most_unpacked(10 << 20) >> 20
    (256, 2000)
    """
    return min(max(UNPACKED_FREELY, UNPACKED_TIMES * size), _most_unpacked.get())


def unpacking_at_most(size: int) -> AbstractContextManager[int]:
    """Let no compressed file that is read in the block unpack to more than so many bytes."""
    return _holding(_most_unpacked, size)


def is_plain(content: bytes, name: str) -> bool:
    """Return whether bytes are no archive, no Parquet, not compressed, and have no character 0.

    >>> is_plain(b"id,output", "a.csv"), is_plain(b"PAR1", "a.csv"), is_plain(b"id", "a.csv.zst")
    (True, False, False)
    """
    packed = content.startswith(_BINARY) or name.lower().endswith((*_MARKS, ".parquet"))
    return not packed and b"\0" not in content


def too_much_unpacked(name: str, most: int) -> DataError:
    """Return the refusal of a small file that unpacks to a large one."""
    return DataError(f"{name}: this unpacks to more than {most >> 20:,} MiB; unpack it yourself")


class _Bounded(io.RawIOBase):
    """Unpacked bytes, whose number is bounded."""

    def __init__(self, raw: io.BufferedIOBase, name: str, most: int) -> None:
        self._raw, self._name, self._most, self._done = raw, name, most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        chunk = self._raw.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._done += len(chunk)
        if self._done > self._most:
            raise too_much_unpacked(self._name, self._most)
        return len(chunk)


def check_name(path: str | Path) -> None:
    """Refuse what cannot be the name of any file, which not all functions of Python take."""
    with suppress(UnicodeEncodeError):
        if str(path) and b"\0" not in os.fsencode(path):
            return
    raise DataError(f"{shown(path)}: no file can have this name; check it")


Content = str | bytes
"""What a file gets; text is written as UTF-8"""


def write_text(path: str | Path, text: str) -> None:
    """Write a text file as UTF-8, whole or not at all; `-` is standard output."""
    write_together({str(path): text})


def write_together(contents: Mapping[str, Content], private: Collection[str] = ()) -> None:
    """Write several files, each whole, `private` ones for their owner alone; or none of them.

    All of them are on the disk under temporary names before the first gets its own. Standard
    output, devices and pipes, which cannot be taken back, come last.
    """
    drafts: dict[str, tuple[Path, Path]] = {}
    streams = [path for path in contents if is_stream(path)]
    try:
        for path in (path for path in contents if path not in streams):
            check_writable(path)
            target = Path(os.path.realpath(path))
            # Hidden, and of no known kind: if its writer is killed, nobody reads it.
            draft = target.with_name(f".tellapart-{secrets.token_hex(8)}.tmp")
            drafts[path] = draft, target
            opener = partial(os.open, mode=0o600) if path in private else None
            with _as_usage_error(path), open(draft, "xb", opener=opener) as stream:
                stream.write(_bytes_of(contents[path]))
                stream.flush()
                os.fsync(stream.fileno())
        for path, (draft, target) in drafts.items():
            with _as_usage_error(path):
                if target.exists() and path not in private:
                    shutil.copymode(target, draft)
                draft.replace(target)
    finally:
        for draft, _ in drafts.values():
            draft.unlink(missing_ok=True)
    for path in streams:
        data = _bytes_of(contents[path])
        if path == STANDARD:
            send(data)
        else:
            with _as_usage_error(path):
                Path(path).write_bytes(data)


def _bytes_of(content: Content) -> bytes:
    # Half characters can only come from the names of files, which need not be UTF-8.
    return content.encode(errors="backslashreplace") if isinstance(content, str) else content


@contextmanager
def _as_usage_error(path: str) -> Iterator[None]:
    """Turn what the system has against writing a file into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: this cannot be written ({reason}); name another") from None


def check_writable(path: str | Path, *, is_folder: bool = False) -> None:
    """Refuse a file or folder that cannot be written, before any work is done for it."""
    if is_stream(path):
        return
    check_name(path)
    place = Path(os.path.realpath(path))
    folders = (place, *place.parents) if is_folder else (place.parent,)
    folder = next(filter(os.path.exists, folders), place)
    reason = None
    if not is_folder and (os.path.isdir(place) or str(path).endswith("/")):
        reason = "this is a folder"
    elif not os.path.isdir(folder):
        reason = "there is no such folder"
    elif not os.access(place if os.path.isfile(place) else folder, os.W_OK):
        reason = "it is read-only"
    if reason is not None:
        raise UsageError(f"{path}: this cannot be written ({reason}); name another")


def make_folder(path: str | Path, *, private: bool = False) -> None:
    """Make a folder unless it is there, for its owner alone if it is private and empty."""
    check_writable(path, is_folder=True)
    with _as_usage_error(str(path)):
        os.makedirs(path, 0o700 if private else 0o777, exist_ok=True)
        if private and not os.listdir(path):
            os.chmod(path, 0o700)


def refuse_replacing(
    paths: Iterable[str | Path], read: Iterable[str | Path], option: str = ""
) -> None:
    """Refuse to write over files that were read, or into folders that were.

    >>> refuse_replacing(["runs/report.html"], ["runs/a.csv", "runs/b.csv"])
    >>> refuse_replacing(["/dev/./null"], ["/dev/null"], "--json")
    Traceback (most recent call last):
    tellapart.errors.UsageError: --json /dev/./null would replace what is read; name another
    """
    inputs = {os.path.realpath(each) for each in read if str(each) != STANDARD}
    for path in (path for path in paths if str(path) != STANDARD):
        place = Path(os.path.realpath(path))
        if inputs & set(map(str, (place, *place.parents))) or _is_standard_input(place):
            named = f"{option} {path}".strip()
            raise UsageError(f"{named} would replace what is read; name another")


def _is_standard_input(path: Path) -> bool:
    """Return whether standard input comes from this file: `tellapart compare - < a.csv`."""
    with suppress(OSError, ValueError, AttributeError):
        return path.is_file() and os.path.samefile(path, sys.stdin.fileno())
    return False


def file_names(names: Iterable[str], suffix: str) -> dict[str, str]:
    """Return by name the file, in a folder of one for each, that is called after it.

    Separators of folders and control characters become `_`; names that would then share a file on
    some system are refused: `a/b` and `a_b`, but also `GE` and `ge`.

    >>> file_names(["GE", "runs/2"], ".txt")
    {'GE': 'GE.txt', 'runs/2': 'runs_2.txt'}
    """
    files: dict[str, str] = {}
    for name in names:
        file = re.sub(r"[/\\\x00-\x1f\x7f]", "_", name) + suffix
        other = next((n for n, f in files.items() if f.casefold() == file.casefold()), None)
        if other is not None:
            raise UsageError(f"{other!r} and {name!r} would both be written to {file}; rename one")
        files[name] = file
    return files
