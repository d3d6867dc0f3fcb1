"""Recognising tag files by how they begin."""

from __future__ import annotations

from itertools import islice
from typing import Final

from tellapart.formats.head import Head
from tellapart.formats.tags.files import DOCUMENT, TAG

_LINES: Final = 200


def looks_like_tags(head: Head) -> bool:
    r"""Return whether every line is a token with a tag, and some tag is not O.

    >>> looks_like_tags(Head("x", b"Anna B-PER\nsings O\n", whole=True))
    True
    >>> looks_like_tags(Head("x", b"system\titem\tscore\nA\tq1\t0.5\n", whole=True))
    False
    """
    if not head.lines or "\0" in head.lines[0]:
        return False
    found = head.lines[0].startswith(DOCUMENT)
    for line in islice((line for line in head.lines if line.strip()), _LINES):
        fields = line.split("\t") if "\t" in line else line.split(" ")
        tag = fields[-1].strip()
        if fields[0] == DOCUMENT or (line.startswith("#") and not TAG.fullmatch(tag)):
            continue
        if len(fields) < 2 or not TAG.fullmatch(tag):
            return False
        found = found or "-" in tag
    return found
