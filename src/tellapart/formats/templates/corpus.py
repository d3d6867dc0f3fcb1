"""Gold and predictions as documents, file by file and document by document in the order of gold.

What can be scored, though it may not be what was meant, is warned of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tellapart.errors import Notice
from tellapart.files import shown
from tellapart.formats.contract import run_names, system_files
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import MUC4, Design, load_design
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.layouts import (
    ANY,
    FILLERS,
    MUC,
    TEMPLATES,
    DocumentFile,
    read_document_file,
    same_document,
)
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.muc_files import converted, muc_file
from tellapart.formats.templates.muc_reader import ENCODING, is_muc
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
    runs_of: Mapping[str, Sequence[str]]
    """Per system the names of its runs"""
    problems: Findings
    missing: tuple[Notice, ...] = ()
    """What lacks documents of gold"""
    schema: Schema | None = None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is odd about the files, though they can be scored."""
        return (*self.problems.notices(), *self.missing)

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
    design: Design,
    schema: Schema | None = None,
    *,
    gold: bool = False,
    of_1992: bool = True,
) -> DocumentFile:
    """Return the documents of a file, of JSON or of 1992; what may be either is `of_1992`."""
    with problems.of_file():
        if is_muc(path, doubtful=of_1992):
            return muc_file(path, design, problems)
        return read_document_file(path, problems, schema, gold=gold)
    return DocumentFile(path, ANY)


def with_texts(file: DocumentFile, path: str | None, problems: Findings) -> DocumentFile:
    """Return gold with the texts of another file, where that has them."""
    if path is None:
        return file
    encoding = ENCODING if file.layout is MUC else "utf-8-sig"
    given = read_texts(path, file.documents, problems, encoding)
    documents = {
        name: replace(document, text=given.get(name, document.text))
        for name, document in file.documents.items()
    }
    return replace(file, documents=documents)


def read_corpus(
    gold: str, systems: Sequence[str | Path], options: TemplateOptions, *, as_today: bool = False
) -> Corpus:
    """Read gold and the file of each run, and note what is wrong with them.

    Files of 1992 become templates of today if gold is none of these, or if that is asked for.
    """
    paths = system_files(systems)
    names = iter(run_names(paths))
    runs_of = {system: tuple(next(names) for _ in own) for system, own in paths.items()}
    problems, schema = Findings(), named_schema(options.schema)
    design = load_design(options.slots or MUC4)
    key = with_texts(read_file(gold, problems, design, schema, gold=True), options.texts, problems)
    of_1992 = key.layout is MUC
    files = {
        name: read_file(path, problems, design, schema, of_1992=of_1992)
        for system, own in paths.items()
        for name, path in zip(runs_of[system], own, strict=True)
    }
    if as_today or not of_1992:
        key = converted(key, design, problems, gold=True)
        files = {name: converted(file, design, problems) for name, file in files.items()}
    return replace(put_together(key, files, problems, schema), runs_of=runs_of)


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
    predicted, missing = {}, []
    for name, file in files.items():
        documents = _by_gold(key, file, problems)
        lacking = tuple(each for each in key.documents if each not in documents)
        predicted[name] = tuple(documents.get(each, Document(each)) for each in key.documents)
        if lacking:
            text = f"{shown(file.path)} lacks {several(len(lacking), key.layout.unit)} "
            text += f"({listed(lacking, 5)}), scored as if nothing were found there."
            missing.append(Notice("missing-document", text, lacking))
    runs_of = {name: (name,) for name in files}
    return Corpus(key, files, predicted, runs_of, problems, tuple(missing), schema)


def _by_gold(key: DocumentFile, file: DocumentFile, problems: Findings) -> dict[str, Document]:
    """Return the documents of a file by what gold calls them."""
    found: dict[str, Document] = {}
    same, gold = same_document(key.documents), shown(key.path)
    # A document of which gold could not be read is none that it lacks.
    whole = not any(each.fatal and each.text.startswith(f"{gold}:") for each in problems.found)
    for name, document in file.documents.items() if key.documents and whole else ():
        place = f"{document.place}: {key.layout.unit} {name!r}"
        known = same(name)
        if known is None:
            problems.complain(
                f"{place} is not in {gold}; give the --gold of its {key.layout.unit}s"
            )
        elif known in found:
            problems.complain(f"{place} is there again, after {found[known].place}; give each once")
        else:
            found[known] = replace(document, id=known)
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
