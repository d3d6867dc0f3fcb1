"""Writing files: whole or not at all, and never over one that was read."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from tellapart.console import standard_output
from tellapart.errors import UsageError
from tellapart.files import STANDARD

Content = str | Callable[[IO[bytes]], object]
"""What a file gets: its text, or what writes its bytes to a stream"""


@contextmanager
def write_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only when it is whole.

    The bytes go to a temporary file in the same folder, which reaches the disk and then replaces
    `path`; after an error, or a power cut, the old file is as it was. `-` is standard output;
    devices and pipes are written to directly. A path that cannot be written is a UsageError.
    """
    if str(path) == STANDARD:
        with standard_output() as stream:
            yield stream
        return
    with _told(path):
        if _is_stream(path):
            with open(path, "wb") as stream:
                note_written(path)  # from its first byte
                yield stream
            return
        draft = _Draft(path)
        try:
            with draft.temporary.open("xb") as stream:
                yield stream
            draft.sync()
            draft.publish()
        except BaseException:
            draft.discard()
            raise
        _sync_folder(draft.target.parent)


def write_together(contents: Mapping[str, Content]) -> None:
    """Write several files, each whole; if one cannot be written, none is.

    All of them are on the disk under temporary names before the first gets its own. Standard
    output, devices and pipes, which cannot be taken back, come last.
    """
    streams = [path for path in contents if path == STANDARD or _is_stream(path)]
    drafts: dict[str, _Draft] = {}
    try:
        for path, content in contents.items():
            if path not in streams:
                with _told(path):
                    drafts[path] = draft = _Draft(path)
                    with draft.temporary.open("xb") as stream:
                        _fill(stream, content)
        _sync(drafts.values())
        for path, draft in drafts.items():
            with _told(path):
                draft.publish()
    except BaseException:
        for draft in drafts.values():
            draft.discard()
        raise
    for folder in {draft.target.parent for draft in drafts.values()}:
        _sync_folder(folder)
    for path in streams:
        with write_atomically(path) as stream:
            _fill(stream, contents[path])


def write_text(path: str | Path, text: str) -> None:
    """Write a text file as UTF-8, whole or not at all; `-` is standard output."""
    write_together({str(path): text})


def refuse_replacing(
    paths: Iterable[str | Path], read: Iterable[str | Path], option: str = ""
) -> None:
    """Refuse to write where files or folders that were read would be replaced or joined.

    A file is the same under all its names: links of both kinds, other spellings of the path, and
    `-` if standard input comes from it. In a folder that was read nothing may be written, since
    the next reading would find it there.

    >>> refuse_replacing(["runs/report.html"], ["runs/a.csv", "runs/b.csv"])
    >>> refuse_replacing(["/dev/./null"], ["/dev/null"], "--json")
    Traceback (most recent call last):
    tellapart.errors.UsageError: --json /dev/./null would replace a file that is read; name another
    """
    inputs = {key: str(each) for each in read for key in _keys_read(each)}
    folders = {key: each for key, each in inputs.items() if os.path.isdir(each)}
    for path in paths:
        if str(path) == STANDARD:
            continue
        named = f"{option} {path}".strip()
        place = Path(real_path(path))
        above = (place, *place.parents) if folders else ()
        keys = (key for each in above for key in _keys(each))
        folder = next((folders[key] for key in keys if key in folders), None)
        if folder is not None and not os.path.isfile(path):
            raise UsageError(
                f"{named} would be among the files of {folder}, a folder that is read; name a "
                "place outside of it"
            )
        if folder is not None or any(key in inputs for key in _keys(place)):
            raise UsageError(f"{named} would replace a file that is read; name another")


def _keys_read(path: str | Path) -> set[object]:
    """Return by what a file that was read is known; of one that is not there, nothing."""
    if str(path) != STANDARD:
        return _keys(path) if os.path.exists(path) else set()
    with suppress(OSError, ValueError, AttributeError):  # of a closed or a replaced standard input
        found = os.fstat(sys.stdin.fileno())
        # Not of a terminal, which may well be standard output, too, and where nothing is replaced.
        if stat.S_ISREG(found.st_mode):
            return {(found.st_dev, found.st_ino)}
    return set()


