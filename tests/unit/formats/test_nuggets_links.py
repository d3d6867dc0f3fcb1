"""After and Subevent links: graphs, and scores by temporal awareness."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.formats.annotation.links import LinkCounts, acyclic, count_links, reachable, reduced
from tellapart.formats.annotation.nuggets import Request, evaluate
from tellapart.formats.annotation.tbf import TbfError, cut

edges = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] != e[1]))


@settings(max_examples=80, deadline=None)
@given(edges)
def test_reduction_says_the_same_with_the_fewest_links(found: set[tuple[int, int]]) -> None:
    whole = acyclic(set(found))
    few = reduced(whole)
    assert reachable(few) == reachable(whole)
    for edge in few:
        assert reachable(few - {edge}) != reachable(few)


@settings(max_examples=50, deadline=None)
@given(edges)
def test_reachable_is_the_transitive_closure(found: set[tuple[int, int]]) -> None:
    """Warshall's three loops."""
    closure = set(found)
    for k, i, j in itertools.product(range(6), repeat=3):
        if (i, k) in closure and (k, j) in closure:
            closure.add((i, j))
    assert {(a, b) for a, ends in reachable(found).items() for b in ends} == closure


def test_links_that_follow_earn_part_of_the_recall() -> None:
    """1 → 3 follows from gold; 2 nodes are in both, so that it earns 0.99 / (1 + 1 - 0)."""
    gold = {("After", 1, 2), ("After", 2, 3)}
    assert count_links(gold, {("After", 1, 3)}) == LinkCounts(1, 1, 0.495, 2)
    assert count_links(gold, gold) == LinkCounts(2, 2, 2, 2)
    assert count_links(gold, {("After", 3, 1)}) == LinkCounts(0, 1, 0, 2)


def test_two_links_of_one_pair_of_mentions() -> None:
    """Both names may link the same two: the one pair of nodes is not missed twice."""
    gold = {("After", 1, 2), ("Subevent", 1, 2)}
    assert count_links(gold, gold, together=True) == LinkCounts(2, 2, 2, 2)
    # Three nodes, of whose three pairs two are linked: what follows earns 0.99 / (1 + 1).
    gold |= {("After", 2, 3), ("Subevent", 2, 1)}
    own = gold | {("After", 1, 3)}
    assert count_links(gold, own, together=True).matched_gold == pytest.approx(4 + 0.99 / 2)


def test_together_links_follow_as_intervals_do() -> None:
    """What is after the parent is after the subevent."""
    gold = {("Subevent", 1, 2), ("After", 1, 3)}
    assert count_links(gold, {("After", 2, 3)}, together=True).matched_system == 1
    assert count_links(gold, {("After", 2, 3)}).matched_system == 0


def tbf(*relations: str, shift: int = 0) -> str:
    mentions = [f"x\td\tE{i}\t{9 * i + shift},{9 * i + 4}\tw\tA\tR" for i in range(1, 6)]
    return "\n".join(["#BeginOfDocument d", *mentions, *relations, "#EndOfDocument", ""])


def links(gold: str, system: str) -> dict[str, tuple[float, float]]:
    scores = evaluate(cut(gold), cut(system), Request(sequencing=True)).links
    assert scores is not None
    return {name: (each.precision, each.recall) for name, each in scores.items()}


def test_clusters_are_merged_and_links_expanded() -> None:
    """E1 and E2 are one event: a link of either is a link of both."""
    gold = tbf("@Coreference\tC\tE1,E2", "@After\tA\tE1,E3")
    system = tbf("@Coreference\tC\tE1,E2", "@After\tA\tE2,E3")
    assert links(gold, system) == {"Subevent": (0, 0), "After": (100, 100), "All": (100, 100)}
    assert links(gold, tbf("@After\tA\tE2,E3"))["After"] == (100, 50)


def test_spans_need_not_be_the_same() -> None:
    """Links use the alignment without a threshold."""
    gold = tbf("@Subevent\tS\tE1,E2")
    assert links(gold, tbf("@Subevent\tS\tE1,E2", shift=2))["Subevent"] == (100, 100)


def test_direction_matters_and_unknown_mentions_are_ignored() -> None:
    gold = tbf("@Subevent\tS\tE1,E2")
    assert links(gold, tbf("@Subevent\tS\tE2,E1"))["Subevent"] == (0, 0)
    assert links(gold, tbf("@Subevent\tS\tE1,E9"))["Subevent"] == (0, 0)


def test_longer_cycles_lose_their_links() -> None:
    gold = tbf("@After\tA\tE1,E2", "@After\tB\tE2,E3", "@After\tC\tE3,E1", "@After\tD\tE4,E5")
    assert links(gold, tbf("@After\tD\tE4,E5"))["After"] == (100, 100)


@pytest.mark.parametrize(
    ("relations", "kind"),
    [
        (["@After\tA\tE1,E2,E3"], "link-arity"),
        (["@After\tA\tE1,E2", "@After\tB\tE2,E1"], "two-way-link"),
        (["@Coreference\tA\tE1,E2", "@Coreference\tB\tE2,E3"], "overlapping-clusters"),
    ],
)
def test_links_that_cannot_be_scored(relations: list[str], kind: str) -> None:
    with pytest.raises(TbfError) as caught:
        links(tbf(), tbf(*relations))
    assert caught.value.kind == kind
