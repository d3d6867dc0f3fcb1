"""Ways to damage a file: bytes, lines, markup, numbers, JSON, encodings.

Every way is a function of a random generator and the bytes, and returns other bytes, or the same
where it finds nothing to damage. What it does depends on the generator alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final

Damage = Callable[[Random, bytes], bytes]

ODD_BYTES: Final = [
    b"\x00", b"\x1b[31m", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\t", b" ",
    b"\r", b"\n", b"\n\n", b"\x0c", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8", b"\xc2\xa0", b'"', b"'",
    b",", b";", b":", b"=", b"#", b"@", b"(", b")", b"[", b"]", b"{", b"}", b"\\", b"/", b"-", b"_",
    b"*", b"|", b"0", b"1", b"\xc3\xa9",
]  # fmt: skip
"""Control characters, broken and odd UTF-8, line ends of other worlds, and marks of all formats"""
ODD_NUMBERS: Final = [
    b"", b"nan", b"inf", b"-inf", b"Infinity", b"-1", b"0", b"-0", b"1e308", b"1e-308", b"1e999",
    b"0x10", b"1_0", b" 5", b"+5", b"5.", b".5", b"0,5", b"1e", b"--1", b"007", b"9" * 20,
    b"9" * 5000, b"\xc2\xb2", b"\xd9\xa3", b"true", b"null", b"None", b"1/2", b"50%", b"1.5",
]  # fmt: skip
"""What may stand where a number was: none, too large, or in digits that only Python knows"""
ODD_VALUES: Final = [
    b"null", b"true", b"0", b"-1", b"1.5", b'""', b'"x"', b"[]", b"{}", b"[[]]", b'{"a": 1}',
    b"NaN", b"1e999", b"9" * 5000, b'"\\ud800"', b'"\\x"', b'"\\u0000"', b"[1, 2]", b'"0.5"', b"",
    b"[" * 2000 + b"]" * 2000, b'{"a":' * 2000 + b"1" + b"}" * 2000,
]  # fmt: skip
"""What may stand where a JSON value was: other types, bad numbers, lone surrogates, depth"""
FOREIGN: Final = [
    b"q01 Q0 d01 1 9.5 alder\n", b"q01 0 d01 1\n", b"Anna B-PER\n", b"-DOCSTART- O\n",
    b"1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n", b"item,doc,alder,birch\n",
    b'{"text": "Anna", "spans": []}\n', b'{"item": "q1", "score": 1}\n', b"#EndOfDocument\n",
    b"#BeginOfDocument d1\n", b"@Coreference\tC1\tE1,E2\n", b"0.  MESSAGE: ID    TST3-MUC4-0001\n",
    b"#begin document (d); part 000\n", b"# a remark\n", b"{}\n", b"(\n", b"A plain sentence.\n",
]  # fmt: skip
"""Lines of other formats, and of none"""
_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_-]*")
_MARK = re.compile(rb"[^\w\s]|[\t]|  +")
_TEXT = rb'"(?:[^"\\\n]|\\.)*"'
_KEY = re.compile(_TEXT + rb"(?=\s*:)")
_VALUE = re.compile(_TEXT + rb"(?!\s*:)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_PAIR = re.compile(_TEXT + rb"\s*:\s*(?:" + _TEXT + rb"|-?[\d.eE+-]+|true|false|null)\s*,?")


def _at(rng: Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _piece(
    name: str, pattern: re.Pattern[bytes], change: Callable[[Random, bytes, bytes], bytes]
) -> Damage:
    """Return a way that changes one match, found from a random place on: files may be long."""

    def way(rng: Random, data: bytes) -> bytes:
        found = pattern.search(data, _at(rng, data)) or pattern.search(data)
        if not found:
            return data
        other = pattern.search(data, _at(rng, data)) or found
        return data[: found.start()] + change(rng, found[0], other[0]) + data[found.end() :]

    way.__name__ = name
    return way


def _lines(name: str, change: Callable[[Random, list[bytes], int], object]) -> Damage:
    """Return a way that changes the list of lines at a random one."""

    def way(rng: Random, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True) or [b"\n"]
        change(rng, lines, rng.randrange(len(lines)))
        return b"".join(lines)

    way.__name__ = name
    return way


def replace_bytes(rng: Random, data: bytes) -> bytes:
    """Put odd bytes, or a piece of the file, in the place of none, one or a few."""
    at, from_ = _at(rng, data), _at(rng, data)
    piece = rng.choice((*ODD_BYTES, b"", data[from_ : from_ + rng.randrange(1, 60)]))
    return data[:at] + piece + data[at + rng.choice((0, 0, 1, 1, 2, 5, 30)) :]


def cut_off(rng: Random, data: bytes) -> bytes:
    """Lose the end of the file, or its beginning."""
    return data[: _at(rng, data)] if rng.random() < 0.6 else data[_at(rng, data[:200]) :]


def other_line_ends(rng: Random, data: bytes) -> bytes:
    """Write the line ends of Windows, of old Macs, of two worlds, or none at the end."""
    end = rng.choice((b"\r\n", b"\r", b"\r\r\n", None))
    return data.removesuffix(b"\n") if end is None else data.replace(b"\n", end)


def other_encoding(rng: Random, data: bytes) -> bytes:
    """Write the text in another encoding, or with a byte-order mark."""
    kind = rng.choice(("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"))
    return data.decode("utf-8", "replace").encode(kind, "replace")


def _without_a_letter(rng: Random, word: bytes) -> bytes:
    at = rng.randrange(len(word))
    return word[:at] + rng.choice((b"", b"q")) + word[at + 1 :]


BYTES: Final = (replace_bytes, replace_bytes, replace_bytes, cut_off)
_KEEPING_LINES: Final = (
    _lines("repeat a line", lambda rng, own, k: own.insert(rng.randrange(len(own)), own[k])),
    _lines("blank line", lambda rng, own, k: own.insert(k, rng.choice((b"\n", b" \n", b"\t\n")))),
    _lines("foreign line", lambda rng, own, k: own.insert(k, rng.choice(FOREIGN))),
)
_LINES: Final = (
    *_KEEPING_LINES,
    _lines("delete a line", lambda _, own, k: own.pop(k)),
    _lines("move a line", lambda rng, own, k: own.insert(rng.randrange(len(own)), own.pop(k))),
    _lines("join lines", lambda _, own, k: own.__setitem__(k, own[k].rstrip(b"\r\n"))),
)
_KEEPING_MARKUP: Final = (
    _piece("damage a word", _WORD, lambda rng, word, _: rng.choice(
        (word.swapcase(), _without_a_letter(rng, word), b"", word * 2, word + b" "))),
    _piece("odd number", _NUMBER, lambda rng, _, __: rng.choice(ODD_NUMBERS)),
)  # fmt: skip
_MARKUP: Final = (
    *_KEEPING_MARKUP,
    _piece("damage a mark", _MARK, lambda rng, mark, _: rng.choice(
        (b"", mark * 2, rng.choice(ODD_BYTES), b" ", b"\t"))),
)  # fmt: skip
_WHOLE: Final = (other_line_ends, other_encoding)
_JSON: Final = (
    _piece("odd value", _VALUE, lambda rng, _, __: rng.choice(ODD_VALUES)),
    _piece("rename a key", _KEY, lambda rng, key, other: rng.choice((other, b'"x"', key.upper()))),
    _piece("delete a key", _PAIR, lambda _, __, ___: b""),
)
PLAIN: Final[tuple[Damage, ...]] = (*BYTES, *_LINES, *_MARKUP, *_WHOLE)
"""For text that is no JSON"""
KEYED: Final[tuple[Damage, ...]] = (*BYTES, *_LINES, *_MARKUP, *_WHOLE, *_JSON, *_JSON)
"""For JSON"""
KEEPING: Final = frozenset({*_KEEPING_LINES, *_KEEPING_MARKUP, *_JSON})
"""Ways that leave as many records as there were"""
