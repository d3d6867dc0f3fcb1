"""Retrieval: two runs of a million lines, read and scored; pytrec_eval beside."""

from __future__ import annotations

import importlib.util
import random
import tempfile
from pathlib import Path

from benchmarks.measure import cpu_seconds, goal, heading, line

QUERIES, DOCUMENTS, JUDGED = 1_000, 1_000, 50

_OURS = """
import tellapart as ta
runs = [{place!r} + "/A.run", {place!r} + "/B.run"]
counts = ta.read(runs, {place!r} + "/qrels", form="trec", metrics=["ndcg@10", "ap", "p@10", "rr"])
"""
_PEER = """
import pytrec_eval
with open({place!r} + "/qrels") as file:
    judged = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(judged, {{"ndcg_cut_10", "map", "P_10", "recip_rank"}})
for name in ("A", "B"):
    with open({place!r} + f"/{{name}}.run") as file:
        evaluator.evaluate(pytrec_eval.parse_run(file))
"""


def make(place: Path) -> None:
    """Write judgements and two runs of a million lines."""
    rng = random.Random(0)
    everything = range(100 * DOCUMENTS)
    with open(place / "qrels", "w") as file:
        for query in range(QUERIES):
            for document in rng.sample(everything, JUDGED):
                file.write(f"q{query} 0 doc{document:06d} {rng.choice([0, 0, 1, 2])}\n")
    for name in ("A", "B"):
        with open(place / f"{name}.run", "w") as file:
            for query in range(QUERIES):
                scores = sorted((20 * rng.random() for _ in range(DOCUMENTS)), reverse=True)
                chosen = rng.sample(everything, DOCUMENTS)
                for rank, (document, score) in enumerate(zip(chosen, scores, strict=True), 1):
                    file.write(f"q{query} Q0 doc{document:06d} {rank} {score:.6f} {name}\n")


def run() -> None:
    heading(f"retrieval, two runs of {QUERIES * DOCUMENTS:,} lines, read and scored: CPU time")
    with tempfile.TemporaryDirectory() as place:
        make(Path(place))
        mine = cpu_seconds(_OURS.format(place=place))
        line("tellapart", mine)
        if importlib.util.find_spec("pytrec_eval") is None:
            print("  pytrec_eval is not installed: nothing to compare with")
            return
        theirs = cpu_seconds(_PEER.format(place=place))
        line("pytrec_eval", theirs, mine)
        goal("share of pytrec_eval's time", mine / theirs, 1.5)
