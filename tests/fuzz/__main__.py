"""`python -m fuzz`: many cases of all targets, or of one; or one case, to look at it."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the makers of files that all tests share

from .option_values import all_calls, failed_calls
from .rule import (
    FAILURES,
    FINE,
    Bench,
    Case,
    Verdict,
    failures,
    kind_of_failure,
    make_case,
    scratch,
    shown_damage,
)
from .targets import targets

OPTIONS = "options"
CASES = 50_000
CHUNK = 50
SHOWN = 20


def main() -> int:
    """Run what the command line asks for; status 1 where the rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument(
        "target",
        nargs="?",
        help=f"{OPTIONS}, or one of {', '.join(targets())}; default: all targets",
    )
    parser.add_argument("seed", nargs="?", type=int, help="show this case alone")
    parser.add_argument("--cases", type=int, default=CASES, help="how many in all")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    args = parser.parse_args()
    if args.target == OPTIONS:
        return try_options()
    if args.target is not None and args.target not in targets():
        parser.error(f"there is no target {args.target!r}")
    if args.seed is not None:
        return show(make_case(targets()[args.target], args.seed))
    chosen = [args.target] if args.target else list(targets())
    return run(chosen, max(1, args.cases // len(chosen)), args.first, args.workers)


def show(case: Case) -> int:
    """Print a case and all that the program says of it."""
    print(shown_damage(case))
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        bench = Bench(case.target, Path(folder))
        verdict = bench.judge(case)
        checked = () if case.target.validated is None else ("validate",)
        for verb in (*case.target.verbs, *checked):
            said, before = bench.said(case, verb), bench.sound(verb, case.named)
            as_before = "as before" if said.facts == before.facts else "not as before"
            print(f"{verb}: status {said.status}, the record is {as_before}")
            new = [text for text in said.messages if text not in before.messages]
            print("".join(f"  {text}\n" for text in new), end="")
    print(f"{verdict.kind}: {verdict.reason}")
    return 0 if verdict.fine else 1


def try_options() -> int:
    """Try all odd values of all numeric options, and print what went wrong."""
    calls = list(all_calls())
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        wrong = 0
        for failure in failed_calls(calls, Path(folder)):
            print(failure, end="\n\n", flush=True)
            wrong += 1
    print(f"{len(calls):,} option values, {wrong} failed")
    return 1 if wrong else 0


Found = tuple[str, Counter[str], float, list[tuple[int, Verdict]]]
"""Target, how many cases of each kind, seconds, and the failures"""


def try_chunk(work: tuple[str, int, int]) -> Found:
    """Run some cases of a target."""
    name, first, last = work
    started = time.perf_counter()
    kinds, failed = Counter[str](), list[tuple[int, Verdict]]()
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        bench = Bench(targets()[name], Path(folder))
        for seed in range(first, last):
            verdict = bench.judge(make_case(targets()[name], seed))
            kinds[verdict.kind] += 1
            if not verdict.fine:
                failed.append((seed, verdict))
    return name, kinds, time.perf_counter() - started, failed


def run(chosen: Sequence[str], cases: int, first: int, workers: int) -> int:
    """Run the cases of targets on all cores, and print a table."""
    chunks = [(name, at, min(at + CHUNK, first + cases))
              for at in range(first, first + cases, CHUNK) for name in chosen]  # fmt: skip
    totals: dict[str, Counter[str]] = {name: Counter() for name in chosen}
    seconds = dict.fromkeys(chosen, 0.0)
    failed: dict[str, list[tuple[int, Verdict]]] = {name: [] for name in chosen}
    done = 0
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for name, kinds, took, wrong in pool.imap_unordered(try_chunk, chunks):
            totals[name] += kinds
            seconds[name] += took
            failed[name] += wrong
            done += sum(kinds.values())
            bad = sum(map(len, failed.values()))
            show_progress(f"{done:,} of {cases * len(chosen):,} cases, {bad} failed")
    show_progress("")
    for name, wrong in failed.items():
        kinds_of: dict[str, list[tuple[int, Verdict]]] = {}
        for seed, verdict in sorted(wrong, key=lambda each: each[0]):
            kinds_of.setdefault(kind_of_failure(verdict), []).append((seed, verdict))
        for alike in kinds_of.values():
            seed, verdict = alike[0]
            print(failures([(make_case(targets()[name], seed), verdict)]))
            if len(alike) > 1:
                print(
                    f"  {len(alike) - 1} more: {' '.join(str(seed) for seed, _ in alike[1:SHOWN])}"
                )
            print()
    print("\n".join(result_table(totals, seconds)))
    return 1 if any(failed.values()) else 0


def show_progress(text: str) -> None:
    """Show how far it is, in one line of a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="" if text else "\n", file=sys.stderr, flush=True)


def result_table(totals: dict[str, Counter[str]], seconds: dict[str, float]) -> Iterator[str]:
    """Yield the lines of the table: how many cases of each kind, and how fast."""
    width = max(map(len, totals))
    kinds = (*FINE, *FAILURES)
    yield "  ".join([f"{'target':<{width}}", "  cases", "accepted",
                     *(f"{kind:>9}" for kind in kinds), "per second"])  # fmt: skip
    rows = {**totals, "all": sum(totals.values(), Counter[str]())}
    seconds = {**seconds, "all": sum(seconds.values())}
    for name, found in rows.items():
        cases = sum(found.values())
        accepted = sum(found[kind] for kind in ("unchanged", "sound", "named", "several", "silent"))
        yield "  ".join([
            f"{name:<{width}}", f"{cases:>7,}", f"{accepted:>8,}",
            *(f"{found[kind]:>9,}" for kind in kinds),
            f"{cases / seconds[name] if seconds[name] else 0:>10.0f}",
        ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
