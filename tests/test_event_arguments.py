"""Triggers and arguments of events: TextEE's scores; WikiEvents' by heads and coreference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_files import Write
from tellapart.errors import DataError, UsageError
from tellapart.formats.contract import Sources
from tellapart.formats.problems import Findings
from tellapart.formats.templates.counting import ScoredTemplates, count_templates
from tellapart.formats.templates.events import Event, EventDocument, read_events, roles_of
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.generated import (
    EventType,
    find_words,
    generated_arguments,
    read_generated,
    read_ontology,
)
from tellapart.formats.templates.given_events import read_by_event, read_generated_strings
from tellapart.formats.templates.layouts import Reading
from tellapart.formats.templates.model import Document, Mention
from tellapart.formats.templates.records import Record
from tellapart.formats.templates.textee import SCORES, count
from tellapart.formats.templates.wikievents import count_event, head_of, read_clusters, read_heads

ATTACK = EventType(
    ("<arg1>", "attacked", "<arg2>", "using", "<arg3>", "at", "<arg4>", "place"),
    ("Attacker", "Target", "Instrument", "Place"),
)
TEXT = [
    "the", "old", "rebels", "attacked", "the", "city", "bridge", "with", "a", "bomb", "while",
    "they", "fled",
]  # fmt: skip
HEADS = [2, 2, 3, 3, 6, 6, 3, 9, 9, 3, 12, 12, 3]


def strict() -> Findings:
    """Return findings that raise the first problem."""
    return Findings(strict=True)


def reading(gold: Document | None = None, ontology: str | None = None) -> Reading:
    """Return what a reader is told: the name of the file, and gold where these are predictions."""
    key = {} if gold is None else {gold.id: gold}
    return Reading("x.jsonl", strict(), TemplateOptions(ontology=ontology), gold is None, key)


def event(kind: str, trigger: tuple[int, int], window: str = "", **roles: tuple[int, int]) -> Event:
    """Return an event whose roles have one argument each."""
    return Event(kind, roles_of(list(roles.items()), []), trigger=trigger, window=window)


def counted(gold: list[Event], predicted: list[Event]) -> dict[str, tuple[int, ...]]:
    """Return match, predicted and gold of each of TextEE's scores."""
    row = count(Document("d", tuple(gold)), Document("d", tuple(predicted)), None)["all"]
    return {name: tuple(map(int, row[3 * k : 3 * k + 3])) for k, name in enumerate(SCORES)}


def test_an_argument_at_the_wrong_event_of_its_type_counts_without_the_plus() -> None:
    """Arg-I and Arg-C do not ask at which event of a type an argument hangs; the others do."""
    gold = [event("T", (1, 2), By=(5, 6)), event("T", (3, 4))]
    predicted = [event("T", (1, 2)), event("T", (3, 4), By=(5, 6))]

    found = counted(gold, predicted)

    assert found["tri-c"] == (2, 2, 2)
    assert found["arg-c"] == (1, 1, 1)
    assert found["arg-i+"] == found["arg-c+"] == (0, 1, 1)


def test_what_is_said_twice_counts_once() -> None:
    """All scores are of sets."""
    one = event("T", (1, 2), By=(5, 6))

    assert counted([one], [one, one]) == dict.fromkeys(SCORES, (1, 1, 1))


def test_a_wrong_type_loses_the_arguments_too() -> None:
    """A trigger of the wrong type is identified; its arguments are not."""
    found = counted([event("T", (1, 2), By=(5, 6))], [event("U", (1, 2), By=(5, 6))])

    assert [found[name][0] for name in SCORES] == [1, 0, 0, 0, 0, 0]


def test_windows_are_kept_apart() -> None:
    """The same offsets in another window are another place."""
    assert counted([event("T", (1, 2), "0")], [event("T", (1, 2), "1")])["tri-i"] == (0, 1, 1)


EVENTS = st.builds(
    lambda kind, at, roles: event(kind, (at, at + 1), **roles),
    st.sampled_from("TU"),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from(["By", "At"]), st.sampled_from([(0, 1), (1, 2), (1, 3)])),
)


@given(st.lists(EVENTS, max_size=4), st.lists(EVENTS, max_size=4))
def test_textee_scores_are_symmetric_and_ordered(gold: list[Event], predicted: list[Event]) -> None:
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


