"""The text metrics by name, and texts as counts: statistics of every segment that add."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics.registry import Function, Ratio
from tellapart.metrics.text import NAMES
from tellapart.metrics.text.bleu import LARGEST_ORDER, Bleu
from tellapart.metrics.text.chrf import Chrf
from tellapart.metrics.text.ngrams import Reference, Texts
from tellapart.metrics.text.nist import Nist
from tellapart.metrics.text.ter import Ter
from tellapart.words import nearest

TextMetric: TypeAlias = Bleu | Nist | Chrf | Ter
"""A score of texts: numbers per segment that add, and a function of their sums"""

DEFAULTS: Final[dict[str, TextMetric]] = {
    each.name: each
    for each in (Bleu(), Nist(), Chrf(), Chrf(word_order=1), Chrf(word_order=2), Ter())
}


def text_metric(name: str) -> TextMetric:
    """Return a text metric with its usual settings, by name.

    >>> text_metric("chrf++").signature("1")
    'nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:2'
    """
    if name not in DEFAULTS:
        raise UsageError(f"there is no text metric {name!r}; {nearest(name, NAMES)}")
    return DEFAULTS[name]


def as_metric(metric: TextMetric, references: str | None = None) -> Ratio | Function:
    """Return a text metric as one of summed columns, with its signature.

    TER is a ratio, which makes its tests exact; the others are functions of sums.

    >>> as_metric(Ter()).columns
    ('ter_edits', 'ter_ref_len')
    """
    signature = None
    if references is not None:
        version = metadata.version("tellapart")
        signature = f"{metric.signature(references)}|version:tellapart-{version}"
    if isinstance(metric, Ter):
        return replace(metric.ratio(), signature=signature)
    top = None if isinstance(metric, Nist) else 100.0
    return Function(
        metric.name, metric.columns, metric.score, metric.higher_is_better, signature, top=top
    )


def metric_for_columns(name: str, columns: Collection[str]) -> Ratio | Function | None:
    """Return the metric of a name for a table with these columns, if they are its own.

    >>> metric_for_columns("bleu", Bleu(order=2).columns).columns
    ('hyp_len', 'ref_len', 'match_1', 'match_2', 'total_1', 'total_2')
    """
    fitting = [each for each in _variants(name) if set(each.columns) <= set(columns)]
    return as_metric(fitting[0]) if fitting else None


def _variants(name: str) -> Sequence[TextMetric]:
    """Return the metric with every order that its columns may have, the largest first."""
    orders = range(LARGEST_ORDER, 0, -1)
    return [Bleu(order=n) for n in orders] if name == "bleu" else [DEFAULTS[name]]


def names_for_columns(columns: Collection[str]) -> list[str]:
    """Return the text metrics whose columns are all there."""
    return [name for name in NAMES if metric_for_columns(name, columns) is not None]


def text_counts(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Reference],
    metrics: Sequence[str | TextMetric] = ("bleu",),
    *,
    labels: Mapping[str, Sequence[str]] | None = None,
    progress: Progress = no_progress,
) -> Counts:
    """Return the counts that the metrics need, segment by segment.

    Each reference is a list of lines parallel to the systems' lines; None where a segment has no
    such reference.

    >>> counts = text_counts({"A": ["a x c"], "B": ["a b c"]}, [["a b c"]], ["ter"])
    >>> counts.summed().tolist()
    [[1, 3], [0, 3]]
    """
    wanted = [text_metric(each) if isinstance(each, str) else each for each in metrics]
    texts = Texts(tuple(systems.values()), tuple(references))
    if not len(texts):
        raise DataError("there are no segments to score")
    _check_references(references)
    names = [each.name for each in wanted]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"metric {twice[0]!r} was asked for twice")
    columns: dict[str, NDArray[Any]] = {}
    for metric in wanted:
        found = statistics(metric, texts, progress)
        columns |= {column: found[:, :, c] for c, column in enumerate(metric.columns)}
    items = [str(n) for n in range(1, len(texts) + 1)]
    tagged = {name: tuple(map(str, values)) for name, values in (labels or {}).items()}
    return Counts.from_columns(list(systems), items, columns, tagged, "segment", "counts")


def statistics(metric: TextMetric, texts: Texts, progress: Progress = no_progress) -> NDArray[Any]:
    """Return the counts of one metric: systems × segments × columns.

    A metric that weighs words by all references reads them before.
    """
    count = metric.counter(texts)
    parts, done = list[NDArray[Any]](), 0
    for block in texts.blocks():
        parts.append(count(block))
        done += len(block)
        progress(f"{metric.name}: segments", done, len(texts))
    return np.concatenate(parts, axis=1)


def _check_references(references: Sequence[Reference]) -> None:
    if all(None not in lines for lines in references[:1]):
        return
    for number, refs in enumerate(zip(*references, strict=True), 1):
        if all(each is None for each in refs):
            raise DataError(f"segment {number} has no reference; give at least one to each")
