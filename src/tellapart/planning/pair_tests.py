"""P-values of all tests on many pairs of pseudo-systems at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.metrics.projection import Bound, BoundRatio, Projection
from tellapart.planning.null_pairs import Pairs
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap_tests import (
    ENUMERATED_ITEMS,
    Resampled,
    Studentized,
    bootstrap_test,
)
from tellapart.significance.dispatch import RULES, Execution, Settings, run
from tellapart.significance.options import Options
from tellapart.significance.questions import Question, as_tested, unscored
from tellapart.significance.registry import BOOTSTRAP, RANDOMIZATION
from tellapart.significance.unpaired_tests import ENUMERATION_LIMIT, random_splits, ratio_exceeds
from tellapart.significance.varying_runs import noise_of_values

_ONE = Execution(WorkerPool())
_EXACT_FLOAT = 1 << 50  # sums below this survive a product of floats

_STREAM = 101  # of resamples; null pairs have the stream before
_CELLS = 1 << 21  # items × resamples of a block, and items × products that are summed at a time

# Forms in order: numerators of a and b, denominators of a and b; the products of two of them.
_FIRST, _SECOND = np.triu_indices(4)
_TIMES = np.where(_FIRST == _SECOND, 1.0, 2.0)[:, None]


@dataclass(frozen=True, slots=True)
class Draws:
    """How many shuffles and resamples a test makes, and from which seed."""

    shuffles: int
    resamples: int
    seed: int


def p_values(
    pairs: Pairs, bound: Bound, tests: Sequence[str], draws: Draws
) -> dict[str, NDArray[np.float64] | str]:
    """Return the two-sided p of every pair by test, NaN if undefined; or why a test does not fit.

    The p of a pair is what `compare` gives for the same two systems, test and seed; only those of
    the bootstrap come from other draws. Where pairs have runs, auto is the test over items and
    runs; the others see the means over the runs.
    """
    by_t = None
    if pairs.runs:
        by_t = _over_runs(pairs)
        means = pairs.first[: -pairs.runs], pairs.second[: -pairs.runs]
        pairs = Pairs(*means, pairs.uniforms)
    projection = _projection(pairs, bound)
    questions = [Question(bound, k, k + 1, "two") for k in range(0, 2 * pairs.first.shape[1], 2)]
    found: dict[str, NDArray[np.float64] | str] = {}
    together = [test for test in tests if test in BOOTSTRAP]
    if not isinstance(bound, BoundRatio) and "bootstrap-t" in together:
        together.remove("bootstrap-t")  # which is refused like any test that does not fit
    if together and pairs.first.shape[2] > ENUMERATED_ITEMS:
        found |= _bootstrap(projection, questions, together, draws.resamples, draws.seed)
    if by_t is not None and "auto" in tests:  # never surer than of these very runs
        found["shuffle"] = these = _one_test(projection, questions, "shuffle", draws)
        found["auto"] = np.maximum(by_t, these)
    for test in tests:
        if test not in found:
            try:
                found[test] = _one_test(projection, questions, test, draws)
            except UsageError as problem:
                found[test] = _reason(problem)
    return {test: found[test] for test in tests}


def _over_runs(pairs: Pairs) -> NDArray[np.float64]:
    """Return p of every pair by the t test over items and runs."""
    one, other = (
        half[-pairs.runs :].astype(np.float64).swapaxes(0, 1)  # pairs × runs × items
        for half in (pairs.first, pairs.second)
    )
    differences = one.mean(axis=(1, 2)) - other.mean(axis=(1, 2))
    return np.array(
        [
            noise_of_values(float(difference), (a, b)).p("two")
            for difference, a, b in zip(differences, one, other, strict=True)
        ]
    )


def _one_test(
    projection: Projection, questions: Sequence[Question], test: str, draws: Draws
) -> NDArray[np.float64]:
    bound = projection.metrics[0]
    if test == "unpaired" and isinstance(bound, BoundRatio) and _splits_are_drawn(projection):
        return _unpaired(projection, questions, bound, draws.resamples, draws.seed)
    number = draws.shuffles if test in RANDOMIZATION else draws.resamples
    if test == "auto":  # what it tests, by shuffles
        asked = as_tested(projection, questions, "auto")
        lacking = [bool(unscored(projection, each)) for each in asked]
        tested = [each for each, lacks in zip(asked, lacking, strict=True) if not lacks]
        known = iter(_one_test(projection, tested, "shuffle", draws) if tested else ())
        return np.array([math.nan if lacks else next(known) for lacks in lacking])
    options = Options(test=test, shuffles=number, seed=draws.seed)
    outcomes = run(projection, questions, Settings(options), _ONE)
    return np.array([math.nan if each.p is None else each.p for each in outcomes])


def _reason(problem: UsageError) -> str:
    """Return why a test does not fit, without the names of pseudo-systems and what to do."""
    words = str(problem).partition("; use ")[0]
    return words.partition(": ")[2] if words.startswith(("test ", "no exact ")) else words


def _projection(pairs: Pairs, bound: Bound) -> Projection:
    """Return both of each pair side by side, as systems whose columns are the forms."""
    count, number, items = pairs.first.shape
    forms = np.stack([pairs.first, pairs.second], axis=2).reshape(count, 2 * number, items)
    counts = Counts(
        names=tuple(f"{k // 2 + 1}{'ab'[k % 2]}" for k in range(2 * number)),
        items=tuple(map(str, range(items))),
        columns=tuple(f"form {k}" for k in range(count)),
        values=forms.transpose(1, 2, 0),
        scales=(1,) * count,
        exact=(True,) * count,
        sizes=np.ones(items, np.int64),
    )
    return Projection(counts, forms, forms.sum(axis=2), (bound,))


def _splits_are_drawn(projection: Projection) -> bool:
    items = projection.forms.shape[2]
    largest = int(np.abs(projection.forms).sum(axis=2).max())
    return math.comb(2 * items, items) > ENUMERATION_LIMIT and largest < _EXACT_FLOAT // 2


def _unpaired(
    projection: Projection,
    questions: Sequence[Question],
    bound: BoundRatio,
    shuffles: int,
    seed: int,
) -> NDArray[np.float64]:
    """Return p by permuting the labels of all pairs together: drawing the splits costs most."""
    items, number = projection.forms.shape[2], len(questions)
    both = projection.forms[[bound.numerator, bound.denominator]]
    pooled = both.reshape(2, number, 2 * items)  # axis 2: items of the first, then of the second
    totals = pooled.sum(axis=2)
    differences = [
        (Fraction(projection.score(bound, each.a)) - Fraction(projection.score(bound, each.b)))
        / bound.factor
        for each in questions
    ]
    exceeding = np.zeros(number, np.int64)
    columns = pooled.reshape(2 * number, 2 * items).T
    for sums in random_splits([columns], [items], shuffles, seed):
        drawn = sums.T.reshape(2, number, -1)
        rest = totals[:, :, None] - drawn
        for k, difference in enumerate(differences):
            hit = ratio_exceeds(
                (drawn[0, k], drawn[1, k]), (rest[0, k], rest[1, k]), difference, "two",
                bound.undefined,
            )  # fmt: skip
            exceeding[k] += int(hit.sum())
    return (exceeding + 1) / (shuffles + 1)


def _bootstrap(
    projection: Projection,
    questions: Sequence[Question],
    tests: Sequence[str],
    resamples: int,
    seed: int,
) -> dict[str, NDArray[np.float64]]:
    """Return the p-values of bootstrap tests of every question, all with the same resamples."""
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
        sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM, block))
        generator = np.random.Generator(np.random.SFC64(sequence))
        size = min(most, resamples - start)
        drawn = generator.integers(items, size=(size, items)) + items * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * items)
        yield np.ascontiguousarray(times.reshape(size, items).T, dtype=np.float64)


def _summed_products(
    projection: Projection, questions: Sequence[Question], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the products of every pair, summed: questions × products × resamples."""
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
    """Return the products of a pair's forms on every item: products × items."""
    values = projection.forms[_forms(question)].astype(np.float64)
    return values[_FIRST] * values[_SECOND]


def _studentize(
    projection: Projection, question: Question, drawn: Resampled, moments: NDArray[np.float64]
) -> Studentized:
    """Return standard errors by the delta method, but for a factor that all have in common."""
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
