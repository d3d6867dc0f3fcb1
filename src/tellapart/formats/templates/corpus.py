"""Gold and predictions as documents, file by file and document by document in the order of gold.

What can be scored, though it may not be what was meant, is warned of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from tellapart.formats.templates.schema import Schema, read_schema
from tellapart.formats.templates.texts import read_texts
from tellapart.words import listed, nearest, several


@dataclass(slots=True)
class Reading:
    """How the files of an evaluation are read, by the options, and what is wrong with them."""

    options: TemplateOptions = field(default_factory=TemplateOptions)
    problems: Findings = field(default_factory=Findings)
    schema: Schema | None = field(init=False)

    def __post_init__(self) -> None:
        path = self.options.schema
        self.schema = None if path is None else read_schema(path)

    @property
    def design(self) -> Design:
        """The design of files of 1992."""
        return load_design(self.options.slots or MUC4)

    def file(self, path: str, *, gold: bool = False, of_1992: bool = True) -> DocumentFile:
        """Return the documents of a file, of JSON or of 1992; what may be either is `of_1992`.

        Those of gold have the texts of another file, where that has them.
        """
        file = DocumentFile(path, ANY)
        with self.problems.of_file():
            if is_muc(path, doubtful=of_1992):
                file = muc_file(path, self.design, self.problems)
            else:
                file = read_document_file(path, self.problems, self.schema, gold=gold)
        if not gold or self.options.texts is None:
            return file
        encoding = ENCODING if file.layout is MUC else "utf-8-sig"
        given = read_texts(self.options.texts, file.documents, self.problems, encoding)
        documents = {
            name: replace(document, text=given.get(name, document.text))
            for name, document in file.documents.items()
        }
        return replace(file, documents=documents)

    def corpus(self, key: DocumentFile, files: Mapping[str, DocumentFile]) -> Corpus:
        """Return files document by document, with warnings of what may be misspelled."""
        told = self.schema is not None and self.schema.slots  # no slot of it: said in reading
        asked = [each for each in files.values() if not (told and each.layout is ANY)]
        _warn_of_roles(key, asked, self.problems)
        predicted, missing = {}, []
        for name, file in files.items():
            documents = _by_gold(key, file, self.problems)
            lacking = tuple(each for each in key.documents if each not in documents)
            predicted[name] = tuple(documents.get(each, Document(each)) for each in key.documents)
            if lacking:
                text = f"{shown(file.path)} lacks {several(len(lacking), key.layout.unit)} "
                text += f"({listed(lacking, 5)}), scored as if nothing were found there."
                missing.append(Notice("missing-document", text, lacking))
        runs_of = {name: (name,) for name in files}
        return Corpus(key, files, predicted, runs_of, self, tuple(missing))


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
    reading: Reading
    missing: tuple[Notice, ...] = ()
    """What lacks documents of gold"""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is odd about the files, though they can be scored."""
        return (*self.reading.problems.notices(), *self.missing)

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


def read_corpus(
    gold: str, systems: Sequence[str | Path], options: TemplateOptions, *, as_today: bool = False
) -> Corpus:
    """Read gold and the file of each run, and note what is wrong with them.

    Files of 1992 become templates of today if gold is none of these, or if that is asked for.
    """
    paths = system_files(systems)
    names = iter(run_names(paths))
    runs_of = {system: tuple(next(names) for _ in own) for system, own in paths.items()}
    reading = Reading(options)
    key = reading.file(gold, gold=True)
    of_1992 = key.layout is MUC
    files = {
        name: reading.file(path, of_1992=of_1992)
        for system, own in paths.items()
        for name, path in zip(runs_of[system], own, strict=True)
    }
    if as_today or not of_1992:
        design, problems = reading.design, reading.problems
        key = converted(key, design, problems, gold=True)
        files = {name: converted(file, design, problems) for name, file in files.items()}
    return replace(reading.corpus(key, files), runs_of=runs_of)


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
