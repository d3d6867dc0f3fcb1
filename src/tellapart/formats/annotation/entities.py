"""Labelled spans scored as entities: right if bounds and label are. Behind tags and spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection
from tellapart.errors import Notice
from tellapart.formats.annotation.model import (
    Document,
    Fractions,
    Scores,
    Span,
    labels_by_name,
)
from tellapart.formats.contract import Report, plain_report
from tellapart.metrics.runs import averaged

COLUMNS: Final = ("tp", "fp", "fn")

Texts = Sequence[Document[Span]]


class Totals(NamedTuple):
    """How many entities are right, how many a system found, and how many there are."""

    correct: float
    found: float
    gold: float

    @property
    def scores(self) -> Scores:
        """Recall, precision and F1."""
        return Fractions(self.correct, self.gold, self.correct, self.found).scores

    def percentages(self) -> str:
        """Return the scores as conlleval prints them."""
        recall, precision, f1 = (100 * value for value in self.scores)
        return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


@dataclass(frozen=True, slots=True)
class EntityScores:
    """Counts of entities per item, and each system's totals type by type."""

    counts: Counts
    types: Mapping[str, Mapping[str, Totals]]
    tokens: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of tags, by system: the number of `tokens`, their `accuracy`, and how they were read"""

    def record(self, system: str) -> dict[str, Any]:
        """Return the report of a system as numbers."""
        types = {
            label: {**totals._asdict(), **totals.scores._asdict()}
            for label, totals in self.types[system].items()
        }
        return {**self.tokens.get(system, {}), "types": types}

    def text(self, system: str) -> str:
        """Return the report of a system laid out as conlleval does."""
        columns = zip(*self.types[system].values(), strict=True)
        total = Totals(*map(sum, columns)) if self.types[system] else Totals(0, 0, 0)
        tags = self.tokens.get(system)
        tokens = f"{tags['tokens']} tokens with " if tags else ""
        accuracy = f"accuracy: {100 * tags['accuracy']:6.2f}%; " if tags else ""
        lines = [
            f"System: {system}",
            f"processed {tokens}{total.gold:g} phrases; found: {total.found:g} phrases; "
            f"correct: {total.correct:g}.",
            f"{accuracy}{total.percentages()}",
        ]
        lines += [
            f"{label:>17}: {totals.percentages()}  {totals.found:g}"
            for label, totals in self.types[system].items()
        ]
        return "\n".join(lines) + "\n"


def score_entities(
    gold: Texts,
    runs: Mapping[str, Texts],
    files: Mapping[str, Sequence[str]],
    kind: str,
    notices: Sequence[Notice],
) -> EntityScores:
    """Return the counts and totals of systems, whose runs are averaged."""
    counts = averaged(_counts(gold, runs, kind), files, notices)
    documents = iter(runs.values())
    types = {
        system: _totals(gold, [next(documents) for _ in paths]) for system, paths in files.items()
    }
    return EntityScores(counts, types)


def _counts(gold: Texts, runs: Mapping[str, Texts], kind: str) -> Counts:
    arrays = {}
    for name, documents in runs.items():
        rows = [_row(key, document) for key, document in zip(gold, documents, strict=True)]
        arrays[name] = np.array(rows, np.int64)
    items = [document.id for document in gold]
    counts = Counts.from_arrays(
        arrays, COLUMNS, items, labels_by_name(gold), kind=kind, form="counts"
    )
    texts = ItemTexts(
        tuple(document.text for document in gold),
        tuple(map(_in_words, gold)),
        {name: tuple(map(_in_words, documents)) for name, documents in runs.items()},
    )

    places = {item: k for k, item in enumerate(items)}

    def view(item: str) -> ItemView:
        at = places[item]
        outputs = {name: documents[at].spans for name, documents in runs.items()}
        return annotated_view(gold[at].text, gold[at].spans, outputs)

    return replace(counts, texts=texts, views=view)


def _row(gold: Document[Span], document: Document[Span]) -> tuple[int, int, int]:
    right = len(set(document.spans).intersection(gold.spans))
    return right, len(document.spans) - right, len(gold.spans) - right


def _in_words(document: Document[Span]) -> str:
    return "; ".join(f"{label}: {document.text[a:b]}" for a, b, label in document.spans)


def _totals(gold: Texts, runs: Sequence[Texts]) -> dict[str, Totals]:
    """Return the totals of each type in the order of names, means of the runs."""
    correct, found = Counter[str](), Counter[str]()
    for documents in runs:
        for key, document in zip(gold, documents, strict=True):
            found.update(label for _, _, label in document.spans)
            right = set(key.spans).intersection(document.spans)
            correct.update(label for _, _, label in right)
    wanted = Counter(label for key in gold for _, _, label in key.spans)

    def mean(number: int) -> float:
        return number // len(runs) if number % len(runs) == 0 else number / len(runs)

    return {
        label: Totals(mean(correct[label]), mean(found[label]), wanted[label])
        for label in sorted({*wanted, *found})
    }


def unknown_labels(gold: Texts, documents: Texts) -> Iterator[Notice]:
    """Yield notices of labels that no gold span has; a misspelled one is never right."""
    wanted = {label for document in gold for _, _, label in document.spans}
    first = {label: doc.place for doc in reversed(documents) for _, _, label in doc.spans}
    for label in sorted(first.keys() - wanted) if wanted else ():
        text = f"{first[label]}: the gold has no span with the label {label!r}; those of the "
        yield Notice("unknown-label", f"{text}system count as wrong.", (label,))


def entity_report(scores: EntityScores, metrics: Sequence[str]) -> Report:
    """Return each system's scores, with its report laid out as conlleval does."""
    return plain_report(
        scores.counts,
        metrics,
        lambda system: {"report": scores.record(system.name), "text": scores.text(system.name)},
    )


