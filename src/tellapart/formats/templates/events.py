"""Events with triggers and arguments in tokens: as TextEE writes them.

A record is a document, or a window of one. Its events have a type, a trigger and arguments;
an argument has a role and the span of an entity, or a span of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.model import Document, Template, plain_text
from tellapart.formats.templates.values import Span, Value, mentions
from tellapart.words import listed

if TYPE_CHECKING:
    from tellapart.formats.templates.records import Record


def arguments(event: Template) -> Iterator[tuple[str, Span]]:
    """Yield the role and the span of each argument of an event.

    >>> list(arguments(Template("Attack", {"Target": (plain_text("the bank", (3, 5)),)})))
    [('Target', (3, 5))]
    """
    for role, fills in event.roles.items():
        for fill in fills:
            for mention in mentions(fill):
                if mention.span is not None:
                    yield role, mention.span


def roles_of(
    found: Sequence[tuple[str, Span]], tokens: Sequence[str]
) -> dict[str, tuple[Value, ...]]:
    """Return arguments as fills of one mention each, by role.

    >>> roles_of([("Target", (0, 2))], ["the", "bank"])["Target"][0].text
    'the bank'
    """
    roles: dict[str, tuple[Value, ...]] = {}
    for role, span in found:
        fill = plain_text(" ".join(tokens[slice(*span)]), span)
        roles[role] = (*roles.get(role, ()), fill)
    return roles


def is_events(record: Record) -> bool:
    """Return whether a record has events with triggers: as TextEE's files have."""
    return isinstance(record.value, dict) and "event_mentions" in record.value


def read_events(
    record: Record, place: str, problems: Findings, key: Mapping[str, Document]
) -> Document:
    """Return a document with events, or a window of one, which gold has to have, too."""
    part = _document(place, record, problems)
    gold, [window] = key.get(part.id), part.windows
    if gold is not None and window not in gold.windows:
        raise DataError(
            f"{place}: window {window!r} of document {part.id!r} is not in the gold file; use the "
            "gold of the same windows"
        )
    return part


def warn_of_windows(
    document: Document, gold: Document | None, path: str, problems: Findings
) -> None:
    """Warn of windows that gold has and a prediction lacks."""
    lacking = [] if gold is None else [w for w in gold.windows if w not in document.windows]
    if lacking and any(lacking):
        problems.warn(
            f"{path}: document {document.id!r} lacks the windows {listed(lacking, 5)}; they were "
            "taken to be empty"
        )


def text_of(row: Any, key: str, place: str, what: str) -> str:
    """Return a text, or a number as one, that an object has under a key."""
    value = row.get(key) if isinstance(row, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise DataError(f"{place}: {what} has no {key!r}; give it as a text")
    return str(value)


def list_of(row: Mapping[str, Any], key: str, place: str, what: str) -> list[Any]:
    """Return a list that an object has under a key; one that is not there is an error."""
    value = row.get(key)
    if not isinstance(value, list):
        raise DataError(f"{place}: {what} has no list {key!r}; give one, [] if there is nothing")
    return value


def span_of(
    row: Any, place: str, what: str, n_tokens: int | None, findings: Findings | None = None
) -> Span:
    """Return the span of an object with `start` and `end`, within the tokens if they are known.

    One without any token is an error, or, where there are findings to note it in, a warning:
    programs that look generated texts up come to such arguments.

    >>> span_of({"start": 2, "end": 4}, "gold.jsonl:1", "the trigger", 24)
    (2, 4)
    """
    start, end = (row.get(key) if isinstance(row, dict) else None for key in ("start", "end"))
    if type(start) is not int or type(end) is not int:
        raise DataError(f"{place}: {what} has no 'start' and 'end'; give them as numbers of tokens")
    if start < 0 or end < start or (end == start and findings is None):
        raise DataError(
            f"{place}: {what} goes from {start} to {end}; tokens count from 0, and the end is the "
            "token after the last"
        )
    if n_tokens is not None and max(end, start + 1) > n_tokens:
        raise DataError(
            f"{place}: {what} goes from {start} to {end}, and there are {n_tokens} tokens; count "
            "tokens, not characters"
        )
    if end == start and findings is not None:
        findings.warn(f"{place}: {what} has no token (from {start} to {end}); it counts as wrong")
    return start, end


def _document(place: str, record: Record, findings: Findings) -> Document:
    row = record.value
    if not isinstance(row, dict):
        raise DataError(f"{place}: this is no object; give one with 'doc_id' and 'event_mentions'")
    name = text_of(row, "sent_id" if "sent_id" in row else "doc_id", place, "the record")
    window = text_of(row, "wnd_id", place, "the record") if "wnd_id" in row else ""
    tokens = row.get("tokens", [])
    if not isinstance(tokens, list) or not all(isinstance(each, str) for each in tokens):
        raise DataError(f"{place}: 'tokens' is no list of texts; give every token as a text")
    n_tokens = len(tokens) if tokens else None
    entities: dict[str, Span] = {}
    if "entity_mentions" in row:
        for number, each in enumerate(list_of(row, "entity_mentions", place, "the record"), 1):
            entity = text_of(each, "id", place, f"entity {number}")
            # The first of an id counts.
            entities.setdefault(entity, span_of(each, place, f"entity {entity!r}", n_tokens))
    events = []
    for number, each in enumerate(list_of(row, "event_mentions", place, "the record"), 1):
        event = _event(each, f"event {number}", place, tokens, entities, findings)
        events.append(replace(event, window=window))
    return Document(name, tuple(events), " ".join(tokens), record.line, windows=(window,))


def _event(
    row: Any,
    what: str,
    place: str,
    tokens: Sequence[str],
    entities: Mapping[str, Span],
    findings: Findings,
) -> Template:
    kind = text_of(row, "event_type", place, what)
    n_tokens = len(tokens) if tokens else None
    trigger = span_of(row.get("trigger"), place, f"the trigger of {what}", n_tokens)
    found = []
    for number, each in enumerate(list_of(row, "arguments", place, what), 1):
        argument = f"argument {number} of {what}"
        if isinstance(each, dict) and "role" in each and each["role"] is None:
            findings.warn(f"{place}: {argument} has no role (null); it was left out")
            continue
        role = text_of(each, "role", place, argument)
        if "entity_id" in each:
            entity = text_of(each, "entity_id", place, argument)
            if entity not in entities:
                raise DataError(
                    f"{place}: {argument} is the entity {entity!r}, which is not among "
                    "'entity_mentions'; add it, or correct its id"
                )
            found.append((role, entities[entity]))
        else:
            found.append((role, span_of(each, place, argument, n_tokens, findings)))
    name = row.get("id")
    return Template(kind, roles_of(found, tokens), None if name is None else str(name), trigger)
