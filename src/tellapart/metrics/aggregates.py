"""Scores of a whole set that are no means of item scores: perplexities, MCC, F1, BLEU and its kin.

Each item has some numbers that add (its log-likelihood and its words, say, or which answer was
right and which was given), and the score is a function of their sums. Evaluation harnesses call
these functions aggregations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.metrics.kinds import Function, Ratio, ratio
from tellapart.words import nearest

LOG_LIKELIHOOD: Final = "log-likelihood"
LENGTH: Final = "length"
"""What a log-likelihood is divided by: 1 for a document, its words, or its bytes"""
RIGHT: Final = "right"
GOLD: Final = "gold "
ANSWER: Final = "answer "

_LARGEST: Final = 700.0  # exp of more is no number
_TEXT: Final = ("bleu", "chrf", "ter")
KINDS: Final = (
    "perplexity", "weighted_perplexity", "bits_per_byte", "matthews_corrcoef", "f1", *_TEXT,
)  # fmt: skip
"""The aggregations that `aggregate` knows, by the names that lm-eval has for them"""


def aggregate(kind: str, name: str, parts: Mapping[str, str]) -> Function | Ratio:
    """Return the metric of an aggregation, called `name`; `parts` are the columns of its numbers.

    >>> columns = {"log-likelihood": "ppl.log-likelihood", "length": "ppl.length"}
    >>> metric = aggregate("perplexity", "ppl", columns)
    >>> metric, metric.higher_is_better, metric.scores(np.array([-math.log(8) * 5, 5.0])).round(9)
    (ppl, False, np.float64(8.0))
    """
    if kind in ("perplexity", "weighted_perplexity"):
        both = parts[LOG_LIKELIHOOD], parts[LENGTH]
        return Function(name, both, _perplexity, higher_is_better=False)
    if kind == "bits_per_byte":
        bits = {parts[LOG_LIKELIHOOD]: -1 / math.log(2)}
        return ratio(name, bits, {parts[LENGTH]: 1}, higher_is_better=False)
    if kind == "matthews_corrcoef":
        columns = tuple(parts[part] for part in part_names(kind, list(parts)))
        return Function(name, columns, matthews)
    if kind == "f1":
        # 2 tp / (gold + answered): of those that are 1, or true.
        return ratio(name, {parts[RIGHT]: 2}, {parts[GOLD + "1"]: 1, parts[ANSWER + "1"]: 1})
    if kind in _TEXT:
        return _text(kind, name, parts)
    raise UsageError(f"there is no aggregation {kind!r}; {nearest(kind, KINDS)}")


def _perplexity(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(-sums[..., 0] / sums[..., 1], _LARGEST)))


def matthews(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Matthews' correlation of gold and given classes, as Gorodkin (2004) has it for many.

    The sums are how many answers were right, how many golds each class has, and how many answers.

    >>> matthews(np.array([3.0, 2, 2, 1, 3])).round(6)  # golds 0 0 1 1, answers 0 1 1 1
    np.float64(0.57735)
    """
    classes = (sums.shape[-1] - 1) // 2
    right, golds, answers = sums[..., 0], sums[..., 1 : classes + 1], sums[..., classes + 1 :]
    total = golds.sum(axis=-1)
    above = right * total - (golds * answers).sum(axis=-1)
    squares = [total**2 - (each**2).sum(axis=-1) for each in (golds, answers)]
    below = np.sqrt(squares[0] * squares[1])
    return np.asarray(np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0))


def confusion(gold: str, answer: str, *, only: str | None = None) -> dict[str, float]:
    """Return the numbers of one answered item for MCC, or for F1 of `only` one class.

    >>> confusion("2", "0")
    {'right': 0.0, 'gold 2': 1.0, 'answer 0': 1.0}
    >>> confusion("1", "1", only="1")
    {'right': 1.0, 'gold 1': 1.0, 'answer 1': 1.0}
    """
    if only is None:
        return {RIGHT: float(gold == answer), GOLD + gold: 1.0, ANSWER + answer: 1.0}
    return {
        RIGHT: float(gold == answer == only),
        GOLD + only: float(gold == only),
        ANSWER + only: float(answer == only),
    }


def text_numbers(
    kind: str, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> list[dict[str, float]]:
    """Return the numbers of BLEU, chrF or TER of outputs, each with its own references.

    >>> text_numbers("ter", ["a x c"], [["a b c"]])
    [{'ter_edits': 1.0, 'ter_ref_len': 3.0}]
    """
    from tellapart.metrics.text.scoring import statistics, text_metric
    from tellapart.metrics.text.texts import Texts

    metric, most = text_metric(kind), max(map(len, references))
    streams = [[some[k] if k < len(some) else None for some in references] for k in range(most)]
    rows = statistics(metric, Texts((outputs,), tuple(streams)))[0]
    return [dict(zip(metric.columns, map(float, row), strict=True)) for row in rows]


def _text(kind: str, name: str, parts: Mapping[str, str]) -> Function | Ratio:
    from tellapart.metrics.text.scoring import as_metric, text_metric

    found = as_metric(text_metric(kind))
    if isinstance(found, Function):
        return replace(found, name=name, columns=tuple(parts[each] for each in found.columns))
    above, below = (
        tuple(sorted((parts[column], weight) for column, weight in form))
        for form in (found.numerator, found.denominator)
    )
    return replace(found, name=name, numerator=above, denominator=below)


def part_names(kind: str, seen: Sequence[str]) -> list[str]:
    """Return all numbers that an aggregation needs, given those that were seen in some items.

    >>> part_names("matthews_corrcoef", ["right", "gold 0", "answer 1"])
    ['right', 'gold 0', 'gold 1', 'answer 0', 'answer 1']
    """
    if kind != "matthews_corrcoef":
        return list(seen)
    classes = sorted({part.removeprefix(start) for start in (GOLD, ANSWER) for part in seen
                      if part.startswith(start)})  # fmt: skip
    return [RIGHT, *(GOLD + name for name in classes), *(ANSWER + name for name in classes)]
