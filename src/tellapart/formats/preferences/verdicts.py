"""Verdicts: how people and judges write which of two outputs is better."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Final

_FIRST: Final = (
    "a", "1", "first", "left", "win", "wins", "won", "better", "a>b", "a>>b", "b<a", "b<<a",
    "modela", "model1", "systema", "system1", "answera", "answer1", "outputa", "output1",
    "responsea", "response1", "assistanta", "assistant1", "optiona", "option1", "chosena",
    "generator1", "leftmodel", "awins", "abetter", "aisbetter",
)  # fmt: skip
_SECOND: Final = (
    "b", "2", "second", "right", "lose", "loses", "loss", "lost", "worse", "b>a", "b>>a", "a<b",
    "a<<b", "modelb", "model2", "systemb", "system2", "answerb", "answer2", "outputb", "output2",
    "responseb", "response2", "assistantb", "assistant2", "optionb", "option2", "chosenb",
    "generator2", "rightmodel", "bwins", "bbetter", "bisbetter",
)  # fmt: skip
_TIE: Final = (
    "tie", "ties", "tied", "draw", "drawn", "equal", "equals", "same", "similar", "both", "neither",
    "c", "a=b", "b=a", "=", "none", "nopreference", "nodifference", "tiebothbad", "bothbad",
    "tiebothgood", "bothgood", "bothequal", "equallygood", "equallybad", "thesame", "a~b", "b~a",
    "a≈b",
)  # fmt: skip
_HALF: Final = Fraction(1, 2)
_POINTS: Final = {
    **dict.fromkeys(_FIRST, Fraction(1)),
    **dict.fromkeys(_SECOND, Fraction(0)),
    **dict.fromkeys(_TIE, _HALF),
}
_BARE: Final = frozenset({"c", "1", "2", "none", "neither", "both", "same", "similar", "="})
"""Words that only mean a verdict beside other such words, or where the two systems are named"""
_NO_LETTERS: Final = re.compile(r"[\s_()\[\]\"'.:,!]+|-(?!\d)")  # -1 is another number than 1
NOTHING: Final = frozenset({"", "error", "na", "n/a", "nan", "null", "invalid", "skip", "skipped"})
"""Verdicts that are none"""


def _plain(word: str) -> str:
    """Return a verdict without brackets, blanks and underlines.

    >>> _plain("[[A]]"), _plain("tie (both bad)"), _plain("model_a")
    ('a', 'tiebothbad', 'modela')
    """
    return _NO_LETTERS.sub("", word.lower())


def is_nothing(word: str) -> bool:
    """Return whether a verdict is missing: an error of the judge, or an empty cell.

    >>> is_nothing("error"), is_nothing(" "), is_nothing("tie")
    (True, True, False)
    """
    return word.strip().lower() in NOTHING


def points_of(word: str, first: str, second: str) -> Fraction | None:
    """Return the points of the first of two systems by a word or a name; None if it says neither.

    >>> points_of("B>>A", "alder", "birch"), points_of("birch", "alder", "birch")
    (Fraction(0, 1), Fraction(0, 1))
    >>> points_of("both bad", "alder", "birch"), points_of("cedar", "alder", "birch")
    (Fraction(1, 2), None)
    """
    if word in (first, second):
        return Fraction(int(word == first))
    return _POINTS.get(_plain(word))


def are_verdicts(words: Collection[str]) -> bool:
    """Return whether words can hardly be anything but verdicts, without names beside them.

    >>> are_verdicts(["win", "tie", "lose"]), are_verdicts(["A", "B", "tie"])
    (True, True)
    >>> are_verdicts(["1", "2"]), are_verdicts(["A", "B", "C", "D"]), are_verdicts(["same"])
    (False, False, False)
    """
    plain = {_plain(word) for word in words if not is_nothing(word)}
    return bool(plain) and plain <= _POINTS.keys() and not plain <= _BARE


def number_scale(values: Collection[Fraction]) -> Callable[[Fraction], Fraction] | None:
    """Return how numbers become points of the first, by all that are there; None if not plain.

    1, 2 and 0 name the first, the second and a tie; between 1 and 2 a number leans to one of them,
    as AlpacaEval's do; 1, 0 and -1 are a win, a tie and a loss of the first. 0 and 1 alone might
    count wins as well as name places.

    >>> number_scale([Fraction(1), Fraction(2), Fraction(0)])(Fraction(0))
    Fraction(1, 2)
    >>> number_scale([Fraction(0), Fraction(1)]) is None
    True
    """
    low, high = min(values), max(values)
    if 1 < high <= 2 and all(value >= 1 or value == 0 for value in values):
        return lambda value: 2 - value if value else _HALF
    if low == -1 and set(values) <= {Fraction(-1), Fraction(0), Fraction(1)}:
        return lambda value: (1 + value) / 2
    return None
