"""What numbers may be: one rule for each, kept by the command line and by Python alike."""

from __future__ import annotations

import math
import operator
from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import UsageError

_SHOWN: Final = 40  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Number:
    """What a number must be; called with a text, as argparse does, it returns the number.

    >>> Number(whole=True, least=1)("3")
    3
    >>> Number(least=0, most=1).checked(5, "alpha")
    Traceback (most recent call last):
    tellapart.errors.UsageError: alpha must lie between 0 and 1, not 5.0
    """

    whole: bool = False
    least: float = -math.inf
    most: float = math.inf

    def __call__(self, text: str) -> Any:
        """Return the number that a word of the command line is, or refuse it."""
        try:
            return self.checked(int(text) if self.whole else float(text))
        except ValueError:
            hint = f"; write {text.replace(',', '' if self.whole else '.')}" if "," in text else ""
            raise ArgumentTypeError(f"{text[:_SHOWN]!r} is no {self._kind}{hint}") from None
        except UsageError as problem:
            raise ArgumentTypeError(str(problem)) from None

    def checked(self, value: Any, name: str = "") -> Any:
        """Return a number of any library as one of Python's, or refuse it."""
        number = self._plain(value)
        if number is None or not self.least <= number <= self.most or abs(number) == math.inf:
            rule = f"be a {self._kind}" if number is None else self._rule
            shown = _shown(value if number is None else number)
            raise UsageError(f"{name} must {rule}, not {shown}".strip())
        return number

    @property
    def _kind(self) -> str:
        return "whole number" if self.whole else "number"

    @property
    def _rule(self) -> str:
        if abs(self.least) == math.inf:
            return "be finite"
        # An end such as 1e-9 keeps out 0, which is what people are told.
        low, high = (f"{round(end, 6):,.12g}" for end in (self.least, self.most))
        endless = self.most > 1e15  # as that of seeds, which nobody reaches by a slip
        return f"be at least {low}" if endless else f"lie between {low} and {high}"

    def _plain(self, value: Any) -> int | float | None:
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


def is_truth(value: Any) -> bool:
    """Return whether a value is true or false, as Python or NumPy has it."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def _shown(value: Any) -> str:
    """Return a value as a message shows it; even Python does not print all of a huge number."""
    try:
        text = repr(value)
    except ValueError:
        return "one of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


COUNT: Final = Number(whole=True, least=1, most=10**9)
SEED: Final = Number(whole=True, least=0, most=2**128 - 1)
WORKERS: Final = Number(whole=True, least=1, most=1024)
ALPHA: Final = Number(least=1e-9, most=1 - 1e-9)
SHARE: Final = Number(least=0, most=1)
MARGIN: Final = Number(least=1e-12, most=1e12)
SCORE: Final = Number(least=-1e12, most=1e12)