def _keys(path: str | Path) -> set[object]:
    """Return by what a file is known: its real path, and the disk's own number for it."""
    keys: set[object] = {real_path(path)}
    with suppress(OSError, ValueError):
        found = os.stat(path)
        keys.add((found.st_dev, found.st_ino))
    return keys


def check_writable(path: str | Path) -> None:
    """Refuse a path that cannot be written before any work is done for it."""
    if str(path) == STANDARD:
        return
    if not str(path):
        raise UsageError("the file to write has no name; give one")
    if os.path.isdir(path) or str(path).endswith(("/", os.sep)):
        raise UsageError(f"{path}: this is a folder, and cannot be written as a file; name a file")
    target = real_path(path)
    folder, name = os.path.split(target)
    _check_name(path, name)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise UsageError(f"{path}: the file is not yours to write; name another")
    if not _is_stream(path) and not (os.path.isdir(folder) and os.access(folder, _ENTER_AND_WRITE)):
        raise UsageError(
            f"{path}: the file cannot be written (no such folder, or not yours to write in); give "
            "a path in a folder that exists and is writable"
        )


def check_folder(path: str | Path) -> None:
    """Refuse a folder that cannot be made or written in, before any work is done for it."""
    whole = Path(real_path(path))
    _check_name(path, whole.name)
    there = next(each for each in (whole, *whole.parents) if os.path.exists(each))
    if not os.path.isdir(there):
        raise UsageError(f"{path}: {there.name} is a file, and a folder is needed; give another")
    if not os.access(there, _ENTER_AND_WRITE):
        raise UsageError(f"{path}: the folder is not yours to write in; give another")


def make_folder(path: str | Path, *, private: bool = False) -> None:
    """Make a folder unless it is there; what stands in the way is a UsageError.

    One that is private is for its owner alone.
    """
    check_folder(path)
    whole = Path(real_path(path))
    new = [each for each in (whole, *whole.parents) if not os.path.exists(each)]
    try:
        os.makedirs(whole, 0o700 if private else 0o777, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: the folder cannot be made ({reason}); give another") from None
    for each in reversed(new):
        _sync_folder(each.parent)


def file_names(names: Iterable[str], suffix: str) -> dict[str, str]:
    """Return by name the file, in a folder of one for each, that is called after it.

    Separators of folders and control characters become `_`. Names that cannot be files are
    refused, and those that would share one on some system: `a/b` and `a_b`, but also `GE` and `ge`.

    >>> file_names(["GE", "runs/2"], ".txt")
    {'GE': 'GE.txt', 'runs/2': 'runs_2.txt'}
    """
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in names:
        file = re.sub(r"[/\\\x00-\x1f\x7f]", "_", name) + suffix
        if not name.strip(" ."):
            raise UsageError(f"{name!r} cannot be the name of a file; name it otherwise: NAME=path")
        _check_name(file, file)
        other = taken.setdefault(_plain(file), name)
        if other != name:
            raise UsageError(
                f"{other!r} and {name!r} would both be written to {file}; name one otherwise: "
                "NAME=path"
            )
        found[name] = file
    return found


def place_of(path: str | Path) -> tuple[object, str]:
    """Return what two paths share if, on some system, they are one file: folder and plain name.

    >>> place_of("./A.svg") == place_of("a.svg"), place_of("A.svg") == place_of("B.svg")
    (True, False)
    """
    target = Path(real_path(path))
    try:
        found = target.parent.stat()
    except (OSError, ValueError):
        return _plain(str(target.parent)), _plain(target.name)
    return (found.st_dev, found.st_ino), _plain(target.name)


def real_path(path: str | Path) -> str:
    """Return where a path leads, links followed; what can be no path is a UsageError.

    >>> real_path("/tmp/../dev/./null")
    '/dev/null'
    """
    try:
        return os.path.realpath(path)
    except ValueError:
        raise UsageError(f"{str(path)!r}: no file can have this name; name another") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{path}: the current folder cannot be told ({reason}); change to one that is there"
        ) from None


