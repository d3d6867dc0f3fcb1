"""Looks at two systems while their items come in, until it is settled which is better.

The test allows for all looks, if the order of items does not depend on outcomes.

Examples:
  tellapart watch new=new.jsonl old=old.jsonl
  tellapart watch old=old.csv new=new.csv --margin 0.02 --interval 30 --timeout 600
  tellapart watch scores.csv --once --json look.json

status: 0 settled, or nothing more came; 2 bad input; 130 Ctrl-C, after the last look
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tellapart.console import INTERRUPTED, say, show, until_interrupted, warn
from tellapart.errors import DataError, UsageError
from tellapart.files import is_stream, shown, whole_lines
from tellapart.formats.contract import paths_of
from tellapart.options import COUNT, SCORE, Number
from tellapart.verbs import inputs
from tellapart.verbs.inputs import add_comparison_options
from tellapart.verbs.outputs import add_output, outputs_of

if TYPE_CHECKING:
    from tellapart.counts import Counts


INTERVAL_S: Final = Number(least=0.0, most=86_400.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    inputs.add_arguments(parser, "watch")
    items = parser.add_argument_group("items")
    add_comparison_options(items, "cluster", help="items with the same value come together")
    items.add_argument("--cluster-size", type=COUNT, metavar="N", help="its most items")
    inputs.add_direction(items)
    test = parser.add_argument_group("the test")
    add_comparison_options(test, "alpha")
    add_comparison_options(test, "margin", help="ask whether the last system is no worse by X")
    test.add_argument("--bounds", type=SCORE, nargs=2, metavar=("LEAST", "MOST"),
                      help="the lowest and highest score of an item (default: 0 1)")  # fmt: skip
    looks = parser.add_argument_group("looks")
    looks.add_argument("--once", action="store_true", help="look once, and end")
    looks.add_argument("--interval", type=INTERVAL_S, default=2.0, metavar="SECONDS",
                       help="between two looks (default: 2)")  # fmt: skip
    looks.add_argument("--timeout", type=INTERVAL_S, metavar="SECONDS", help="end if nothing came")
    output = parser.add_argument_group("output")
    add_output(output, "--json", "write the last look; - for standard output, alone")


def run(args: argparse.Namespace) -> int:
    """Look until it is settled, and show the answer."""
    paths = paths_of([*args.files, *args.gold])
    piped = [path for path in paths if is_stream(path)]
    if piped and not args.once:
        raise UsageError(f"{shown(piped[0])}: a pipe does not grow: add --once")
    outputs = outputs_of(args, [*paths, *args.item_labels])
    from tellapart.report.watch import render_watch, watch_json

    watch = Watch(args, quiet=args.once or outputs.on_standard_output)
    settled = until_interrupted(partial(watch.follow, paths, time.sleep))
    if settled is None:
        say("interrupted; this is the last look")
    watch.print_notices()
    outputs.write({"--json": lambda: watch_json(watch.arrivals)}, render_watch(watch.arrivals))
    return INTERRUPTED if settled is None else 0


class Watch:
    """Files that grow, and the evaluation that they feed."""

    def __init__(self, args: argparse.Namespace, *, quiet: bool = False) -> None:
        from tellapart.comparison.watch import Arrivals

        self._args, self._quiet = args, quiet
        # Items that only one system has by now are no error; outputs are held against gold.
        args.missing = args.missing or ("drop" if args.gold else "own")
        self._request: inputs.Request | None = None
        self._last: Counts | None = None
        self._cut: set[str] = set()  # files of which the last line was left
        names = ("alpha", "margin", "bounds", "cluster", "cluster_size")
        self.arrivals = Arrivals(**{name: getattr(args, name) for name in names})

    def follow(self, paths: Sequence[str], wait: Callable[[float], None]) -> bool:
        """Look until it is settled or nothing more comes; return whether it is settled.

        `wait` lets some seconds go by.
        """
        args = self._args
        seen: list[tuple[str, int, int]] | None = None
        unchanged_s, ended = 0.0, args.once
        while True:
            before, seen = seen, _state(paths)
            unchanged_s = unchanged_s + args.interval if seen == before else 0.0
            ended |= args.timeout is not None and unchanged_s >= args.timeout
            if ended or seen != before:
                try:
                    self._look(whole=ended)
                except DataError:  # half of a document, or nothing yet
                    if ended:
                        raise
            if ended or self.arrivals.settled:
                return self.arrivals.settled
            wait(args.interval)

    def _look(self, *, whole: bool) -> None:
        """Read and count what is there; last lines that are half written wait.

        `whole` files grow no more.
        """
        from tellapart.report.watch import progress_line

        with whole_lines() as self._cut:
            if self._request is None:
                self._request = inputs.request(self._args)
            counts = self._request.counts()
            if self._last is None:
                counts = _as_they_came(counts, self._request)
        self._last = counts
        if len(counts.names) < 2 and not whole:
            return
        new = self.arrivals.update(counts, self._request.metrics(counts), growing=not whole)
        if new and not self._quiet:
            show(progress_line(self.arrivals))

    def print_notices(self) -> None:
        """Print what was left, what the reader remarked, and that items seem to hang together."""
        from tellapart.comparison.notices import maybe_clustered
        from tellapart.report.notices import clustered_words

        for path in sorted(self._cut):
            warn(f"{shown(path)}: the last line has no end yet, and was left out")
        if self._last is not None:
            inputs.print_notices(self._last)
            together = maybe_clustered(replace(self._last, present=None))
            if together is not None and not self._args.cluster:
                warn(clustered_words(self._last.kind, together))


def _as_they_came(counts: Counts, request: inputs.Request) -> Counts:
    """Return counts in the order of the items in the last file, if there are several files.

    As a rule it is the one that grows, beside others that are whole: an item counts when that has
    it. After the first look it shows which items come.
    """
    import numpy as np

    systems = request.sources.systems
    if len(systems) < 2:
        return counts
    turned = replace(request, sources=replace(request.sources, systems=systems[::-1]))
    place = {item: k for k, item in enumerate(turned.counts().items)}
    places = [place.get(item, len(place)) for item in counts.items]
    return counts.keep(np.argsort(np.array(places, np.intp), kind="stable"))


def _state(paths: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return by what it shows that files have changed; those in folders, too."""
    found = []
    for file in [each for path in map(Path, paths) for each in (path, *path.rglob("*"))]:
        with suppress(OSError):  # not there yet, or no more
            state = file.stat()
            found.append((str(file), state.st_size, state.st_mtime_ns))
    return sorted(found)
