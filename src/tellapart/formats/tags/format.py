"""`--as conll`: tags in the last column of CoNLL files, as entities."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored
    from tellapart.formats.tags.reader import TagScores

NAMES = ("conll",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `compare` and `score` share."""
    add = parser.add_argument_group("conll").add_argument
    add("--scheme", choices=("lenient", "strict"), default="lenient",
        help="whether a stray I tag begins an entity, or loses it (default: lenient)")  # fmt: skip


def read_counts(args: argparse.Namespace) -> Counts:
    """Count the entities of each sentence."""
    return _read(args).counts


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system, type by type, in the layout of conlleval."""
    from tellapart.formats.entities import scored_entities

    found = _read(args)
    return scored_entities(found.counts, found.reports, args.metric)


def validate(args: argparse.Namespace) -> list[str]:
    """List what is wrong with tag files."""
    from tellapart.formats.tags.reader import findings

    return findings(args.files, args.gold)


def _read(args: argparse.Namespace) -> TagScores:
    from tellapart.formats.tags.reader import score_tags

    if args.item not in (None, "sentence"):
        raise UsageError("the items of tags are sentences; --cluster document joins them")
    return score_tags(args.systems, args.gold, scheme=args.scheme)
