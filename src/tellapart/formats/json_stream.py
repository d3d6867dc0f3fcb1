"""A large JSON object read member by member, and one of its lists row by row: never all at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any, Final, NamedTuple

from tellapart.formats.json_text import JsonError, parse_json

_FIRST: Final = 1 << 16
_BLANK: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder()


class Member(NamedTuple):
    """A member of the outer object; of the list that is read row by row, one row."""

    key: str
    value: Any


def members(stream: IO[str], rows: str, place: str, remedy: str) -> Iterator[Member]:
    """Yield the members of a JSON object; those of the list called `rows` one at a time.

    A list that holds nothing is yielded as it is. What is no JSON is a JsonError.

    >>> import io
    >>> text = '{"version": 2, "samples": [{"id": 1}, {"id": 2}]}'
    >>> for member in members(io.StringIO(text), "samples", "x.json", "copy it again"):
    ...     print(*member)
    version 2
    samples {'id': 1}
    samples {'id': 2}
    """
    text = _Text(stream, place, remedy)
    text.take("{")
    if text.peek() == "}":
        text.take("}")
    else:
        seen = set[str]()
        while True:
            key = text.value()
            if key in seen:
                raise JsonError(f"{place}: the key {key!r} appears twice in one object; {remedy}")
            seen.add(key)
            text.take(":")
            if key == rows and text.peek() == "[":
                empty = True
                for value in _elements(text):
                    empty = False
                    yield Member(str(key), value)
                if empty:
                    yield Member(str(key), [])
            else:
                yield Member(str(key), text.value())
            if text.take(",}") == "}":
                break
    text.end()


def elements(stream: IO[str], place: str, remedy: str) -> Iterator[Any]:
    """Yield what a JSON list holds, one at a time.

    >>> import io
    >>> list(elements(io.StringIO('[{"id": 1}, 2]'), "x.json", "copy it again"))
    [{'id': 1}, 2]
    >>> list(elements(io.StringIO("[]"), "x.json", "copy it again"))
    []
    """
    text = _Text(stream, place, remedy)
    yield from _elements(text)
    text.end()


def _elements(text: _Text) -> Iterator[Any]:
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        return
    while True:
        yield text.value()
        if text.take(",]") == "]":
            return


class _Text:
    """JSON that is read as far as it is needed."""

    def __init__(self, stream: IO[str], place: str, remedy: str) -> None:
        self._stream, self._place, self._remedy = stream, place, remedy
        self._text, self._at, self._ended = "", 0, False

    def _more(self) -> bool:
        """Read on, twice as much as there is; return whether there was anything."""
        piece = "" if self._ended else self._stream.read(max(_FIRST, len(self._text) - self._at))
        self._text, self._at = self._text[self._at :] + piece, 0
        self._ended = not piece
        return bool(piece)

    def peek(self) -> str:
        """Return the next character that is no blank; nothing at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, allowed: str) -> str:
        """Take one of some characters."""
        found = self.peek()
        if not found or found not in allowed:
            # What is wrong with the text is said as everywhere.
            parse_json(found + "?", self._place, self._remedy)
        self._at += 1
        return found

    def value(self) -> Any:
        """Take a whole value."""
        self.peek()
        while True:
            try:
                _, end = _DECODER.raw_decode(self._text, self._at)
            except (json.JSONDecodeError, RecursionError):
                if not self._more():
                    return parse_json(
                        self._text[self._at :], self._place, self._remedy, halves=True
                    )
                continue
            if end == len(self._text) and self._more():  # a number may go on
                continue
            value = self._parsed(self._text[self._at : end])
            self._at = end
            return value

    def _parsed(self, text: str) -> Any:
        return parse_json(text, self._place, self._remedy, halves=True)

    def end(self) -> None:
        """Refuse anything after the object."""
        if self.peek():
            raise JsonError(f"{self._place}: this is not JSON (Extra data); {self._remedy}")
