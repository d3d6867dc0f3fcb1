"""A small quiz with texts: three systems, passages of three questions, hostile words in answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tellapart.counts import Counts, ItemTexts

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def quiz(passages: int = 24, systems: tuple[str, ...] = ("alder", "birch", "cedar")) -> Counts:
    """Make right and wrong answers by a seed; the first question's answers hold markup."""
    rng = np.random.default_rng(7)
    items = [f"p{p:02}-q{q}" for p in range(passages) for q in range(3)]
    arrays = {
        name: (rng.random(len(items)) < 0.5 + 0.12 * k).astype(int)
        for k, name in enumerate(systems)
    }
    labels = {
        "passage": [item[:3] for item in items],
        "kind": [("lookup", "sum", "name")[int(item[-1])] for item in items],
    }
    counts = Counts.from_arrays(arrays, items=items, labels=labels, kind="item")
    outputs = {
        name: tuple(
            f"{HOSTILE} answer {i}" if right else f"no idea about {item} & <b>more</b>"
            for i, (item, right) in enumerate(zip(items, values, strict=True))
        )
        for name, values in arrays.items()
    }
    inputs = tuple(f"What is said in {item}?" for item in items)
    golds = tuple(f"{HOSTILE} answer {i}" for i in range(len(items)))
    return replace(counts, texts=ItemTexts(inputs, golds, outputs))
