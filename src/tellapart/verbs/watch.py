"""`tellapart watch`: whether an evaluation may be stopped, looked at while its items come in."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tellapart.console import INTERRUPTED, interruptions_raised, remark, say, show
from tellapart.errors import DataError, UsageError
from tellapart.files import is_stream, shown, whole_lines
from tellapart.formats.sources import paths_of
from tellapart.limits import COUNT, Number
from tellapart.verbs import inputs
from tellapart.verbs.inputs import add_comparison_options
from tellapart.verbs.outputs import add_output, outputs_of

if TYPE_CHECKING:
    from tellapart.counts import Counts

DESCRIPTION = """\
Looks at two systems while their items come in, and ends when it is settled which is better (or,
with --margin, whether the last is no worse). Looking often does no harm: the test is valid at
all looks together. SYSTEM is a file or folder that grows, as `compare` takes it. Scores are
means of items within known bounds; items count in the order in which they come, which must not
depend on the outcomes."""
EXAMPLES = """\
examples:
  tellapart watch new=new.jsonl old=old.jsonl
  tellapart watch scores.csv --items 500 --interval 30
  tellapart watch old=old.csv new=new.csv --margin 0.02 --cluster document
  tellapart watch scores.csv --once --json look.json

status: 0 settled, or all items are there, or nothing more came; 2 bad input; 130 Ctrl-C, after
which the last look is shown and written all the same"""

INTERVAL_S: Final = Number(least=0.0, most=86_400.0)
_LEFT_OPEN: Final = 5
"""So many looks a last line without an end waits, if nothing more comes, before it is read"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    inputs.add_arguments(parser, "watch")
    items = parser.add_argument_group("items")
    add_comparison_options(items, "cluster", help="items with the same value count as one")
    inputs.add_direction(items)
    test = parser.add_argument_group("the test")
    add_comparison_options(test, "alpha")
    add_comparison_options(test, "margin", help="ask whether the last system is no worse by X")
    test.add_argument("--bounds", type=_bounds, metavar="LEAST,MOST",
                      help="the lowest and highest score of an item (default: 0,1)")  # fmt: skip
    looks = parser.add_argument_group("looks")
    looks.add_argument("--once", action="store_true",
                       help="look once, at what is there now, and end")  # fmt: skip
    looks.add_argument("--interval", type=INTERVAL_S, default=2.0, metavar="SECONDS",
               help="between two looks at the files (default: 2)")  # fmt: skip
    looks.add_argument("--items", type=COUNT, metavar="N", help="end when this many have come in")
    looks.add_argument("--timeout", type=INTERVAL_S, metavar="SECONDS",
               help="end when nothing has come in for this long (default: never)")  # fmt: skip
    output = parser.add_argument_group("output")
    add_output(output, "--json", "write the last look; - for standard output, alone")


def _bounds(text: str) -> tuple[float, float]:
    from tellapart.stats.sequential import checked_bounds

    least, comma, most = text.partition(",")
    if not comma:
        raise UsageError(f"--bounds wants two numbers, such as 0,1, not {text!r}")
    number = Number()
    return checked_bounds((number(least), number(most)))


def run(args: argparse.Namespace) -> int:
    """Look until it is settled, and show the answer."""
    paths = paths_of([*args.files, *args.gold])
    piped = [path for path in paths if is_stream(path)]
    if piped and not args.once:
        raise UsageError(
            f"{shown(piped[0])}: what comes from a pipe is read to its end: give a file that "
            "grows, or --once"
        )
    outputs = outputs_of(args, [*paths, *args.item_labels])
    from tellapart.report.watch import render_watch, watch_json

    watch = Watch(args, quiet=outputs.on_standard_output)
    status = 0
    with interruptions_raised():
        try:
            watch.follow(time.sleep)
        except KeyboardInterrupt:
            say("interrupted; this is the last look")
            status = INTERRUPTED
    watch.tell_notices()
    outputs.write({"--json": lambda: watch_json(watch.arrivals)})
    if not outputs.on_standard_output:
        show(render_watch(watch.arrivals))
    return status


