"""Families of metrics of templates: what each counts in a document, and the scores made of that.

A `Family` is one way to hold a predicted document against a gold one. It gives a row of numbers per
slot (type, role, or one row called `all`); rows are added over slots and documents, and a metric is
a function of the sums. To add one, write a module with

* `count(gold, predicted, setting) -> dict[slot, row]`: two `Document`s; a row has one number per
  name in `columns`, integers or `Fraction`s. A document that a system lacks comes as one without
  templates.
* `setting(corpus)`, if it needs anything beyond the two documents: what it returns is handed to
  every `count`; `Corpus` has the documents of all files.
* `notices(setting)`, if something is to be said after all documents are counted.

and name it in `families()`. `kinds` are those of the layouts (`layouts.py`) that it can score. The
columns of `Counts` are called `FAMILY.COLUMN`; `f1_metrics` makes F1, `.precision` and `.recall`.
The first family that can score a file is the one that is used where no metric is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.errors import Notice
from tellapart.formats.templates import textee
from tellapart.formats.templates.layouts import EVENTS
from tellapart.formats.templates.model import Document
from tellapart.metrics import Function, Metric, ratio

if TYPE_CHECKING:
    from tellapart.formats.templates.corpus import Corpus

Row = Sequence[int | Fraction]
"""A number for each column of a family"""


@dataclass(frozen=True, slots=True)
class Family:
    """One way to hold predictions against gold."""

    name: str
    kinds: frozenset[str]
    columns: tuple[str, ...]
    metrics: tuple[Metric, ...]
    count: Callable[[Document, Document, Any], Mapping[str, Row]]
    setting: Callable[[Corpus], Any] = lambda _: None
    notices: Callable[[Any], Iterable[Notice]] = lambda _: ()
    usual: int = 1
    """How many of its metrics, the first ones, are those to score by where none is named"""


def f1_metrics(
    name: str,
    signature: str,
    *,
    found: str,
    predicted: str,
    hit: str,
    gold: str,
    family: str | None = None,
) -> tuple[Metric, ...]:
    """Return F1, precision and recall: found / predicted, and hit / gold, each of one column.

    Where `found` and `hit` are the same column, F1 is a ratio, which has exact tests.

    >>> f1_metrics("tri-i", "", found="match", predicted="pred", hit="match", gold="gold")
    (tri-i, tri-i.precision, tri-i.recall)
    """
    columns = tuple(f"{family or name}.{each}" for each in (found, predicted, hit, gold))
    p_num, p_den, r_num, r_den = columns
    parts = (
        replace(ratio(f"{name}.precision", {p_num: 1}, {p_den: 1}), signature=signature),
        replace(ratio(f"{name}.recall", {r_num: 1}, {r_den: 1}), signature=signature),
    )
    if found == hit:
        whole: Metric = replace(ratio(name, {p_num: 2}, {p_den: 1, r_den: 1}), signature=signature)
    else:
        whole = Function(name, columns, _f1, signature=signature)
    return (whole, *parts)


def _f1(sums: Any) -> Any:
    """Return F1 of sums that end in p_num, p_den, r_num, r_den; 0 where there is none."""
    precision = _over(sums[..., 0], sums[..., 1])
    recall = _over(sums[..., 2], sums[..., 3])
    return _over(2 * precision * recall, precision + recall)


def _over(part: Any, whole: Any) -> Any:
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)


@cache
def families() -> tuple[Family, ...]:
    """Return all families, the usual ones of a kind first."""
    from tellapart.formats.templates import ree, rme, tf

    return (tf.CEAF_TF, ree.CEAF_REE, ree.CEAF_REE_PROP, *rme.FAMILIES, _textee())


def _textee() -> Family:
    metrics = [
        f1_metrics(
            name,
            "exact spans",
            found=f"{name}_match",
            predicted=f"{name}_pred",
            hit=f"{name}_match",
            gold=f"{name}_gold",
            family="textee",
        )
        for name in textee.SCORES
    ]
    return Family(
        "textee",
        frozenset((EVENTS,)),
        tuple(f"{name}_{counted}" for name in textee.SCORES for counted in textee.COUNTED),
        tuple(metric for part in zip(*metrics, strict=True) for metric in part),
        textee.count,
        usual=len(textee.SCORES),
    )


def metrics() -> dict[str, tuple[Family, Metric]]:
    """Return every metric by its name, with its family.

    >>> [name for name in metrics() if name.startswith("ceaf-ree-prop")]
    ['ceaf-ree-prop', 'ceaf-ree-prop.precision', 'ceaf-ree-prop.recall']
    """
    return {each.name: (family, each) for family in families() for each in family.metrics}
