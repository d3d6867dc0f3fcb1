"""Texts of items as a page shows them: cut to a length, and with differences marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

MOST_WORDS: Final = 400  # comparing longer texts word by word takes too long

Piece = tuple[bool, str]


def cut(text: str, most: int) -> str:
    """Shorten a text, and say by how much.

    >>> cut("abcdefghij", 4), cut("abc", 4)
    ('abcd… (6 more characters)', 'abc')
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters)"


def marked(text: str, other: str) -> list[Piece]:
    """Split a text in pieces: those that another text lacks are marked True.

    >>> marked("the red cat", "the cat")
    [(False, 'the'), (True, ' red'), (False, ' cat')]
    """
    ours, theirs = _words(text), _words(other)
    if not other or text == other or max(len(ours), len(theirs)) > MOST_WORDS:
        return [(False, text)]
    return list(_pieces(ours, theirs))


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)


def _pieces(ours: list[str], theirs: list[str]) -> Iterator[Piece]:
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if end > start:
            yield tag != "equal", "".join(ours[start:end])
