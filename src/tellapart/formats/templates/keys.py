"""Making a key of two: where two annotators' keys of the same messages differ, and what comes out.

Templates are paired as they are in scoring, and the fills of a slot by the words that they share.
What both keys have alike is in the key; all else is a `Difference`, which somebody settles by one
of its choices. Until then it counts as if both were right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError
from tellapart.formats.records import try_json
from tellapart.formats.templates.corpus import Corpus, Reading
from tellapart.formats.templates.design import Design, KeyPath, Slot
from tellapart.formats.templates.evaluation import Evaluation, evaluated
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.history import History, Numbers
from tellapart.formats.templates.muc_fills import FillError, parse_fill
from tellapart.formats.templates.muc_reader import (
    ENCODING,
    IRRELEVANT,
    Template,
    TemplateFile,
)
from tellapart.formats.templates.pairing import assign
from tellapart.formats.templates.schema import (
    TEMPLATE_KEYS,
    TYPE_KEYS,
    Schema,
)
from tellapart.formats.templates.scoring import Task
from tellapart.formats.templates.values import (
    Alternatives,
    Optional,
    Reference,
    Text,
    Value,
    inner,
    members,
    mentions,
    names,
    one_of,
    parts,
    shown,
)

FIRST, SECOND, EITHER, BOTH, NEITHER = "first", "second", "either", "both", "neither"
"""What may be decided about two fills: which of them the key has"""
REQUIRED, OPTIONAL = "required", "optional"
"""What may be decided about a template, or a fill that only one key has; or `NEITHER`"""
CHOICES: Final = (FIRST, SECOND, EITHER, BOTH, OPTIONAL, REQUIRED, NEITHER)
_LIKE: Final = 1 << 20
"""How alike fills are that are the same: more than any words that others share"""
_FILLS_BEGIN: Final = 35
"""The column of the fills in a key of 1992"""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two fills of a pair of templates that differ, or a template that only one of two keys has."""

    message: str
    templates: Numbers
    """The numbers of the templates in the two keys"""
    slot: str
    """Empty: it is about the template itself"""
    fills: tuple[Value, Value]
    choices: Mapping[str, tuple[Value, ...]]
    """What may be decided, and the fills that the key then has"""

    @property
    def undecided(self) -> tuple[Value, ...]:
        """The fills by which both annotators are right."""
        present = (Optional(inner(fill)) for fill in self.fills if fill is not None)
        return self.choices.get(EITHER) or tuple(present)


Decide: TypeAlias = Callable[[Difference], str | None]
"""What was decided about a difference; None: nothing yet"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A template of the key to be, with what is still to be decided in it."""

    template: Template
    whole: Difference | None
    """Whether it belongs in the key, and is optional, where the two keys do not agree in that"""
    slots: tuple[tuple[Value | Difference, ...], ...]

    def differences(self) -> Iterator[Difference]:
        """Yield all that is to be decided."""
        if self.whole is not None:
            yield self.whole
        yield from (each for slot in self.slots for each in slot if isinstance(each, Difference))

    def settled(self, number: str, decide: Decide) -> Template | None:
        """Return the template by what was decided; None if the key does not have it."""
        optional = self.template.optional
        if self.whole is not None:
            decided = decide(self.whole)
            if decided == NEITHER:
                return None
            optional = decided != REQUIRED
        fills = tuple(tuple(_fills(slot, decide)) for slot in self.slots)
        return replace(self.template, number=number, optional=optional, fills=fills)


def _fills(slot: Iterable[Value | Difference], decide: Decide) -> Iterator[Value]:
    for fill in slot:
        if not isinstance(fill, Difference):
            yield fill
        elif (decided := decide(fill)) is None:
            yield from fill.undecided
        else:
            yield from fill.choices[decided]


# Reading and comparing


def read_keys(first: str, second: str, options: TemplateOptions) -> Evaluation:
    """Read two keys of the same messages, the first as the key and the second as a response."""
    reading = Reading(options)
    key, other = (reading.file(path, gold=True) for path in (first, second))
    evaluation = evaluated(reading.corpus(key, {SECOND: other}))
    for notice in evaluation.notices:
        if notice.code == "missing-document":
            raise DataError(f"{notice.text} Two keys are of the same messages: give both whole.")
    return evaluation


