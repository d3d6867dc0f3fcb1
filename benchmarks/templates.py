"""Templates as JSON: 10,000 documents of up to 20 templates, from files to counts, on one core.

CPU time, so that other work on the machine counts for little. The peer is the way of the public
scorer, which tries every mapping: on documents small enough for it, with the same best F1.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import goal, heading, line
from tellapart.counts import Counts
from tellapart.formats.contract import Sources
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.mapping import Point, best_mapping, document_f1
from tellapart.formats.templates.requests import read_counts

DOCUMENTS = 10_000
TEMPLATES = 20  # in a document, at most
TYPES = ("attack", "bombing", "kidnapping", "robbery", "arson")
ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")
NAMES = [
    f"{name} {number}"
    for name in ("The Guerrilla", "A U.S. mayor's", "car-bomb", "some military", "church")
    for number in range(30)
]


def gold_template(rng: random.Random) -> dict[str, Any]:
    """Make up a template of up to two entities per role, each with up to three mentions."""
    roles = {
        role: [rng.sample(NAMES, rng.choice((1, 1, 2, 3))) for _ in range(rng.randint(0, 2))]
        for role in ROLES
    }
    return {"incident_type": rng.choice(TYPES), **roles}


def predicted_template(rng: random.Random, gold: dict[str, Any]) -> dict[str, Any]:
    """Make one of gold: most of the types and entities are right, some are others or none."""
    roles = {
        role: [
            [rng.choice(entity if rng.random() < 0.7 else NAMES)]
            for entity in gold[role]
            if rng.random() < 0.8
        ]
        for role in ROLES
    }
    kept = gold["incident_type"] if rng.random() < 0.8 else rng.choice(TYPES)
    return {"incident_type": kept, **roles}


def make(folder: Path, documents: int) -> tuple[str, str]:
    """Write gold, and predictions that lack a fifth of its templates and have some of their own."""
    rng = random.Random(1)
    gold, predicted = [], []
    for d in range(documents):
        wanted = [gold_template(rng) for _ in range(rng.randint(0, TEMPLATES))]
        given = [predicted_template(rng, each) for each in wanted if rng.random() < 0.8]
        if len(given) < TEMPLATES:
            given.append(predicted_template(rng, gold_template(rng)))
        rng.shuffle(given)
        gold.append(json.dumps({"docid": f"d{d}", "templates": wanted}))
        predicted.append(json.dumps({f"d{d}": given}))
    paths = folder / "gold.jsonl", folder / "predicted.jsonl"
    for path, lines in zip(paths, (gold, predicted), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(paths[0]), str(paths[1])


def scored(paths: tuple[str, str], metric: str) -> Counts:
    """Read and score."""
    gold, predicted = paths
    return read_counts(Sources((predicted,), (gold,), (metric,)), TemplateOptions())


def cpu(work: Callable[[], object]) -> float:
    """Return the time that this process spent at work, in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def enumerated(edges: Sequence[dict[int, Point]], golds: int, whole: int) -> float:
    """Return the best F1 as the public scorer finds it: by every mapping of one to one."""
    best = 0.0
    for mapping in product((*range(golds), None), repeat=len(edges)):
        used = [gold for gold in mapping if gold is not None]
        if len(used) == len(set(used)):
            pairs = [
                row[gold]
                for row, gold in zip(edges, mapping, strict=True)
                if gold is not None and gold in row
            ]
            sums = sum(a for a, _ in pairs), sum(b for _, b in pairs)
            best = max(best, document_f1(sums, (whole, whole)))
    return best


def searched(edges: Sequence[dict[int, Point]], golds: int, whole: int) -> float:
    """Return the best F1 by the dynamic programme."""
    mapping = best_mapping(edges, golds, (whole, whole))
    pairs = [row[g] for row, g in zip(edges, mapping, strict=True) if g is not None and g in row]
    return document_f1((sum(a for a, _ in pairs), sum(b for _, b in pairs)), (whole, whole))


def against_enumeration(templates: int, documents: int) -> None:
    """Time both ways to the best mapping, and check that they agree."""
    rng = random.Random(templates)
    cases = [
        [
            {
                gold: (rng.randint(1, 5), rng.randint(1, 5))
                for gold in range(templates)
                if rng.random() < 0.5
            }
            for _ in range(templates)
        ]
        for _ in range(documents)
    ]
    whole = 6 * templates
    found: dict[str, list[float]] = {}

    def work(name: str, best: Callable[[Sequence[dict[int, Point]], int, int], float]) -> None:
        found[name] = [best(edges, templates, whole) for edges in cases]

    ours = cpu(lambda: work("ours", searched))
    line(f"{documents} documents of {templates} templates: best mapping", ours)
    theirs = cpu(lambda: work("all", enumerated))
    line("every mapping tried, as the public scorer does", theirs, ours)
    assert found["ours"] == found["all"]


def run() -> None:
    heading(f"templates: {DOCUMENTS:,} documents of up to {TEMPLATES} templates, CPU time")
    with TemporaryDirectory() as folder:
        paths = make(Path(folder), DOCUMENTS)
        for metric in ("ceaf-tf", "muc"):
            seconds = cpu(partial(scored, paths, metric))
            line(f"{metric}, from files to counts", seconds)
            goal(metric, seconds, 30, " s")
    heading("templates: the best mapping of a document, CPU time")
    for templates, documents in ((4, 100), (5, 30), (6, 10)):
        against_enumeration(templates, documents)
