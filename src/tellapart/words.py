"""Small helpers for wording messages."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Sequence
from typing import Any

_ALIKE = 0.5  # less is no misspelling

# Listed rather than asked of Unicode's tables, which differ between versions of Python: controls,
# marks that turn the direction of text or stand for nothing, separators, halves of pairs, tags.
_OBEYED = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)
_CONTROLS = re.compile(_OBEYED)
_COLOURS = re.compile(rf"(\x1b\[[0-9;]*m)|{_OBEYED}")


def plain(text: str, *, coloured: bool = False) -> str:
    r"""Return text with a `?` for every character that a terminal would obey rather than show.

    Line ends and tabs stay. `coloured` text keeps what sets weight and colour.

    >>> plain("\x1b[31mred"), plain("two\nlines"), plain("abc\u202ecba")
    ('?[31mred', 'two\nlines', 'abc?cba')
    >>> plain("\x1b[1mbold\x1b[2J", coloured=True)
    '\x1b[1mbold?[2J'
    """
    if text.isascii() and text.isprintable():
        return text
    if coloured:
        return _COLOURS.sub(lambda found: found[1] or "?", text)
    return _CONTROLS.sub("?", text)


def clean(text: str) -> str:
    r"""Return text in one line, with nothing in it that a terminal would obey.

    >>> clean("two\nlines"), clean("\x1b[31mred")
    ('two lines', '?[31mred')
    """
    return plain(" ".join(text.split()))


def encodable(text: str) -> str:
    r"""Return text that can be written: bytes of a file's name that are not UTF-8 become a mark.

    >>> encodable("caf\udce9.csv")
    'caf\ufffd.csv'
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def json_text(value: Any, indent: int | None = 1) -> str:
    r"""Return a value as JSON, with escapes for characters that a terminal would obey.

    >>> json_text({"name": "Šidák \u202egnp.exe"}, indent=None)
    '{"name": "Šidák \\u202egnp.exe"}\n'
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _CONTROLS.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n"


def several(count: int, noun: str) -> str:
    """Return a number with its noun in the right form.

    >>> several(1, "message"), several(3, "query"), several(12_000, "class")
    ('1 message', '3 queries', '12,000 classes')
    """
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of an English noun, by rule.

    >>> plural("message"), plural("story"), plural("essay")
    ('messages', 'stories', 'essays')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def p_text(p: float | None, level: float | None = None, error: float = 0.0) -> str:
    """Return p as text: four decimals without a leading zero, scientific below .0001, never 0.

    A p that would be rounded onto the level that decides gets the digits that tell its side. One
    that was drawn has no more digits than its standard `error` leaves it.

    >>> p_text(0.0284), p_text(1.8e-15), p_text(1.0), p_text(5e-324), p_text(None)
    ('.0284', '1.8e-15', '1', 'below 1e-300', '-')
    >>> p_text(0.05), p_text(0.05003, level=0.05), p_text(0.0499996, level=0.05)
    ('.0500', '.05003', '.0499996')
    >>> p_text(0.0312, error=0.0038), p_text(0.0489, level=0.05, error=0.0048)
    ('.031', '.049')
    """
    if p is None:
        return "-"
    if p < 1e-300:
        return "below 1e-300"
    if p < 0.0001:
        return f"{p:.1e}" if error < p / 10 else f"{p:.0e}"
    decimals = 4 if error == 0 else min(4, math.ceil(-math.log10(error)))
    while level is not None and p != level and decimals < 17:
        if float(f"{p:.{decimals}f}") != level:
            break
        decimals += 1
    rounded = f"{p:.{decimals}f}"
    return "1" if float(rounded) == 1 else rounded.removeprefix("0")


def most_alike(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that is spelled most alike, whatever its case; None if none is alike.

    >>> most_alike("compre", ["score", "compare"]), most_alike("--metrik", ["--gold"])
    ('compare', None)
    """

    def likeness(other: str) -> float:
        return difflib.SequenceMatcher(None, name.casefold(), other.casefold()).ratio()

    best = max(known, key=likeness, default=None)
    return best if best is not None and likeness(best) >= _ALIKE else None


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the remark on the known name that is spelled most alike, whatever its case.

    >>> nearest("umas", ["GE", "UMASS"])
    "did you mean 'UMASS'? There are GE, UMASS"
    >>> nearest("f1", ["mean"])
    'there is only mean'
    """
    best = most_alike(name, known)
    if best is None:
        what = "is only" if len(known) == 1 else "are"
        return f"there {what} {listed(known) or 'none'}"
    return f"did you mean {best!r}? There are {listed(known)}"


def listed(names: Sequence[str], most: int = 20) -> str:
    r"""Return names in one line, the first of them if there are many.

    >>> listed(["tp", "fp", "two\nlines"]), listed(["a", "b, c", "d"], most=2)
    ('tp, fp, two lines', 'a; b, c and 1 more')
    """
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = ("; " if any("," in line for line in lines) else ", ").join(lines)
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
