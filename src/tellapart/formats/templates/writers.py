"""Templates written down in the layouts of the field, and what gets lost on the way.

What is lost is found by reading again what was written: whatever differs then is not in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from tellapart.formats.problems import Findings
from tellapart.formats.templates import generic, gtt
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.gtt import number_of
from tellapart.formats.templates.layouts import Reading
from tellapart.formats.templates.model import Document, Entity, Mention, Template
from tellapart.formats.templates.muc_files import muc_documents, write_muc
from tellapart.formats.templates.records import Record, records_of
from tellapart.formats.templates.ree import role_fillers


@dataclass(frozen=True, slots=True)
class Writer:
    """One layout to write: how, and how it is read again."""

    name: str
    about: str
    write: Callable[[Sequence[Document]], str]
    read: Callable[[str], list[Document]]


def _again(
    read: Callable[[Iterable[Record], Reading], Iterable[Document]], *, gold: bool = False
) -> Callable[[str], list[Document]]:
    """Return what reads the text of a file of JSON."""

    def reader(text: str) -> list[Document]:
        problems = Findings(strict=True)
        reading = Reading("what was written", problems, TemplateOptions(), gold)
        return list(read(records_of(text, reading.path, problems), reading))

    return reader


def _lines(rows: Iterator[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _roles(template: Template, entity: Callable[[Entity], Any]) -> dict[str, Any]:
    return {role: [entity(each) for each in some] for role, some in template.roles.items()}


def _typed(template: Template, entity: Callable[[Entity], Any]) -> dict[str, Any]:
    """Return a template as GTT has it: its type among its roles."""
    kind = {} if template.type is None else {"incident_type": template.type}
    return {**kind, **_roles(template, entity)}


def _plain(entity: Entity) -> list[str]:
    return list(entity.texts)


def _names(documents: Sequence[Document]) -> list[str]:
    """Return GTT's numbers of documents, where each has one of its own; else their names."""
    numbers = [number_of(each.id) for each in documents]
    if None in numbers or len(set(numbers)) < len(numbers):
        return [each.id for each in documents]
    return [str(each) for each in numbers]


def write_gtt(documents: Sequence[Document]) -> str:
    r"""Return GTT's predictions: one object of documents, which have numbers for names.

    >>> attack = Template("attack", {"Victim": (Entity.of("ana"),)})
    >>> write_gtt([Document("TST3-MUC4-0002", (attack,))])
    '{"30002": {"pred_templates": [{"incident_type": "attack", "Victim": [["ana"]]}]}}\n'
    """
    found = {
        name: {"pred_templates": [_typed(each, _plain) for each in document.templates]}
        for name, document in zip(_names(documents), documents, strict=True)
    }
    return json.dumps(found, ensure_ascii=False) + "\n"


def write_gtt_gold(documents: Sequence[Document]) -> str:
    """Return GTT's gold: a line for each document, mentions with their place in its text."""

    def row(document: Document) -> dict[str, Any]:
        def entity(each: Entity) -> list[Any]:
            return [[text, document.text.find(text)] for text in each.texts]

        templates = [_typed(each, entity) for each in document.templates]
        return {"docid": document.id, "doctext": document.text, "templates": templates}

    return _lines(map(row, documents))


def write_iterx(documents: Sequence[Document]) -> str:
    """Return IterX's predictions: a line for each document, which is its only key."""
    return _lines({each.id: [_typed(t, _plain) for t in each.templates]} for each in documents)


def write_grit(documents: Sequence[Document]) -> str:
    """Return GRIT's predictions: the entities of each role, those of all templates together."""
    found = {}
    for name, document in zip(_names(documents), documents, strict=True):
        fillers: dict[str, Any] = dict(role_fillers(document))
        if document.only_fillers:
            fillers = _roles(document.templates[0], _plain)
        found[name] = {"pred_extracts": fillers}
    return json.dumps(found, ensure_ascii=False) + "\n"


