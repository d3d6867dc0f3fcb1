"""Texts become counts: statistics of every segment, for all systems and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError, UsageError
from tellapart.metrics.text import NAMES
from tellapart.metrics.text.catalogue import DEFAULTS, TextMetric
from tellapart.metrics.text.texts import BLOCK, Reference, Texts
from tellapart.progress import Progress, no_progress
from tellapart.words import nearest


def text_metric(name: str) -> TextMetric:
    """Return a text metric with its usual settings, by name.

    >>> text_metric("chrf++").signature("1")
    'nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:2'
    """
    if name not in DEFAULTS:
        raise UsageError(f"there is no text metric {name!r}; {nearest(name, NAMES)}")
    return DEFAULTS[name]


def text_counts(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Reference],
    metrics: Sequence[str | TextMetric] = ("bleu",),
    *,
    labels: Mapping[str, Sequence[str]] | None = None,
    progress: Progress = no_progress,
) -> Counts:
    """Count what the metrics need, segment by segment.

    Each reference is a list of lines parallel to the systems' lines; None where a segment has no
    such reference.

    >>> counts = text_counts({"A": ["a x c"], "B": ["a b c"]}, [["a b c"]], ["ter"])
    >>> counts.summed().tolist()
    [[1, 3], [0, 3]]
    """
    asked = [text_metric(each) if isinstance(each, str) else each for each in metrics]
    names = [each.name for each in asked]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"metric {twice[0]!r} was asked for twice")
    texts = Texts(tuple(systems.values()), tuple(references))
    if not len(texts):
        raise DataError("there are no segments to score")
    _check_references(references)
    columns: dict[str, list[NDArray[Any]]] = {}
    for each in asked:
        rows = statistics(each, texts, progress)
        for c, column in enumerate(each.columns):
            columns[column] = [of_system[:, c] for of_system in rows]
    items = [str(n) for n in range(1, len(texts) + 1)]
    tagged = {name: tuple(map(str, values)) for name, values in (labels or {}).items()}
    return Counts.from_columns(list(systems), items, columns, tagged, "segment", "counts")


def statistics(metric: TextMetric, texts: Texts, progress: Progress = no_progress) -> NDArray[Any]:
    """Count one metric, block by block: systems × segments × columns."""
    count, n = metric.counter(texts), len(texts)
    rows: NDArray[Any] | None = None
    for start, block in texts.blocks():
        part = count(start, block)
        if rows is None:
            rows = np.empty((len(texts.systems), n, part.shape[2]), part.dtype)
        rows[:, start : start + part.shape[1]] = part
        progress(f"{metric.name}: segments", min(start + BLOCK, n), n)
    assert rows is not None
    return rows


def segment_scores(metric: TextMetric, counts: Counts) -> NDArray[np.float64]:
    """Score every segment by itself: systems × segments. BLEU is best asked with effective order.

    >>> counts = text_counts({"A": ["a b c", "d"]}, [["a b c", "e"]], ["ter"])
    >>> segment_scores(text_metric("ter"), counts).tolist()
    [[0.0, 100.0]]
    """
    places = [counts.columns.index(column) for column in metric.columns]
    scales = np.array([counts.scales[place] for place in places], np.float64)
    return metric.score(counts.values[:, :, places] / scales)


def _check_references(references: Sequence[Reference]) -> None:
    if all(None not in lines for lines in references[:1]):
        return
    for number, refs in enumerate(zip(*references, strict=True), 1):
        if all(each is None for each in refs):
            raise DataError(f"segment {number} has no reference; give at least one to each")
