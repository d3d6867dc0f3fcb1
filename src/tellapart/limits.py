"""What numbers may be: one rule for each, kept by the command line and by Python alike.

A number that no figure can be right for, or that would take endless time or all memory, is refused
at once, in a sentence that says which numbers are taken. The module needs no numpy, since the
command line reads its arguments by it.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import UsageError

_WRITTEN: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(inf|nan)", re.I)
_SHOWN: Final = 40  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Number:
    """What a number must be, and the sentence that refuses another one.

    >>> Number(whole=True, least=1).checked(3, "shuffles")
    3
    >>> Number(between=(0, 1)).parsed("0,05", "--alpha")
    Traceback (most recent call last):
    tellapart.errors.UsageError: --alpha: '0,05' is no number; write 0.05
    """

    whole: bool = False
    between: tuple[float, float] | None = None
    """Two ends, neither of which it may be"""
    above: float | None = None
    least: float | None = None
    most: float | None = None
    why: str = ""
    """What is the matter with more than the most"""

    def checked(self, value: Any, name: str) -> Any:
        """Return a value as a plain number, or refuse it."""
        number = self._plain(value)
        if number is None:
            raise UsageError(f"{name} must be a {self._kind}, not {_shown(value)}")
        complaint = self._complaint(number)
        if complaint is not None:
            raise UsageError(f"{name} must {complaint}")
        return number

    def parsed(self, text: str, name: str) -> Any:
        """Return the number that a word of the command line is, or refuse it."""
        try:
            # Python also takes 1_000 for 1000, and the digits of other scripts.
            if not _WRITTEN.fullmatch(text):
                raise ValueError
            value = int(text) if self.whole else float(text)
        except ValueError:
            hint = self._spelling(text)
            shown = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}…"
            raise UsageError(f"{name}: {shown} is no {self._kind}{hint}") from None
        return self.checked(value, name)

    @property
    def _kind(self) -> str:
        return "whole number" if self.whole else "number"

    def _spelling(self, text: str) -> str:
        """Return how a number is written that was written otherwise: 0,05 and 1e6 and 9,999."""
        plain = text.strip().replace(",", "" if self.whole else ".").replace("_", "")
        try:
            value = float(plain)
        except ValueError:
            return ""
        if not self.whole:
            return f"; write {plain}"
        return f"; write {value:.0f}" if value.is_integer() and abs(value) < 1e15 else ""

    def _plain(self, value: Any) -> int | float | None:
        """Return a number of any library as one of Python's; None if it is none."""
        # A truth value counts as 1, but who gives one means something else.
        if isinstance(value, str) or is_truth(value):
            return None
        try:
            number = operator.index(value) if self.whole else float(value)
        except OverflowError:
            return math.inf
        except (TypeError, ValueError):
            return None
        return number if number == number else None  # not one that is no number

    def _complaint(self, value: float) -> str | None:
        """Return what a number must be that it is not."""
        not_this = f", not {_shown(value)}"
        if self.between is not None and not self.between[0] < value < self.between[1]:
            return f"lie between {self.between[0]:g} and {self.between[1]:g}{not_this}"
        low, high = self.least, self.most
        # Of shares and correlations both ends are told.
        if low is not None and high is not None and high - low <= 2 and not low <= value <= high:
            return f"lie between {low:g} and {high:g}{not_this}"
        if self.above is not None and not value > self.above:
            return f"be above {self.above:g}{not_this}"
        if self.least is not None and value < self.least:
            return f"be at least {_bound(self.least)}{not_this}"
        if self.most is not None and value > self.most:
            return f"be at most {_bound(self.most)}{not_this}" + (f": {self.why}" * bool(self.why))
        if value in (math.inf, -math.inf):
            return f"be finite{not_this}"
        return None


def is_truth(value: Any) -> bool:
    """Return whether a value is true or false, as Python or NumPy has it."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def _bound(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}" if value < 10**12 else f"2^{value.bit_length()} - 1"
    return f"{value:g}"


def _shown(value: Any) -> str:
    """Return a value as a message shows it; even Python does not print all of a huge number."""
    try:
        text = f"{value:,}" if type(value) is int else repr(value)
    except ValueError:
        return "one of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


MOST_RESAMPLED: Final = 1 << 28
"""Sums of resamples that are kept at a time: two gigabytes"""
SHUFFLES: Final = Number(whole=True, least=1, most=10**9, why="more than these tell nothing more")
SEED: Final = Number(whole=True, least=0, most=2**128 - 1)
ALPHA: Final = Number(between=(0, 1), least=1e-9, most=1 - 1e-9)
SHARE: Final = Number(least=0, most=1)
MARGIN: Final = Number(above=0, least=1e-12, most=1e12)
WORKERS: Final = Number(whole=True, least=1, most=1024, why="more threads than that only wait")

_SLOW: Final = "more than these tell nothing more, and take hours"
ITEMS: Final = Number(whole=True, least=1, most=10**9)
DIFFERENCE: Final = Number(above=0, least=1e-9, most=1e9)
POWER: Final = Number(between=(0, 1), most=1 - 1e-6)
PLANNED_PAIRS: Final = Number(whole=True, least=1, most=10**6)
CLUSTER_SIZE: Final = Number(whole=True, least=1, most=10**4)
CORRELATION: Final = Number(least=-1, most=1)
SCORE = AGREEMENT = ICC = SHARE

NULL_PAIRS: Final = Number(whole=True, least=1, most=10**6, why=_SLOW)
MOST_DRAWS: Final = 10**11
"""Shuffles or resamples of all pairs of a calibration"""


def check_draws(pairs: int, draws: int) -> None:
    """Refuse shuffles of so many pairs that they would take hours.

    >>> check_draws(2_000, 9_999)
    """
    if pairs * draws > MOST_DRAWS:
        raise UsageError(
            f"{draws:,} shuffles of each of {pairs:,} pairs would take hours: make at most "
            f"{MOST_DRAWS // pairs:,} of so many pairs"
        )
