"""Files of templates become counts: documents × systems × the columns of the wanted metrics.

What can be scored, though it may not be what was meant, is warned of.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.fixed_point import LIMIT
from tellapart.counts.views import Views
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Sources
from tellapart.formats.problems import Findings
from tellapart.formats.sources import paths_of, run_names, system_files
from tellapart.formats.templates.categories import MUC, Categories
from tellapart.formats.templates.families import Corpus, Family, families, metrics
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.gtt import same_document
from tellapart.formats.templates.item_views import template_views
from tellapart.formats.templates.layouts import FILLERS, TEMPLATES, TemplateFile, read_template_file
from tellapart.formats.templates.mapped import GUESSED
from tellapart.formats.templates.model import Document, Template, normalised
from tellapart.formats.templates.schema import Schema, read_schema
from tellapart.metrics import ItemFunction, Metric
from tellapart.metrics.runs import averaged
from tellapart.words import listed, nearest, several

Slots = dict[str, list[int | Fraction]]
"""Slot → the sums of a family's columns over all documents"""


@dataclass(frozen=True, slots=True)
class ScoredTemplates:
    """Counts per document, and what each system has slot by slot, family by family."""

    counts: Counts
    families: tuple[Family, ...]
    """Those that were counted"""
    slots: Mapping[str, Mapping[str, Slots]]
    """By run of a system and family"""
    runs_of: Mapping[str, Sequence[str]]
    """The runs of each system"""
    settings: Mapping[str, Any]
    """What each family made of the corpus"""
    corpus: Corpus
    """The documents as read"""
    schema: Schema
    """What is known of where things stand in the files"""


@dataclass(frozen=True, slots=True)
class _Files:
    """Gold and predictions, document by document in the order of gold."""

    gold: TemplateFile
    systems: tuple[TemplateFile, ...]
    paired: tuple[Sequence[Document], ...]
    """The documents of each file of predictions; one without templates where there is none"""
    notices: tuple[Notice, ...] = ()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the collector of cycles, which would visit all that was read again and again.

    Documents as trees of small objects hold no cycles, and looking for some takes as long as
    reading and scoring them. What is no longer referred to is freed at once, as ever.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@_without_collection()
def count_templates(sources: Sources, options: TemplateOptions) -> ScoredTemplates:
    """Return what the wanted metrics count in each document, system by system."""
    if sources.item not in (None, "document"):
        raise UsageError("the items of templates are documents; --cluster sums them by a label")
    gold = one_gold(sources.gold)
    paths = system_files(sources.systems)
    problems = Findings(strict=True)
    files = _read(gold, [path for some in paths.values() for path in some], problems, options)
    wanted = _wanted(sources.metrics, files, options)
    names = run_names(paths)
    chosen = list(dict.fromkeys(family for family, _ in wanted))
    columns: dict[str, list[list[int | Fraction]]] = {}
    slots: dict[str, dict[str, Slots]] = {name: {} for name in names}
    said: list[Notice] = []
    settings: dict[str, Any] = {}
    as_read = Corpus(tuple(files.gold.documents.values()), files.paired, options)
    normal = _normal(as_read) if any(family.normalised for family in chosen) else as_read
    for family in chosen:
        corpus = normal if family.normalised else as_read
        setting = settings[family.name] = family.setting(corpus)
        for name, documents in zip(names, corpus.predicted, strict=True):
            rows, sums = _count(family, corpus.gold, documents, setting)
            slots[name][family.name] = sums
            for c, column in enumerate(family.columns):
                columns.setdefault(f"{family.name}.{column}", []).append([row[c] for row in rows])
        said += family.notices(setting)
    counts = _counts(names, list(files.gold.documents), columns)
    counts = replace(
        counts,
        texts=_texts(names, files),
        metrics=tuple(_signed(family, metric, options) for family, metric in wanted),
    )
    notices = (*problems.notices(), *files.notices, *said)
    runs = runs_of(paths)
    counts = replace(averaged(counts, paths, notices), views=_views(as_read, runs, names))
    return ScoredTemplates(
        counts, tuple(chosen), slots, runs, settings, as_read, _schema(files, options)
    )


