"""Documents of files larger than memory: in a temporary file, each read when it is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, Final, overload

from tellapart.files import room_for
from tellapart.formats.templates.model import Document, Entity, Mention, Span, Template

_AT_A_TIME: Final = 1 << 16  # bytes


class StoredDocuments(Mapping[str, Document]):
    """Documents by id, in the order in which they were added.

    >>> stored = StoredDocuments()
    >>> stored.add(Document("d1", text="a"))
    >>> stored.add(Document("d2"))
    >>> list(stored), stored["d1"].text
    (['d1', 'd2'], 'a')
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(buffering=_AT_A_TIME)  # noqa: SIM115
        self._places: dict[str, int] = {}
        self._end = 0

    def add(self, document: Document) -> None:
        """Keep one more document."""
        data = json.dumps(_packed(document), separators=(",", ":")).encode("ascii") + b"\n"
        self._places[document.id] = self._end
        with self._room():
            self._file.seek(self._end)
            self._file.write(data)
        self._end += len(data)

    def __getitem__(self, name: str) -> Document:
        place = self._places[name]
        with self._room():
            self._file.seek(place)
            line = self._file.readline()
        return _unpacked(json.loads(line))

    def _room(self) -> AbstractContextManager[None]:
        return room_for("documents of large files", self._file)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _packed(document: Document) -> list[Any]:
    """Return a document as lists, in the order of its fields."""
    templates = [
        [
            each.type,
            {role: [[(m.text, m.number, m.span) for m in e.mentions] for e in entities]
             for role, entities in each.roles.items()},
            each.id,
            each.trigger,
        ]
        for each in document.templates
    ]  # fmt: skip
    return [document.id, templates, document.text, document.line, document.only_fillers]


def _unpacked(fields: list[Any]) -> Document:
    name, templates, *rest = fields
    return Document(name, tuple(_template(*each) for each in templates), *rest)


def _template(kind: str | None, roles: Any, name: str | None, trigger: Any) -> Template:
    entities = {
        role: tuple(
            Entity(tuple(Mention(text, number, _span(span)) for text, number, span in mentions))
            for mentions in each
        )
        for role, each in roles.items()
    }
    return Template(kind, entities, name, _span(trigger))


def _span(ends: Sequence[int] | None) -> Span | None:
    return None if ends is None else (ends[0], ends[1])


def _same(document: Document) -> Document:
    return document


@dataclass(frozen=True, slots=True)
class PairedDocuments(Sequence[Document]):
    """The documents of a file in the order of gold; one without templates where there is none."""

    gold: Sequence[str]
    names: Sequence[str | None]
    """What the file calls each document of gold; None if it lacks it"""
    documents: Mapping[str, Document]
    change: Callable[[Document], Document] = _same
    """What is made of each when it is looked at"""

    def __len__(self) -> int:
        return len(self.gold)

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Document]: ...
    def __getitem__(self, place: int | slice) -> Document | Sequence[Document]:
        if isinstance(place, slice):
            return [self[k] for k in range(len(self))[place]]
        name = self.names[place]
        return self.change(Document(self.gold[place]) if name is None else self.documents[name])

    def changed(self, change: Callable[[Document], Document]) -> PairedDocuments:
        """Return the documents with one more change."""
        before = self.change
        return PairedDocuments(
            self.gold, self.names, self.documents, lambda each: change(before(each))
        )
