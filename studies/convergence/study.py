"""Convergence: whether work on one test set also helped on another that nobody looked at.

A proposal reported by Chinchor, Hirschman and Lewis (1993, section 7.4), without figures: score a
system on two test sets, let its makers work with the first one for a while, and score it on both
again. The gain on the unseen set relative to the gain on the seen one tells how well it converges.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np

from studies.convergence.gains import LEVEL, RESAMPLES, Convergence, Gain, converge
from studies.core import Reproduction, Request, Section, Statement
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.contract import Sources
from tellapart.formats.tables.format import TableOptions
from tellapart.formats.tables.reader import read_tables
from tellapart.metrics.scores import metrics_of
from tellapart.report.text import signed

HAS_PICTURES: Final = False
TABLES: Final = ("before-seen", "after-seen", "before-unseen", "after-unseen")
TRUE_RATIO: Final = 0.5
_ITEMS: Final = 150
_STREAM: Final = 5


def reproduce(request: Request) -> Reproduction:
    """Return the gains on both sets: of four tables in a folder, or of ones drawn from the seed."""
    tables = draw_tables(request.seed) if request.data is None else read_folder(request.data)
    known = [metric.name for metric in metrics_of(tables[0])]
    metric = "f1" if "f1" in known else known[0]
    found = converge(tables[:2], tables[2:], metric, seed=request.seed)
    return Reproduction(
        "convergence",
        "Hirschman (1991), in Chinchor, Hirschman and Lewis (1993): convergence",
        request.seed,
        (_gains(found),),
        (_statement(found, generated=request.data is None),),
        asdict(found),
    )


def draw_tables(seed: int) -> list[Counts]:
    """Return four tables of a system that gains half as much on the unseen set."""
    sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM,))
    generator = np.random.Generator(np.random.SFC64(sequence))
    tables = []
    for share in (0.4, 0.4 * TRUE_RATIO):
        before = generator.integers(0, 5, _ITEMS)
        after = np.minimum(4, before + (generator.random(_ITEMS) < share))
        for found in (before, after):
            rows = np.stack([found, np.ones_like(found), 4 - found], axis=1)
            tables.append(Counts.from_arrays({"system": rows}, columns=["tp", "fp", "fn"]))
    return tables


def read_folder(folder: str) -> list[Counts]:
    """Return the four tables of a folder, each of one system."""
    tables = []
    for name in TABLES:
        paths = sorted(Path(folder).glob(f"{name}.*"))
        if len(paths) != 1:
            raise DataError(
                f"{folder}: {len(paths)} files are called {name}; --data names a folder with the "
                f"tables {', '.join(TABLES)} (.csv, .tsv, .jsonl, .parquet)"
            )
        counts = read_tables(Sources((paths[0],)), TableOptions())
        if len(counts.names) > 1:
            raise DataError(f"{paths[0]}: the table holds {len(counts.names)} systems; keep one")
        tables.append(counts)
    return tables


def _gains(found: Convergence) -> Section:
    rows = [_row("seen", found.seen), _row("unseen", found.unseen)]
    interval = f"{100 * LEVEL:g} % interval"
    lines = [f"  {'set':<8}{'items':>6}{'before':>9}{'after':>9}{'gain':>9}  {interval:>16}", *rows]
    if found.interval is not None:
        low, high = found.interval
        lines.append(f"  {'ratio':<32}{found.ratio:>9.2f}  {f'{low:.2f} {high:.2f}':>16}")
    lines += [
        f"  Items drawn with replacement {RESAMPLES:,} times, before and after together, the two",
        "  sets apart.",
    ]
    return Section(f"Gains in {found.metric}", tuple(lines))


def _row(name: str, gain: Gain) -> str:
    ends = " ".join(map(signed, gain.interval))
    return (
        f"  {name:<8}{gain.items:>6}{gain.before:>9.3f}{gain.after:>9.3f}{signed(gain.gain):>9}"
        f"  {ends:>16}"
    )


def _statement(found: Convergence, generated: bool) -> Statement:
    covers = None
    if generated and found.interval is not None:
        covers = found.interval[0] <= TRUE_RATIO <= found.interval[1]
    remark = "Whether a system converges is read from the interval: above 0 the changes helped on "
    remark += "the unseen set too; below 1, less than on the seen one."
    if generated:
        remark = f"Generated systems, whose true ratio is {TRUE_RATIO:g}. {remark}"
    return Statement(
        "Chinchor, Hirschman and Lewis 1993",
        "section 7.4",
        "The improvement on an unseen test set relative to that on a seen one measures how well a "
        "system converges.",
        "a proposal, without figures",
        sentence(found),
        remark,
        covers,
        qualified="generated" if generated else None,
    )


def sentence(found: Convergence) -> str:
    """Return how much of the gain on the seen set carried over to the unseen one, in words."""
    if found.ratio is None:
        return f"nothing was gained on the seen set ({signed(found.seen.gain)})"
    if found.interval is None:
        return (
            f"the gain on the seen set, {signed(found.seen.gain)}, is not clearly above zero "
            f"({100 * found.no_gain:.0f} % of resamples show none): any ratio is possible"
        )
    low, high = found.interval
    return (
        f"of each point gained on the seen set, {found.ratio:.2f} carried over "
        f"({100 * LEVEL:g} % interval {low:.2f} to {high:.2f})"
    )
