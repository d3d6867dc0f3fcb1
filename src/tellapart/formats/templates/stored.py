"""Documents of files larger than memory: in a temporary file, each read when it is looked at."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile, gettempdir
from typing import Final, overload

from tellapart.errors import DataError
from tellapart.formats.templates.model import Document

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
        data = pickle.dumps(document, pickle.HIGHEST_PROTOCOL)
        self._places[document.id] = self._end
        try:
            self._file.seek(self._end)
            self._file.write(data)
        except OSError as error:
            raise DataError(
                f"documents of large files cannot be kept in {gettempdir()} "
                f"({error.strerror or error}); set TMPDIR to a folder with more room"
            ) from None
        self._end += len(data)

    def __getitem__(self, name: str) -> Document:
        self._file.seek(self._places[name])
        found: Document = pickle.load(self._file)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


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