def write_json(documents: Sequence[Document]) -> str:
    """Return plain JSON lines: a document, its templates, and the mentions of each entity.

    >>> attack = Template("attack", {"Victim": (Entity.of("ana", "the mayor"),)})
    >>> print(write_json([Document("d1", (attack,))]), end="")
    {"doc": "d1", "templates": [{"type": "attack", "roles": {"Victim": [["ana", "the mayor"]]}}]}
    """

    def row(document: Document) -> dict[str, Any]:
        text = {"text": document.text} if document.text else {}
        templates = [
            {
                **({} if each.id is None else {"id": each.id}),
                **({} if each.type is None else {"type": each.type}),
                "roles": _roles(each, lambda entity: [_mention(m) for m in entity.mentions]),
            }
            for each in document.templates
        ]
        return {"doc": document.id, **text, "templates": templates}

    return _lines(map(row, documents))


def _mention(mention: Mention) -> Any:
    if mention.span is None:
        return mention.text
    return {"text": mention.text, "start": mention.span[0], "end": mention.span[1]}


WRITERS: Final = {
    each.name: each
    for each in (
        Writer("gtt", "GTT's predictions", write_gtt, _again(gtt.read_gtt_predictions)),
        Writer("gtt-gold", "GTT's gold", write_gtt_gold, _again(gtt.read_gtt_gold, gold=True)),
        Writer("iterx", "IterX's predictions", write_iterx, _again(gtt.read_iterx)),
        Writer("grit", "GRIT's predictions: role fillers", write_grit, _again(gtt.read_grit)),
        Writer("json", "plain JSON lines", write_json, _again(generic.read_generic)),
        Writer("muc", "templates of MUC-4", write_muc, muc_documents),
    )
}


def lost(documents: Sequence[Document], written: str, writer: Writer) -> list[str]:
    """Return what cannot be read again from what was written, a line for each kind of thing.

    >>> again = Template("attack"), Template("attack")
    >>> document = Document("d1", again, text="Two attacks.")
    >>> lost([document], write_iterx([document]), WRITERS["iterx"])
    ['the texts of documents: 1 (the first in d1)']
    """
    found = writer.read(written)
    kinds: dict[str, list[str]] = {}
    for before, after in zip_longest(documents, found, fillvalue=Document("")):
        for what in _differences(before, after):
            kinds.setdefault(what, []).append(before.id)
    return [f"{what}: {len(ids)} (the first in {ids[0]})" for what, ids in kinds.items()]


def _differences(before: Document, after: Document) -> Iterator[str]:
    """Yield what a document had and has no more."""
    if after.id not in (before.id, number_of(before.id)):
        yield "names of documents"
    if before.text and before.text != after.text:
        yield "the texts of documents"
    if before.only_fillers != after.only_fillers:
        yield (
            "that these are role fillers, and no templates"
            if before.only_fillers
            else "types of templates, and which entities belong to one of them"
        )
        return
    if len(before.templates) != len(after.templates):
        yield "templates that are there again, or have no type"
        return
    for old, new in zip(before.templates, after.templates, strict=True):
        if old.type != new.type:
            yield "types of templates"
        if old.id is not None and old.id != new.id:
            yield "ids of templates"
        if old.trigger is not None and old.trigger != new.trigger:
            yield "triggers"
        yield from _lost_fills(old, new)


def _lost_fills(old: Template, new: Template) -> Iterator[str]:
    for role, entities in old.roles.items():
        others = new.roles.get(role, ())
        if [each.texts for each in entities] != [each.texts for each in others]:
            yield "entities as they are written: capitals, blanks, numbers, or empty ones"
            continue
        mentions = [m for each in entities for m in each.mentions]
        again = [m for each in others for m in each.mentions]
        for one, other in zip(mentions, again, strict=True):
            if one.span is not None and one.span != other.span:
                yield "the places of mentions"
            if one.number != other.number:
                yield "that a mention is a number, which is compared as written"