def runs_of(paths: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the names of the runs of each system.

    >>> runs_of({"old": ["a"], "new": ["b", "c"]})
    {'old': ['old'], 'new': ['new (run 1)', 'new (run 2)']}
    """
    names = iter(run_names(paths))
    return {system: [next(names) for _ in some] for system, some in paths.items()}


def _views(corpus: Corpus, runs: Mapping[str, Sequence[str]], names: Sequence[str]) -> Views:
    """Return what there is to see of a document; of several runs of a system, the first."""
    first = {system: corpus.predicted[names.index(some[0])] for system, some in runs.items()}
    return template_views(lambda: Categories.of(corpus), corpus.gold, first)


def _schema(files: _Files, options: TemplateOptions) -> Schema:
    """Return the schema that was given, or what was guessed of where templates stand."""
    if options.schema is not None:
        return read_schema(options.schema)
    guessed = [each.schema.templates for each in (files.gold, *files.systems) if each.schema]
    places = dict.fromkeys(path for some in guessed if some for path in some)
    return Schema(GUESSED, templates=tuple(places) or None)


def one_gold(gold: Sequence[Any]) -> str:
    """Return the only gold file."""
    if len(gold) != 1:
        raise UsageError(f"templates need one file of gold templates (--gold), not {len(gold)}")
    return str(gold[0])


def _read(gold: str, paths: Sequence[str], problems: Findings, options: TemplateOptions) -> _Files:
    key = read_template_file(gold, problems, options, gold=True)
    systems = tuple(
        read_template_file(path, problems, options, key=key.documents) for path in paths
    )
    warn_of_roles(key, systems, problems)
    for file in (key, *systems):
        warn_of_types(file, problems)
    paired, notices = list[Sequence[Document]](), []
    for file in systems:
        documents, lacking = _pair(key, file, problems)
        paired.append(documents)
        if lacking:
            text = (
                f"{shown(file.path)} lacks {several(len(lacking), 'document')} of "
                f"{shown(gold)}, which {'counts' if len(lacking) == 1 else 'count'} as without "
                f"templates: {listed(lacking, 5)}."
            )
            notices.append(Notice("missing-document", text, lacking))
    return _Files(key, systems, tuple(paired), tuple(notices))


def _pair(
    gold: TemplateFile, file: TemplateFile, problems: Findings
) -> tuple[Sequence[Document], tuple[str, ...]]:
    """Return the documents of a file in the order of gold, and those that it lacks."""
    found: dict[str, str] = {}
    same = same_document(gold.documents)
    for name in file.documents:
        known = same(name)
        if known is None:
            problems.complain(
                f"{shown(file.path)}:{file.documents[name].line}: document {name!r} is not in "
                f"{shown(gold.path)}; gold says which documents count: leave it out, or check the "
                "ids"
            )
        elif known in found:
            problems.complain(
                f"{shown(file.path)}:{file.documents[name].line}: document {name!r} is there "
                f"again, as {found[known]!r} in line {file.documents[found[known]].line}; give "
                "each document once"
            )
        else:
            found[known] = name
    wanted = list(gold.documents)
    lacking = tuple(name for name in wanted if name not in found)
    documents = [
        file.documents[found[name]] if name in found else Document(name) for name in wanted
    ]
    return tuple(documents), lacking


def _wanted(
    names: Sequence[str], files: _Files, options: TemplateOptions
) -> list[tuple[Family, Metric]]:
    """Return the metrics to score by, with their families."""
    kinds = {each.layout.kind for each in (files.gold, *files.systems)}
    known = metrics()
    if not names and (options.schema or files.gold.layout.is_any) and kinds <= MUC.kinds:
        return [(MUC, each) for each in MUC.metrics[: MUC.usual]]
    if not names:
        usual = next((each for each in families() if kinds <= each.kinds), None)
        if usual is None:
            first = next(e for e in files.systems if e.layout.kind != files.gold.layout.kind)
            raise DataError(
                f"{shown(first.path)}: this has {first.layout.kind}, and {shown(files.gold.path)} "
                f"has {files.gold.layout.kind}, which no metric compares; give files of one kind"
            )
        return [(usual, metric) for metric in usual.metrics[: usual.usual]]
    wanted = []
    for name in dict.fromkeys(names):
        if name not in known:
            raise UsageError(f"unknown metric {name!r}; {nearest(name, list(known))}")
        family, metric = known[name]
        for each in (files.gold, *files.systems):
            if each.layout.kind not in family.kinds:
                able = [
                    metric.name
                    for e in families()
                    if each.layout.kind in e.kinds
                    for metric in e.metrics[: e.usual]
                ]
                raise UsageError(
                    f"{shown(each.path)} has {each.layout.kind} ({each.layout.name}), which "
                    f"{name} does not score; {listed(able)} can"
                )
        wanted.append((family, metric))
    return wanted


def _signed(family: Family, metric: Metric, options: TemplateOptions) -> Metric:
    """Return a metric whose signature says what options make of it."""
    if isinstance(metric, ItemFunction):
        return metric
    signature = metric.signature if family.signature is None else family.signature(options)
    return replace(metric, signature=signature)


def _normal(corpus: Corpus) -> Corpus:
    """Return the documents with all mentions in their normal form."""
    return replace(
        corpus,
        gold=tuple(map(normalised, corpus.gold)),
        predicted=tuple(tuple(map(normalised, each)) for each in corpus.predicted),
    )


def _count(
    family: Family,
    gold: Sequence[Document],
    predicted: Sequence[Document],
    setting: Any,
) -> tuple[list[list[int | Fraction]], Slots]:
    """Return a row per document, and the sums of each slot."""
    rows: list[list[int | Fraction]] = []
    slots: Slots = {}
    for wanted, found in zip(gold, predicted, strict=True):
        row: list[int | Fraction] = [0] * len(family.columns)
        for slot, numbers in family.count(wanted, found, setting).items():
            sums = slots.setdefault(slot, [0] * len(family.columns))
            for c, number in enumerate(numbers):
                row[c] += number
                sums[c] += number
        rows.append(row)
    return rows, slots


def _counts(
    names: Sequence[str],
    items: Sequence[str],
    columns: Mapping[str, list[list[int | Fraction]]],
) -> Counts:
    """Return counts of exact numbers; fractions get their common denominator as scale."""
    scaled: dict[str, list[Any]] = {}
    scales: list[int] = []
    for name, systems in columns.items():
        scale = math.lcm(
            *(n.denominator for row in systems for n in row if isinstance(n, Fraction)), 1
        )
        if scale * len(items) >= LIMIT >> 10:  # too fine to be summed: rounded onto a grid
            scaled[name] = [np.array([float(n) for n in row]) for row in systems]
            scales.append(1)
        else:
            scaled[name] = [np.array([int(n * scale) for n in row], np.int64) for row in systems]
            scales.append(scale)
    counts = Counts.from_columns(names, items, scaled, {}, "document", "counts")
    # A column on a grid has a scale by now; others have that of their fractions.
    return replace(counts, scales=tuple(map(max, counts.scales, scales)))


def _texts(names: Sequence[str], files: _Files) -> ItemTexts:
    gold = files.gold.documents.values()
    outputs = {
        name: tuple(map(in_words, documents))
        for name, documents in zip(names, files.paired, strict=True)
    }
    return ItemTexts(
        tuple(each.text for each in gold) if any(each.text for each in gold) else (),
        tuple(map(in_words, gold)),
        outputs,
    )


def in_words(document: Document) -> str:
    """Return the templates of a document, one a line.

    >>> from tellapart.formats.templates.model import Entity
    >>> template = Template("attack", {"Victim": (Entity.of("ana", "mayor"), Entity.of("bo"))})
    >>> in_words(Document("d", (template,)))
    'attack. Victim: ana / mayor; bo'
    """
    return "\n".join(". ".join(_parts(each)) for each in document.templates)


def _parts(template: Template) -> Iterator[str]:
    if template.type is not None:
        yield template.type
    for role, entities in template.roles.items():
        if entities:
            yield f"{role}: " + "; ".join(" / ".join(entity.texts) for entity in entities)


def template_findings(
    systems: Sequence[str], gold: Sequence[str], options: TemplateOptions
) -> list[Finding]:
    """Return all that is wrong with files, by themselves and beside gold."""
    problems = Findings()
    files: dict[str, TemplateFile] = {}
    for path in (*gold, *paths_of(systems)):
        with problems.of_file():
            known = files[gold[0]].documents if gold and gold[0] in files else {}
            files[path] = read_template_file(
                path, problems, options, gold=path in gold, key={} if path in gold else known
            )
    if gold and not problems.fatal:
        for path in paths_of(systems):
            _pair(files[gold[0]], files[path], problems)
        warn_of_roles(files[gold[0]], [files[path] for path in paths_of(systems)], problems)
    for file in files.values():
        warn_of_types(file, problems)
    return problems.as_read(
        lambda: (
            count_templates(Sources(tuple(systems), tuple(gold)), options).counts.notices
            if gold
            else ()
        )
    )


def warn_of_roles(gold: TemplateFile, systems: Sequence[TemplateFile], problems: Findings) -> None:
    """Warn of roles that only one side has: a misspelled one is never right, and never found."""
    files = [each for each in systems if _has_roles(each)]
    if not _has_roles(gold) or not files:
        return
    wanted = _first_lines(gold)
    given = [_first_lines(each) for each in files]
    for file, roles in zip(files, given, strict=True):
        for role, line in roles.items() if wanted else ():
            if role not in wanted:
                problems.warn(
                    f"{shown(file.path)}:{line}: gold has no role {role!r} "
                    f"({nearest(role, list(wanted))}); what fills it counts as wrong"
                )
    known = set[str]().union(*given)
    for role, line in wanted.items() if known else ():
        if role not in known:
            problems.warn(
                f"{shown(gold.path)}:{line}: no system has the role {role!r} "
                f"({nearest(role, sorted(known))}); what fills it counts as missed"
            )


def _has_roles(file: TemplateFile) -> bool:
    return file.layout.kind in (TEMPLATES, FILLERS)


def _first_lines(file: TemplateFile) -> dict[str, int]:
    """Return the roles of a file, filled or not, each with the first line that has it."""
    lines: dict[str, int] = {}
    for document in file.documents.values():
        for template in document.templates:
            for role in template.roles:
                lines.setdefault(role, document.line)
    return lines


def warn_of_types(file: TemplateFile, problems: Findings) -> None:
    """Warn of templates without a type in a file where others have one."""
    if file.layout.kind != TEMPLATES:
        return
    untyped, typed = list[tuple[str, int]](), False
    for document in file.documents.values():
        kinds = [template.type for template in document.templates]
        typed = typed or any(kind is not None for kind in kinds)
        untyped += [(document.id, document.line) for kind in kinds if kind is None]
    for name, line in untyped if typed else ():
        problems.warn(
            f"{shown(file.path)}:{line}: a template of document {name!r} has no type in words, "
            "which others have; it fits no gold template"
        )