def gold_document(**changed: Any) -> EventDocument:
    """Return the document of such a record."""
    [found] = read_events([Record(record(**changed), 1)], reading())
    assert isinstance(found, EventDocument)
    return found


def test_gold_arguments_have_the_span_of_their_entity() -> None:
    """Start and end of an argument with an entity are passed over, as in TextEE's scorer."""
    target = gold_document().templates[0].roles["Target"][0]

    assert target.mentions[0] == Mention("the city bridge", span=(4, 7))


def test_windows_of_a_document_are_put_together() -> None:
    """Windows that gold lacks are refused, and those that predictions lack named."""
    second = record(wnd_id="d-1")
    [gold] = read_events([Record(record(), 1), Record(second, 2)], reading())
    told = reading(gold)
    [predicted] = read_events([Record(second, 1)], told)

    assert [len(each.templates) for each in (gold, predicted)] == [2, 1]
    assert "document 'd' lacks the windows d-0; they were" in told.problems.found[0].text
    with pytest.raises(DataError, match=r"x.jsonl:1: window 'd-7' of document 'd' is not in the"):
        read_events([Record(record(wnd_id="d-7"), 1)], reading(gold))
    with pytest.raises(DataError, match=r"x.jsonl:2: window 'd-0' of document 'd' is there again"):
        read_events([Record(record(), 1), Record(record(), 2)], reading())


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ([], "this is no object"),
        (record(doc_id=None), "the record has no 'doc_id'"),
        (record(event_mentions={}), "the record has no list 'event_mentions'"),
        (record(tokens="a b"), "'tokens' is no list of texts"),
        (record(event_mentions=[{}]), "event 1 has no 'event_type'"),
        (record(event_mentions=[7]), "event 1 has no 'event_type'"),
        (record(entity_mentions=[]), "argument 1 of event 1 is the entity 'e1', which is not"),
        (
            record(entity_mentions=[{"id": "e1", "start": 4, "end": 70}]),
            "entity 'e1' goes from 4 to 70, and there are 13 tokens",
        ),
        (
            record(event_mentions=[{"event_type": "T", "trigger": {"start": 3, "end": 3}}]),
            "the trigger of event 1 goes from 3 to 3",
        ),
        (
            record(event_mentions=[{"event_type": "T", "trigger": {"start": "3", "end": 4}}]),
            "the trigger of event 1 has no 'start' and 'end'",
        ),
    ],
)
def test_damaged_records_are_refused_by_place(row: Any, problem: str) -> None:
    """One sentence says where and what."""
    with pytest.raises(DataError) as error:
        read_events([Record(row, 4)], reading())

    assert str(error.value).startswith(f"x.jsonl:4: {problem}")


def test_an_argument_without_a_role_is_named_and_left_out() -> None:
    """EARL's predictions have such."""
    none = {"role": None, "start": 1, "end": 2}
    row = {"event_type": "T", "trigger": {"start": 3, "end": 4}, "arguments": [none]}
    told = reading()

    [found] = read_events([Record(record(event_mentions=[row]), 1)], told)

    assert found.templates[0].roles == {}
    assert "argument 1 of event 1 has no role (null)" in told.problems.found[0].text


def test_generated_strings_are_read_along_the_sentence_of_their_type() -> None:
    """Arguments reach up to the next word of the sentence; the last one to the end."""
    told = "old rebels attacked city bridge using <arg> at Lima place"
    assert read_generated(told, ATTACK) == [
        ("Attacker", ("old", "rebels")),
        ("Target", ("city", "bridge")),
        ("Place", ("Lima",)),
    ]
    last = EventType(("killed", "by", "<arg1>"), ("Killer",))
    assert read_generated("killed by two men there", last) == [("Killer", ("two", "men", "there"))]


def test_an_empty_argument_is_found_at_the_trigger() -> None:
    """The next word of the sentence follows at once: a phantom, which counts as a prediction."""
    [(role, span)] = generated_arguments("attacked <arg> using", ATTACK, TEXT, (3, 4))

    assert (role, span) == ("Attacker", (4, 4))
    assert count_event([("Attacker", (0, 3))], [(role, span)], TEXT)[:3] == [1, 1, 0]


