"""Predicted arguments of given events: generated strings (BART-Gen), or spans by event.

Which events there are, gold says: the n-th string of a document belongs to its n-th event, and
spans name the event that they belong to. What is read has the events of gold, in their order, with
the arguments that were predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.events import (
    EventDocument,
    list_of,
    roles_of,
    span_of,
    text_of,
)
from tellapart.formats.templates.generated import Ontology, generated_arguments, load_ontology
from tellapart.formats.templates.layouts import Reading
from tellapart.formats.templates.model import Document, Span
from tellapart.formats.templates.records import Record

Found = list[list[tuple[str, Span]]]
"""Role and span of each argument of each event"""


def is_generated(record: Record) -> bool:
    """Return whether a record is a generated string."""
    return isinstance(record.value, dict) and {"doc_key", "predicted"} <= record.value.keys()


def is_by_event(record: Record) -> bool:
    """Return whether a record has the arguments of events that are named by their ids."""
    row = record.value
    events = row.get("events") if isinstance(row, dict) else None
    return isinstance(events, list) and any(
        isinstance(each, dict) and "event_id" in each for each in events
    )


def read_generated_strings(records: Iterable[Record], reading: Reading) -> list[Document]:
    """Return documents with what was found of generated strings, event by event."""
    if reading.options.ontology is None:
        raise DataError(
            f"{reading.path}: these are generated strings, which are read by the sentences of "
            "their types; give --ontology FILE"
        )
    ontology = load_ontology(reading.options.ontology)
    found: dict[str, Found] = {}
    lines: dict[str, int] = {}
    for record in records:
        place = f"{reading.path}:{record.line}"
        with reading.problems.of_file():
            name = text_of(record.value, "doc_key", place, "the record")
            sentence = record.value.get("predicted")
            if not isinstance(sentence, str):
                raise DataError(f"{place}: 'predicted' is no text; give the generated sentence")
            own = found.setdefault(name, [])
            lines.setdefault(name, record.line)
            gold = reading.key.get(name)
            if isinstance(gold, EventDocument):
                own.append(_generated(place, sentence, gold, len(own), ontology))
    return [_document(name, lines[name], own, reading) for name, own in found.items()]


def _generated(
    place: str, sentence: str, gold: EventDocument, number: int, ontology: Ontology
) -> list[tuple[str, Span]]:
    """Return the arguments of one event, from the sentence of its type."""
    if number >= len(gold.templates):
        raise DataError(
            f"{place}: this is prediction {number + 1} of document {gold.id!r}, which has "
            f"{len(gold.templates)} events; give one line for each event, in the order of gold"
        )
    event = gold.templates[number]
    kind = ontology.get(event.type or "")
    if kind is None or event.trigger is None:
        return []
    return list(generated_arguments(sentence, kind, gold.tokens, event.trigger))


def read_by_event(records: Iterable[Record], reading: Reading) -> list[Document]:
    """Return documents with the arguments of events that are named by their ids."""
    found = []
    for record in records:
        place = f"{reading.path}:{record.line}"
        with reading.problems.of_file():
            name = text_of(record.value, "doc_id", place, "the record")
            events = list_of(record.value, "events", place, "the record")
            gold = reading.key.get(name)
            own: Found = []
            if isinstance(gold, EventDocument):
                own = _by_event(place, events, gold, reading.problems)
            found.append(_document(name, record.line, own, reading))
    return found


def _by_event(
    place: str, events: Sequence[object], gold: EventDocument, findings: Findings
) -> Found:
    numbers = {event.id: k for k, event in enumerate(gold.templates) if event.id is not None}
    found: Found = [[] for _ in gold.templates]
    seen: set[str] = set()
    for k, event in enumerate(events, 1):
        name = text_of(event, "event_id", place, f"event {k}")
        if name not in numbers or name in seen:
            problem = "appears twice" if name in seen else "is not in the gold file"
            raise DataError(f"{place}: event {name!r} {problem}; give each event of gold once")
        seen.add(name)
        assert isinstance(event, dict)  # or it would have no event_id
        for n, argument in enumerate(list_of(event, "arguments", place, f"event {name!r}"), 1):
            what = f"argument {n} of event {name!r}"
            role = text_of(argument, "role", place, what)
            span = span_of(argument, place, what, len(gold.tokens) or None, findings)
            found[numbers[name]].append((role, span))
    return found


def _document(name: str, line: int, found: Found, reading: Reading) -> Document:
    """Return a document with the events of gold and the arguments that were found."""
    gold = reading.key.get(name)
    if not isinstance(gold, EventDocument):
        return Document(name, line=line)
    if len(found) < len(gold.templates):
        reading.problems.warn(
            f"{reading.path}:{line}: document {name!r} has {len(gold.templates)} events, and there "
            f"are predictions of the first {len(found)}; the others were taken to be empty"
        )
    padded = [*found, *([] for _ in range(len(gold.templates) - len(found)))]
    events = tuple(
        replace(event, roles=roles_of(own, gold.tokens))
        for event, own in zip(gold.templates, padded, strict=True)
    )
    return Document(name, events, line=line)
