"""Retrieval: runs and judgements, with figures by hand and by oracle."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from table_files import Write
from tellapart.counts import Counts

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\n"
RUN = "q1 Q0 b 1 3.0 x\nq1 Q0 a 2 2.0 x\nq1 Q0 z 3 1.5 x\nq1 Q0 c 4 1.0 x\nq2 Q0 a 1 1 x\n"


def read_retrieval(
    systems: Sequence[str | Path], gold: Sequence[str | Path] = (), **options: Any
) -> Counts:
    return ta.read(systems, gold, form="trec", **options)


def value(counts: Counts, query: str, metric: str, system: int = 0) -> float:
    item, column = counts.items.index(query), counts.columns.index(metric)
    return float(counts.values[system, item, column] / counts.scales[column])


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        ("ap", (1 / 2 + 2 / 4) / 2),
        ("ap@3", (1 / 2) / 2),
        ("p@3", 1 / 3),
        ("p@10", 2 / 10),
        ("recall@3", 1 / 2),
        ("rr", 1 / 2),
        ("mrr@1", 0),
        ("rprec", 1 / 2),
        ("success@1", 0),
        ("success@2", 1),
        ("bpref", 0),  # one of one irrelevant document stands above both
        ("ndcg@2", (2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        ("ndcg", (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3))),
        ("ap(rel=2)", 1 / 2),
        ("P(rel=2)@2", 1 / 2),
    ],
)
def test_by_hand(write: Write, metric: str, wanted: float) -> None:
    """The ranking of q1 is b a z c; relevant are a (2) and c (1)."""
    counts = read_retrieval([write("x.run", RUN)], [write("qrels", QRELS)], metrics=[metric])
    assert counts.columns == (metric,)
    assert value(counts, "q1", metric) == pytest.approx(wanted, abs=1e-12)


def test_scores_rank_and_ties_go_by_id_descending(write: Write) -> None:
    """The column of ranks says nothing, as in trec_eval; one that says otherwise is told."""
    write("qrels", "q1 0 a 1\n")
    for others, rank in (("b", 2), ("B", 1), ("é", 2)):
        write("x", f"q1 Q0 a 1 5 x\nq1 Q0 {others} 2 5 x\n")
        assert value(read_retrieval(["x"], ["qrels"], metrics=["rr"]), "q1", "rr") == 1 / rank
    write("x", "q1 Q0 a 1 1 x\nq1 Q0 b 2 2 x\n")
    counts = read_retrieval(["x"], ["qrels"], metrics=["rr"])
    assert value(counts, "q1", "rr") == 0.5
    assert "x: ranks and scores disagree for query q1; documents" in counts.notices[0].text


def test_files_of_trec_eval_itself(write: Write) -> None:
    """As in its own tests: lines that begin with # are comments, words may follow the tag."""
    write("qrels", "# comment here\n" + QRELS)
    write("x", "# by hand\n" + RUN.replace("x\n", "x more junk at end\n") + "q1 Q0 #d 9 0 x\n")
    write("y", RUN + "q1 Q0 #d 9 0 x\n")
    counts = ta.read(["x", "y"], "qrels")
    assert counts.values[0].tolist() == counts.values[1].tolist()
    assert counts.notices == ()


def test_judgements_of_beir(write: Write) -> None:
    write("x", RUN)
    rows = (line.split() for line in QRELS.splitlines())
    lines = (f"{query}\t{document}\t{grade}\n" for query, _, document, grade in rows)
    write("qrels.tsv", "query-id\tcorpus-id\tscore\n" + "".join(lines))
    assert read_retrieval(["x"], ["qrels.tsv"]) == read_retrieval(["x"], [write("qrels", QRELS)])


def test_queries_that_are_not_everywhere(write: Write) -> None:
    """One that a run lacks counts 0, one that was not judged is left out; both are told."""
    write("qrels", QRELS + "q3 0 a 0\n")
    write("x", "q1 Q0 a 1 1 x\nq9 Q0 a 1 1 x\nq3 Q0 a 1 1 x\n")
    write("y", RUN)
    counts = read_retrieval(["x", "y"], ["qrels"])
    assert counts.items == ("q1", "q2", "q3")
    assert value(counts, "q2", "ap") == 0
    assert [(n.code, n.affected) for n in counts.notices] == [
        ("no-relevant", ("q3",)),
        ("missing", ("q2",)),
        ("not-judged", ("q9",)),
        ("missing", ("q3",)),
    ]
    assert counts.notices[1].text == "x has no document for query q2: counted as 0."
    dropped = read_retrieval(["x", "y"], ["qrels"], missing="drop")
    assert dropped.items == ("q1",)
    assert dropped.texts.outputs["y"] == ("b a z c",)


def test_same_as_trec_eval(tmp_path: Path) -> None:
    """Every value of every query, with ties, grades, unjudged documents and negative relevance."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = random.Random(3)
    names = {
        "ndcg@10": "ndcg_cut_10", "ndcg": "ndcg", "ap": "map", "ap@100": "map_cut_100",
        "p@10": "P_10", "recall@100": "recall_100", "rr": "recip_rank", "rprec": "Rprec",
        "bpref": "bpref", "success@5": "success_5",
    }  # fmt: skip
    judged = {
        f"q{k}": {f"d{d}": rng.choice([-1, 0, 0, 1, 2]) for d in rng.sample(range(200), 60)}
        for k in range(40)
    }
    for documents in judged.values():
        documents["d0"] = 1  # pytrec_eval leaves out queries without anything relevant
    run = {
        query: {f"d{d}": rng.choice([0.5, 1.25, rng.random()]) for d in rng.sample(range(200), 120)}
        for query in judged
    }
    qrels = "".join(f"{q} 0 {d} {n}\n" for q, docs in judged.items() for d, n in docs.items())
    lines = "".join(f"{q} Q0 {d} 0 {s!r} a\n" for q, docs in run.items() for d, s in docs.items())
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "a.run").write_text(lines)
    ours = read_retrieval([tmp_path / "a.run"], [tmp_path / "qrels"], metrics=list(names))
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(pytrec_eval.supported_measures))
    found = theirs.evaluate(run)
    values = ours.values[0] / [float(scale) for scale in ours.scales]
    for query, row in zip(ours.items, values.tolist(), strict=True):
        for column, value in zip(ours.columns, row, strict=True):
            assert value == pytest.approx(found[query][names[column]], abs=1e-9), (query, column)
