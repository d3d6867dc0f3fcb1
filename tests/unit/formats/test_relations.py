"""F over relations and other items: counts by segment and by response, and their files."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from log_files import compared
from studies.yeh.responses import ResponseCounts, response_test
from table_files import Capture, Write, json_lines
from tellapart.formats.annotation.relations import (
    RelationFile,
    Relations,
    read_relation_file,
    relation_counts,
)
from tellapart.formats.problems import Findings

ITEMS = st.dictionaries(
    st.sampled_from(["s1", "s2", "s3", "s4"]), st.lists(st.sampled_from("abcd"), max_size=5)
)
SUBJ, OBJ, DET = ("subj", "see", "cat"), ("obj", "see", "dog"), ("det", "cat", "the")


def read_file(path: Path) -> RelationFile:
    return read_relation_file(str(path), Findings(strict=True))


def test_by_hand() -> None:
    """Copies count: two of a relation match two of it, not three."""
    gold = {"s1": [SUBJ, OBJ, DET, DET], "s2": []}
    system = {"s1": [SUBJ, DET, DET, DET], "s2": [OBJ]}
    counts = relation_counts({"A": system}, gold)
    assert counts.values[0].tolist() == [[4, 4, 3], [1, 0, 0]]
    assert counts.columns == ("sys", "gold", "match")


def test_relations_in_words() -> None:
    """Reports show what was wanted and what was given."""
    gold: Relations = {"s1": [SUBJ, OBJ], "s2": []}
    system: Relations = {"s1": [SUBJ, SUBJ], "s2": ["alone"]}
    items = relation_counts({"A": system}, gold).texts
    assert items.golds == ("subj see cat; obj see dog", "")
    assert items.outputs == {"A": ("subj see cat; subj see cat", "alone")}


@given(ITEMS, ITEMS, ITEMS)
def test_responses_are_yehs_test(
    a: dict[str, Any], b: dict[str, Any], gold: dict[str, Any]
) -> None:
    """With every response an item, the exact test is the double binomial sum of Yeh (2000)."""
    every = {*a, *b, *gold}
    a, b, gold = ({item: items.get(item, []) for item in sorted(every)} for items in (a, b, gold))
    if not any(items for each in (a, b) for items in each.values()) or not any(gold.values()):
        return
    counts = relation_counts({"A": a, "B": b}, gold, responses=True)
    by_item = relation_counts({"A": a, "B": b}, gold)
    assert counts.summed().tolist() == by_item.summed().tolist()
    result = ta.compare(counts, metrics=["f1", "recall"], test="exact", intervals=False)
    sides = [_numbered(each) for each in (a, b, gold)]
    responses = ResponseCounts.of(sides[2], sides[0], sides[1])
    for metric in ("f1", "recall"):
        beta = 1.0 if metric == "f1" else math.inf
        expected = response_test(responses, beta=beta)
        assert result.pair("A", "B", metric).p == pytest.approx(expected.p, abs=1e-12)


def _numbered(items: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    """Tell copies of an item apart."""
    found = []
    for item, given_items in items.items():
        for relation, n in Counter(given_items).items():
            found += [(item, relation, k) for k in range(n)]
    return found


def test_kinds_of_relations_are_a_label(write: Write, capsys: Capture) -> None:
    """With responses as items, `--by relation` compares subjects with subjects (Yeh 2000)."""
    for name, subject, other in (("gold", "cat", "dog"), ("a", "cat", "x"), ("b", "x", "dog")):
        relations = [["subj", "see", subject], ["obj", "see", other]]
        write(name, json_lines([{"unit": k, "relations": relations} for k in range(9)]))
    files = ["--as", "relations", "--gold", "gold", "a", "b"]
    record = compared(capsys, *files, "--unit", "response", "--by", "relation", "--metric", "f1")
    slices = {part["value"]: part["difference"] for part in record["slices"]}
    assert slices == {"subj": 1, "obj": -1}
    assert record["pairs"][0]["difference"] == 0


TREE = """\
# sent_id = s1
1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2-3\tcats\t_\t_\t_\t_\t_\t_\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tsees\tsee\tVERB\t_\t_\t0\troot\t_\t_
3.1\tnothing\t_\t_\t_\t_\t_\t_\t_\t_

# text = no id
1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_
"""


def test_trees(tmp_path: Path) -> None:
    """Every word gives its relation, its head's form and its own; ranges and gaps give none."""
    path = tmp_path / "gold.conllu"
    path.write_text(TREE)
    relations = [("det", "cat", "the"), ("nsubj", "sees", "cat"), ("root", "ROOT", "sees")]
    assert read_file(path).relations == {"s1": relations, "2": [("root", "ROOT", "Go")]}
