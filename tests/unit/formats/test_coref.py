"""Coreference metrics against hand-made examples and against definitions written out."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_files import Capture
from tellapart.cli import main
from tellapart.formats.annotation.clusters import Row, count_document
from tellapart.formats.annotation.model import Fractions

rows = st.lists(
    st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(0, 3)), max_size=9
).map(lambda found: [row for row in found if row != (None, None)])


@given(rows)
def test_counts_follow_the_definitions(found: list[Row]) -> None:
    """Each sum equals what comes of walking mentions, pairs and all assignments."""
    counts = count_document(found)
    key, response = clusters(found, 0), clusters(found, 1)
    both = [i for i, (k, r) in enumerate(found) if k is not None and r is not None]
    of_key = {i: k for k in key for i in k}
    of_response = {i: r for r in response for i in r}
    common = [len(of_key[i] & of_response[i]) for i in both]
    assert counts["bcub"].recall_part == pytest.approx(
        sum(n / len(of_key[i]) for n, i in zip(common, both, strict=True))
    )
    assert counts["bcub"].precision_part == pytest.approx(
        sum(n / len(of_response[i]) for n, i in zip(common, both, strict=True))
    )
    assert counts["muc"].recall_part == sum(max(0, len(k & r) - 1) for k in key for r in response)
    assert counts["ceafm"].recall_part == best(key, response, lambda k, r: len(k & r))
    assert counts["ceafe"].recall_part == pytest.approx(
        best(key, response, lambda k, r: 2 * len(k & r) / (len(k) + len(r)))
    )
    for name, same in (("links", True), ("gaps", False)):
        wanted, given_pairs = pairs(key, same), pairs(response, same)
        assert counts[name] == Fractions(
            len(wanted & given_pairs), len(wanted), len(wanted & given_pairs), len(given_pairs)
        )


def clusters(found: list[Row], side: int) -> list[frozenset[int]]:
    members = defaultdict(set)
    for i, row in enumerate(found):
        if row[side] is not None:
            members[row[side]].add(i)
    return [frozenset(each) for each in members.values()]


def pairs(found: list[frozenset[int]], same: bool) -> set[frozenset[int]]:
    cluster = {i: n for n, each in enumerate(found) for i in each}
    return {
        frozenset(pair)
        for pair in itertools.combinations(cluster, 2)
        if (cluster[pair[0]] == cluster[pair[1]]) == same
    }


def best(
    key: list[frozenset[int]],
    response: list[frozenset[int]],
    value: Callable[[frozenset[int], frozenset[int]], float],
) -> float:
    """Try every assignment of the smaller side."""
    small, large = sorted([key, response], key=len)
    return max(
        sum(value(a, b) for a, b in zip(small, chosen, strict=True))
        for chosen in itertools.permutations(large, len(small))
    )


def coref_file(folder: Path, name: str, *cells: str) -> str:
    """Write a document of words with their coreference."""
    rows = [f"w{k} {cell}" for k, cell in enumerate(cells)]
    path = folder / name
    path.write_text("\n".join(["#begin document d", *rows, "#end document", ""]))
    return str(path)


REFERENCE = json.loads(
    (Path(__file__).parents[2] / "data" / "coref_reference.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", REFERENCE.values(), ids=REFERENCE)
def test_cases_of_the_reference_scorer(
    case: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    """Recall, precision and F1 as its own tests expect them; 0 where it has none."""
    key, response = (
        coref_file(tmp_path, side, *case[side].split()) for side in ("key", "response")
    )
    assert main(["score", "--as", "conll-coref", "--gold", key, response, "--json", "-"]) == 0
    scores = json.loads(capsys.readouterr().out)["systems"][0]["report"]["scores"]
    for metric, expected in case["expected"].items():
        assert list(scores[metric].values()) == pytest.approx(expected, abs=1e-5), metric
