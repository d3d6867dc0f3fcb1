"""Targets for formats of plain lines: retrieval runs, tags."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from .damage import KEYED
from .soundness import NUMBER, NotSoundError, all_lines, parsed, shape, text_of
from .target import File, Target


def line_targets() -> Iterator[Target]:
    """Yield the targets of trec, tags, texts and relations."""
    yield from _trec()
    yield from _tags()


def _trec() -> Iterator[Target]:
    """Yield runs with judgements, as text and as JSON, and scores of single queries."""
    rng = Random(7)
    queries, docs = [f"q{k}" for k in range(1, 6)], [f"d{k:02}" for k in range(8)]
    judged = "".join(f"{q} 0 {d} {rng.choice((0, 1, 2))}\n" for q in queries for d in docs)
    runs = {
        name: {
            q: dict(
                sorted(
                    ((d, round(rng.uniform(1, 9), 3)) for d in rng.sample(docs, 6)),
                    key=lambda each: -each[1],
                )
            )
            for q in queries
        }
        for name in ("alder", "birch")
    }
    qrels = File(
        "qrels.txt",
        judged.encode(),
        all_lines(
            r"\S+[ \t]+\S+[ \t]+\S+[ \t]+-?\d{1,9}",
            "",
            unique=lambda line: tuple(line.split()[0:3:2]),
        ),
    )
    files = [qrels]
    for name, run in runs.items():
        text = "".join(
            f"{q} Q0 {d} {rank} {score} {name}\n"
            for q, own in run.items()
            for rank, (d, score) in enumerate(own.items(), 1)
        )
        check = all_lines(
            rf"\S+[ \t]+\S+[ \t]+\S+[ \t]+\d+[ \t]+{NUMBER}[ \t]+\S+",
            "",
            unique=lambda line: tuple(line.split()[0:3:2]),
        )
        files.append(File(f"{name}.run", text.encode(), check, also=(name,)))
    arguments = ("--gold", "qrels.txt", "alder.run", "birch.run")
    yield Target("trec", "trec", tuple(files), arguments, arguments)

    trees = [
        File(f"{name}.json", json.dumps(run, indent=1).encode(), _sound_run, KEYED, also=(name,))
        for name, run in runs.items()
    ]
    arguments = ("--gold", "qrels.txt", "alder.json", "birch.json")
    fixed = File(qrels.name, qrels.data, fixed=True)
    yield Target("trec-json", "trec", (fixed, *trees), arguments, arguments)

    scored: list[File] = []
    for name in runs:
        lines = [
            f"{measure}\t{q}\t{rng.random():.4f}\n" for q in queries for measure in ("map", "ndcg")
        ]
        check = all_lines(
            rf"\S+\s*\t\S+\t{NUMBER}", "", unique=lambda line: tuple(line.split()[:2])
        )
        scored.append(File(f"{name}.txt", "".join(lines).encode(), check, also=(name,)))
    names = ("alder.txt", "birch.txt")
    yield Target("trec-scores", "trec", tuple(scored), names, names)


def _sound_run(data: bytes, _: bytes) -> bool:
    try:
        run = parsed(text_of(data) or "")
    except NotSoundError:
        return False
    return isinstance(run, dict) and all(
        isinstance(own, dict) and {shape(score) for score in own.values()} <= {"number"}
        for own in run.values()
    )


def _tags() -> Iterator[Target]:
    """Yield tags of tokens, in documents and sentences."""
    rng = Random(9)
    tagged = {"gold": "", "alder": "", "birch": ""}
    for k in range(8):
        words = [
            rng.choice(("Ida", "Bo", "Uma")),
            "Holm",
            "left",
            rng.choice(("Oslo", "Faro")),
            ".",
        ]
        gold = ["B-PER", "I-PER", "O", "B-LOC", "O"]
        for name in tagged:
            tags = list(gold)
            if name != "gold" and rng.random() < 0.5:
                tags[3] = rng.choice(("O", "B-PER"))
            start = "-DOCSTART- O\n\n" if k % 4 == 0 else ""
            lines = "".join(f"{word} {tag}\n" for word, tag in zip(words, tags, strict=True))
            tagged[name] += f"{start}{lines}\n"
    check = all_lines(r"-DOCSTART- O", r"[^ \t\n]+ (?:O|[BI]-[^ \t\n]+)", "")
    files = tuple(
        File(f"{name}.conll", text.encode(), check, also=(name,) if name != "gold" else ())
        for name, text in tagged.items()
    )
    arguments = ("--gold", "gold.conll", "alder.conll", "birch.conll")
    yield Target("conll", "conll", files, arguments, arguments)
