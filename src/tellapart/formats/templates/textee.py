"""TextEE's files and scores: events with triggers and arguments, which are spans of tokens.

A record is a document, or a window of one. Its events have a type, a trigger and arguments; an
argument has a role and the span of an entity, or a span of its own. All six scores are of sets, so
that what is said twice counts once; without `+`, an argument may hang at the wrong event of the
same type.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.model import Document, Record, Template, plain_text
from tellapart.formats.templates.values import Text, Value, mentions

SCORES: Final = ("tri-i", "tri-c", "arg-i", "arg-c", "arg-i+", "arg-c+")

Mention: TypeAlias = Callable[[Any, str], Text]
"""Returns the tokens that an object of a window spans; the text says where it stands"""


def documents(records: Iterable[Record], problems: Findings) -> Iterator[Document]:
    """Yield documents with events, or windows of them."""
    for record in records:
        with problems.of_file():
            yield _document(record, problems)


def _document(record: Record, problems: Findings) -> Document:
    row, at = record.value, f"{record.place}: the record"
    by_sentence = isinstance(row, dict) and "sent_id" in row
    name = _text(row, "sent_id" if by_sentence else "doc_id", at)
    window = _text(row, "wnd_id", at) if "wnd_id" in row else ""
    tokens = _list(row, "tokens", at) if "tokens" in row else []
    mention = partial(_mention, window, tokens)
    entities: dict[str, Text] = {}
    listed_entities = _list(row, "entity_mentions", at) if "entity_mentions" in row else []
    for number, each in enumerate(listed_entities, 1):
        entity = f"{record.place}: entity {number}"
        # The first of an id counts.
        entities.setdefault(_text(each, "id", entity), mention(each, entity))
    events = [
        _event(each, f"{record.place}: event {number}", mention, entities, problems)
        for number, each in enumerate(_list(row, "event_mentions", at), 1)
    ]
    return Document(name, tuple(events), " ".join(map(str, tokens)), record.place)


def _event(
    row: Any, at: str, mention: Mention, entities: Mapping[str, Text], problems: Findings
) -> Template:
    kind = _text(row, "event_type", at)
    trigger = mention(row.get("trigger"), f"{at}, trigger").span
    roles: dict[str, tuple[Value, ...]] = {}
    for number, each in enumerate(_list(row, "arguments", at), 1):
        argument = f"{at}, argument {number}"
        if isinstance(each, dict) and each.get("role", "") is None:
            problems.warn(f"{argument} has no role (null); it was left out")
            continue
        role = _text(each, "role", argument)
        entity = str(each.get("entity_id", ""))
        if entity and entity not in entities:
            raise DataError(
                f"{argument} is the entity {entity!r}, which is not among 'entity_mentions'; add "
                "it, or correct its id"
            )
        fill = entities[entity] if entity else mention(each, argument)
        roles[role] = (*roles.get(role, ()), fill)
    return Template(kind, roles, trigger=trigger)


def _text(row: Any, key: str, at: str) -> str:
    """Return a text, or a number as one, that an object has under a key."""
    value = row.get(key) if isinstance(row, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise DataError(f"{at} has no {key!r}; give it as a text")
    return str(value)


def _list(row: Mapping[str, Any], key: str, at: str) -> list[Any]:
    value = row.get(key)
    if not isinstance(value, list):
        raise DataError(f"{at} has no list {key!r}; give one, [] if there is nothing")
    return value


def _mention(window: str, tokens: list[Any], row: Any, at: str) -> Text:
    """Return what an object with `start` and `end` spans, within the tokens if they are known."""
    start, end = (row.get(key) if isinstance(row, dict) else None for key in ("start", "end"))
    if type(start) is not int or type(end) is not int:
        raise DataError(f"{at} has no 'start' and 'end'; give them as numbers of tokens")
    if not 0 <= start <= end or (tokens and end > len(tokens)):
        raise DataError(f"{at} goes from {start} to {end}, of {len(tokens)} tokens; correct it")
    return plain_text(" ".join(map(str, tokens[start:end])), (window, start, end))


def counted(document: Document, name: str) -> set[Hashable]:
    """Return what counts in one of the six scores.

    >>> target = plain_text("x", ("", 3, 4))
    >>> attack = Template("Attack", {"Target": (target,)}, trigger=("", 1, 2))
    >>> counted(Document("d", (attack, attack)), "arg-c")
    {('Attack', 'Target', ('', 3, 4), None)}
    """
    classified, at_trigger = "-c" in name, name.endswith("+")
    if name.startswith("tri"):
        return {(each.trigger, each.type if classified else None) for each in document.templates}
    return {
        (
            event.type,
            role if classified else None,
            mention.span,
            event.trigger if at_trigger else None,
        )
        for event in document.templates
        for role, fills in event.roles.items()
        for fill in fills
        for mention in mentions(fill)
    }


def count(gold: Document, predicted: Document, _: bool, name: str) -> tuple[int, int, int, int]:
    """Return what matches and is predicted, and what matches and is gold, of one score."""
    wanted, given = counted(gold, name), counted(predicted, name)
    match = len(wanted & given)
    return match, len(given), match, len(wanted)
