"""`--as relations`: dependency F, or F over any items, per segment."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored

NAMES = ("relations",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: --gold, --item and --missing say it all."""


def read_counts(args: argparse.Namespace) -> Counts:
    """Read relations as JSONL, TSV or CoNLL-U."""
    from tellapart.formats.relations.files import read_relations

    if args.item not in (None, "response"):
        raise UsageError(
            f"the items of relations are segments, or --unit response; not {args.item!r}"
        )
    return read_relations(
        args.systems, args.gold, missing=args.missing, responses=args.item == "response"
    )


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system."""
    from tellapart.formats.scoring import scored_counts

    counts = read_counts(args)
    for notice in counts.notices:
        print(f"tellapart: {notice.text}", file=sys.stderr)
    return scored_counts(counts, args.metric)


def validate(args: argparse.Namespace) -> list[str]:
    """List what is wrong with files of relations."""
    from tellapart.formats.text.checking import relation_problems

    return relation_problems(args.files, args.gold)
