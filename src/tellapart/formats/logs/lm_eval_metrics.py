"""What lm-eval stores of a document under the name of each metric, and how it sums that up.

A sample holds the score of the document for a metric that lm-eval averages, and something else for
the others: a log-likelihood under `perplexity`, a log-likelihood and a number of words under
`word_perplexity`, the gold class and the chosen one under `mcc` and `f1`, texts under `bleu`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tellapart.formats.logs.log import number

MEANS: Final = ("mean", "nanmean")
TEXTS: Final = ("bleu", "chrf", "ter")
_BRIER: Final = "brier_score"
_LIKELY: Final = ("perplexity", "weighted_perplexity", "bits_per_byte")

AGGREGATIONS: Final[Mapping[str, str]] = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "mcc": "matthews_corrcoef",
    "f1": "f1",
    "brier_score": _BRIER,
    **{name: name for name in TEXTS},
}
"""How lm-eval sums up a metric unless its task says otherwise; others are means"""

RATES: Final = frozenset({"acc", "acc_norm", "exact_match"})


@dataclass(frozen=True, slots=True)
class Stored:
    """What a sample holds under the name of a metric: a score, or what a score is made of."""

    score: float | None = None
    """The score of the document; NaN if it was not scored"""
    parts: Mapping[str, float] | None = None
    """Numbers that add over documents"""
    texts: tuple[str, tuple[str, ...]] | None = None
    """An output and its references"""


NOTHING: Final = Stored()


def aggregation_of(metric: str, stated: Mapping[str, str]) -> str:
    """Return how a metric is summed up; `stated` is what the results of the run say of its task.

    >>> aggregation_of("perplexity", {}), aggregation_of("f1", {"f1": "mean"})
    ('perplexity', 'mean')
    """
    return stated.get(metric) or AGGREGATIONS.get(metric, "mean")


def stored(raw: Any, aggregation: str) -> Stored:
    """Return what a value means to an aggregation; `NOTHING` if it is no score of one document.

    >>> stored(-2.5, "perplexity").parts
    {'log-likelihood': -2.5, 'length': 1.0}
    >>> stored([-40.5, 12], "weighted_perplexity").parts
    {'log-likelihood': -40.5, 'length': 12.0}
    >>> stored([1, "[0.25 0.75]"], "brier_score").score
    0.125
    """
    if raw is None:
        return Stored(math.nan)
    if aggregation in _LIKELY:
        return _likelihood(raw if isinstance(raw, list) else [raw, 1])
    if isinstance(raw, list):
        if len(raw) != 2:
            return NOTHING
        if aggregation == _BRIER:
            return _brier(*raw)
        if aggregation in TEXTS:
            return _texts(*raw)
        if aggregation in ("matthews_corrcoef", "f1"):
            return _classes(raw[0], raw[1], aggregation)
        return NOTHING
    return Stored(number(raw, {}))


def _likelihood(pair: Sequence[Any]) -> Stored:
    """Return a log-likelihood, which is never above 0, and what it is divided by."""
    from tellapart.metrics.aggregates import LENGTH, LOG_LIKELIHOOD

    if len(pair) != 2:
        return NOTHING
    likelihood, length = (number(each, {}) for each in pair)
    if likelihood is None or length is None or not (likelihood <= 0 < length):
        return NOTHING
    return Stored(parts={LOG_LIKELIHOOD: likelihood, LENGTH: length})


def _brier(gold: Any, given: Any) -> Stored:
    """Return the squared distance of the probabilities, written as numpy prints them, from gold."""
    texts = given.strip("[] \n").split() if isinstance(given, str) else given
    if not isinstance(texts, list) or not isinstance(gold, int) or not 0 <= gold < len(texts):
        return NOTHING
    found = [number(each, {}) for each in texts]
    if any(each is None or math.isnan(each) for each in found):
        return NOTHING
    return Stored(math.fsum(((p or 0.0) - (k == gold)) ** 2 for k, p in enumerate(found)))


def _classes(gold: Any, answer: Any, aggregation: str) -> Stored:
    from tellapart.metrics.aggregates import confusion

    if not isinstance(gold, int | str) or not isinstance(answer, int | str):
        return NOTHING
    names = [str(int(each)) if isinstance(each, bool) else str(each) for each in (gold, answer)]
    if aggregation == "f1":  # of two classes, 0 and 1
        return Stored(parts=confusion(*names, only="1")) if {*names} <= {"0", "1"} else NOTHING
    return Stored(parts=confusion(*names))


def _texts(references: Any, output: Any) -> Stored:
    if isinstance(output, list) and len(output) == 1:
        output = output[0]
    given = references if isinstance(references, list) else [references]
    if not isinstance(output, str) or not given or not all(isinstance(r, str) for r in given):
        return NOTHING
    return Stored(texts=(output, tuple(given)))
