"""Arguments in generated strings: an event's sentence with its blanks filled in (BART-Gen).

The ontology has a sentence for each type, `<arg1> attacked <arg2> at <arg3> place`. A prediction
is that sentence with words in the place of arguments, or `<arg>` where there is none. The words are
then looked for in the text. As in the scorer of gen-arg, what is not found costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.records import parse_json
from tellapart.formats.templates.events import list_of, text_of
from tellapart.formats.templates.model import Span

_ARGUMENT: Final = re.compile(r"<arg(\d{1,4})>")
_NONE: Final = "<arg>"


@dataclass(frozen=True, slots=True)
class EventType:
    """A type of events: its sentence, and the role of each of its arguments."""

    words: tuple[str, ...]
    roles: tuple[str, ...]


Ontology = Mapping[str, EventType]


def read_ontology(content: Any, place: str) -> dict[str, EventType]:
    """Return the types of an ontology: type → `template`, `roles`.

    >>> attack = {"Attack": {"template": "<arg1> attacked <arg2>", "roles": ["By", "Target"]}}
    >>> read_ontology(attack, "ontology.json")["Attack"].roles
    ('By', 'Target')
    """
    if not isinstance(content, dict) or not content:
        raise DataError(f"{place}: this is no ontology; give an object of types with 'roles'")
    found = {}
    for name, row in content.items():
        what = f"type {name!r}"
        words = tuple(text_of(row, "template", place, what).split())
        roles = list_of(row, "roles", place, what)
        if not all(isinstance(each, str) for each in roles):
            raise DataError(f"{place}: 'roles' of {what} is no list of texts; give their names")
        for word in words:
            argument = _ARGUMENT.match(word)
            if argument and not 1 <= int(argument[1]) <= len(roles):
                raise DataError(
                    f"{place}: the template of {what} has {argument[0]}, and there are "
                    f"{len(roles)} roles; give the role of every argument"
                )
        found[name] = EventType(words, tuple(roles))
    return found


def load_ontology(path: str) -> dict[str, EventType]:
    """Return the ontology of a file."""
    with open_text(path) as stream:
        content = parse_json(stream.read(), shown(path), "give an ontology", line=1)
    return read_ontology(content, shown(path))


def read_generated(sentence: str, kind: EventType) -> list[tuple[str, tuple[str, ...]]]:
    """Return the role and the words of each argument of a generated sentence.

    >>> attack = EventType(("<arg1>", "attacked", "<arg2>"), ("Attacker", "Target"))
    >>> read_generated("armed men attacked <arg>", attack)
    [('Attacker', ('armed', 'men'))]
    """
    words = sentence.split()
    found = []
    at = 0
    for k, expected in enumerate(kind.words):
        if at >= len(words):
            break
        argument = _ARGUMENT.match(expected)
        if argument is None or words[at] == _NONE:
            at += 1
            continue
        # Up to the next word of the template; what is last goes on to the end.
        following = kind.words[k + 1] if k + 1 < len(kind.words) else None
        start = at
        while at < len(words) and (following is None or words[at] != following):
            at += 1
        found.append((kind.roles[int(argument[1]) - 1], tuple(words[start:at])))
    return found


def find_words(words: Sequence[str], tokens: Sequence[str], trigger: Span) -> Span | None:
    """Return where words stand nearest to the trigger; the first of places that are as near.

    No words at all are found beside the trigger, as in the scorer of gen-arg.

    >>> text = "rebels met rebels".split()
    >>> find_words(["rebels"], text, (1, 2)), find_words(["men"], text, (1, 2))
    ((0, 1), None)
    """
    size, wanted = len(words), tuple(words)
    nearest, found = len(tokens), None
    for i in range(len(tokens)):
        if size and tokens[i] != wanted[0]:
            continue
        if tuple(tokens[i : i + size]) == wanted:
            distance = abs(trigger[0] - i - size) if i < trigger[0] else abs(i - trigger[1])
            if distance < nearest:
                nearest, found = distance, (i, i + size)
    return found


def generated_arguments(
    sentence: str, kind: EventType, tokens: Sequence[str], trigger: Span
) -> Iterator[tuple[str, Span]]:
    """Yield the role and the span of each argument that is found in the text.

    What is not found as a whole is looked for in parts, which `and` separates.

    >>> attack = EventType(("<arg1>", "attacked"), ("Attacker",))
    >>> text = "They came . Rebels attacked".split()
    >>> list(generated_arguments("Rebels and They attacked", attack, text, (4, 5)))
    [('Attacker', (3, 4)), ('Attacker', (0, 1))]
    """
    for role, words in read_generated(sentence, kind):
        whole = find_words(words, tokens, trigger)
        spans = [whole] if whole else [find_words(p, tokens, trigger) for p in _parts(words)]
        for span in spans:
            if span is not None:
                yield role, span


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words between `and`; one that begins a part belongs to it."""
    part: list[str] = []
    for word in words:
        if word == "and" and part:
            yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part
