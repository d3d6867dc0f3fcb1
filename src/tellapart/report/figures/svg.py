"""SVG: the elements, marks and colours that every figure is made of.

Figures are text: they open offline, print, scale, and read aloud. Colours are those of the page
where a figure is part of one (`currentColor` and custom properties with a fallback), so that it
follows light and dark; nothing depends on colour alone.

They are drawn for a phone: at three quarters of their size words can still be read, and a
computer's screen has room for them as they are. Only many systems take more width than that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

# Okabe and Ito's palette, safe for the colour-blind.
PALETTE: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
# One mark for each colour, so that colour is never alone.
MARKS: Final = ("circle", "square", "triangle", "diamond", "cross", "plus", "ring")
WIDTH: Final = 460
"""Of a figure, unless many systems need more"""
SIZE: Final = 13
"""Of all words"""

INK: Final = "var(--ink, #1a1a1a)"
FAINT: Final = "var(--faint, #666666)"
GRID: Final = "var(--grid, #d9d9d9)"
PAPER: Final = "var(--paper, #ffffff)"
BETTER: Final = "var(--better, #0072B2)"
WORSE: Final = "var(--worse, #D55E00)"
_VARIABLE: Final = re.compile(r"var\(--\w+, (#\w+)\)")


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """Return one element; values are escaped, `_` in names stands for `-`, None is left out.

    >>> element("text", "a &lt; b", x=1.50, text_anchor="middle")
    '<text x="1.5" text-anchor="middle">a &lt; b</text>'
    >>> element("path", d="M0 0", class_="bar")
    '<path d="M0 0" class="bar"/>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_written(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def _written(value: object) -> str:
    return number(value) if isinstance(value, float) else _allowed(str(value))


_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _allowed(words: str) -> str:
    return _FORBIDDEN.sub("\ufffd", words)


def printable(words: str) -> str:
    r"""Return words in one line, without the characters that no XML may hold.

    >>> printable("bell\x07 and\nline")
    'bell\ufffd and line'
    """
    return " ".join(_allowed(words).split())


def number(value: float) -> str:
    """Return a coordinate with two decimals at most.

    >>> number(12.0), number(1 / 3), number(-0.001)
    ('12', '0.33', '0')
    """
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short in ("-0", "") else short


def text(x: float, y: float, words: str, /, **attributes: object) -> str:
    """Return words at a place, escaped."""
    return element(
        "text", escape(printable(words)), x=float(x), y=float(y), **{"fill": INK, **attributes}
    )


def line(x1: float, y1: float, x2: float, y2: float, /, **attributes: object) -> str:
    """Return a straight line."""
    ends = {"x1": float(x1), "y1": float(y1), "x2": float(x2), "y2": float(y2)}
    return element("line", **{**ends, "stroke": INK, **attributes})


def figure(
    width: float,
    height: float,
    title: str,
    description: str,
    parts: Sequence[str],
    name: str,
    *,
    size: float = SIZE,
    role: str = "img",
) -> str:
    """Return parts as one SVG with its text alternative; `name` keeps ids apart on a page.

    A figure with parts to choose has the role of a group, since those of an image are not reached.
    """
    inside = "".join(
        [
            element("title", escape(printable(title)), id=f"{name}-title"),
            element("desc", escape(printable(description)), id=f"{name}-words"),
            *parts,
        ]
    )
    return element(
        "svg",
        inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=float(width),
        height=float(height),
        role=role,
        aria_labelledby=f"{name}-title {name}-words",
        font_family="system-ui, sans-serif",
        font_size=size,
    )


def standalone(svg: str) -> str:
    """Return a figure as a file of its own: on white paper, whatever the viewer's background.

    >>> standalone('<svg xmlns="x"><g/></svg>').splitlines()[-1]
    '<svg xmlns="x"><rect width="100%" height="100%" fill="#ffffff"/><g/></svg>'
    """
    head, rest = svg.split(">", 1)
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    # Viewers that know no custom properties would draw nothing.
    rest = _VARIABLE.sub(r"\1", rest)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}>{paper}{rest}\n'


def mark(kind: str, x: float, y: float, size: float, colour: str) -> str:
    """Return one of the marks of `MARKS`, centred.

    >>> mark("circle", 1, 2, 4, "#000")
    '<circle cx="1" cy="2" r="4" fill="#000"/>'
    """
    r = float(size)
    if kind in ("circle", "ring"):
        ring = {"fill": "none", "stroke": colour, "stroke_width": 2} if kind == "ring" else {}
        return element("circle", cx=float(x), cy=float(y), r=r, **({"fill": colour} | ring))
    if kind in ("cross", "plus"):
        a = r * (0.75 if kind == "cross" else 1.0)
        ends = (
            ((-a, -a, a, a), (-a, a, a, -a)) if kind == "cross" else ((-a, 0, a, 0), (0, -a, 0, a))
        )
        strokes = "".join(
            f"M{number(x + x1)} {number(y + y1)}L{number(x + x2)} {number(y + y2)}"
            for x1, y1, x2, y2 in ends
        )
        return element("path", d=strokes, stroke=colour, stroke_width=2.5, fill="none")
    corners = {
        "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        "triangle": ((0, -1.1), (1.05, 0.8), (-1.05, 0.8)),
        "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    }[kind]
    points = " ".join(f"{number(x + r * dx)},{number(y + r * dy)}" for dx, dy in corners)
    return element("polygon", points=points, fill=colour)


STRONGEST = 0.75
"""Opacity of the deepest shade: words on it stay readable"""
PALE = 0.1
"""Opacity that no cell exceeds whose difference may be chance"""
_SHARE = 0.25  # of the scale: from here on, all shades are the deepest


def deepest_from(scores: Iterable[float]) -> float:
    """Return the difference from which on a shade is the deepest: a quarter of the scores' scale.

    The scale goes to 1 or, where scores are larger, to the power of ten that holds them all: to 100
    for BLEU. It depends on the kind of scores, not on how far apart these systems happen to be, so
    that a shade means the same in two comparisons.

    >>> deepest_from([0.003, 0.62]), deepest_from([31.2, 28.4]), deepest_from([1.5, 4.5])
    (0.25, 25.0, 2.5)
    """
    largest = max((abs(score) for score in scores if math.isfinite(score)), default=1.0)
    return _SHARE * 10.0 ** max(0, math.ceil(math.log10(max(largest, 1.0)) - 1e-9))


def opacity(difference: float, deepest: float, *, told: bool) -> float:
    """Return the opacity of a cell; `told` says whether chance does not explain its difference.

    >>> [opacity(size, 0.25, told=True) for size in (-0.25, 0.9)], opacity(0.9, 0.25, told=False)
    ([0.75, 0.75], 0.1)
    """
    shade = STRONGEST * min(1.0, abs(difference) / deepest)
    return shade if told else min(shade, PALE)
