"""The formats of `--as`: each has options of its own, and knows how to read and to score.

A format is a module of this package; what it imports at the top must be light, since help texts
are built from all of them.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tellapart.errors import UsageError
from tellapart.formats.coref import format as conll_coref_format
from tellapart.formats.logs import inspect_format, lm_eval_format
from tellapart.formats.muc import format as muc_format
from tellapart.formats.nuggets import format as nuggets_format
from tellapart.formats.relations import format as relations_format
from tellapart.formats.spans import format as spans_format
from tellapart.formats.tables import format as tables_format
from tellapart.formats.tags import format as conll_format
from tellapart.formats.text import format as text_format
from tellapart.formats.trec import format as trec_format
from tellapart.words import nearest

if TYPE_CHECKING:
    from tellapart.counts import Counts


@dataclass(frozen=True, slots=True)
class Scored:
    """One system's scores, and what the task's own report says of it."""

    name: str
    scores: dict[str, float]
    counts: dict[str, float]
    report: dict[str, Any] = field(default_factory=dict)
    text: str | None = None
    """The report in the task's own layout, where there is one"""


class Format(Protocol):
    """What a module must have to be a format.

    It may also have `add_score_arguments(parser)` for options that only `score` has, `validate`
    and `selected_slots`, which `compare --by selection` compares with the rest.
    """

    @property
    def NAMES(self) -> tuple[str, ...]:  # noqa: N802  (a module's constant)
        """What `--as` takes for it."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options that `compare` and `score` share."""

    def read_counts(self, args: argparse.Namespace) -> Counts:
        """Read the systems of the command line as counts."""

    def score(self, args: argparse.Namespace) -> list[Scored]:
        """Score the systems of the command line."""


FORMATS: tuple[Any, ...] = (
    tables_format,
    muc_format,
    nuggets_format,
    conll_coref_format,
    text_format,
    relations_format,
    inspect_format,
    lm_eval_format,
    conll_format,
    spans_format,
    trec_format,
)


def names() -> list[str]:
    """Return all that `--as` takes."""
    return [name for module in FORMATS for name in module.NAMES]


def chosen(args: argparse.Namespace) -> Format:
    """Return the format that `--as` names, or else what the files look like.

    A guess is printed on standard error, and kept in `args.form`. Where nothing was said about
    missing items, `args.missing` becomes an error, or what the format's `MISSING` says.
    """
    if args.form is None:
        args.form = _guessed(args)
    found: Format = tables_format  # which says itself whether it read counts or items
    if args.form is not None:
        if args.form not in names():
            raise UsageError(f"there is no format {args.form!r}; {nearest(args.form, names())}")
        found = next(module for module in FORMATS if args.form in module.NAMES)
    _refuse_options_of_others(args, found)
    if getattr(args, "missing", None) is None:
        args.missing = getattr(found, "MISSING", "error")
    return found


def _refuse_options_of_others(args: argparse.Namespace, found: Format) -> None:
    """Refuse options that only another format knows, rather than ignore them."""
    own = _options(found)
    for module in FORMATS:
        for name, (option, default) in _options(module).items():
            if name not in own and getattr(args, name, default) != default:
                raise UsageError(
                    f"{option} goes with --as {module.NAMES[0]}, and these files are read as "
                    f"{args.form or 'a table'}; drop it, or name the format with --as"
                )


def _options(module: Format) -> dict[str, tuple[str, Any]]:
    """Return the options of a format: where each is kept, how it is spelled, and its default."""
    parser = argparse.ArgumentParser(add_help=False)
    module.add_arguments(parser)
    return {
        action.dest: (action.option_strings[0], action.default)
        for action in parser._actions
        if action.option_strings
    }


def _guessed(args: argparse.Namespace) -> str | None:
    from tellapart.formats.guessing import guess_format

    form = guess_format(args.systems, args.gold)
    if form is not None:
        print(f"read as {form}; --as names another format", file=sys.stderr)
    return form
