"""Runs are read in blocks where nothing is wrong with them, and scored as trec_eval scores them."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.formats.problems import Findings
from tellapart.formats.trec.files import _RunReader
from tellapart.formats.trec.reader import read_retrieval

FIELDS = st.tuples(
    st.sampled_from(["q1", "q2"]),
    st.sampled_from([f"d{k}" for k in range(30)]),
    st.sampled_from(["1", "2", "3", "+4", "1_0", "x", "9999999999"]),
    st.sampled_from(["3.5", "2", "-1e3", "1_0", "nan", "x", "٣"]),
)
SOUND = st.tuples(
    st.sampled_from(["q1", "q2"]),
    st.sampled_from([f"d{k}" for k in range(99)]),
    st.integers(1, 3),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
LINES = st.one_of(
    SOUND.map(lambda row: f"{row[0]} Q0 {row[1]}\t{row[2]} {-row[2]}.5 mine{row[3]}"),
    SOUND.map(lambda row: f"{row[0]} Q0 {row[1]} {row[2]} {-row[2]}.25 mine\n"),
    FIELDS.map(lambda row: f"{row[0]} Q0 {row[1]} {row[2]} {row[3]} mine\n"),
    # As many blanks as a sound line has, but another number of fields, or marks about them.
    st.sampled_from(
        [
            " Q0 d1 1 2 a\n",
            "q1  d1 1 2 a\n",
            "q1 Q0 d1 1 2 \n",
            "q1 Q0 d1 1 1e999 a\n",
            'q1 Q0 "d1" 1 2 a\n',
            'q1 Q0 "d 1" 1 2 a\n',
            '"q1 Q0" d1 1 2 a b\n',
        ]
    ),
    st.sampled_from(["\n", "\0\n", "q1 Q0 d1 1 2\n", "q1 Q0 d1 1 2 my run\n"]),
    st.just("q1 Q0 d\x01 1 2 a\n"),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(LINES, max_size=8), max_size=4), st.booleans())
def test_blocks_are_read_as_single_lines_are(blocks: list[list[str]], cut: bool) -> None:
    """The same documents, scores, complaints and warnings, with their lines."""
    blocks = [[*lines, "q1 Q0 last 9 -9 a\n"] for lines in blocks]
    if cut and blocks:
        blocks[-1][-1] = blocks[-1][-1].removesuffix("\n")
    ours, one_by_one = (_RunReader("a.run", Findings(), 1) for _ in range(2))
    for block in blocks:
        ours.add("".join(block))
        for line in io.StringIO("".join(block), newline=""):
            one_by_one._add_one_by_one([line])
    assert ours.run == one_by_one.run
    assert ours._problems.found == one_by_one._problems.found


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
