"""Ways to damage a file: bytes, lines, markup, numbers, JSON, encodings.

Every way is a function of a random generator and the bytes, and returns other bytes, or the same
where it finds nothing to damage. What it does depends on the generator alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

Damage = Callable[[Random, bytes], bytes]

ODD_BYTES: Final = [
    b"\x00", b"\x1b[31m", b"\x07", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"\t", b" ", b"\r", b"\n", b"\n\n", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\xe2\x80\x8b", b"\xc2\xa0", b'"', b"'", b",", b";", b":", b"=", b"#", b"@",
    b"(", b")", b"[", b"]", b"{", b"}", b"\\", b"/", b"-", b"_", b"*", b"|", b"0", b"1",
    b"\xc3\xa9",
]  # fmt: skip
"""Control characters, broken and odd UTF-8, line ends of other worlds, and marks of all formats"""
ODD_NUMBERS: Final = [
    b"", b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"-1", b"0", b"-0", b"1e308", b"-1e308",
    b"1e-308", b"1e999", b"0x10", b"1_0", b" 5", b"+5", b"5.", b".5", b"0,5", b"1e", b"--1", b"007",
    b"99999999999999999999", b"9" * 400, b"9" * 5000, b"\xc2\xb2", b"\xd9\xa3", b"\xef\xbc\x91",
    b"true", b"null", b"None", b"1/2", b"50%", b"1.0", b"1.5",
]  # fmt: skip
"""What may stand where a number was: none, too large, or in digits that only Python knows"""
ODD_VALUES: Final = [
    b"null", b"true", b"false", b"0", b"-1", b"1.5", b'""', b'"x"', b"[]", b"{}", b"[[]]",
    b'{"a": 1}', b"NaN", b"Infinity", b"1e999", b"9" * 5000, b'"\\ud800"', b'"\\u0000"', b"[1, 2]",
    b"[" * 2000 + b"]" * 2000, b'{"a":' * 2000 + b"1" + b"}" * 2000, b'"1"', b'"0.5"', b"",
]  # fmt: skip
"""What may stand where a JSON value was: other types, bad numbers, lone surrogates, depth"""

_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_-]*")
_MARK = re.compile(rb"[^\w\s]|[\t]|  +")
_STRING = rb'"(?:[^"\\\n]|\\.)*"'
_KEY = re.compile(_STRING + rb"(?=\s*:)")
_VALUE = re.compile(_STRING + rb"(?!\s*:)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_PAIR = re.compile(_STRING + rb"\s*:\s*(?:" + _STRING + rb"|-?[\d.eE+-]+|true|false|null)")


def _replaced(data: bytes, begin: int, end: int, new: bytes) -> bytes:
    return data[:begin] + new + data[end:]


def _one_of(rng: Random, pattern: re.Pattern[bytes], data: bytes) -> re.Match[bytes] | None:
    """Return one match, found from a random place on: files may be long."""
    start = rng.randrange(len(data) + 1)
    return pattern.search(data, start) or pattern.search(data)


# Bytes


def flip_a_bit(rng: Random, data: bytes) -> bytes:
    """Turn over one bit."""
    if not data:
        return data
    at = rng.randrange(len(data))
    return _replaced(data, at, at + 1, bytes([data[at] ^ (1 << rng.randrange(8))]))


def replace_a_byte(rng: Random, data: bytes) -> bytes:
    """Put an odd byte or two in the place of one."""
    at = rng.randrange(len(data) + 1)
    return _replaced(data, at, at + 1, rng.choice(ODD_BYTES))


def insert_bytes(rng: Random, data: bytes) -> bytes:
    """Put an odd byte or two between others."""
    at = rng.randrange(len(data) + 1)
    return _replaced(data, at, at, rng.choice(ODD_BYTES))


def delete_bytes(rng: Random, data: bytes) -> bytes:
    """Leave out a few bytes."""
    at = rng.randrange(len(data) + 1)
    return _replaced(data, at, at + rng.choice((1, 1, 2, 5, 30)), b"")


def cut_off(rng: Random, data: bytes) -> bytes:
    """End the file early."""
    return data[: rng.randrange(len(data) + 1)]


def cut_the_beginning(rng: Random, data: bytes) -> bytes:
    """Lose the first bytes."""
    return data[rng.randrange(min(len(data), 200) + 1) :]


def copy_elsewhere(rng: Random, data: bytes) -> bytes:
    """Repeat a piece at another place."""
    begin = rng.randrange(len(data) + 1)
    at = rng.randrange(len(data) + 1)
    return _replaced(data, at, at, data[begin : begin + rng.randrange(1, 60)])


def nothing_left(_: Random, __: bytes) -> bytes:
    """Leave an empty file."""
    return b""


# Lines


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def repeat_a_line(rng: Random, data: bytes) -> bytes:
    """Write a line twice, the second time anywhere."""
    lines = _lines(data)
    if lines:
        line = rng.choice(lines)
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"".join(lines)


def repeat_a_line_at_once(rng: Random, data: bytes) -> bytes:
    """Write a line twice in a row."""
    lines = _lines(data)
    if lines:
        at = rng.randrange(len(lines))
        lines.insert(at, lines[at])
    return b"".join(lines)


def delete_a_line(rng: Random, data: bytes) -> bytes:
    """Leave out a line."""
    lines = _lines(data)
    if lines:
        del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def swap_lines(rng: Random, data: bytes) -> bytes:
    """Exchange two lines."""
    lines = _lines(data)
    if len(lines) > 1:
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def join_lines(rng: Random, data: bytes) -> bytes:
    """Take away a line end."""
    ends = [at for at, byte in enumerate(data) if byte == 10]
    if not ends:
        return data
    at = rng.choice(ends)
    return _replaced(data, at, at + 1, rng.choice((b"", b" ")))


def blank_line(rng: Random, data: bytes) -> bytes:
    """Put an empty line, or one of blanks, between others."""
    lines = _lines(data)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice((b"\n", b"  \n", b"\t\n", b"\r\n")))
    return b"".join(lines)


FOREIGN: Final = [
    b"q01 Q0 d01 1 9.5 alder\n", b"q01 0 d01 1\n", b"Anna B-PER\n", b"-DOCSTART- O\n",
    b"1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n", b"item,doc,alder,birch\n",
    b'{"text": "Anna", "spans": []}\n', b'{"item": "q1", "score": 1}\n', b"#EndOfDocument\n",
    b"#BeginOfDocument d1\n", b"@Coreference\tC1\tE1,E2\n", b"0.  MESSAGE: ID    TST3-MUC4-0001\n",
    b"#begin document (d); part 000\n", b"#end document\n", b"# a remark\n", b"<html>\n", b"---\n",
    b"Total: 12\n", b"all\tAP\t0.5\n", b"{}\n", b"[]\n", b"null\n", b"(\n", b"A plain sentence.\n",
]  # fmt: skip
"""Lines of other formats, and of none"""


def foreign_line(rng: Random, data: bytes) -> bytes:
    """Put a line of another format between others."""
    lines = _lines(data)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(FOREIGN))
    return b"".join(lines)


def repeat_all(_: Random, data: bytes) -> bytes:
    """Write the whole file twice."""
    return data + data


# Markup, numbers and words


def damage_a_mark(rng: Random, data: bytes) -> bytes:
    """Delete, double or replace a delimiter, a quote, a bracket."""
    found = _one_of(rng, _MARK, data)
    if not found:
        return data
    new = rng.choice((b"", found[0] * 2, rng.choice(ODD_BYTES), b" ", b"\t"))
    return _replaced(data, *found.span(), new)


def damage_a_word(rng: Random, data: bytes) -> bytes:
    """Change the case of a word, a letter in it, or leave it out."""
    found = _one_of(rng, _WORD, data)
    if not found:
        return data
    word = found[0]
    at = rng.randrange(len(word))
    new = rng.choice((word.swapcase(), word[:at] + word[at + 1 :],
                      word[:at] + b"q" + word[at + 1 :], b"", word * 2, word + b" "))  # fmt: skip
    return _replaced(data, *found.span(), new)


def exchange_words(rng: Random, data: bytes) -> bytes:
    """Put one word of the file in the place of another."""
    one, other = _one_of(rng, _WORD, data), _one_of(rng, _WORD, data)
    if not one or not other:
        return data
    return _replaced(data, *one.span(), other[0])


def odd_number(rng: Random, data: bytes) -> bytes:
    """Put something odd in the place of a number."""
    found = _one_of(rng, _NUMBER, data)
    return _replaced(data, *found.span(), rng.choice(ODD_NUMBERS)) if found else data


def other_number(rng: Random, data: bytes) -> bytes:
    """Put one number of the file in the place of another."""
    one, other = _one_of(rng, _NUMBER, data), _one_of(rng, _NUMBER, data)
    return _replaced(data, *one.span(), other[0]) if one and other else data


# Encodings


def other_line_ends(rng: Random, data: bytes) -> bytes:
    """Write the line ends of Windows, of old Macs, or of two worlds."""
    kind = rng.randrange(4)
    if kind == 0:
        return data.replace(b"\n", b"\r\n")
    if kind == 1:
        return data.replace(b"\n", b"\r")
    if kind == 2:
        return data.replace(b"\n", b"\r\r\n")
    return data.removesuffix(b"\n")


def other_encoding(rng: Random, data: bytes) -> bytes:
    """Write the text in another encoding, or with a byte-order mark."""
    text = data.decode("utf-8", "replace")
    kind = rng.choice(("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "twice"))
    if kind == "twice":
        return data.decode("latin-1").encode()
    return text.encode(kind, "replace")


# JSON


def odd_value(rng: Random, data: bytes) -> bytes:
    """Put a value of another type in the place of one."""
    found = _one_of(rng, _VALUE, data)
    return _replaced(data, *found.span(), rng.choice(ODD_VALUES)) if found else data


def rename_a_key(rng: Random, data: bytes) -> bytes:
    """Give a key another name, that of another key perhaps."""
    found, other = _one_of(rng, _KEY, data), _one_of(rng, _KEY, data)
    if not found or not other:
        return data
    return _replaced(data, *found.span(), rng.choice((other[0], b'"x"', b'""', found[0].upper())))


def repeat_a_key(rng: Random, data: bytes) -> bytes:
    """Write a key twice, with its value or with another."""
    found = _one_of(rng, _PAIR, data)
    if not found:
        return data
    key = found[0].partition(b":")[0]
    again = rng.choice((found[0], key + b": " + (rng.choice(ODD_VALUES) or b"1")))
    first, second = rng.sample([found[0], again], 2)
    return _replaced(data, *found.span(), first + b", " + second)


def delete_a_key(rng: Random, data: bytes) -> bytes:
    """Leave out a key with its value."""
    found = _one_of(rng, _PAIR, data)
    if not found:
        return data
    begin, end = found.span()
    rest = re.match(rb"\s*,\s*", data[end:])
    if rest:
        return _replaced(data, begin, end + rest.end(), b"")
    before = re.search(rb",\s*$", data[:begin])
    return _replaced(data, before.start() if before else begin, end, b"")


def odd_escape(rng: Random, data: bytes) -> bytes:
    """Put an escape in a string of JSON: half a pair, a control character, a bad one."""
    found = _one_of(rng, re.compile(_STRING), data)
    if not found:
        return data
    at = rng.randrange(found.start() + 1, found.end())
    odd = (
        b"\\ud800",
        b"\\udc00",
        b"\\u0000",
        b"\\u001b",
        b"\\x",
        b"\\u12",
        b"\\",
        b"\\ud83d\\ude00",
    )
    return _replaced(data, at, at, rng.choice(odd))


BYTES: Final[Sequence[Damage]] = (
    flip_a_bit, replace_a_byte, insert_bytes, delete_bytes, cut_off, cut_the_beginning,
    copy_elsewhere,
)  # fmt: skip
LINES: Final[Sequence[Damage]] = (
    repeat_a_line, repeat_a_line_at_once, delete_a_line, swap_lines, join_lines, blank_line,
    foreign_line,
)  # fmt: skip
MARKUP: Final[Sequence[Damage]] = (
    damage_a_mark, damage_a_mark, damage_a_word, damage_a_word, exchange_words, odd_number,
    odd_number, other_number,
)  # fmt: skip
WHOLE: Final[Sequence[Damage]] = (nothing_left, repeat_all, other_line_ends, other_encoding)
JSON: Final[Sequence[Damage]] = (
    odd_value, odd_value, rename_a_key, repeat_a_key, delete_a_key, odd_escape,
)  # fmt: skip
PLAIN: Final = (*BYTES, *BYTES, *LINES, *LINES, *MARKUP, *MARKUP, *WHOLE)
"""For text that is no JSON"""
KEYED: Final = (*BYTES, *LINES, *MARKUP, *WHOLE, *JSON, *JSON, *JSON)
"""For JSON"""
KEEPING: Final = frozenset({
    repeat_a_line, repeat_a_line_at_once, blank_line, foreign_line, damage_a_word, exchange_words,
    odd_number, other_number, odd_value, rename_a_key, repeat_a_key, delete_a_key, odd_escape,
})  # fmt: skip
"""Ways that leave as many records as there were"""
