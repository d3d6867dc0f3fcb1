"""Templates of 1992 as templates of today: the conversion of Du, Rush and Cardie.

Of the slots of a MUC-4 template, the type of the incident and five slots of texts become a template
with roles; a fill is an entity, and its alternatives are its mentions. Of the gold, mentions that
are not in the text of the message are dropped. That text has round brackets for square ones, so
that mentions with square brackets are lost, as in the files that people score by; these alone are
dropped of a message whose text is not given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from tellapart.files import shown as shown_path
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.layouts import MUC, DocumentFile
from tellapart.formats.templates.model import Document, Template, plain_text, size
from tellapart.formats.templates.muc_fills import NOTHING
from tellapart.formats.templates.muc_reader import Template as MucTemplate
from tellapart.formats.templates.muc_reader import read_templates
from tellapart.formats.templates.values import Text, Value, inner, mentions, one_of, shown
from tellapart.words import several

ROLES: Final = {
    "PerpInd": ("perp-ind-id", "indiv-perps"),
    "PerpOrg": ("perp-org-id", "org-perps"),
    "Target": ("phys-tgt-id", "phys-target-ids"),
    "Victim": ("hum-tgt-name", "human-target-ids"),
    "Weapon": ("inc-instr-id",),
}
"""The slot of MUC-4 or MUC-3 that each role is made of; no other is kept"""
TYPES: Final = ("inc-type", "incident-type")
_BRACKETS: Final = str.maketrans("[]", "()")


def muc_file(path: str, design: Design, problems: Findings) -> DocumentFile:
    """Return the messages of a key or of a response; its templates are those of 1992."""
    filled = read_templates(path, design, problems)
    documents = {
        message: Document(message, place=f"{shown_path(path)}:{templates[0].line}")
        for message, templates in filled.messages.items()
    }
    return DocumentFile(path, MUC, documents, filled)


def converted(
    file: DocumentFile, design: Design, problems: Findings, *, gold: bool = False
) -> DocumentFile:
    """Return a file of 1992 with templates of today, and any other file as it is.

    Gold loses mentions that are not in the texts.
    """
    if file.filled is None:
        return file
    documents, dropped = {}, 0
    for message, document in file.documents.items():
        templates = file.filled.messages[message]
        made = [each for each in map(partial(_template, design), templates) if each]
        if gold:
            published = list(as_published(made, searched_text(document.text)))
            dropped += sum(size(each, by_mention=True) for each in made)
            dropped -= sum(size(each, by_mention=True) for each in published)
            made = published
        documents[message] = replace(document, templates=tuple(made))
    if dropped:
        problems.warn(
            f"{file.path}: {several(dropped, 'mention')} of the key in square brackets, not in "
            "--texts or there again; left out, as in the published gold"
        )
    return DocumentFile(file.path, MUC, documents)


def searched_text(text: str) -> str:
    r"""Return the text of a message as its mentions are looked for in it.

    >>> searched_text("[TEXT] TWO\n   MEN FLED.")
    '(text) two men fled.'
    """
    return " ".join(text.lower().translate(_BRACKETS).split())


def _template(design: Design, template: MucTemplate) -> Template | None:
    """Return a template of today; None if it says that there is nothing."""
    kinds = _fills(design, template, TYPES)
    if not kinds:
        return None
    kind = shown(inner(kinds[0])).lower().partition(" (")[0]
    roles = {
        role: tuple(
            one_of(texts)
            for fill in _fills(design, template, slots)
            if (texts := [plain_text(text) for text in _mentions(fill)])
        )
        for role, slots in ROLES.items()
    }
    return Template(kind, roles)


def _fills(design: Design, template: MucTemplate, slots: Sequence[str]) -> Sequence[Value]:
    """Return the fills of the first slot of some that the design has."""
    at = next((design.position[slot] for slot in slots if slot in design.position), None)
    return () if at is None else template.fills[at]


def _mentions(fill: Value) -> Iterator[str]:
    """Yield the alternatives of a fill: small letters, without quotation marks."""
    for each in mentions(fill):
        text = each.text
        if len(text) > 1 and text[0] == text[-1] == '"':
            text = text[1:-1]
        text = text.replace('\\"', '"').lower()
        if text.strip() and text not in NOTHING:
            yield text


def as_published(templates: Iterable[Template], text: str) -> Iterator[Template]:
    """Yield gold templates as they are published: with mentions of the text only, and each once.

    Mentions and entities come in the order of the text; without one, only square brackets go.

    >>> from tellapart.formats.templates.model import fill_of
    >>> victims = fill_of("mayor ana", "ana"), fill_of("[her guard]")
    >>> [kept] = as_published([Template("attack", {"Victim": victims})], "ana, mayor ana")
    >>> [shown(fill) for fill in kept.roles["Victim"]]
    ['ana / mayor ana']
    """
    seen = set()
    for template in templates:
        roles = {role: tuple(_known(entities, text)) for role, entities in template.roles.items()}
        same = template.type, tuple(roles.values())
        if same not in seen:
            seen.add(same)
            yield replace(template, roles=roles)


def _known(fills: Iterable[Value], text: str) -> list[Value]:
    """Return fills with the mentions that are in the text; those that have none are left out."""

    def place(mention: Text) -> int:
        return text.find(mention.text)

    def known(mention: Text) -> bool:
        return mention.text in text if text else "[" not in mention.text

    kept = [sorted(filter(known, mentions(fill)), key=place) for fill in fills]
    return [one_of(found) for found in sorted(filter(None, kept), key=lambda some: place(some[0]))]