def drafts(task: Task, message: str) -> list[Draft]:
    """Return the templates of a message by two keys, of which the second is the task's response."""
    found = []
    for pair in task.align_message(message, History()):
        ours, theirs = pair.relevant
        template, numbers = ours or theirs, pair.relevant.numbers
        if template is None:
            continue
        choices: tuple[str, ...] = (REQUIRED, OPTIONAL, NEITHER)
        slots: Any = template.fills
        if ours is not None and theirs is not None:
            choices = (REQUIRED, OPTIONAL) if ours.optional != theirs.optional else ()
            slots = (
                tuple(_compared(task.design, slot, message, numbers, a, b))
                for slot, a, b in zip(task.design.scored, ours.fills, theirs.fills, strict=True)
            )
        about = Difference(message, numbers, "", (None, None), dict.fromkeys(choices, ()))
        found.append(Draft(template, about if choices else None, tuple(slots)))
    return found


def _compared(
    design: Design,
    slot: Slot,
    message: str,
    numbers: Numbers,
    ours: Sequence[Value],
    theirs: Sequence[Value],
) -> Iterator[Value | Difference]:
    """Yield the fills of a slot that two keys have alike, and the differences between them."""
    for fill, other in _paired(design, slot, ours, theirs):
        if fill is not None and other is not None and _same(slot, fill, other):
            yield fill
        else:
            choices = _choices(design, slot, fill, other)
            yield Difference(message, numbers, slot.name, (fill, other), choices)


def _paired(
    design: Design, slot: Slot, ours: Sequence[Value], theirs: Sequence[Value]
) -> Iterator[tuple[Value, Value]]:
    """Yield the fills of two keys side by side: the same ones, then by the words they share."""

    def likeness(fill: Value, other: Value) -> int:
        shared = len(design.words([fill]) & design.words([other]))
        return _LIKE if _same(slot, fill, other) else 1 + shared

    rows = [[likeness(fill, other) for other in theirs] for fill in ours if theirs]
    partner = dict(assign(rows)) if rows else {}
    for i, fill in enumerate(ours):
        yield fill, theirs[partner[i]] if i in partner else None
    yield from ((None, fill) for j, fill in enumerate(theirs) if j not in partner.values())


def _same(slot: Slot, a: Value, b: Value) -> bool:
    """Return whether two keys say the same: the same alternatives, in any order."""
    return isinstance(a, Optional) == isinstance(b, Optional) and _form(slot, a) == _form(slot, b)


def _form(slot: Slot, fill: Value) -> Hashable:
    value = inner(fill)
    if slot.matcher is None:
        return _structure(value)
    tag = frozenset(names(value.tag)) if isinstance(value, Reference) else None
    return frozenset(slot.matcher.prepared(value)), tag


def _structure(value: Value) -> Hashable:
    if isinstance(value, Text):
        return value.bare
    inside = map(_structure, parts(value))
    return frozenset(inside) if isinstance(value, Alternatives) else (type(value), *inside)


def _choices(design: Design, slot: Slot, fill: Value, other: Value) -> dict[str, tuple[Value, ...]]:
    """Return what may be decided about two fills, of which one may not be there."""
    if fill is None or other is None:
        only = other if fill is None else fill
        name = SECOND if fill is None else FIRST
        choices: dict[str, tuple[Value, ...]] = {name: (only,)}
        if not isinstance(only, Optional):
            choices[OPTIONAL] = (Optional(only),)
    else:
        choices = {FIRST: (fill,), SECOND: (other,)}
        if _form(slot, fill) != _form(slot, other):
            merged = _either(fill, other)
            if merged not in (None, fill, other) and _can_be_written(design, slot, merged):
                choices[EITHER] = (merged,)
            choices[BOTH] = (fill, other)
    return choices | {NEITHER: ()}


def _either(fill: Value, other: Value) -> Value:
    """Return a fill that both stand for; None where one has a tag and the other has not."""
    a, b = inner(fill), inner(other)
    if isinstance(a, Reference) and isinstance(b, Reference):
        merged: Value = Reference(_joined(a.value, b.value), _joined(a.tag, b.tag))
    elif isinstance(a, Reference) or isinstance(b, Reference):
        return None
    else:
        merged = _joined(a, b)
    both = isinstance(fill, Optional) and isinstance(other, Optional)
    return Optional(merged) if both else merged


def _joined(a: Value, b: Value) -> Value:
    kept: dict[Hashable, Value] = {}
    for member in (*members(a), *members(b)):
        kept.setdefault(_structure(member), member)
    return one_of(kept.values())


