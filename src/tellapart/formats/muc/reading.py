"""Reading whole files of the conferences."""

from __future__ import annotations

from typing import Final

from tellapart.errors import DataError
from tellapart.files import open_text
from tellapart.formats.muc.findings import Finding

ENCODING: Final = "latin-1"  # of all files of the conferences; every byte is a character
_MARK: Final = "\ufeff".encode().decode(ENCODING)  # the byte-order mark that some editors add


def read_whole(path: str, encoding: str = ENCODING) -> tuple[str, list[Finding]]:
    """Read a file without its byte-order mark; if it cannot be read, that is the one finding."""
    try:
        with open_text(path, encoding) as stream:
            return stream.read().removeprefix(_MARK), []
    except DataError as problem:
        return "", [unreadable(problem)]


def unreadable(problem: DataError) -> Finding:
    """Make a finding of an error, which names the file itself."""
    return Finding("", None, str(problem), fatal=True)
