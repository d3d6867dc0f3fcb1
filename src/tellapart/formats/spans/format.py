"""`--as spans`: labelled spans of texts, as annotation tools export them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored
    from tellapart.formats.spans.reader import SpanScores

NAMES = ("spans",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: --gold and --missing say it all."""


def read_counts(args: argparse.Namespace) -> Counts:
    """Count the spans of each text."""
    return _read(args).counts


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system, label by label."""
    from tellapart.formats.entities import scored_entities

    found = _read(args)
    return scored_entities(found.counts, found.reports, args.metric)


def validate(args: argparse.Namespace) -> list[str]:
    """List what is wrong with span files."""
    from tellapart.formats.spans.checking import span_problems

    return span_problems(args.files, args.gold)


def _read(args: argparse.Namespace) -> SpanScores:
    from tellapart.formats.spans.reader import score_spans

    if args.item not in (None, "text"):
        raise UsageError("the items of spans are texts; --cluster names a key of their meta")
    return score_spans(args.systems, args.gold, missing=args.missing)