# A text as one looks at it

_Marked = tuple[int, int, str, str]  # a span, and how it is judged


def annotated_view(
    text: str, gold: Sequence[Span], outputs: Mapping[str, Sequence[Span]]
) -> ItemView:
    """Return a text with both annotations: what is right, wrong, missing or spurious.

    An output is right where gold has the same bounds and label, wrong where it overlaps something
    else, and spurious where gold has nothing; what no output touches is missing. Spans inside each
    other stand in rows below each other.

    >>> gold, outputs = [Span(0, 4, "PER")], {"A": [Span(9, 13, "LOC")]}
    >>> view = annotated_view("Anna saw Oslo", gold, outputs)
    >>> for piece in view.sections[0].rows[0].outputs["A"]:
    ...     print(piece)
    Piece(text='Anna', mark='missing', tag='PER')
    Piece(text=' saw ', mark='', tag='')
    Piece(text='Oslo', mark='spurious', tag='LOC')
    """
    layers = [list(_layers((*span, "") for span in gold))]
    layers += [list(_layers(_judged(gold, spans))) for spans in outputs.values()]
    rows = []
    for k in range(max(map(len, layers))):
        key, *cells = (tuple(_pieces(text, each[k])) if k < len(each) else () for each in layers)
        label = "" if k == 0 else "overlapping"
        rows.append(ViewRow(label, key, dict(zip(outputs, cells, strict=True))))
    return ItemView((ViewSection(tuple(rows), stacked=True),))


def _judged(gold: Sequence[Span], output: Sequence[Span]) -> Iterator[_Marked]:
    for span in output:
        mark = "wrong" if _touches(span, gold) else "spurious"
        yield (*span, "right" if span in gold else mark)
    for span in gold:
        if not _touches(span, output):
            yield (*span, "missing")


def _touches(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < other[1] and other[0] < span[1] for other in others)


def _layers(spans: Iterable[_Marked]) -> Iterator[list[_Marked]]:
    """Yield spans in as few rows as their overlaps allow, and one row at least."""
    rest, first = sorted(spans), True
    while rest or first:
        row, left, end = list[_Marked](), list[_Marked](), 0
        for span in rest:
            if span[0] >= end:
                row.append(span)
                end = span[1]
            else:
                left.append(span)
        yield row
        rest, first = left, False


def _pieces(text: str, row: Sequence[_Marked]) -> Iterator[Piece]:
    at = 0
    for start, end, label, mark in row:
        if start > at:
            yield Piece(text[at:start])
        yield Piece(text[start:end], mark, label)
        at = end
    if at < len(text):
        yield Piece(text[at:])
