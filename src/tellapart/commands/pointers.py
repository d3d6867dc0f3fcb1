"""What leads on from the report of `compare`: the full report, and the items that differ."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from tellapart.commands import diff
from tellapart.comparison.ranking import headline
from tellapart.files import STANDARD
from tellapart.report.fitting import WIDTH
from tellapart.report.terminal import Pointers

if TYPE_CHECKING:
    from tellapart.comparison.record import Comparison

_ITEMS = "  Items that differ: "


def in_colour(stream: TextIO) -> bool:
    """Tell whether marks of colour go to someone who sees them and does not refuse them."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def pointers(given: argparse.Namespace, result: Comparison) -> Pointers:
    """Say where to look further; `given` is what the command line said."""
    report = getattr(given, "html", None)
    if report is None and hasattr(given, "html"):
        report = "add --html report.html"
    return Pointers(report, _diff_command(given, result))


def _diff_command(given: argparse.Namespace, result: Comparison) -> str | None:
    """Return the command for the items that the headline is about; None if there is none.

    Long commands go on in another line, as a shell reads them.
    """
    metric = next(iter(result.metrics))
    pair = headline(result, metric)
    untold = result.metrics[metric].kind == "function of units" or given.test == "unpaired"
    if untold or not (pair.units_a_better or pair.units_b_better):
        return None
    if STANDARD in (*given.systems, *given.gold):
        return None
    names = [pair.a, pair.b] if len(result.systems) > 2 else []
    files = map(shlex.quote, [*names, *given.systems])
    lines, start = [_ITEMS], True
    for word in ("tellapart diff", *files, *_options(given)):
        if not start and len(lines[-1]) + 1 + len(word) + 2 > WIDTH:
            lines.append("     ")
        lines[-1] += word if start else f" {word}"
        start = False
    return " \\\n".join(lines).removeprefix(_ITEMS)


def _options(given: argparse.Namespace) -> Iterator[str]:
    """Repeat the options that say what is read, as `diff` takes them."""
    parser = argparse.ArgumentParser(add_help=False)
    diff.add_input_arguments(parser)
    for action in parser._actions:
        value = getattr(given, action.dest, action.default)
        if not action.option_strings or value == action.default:
            continue
        option = action.option_strings[0]
        if action.nargs == 0:
            yield option
            continue
        values = value if isinstance(value, list) else [value]
        for each in values[:1] if action.dest == "metric" else values:
            yield option if each is True else f"{option} {shlex.quote(str(each))}"
