"""Numbers, names and lines as text, alike in all reports.

Numbers have the digits that matter, p-values those that tell their side of the level. Names of many
systems are shown without what all of them begin and end with: `meadow/eval-2026-birch-v2-final` and
`meadow/eval-2026-cedar-v2-final` as `birch` and `cedar`, and one line says what was left out;
records and tables for programs have the whole names. Lines fit a terminal.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from tellapart.words import clean
from tellapart.words import p_text as p_text

if TYPE_CHECKING:  # help is printed without loading numpy
    from tellapart.comparison.record import Comparison, Ends, Pair

# Numbers

SAME = 1e-11
"""No report shows differences below this one: they are rounding errors"""
_TINY = 5e-7  # less has an exponent
_LARGE, _HUGE = 1e6, 1e9  # from here on without decimals, and with an exponent


def plain(value: float | None, decimals: int = 3) -> str:
    """Return a score as text; one that is very large with fewer digits, a tiny one with two.

    A metric tells how many decimals its numbers take (`MetricInfo.decimals`).

    >>> plain(0.2083), plain(0.000312), plain(1234567.8), plain(1.5e12), plain(None)
    ('0.208', '0.00031', '1234568', '1.5e+12', '-')
    >>> plain(3.14e-9), plain(1e-15)
    ('3.1e-09', '0.000')
    >>> plain(0.00235, 5), plain(0.0025, 5)
    ('0.00235', '0.00250')
    """
    return _number(value, decimals, 2)


def signed(value: float | None, decimals: int = 3) -> str:
    """Return a difference with its sign, and one near 0 with the digit that tells its side.

    >>> signed(0.2083), signed(-0.00042), signed(3.14e-9), signed(-1e-15), signed(None)
    ('+0.208', '-0.0004', '+3e-09', '0.000', '-')
    """
    return _number(value, decimals, 1, "+")


def _number(value: float | None, decimals: int, digits: int, sign: str = "") -> str:
    """Return so many decimals, or as many as show some digits where these would show none."""
    if value is None:
        return "-"
    amount = abs(value)
    if amount < SAME:
        return f"{0:.{decimals}f}"
    if amount >= _LARGE:
        return f"{value:{sign}{'.0f' if amount < _HUGE else '.6g'}}"
    power = math.floor(math.log10(amount))
    if amount < _TINY:
        return f"{value:{sign}.{max(digits - 1, decimals + power)}e}"
    decimals = decimals if amount >= 0.5 * 10.0**-decimals else digits - 1 - power
    return f"{value:{sign}.{decimals}f}"


def size(value: float, decimals: int = 3) -> str:
    """Return how large a difference is, whatever its sign.

    >>> size(-0.2083), size(0.00042)
    ('0.208', '0.0004')
    """
    return signed(value, decimals).lstrip("+-")


def two_digits(value: float) -> str:
    """Return a number that is known to two digits at most.

    >>> two_digits(0.2305), two_digits(0.0599), two_digits(12.34)
    ('0.23', '0.060', '12')
    """
    return f"{value:#.2g}".rstrip(".") if value < 100 else f"{value:.0f}"


def has_ends(interval: Ends | None) -> bool:
    """Return whether there is an interval, be it with one end.

    >>> has_ends((0.1, None)), has_ends((None, None)), has_ends(None)
    (True, False, False)
    """
    return any(end is not None for end in interval or ())


def ends(
    interval: Ends | None, decimals: int = 3, write: Callable[[float, int], str] = signed
) -> tuple[str, str]:
    """Return both ends of an interval; one without a bound is infinite.

    >>> ends((-0.1, 0.25)), ends((0.05, None)), ends(None), ends((0.1, 0.25), 3, plain)
    (('-0.100', '+0.250'), ('+0.050', 'inf'), ('-', '-'), ('0.100', '0.250'))
    """
    low, high = interval or (None, None)
    if low is None and high is None:
        return "-", "-"
    first = "-inf" if low is None else write(low, decimals)
    return first, "inf" if high is None else write(high, decimals)


def joined_ends(low: str, high: str) -> str:
    """Return both ends in words, as `ends` writes them.

    >>> joined_ends("-0.100", "+0.250"), joined_ends("-inf", "+0.250"), joined_ends("-", "-")
    ('-0.100 to +0.250', '+0.250 or less', '-')
    """
    if low == "-inf" or high == "inf":
        return f"{high} or less" if low == "-inf" else f"{low} or more"
    return low if low == high == "-" else f"{low} to {high}"


def between(
    interval: Ends | None, decimals: int = 3, write: Callable[[float, int], str] = signed
) -> str:
    """Return an interval in words; an end that is not known is open, and no interval is nothing.

    >>> between((0.0381, 0.375)), between((0.1, None)), between(None)
    ('+0.038 to +0.375', '+0.100 or more', '')
    """
    return joined_ends(*ends(interval, decimals, write)) if has_ends(interval) else ""


def range_words(interval: Ends | None, decimals: int = 3) -> str:
    """Return an interval of differences in a sentence; a whole one above 0 needs no signs.

    >>> range_words((-0.1, 0.25)), range_words((0.05, 0.25)), range_words((0.05, None))
    ('-0.100 to +0.250', '0.050 to 0.250', '+0.050 or more')
    """
    low, high = interval or (None, None)
    unsigned = low is not None and high is not None and low > -SAME
    return between(interval, decimals, size if unsigned else signed)


def percent(share: float) -> str:
    """Return a level in per cent, with the digits that tell it from others.

    >>> percent(0.9), percent(1 - 0.1 / 3), percent(0.9975)
    ('90 %', '96.67 %', '99.75 %')
    """
    return f"{100 * share:.4g} %"


def whole_percent(share: float) -> str:
    """Return a share in whole per cent; what is neither never nor always does not look like it.

    >>> whole_percent(0.536), whole_percent(0.0004), whole_percent(0.9999), whole_percent(1)
    ('54 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def how_often(power: float) -> str:
    """Return a power in words.

    >>> how_often(0.8), how_often(0.95)
    ('four times out of five', '95 times out of 100')
    """
    return "four times out of five" if power == 0.8 else f"{100 * power:.3g} times out of 100"


def pair_p(pair: Pair, alpha: float) -> str:
    """Return the p of a pair as text, with the digits that shuffles, or its bounds, leave it.

    Where it is an upper bound of which even the first digit is unsure, it begins with `≤`.
    """
    return _with_error(pair, pair.p, alpha)


def pair_adjusted(pair: Pair, alpha: float) -> str:
    """Return the adjusted p of a pair as text, like `pair_p`."""
    return _with_error(pair, pair.p_adjusted, alpha)


def _with_error(pair: Pair, p: float | None, alpha: float) -> str:
    if p is None or not pair.p:
        return p_text(p, alpha)
    drawing_error = math.sqrt(pair.p * (1 - pair.p) / pair.shuffles) if pair.shuffles else 0.0
    text = p_text(p, alpha, max(drawing_error, pair.error) * p / pair.p)
    return f"≤{text}" if pair.error > pair.p / 10 else text


def capital(words: str) -> str:
    """Return words as a sentence begins.

    >>> capital("items of PDFs"), capital("")
    ('Items of PDFs', '')
    """
    return f"{words[:1].upper()}{words[1:]}"


# Names of systems

Value = TypeVar("Value")
MAX_FULL_NAMES: Final = 5
"""Systems that keep their whole names: so few are better known by them"""
LEAST_SHARED: Final = 8
"""Letters that must be shared before anything is left out"""


@dataclass(frozen=True, slots=True)
class DisplayNames:
    """What systems are called in a report."""

    shown: Mapping[str, str]
    """By the whole names of systems, and of pairs; empty if these are shown"""
    words: str = ""
    """A sentence on what was left out; empty if nothing was"""

    def applied(self, value: Value) -> Value:
        """Return a record, or what it holds, with all names as they are shown."""
        return cast(Value, _renamed(value, self.shown)) if self.shown else value


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple | list):
        return type(value)([_renamed(part, names) for part in value])
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(part, names) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **{name: _renamed(part, names) for name, part in parts.items()})
    return value


