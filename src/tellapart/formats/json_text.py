"""JSON that comes from users: the one way in which all formats parse it.

What JSON allows and no honest writer does is refused here, so that no reader has to think of it: a
key that appears twice (all but one value would be lost), nesting without end, integers that no
number of a computer holds, and halves of characters, which can be read but never be written again.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from tellapart.errors import DataError

DEEPEST: Final = 200
"""How deep lists and objects may be nested: far deeper than logs are, and safe in any Python"""
_DIGITS: Final = 300  # what has more is beyond any floating-point number
_HALVES: Final = (r"\ud", r"\uD")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_COLON: Final = re.compile(r"\s*:")
_TOO_DEEP: Final = f"lists or objects are nested more than {DEEPEST} deep"


class JsonError(DataError):
    """A text is not JSON, or JSON that cannot be used; the message names the place."""


class _FaultError(Exception):
    """What is wrong with JSON that is spelled right."""


def parse_json(
    text: str | bytes,
    place: str,
    remedy: str = "write it again",
    *,
    line: int | None = None,
    numbers: bool = True,
    halves: bool = False,
) -> Any:
    r"""Return what JSON holds; what cannot be used is a JsonError that names the place.

    `remedy` ends the sentence on a text that is no JSON. `line` is the line of the place on which
    the text begins; with it, errors name the line. Without `numbers`, numbers stay texts as they
    are written, so that 0.1 is one tenth. With `halves`, a half of a surrogate pair becomes a
    question mark; otherwise it is an error.

    >>> parse_json('{"id": 7}', "quiz.json")
    {'id': 7}
    >>> try:
    ...     parse_json('{"id": 7,\n"id": 8}', "quiz.json", line=1)
    ... except DataError as error:
    ...     print(error)
    quiz.json:2: the key 'id' appears twice in one object; give every key once
    """
    first = place if line is None else f"{place}:{line}"
    try:
        string = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise JsonError(f"{first}: this is not UTF-8 text; write it again as UTF-8") from None
    try:
        tree = (_NUMBERS if numbers else _TEXTS).decode(string)
        _refuse_deep(tree, string)
        return _whole_characters(tree, string, halves)
    except json.JSONDecodeError as error:
        at = first if line is None else f"{place}:{line + error.lineno - 1}"
        raise JsonError(f"{at}: this is not JSON ({why_no_json(error)}); {remedy}") from None
    except _RepeatedKeyError as error:
        at = first
        if line is not None:
            at = f"{place}:{line + string.count(chr(10), 0, _second(string))}"
        raise JsonError(f"{at}: {error}; give every key once") from None
    except _FaultError as fault:
        raise JsonError(f"{first}: {fault}; check the file") from None
    except RecursionError:
        raise JsonError(f"{first}: {_TOO_DEEP}; check the file") from None


def glance(text: str) -> Any:
    """Return what JSON holds for a guess, faults and all; None if it is no JSON.

    >>> glance('{"a": 1, "a": 2}'), glance('{"a": ')
    ({'a': 2}, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def why_no_json(error: json.JSONDecodeError) -> str:
    r"""Return what is wrong with JSON and at which character, with the line if there are several.

    >>> try:
    ...     json.loads('{"item": "q1')
    ... except json.JSONDecodeError as error:
    ...     why_no_json(error)
    'Unterminated string starting at character 10'
    """
    place = f"character {error.pos + 1}"
    if "\n" in error.doc.strip():
        place = f"line {error.lineno}, column {error.colno}"
    return f"{error.msg.removesuffix(' at')} at {place}"


class _RepeatedKeyError(_FaultError):
    """An object has a key twice."""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(f"the key {key!r} appears twice in one object")
            seen.add(key)
    return found


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _FaultError(
            f"{digits[:20]}… is an integer of {len(digits)} digits, more than {_DIGITS}"
        )
    return int(digits)


_NUMBERS: Final = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_int=_integer)
_TEXTS: Final = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_float=str, parse_int=str, parse_constant=str
)


def _refuse_deep(tree: Any, text: str) -> None:
    """Refuse what is nested too deep, by the same bound in every Python."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    level = [tree] if isinstance(tree, dict | list) else []
    for _ in range(DEEPEST):
        level = [
            part
            for each in level
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        ]
        if not level:
            return
    raise _FaultError(_TOO_DEEP)


def _whole_characters(tree: Any, text: str, halves: bool) -> Any:
    """Return a tree whose texts can be written; half a character, escaped, cannot."""
    if not any(half in text for half in _HALVES):
        return tree
    written = json.dumps(tree, ensure_ascii=False)
    if halves:
        return json.loads(written.encode("utf-8", "replace"))
    try:
        written.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(written[error.start]):04x}"
        raise _FaultError(f"{half} is half of a character, without the other half") from None
    return tree


def _second(text: str) -> int:
    """Return where the first key stands that its object has already; the end if there is none.

    >>> _second('{"a": {"b": "a"}, "b": 1, "a": 2}')
    26
    """
    objects: list[set[str] | None] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            objects.append(set() if token == "{" else None)
        elif token in "}]":
            objects.pop()
        elif _COLON.match(text, match.end()) and objects[-1] is not None:
            key = json.loads(token)
            if key in objects[-1]:
                return match.start()
            objects[-1].add(key)
    return len(text)
