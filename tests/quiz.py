"""A made-up quiz: three systems on 24 passages with three questions each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tellapart.counts import Counts, ItemTexts

SYSTEMS = ("alder", "birch", "cedar")
NEARLY, CANNOT_TELL = 10, 7
"""Seeds that give one outcome each; nearly is what one pair alone would show, and three do not"""
KINDS = ("lookup", "sum", "name")
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def quiz_scores(seed: int = NEARLY) -> dict[str, list[int]]:
    """Give right and wrong answers: birch is best, and passages are easy or hard for all."""
    rng = np.random.default_rng(seed)
    ease = np.repeat(rng.normal(0, 0.6, 24), 3)
    lead = {"alder": 0.0, "birch": 0.55, "cedar": 0.05}
    return {
        name: (ease + lead[name] + rng.normal(0, 1, 72) > 0).astype(int).tolist()
        for name in SYSTEMS
    }


def quiz_rows() -> list[tuple[str, str, str]]:
    """Give id, passage and kind of every question."""
    return [(f"p{p:02}-q{q + 1}", f"p{p:02}", KINDS[q]) for p in range(24) for q in range(3)]


def quiz_table(seed: int = NEARLY) -> str:
    """Write the quiz as a wide table."""
    scores = quiz_scores(seed)
    lines = ["item,passage,kind," + ",".join(SYSTEMS)]
    for k, row in enumerate(quiz_rows()):
        lines.append(",".join([*row, *(str(scores[name][k]) for name in SYSTEMS)]))
    return "\n".join(lines) + "\n"


def quiz_counts(seed: int = NEARLY) -> Counts:
    """Give the quiz as counts."""
    rows = quiz_rows()
    labels = {"passage": [row[1] for row in rows], "kind": [row[2] for row in rows]}
    items = [row[0] for row in rows]
    return Counts.from_arrays(quiz_scores(seed), items=items, labels=labels, kind="item")


def quiz_with_texts() -> Counts:
    """Give the quiz with what was asked and answered, which holds markup."""
    counts = quiz_counts()
    outputs = {
        name: tuple(
            f"{HOSTILE} answer {k}" if right else f"no idea about {item} & <b>more</b>"
            for k, (item, right) in enumerate(zip(counts.items, scores, strict=True))
        )
        for name, scores in quiz_scores().items()
    }
    inputs = tuple(f"What is said in {item}?" for item in counts.items)
    golds = tuple(f"{HOSTILE} answer {k}" for k in range(len(counts.items)))
    return replace(counts, texts=ItemTexts(inputs, golds, outputs))
