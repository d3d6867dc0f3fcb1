"""What the formats of logs have in common on the command line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts


def check_options(args: argparse.Namespace, what: str) -> None:
    """Refuse options that logs have no use for."""
    if args.gold:
        raise UsageError(f"{what} hold scores, and need no --gold; leave it out")
    if args.item is not None:
        raise UsageError(f"the items of {what} are items; --cluster LABEL joins those that belong")


def print_notices(counts: Counts, but: str = "") -> None:
    """Print what a reader of scores should know."""
    for notice in counts.notices:
        if notice.code != but:
            print(f"tellapart: {notice.text}", file=sys.stderr)