def _can_be_written(design: Design, slot: Slot, value: Value) -> bool:
    """Return whether a file that has this fill says the same when it is read."""
    if design.of_schema:
        return True
    try:
        return parse_fill(shown(value), slot.kind, design) == value
    except FillError:
        return False


def settled_key(
    evaluation: Evaluation, by_message: Mapping[str, Sequence[Draft]], decide: Decide
) -> TemplateFile:
    """Return the key by what was decided."""
    messages = {}
    for message, made in by_message.items():
        kept: list[Template] = []
        for draft in made:
            template = draft.settled(str(len(kept) + 1), decide)
            kept += [] if template is None else [template]
        nothing = Template(message, IRRELEVANT, False, evaluation.design.unfilled)
        messages[message] = kept or [nothing]
    return TemplateFile(messages)


# Writing


def key_content(evaluation: Evaluation, key: TemplateFile) -> bytes:
    """Return a key in the form in which the two were read: of 1992, or JSON lines."""
    if not evaluation.design.of_schema:
        text, encoding = _of_1992(evaluation.design, key), ENCODING
    else:
        records = _records(evaluation.corpus, evaluation.design, key)
        text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in records)
        encoding = "utf-8"
    return text.encode(encoding, "surrogatepass")


def _of_1992(design: Design, key: TemplateFile) -> str:
    return "\n".join(
        "".join(
            f"{'' if k else slot.prefix:<{_FILLS_BEGIN}} {line}\n"
            for slot in design.slots
            for k, line in enumerate(_lines(design, slot, template))
        )
        for templates in key.messages.values()
        for template in templates
    )


def _lines(design: Design, slot: Slot, template: Template) -> list[str]:
    if slot is design.message_slot:
        return [template.message]
    if slot is design.number_slot:
        return [f"{template.number}{' (OPTIONAL)' if template.optional else ''}"]
    if not template.relevant:
        return [IRRELEVANT]
    return [shown(fill) for fill in template.fills[design.position[slot.name]]] or ["-"]


def _records(corpus: Corpus, design: Design, key: TemplateFile) -> Iterator[dict[str, Any]]:
    """Yield a record per document, with all things where the schema says that they stand."""
    schema, documents = corpus.reading.schema or Schema(), corpus.key.documents
    at = (schema.templates or (TEMPLATE_KEYS[:1],))[0]
    for name, templates in key.messages.items():
        record: dict[str, Any] = {}
        _put(record, documents[name].named_by, name)
        if documents[name].text:
            record["text"] = documents[name].text
        made = [_template(design, schema, each) for each in templates if each.relevant]
        if at:
            _put(record, at, made)
        elif len(made) > 1:
            raise DataError(
                f"document {name!r} has {len(made)} templates, and {schema.name} has room for one; "
                "settle which"
            )
        else:
            record |= made[0] if made else {}
        yield record


def _template(design: Design, schema: Schema, template: Template) -> dict[str, Any]:
    record: dict[str, Any] = {}
    places = {slot.name: slot.key for slot in schema.slots}
    for slot, fills in zip(design.scored, template.fills, strict=True):
        if not fills:
            continue
        if slot.name == design.type_slot:
            types = " / ".join(text.text for text in mentions(fills[0]))
            _put(record, (schema.type or (TYPE_KEYS[:1],))[0], types)
        else:
            place = places.get(slot.name, (slot.name,))
            _put(record, place, [_json_fill(fill, slot.kind) for fill in fills])
    return record | ({"optional": True} if template.optional else {})


def _put(record: dict[str, Any], path: KeyPath, value: Any) -> None:
    for key in path[:-1]:
        record = record.setdefault(key, {})
    record[path[-1]] = value


def _json_fill(fill: Value, kind: str) -> Any:
    """Return a fill as JSON has it: a text, its mentions, or an object with more than these."""
    value = inner(fill)
    texts = [
        _plain(text.text, kind)
        if text.span is None
        else {"text": text.text, "start": text.span[1], "end": text.span[2]}
        for text in mentions(value)
    ]
    more: dict[str, Any] = {}
    if isinstance(value, Reference):
        more["refers_to"] = _json_fill(value.tag, "string")
    if isinstance(fill, Optional):
        more["optional"] = True
    return {"mentions": texts, **more} if more else texts[0] if len(texts) == 1 else texts


def _plain(text: str, kind: str) -> Any:
    number = try_json(text) if kind == "number" else None
    return text if number is None else number
