"""Odd values of numeric options: every option of every verb that takes a number, every value.

`python -m fuzz options` tries all of them; the tests try some of each option.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tellapart.cli import all_parsers
from tellapart.errors import UsageError

from .damage import ODD_NUMBERS
from .rule import SECONDS, Bench, HangError, Verdict
from .targets import targets

VALUES: Final = tuple(dict.fromkeys([
    *(text.decode() for text in ODD_NUMBERS), "0", "1", "2", "0.5", "1e-9", "1e9", "-1e-308", "5 ",
    "\t5", "1,5", "1e5", "-0.0", "²", "¾", "٣", "0b1", "1j", "1 2", "x", "-", "\x00", "--help",
    "9" * 100_000,
]))  # fmt: skip
"""What people type where a number is due, and what programs pass that have lost theirs"""

LONGEST: Final = 2_000
"""The characters of a sentence that anyone would read"""
_TABLE: Final = ("--as", "items", "wide.csv")
_CALLS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "compare": ("table-wide", (*_TABLE, "--test", "shuffle", "--shuffles", "9", "--workers", "1")),
    "score": ("table-wide", _TABLE),
    "diff": ("table-wide", _TABLE),
    "calibrate": ("table-wide", (*_TABLE, "--pairs", "3", "--shuffles", "9", "--test", "sign",
                                 "--workers", "1")),
    "plan": ("table-wide", _TABLE),
    "watch": ("table-wide", (*_TABLE, "--once")),
    "serve": ("table-wide", ("nowhere",)),
    "campaign new": ("table-wide", ("campaign", "--as", "items")),
    "adjudicate": ("muc", ("--gold", "key.txt", "alder.txt", "--history", "history.txt")),
}  # fmt: skip
"""Per verb: the target whose files it is given, and arguments that make it quick"""
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
    target: str
    arguments: tuple[str, ...]

    def command(self) -> list[str]:
        """Return the words of the command line."""
        return [*self.verb.split(), *self.arguments, f"{self.option}={self.value}"]


def numeric_options() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield verb, option, target and arguments for all options that take numbers."""
    for verb, parser in all_parsers():
        for action in parser._actions:
            if action.option_strings and _takes_numbers(action):
                option = action.option_strings[-1]
                yield verb, option, *_call(verb, option)


def _takes_numbers(action: argparse.Action) -> bool:
    if action.type is None or not callable(action.type):
        return False
    try:
        return isinstance(action.type("1"), int | float)
    except UsageError:
        return True  # a number, and one that may not be 1
    except (ValueError, TypeError, argparse.ArgumentTypeError):
        return False


def _call(verb: str, option: str) -> tuple[str, tuple[str, ...]]:
    target, arguments = _CALLS[verb]
    if verb == "campaign new":
        own = {"--order": "text", "--smooth-value": "text", "--coref-mapping": "nuggets",
               "--coref-threshold": "nuggets"}.get(option, "items")  # fmt: skip
        return target, ("campaign", "--as", own)
    rest = arguments[len(_TABLE) :]
    if option in ("--order", "--smooth-value"):
        files = targets()["text"].arguments
        return "text", ("--as", "text", *files, "--smooth", "floor", *rest)
    if option in ("--coref-mapping", "--coref-threshold"):
        return "nuggets", ("--as", "nuggets", *targets()["nuggets"].arguments, *rest)
    if verb == "plan" and option in _PILOTLESS:
        return target, _ASSUMED
    return target, arguments


def all_calls(*, every: int = 1) -> Iterator[Call]:
    """Yield calls with all values of all options, or with every so-manieth."""
    for k, (verb, option, target, arguments) in enumerate(numeric_options()):
        for value in VALUES[k % every :: every]:
            yield Call(verb, option, value, target, arguments)


def judge(call_: Call, bench: Bench) -> Verdict:
    """Return whether a call ended as it should: done, or refused in one sentence."""
    said = bench.run(*call_.command())
    if said.trace or said.status not in (0, 2):
        return Verdict("traceback", f"status {said.status}: {said.trace or said.messages}")
    complaints = [text for text in said.messages if text.startswith("tellapart")]
    # Before the refusal there may be a warning about the files.
    if said.status == 2 and not 1 <= len(said.messages) == len(complaints) <= 2:
        return Verdict("silent", f"{len(said.messages)} sentences: {said.messages}")
    if said.status == 2 and len(said.messages[0]) > LONGEST:
        return Verdict("silent", f"a sentence of {len(said.messages[0]):,} characters")
    return Verdict("refused" if said.status == 2 else "sound")


def failed_calls(calls: Iterable[Call], folder: Path) -> Iterator[str]:
    """Run calls, and yield what went wrong, each with its command line."""
    benches: dict[str, Bench] = {}
    for each in calls:
        if each.target not in benches:
            (folder / each.target).mkdir()
            benches[each.target] = Bench(targets()[each.target], folder / each.target)
        try:
            verdict = judge(each, benches[each.target])
        except HangError:
            verdict = Verdict("hang", f"more than {SECONDS} s")
        if not verdict.fine:
            words = " ".join(map(shortened, each.command()))
            yield f"{verdict.kind}: tellapart {words}\n  {shortened(verdict.reason, 500)}"


def shortened(text: str, most: int = 60) -> str:
    """Return a text that fits a line."""
    shown = repr(text)[1:-1]
    return shown if len(shown) <= most else f"{shown[: most - 20]}… ({len(text):,} characters)"