def display_names(record: Comparison) -> DisplayNames:
    """Return what systems and pairs are called in a report of a comparison."""
    names = shortened_names([system.name for system in record.systems])
    shown = dict(names.shown)
    for pair in record.pairs if shown else ():  # which answers and notices name, too
        for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
            whole, short = f"{a} - {b}", f"{shown[a]} - {shown[b]}"
            shown |= {whole: short, f"{whole}, {pair.metric}": f"{short}, {pair.metric}"}
    return replace(names, shown=shown)


def shortened_names(names: Sequence[str]) -> DisplayNames:
    """Return names without what all of them begin and end with, whole words alone.

    >>> names = [f"lab/eval-2026-{tree}-final" for tree in ("alder", "birch", "cedar", "oak")]
    >>> shortened_names([*names, "lab/eval-2026-fir-final", "lab/eval-2026-elm-final"]).words
    "Every system's whole name begins with lab/eval-2026- and ends with -final."
    """
    head, tail = _shared_ends(names)
    while head and not all(any(map(str.isalpha, name[head : len(name) - tail])) for name in names):
        head = _before_word(names[0][:head])  # tree-07 is a name, 07 is none
    if len(names) <= MAX_FULL_NAMES or head + tail < LEAST_SHARED:
        return DisplayNames({})
    first = names[0]
    said = [f"begins with {first[:head]}"] if head else []
    said += [f"ends with {first[len(first) - tail :]}"] if tail else []
    shown = {name: name[head : len(name) - tail] for name in names}
    return DisplayNames(shown, f"Every system's whole name {' and '.join(said)}.")


