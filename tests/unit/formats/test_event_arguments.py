"""Triggers and arguments of events: TextEE's scores."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.model import Document, Record, Template, plain_text
from tellapart.formats.templates.textee import SCORES, count, documents

TEXT = ["the", "old", "rebels", "attacked", "the", "city", "bridge", "with", "a", "bomb"]


def read(records: list[Any], problems: Findings | None = None) -> list[Document]:
    """Return the documents of records, on lines of their own."""
    rows = [Record(row, f"x.jsonl:{k}") for k, row in enumerate(records, 1)]
    return list(documents(rows, problems or Findings(strict=True)))


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


def record(**changed: Any) -> dict[str, Any]:
    """Return a record of one event, with some keys changed."""
    argument = {"entity_id": "e1", "role": "Target", "start": 0, "end": 1}
    attack = {"event_type": "T", "trigger": {"start": 3, "end": 4}, "arguments": [argument]}
    whole = {
        "doc_id": "d",
        "wnd_id": "d-0",
        "tokens": TEXT,
        "entity_mentions": [{"id": "e1", "start": 4, "end": 7}],
        "event_mentions": [attack],
    }
    return {**whole, **changed}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ([], "the record has no 'doc_id'"),
        (record(tokens="a b"), "the record has no list 'tokens'"),
        (record(event_mentions=[7]), "event 1 has no 'event_type'"),
        (record(entity_mentions=[]), "event 1, argument 1 is the entity 'e1', which is not"),
        (
            record(entity_mentions=[{"id": "e1", "start": 4, "end": 70}]),
            "entity 1 goes from 4 to 70, of 10 tokens",
        ),
    ],
)
def test_damaged_records_are_refused_by_place(row: Any, problem: str) -> None:
    """One sentence says where and what."""
    with pytest.raises(DataError) as error:
        read([row])

    assert str(error.value).startswith(f"x.jsonl:1: {problem}")


def test_an_argument_without_a_role_is_named_and_left_out() -> None:
    """EARL's predictions have such."""
    none = {"role": None, "start": 1, "end": 2}
    row = {"event_type": "T", "trigger": {"start": 3, "end": 4}, "arguments": [none]}
    told = Findings(strict=True)

    [found] = read([record(event_mentions=[row])], told)

    assert found.templates[0].roles == {}
    assert "event 1, argument 1 has no role (null)" in told.found[0].text
