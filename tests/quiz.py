"""A small quiz with texts: three systems, passages of three questions, hostile words in answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tellapart.counts import Counts, Items

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def quiz(passages: int = 24, systems: tuple[str, ...] = ("alder", "birch", "cedar")) -> Counts:
    """Make right and wrong answers by a seed; the first question's answers hold markup."""
    rng = np.random.default_rng(7)
    units = [f"p{p:02}-q{q}" for p in range(passages) for q in range(3)]
    arrays = {
        name: (rng.random(len(units)) < 0.5 + 0.12 * k).astype(int)
        for k, name in enumerate(systems)
    }
    labels = {
        "passage": [unit[:3] for unit in units],
        "kind": [("lookup", "sum", "name")[int(unit[-1])] for unit in units],
    }
    counts = Counts.from_arrays(arrays, units=units, labels=labels, kind="item")
    outputs = {
        name: tuple(
            f"{HOSTILE} answer {i}" if right else f"no idea about {unit} & <b>more</b>"
            for i, (unit, right) in enumerate(zip(units, values, strict=True))
        )
        for name, values in arrays.items()
    }
    inputs = tuple(f"What is said in {unit}?" for unit in units)
    golds = tuple(f"{HOSTILE} answer {i}" for i in range(len(units)))
    return replace(counts, items=Items(inputs, golds, outputs))
