"""`python -m fuzz`: many cases of all samples, or of one format; or one case, to look at it."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the samples that all tests share

from .cases import Bench, Result, samples, scratch

CHUNK = 50
Work = tuple[str, int, int]


def main() -> int:
    """Run what the command line asks for; status 1 where a case failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("form", nargs="?", help="a format; default: all")
    parser.add_argument("seed", nargs="?", type=int, help="show this case alone")
    parser.add_argument("--cases", type=int, default=20_000, help="how many in all")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    args = parser.parse_args()
    chosen = [name for name, sample in samples().items() if args.form in (None, sample.form)]
    if not chosen:
        parser.error(f"there is no sample of {args.form!r}")
    if args.seed is not None:
        results = [try_chunk((name, args.seed, args.seed + 1))[1][0] for name in chosen]
        print("\n".join(f"{result.kind}: {result.way}: {result.said}" for result in results))
        return int(any(result.failed for result in results))
    return run(chosen, max(1, args.cases // len(chosen)), args.workers)


def try_chunk(work: Work) -> tuple[Work, list[Result]]:
    """Run some cases of a sample."""
    name, first, last = work
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        bench = Bench(name, Path(folder))
        return work, [bench.case(seed) for seed in range(first, last)]


def run(chosen: list[str], cases: int, workers: int) -> int:
    """Run the cases of samples on all cores; print failures, and what became of all."""
    chunks = [
        (name, at, min(at + CHUNK, cases)) for at in range(0, cases, CHUNK) for name in chosen
    ]
    kinds = {name: Counter[str]() for name in chosen}
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for (name, first, _), results in pool.imap_unordered(try_chunk, chunks):
            kinds[name].update(result.kind for result in results)
            for seed, result in enumerate(results, first):
                if result.failed:
                    print(f"{result.kind}: {name} {seed}: {result.way}\n{result.said}\n")
    for name, counter in kinds.items():
        print(f"{name:<24}", ", ".join(f"{n} {kind}" for kind, n in sorted(counter.items())))
    return int(any(counter[kind] for counter in kinds.values() for kind in
                   ("traceback", "hang", "silent")))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
