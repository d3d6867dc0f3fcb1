"""Train the three systems, score them beside those of 1992, and say which can be told apart.

    python -m studies.muc3.extract [--data FOLDER] [--out FOLDER]

FOLDER holds the development messages and keys (`dev`) and those of the test (`tst3`).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import tellapart as ta
from studies.muc3.extract import keywords
from studies.muc3.extract.cases import CaseMemory
from studies.muc3.extract.corpus import TYPE, Example, Filled, Message, in_file, read_examples
from studies.muc3.extract.perceptrons import Perceptrons
from tellapart.report.document import system_table
from tellapart.report.table import terminal
from tellapart.report.text import filled

Extractor = Callable[[Message], list[Filled]]
PATTERNS, PARSERS = ("HUGHES", "MDC", "PARAMAX"), ("BBN", "LSI", "NYU", "PRC", "SRI")
"""Systems of 1992 whose groups matched patterns, or parsed, in 1991, by the paper's section 3.2"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print how the three systems do, and what can be told of them."""
    parser = argparse.ArgumentParser(prog="python -m studies.muc3.extract", description=__doc__)
    default = Path(os.environ.get("TELLAPART_DATA", "../shared/data")) / "muc4"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--out", type=Path, help="where the response files stay")
    args = parser.parse_args(argv)
    if not (args.data / "dev").is_dir():
        print(f"no development messages in {args.data}; name the folder by --data", file=sys.stderr)
        return 2
    with TemporaryDirectory() as folder:
        out = args.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        _study(args.data, out)
    return 0


def _study(data: Path, out: Path) -> None:
    begin = time.perf_counter()
    training = read_examples(sorted(data.glob("dev/key-*")), sorted(data.glob("dev/texts-*")))
    test = read_examples([data / "tst3" / "key.txt"], [data / "tst3" / "texts.txt"])
    ours = write_responses(systems(training), test, out)
    spent = time.perf_counter() - begin
    print(f"{len(training):,} messages trained on, {len(test)} extracted from, {spent:.0f} s\n")
    key, history = data / "tst3" / "key.txt", str(data / "tst3" / "history.txt")
    old = {path.stem: path for path in sorted((data / "tst3" / "responses").glob("*.txt"))}
    named = [f"{name}={path}" for name, path in {**old, **ours}.items()]
    counts = ta.read(named, gold=key, form="muc", history=history)
    result = ta.compare(counts, metrics=["f1"])
    print("\n".join(terminal(system_table(result.record, "f1"))))
    print("\n".join(filled(text) for text in (_landing(result, tuple(ours)), matchers(result))))


def systems(training: Sequence[Example]) -> dict[str, Extractor]:
    """Return the three systems, trained, and two that know nothing."""
    return {
        "rules": keywords.extract,
        "perceptrons": Perceptrons(training).extract,
        "cases": CaseMemory(training).extract,
        "all-attack": lambda _: [{TYPE: ["ATTACK"]}],
        "nothing": lambda _: [],
    }


def write_responses(
    extractors: Mapping[str, Extractor], test: Sequence[Example], out: Path
) -> dict[str, Path]:
    """Write what each system finds in the messages as a file; return the files by system."""
    paths = {}
    for name, extract in extractors.items():
        paths[name] = out / f"{name}.txt"
        found = {example.message.name: extract(example.message) for example in test}
        paths[name].write_text(in_file(found), encoding="utf-8")
    return paths


def _landing(result: ta.Result, ours: Sequence[str]) -> str:
    """Return how many systems each of ours is shown to be better and worse than."""
    said = []
    for name in ours:
        pairs = [pair for pair in result.pairs if name in (pair.a, pair.b) and pair.different]
        better = sum(pair.favours == name for pair in pairs)
        said.append(f"{name} is better than {better}, worse than {len(pairs) - better}")
    return f"Of the others, {'; '.join(said)} (shown, corrected for {len(result.pairs)} pairs)."


def matchers(result: ta.Result) -> str:
    """Return how systems that match patterns do against systems that parse, pair by pair."""
    known = {system.name for system in result.systems}
    named = [(a, b) for a, b in product(PATTERNS, PARSERS) if known >= {a, b}]
    favoured = [pair.favours for pair in (result.pair(a, b) for a, b in named) if pair.different]
    worse = sum(name in PARSERS for name in favoured)
    better = len(favoured) - worse
    return (
        f"Of {len(named)} pairs of a system that matched patterns ({', '.join(PATTERNS)}) and one "
        f"that parsed ({', '.join(PARSERS)}), the parser is better in {worse}, the matcher in "
        f"{better}, and {len(named) - len(favoured)} are not told apart."
    )


if __name__ == "__main__":
    sys.exit(main())