def test_what_is_not_in_the_text_costs_nothing() -> None:
    """Words are looked for as they are, letters and all."""
    assert list(generated_arguments("Rebels attacked", ATTACK, TEXT, (3, 4))) == []
    assert find_words(["they"], TEXT, (3, 4)) == (11, 12)


def test_heads_are_found_from_the_first_token() -> None:
    """The walk ends where it leaves the span, which need not be at the syntactic head."""
    assert head_of((0, 3), HEADS) == (2, 3)
    assert head_of((7, 9), [9] * 13) == (7, 8)
    assert head_of((4, 4), HEADS) == (4, 5)


def test_one_span_in_two_roles_is_identified_twice() -> None:
    """Recall may exceed 1, as in the scorer of gen-arg."""
    twice = [("Attacker", (2, 3)), ("Target", (2, 3))]

    assert count_event([("Attacker", (0, 3))], twice, TEXT, HEADS) == [2, 1, 2, 1, 0, 0]


def test_coreference_counts_where_the_span_does_not() -> None:
    """A pronoun stands for the entity; by heads only mentions of one word can."""
    clusters = {(1, 3): 0, (11, 12): 0}
    gold = [("Attacker", (0, 3))]

    assert count_event(gold, [("Target", (11, 12))], TEXT, None, clusters) == [1, 1, 0, 0, 1, 0]
    assert count_event(gold, [("Attacker", (11, 12))], TEXT, HEADS, clusters) == [1, 1, 0, 0, 0, 0]


ONTOLOGY = json.dumps({"T": {"template": "<arg1> attacked", "roles": ["Attacker"]}})


def test_damaged_predictions_are_refused_by_place(write: Write) -> None:
    """Each with what to do."""
    gold, ontology = gold_document(), write("o.json", ONTOLOGY)
    for row, problem in [
        ({"doc_id": "d", "events": [{"event_id": "E7"}]}, "event 'E7' is not in the gold file"),
        ({"doc_id": "d"}, "the record has no list 'events'"),
    ]:
        with pytest.raises(DataError, match=f"^x.jsonl:1: {problem}"):
            read_by_event([Record(row, 1)], reading(gold))
    one = {"doc_key": "d", "predicted": "they attacked"}
    with pytest.raises(DataError, match="give --ontology FILE"):
        read_generated_strings([Record(one, 1)], reading(gold))
    with pytest.raises(DataError, match=r"x.jsonl:2: this is prediction 2 of document 'd', which"):
        read_generated_strings([Record(one, 1), Record(one, 2)], reading(gold, ontology))
    with pytest.raises(DataError, match="'predicted' is no text"):
        read_generated_strings([Record({**one, "predicted": 7}, 1)], reading(gold, ontology))
    [found] = read_generated_strings([Record(one, 1)], reading(gold, ontology))
    assert found.templates[0].roles["Attacker"][0].mentions[0].span == (11, 12)


def test_damaged_heads_clusters_and_ontologies_are_refused() -> None:
    """Each with the place and what to do."""
    gold = [gold_document()]
    with pytest.raises(DataError, match="'d' needs a list of 13 heads"):
        read_heads({"d": [0]}, gold, "h")
    with pytest.raises(DataError, match=r"token \d of 'd' is above itself by way of others"):
        read_heads({"d": [1, 0, *range(2, 13)]}, gold, "h")
    with pytest.raises(DataError, match="13 in 'd' is no head"):
        read_heads({"d": [13] * 13}, gold, "h")
    row = {"doc_key": "d", "clusters": [["e9"]], "informative_mentions": [""]}
    with pytest.raises(DataError, match="c:1: 'e9' is no entity of 'd'"):
        read_clusters([Record(row, 1)], gold, strict(), "c")
    with pytest.raises(DataError, match="c: there are no clusters of d"):
        read_clusters([], gold, strict(), "c")
    with pytest.raises(DataError, match="has <arg2>, and there are 1 roles"):
        read_ontology({"T": {"template": "<arg2>", "roles": ["By"]}}, "o")


def scored(
    gold: str | Path, predicted: str | Path, *metrics: str, **options: Any
) -> ScoredTemplates:
    """Return the counts of one system, S."""
    sources = Sources((f"S={predicted}",), (gold,), metrics)
    return count_templates(sources, TemplateOptions(**options))


