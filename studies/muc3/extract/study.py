"""Three systems of 1991, trained and scored beside the 17 of 1992: where they land, and why.

`--data DIR` holds the development messages and keys (`dev`) and those of the test (`tst3`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Final

import tellapart as ta
from studies.core import EXPECTED, Reproduction, Request, Section, Statement
from studies.muc3.extract import keywords
from studies.muc3.extract.cases import CaseMemory
from studies.muc3.extract.corpus import TYPE, Example, Filled, Message, in_file, read_examples
from studies.muc3.extract.perceptrons import Perceptrons
from studies.muc3.statements import PAPER
from tellapart.errors import DataError
from tellapart.report.document import system_table
from tellapart.report.table import terminal

HAS_PICTURES: Final = False
Extractor = Callable[[Message], list[Filled]]
OURS, TRIVIAL = ("rules", "perceptrons", "cases"), ("all-attack", "nothing")
PATTERNS, PARSERS = ("HUGHES", "MDC", "PARAMAX"), ("BBN", "LSI", "NYU", "PRC", "SRI")
"""Systems of 1992 whose groups matched patterns, or parsed, in 1991, by the paper's section 3.2"""


def reproduce(request: Request) -> Reproduction:
    """Return how the three systems do, and what can be told of them."""
    data = Path(request.data or "")
    if not (data / "dev").is_dir():
        raise DataError(f"{request.data or '--data'}: there are no development messages, dev/")
    begin = time.perf_counter()
    training = read_examples(sorted(data.glob("dev/key-*")), sorted(data.glob("dev/texts-*")))
    test = read_examples([data / "tst3" / "key.txt"], [data / "tst3" / "texts.txt"])
    with TemporaryDirectory() as temporary:
        out = Path(request.out or temporary)
        out.mkdir(parents=True, exist_ok=True)
        files = write_responses(systems(training), test, out)
        spent = time.perf_counter() - begin
        old = {path.stem: path for path in sorted((data / "tst3" / "responses").glob("*.txt"))}
        result = compared(data, {**old, **files})
    lines = [
        *dedent(terminal(system_table(result.record, "f1"))).splitlines(),
        "",
        f"{len(training):,} messages trained on, {len(test)} extracted from, {spent:.0f} s",
    ]
    return Reproduction(
        "extract",
        "Three extraction systems of 1991, beside the 17 of 1992",
        request.seed,
        (Section("F1 on TST3", tuple(lines)), _landing(result)),
        tuple(statements(result)),
        {
            "f1": {system.name: system.scores["f1"] for system in result.systems},
            "groups": result.record.groups["f1"],
            "seconds": spent,
        },
    )


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


def compared(data: Path, responses: Mapping[str, Path]) -> ta.Result:
    """Return the comparison of all systems by F1, with the human decisions of 1992."""
    named = [f"{name}={path}" for name, path in responses.items()]
    key, history = data / "tst3" / "key.txt", str(data / "tst3" / "history.txt")
    counts = ta.read(named, gold=key, form="muc", history=history)
    return ta.compare(counts, metrics=["f1"])


def _landing(result: ta.Result) -> Section:
    """Return how many systems each of ours is shown to be better and worse than."""
    lines = [f"  {'':<13}{'better than':>12}{'worse than':>12}{'not told apart':>16}"]
    for name in OURS:
        own = [pair for pair in result.pairs if name in (pair.a, pair.b)]
        apart = [pair for pair in own if pair.different]
        better = sum(pair.favours == name for pair in apart)
        cells = f"{better:>12}{len(apart) - better:>12}{len(own) - len(apart):>16}"
        lines.append(f"  {name:<13}{cells}")
    lines.append(f"  Of the other systems, corrected for all {len(result.pairs)} pairs.")
    return Section("Where the three land", tuple(lines))


def statements(result: ta.Result) -> Iterator[Statement]:
    """Yield what was expected of the three, and what the paper concludes of their kind."""
    scores = {system.name: system.scores["f1"] for system in result.systems}
    pairs = [result.pair(a, b) for a, b in product(OURS, TRIVIAL)]
    yield Statement(
        EXPECTED, "extract", "All three systems are above one that calls every message an attack "
        "and one that finds nothing, by F1.", "above",
        ", ".join(f"{scores[name]:.3f} {name}" for name in (*OURS, *TRIVIAL)),
        f"{sum(pair.different for pair in pairs)} of {len(pairs)} pairs told apart",
        all(pair.different and pair.difference > 0 for pair in pairs),
    )  # fmt: skip
    apart = [pair for a, b in product(PATTERNS, PARSERS) if (pair := result.pair(a, b)).different]
    parser = sum(pair.favours in PARSERS for pair in apart)
    matcher, open_pairs = len(apart) - parser, len(PATTERNS) * len(PARSERS) - len(apart)
    ours = (
        f"of {len(PATTERNS) * len(PARSERS)} pairs the parser is better in {parser}, the matcher in "
        f"{matcher}, {open_pairs} are not told apart"
    )
    remark = (
        f"Systems of 1992 whose groups matched patterns in 1991 ({', '.join(PATTERNS)}) and whose "
        f"groups parsed ({', '.join(PARSERS)}); by F1, corrected for all pairs."
    )
    yield Statement(
        PAPER, "section 8", "The results do not support one approach over another.",
        "no recommendation", ours, remark, parser == matcher == 0, qualified="other",
    )  # fmt: skip
    yield Statement(
        PAPER, "section 8", "Used alone, pattern matching was not powerful enough.",
        "successful only when combined with linguistic techniques", ours, remark,
        parser > matcher, qualified="other",
    )  # fmt: skip
