"""Event nuggets: 500 documents with 50,000 gold and 60,000 system mentions, on one core."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import best, goal, heading, line
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.nugget_report import report_text
from tellapart.formats.annotation.nuggets import evaluate
from tellapart.formats.annotation.tbf import Mention, parse, read_tbf

TYPES = [f"Type_{i}" for i in range(30)]
REALIS = ("Actual", "Generic", "Other")
WORD = 6  # characters from the beginning of one token to that of the next
PUBLIC = {"character mode": 15.0, "token mode": 12.0}  # seconds of the public scorer, as published


def spans(rng: np.random.Generator, count: int, words: int) -> list[list[int]]:
    """Draw mentions of one to four words, some of them with a gap."""
    starts = rng.integers(0, words, count)
    lengths = rng.choice([1, 1, 1, 2, 3, 4], count)
    gaps = rng.random(count) < 0.15
    return [
        [int(s + i + (2 if gap and i else 0)) for i in range(n)]
        for s, n, gap in zip(starts, lengths, gaps, strict=True)
    ]


def document(
    rng: np.random.Generator, name: str, mentions: list[list[int]], tokens: bool
) -> list[str]:
    """Write one document, with a third of its mentions in clusters."""
    lines = [f"#BeginOfDocument {name}"]
    kinds, realis = rng.integers(0, 30, len(mentions)), rng.integers(0, 3, len(mentions))
    for i, words in enumerate(mentions):
        span = (
            ",".join(f"t{w}" for w in words)
            if tokens
            else ";".join(f"{WORD * a},{WORD * b + WORD - 1}" for a, b in _runs(words))
        )
        label = f"{TYPES[kinds[i] % (3 + words[0] % 7)]}\t{REALIS[realis[i] % (1 + words[0] % 3)]}"
        lines.append(f"sys\t{name}\tE{i}\t{span}\tsome words\t{label}")
    order = rng.permutation(len(mentions))[: len(mentions) // 3].tolist()
    while len(order) > 1:
        size = int(rng.integers(2, 6))
        lines.append(f"@Coreference\tR{len(order)}\t{','.join(f'E{i}' for i in order[:size])}")
        order = order[size:]
    return [*lines, "#EndOfDocument"]


def _runs(words: list[int]) -> list[tuple[int, int]]:
    """Give the first and the last word of each stretch without a gap."""
    breaks = [i for i in range(1, len(words)) if words[i] != words[i - 1] + 1]
    bounds = zip([0, *breaks], [*breaks, len(words)], strict=True)
    return [(words[i], words[j - 1]) for i, j in bounds]


def make(folder: Path, documents: int, per_document: int, tokens: bool) -> tuple[Path, Path]:
    """Write a gold file, and a system file with a fifth more mentions, most of them near gold."""
    rng = np.random.default_rng(1)
    gold, system = [], []
    words = 8 * per_document
    for d in range(documents):
        right = spans(rng, per_document, words)
        kept = [[w + int(rng.random() < 0.1) for w in span] for span in right]
        own = [span for span in kept if rng.random() < 0.8]
        own += spans(rng, per_document * 6 // 5 - len(own), words)
        gold += document(rng, f"doc{d:03}", right, tokens)
        system += document(rng, f"doc{d:03}", own, tokens)
    paths = folder / "gold.tbf", folder / "system.tbf"
    for path, lines in zip(paths, (gold, system), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def scored(paths: tuple[Path, Path], options: NuggetOptions) -> str:
    """Do what the command does, from the files to the text of the report."""
    return report_text(evaluate(read_tbf(paths[0]), read_tbf(paths[1]), options))


def all_pairs(paths: tuple[Path, Path]) -> float:
    """Map mentions as a plain program does: the Dice value of every pair, the best pairs first."""
    credit = 0.0
    gold, system = (read_tbf(path) for path in paths)
    for name in gold.blocks:
        right, given = (
            [_covered(m) for m in parse(file, name, False).spans] for file in (gold, system)
        )
        pairs = [
            (2 * len(g & s) / (len(g) + len(s)), i, k)
            for i, g in enumerate(right)
            for k, s in enumerate(given)
        ]
        taken: set[tuple[str, int]] = set()
        for dice, i, k in sorted(pairs, reverse=True):
            if dice and ("gold", i) not in taken and ("system", k) not in taken:
                taken |= {("gold", i), ("system", k)}
                credit += dice
    return credit


def _covered(mention: Mention) -> frozenset[int]:
    return frozenset(place for start, end in mention.pieces for place in range(start, end))


def run() -> None:
    for mode, published in PUBLIC.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            paths = make(folder, 500, 100, mode == "token mode")
            options = NuggetOptions(tokens=name if mode == "token mode" else None)
            heading(f"event nuggets, {mode}: 500 documents, 50,000 gold and 60,000 system mentions")
            mine = best(partial(scored, paths, options), 3)
            line("tellapart score, from files to report", mine)
            line("public scorer on such a case, as published", published, mine)
            if mode == "character mode":
                plain = best(partial(all_pairs, paths), 1)
                line("the mapping alone, every pair compared in plain Python", plain, mine)
            goal("nuggets", mine, 2, " s")
            both = best(partial(scored, paths, replace(options, coref=True)), 2)
            line("tellapart score with coreference", both)
            line("public scorer with coreference, as published", 450, both)
            goal("nuggets and coreference", both, 20, " s")
    heading("event nuggets, character mode: one document of n gold mentions")
    for size in (1_000, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as name:
            paths = make(Path(name), 1, size, tokens=False)
            line(f"{size:,} mentions", best(partial(scored, paths, NuggetOptions()), 1))
