"""The options that say what is read; `compare`, `score` and `diff` share them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.formats.registry import names

if TYPE_CHECKING:
    from tellapart.counts import Counts


def _names(text: str) -> list[str]:
    """Split names at commas, for those who give several at once."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_arguments(parser: argparse.ArgumentParser, systems: str = "+") -> None:
    """Declare systems (how many, as argparse says it), format, gold, metrics and items."""
    parser.add_argument("systems", nargs=systems, metavar="SYSTEM", help="files; see above")
    add = parser.add_argument_group("input").add_argument
    add("--as", dest="form", choices=names(), metavar="FORMAT",
        help=f"how to read: {', '.join(names())} (default: told from the content)")  # fmt: skip
    add("--gold", action="append", default=[], metavar="FILE",
        help="gold answers; repeatable")  # fmt: skip
    add("--metric", action="extend", type=_names, metavar="NAME",
        help="recall, precision, f1, f0.5, accuracy, mean, bleu, …; repeatable "
        "(default: recall, precision, f1 for counts; all values for items)")  # fmt: skip
    add("--item", "--unit", metavar="COLUMN", help="what an item is: the column that names it")
    add("--missing", choices=("error", "zero", "drop"),
        help="what to do with items that a system lacks (default: error; zero for queries that "
        "a trec run lacks)")  # fmt: skip


def number(text: str) -> float:
    """Read a number of the command line, and tell those who write 0,05 how it is written."""
    try:
        return float(text)
    except ValueError:
        pointed = text.replace(",", ".")
        try:
            float(pointed)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
        raise argparse.ArgumentTypeError(f"{text!r} is no number; write {pointed}") from None


def add_where(group: argparse._ArgumentGroup) -> None:
    """Declare the option that chooses items."""
    group.add_argument("--where", action="append", default=[], metavar="LABEL=VALUE",
                       help="keep only these items; repeatable")  # fmt: skip


def add_direction(group: argparse._ArgumentGroup) -> None:
    """Declare the option for values that count errors."""
    group.add_argument(
        "--lower-is-better",
        action="append",
        nargs="?",
        const=True,
        type=_value_name,
        metavar="NAME",
        help="this ready value counts errors; repeatable; without a name: all do (wer, loss, "
        "latency and the like are known)",
    )


def _value_name(text: str) -> str:
    """Take the name of a value, and tell those who put files behind the option."""
    if Path(text).is_file():
        raise argparse.ArgumentTypeError(
            f"{text!r} is a file, and here the name of a value is due: put files before the option"
        )
    return text


def directed(counts: Counts, named: Sequence[str | bool] | None) -> Counts:
    """Turn the values of which less is better: those named, or all."""
    from tellapart.counts import errors

    if not named:
        return counts
    return errors(counts, True if True in named else [str(name) for name in named])


def chosen_items(counts: Counts, conditions: Sequence[str]) -> Counts:
    """Keep the items that fit all conditions; several values of one label are alternatives."""
    wanted: dict[str, list[str]] = {}
    for condition in conditions:
        label, equals, value = condition.partition("=")
        if not equals:
            raise UsageError(f"--where wants LABEL=VALUE, not {condition!r}")
        wanted.setdefault(label, []).append(value)
    return counts.where(wanted) if wanted else counts