def rows(found: ScoredTemplates, prefix: str = "") -> dict[str, list[int]]:
    """Return the counts of every document, in the order of the columns of a family."""
    counts = found.counts
    chosen = [k for k, name in enumerate(counts.columns) if name.startswith(prefix)]
    return dict(zip(counts.items, counts.values[0][:, chosen].tolist(), strict=True))


def test_recall_above_one_is_noted(write: Write) -> None:
    """So is that there are no heads, and that predictions are of other events."""
    argument = {"start": 4, "end": 7}
    roles = [{**argument, "role": role} for role in ("Target", "Place")]
    attack = {
        "id": "E1",
        "event_type": "T",
        "trigger": {"start": 3, "end": 4},
        "arguments": roles[:1],
    }
    no_article = record(event_mentions=[attack], tokens=["x"] * 13)
    gold = write("gold.jsonl", json.dumps(no_article))
    by_event = {"doc_id": "d", "events": [{"event_id": "E1", "arguments": roles}]}
    found = scored(gold, write("p.jsonl", json.dumps(by_event)), "head-i.recall")

    assert rows(found) == {"d": [2, 1, 2, 1]}
    assert [each.code for each in found.counts.notices] == ["no-heads", "recall-above-one"]
    moved = {**attack, "trigger": {"start": 5, "end": 6}}
    other = write("q.jsonl", json.dumps(record(event_mentions=[moved])))
    with pytest.raises(UsageError, match="'d' has other events in the predictions"):
        scored(gold, other, "head-i")
    with pytest.raises(UsageError, match="give --coref FILE"):
        scored(gold, "p.jsonl", "coref-i")


@pytest.mark.parametrize("folder", ["cases/textee", "textee"])
def test_textee_agrees_with_its_scorer_to_the_last_count(shared_data: Path, folder: str) -> None:
    """Sixty small documents, and the test set of WikiEvents in TextEE's format."""
    data = shared_data / "templates"
    found = scored(data / folder / "gold.jsonl", data / folder / "pred.jsonl")

    names = ("Tri-I", "Tri-C", "Arg-I", "Arg-C", "Arg-I+", "Arg-C+")
    assert [metric.name for metric in found.counts.metrics] == [name.lower() for name in names]
    if folder == "textee":
        known = json.loads((data / "expected.json").read_text())["textee"]
        expected = {
            name: [n for each in names for n in known["metrics"][each]["documents"][k]]
            for k, name in enumerate(known["documents"])
        }
    else:
        known = json.loads((data / folder / "expected.json").read_text())
        expected = {
            each["doc_id"]: [n for name in names for n in each["counts"][name]]
            for each in known["documents"]
        }
    assert rows(found) == expected


@pytest.mark.parametrize("mode", ["head", "span"])
@pytest.mark.parametrize(
    ("folder", "predictions"),
    [
        ("cases/wikievents", "predictions"),
        ("wikievents", "predictions"),
        ("wikievents", "resolved"),
    ],
)
def test_wikievents_agrees_with_its_scorer_to_the_last_count(
    shared_data: Path, folder: str, predictions: str, mode: str
) -> None:
    """Generated strings and spans, by heads and by spans, with coreference."""
    data = shared_data / "templates" / folder
    options = {"ontology": str(data / "ontology.json"), "coref": str(data / "coref.jsonl")}
    if mode == "head":
        options["heads"] = str(data / "heads.json")
    found = scored(
        data / "test.jsonl", data / f"{predictions}.jsonl", "head-i", "coref-i", **options
    )

    if folder == "wikievents":
        known = json.loads((shared_data / "templates" / "expected.json").read_text())["wikievents"]
        expected = dict(zip(known["documents"], known[mode]["documents"], strict=True))
    else:
        known = json.loads((data / "expected.json").read_text())
        expected = {each["doc_id"]: each[mode] for each in known["documents"]}
    assert rows(found, "head.") == {name: row[:4] for name, row in expected.items()}
    assert rows(found, "coref.") == {
        name: [p, g, idn + idn_coref, cls + cls_coref]
        for name, (p, g, idn, cls, idn_coref, cls_coref) in expected.items()
    }
