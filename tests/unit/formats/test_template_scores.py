"""CEAF and TextEE: peers, brute force, and records that are damaged."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.formats.templates import mapping as searches
from tellapart.formats.templates.ceaf import count_entities, count_fillers, shared_mentions, strict
from tellapart.formats.templates.mapping import Edges, Point, best_mapping, document_f1
from tellapart.formats.templates.model import Document, Template, fill_of, plain_text
from tellapart.formats.templates.textee import SCORES, count
from tellapart.formats.templates.values import names

_TEXTS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=3)
_ROLES = st.dictionaries(st.sampled_from(("r", "s")), st.lists(_TEXTS, max_size=3), max_size=2)


@st.composite
def _templates(draw: st.DrawFn) -> tuple[Template, ...]:
    return tuple(
        Template(
            draw(st.sampled_from(("x", "y"))),
            {role: tuple(fill_of(*texts) for texts in some) for role, some in draw(_ROLES).items()},
        )
        for _ in range(draw(st.integers(0, 4)))
    )


Triples = tuple[tuple[tuple[str | None, str, str], ...], ...]


def _triples(template: Template) -> Triples:
    """Return entities as metametric is given them: mentions with type and role."""
    return tuple(
        tuple((template.type, role, text) for text in names(entity))
        for role, entities in template.roles.items()
        for entity in entities
    )


@given(_templates(), _templates())
def test_metametric_finds_the_same_sums_of_mentions(
    gold: tuple[Template, ...], predicted: tuple[Template, ...]
) -> None:
    """The numerator of phi-3 is that of metametric's nested matchings, one to one."""
    mm = pytest.importorskip("metametric.dsl")
    shared = mm.from_func(lambda theirs, wanted: sum(each in wanted for each in theirs))
    templates = mm.set_matching[tuple, "<->"](mm.set_matching[tuple, "<->"](shared))
    # Two that are empty share nothing here, and are all alike there.
    filled = ([each for each in some if any(each.roles.values())] for some in (predicted, gold))
    theirs, wanted = ([*map(_triples, some)] for some in filled)
    documents = Document("d", gold), Document("d", predicted)
    row = count_entities(*documents, True, shared_mentions)
    assert row[0] == row[2] == (templates.score(theirs, wanted) if theirs or wanted else 0)


@given(_templates(), _templates())
def test_role_fillers_agree_with_metametric(
    gold: tuple[Template, ...], predicted: tuple[Template, ...]
) -> None:
    """CEAF-REE's similarity is the largest one-to-one sum of entities that lie in gold ones."""
    mm = pytest.importorskip("metametric.dsl")
    within = mm.from_func(lambda theirs, wanted: float(set(theirs) <= set(wanted)))
    entities = mm.set_matching[tuple, "<->"](within)
    one, two = (Document("d", some[:1], only_fillers=True) for some in (gold, predicted))
    matched = n_theirs = n_wanted = 0
    for role in dict.fromkeys(
        role for some in (one, two) for t in some.templates for role in t.roles
    ):
        theirs, wanted = (
            [names(e) for each in some.templates for e in each.roles.get(role, ())]
            for some in (two, one)
        )
        matched += entities.score(theirs, wanted) if theirs or wanted else 0  # as above
        n_theirs, n_wanted = n_theirs + len(theirs), n_wanted + len(wanted)
    assert count_fillers(one, two, True, strict) == (matched, n_theirs, matched, n_wanted)


# The best mapping of templates: both searches against an enumeration of all


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


# Triggers and arguments of events: TextEE


TEXT = ["the", "old", "rebels", "attacked", "the", "city", "bridge", "with", "a", "bomb"]


def event(kind: str, trigger: tuple[int, int], **roles: tuple[int, int]) -> Template:
    """Return an event whose roles have one argument each."""
    fills = {role: (plain_text("", ("", *span)),) for role, span in roles.items()}
    return Template(kind, fills, trigger=("", *trigger))


def counted(gold: list[Template], predicted: list[Template]) -> dict[str, tuple[int, ...]]:
    """Return match, predicted and gold of each of TextEE's scores."""
    both = Document("d", tuple(gold)), Document("d", tuple(predicted))
    rows = {name: count(*both, True, name) for name in SCORES}
    return {name: (match, n_given, n_gold) for name, (match, n_given, _, n_gold) in rows.items()}


EVENTS = st.builds(
    lambda kind, at, roles: event(kind, (at, at + 1), **roles),
    st.sampled_from("TU"),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from(["By", "At"]), st.sampled_from([(0, 1), (1, 2), (1, 3)])),
)


@given(st.lists(EVENTS, max_size=4), st.lists(EVENTS, max_size=4))
def test_textee_scores_are_symmetric_and_ordered(
    gold: list[Template], predicted: list[Template]
) -> None:
    """Exchanging the sides exchanges precision and recall; to ask for more never helps."""
    here, there = counted(gold, predicted), counted(predicted, gold)

    for name in SCORES:
        match, n_predicted, n_gold = here[name]
        assert there[name] == (match, n_gold, n_predicted)
        assert match <= min(n_predicted, n_gold)
    assert bool(here["arg-i"][0]) >= bool(here["arg-c"][0]) >= bool(here["arg-c+"][0])
