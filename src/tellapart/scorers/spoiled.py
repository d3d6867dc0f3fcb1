"""Files that can be of no format: empty, not UTF-8, or JSON that does not parse."""

from __future__ import annotations

import codecs
import json
from typing import Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.scorers.complaints import why_no_json
from tellapart.scorers.heads import Head

_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PACKED: Final = b"PK\x03\x04"


def what_is_wrong(head: Head) -> str | None:
    r"""Say what is wrong with a file, with the line; None if nothing of this kind is.

    >>> what_is_wrong(Head("a.conll", b"", whole=True))
    'a.conll: the file is empty; write it again, or leave it out'
    >>> what_is_wrong(Head("a.conll", "Anna B-PER".encode("utf-16"), whole=True))
    'a.conll:1: this is UTF-16 text; convert it to UTF-8'
    >>> what_is_wrong(Head("a.conll", b"Anna B-PER\n", whole=True))
    """
    if not head.data.strip():
        if not head.whole:  # standard input, or a damaged archive: the reader says it
            return None
        return f"{shown(head.path)}: the file is empty; write it again, or leave it out"
    if head.data.startswith(_PACKED):
        return None
    if head.data.startswith(_WIDE):
        return f"{shown(head.path)}:1: this is UTF-16 text; convert it to UTF-8"
    lines = head.data.split(b"\n")
    for number, line in enumerate(lines if head.whole else lines[:-1], 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return f"{shown(head.path)}:{number}: this is not UTF-8 text; convert it to UTF-8"
        if b"\0" in line:
            return f"{shown(head.path)}:{number}: this is not text but binary data; give text"
    return _what_is_wrong_with_json(head) if head.text.lstrip().startswith(("{", "[")) else None


def _what_is_wrong_with_json(head: Head) -> str | None:
    """Read JSON as a whole or line by line, whichever it is."""
    rows = 0
    try:
        with open_text(head.path) as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                place = f"{shown(head.path)}:{number}"
                try:
                    row = json.loads(line)
                except json.JSONDecodeError as error:
                    if not rows:  # not an object a line
                        return _what_is_wrong_with_whole(line + stream.read(), head.path, number)
                    return f"{place}: this is not JSON ({why_no_json(error)}); write the line again"
                if not row:
                    return f"{place}: the JSON holds nothing; write it again"
                rows += 1
    except (DataError, ValueError, RecursionError):
        return None  # the reader of the format says it
    return None


def _what_is_wrong_with_whole(text: str, path: str, start: int) -> str | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{shown(path)}:{start + error.lineno - 1}"
        return f"{place}: this is not whole JSON ({why_no_json(error)}); copy the file again"
    return None
