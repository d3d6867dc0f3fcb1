"""Bootstrap tests of many pairs at once: one set of resamples, summed by matrix products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.projection import BoundRatio, Projection
from tellapart.significance.bootstrap import Resampled, Studentized, bootstrap_test
from tellapart.significance.procedures import RULES
from tellapart.significance.randomization import Question

_RESAMPLES = 101  # null pairs have the stream before
_CELLS = 1 << 21  # items × resamples of a block, and items × products that are summed at a time

# Forms in order: numerators of a and b, denominators of a and b; the products of two of them.
_FIRST, _SECOND = np.triu_indices(4)
_TIMES = np.where(_FIRST == _SECOND, 1.0, 2.0)[:, None]


def bootstrap_p_values(
    projection: Projection,
    questions: Sequence[Question],
    tests: Sequence[str],
    resamples: int,
    seed: int,
) -> dict[str, NDArray[np.float64]]:
    """Make bootstrap tests of every question, all with the same resamples."""
    count, systems, items = projection.forms.shape
    values = projection.forms.reshape(count * systems, items).astype(np.float64)
    studentized = "bootstrap-t" in tests
    sums, squares = [], []
    for weights in _weights(items, resamples, seed):
        sums.append(values @ weights)
        if studentized:
            squares.append(_summed_products(projection, questions, weights))
    whole = np.rint(np.concatenate(sums, axis=1)).astype(np.int64)
    drawn = Resampled(whole.reshape(count, systems, resamples).transpose(2, 0, 1))
    errors: list[Studentized | None] = [None] * len(questions)
    if studentized:
        moments = np.concatenate(squares, axis=2)  # questions × products × resamples
        pairs = zip(questions, moments, strict=True)
        errors = [_studentize(projection, each, drawn, own) for each, own in pairs]
    return {
        test: np.array(
            [
                bootstrap_test(projection, question, drawn, RULES[test], own).p
                for question, own in zip(questions, errors, strict=True)
            ]
        )
        for test in tests
    }


def _weights(items: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield how often each item is drawn, block by block: items × resamples."""
    most = max(1, min(256, _CELLS // items))  # of one stream; no matter who draws it
    for block, start in enumerate(range(0, resamples, most)):
        sequence = np.random.SeedSequence(seed, spawn_key=(_RESAMPLES, block))
        generator = np.random.Generator(np.random.SFC64(sequence))
        size = min(most, resamples - start)
        drawn = generator.integers(items, size=(size, items)) + items * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * items)
        yield np.ascontiguousarray(times.reshape(size, items).T, dtype=np.float64)


def _summed_products(
    projection: Projection, questions: Sequence[Question], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum the products of every pair over resamples: questions × products × resamples."""
    most = max(1, _CELLS // (len(_FIRST) * len(weights)))
    parts = []
    for start in range(0, len(questions), most):
        group = [_products(projection, each) for each in questions[start : start + most]]
        parts.append(np.concatenate(group) @ weights)
    return np.concatenate(parts).reshape(len(questions), len(_FIRST), -1)


def _forms(question: Question) -> tuple[list[int], list[int]]:
    """Return where numerators and denominators of both systems are among forms × systems."""
    bound = question.bound
    assert isinstance(bound, BoundRatio)
    top, bottom = bound.numerator, bound.denominator
    return [top, top, bottom, bottom], [question.a, question.b] * 2


def _products(projection: Projection, question: Question) -> NDArray[np.float64]:
    """Multiply a pair's forms by each other on every item: products × items."""
    values = projection.forms[_forms(question)].astype(np.float64)
    return values[_FIRST] * values[_SECOND]


def _studentize(
    projection: Projection, question: Question, drawn: Resampled, moments: NDArray[np.float64]
) -> Studentized:
    """Work out standard errors by the delta method, but for a factor that all have in common."""
    forms, systems = _forms(question)
    measured = _errors(
        projection.totals[forms, systems][:, None],
        _products(projection, question).sum(axis=1, keepdims=True),
    )
    return Studentized(float(measured[0]), _errors(drawn.sums[:, forms, systems].T, moments))


def _errors(sums: NDArray[np.generic], moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the root of the summed squares of the items' terms, (n - R d) / D for a less b."""
    num_a, num_b, den_a, den_b = sums.astype(np.float64)
    safe_a, safe_b = np.where(den_a == 0, np.inf, den_a), np.where(den_b == 0, np.inf, den_b)
    slopes = np.stack([1 / safe_a, -1 / safe_b, -num_a / safe_a**2, num_b / safe_b**2])
    variance = (_TIMES * slopes[_FIRST] * slopes[_SECOND] * moments).sum(axis=0)
    return np.asarray(np.sqrt(np.maximum(variance, 0)))
