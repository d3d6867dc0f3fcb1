"""After and Subevent links: graphs, and scores by temporal awareness."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.errors import DataError
from tellapart.formats.annotation.formats import NuggetOptions
from tellapart.formats.annotation.links import acyclic, reachable, reduced
from tellapart.formats.annotation.nuggets import evaluate
from tellapart.formats.annotation.tbf import cut

edges = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] != e[1]))


@given(edges)
def test_reduction_says_the_same_with_the_fewest_links(found: set[tuple[int, int]]) -> None:
    whole = acyclic(set(found))
    few = reduced(whole)
    assert reachable(few) == reachable(whole)
    for edge in few:
        assert reachable(few - {edge}) != reachable(few)


@given(edges)
def test_reachable_is_the_transitive_closure(found: set[tuple[int, int]]) -> None:
    """Warshall's three loops."""
    closure = set(found)
    for k, i, j in itertools.product(range(6), repeat=3):
        if (i, k) in closure and (k, j) in closure:
            closure.add((i, j))
    assert {(a, b) for a, ends in reachable(found).items() for b in ends} == closure


def tbf(*relations: str, shift: int = 0) -> str:
    mentions = [f"x\td\tE{i}\t{9 * i + shift},{9 * i + 4}\tw\tA\tR" for i in range(1, 6)]
    return "\n".join(["#BeginOfDocument d", *mentions, *relations, "#EndOfDocument", ""])


def links(gold: str, system: str) -> dict[str, tuple[float, float]]:
    scores = evaluate(cut(gold), cut(system), NuggetOptions(sequencing=True)).links
    assert scores is not None
    return {name: (each.scores.precision, each.scores.recall) for name, each in scores.items()}


def test_clusters_are_merged_and_links_expanded() -> None:
    """E1 and E2 are one event: a link of either is a link of both."""
    gold = tbf("@Coreference\tC\tE1,E2", "@After\tA\tE1,E3")
    system = tbf("@Coreference\tC\tE1,E2", "@After\tA\tE2,E3")
    assert links(gold, system) == {"Subevent": (0, 0), "After": (1, 1)}
    assert links(gold, tbf("@After\tA\tE2,E3"))["After"] == (1, 0.5)


@pytest.mark.parametrize(
    ("relations", "finding"),
    [
        (["@After\tA\tE1,E2,E3"], "7: .*3 arguments"),
        (["@After\tA\tE1,E2", "@After\tB\tE2,E1"], "8: .*both ways"),
        (["@Coreference\tA\tE1,E2", "@Coreference\tB\tE2,E3"], "8: .*in two clusters"),
    ],
)
def test_links_that_cannot_be_scored(relations: list[str], finding: str) -> None:
    with pytest.raises(DataError, match=f"text:{finding}"):
        links(tbf(), tbf(*relations))
