"""Odd values of numeric options: every option of every verb that takes a number."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from format_samples import SYSTEMS
from tellapart.cli import main, verb_parser
from tellapart.errors import UsageError

from .cases import SECONDS, HangError, _quick, samples
from .damage import ODD_NUMBERS

VALUES: Final = tuple(dict.fromkeys([
    *(text.decode() for text in ODD_NUMBERS), "0", "1", "2", "0.5", "1e-9", "1e9", "-1e-308", "5 ",
    "\t5", "1,5", "1e5", "-0.0", "²", "¾", "٣", "0b1", "1j", "1 2", "x", "-", "\x00", "--help",
    "9" * 100_000,
]))  # fmt: skip
"""What people type where a number is due, and what programs pass that have lost theirs"""
LONGEST: Final = 2_000
"""The characters of a sentence that anyone would read"""
_QUICK: Final[dict[str, tuple[str, ...]]] = {
    "compare": ("--test", "shuffle", "--shuffles", "9", "--workers", "1"),
    "score": (),
    "diff": (),
    "calibrate": ("--pairs", "3", "--shuffles", "9", "--test", "sign", "--workers", "1"),
    "plan": (),
}
"""Verbs that are tried, with arguments that make them quick"""
_ASSUMED: Final = ("--items", "100", "--scores", "0.5", "0.6")
"""A plan without files, whose options are others"""
_PILOTLESS: Final = ("--scores", "--correlation",
                     "--agreement", "--items", "--cluster-size", "--icc")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """A verb with one option that has a value."""

    verb: str
    option: str
    value: str

    def command(self, sources: Iterable[str]) -> list[str]:
        """Return the words of the command line."""
        files = [*sources, *_QUICK[self.verb]]
        if self.verb == "plan" and self.option in _PILOTLESS:
            files = list(_ASSUMED)
        return [self.verb, *files, f"{self.option}={self.value}"]


def all_calls(*, every: int = 1) -> Iterator[Call]:
    """Yield calls with all values of all numeric options, or with every so-manieth."""
    numeric = (
        (verb, action.option_strings[-1])
        for verb in _QUICK
        for action in verb_parser(verb)._actions
        if action.option_strings and _takes_numbers(action)
    )
    for k, (verb, option) in enumerate(numeric):
        for value in VALUES[k % every :: every]:
            yield Call(verb, option, value)


def _takes_numbers(action: argparse.Action) -> bool:
    if action.type is None or not callable(action.type):
        return False
    try:
        return isinstance(action.type("1"), int | float)
    except argparse.ArgumentTypeError:
        return True  # a number, and one that may not be 1
    except (UsageError, ValueError, TypeError):
        return False


def failed_calls(calls: Iterable[Call], folder: Path) -> Iterator[str]:
    """Run calls, and yield what went wrong: all must be done, or refused in one sentence."""
    sources = [samples()["items.csv"].write(folder, *system) for system in SYSTEMS.items()]
    for call in calls:
        errors = io.StringIO()
        status: object = None
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            try:
                with _quick():
                    status = main(call.command(sources))
            except SystemExit as ending:
                status = ending.code
            except HangError:
                status = f"more than {SECONDS} s"
        said = [line for line in errors.getvalue().splitlines() if line.startswith("tellapart")]
        one = status == 0 or (status == 2 and said and len(said[-1]) <= LONGEST)
        if not one:
            words = f"{call.verb} {call.option}={call.value[:40]!r}"
            yield f"{words}: {status} {errors.getvalue()[:500]}"
