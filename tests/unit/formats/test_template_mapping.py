"""The best mapping of templates: both searches against an enumeration of all mappings."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.formats.templates import mapping as searches
from tellapart.formats.templates.mapping import Edges, Point, best_mapping, document_f1

Problem = tuple[list[dict[int, Point]], int, int, int]


def _first_best(edges: Edges, golds: int, predicted: int, gold: int) -> tuple[int | None, ...]:
    """Try all mappings in the order of the reference, and keep the first of the best."""
    best, kept = -1.0, ()
    for mapping in product((*range(golds), None), repeat=len(edges)):
        used = [each for each in mapping if each is not None]
        if len(set(used)) == len(used):
            f1 = document_f1(_sums(edges, mapping), (predicted, gold))
            if f1 > best:
                best, kept = f1, mapping
    return kept


def _sums(edges: Edges, mapping: tuple[int | None, ...]) -> Point:
    pairs = [row.get(-1 if j is None else j, (0, 0)) for row, j in zip(edges, mapping, strict=True)]
    return sum(a for a, _ in pairs), sum(b for _, b in pairs)


@st.composite
def _problems(draw: st.DrawFn) -> Problem:
    """Draw a few templates, with pairs that are worth the same to both sides, or not."""
    golds, rows = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    worth = st.integers(1, draw(st.sampled_from((1, 2, 6))))
    pair = st.tuples(worth, worth) if draw(st.booleans()) else worth.map(lambda n: (n, n))
    edges = [draw(st.dictionaries(st.integers(0, golds - 1), pair)) for _ in range(rows)]
    largest = [max((max(each) for each in row.values()), default=0) for row in edges]
    predicted, gold = (sum(largest) + draw(st.integers(1, 4)) for _ in range(2))
    return edges, golds, predicted, gold


@given(_problems())
def test_the_dynamic_programme_finds_the_first_best_mapping(problem: Problem) -> None:
    edges, golds, predicted, gold = problem
    found = best_mapping(edges, golds, (predicted, gold))
    if any(edges):
        assert found == _first_best(edges, golds, predicted, gold)


@given(_problems())
def test_pairs_worth_the_same_to_both_sides_are_settled_by_assignment(problem: Problem) -> None:
    edges, golds, predicted, gold = problem
    same = [{j: (a, a) for j, (a, _) in row.items()} for row in edges]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "MOST_STEPS", -1)
        found = best_mapping(same, golds, (predicted, gold))
    used = [each for each in found if each is not None]
    assert len(set(used)) == len(used)
    best = _sums(same, _first_best(same, golds, predicted, gold))
    assert _sums(same, found) == best


@pytest.mark.parametrize("worth", [(1, 1), (1, 2)])
def test_many_templates_that_fit_each_other_are_no_problem(worth: Point) -> None:
    """Forty times forty mappings would never end: all are mapped, each to its own."""
    edges: Edges = [dict.fromkeys(range(40), worth) for _ in range(40)]
    found = best_mapping(edges, 40, (80, 80))
    assert _sums(edges, found) == (40 * worth[0], 40 * worth[1])
