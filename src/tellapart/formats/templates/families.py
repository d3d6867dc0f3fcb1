"""Families of metrics of templates: what each counts in a document, and the scores made of that.

A `Family` is one way to hold a predicted document against a gold one. Its `count` gives a row of
numbers: what precision counts and is divided by, and the same of recall, integers or `Fraction`s.
Rows are added over documents; F1, precision and recall are functions of the sums. A document that a
system lacks comes as one without templates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, Final

import numpy as np

from tellapart.counts import Counts
from tellapart.counts.views import Views
from tellapart.formats.contract import Report, plain_report
from tellapart.formats.templates import ceaf, textee
from tellapart.formats.templates.corpus import Corpus
from tellapart.formats.templates.counts import item_texts
from tellapart.formats.templates.evaluation import tasks_of
from tellapart.formats.templates.history import History
from tellapart.formats.templates.layouts import EVENTS, FILLERS, TEMPLATES
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.scoring import score_statically
from tellapart.formats.templates.views import TemplateViews
from tellapart.metrics import Function, Metric, Ratio, ratio
from tellapart.metrics.runs import averaged

COLUMNS: Final = ("p_num", "p_den", "r_num", "r_den")

Count = Callable[[Document, Document, bool], ceaf.Row]
"""Holds a predicted document against a gold one; says whether templates have types"""


@dataclass(frozen=True, slots=True)
class Family:
    """One way to hold predictions against gold: F1 of what it counts, precision and recall."""

    name: str
    signature: str
    kinds: tuple[str, ...]
    """Of the layouts (`layouts.py`) that it can score"""
    count: Count
    one_number: bool = True
    """Whether precision and recall count the same, so that F1 is a ratio, which has exact tests"""
    usual: str = ""
    """The kind of files that are scored by it where no metric is named"""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """F1, precision and recall.

        >>> FAMILIES[0].metrics
        (ceaf-tf, ceaf-tf.precision, ceaf-tf.recall)
        """
        p_num, p_den, r_num, r_den = columns = tuple(f"{self.name}.{each}" for each in COLUMNS)
        whole: Ratio | Function = Function(self.name, columns, _f1)
        if self.one_number:
            whole = ratio(self.name, {p_num: 2}, {p_den: 1, r_den: 1})
        precision = ratio(f"{self.name}.precision", {p_num: 1}, {p_den: 1})
        recall = ratio(f"{self.name}.recall", {r_num: 1}, {r_den: 1})
        parts: tuple[Ratio | Function, ...] = (whole, precision, recall)
        return tuple(replace(each, signature=self.signature) for each in parts)


def _f1(sums: Any) -> Any:
    """Return F1 of sums that end in p_num, p_den, r_num, r_den; 0 where there is none."""
    precision = _over(sums[..., 0], sums[..., 1])
    recall = _over(sums[..., 2], sums[..., 3])
    return _over(2 * precision * recall, precision + recall)


def _over(part: Any, whole: Any) -> Any:
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)


_BOTH: Final = (TEMPLATES, FILLERS)
FAMILIES: Final = (
    Family(
        "ceaf-tf", "best mapping by document", (TEMPLATES,), ceaf.count_templates,
        one_number=False, usual=TEMPLATES,
    ),
    Family(
        "ceaf-ree", "strict similarity", _BOTH,
        partial(ceaf.count_fillers, similarity=ceaf.strict), usual=FILLERS,
    ),
    Family(
        "ceaf-ree-prop", "proportional similarity", _BOTH,
        partial(ceaf.count_fillers, similarity=ceaf.proportional),
    ),
    Family(
        "ceaf-rme-phi3", "mentions, as released", (TEMPLATES,),
        partial(ceaf.count_entities, measure=ceaf.shared_mentions),
    ),
    Family(
        "ceaf-rme-phi3-entity", "entities one to one, as published for MUC-4", (TEMPLATES,),
        partial(ceaf.count_entities, measure=partial(ceaf.shared_entities, once=True)),
    ),
    Family(
        "ceaf-rme-subset", "any mention", (TEMPLATES,),
        partial(ceaf.count_entities, measure=partial(ceaf.shared_entities, once=False)),
        one_number=False,
    ),
    *(
        Family(name, "exact spans", (EVENTS,), partial(textee.count, name=name), usual=EVENTS)
        for name in textee.SCORES
    ),
)  # fmt: skip


def metrics() -> dict[str, tuple[Family, Metric]]:
    """Return every metric by its name, with its family.

    >>> [name for name in metrics() if name.startswith("ceaf-ree-prop")]
    ['ceaf-ree-prop', 'ceaf-ree-prop.precision', 'ceaf-ree-prop.recall']
    """
    return {each.name: (family, each) for family in FAMILIES for each in family.metrics}


def family_counts(corpus: Corpus, wanted: Sequence[tuple[Family, Metric]]) -> Counts:
    """Return what the wanted metrics count in each document, averaged over runs."""
    columns: dict[str, list[list[int | Fraction]]] = {}
    for family in dict.fromkeys(family for family, _ in wanted):
        for documents in corpus.predicted.values():
            rows = [
                family.count(gold, given, corpus.typed)
                for gold, given in zip(corpus.gold, documents, strict=True)
            ]
            for column, numbers in zip(COLUMNS, zip(*rows, strict=True), strict=True):
                columns.setdefault(f"{family.name}.{column}", []).append(list(numbers))
    arrays = {}
    for name, systems in columns.items():
        whole = all(isinstance(number, int) for numbers in systems for number in numbers)
        arrays[name] = np.array(systems, np.int64 if whole else np.float64)
    items = [each.id for each in corpus.gold]
    counts = Counts.from_columns(list(corpus.predicted), items, arrays, {}, "document", "counts")
    texts = item_texts(corpus.texts(), counts.items)
    chosen = tuple(metric for _, metric in wanted)
    counts = replace(counts, texts=texts, metrics=chosen, views=_views(corpus))
    return averaged(counts, corpus.runs_of, corpus.notices)


def _views(corpus: Corpus) -> Views:
    """Return what there is to see of a document; nothing is compared before somebody looks."""

    @cache
    def scored() -> TemplateViews:
        _, _, tasks = tasks_of(corpus)
        runs = {name: score_statically(task, History()) for name, task in tasks.items()}
        return TemplateViews(tasks, runs, {each.id: (each.id,) for each in corpus.gold})

    return lambda item: scored()(item)


def family_report(counts: Counts, named: Sequence[str]) -> Report:
    """Return the scores of each system; where no metric is named, precision and recall, too."""
    known = metrics()
    shown = [each.name for each in counts.metrics]
    if not named:
        shown += [f"{name}.{part}" for name in shown for part in ("precision", "recall")]
    return plain_report(counts, [known[name][1] for name in shown])
