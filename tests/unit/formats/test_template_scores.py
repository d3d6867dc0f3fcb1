"""CEAF-REE, CEAF-TF and CEAF-RME: known answers, count by count; peers; significance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.formats.templates.ceaf import count_entities, count_fillers, shared_mentions, strict
from tellapart.formats.templates.model import Document, Template, fill_of
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