class Watch:
    """Files that grow, and the evaluation that they feed."""

    def __init__(self, args: argparse.Namespace, *, quiet: bool = False) -> None:
        from tellapart.comparison.watch import Arrivals

        self._args, self._quiet = args, quiet
        self._request: inputs.Request | None = None
        self._problem: DataError | None = None  # of the last look
        self._last: Counts | None = None
        self._cut: list[str] = []  # files of which the last line was left
        asked = {name: getattr(args, name) for name in ("alpha", "margin", "bounds", "cluster")}
        self.arrivals = Arrivals(**asked)

    def follow(self, wait: Callable[[float], None]) -> None:
        """Look until it is settled, all items are there, or nothing more comes.

        `wait` lets some seconds go by between two looks.
        """
        if self._args.once:
            self._count(self._read(), whole=True)
            return
        paths = paths_of([*self._args.files, *self._args.gold])
        interval, timeout = self._args.interval, self._args.timeout
        seen, unchanged, told = None, 0, False
        while True:
            before, seen = seen, _state(paths)
            unchanged = unchanged + 1 if seen == before else 0
            if not unchanged or (self._cut and unchanged == _LEFT_OPEN):
                if self._look(open_lines=unchanged > 0):
                    return
            elif timeout is not None and unchanged * interval >= timeout:
                self._end()
                return
            elif not told:
                remark("waiting for more; Ctrl-C ends, and shows the last look")
                told = True
            wait(interval)

    def tell_notices(self) -> None:
        """Print what was left, and what the reader remarked, when it read last."""
        for path in self._cut:
            say(f"{shown(path)}: the last line has no end yet, and was left out")
        if self._last is not None:
            inputs.print_notices(self._last)
            if self._args.cluster is None:
                _warn_of_clusters(self._last)

    def _look(self, *, open_lines: bool) -> bool:
        """Read and count what is there; return whether that is the end."""
        try:
            counts = self._read(open_lines=open_lines)
        except DataError as problem:  # half of a document, or nothing yet
            self._problem = self._problem if open_lines else problem
            return False
        self._problem = None
        if len(counts.names) < 2:
            return False
        whole = self._args.items is not None and len(counts.items) >= self._args.items
        self._count(counts, whole=whole)
        return self.arrivals.settled or whole

    def _end(self) -> None:
        """Count what was left open, since nothing more comes, or say why nothing could be read."""
        if self._problem is not None:
            raise self._problem
        try:
            counts = self._read(open_lines=True)
        except DataError:
            if not self._cut:
                raise
            counts = self._read()
        self._count(counts, whole=True)

    def _count(self, counts: Counts, *, whole: bool) -> None:
        from tellapart.report.watch import progress_line

        assert self._request is not None
        metrics = self._request.metrics(counts)
        new = self.arrivals.update(counts, metrics, growing=not whole)
        if new and not self._quiet and not self._args.once:
            show(progress_line(self.arrivals))

    def _read(self, *, open_lines: bool = False) -> Counts:
        """Read what is there; last lines that are only half written are left, unless asked for."""
        args = self._args
        with nullcontext(set[str]()) if open_lines else whole_lines() as cut:
            if self._request is None:
                # Items that only one system has by now are no error; outputs are held against gold.
                missing = args.missing or ("drop" if args.gold else "own")
                self._request = inputs.request(args, missing=missing)
            counts = self._request.counts()
            if self._last is None:
                counts = _as_they_came(counts, self._request)
        self._last, self._cut = inputs.directed(counts, args.lower_is_better), sorted(cut)
        return self._last


def _warn_of_clusters(counts: Counts) -> None:
    """Print that items seem to hang together, as a comparison warns of it."""
    from tellapart.comparison.notices import likely_clusters
    from tellapart.report.notices import clustered_words

    texts = [notice.text for notice in counts.notices if notice.code == "maybe-clustered"]
    found = likely_clusters(replace(counts, present=None))
    if found is not None:
        label, ids = found
        groups = 0 if label is None else len(set(counts.cluster_names(label)))
        texts.append(clustered_words(counts.kind, ids if label is None else (label,), groups))
    for text in texts:
        say(f"warning: {text}")


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


def _state(paths: Iterable[str]) -> list[tuple[str, int, int]]:
    """Return by what it shows that files have changed; those in folders, too."""
    found = []
    for path in paths:
        walked = sorted(os.walk(path))
        for file in [path, *(os.path.join(at, name) for at, _, names in walked for name in names)]:
            with suppress(OSError):  # not there yet, or no more
                state = os.stat(file)
                found.append((file, state.st_size, state.st_mtime_ns))
    return sorted(found)
