"""Gold and predictions as documents, file by file and document by document in the order of gold.

What can be scored, though it may not be what was meant, is warned of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tellapart.errors import Notice
from tellapart.files import shown
from tellapart.formats.head import read_head
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import MUC4, load_design
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.layouts import (
    ANY,
    FILLERS,
    TEMPLATES,
    DocumentFile,
    read_document_file,
    same_document,
)
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.muc_files import muc_documents
from tellapart.formats.templates.muc_reader import looks_like_muc
from tellapart.formats.templates.schema import Schema, named_schema
from tellapart.formats.templates.texts import read_texts
from tellapart.words import listed, nearest, several


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of gold and of every run of every system."""

    key: DocumentFile
    files: Mapping[str, DocumentFile]
    """By the name of the run"""
    predicted: Mapping[str, tuple[Document, ...]]
    """The documents of each run in the order of gold; one without templates where there is none"""
    notices: tuple[Notice, ...] = ()
    schema: Schema | None = None

    @property
    def gold(self) -> tuple[Document, ...]:
        """The documents of gold."""
        return tuple(self.key.documents.values())

    @property
    def kinds(self) -> set[str]:
        """What the documents of the files hold."""
        return {file.layout.kind for file in (self.key, *self.files.values())}

    @property
    def typed(self) -> bool:
        """Whether templates have types: those of gold, or if it has none, any."""
        sides = (
            [self.gold] if any(each.templates for each in self.gold) else self.predicted.values()
        )
        return any(t.type is not None for side in sides for each in side for t in each.templates)

    def texts(self) -> dict[str, str]:
        """Return the texts of documents, as far as gold has them."""
        return {name: each.text for name, each in self.key.documents.items() if each.text}


def read_file(
    path: str,
    problems: Findings,
    schema: Schema | None = None,
    design: str = MUC4,
    texts: str | None = None,
    *,
    gold: bool = True,
) -> DocumentFile:
    """Return the documents of a file, of JSON or of 1992."""
    if looks_like_muc(read_head(path)):
        return muc_documents(path, load_design(design), problems, gold=gold, texts=texts)
    file = read_document_file(path, problems, schema, gold=gold)
    return file if texts is None else _with_texts(file, texts, problems)


def read_corpus(gold: str, predicted: Mapping[str, str], options: TemplateOptions) -> Corpus:
    """Read gold and the file of each run; the first problem that is fatal is an error."""
    problems, schema = Findings(strict=True), named_schema(options.schema)
    design = options.slots or MUC4
    key = read_file(gold, problems, schema, design, options.texts)
    files = {
        name: read_file(path, problems, schema, design, gold=False)
        for name, path in predicted.items()
    }
    return put_together(key, files, problems, schema)


def _with_texts(file: DocumentFile, texts: str, problems: Findings) -> DocumentFile:
    """Return gold with the texts of another file, where that has them."""
    given = read_texts(texts, file.documents, problems, "utf-8-sig")
    documents = {
        name: replace(document, text=given.get(name, document.text))
        for name, document in file.documents.items()
    }
    return replace(file, documents=documents)


def put_together(
    key: DocumentFile,
    files: Mapping[str, DocumentFile],
    problems: Findings,
    schema: Schema | None = None,
) -> Corpus:
    """Return files document by document, with warnings of what may be misspelled."""
    told = schema is not None and schema.slots  # what is no slot of it, as files were read
    asked = [each for each in files.values() if not (told and each.layout is ANY)]
    _warn_of_roles(key, asked, problems)
    predicted, notices = {}, []
    for name, file in files.items():
        documents = _by_gold(key, file, problems)
        lacking = tuple(each for each in key.documents if each not in documents)
        predicted[name] = tuple(documents.get(each, Document(each)) for each in key.documents)
        if lacking:
            text = (
                f"{shown(file.path)} lacks {several(len(lacking), 'document')} of "
                f"{shown(key.path)}, which {'counts' if len(lacking) == 1 else 'count'} as without "
                f"templates: {listed(lacking, 5)}."
            )
            notices.append(Notice("missing-document", text, lacking))
    return Corpus(key, files, predicted, (*problems.notices(), *notices), schema)


def _by_gold(key: DocumentFile, file: DocumentFile, problems: Findings) -> dict[str, Document]:
    """Return the documents of a file by what gold calls them."""
    found: dict[str, Document] = {}
    same = same_document(key.documents)
    for name, document in file.documents.items():
        place = f"{document.place}: document {name!r}"
        known = same(name)
        if known is None:
            problems.complain(
                f"{place} is not in {shown(key.path)}; give the --gold of its documents"
            )
        elif known in found:
            problems.complain(
                f"{place} is there again, after {found[known].place}; give each document once"
            )
        else:
            found[known] = document
    return found


def _warn_of_roles(gold: DocumentFile, systems: Sequence[DocumentFile], problems: Findings) -> None:
    """Warn of roles that gold does not have: a misspelled one is never right."""
    wanted = list(_first_places(gold))
    if gold.layout.kind not in (TEMPLATES, FILLERS) or not wanted:
        return
    for file in systems:
        for role, place in _first_places(file).items():
            if role not in wanted:
                problems.warn(
                    f"{place}: gold has no role {role!r} ({nearest(role, wanted)}); what fills it "
                    "counts as wrong"
                )


def _first_places(file: DocumentFile) -> dict[str, str]:
    """Return the roles of a file, filled or not, each with the first place that has it."""
    places: dict[str, str] = {}
    for document in file.documents.values():
        for template in document.templates:
            for role in template.roles:
                places.setdefault(role, document.place)
    return places