def _plain(name: str) -> str:
    """Return a name as disks that tell neither case nor accents apart by their bytes know it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


_ENTER_AND_WRITE: Final = os.W_OK | os.X_OK
_FEW, _AT_ONCE = (
    8,
    32,
)  # files that are put on the disk one by one, or together: 1,300 take .2 s, not 2
_LONGEST: Final = 255  # bytes of a file's name, on all common disks


def _check_name(path: str | Path, name: str) -> None:
    if len(os.fsencode(name)) > _LONGEST:
        raise UsageError(
            f"{str(path)[:40]}…: the name is {len(os.fsencode(name))} bytes long, and a file's may "
            f"have {_LONGEST}; name a shorter one"
        )


def _is_stream(path: str | Path) -> bool:
    """Return whether a path is a device or a pipe, which is written to and not replaced."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _fill(stream: IO[bytes], content: Content) -> None:
    if isinstance(content, str):
        # Half characters can only come from the names of files, which need not be UTF-8.
        stream.write(content.encode(errors="backslashreplace"))
    else:
        content(stream)


@contextmanager
def _told(path: str | Path) -> Iterator[None]:
    """Turn what the system has against a file into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        remedy = "give a path in a folder that exists and is writable"
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            remedy = "make room, or name a file on another disk"
        raise UsageError(f"{path}: the file cannot be written ({reason}); {remedy}") from None


class _Draft:
    """A new file under a temporary name, until it is whole and replaces the one of its own name."""

    def __init__(self, path: str | Path) -> None:
        check_writable(path)
        self.path, self.target = str(path), Path(real_path(path))
        # Hidden, and of no known kind: if its writer is killed, nobody takes it for an input.
        # Short: there is room for it wherever there is for the name. Not mkstemp: the new file
        # gets the permissions that any new file would.
        self.temporary = self.target.with_name(f".tellapart-{secrets.token_hex(8)}.tmp")
        self.is_being_named = False
        _drafts.append(self)

    def sync(self) -> None:
        """Make sure that the bytes are on the disk; without that, a power cut could empty it."""
        with _told(self.path), self.temporary.open("r+b") as stream:
            os.fsync(stream.fileno())

    def publish(self) -> None:
        """Give the file its name."""
        if self.target.exists():
            shutil.copymode(self.target, self.temporary)
            # Those who share a file by its group go on doing so, where there are groups.
            with suppress(OSError, AttributeError):
                os.chown(self.temporary, -1, self.target.stat().st_gid)
        self.is_being_named = True
        self.temporary.replace(self.target)

    def discard(self) -> None:
        """Take the temporary file away, if it is still there."""
        with suppress(OSError):
            self.temporary.unlink()
            self.is_being_named = False


_drafts: list[_Draft] = []
_noted: list[str] = []


def note_written(path: str | Path) -> None:
    """Note a file that was written without a draft, so that an interrupted program can name it."""
    _noted.append(str(path))


def end_writing() -> list[str]:
    """Remove all temporary files, and return what was written, as a program's last deed.

    >>> note_written("history.txt")
    >>> "history.txt" in end_writing()
    True
    """
    for draft in _drafts:
        draft.discard()
        if draft.is_being_named:  # and there was nothing to discard: it has its name
            note_written(draft.path)
    return list(dict.fromkeys(_noted))


def _sync(drafts: Collection[_Draft]) -> None:
    """Put all files on the disk; many at the same time, since each waits for the disk alone."""
    if len(drafts) <= _FEW:
        for draft in drafts:
            draft.sync()
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(_Draft.sync, drafts))


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in a folder is on the disk, where the system can do so."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
