"""Span files: an object a line with a text, its spans, and whether annotators accepted it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tellapart.counts import Counts
from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.annotation.entities import (
    EntityScores,
    entity_report,
    score_entities,
    unknown_labels,
)
from tellapart.formats.annotation.model import (
    Corpus,
    Document,
    Span,
    common_items,
    read_corpus,
    refuse_extra,
)
from tellapart.formats.contract import Report, Sources
from tellapart.formats.logs.log import scalar_labels
from tellapart.formats.problems import Findings
from tellapart.formats.records import json_lines
from tellapart.options import NoOptions
from tellapart.words import several

_NOT_ACCEPTED: Final = ("reject", "ignore")
_SHAPE: Final = '{"text": …, "spans": [{"start": …, "end": …, "label": …}, …]}'
_SHOWN: Final = 40  # characters of a text in a message


@dataclass(frozen=True, slots=True)
class SpanLine:
    """One text with its spans, each once; the document has no id yet."""

    document: Document[Span]
    accepted: bool = True
    ids: Mapping[str, str] = field(default_factory=dict)
    """What may serve as its id, by the key where it stands"""


@dataclass(frozen=True, slots=True)
class SpanFile:
    """The lines of one file."""

    path: str
    lines: list[SpanLine]


def read_span_file(path: str, problems: Findings) -> SpanFile:
    """Return the texts and spans of a file; what `problems` lets pass is left out."""
    file = SpanFile(shown(path), [])
    keys = set[str]()
    for place, row in json_lines(path, problems):
        keys.update(row)
        with problems.of_file():
            file.lines.append(_line(row, place, problems))
    if not file.lines:
        problems.complain(f"{file.path}: there is no text; give {_SHAPE} a line")
    elif "spans" not in keys:
        problems.complain(f'{file.path}: no line has "spans"; give {_SHAPE} a line')
    return file


def _line(row: dict[str, Any], place: str, problems: Findings) -> SpanLine:
    given = row.get("spans")
    if not isinstance(row.get("text"), str) or not isinstance(given, list | None):
        raise DataError(f'{place}: there is no "text", or "spans" is no list; give {_SHAPE}')
    spans = list(_spans(given or [], len(row["text"]), place, problems))
    again = len(spans) - len(set(spans))
    if again:
        problems.warn(f"{place}: {several(again, 'span')} there twice; each counts once")
    labels = scalar_labels(row.get("meta"), "meta")
    named = {"id": row.get("id"), "meta.id": labels.pop("id", None)}
    ids = {key: str(value) for key, value in named.items() if isinstance(value, str | int)}
    marked = tuple(sorted(set(spans)))
    document = Document("", marked, text=row["text"], labels=labels, place=place)
    return SpanLine(document, row.get("answer") not in _NOT_ACCEPTED, ids)


def _spans(given: list[Any], size: int, place: str, problems: Findings) -> Iterator[Span]:
    for k, span in enumerate(given, 1):
        start, end, label = (
            span.get(part) if isinstance(span, dict) else None for part in ("start", "end", "label")
        )
        if not isinstance(label, str) or not label.strip():
            problems.complain(f'{place}: span {k} has no "label"; give {_SHAPE}')
        elif type(start) is not int or type(end) is not int or not 0 <= start < end <= size:
            problems.complain(
                f"{place}: span {k} goes from {start} to {end}, the text from 0 to {size}; end is "
                "the character after the last"
            )
        else:
            yield Span(start, end, label)


def score_spans(sources: Sources) -> EntityScores:
    """Return counts `tp fp fn` per text, and what each system found label by label.

    Lines are paired by `id` or `meta.id`, or else by their order; texts must agree. Plain values of
    `meta` are labels. Gold lines whose `answer` is reject or ignore are left out. Where a system
    lacks a text, "zero" says that all its spans are missed.
    """
    missing = sources.missing or "error"
    corpus = read_corpus(sources, read_span_file, "spans")
    key = _id_key([corpus.gold, *corpus.runs.values()])
    wanted = _by_id(corpus.gold, key)
    accepted = [item for item, line in wanted.items() if line.accepted]
    if not accepted:
        raise DataError(f"{corpus.gold.path}: no text was accepted; check the gold")
    outputs = {name: _by_id(file, key) for name, file in corpus.runs.items()}
    notices = [*_left_out(corpus.gold), *_beside_gold(corpus, wanted, outputs, missing)]
    items, absent = common_items(accepted, outputs, missing, "text")
    golds = [wanted[item].document for item in items]
    runs = {
        name: [lines[item].document if item in lines else Document(item) for item in items]
        for name, lines in outputs.items()
    }
    labels = [each for documents in runs.values() for each in unknown_labels(golds, documents)]
    notices = [*corpus.problems.notices(), *labels, *notices, *absent]
    return score_entities(golds, runs, corpus.files, "text", notices)


def _id_key(files: Sequence[SpanFile]) -> str | None:
    """Return what names a line: an id that all have; None for its place in the file."""
    lines = [line for file in files for line in file.lines]
    return next((key for key in ("id", "meta.id") if all(key in line.ids for line in lines)), None)


def _by_id(file: SpanFile, key: str | None) -> dict[str, SpanLine]:
    lines: dict[str, SpanLine] = {}
    for number, line in enumerate(file.lines, 1):
        item = str(number) if key is None else line.ids[key]
        document = line.document
        if item in lines:
            raise DataError(
                f"{document.place}: the {key} {item!r} appears twice, first in "
                f"{lines[item].document.place}; give each text its own"
            )
        lines[item] = replace(line, document=replace(document, id=item))
    return lines


def _left_out(gold: SpanFile) -> Iterator[Notice]:
    """Yield a notice of the gold lines that were rejected or ignored."""
    number = sum(not line.accepted for line in gold.lines)
    if number:
        text = f"Left out, being rejected or ignored in {gold.path}: {several(number, 'line')}."
        yield Notice("left-out", text, (gold.path,))


def _beside_gold(
    corpus: Corpus[SpanFile],
    wanted: Mapping[str, SpanLine],
    outputs: Mapping[str, Mapping[str, SpanLine]],
    missing: str,
) -> Iterator[Notice]:
    """Refuse texts that are not those of the gold; yield what else systems have of their own."""
    for file, lines in zip(corpus.runs.values(), outputs.values(), strict=True):
        for item, line in lines.items():
            key, document = wanted.get(item, line).document, line.document
            if document.text != key.text:
                raise DataError(
                    f"{document.place}: the text is {document.text[:_SHOWN]!r}, but "
                    f'{key.text[:_SHOWN]!r} in {key.place}; give each text an "id"'
                )
        extra = [item for item in lines if item not in wanted]
        if extra:
            yield refuse_extra(file.path, extra, corpus.gold.path, missing, "text")


def read(sources: Sources, _: NoOptions) -> Counts:
    """Return the counts of spans, text by text."""
    return score_spans(sources).counts


def report(sources: Sources, _: NoOptions) -> Report:
    """Return every system's scores, label by label."""
    return entity_report(score_spans(sources), sources.metrics)
