"""Text that fits a terminal: how wide it is, where it is cut or broken, how names are shortened."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from tellapart.words import clean

WIDTH = 80
NARROWEST, WIDEST = 60, 160
"""Narrower, tables cannot be read; wider, lines cannot"""
INDENT = "  "
ELLIPSIS = "…"
_TOGETHER = re.compile(r"\bp = |\d %")  # figures that a line end would tear from their names
_WORDS = re.compile(r"([ \t\n]*)([^ \t\n]+)")
_TIE, _JOIN = "\u00a0", "\u2060"


def readable(width: int) -> int:
    """Return the width to write for in a terminal that is so wide.

    >>> readable(40), readable(100), readable(300)
    (60, 100, 160)
    """
    return min(max(width, NARROWEST), WIDEST)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> columns("café"), columns("日本"), columns("e\u0301"), columns("ที่")
    (4, 4, 1, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(letter: str) -> int:
    # Vowel signs of Thai or Hindi are marks (Mn), although none of them combines canonically.
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def cut(text: str, width: int) -> str:
    """Return a text cut to a number of columns; what is left out is marked.

    >>> cut("a long sentence", 7), cut("short", 7), cut("日本語の文", 7)
    ('a long…', 'short', '日本語…')
    """
    if columns(text) <= width:
        return text
    taken, kept = 1, []
    for letter in text:
        taken += _columns_of(letter)
        if taken > width:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + ELLIPSIS


def cut_middle(text: str, width: int) -> str:
    """Return a text cut to a number of columns, in its middle.

    >>> cut_middle("a long sentence", 9)
    'a lo…ence'
    """
    if columns(text) <= width:
        return text
    tail = cut(text[::-1], width // 2 + 1)[:-1][::-1]
    return cut(text, width - columns(tail)) + tail


def left(text: str, width: int) -> str:
    """Return a text filled up with blanks at its right."""
    return text + " " * (width - columns(text))


def right(text: str, width: int) -> str:
    """Return a text filled up with blanks at its left."""
    return " " * (width - columns(text)) + text


def filled(text: str, mark: str = "", width: int = WIDTH) -> str:
    """Return a text in lines, the first with a mark before it and all others as far in.

    >>> filled("it scores higher (p = .0284)", width=22).splitlines()
    ['it scores higher', '(p = .0284)']
    """
    tied = _TOGETHER.sub(lambda found: found[0].replace(" ", _TIE), text)
    return wrapped(tied, mark, width).replace(_TIE, " ")


def wrapped(text: str, mark: str = "", width: int = WIDTH) -> str:
    """Return a text broken at blanks, and in words that are longer than a line.

    The standard library counts letters; some of them take two columns, others none.

    >>> wrapped("one two three", "- ", width=9).splitlines()
    ['- one two', '  three']
    """
    lines, line, indent = [], mark, " " * columns(mark)
    bare = True  # nothing but mark or indent stands in the line
    for blank, word in _WORDS.findall(text):
        taken = columns(line) + columns(word) + (0 if bare else len(blank))
        if taken > width and not bare and columns(word) <= width - len(indent):
            lines.append(line)
            line, bare = indent, True
        line += "" if bare else blank
        for letter in word:
            if taken > width and columns(line) + _columns_of(letter) > width:
                lines.append(line.rstrip())
                line = indent
            line += letter
        bare = False
    return "\n".join([*lines, line] if text else [])


def warning_lines(texts: Iterable[str], width: int = WIDTH) -> list[str]:
    """Return warnings under their heading; nothing where there are none.

    >>> warning_lines(["p cannot be smaller than 0.1"])
    ['  Warnings', '  ! p cannot be smaller than 0.1']
    """
    lines = [filled(clean(text), f"{INDENT}! ", width) for text in texts]
    return [f"{INDENT}Warnings", *lines] if lines else []


def filled_parts(text: str, mark: str = "", width: int = WIDTH) -> str:
    """Return a signature in lines that end between its parts, which bars separate.

    A part that is too long for a line is broken at blanks, then after its own bars.

    >>> filled_parts("tellapart 0.1.0 | bleu tok:13a|case:lc | seed 0", width=18).splitlines()
    ['tellapart 0.1.0 |', 'bleu', 'tok:13a|case:lc |', 'seed 0']
    """
    room = width - columns(mark)
    *parts, last = text.split(" | ")
    tied = []
    for part in (*(f"{part} |" for part in parts), last):
        if columns(part) <= room:
            tied.append(part.replace(" ", _TIE))
            continue
        words = [w if columns(w) <= room else w.replace("|", f"|{_JOIN} ") for w in part.split(" ")]
        tied.append(" ".join(words).replace(" |", f"{_TIE}|"))
    lines = wrapped(" ".join(tied), mark, width)
    return lines.replace(f"{_JOIN} ", "").replace(_JOIN, "").replace(_TIE, " ")


def short_names(names: Sequence[str], width: int) -> dict[str, str]:
    """Return for each name a form of at most so many columns that no other name has.

    Names that fit stay as they are. From the others the middle is cut; where that makes names
    alike, what tells them apart is kept instead.

    >>> short_names(["alder", "birch"], 8)
    {'alder': 'alder', 'birch': 'birch'}
    >>> list(short_names(["a-name-that-is-long", "another-long-one"], 9).values())
    ['a-na…long', 'anot…-one']
    >>> list(short_names(["llama-3-8b-instruct", "llama-3-70b-instruct"], 8).values())
    ['…8b…', '…70b…']
    """
    cleaned = [clean(name) for name in names]
    short = [cut_middle(name, width) for name in cleaned]
    for alike in {name for name in short if short.count(name) > 1}:
        places = [k for k, name in enumerate(short) if name == alike]
        distinct = [cut(name, width) for name in _without_common([cleaned[k] for k in places])]
        for place, name in zip(places, distinct, strict=True):
            taken = distinct.count(name) > 1 or name in short
            mark = f"#{place + 1}"
            short[place] = cut(cleaned[place], width - len(mark)) + mark if taken else name
    return dict(zip(names, short, strict=True))


def shortened(names: Mapping[str, str]) -> str:
    """Return which names were shortened, and to what; nothing if none was.

    >>> shortened({"alder": "alder", "a-name-that-is-long": "a-na…long"})
    'a-na…long is a-name-that-is-long'
    """
    changed = (f"{short} is {clean(name)}" for name, short in names.items() if short != clean(name))
    return "; ".join(changed)


def _without_common(names: Sequence[str]) -> list[str]:
    """Return names without what all begin and end with, whole words where there are any."""
    head = _common(names)
    rest = [name[head:] for name in names]
    tail = _common([name[::-1] for name in rest])
    return [
        (ELLIPSIS if head else "") + name[: len(name) - tail] + (ELLIPSIS if tail else "")
        for name in rest
    ]


def _common(names: Sequence[str]) -> int:
    """Return the length of what all names begin with, cut after its last mark if it has one."""
    words = shared = common_start(names)
    while words and names[0][words - 1].isalnum():
        words -= 1
    return words or max(0, shared - 2)


def common_start(names: Sequence[str]) -> int:
    """Return the length of what all names begin with; of each, something is left."""
    letters = zip(*(name[:-1] for name in names), strict=False)
    return sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, letters))
