"""Labelled spans scored as entities: right if bounds and label are. Behind tags and spans."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView
from tellapart.errors import Notice
from tellapart.formats.annotation.model import Document, Span, labels_by_name
from tellapart.formats.annotation.views import annotated_view
from tellapart.formats.contract import Report
from tellapart.formats.plain_report import plain_report
from tellapart.metrics.runs import averaged

COLUMNS: Final = ("tp", "fp", "fn")

Texts = Sequence[Document[Span]]


@dataclass(frozen=True, slots=True)
class Totals:
    """How many entities are right, how many a system found, and how many there are.

    >>> Totals(correct=1, found=2, gold=4).f1
    0.3333333333333333
    """

    correct: float = 0
    found: float = 0
    gold: float = 0

    @property
    def precision(self) -> float:
        """What part of the found is right; 0 where nothing was found."""
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """What part of what there is was found; 0 where there is nothing."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.correct / (self.found + self.gold) if self.found or self.gold else 0.0

    def record(self) -> dict[str, float]:
        """Return all numbers by name."""
        names = ("correct", "found", "gold", "precision", "recall", "f1")
        return {name: getattr(self, name) for name in names}

    def percentages(self) -> str:
        """Return the scores as conlleval prints them."""
        return (
            f"precision: {100 * self.precision:6.2f}%; recall: {100 * self.recall:6.2f}%; "
            f"FB1: {100 * self.f1:6.2f}"
        )


@dataclass(frozen=True, slots=True)
class EntityReport:
    """One system's entities type by type; of tags also how many tokens have the right one."""

    types: Mapping[str, Totals]
    tokens: int | None = None
    accuracy: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Return the report as numbers."""
        tokens = {} if self.tokens is None else {"tokens": self.tokens, "accuracy": self.accuracy}
        types = {name: totals.record() for name, totals in self.types.items()}
        return {**self.more, **tokens, "types": types}

    def text(self, name: str) -> str:
        """Return the report laid out as conlleval does, under the system's name."""
        total = Totals(
            *(sum(getattr(each, part) for each in self.types.values())
              for part in ("correct", "found", "gold"))
        )  # fmt: skip
        tokens = "" if self.tokens is None else f"{self.tokens} tokens with "
        accuracy = "" if self.accuracy is None else f"accuracy: {100 * self.accuracy:6.2f}%; "
        lines = [
            f"System: {name}",
            f"processed {tokens}{total.gold:g} phrases; found: {total.found:g} phrases; "
            f"correct: {total.correct:g}.",
            f"{accuracy}{total.percentages()}",
        ]
        lines += [
            f"{name:>17}: {totals.percentages()}  {totals.found:g}"
            for name, totals in self.types.items()
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class EntityScores:
    """Counts of entities per item, and the report of each system."""

    counts: Counts
    reports: Mapping[str, EntityReport]


def score_entities(
    gold: Texts,
    runs: Mapping[str, Texts],
    files: Mapping[str, Sequence[str]],
    kind: str,
    notices: Sequence[Notice],
    with_tokens: Callable[[EntityReport, Sequence[str]], EntityReport] | None = None,
) -> EntityScores:
    """Return the counts and reports of systems, whose runs are averaged.

    `with_tokens` adds to the report of a system, given the names of its runs, what tags say.
    """
    counts = averaged(_counts(gold, runs, kind), files, notices)
    names = iter(runs)
    reports = {}
    for system, paths in files.items():
        mine = [next(names) for _ in paths]
        report = EntityReport(_totals(gold, [runs[name] for name in mine]))
        reports[system] = with_tokens(report, mine) if with_tokens else report
    return EntityScores(counts, reports)


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


def mean_accuracy(rates: Sequence[float]) -> float:
    """Return the mean over runs."""
    return math.fsum(rates) / len(rates)


def unknown_labels(gold: Texts, documents: Texts) -> Iterator[Notice]:
    """Yield notices of labels that no gold span has; a misspelled one is never right."""
    wanted = {label for document in gold for _, _, label in document.spans}
    first = {label: doc.place for doc in reversed(documents) for _, _, label in doc.spans}
    for label in sorted(first.keys() - wanted) if wanted else ():
        text = f"{first[label]}: the gold has no span with the label {label!r}; those of the "
        yield Notice("unknown-label", f"{text}system count as wrong.", (label,))


def entity_report(scores: EntityScores, metrics: Sequence[str]) -> Report:
    """Return each system's scores, with its report laid out as conlleval does."""
    plain = plain_report(scores.counts, metrics)
    systems = (
        replace(
            system,
            report=scores.reports[system.name].record(),
            text=scores.reports[system.name].text(system.name),
        )
        for system in plain.systems
    )
    return replace(plain, systems=tuple(systems))