def _before_word(text: str) -> int:
    """Return where the last word of a text begins, with any marks after it.

    >>> _before_word("lab/eval-20"), _before_word("lab/eval-"), _before_word("- /")
    (9, 4, 0)
    """
    return len(re.sub(r"[^\W_]*[\W_]*$", "", text))


# Lines that fit a terminal

WIDTH = 80
INDENT = "  "
ELLIPSIS = "…"
OPTION = re.compile(r"--[a-z][a-z-]*(?: \S{1,20}(?!\S))?")  # with what may be its value
_TOGETHER = re.compile(rf"\bp = |\d %|{OPTION.pattern}")  # what a line end would tear apart
_FILLER = "\ue000"  # behind letters that take two columns, where letters are counted
_TIE = "\u00a0"


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
    padded = _padded(text)
    end = width - 1 - (padded[width - 1] == _FILLER)
    return padded[:end].replace(_FILLER, "").rstrip() + ELLIPSIS


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
    >>> filled("alike: add --cluster passage.", width=22).splitlines()
    ['alike: add', '--cluster passage.']
    """
    tied = _TOGETHER.sub(lambda found: found[0].replace(" ", _TIE), text)
    return wrapped(tied, mark, width).replace(_TIE, " ")


def wrapped(text: str, mark: str = "", width: int = WIDTH) -> str:
    """Return a text broken at blanks, and in words that are longer than a line.

    >>> wrapped("one two three", "- ", width=9).splitlines()
    ['- one two', '  three']
    """
    indent = " " * columns(mark)
    lines = textwrap.wrap(
        _padded(text.strip()),
        width,
        initial_indent=_padded(mark),
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_FILLER, "")


def _padded(text: str) -> str:
    """Return a text in which as many letters stand as it takes columns, or more."""
    return "".join(letter + _FILLER * (_columns_of(letter) - 1) for letter in text)


def warnings_text(texts: Iterable[str], width: int = WIDTH) -> str:
    """Return warnings under their heading; nothing where there are none.

    >>> warnings_text(["p cannot be smaller than 0.1"]).splitlines()
    ['  Warnings', '  ! p cannot be smaller than 0.1']
    """
    lines = [filled(clean(text), f"{INDENT}! ", width) for text in texts]
    return "\n".join([f"{INDENT}Warnings", *lines]) if lines else ""


def joined(parts: Iterable[str]) -> str:
    r"""Return the parts of a report with a blank line between them; empty ones are left out.

    >>> joined(["Yes.", "", "system  score\nA       0.5"])
    'Yes.\n\nsystem  score\nA       0.5\n'
    """
    return "\n\n".join(filter(None, parts)) + "\n"


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
        distinct = [cut(name, width) for name in _without_shared([cleaned[k] for k in places])]
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


def _without_shared(names: Sequence[str]) -> list[str]:
    """Return names without the words that all begin and end with."""
    head, tail = _shared_ends(names)
    return [
        ELLIPSIS * bool(head) + name[head : len(name) - tail] + ELLIPSIS * bool(tail)
        for name in names
    ]


def _shared_ends(names: Sequence[str]) -> tuple[int, int]:
    """Return the lengths of the words and marks that all begin and end with; something is left."""
    head = _shared_words(names)
    return head, _shared_words([name[head:][::-1] for name in names])


def _shared_words(names: Sequence[str]) -> int:
    letters = zip(*(name[:-1] for name in names), strict=False)
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, letters))
    return _before_word(names[0][:shared] + "x")
