"""The text metrics by name, and how a table of their counts is known."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import metadata
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.kinds import Function, Ratio
from tellapart.metrics.text import NAMES
from tellapart.metrics.text.bleu import LARGEST_ORDER, Bleu
from tellapart.metrics.text.chrf import Chrf
from tellapart.metrics.text.nist import Nist
from tellapart.metrics.text.ter import Ter
from tellapart.metrics.text.texts import Counter, Texts


class TextMetric(Protocol):
    """A score of texts: numbers per segment that add, and a function of their sums."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger score is a better one."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the numbers."""

    def signature(self, references: str) -> str:
        """Say everything that changes the score, given the number of references."""

    def counter(self, texts: Texts) -> Counter:
        """Look at all texts; return what counts a block of them."""

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of sums, which run along the last axis."""


DEFAULTS: Final[dict[str, TextMetric]] = {
    each.name: each
    for each in (Bleu(), Nist(), Chrf(), Chrf(word_order=1), Chrf(word_order=2), Ter())
}


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
    return Function(metric.name, metric.columns, metric.score, metric.higher_is_better, signature)


def found(name: str, columns: Collection[str]) -> Ratio | Function | None:
    """Return the metric of a name for a table with these columns, if they are its own.

    >>> found("bleu", Bleu(order=2).columns).columns
    ('hyp_len', 'ref_len', 'match_1', 'match_2', 'total_1', 'total_2')
    """
    fitting = [each for each in _variants(name) if set(each.columns) <= set(columns)]
    return as_metric(fitting[0]) if fitting else None


def _variants(name: str) -> Sequence[TextMetric]:
    """Return the metric with every order that its columns may have, the largest first."""
    orders = range(LARGEST_ORDER, 0, -1)
    if name == "bleu":
        return [Bleu(order=n) for n in orders]
    if name.startswith("chrf"):
        return [Chrf(word_order=name.count("+"), char_order=n) for n in orders]
    return [DEFAULTS[name]]


def default_names(columns: Collection[str]) -> list[str]:
    """Return the text metrics whose columns are all there."""
    return [name for name in NAMES if found(name, columns) is not None]
