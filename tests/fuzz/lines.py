"""Targets for formats of lines: retrieval runs, tags, texts, relations and spans."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from .damage import KEYED
from .soundness import (
    NUMBER,
    NotSoundError,
    all_lines,
    any_text,
    json_rows,
    lines_of,
    no_repeats,
    parsed,
    shape,
    text_of,
)
from .target import File, Target


def line_targets() -> Iterator[Target]:
    """Yield the targets of trec, tags, texts and relations."""
    yield from _trec()
    yield from _tags()
    yield from _texts()
    yield from _relations()
    yield from _spans()


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
            r"\S+[ \t]+\S+[ \t]+\S+[ \t]+[-+]?\d{1,9}",
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
    fixed = replace(qrels, fixed=True)
    yield Target("trec-json", "trec", (fixed, *trees), arguments, arguments)

    scored: list[File] = []
    for name in runs:
        lines = [
            f"{measure}\t{q}\t{rng.random():.4f}\n" for q in queries for measure in ("map", "ndcg")
        ]
        check = all_lines(rf"\S+\s+\S+\s+{NUMBER}\s*", unique=lambda line: tuple(line.split()[:2]))
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
    check = all_lines(r"-DOCSTART- O", r"# .*", r"[^ \t\n]+ (?:O|[BI]-[^ \t\n]+)")
    files = tuple(
        File(f"{name}.conll", text.encode(), check, also=(name,) if name != "gold" else ())
        for name, text in tagged.items()
    )
    arguments = ("--gold", "gold.conll", "alder.conll", "birch.conll")
    yield Target("conll", "conll", files, arguments, arguments)


def _texts() -> Iterator[Target]:
    """Yield outputs and a reference, which any text may be; and what each line is, or was."""
    reference = [
        f"The {animal} sat on the {place} today ."
        for animal in ("cat", "dog", "gull")
        for place in ("mat", "roof")
    ]
    files = [File("ref.txt", _joined(reference), any_text)]
    for name, other in (("alder", "lay"), ("birch", "stood")):
        lines = [line.replace("sat", other) if k % 2 else line for k, line in enumerate(reference)]
        files.append(File(f"{name}.txt", _joined(lines), any_text, also=(name,)))
    documents = File("docs.txt", _joined([f"d{k // 2}" for k in range(len(reference))]), any_text)
    arguments = ("--gold", "ref.txt", "alder.txt", "birch.txt")
    yield Target("text", "text", tuple(files), arguments, arguments)
    fixed = tuple(replace(file, fixed=True) for file in files)
    yield Target("text-docids", "text", (*fixed, documents), (*arguments, "--docids", "docs.txt"))
    source = File("source.txt", _joined([f"Satz {k}" for k in range(len(reference))]), any_text)
    yield Target("text-source", "text", (*fixed, source), (*arguments, "--source", "source.txt"))


def _joined(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _relations() -> Iterator[Target]:
    """Yield relations as tab-separated lines, as objects, and as trees."""
    sets = {
        f"s{k}": [["subj", "sees", "cat"], ["obj", "sees", f"dog{k}"], ["det", "cat", "the"]]
        for k in range(5)
    }
    # Which of a segment's three relations a file has.
    kept = {"gold": (0, 1, 2), "alder": (0, 1), "birch": (0, 2)}
    lines, rows, trees = [], [], []
    for name, numbers in kept.items():
        own = {
            item: [found[n] for n in numbers] if k % 2 else found
            for k, (item, found) in enumerate(sets.items())
        }
        also = () if name == "gold" else (name,)
        text = "".join(
            "\t".join([item, *each]) + "\n" for item, found in own.items() for each in found
        )
        check = all_lines(r"[^\t\s]+(?:\t[^\t]*[^\t\s][^\t]*)*")
        lines.append(File(f"{name}.tsv", text.encode(), check, also=also))
        text = "".join(
            json.dumps({"unit": item, "relations": found}) + "\n" for item, found in own.items()
        )
        check = json_rows(lambda row: row["unit"], plain=_spelled_out)
        rows.append(File(f"{name}.jsonl", text.encode(), check, KEYED, also=also))
        text = "".join(
            _tree(item, k, 2 if 1 in numbers or k % 2 else 1) for k, item in enumerate(sets)
        )
        trees.append(File(f"{name}.conllu", text.encode(), _sound_trees, also=also))
    for target, found in (
        ("relations-tsv", lines),
        ("relations-jsonl", rows),
        ("relations-conllu", trees),
    ):
        names = [file.name for file in found]
        arguments = ("--gold", *names)
        yield Target(target, "relations", tuple(found), arguments, arguments)


def _spelled_out(row: Any) -> Any:
    """Return a row of relations whose numbers are texts, as they are in other formats."""
    relations = row.get("relations") if isinstance(row, dict) else None
    if not isinstance(relations, list) or not all(isinstance(each, list) for each in relations):
        return row
    texts = [
        [str(part) if type(part) in (int, float) else part for part in each] for each in relations
    ]
    return {**row, "relations": texts}


def _tree(item: str, k: int, head: int) -> str:
    words = [("cats", 2, "nsubj"), ("see", 0, "root"), (f"dog{k}", head, "obj")]
    rows = [
        f"{n}\t{word}\t{word}\tX\t_\t_\t{at}\t{kind}\t_\t_"
        for n, (word, at, kind) in enumerate(words, 1)
    ]
    return "\n".join([f"# sent_id = {item}", *rows, "", ""])


_WORD_LINE = re.compile(
    r"(\d+)\t[^\t]+\t[^\t]+\t[^\t]+\t[^\t]+\t[^\t]+\t(\d+)\t[^\t]+\t[^\t]+\t[^\t]+", re.ASCII
)


def _sound_trees(data: bytes, _: bytes) -> bool:
    """Return whether sentences have an id of their own, and words count from 1 and have heads."""
    text = text_of(data)
    if text is None:
        return False
    ids = []
    # A blank line may have blanks: it ends a sentence, and says nothing of its own.
    for part in re.split(r"\n\n+", re.sub(r"(?m)^[ \t]+$", "", text).strip("\n")):
        lines = part.split("\n")
        named = [line for line in lines if re.fullmatch(r"# sent_id = \S+", line)]
        words = [_WORD_LINE.fullmatch(line) for line in lines if not line.startswith("# ")]
        if len(named) != 1 or lines[0] != named[0] or not words:
            return False
        for k, word in enumerate(words, 1):
            if word is None or word[1] != str(k) or not 0 <= int(word[2]) <= len(words):
                return False
        ids += named
    return no_repeats(ids)


def _spans() -> Iterator[Target]:
    """Yield labelled spans of texts."""
    files = []
    for name, drop in (("gold", 9), ("alder", 1), ("birch", 2)):
        rows = []
        for k, (who, where) in enumerate(
            (("Ida", "Oslo"), ("Bo", "Faro"), ("Uma", "Bern"), ("Eva", "Rome"))
        ):
            text = f"{who} left {where} ."
            spans = [
                {"start": 0, "end": len(who), "label": "PER"},
                {"start": text.index(where), "end": text.index(where) + 4, "label": "LOC"},
            ]
            rows.append(
                {
                    "text": text,
                    "spans": spans[: 1 if k % 3 == drop else 2],
                    "meta": {"id": f"t{k}", "doc": f"d{k // 2}"},
                    "answer": "accept",
                }
            )
        text = "".join(json.dumps(row) + "\n" for row in rows)
        also = () if name == "gold" else (name,)
        files.append(File(f"{name}.jsonl", text.encode(), _sound_spans, KEYED, also=also))
    arguments = ("--gold", "gold.jsonl", "alder.jsonl", "birch.jsonl")
    yield Target("spans", "spans", tuple(files), arguments, arguments)


def _sound_spans(data: bytes, original: bytes) -> bool:
    """Return whether lines have the keys of the original, and spans lie in their texts."""
    if not _span_rows(data, original):
        return False
    for line in filter(str.strip, lines_of(data) or ()):
        row = parsed(line)
        if row["answer"] not in ("accept", "reject", "ignore"):
            return False
        for span in row["spans"]:
            bounds = span["start"], span["end"]
            if not all(isinstance(each, int) for each in bounds):
                return False
            if not 0 <= bounds[0] < bounds[1] <= len(row["text"]):
                return False
    return True


def _without_own_keys(row: Any) -> Any:
    """Return a row whose spans have only the keys of the format; tools add keys of their own."""
    spans = row.get("spans") if isinstance(row, dict) else None
    if not isinstance(spans, list) or not all(isinstance(each, dict) for each in spans):
        return row
    known = ("start", "end", "label")
    return {**row, "spans": [{key: s[key] for key in known if key in s} for s in spans]}


_span_rows = json_rows(lambda row: row["meta"]["id"], plain=_without_own_keys)
