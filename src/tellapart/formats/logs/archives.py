"""Zip archives of JSON, compressed by zstd or deflate, with errors that users can act on."""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Final

from tellapart.errors import DataError
from tellapart.files import most_unpacked, needs_zstd, shown, too_much_unpacked, zstd_module
from tellapart.formats.json_stream import elements
from tellapart.formats.logs.log import parse_log

_ZSTD: Final = 93
_PIECE: Final = 1 << 12
MAGIC: Final = b"PK\x03\x04"


class Archive:
    """An open zip file whose members are JSON."""

    def __init__(self, path: str, opened: Any, size: int) -> None:
        self.path = path
        self._zip = opened
        self._most = self._left = most_unpacked(size)
        self.sizes: dict[str, int] = {each.filename: each.file_size for each in opened.infolist()}

    def json(self, name: str) -> Any:
        """Return what one member holds."""
        info = self._member(name)
        with self.reading(info) as member:  # by small pieces: a few of zstd may hold gigabytes
            data = b"".join(iter(lambda: member.read(_PIECE), b""))
        return parse_log(data, f"{shown(self.path)}: {name}")

    def rows(self, name: str) -> Rows:
        """Return what is in the list that a member is."""
        return Rows(self, self._member(name))

    def _member(self, name: str) -> Any:
        info = self._zip.getinfo(name)
        if info.compress_type == _ZSTD and zstd_module() is None:
            raise needs_zstd(shown(self.path))
        # No more than this comes out of a member, whatever is in it.
        self._left -= info.file_size
        if self._left < 0:
            raise too_much_unpacked(shown(self.path), self._most)
        return info

    @contextmanager
    def reading(self, info: Any) -> Iterator[IO[bytes]]:
        """Open a member; what is wrong with it while it is read is told."""
        place = f"{shown(self.path)}: {info.filename}"
        try:
            with self._zip.open(info) as member:
                yield member
        except NotImplementedError:
            raise DataError(
                f"{place} is compressed by method {info.compress_type}, which cannot be read; "
                "write the log again with `inspect log convert`"
            ) from None
        except DataError:
            raise
        except _damage() as error:
            raise DataError(f"{place} is damaged ({error}); copy the log again") from None


class Rows:
    """The elements of a list in an archive, unpacked each time as they are asked for."""

    def __init__(self, archive: Archive, info: Any) -> None:
        self._archive, self._info = archive, info

    def __iter__(self) -> Iterator[Any]:
        """Yield the elements."""
        place = f"{shown(self._archive.path)}: {self._info.filename}"
        with self._archive.reading(self._info) as member:
            text = io.TextIOWrapper(member, encoding="utf-8-sig")
            yield from elements(text, place, "copy the file again")


def open_archive(path: str, raw: IO[bytes]) -> Archive:
    """Open the zip file that is at the path."""
    head = raw.read(len(MAGIC))
    size = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    try:
        return Archive(path, _zip_module().ZipFile(raw), size)
    except _damage() as error:
        raise DataError(f"{shown(path)}: {_not_whole(head, error)}") from None


def _not_whole(head: bytes, error: Exception) -> str:
    if not head:
        return "the file is empty; give a finished log"
    if head == MAGIC:
        return f"the zip file is cut off or damaged ({error}); copy the log again"
    return "this is not a zip file, as .eval logs are; give a log that Inspect wrote"


def _zip_module() -> Any:
    """Return the zipfile that knows zstd, if there is one: the standard one from 3.14 on."""
    if sys.version_info >= (3, 14):
        return zipfile
    try:
        from backports.zstd import zipfile as newer
    except ImportError:
        return zipfile
    return newer


def _damage() -> tuple[type[Exception], ...]:
    """Return what broken zip files raise, whichever module reads them."""
    module = _zip_module()
    found = [module.BadZipFile, OSError, EOFError, RuntimeError, ValueError, zlib.error]
    zstd = zstd_module()
    if zstd is not None:
        found.append(zstd.ZstdError)
    return tuple(found)
