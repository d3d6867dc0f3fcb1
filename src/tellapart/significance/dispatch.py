"""Making the tests: the function behind each name of the registry, from questions to outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.metrics.projection import BoundRatio, Projection
from tellapart.progress import Progress, no_progress
from tellapart.resampling.workers import WorkerPool
from tellapart.significance.bootstrap_tests import (
    RESAMPLES,
    Resampled,
    Studentized,
    bootstrap_test,
    resample,
    studentize,
)
from tellapart.significance.corrections import implied_levels
from tellapart.significance.exact_tests import (
    Exact,
    affordable,
    bounded_test,
    exact_tests,
)
from tellapart.significance.options import Options
from tellapart.significance.questions import Outcome, Question, as_tested, unscored
from tellapart.significance.registry import find_test
from tellapart.significance.sequential import robbins_settled
from tellapart.significance.shuffle_tests import ShuffleJob, count_exceedances, count_until_settled
from tellapart.significance.textbook_tests import (
    PairedFunction,
    plugin_outcome,
    textbook_outcome,
    unpaired_outcome,
)
from tellapart.significance.varying_runs import AskedOfRuns, pair_noise

SHUFFLES = 9_999
MAX_SHUFFLES = 1_048_576
"""Where sequential shuffling gives up, and the question stays unsettled."""
EXACT_PATIENCE = 20
"""How much longer an exact test may take where it was asked for by name"""
TOO_COSTLY = "budget"
"""How a pair came to be shuffled that could have been tested exactly"""
BOUNDED = 20
"""Up to so many pairs that a million shuffles leave open have p bounded: .1 seconds for each"""
FIXED_SHUFFLES = 99_999
"""Drawn instead where a correction needs p-values, not decisions."""

SEQUENTIAL = ("none", "bonferroni", "sidak", "holm")
"""Corrections whose levels are known while shuffles go on"""
RULES = {"bootstrap": "shift", "bootstrap-abs": "shift-abs", "bootstrap-t": "studentized"}


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a test, with what follows for it from the comparison that it is part of."""

    options: Options
    family_size: int = 1
    strata: NDArray[np.int64] | None = None
    """Which stratum each item is in, where the bootstrap draws within them"""
    runs: AskedOfRuns | None = None
    """What is asked of the runs, where systems have several"""

    @property
    def runs_vary(self) -> bool:
        """Whether runs stand for their systems, so that they could be others."""
        return self.runs is not None and self.runs.asked == "vary"


@dataclass(frozen=True, slots=True)
class Execution:
    """Where the work runs, and what its progress is reported to."""

    pool: WorkerPool
    progress: Progress = no_progress


Procedure: TypeAlias = Callable[
    [Projection, Sequence[Question], Settings, Execution], list[Outcome]
]
"""What makes one kind of test of many pairs"""


def run(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    """Return the outcomes of all questions, by the test of the options."""
    test = find_test(settings.options.test)
    if test.family == "plug-in":
        function: PairedFunction = test.load()
        return [plugin_outcome(projection, each, test.name, function) for each in questions]
    make: Procedure = test.load()
    return make(projection, questions, settings, execution)


def exact_outcome(found: Exact) -> Outcome:
    """Return the outcome of an exact test."""
    return Outcome(
        p=found.p,
        method=found.method,
        how=found.how,
        exceedances=found.exceeding,
        arrangements=found.arrangements,
        error=found.error,
        exact=True,
    )


def exact(
    projection: Projection, questions: Sequence[Question], _: Settings, execution: Execution
) -> list[Outcome]:
    """Return the exact randomization tests of all pairs, or raise why one of them has none."""
    found = exact_tests(
        projection, questions, execution.pool, execution.progress, patience=EXACT_PATIENCE
    )
    for question, each in zip(questions, found, strict=True):
        if each is None:
            raise _refusal(projection, question)
    return [exact_outcome(each) for each in found if each is not None]


def _refusal(projection: Projection, question: Question) -> UsageError:
    names, bound = projection.counts.names, question.bound
    m = int(projection.discordant(bound, question.a, question.b).sum())
    if not isinstance(bound, BoundRatio):
        why = f"{bound.metric.name} is no ratio of sums"
    elif not bound.exact:
        why = "the scores have too many digits to be whole numbers"
    else:
        why = "the sums spread over too many values"
    return UsageError(
        f"no exact test of {names[question.a]} and {names[question.b]} by {bound.metric.name}: "
        f"{m} items differ, and {why}; use --test shuffle"
    )


def shuffle(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    """Return the randomization tests of all pairs by a fixed number of shuffles."""
    shuffles = settings.options.shuffles or SHUFFLES
    return _fixed(projection, questions, shuffles, settings, execution)


def _fixed(
    projection: Projection,
    questions: Sequence[Question],
    shuffles: int,
    settings: Settings,
    execution: Execution,
) -> list[Outcome]:
    job = ShuffleJob.of(projection, questions, settings.options.seed)
    counts = count_exceedances(job, shuffles, execution.pool, execution.progress)
    return [
        Outcome((count + 1) / (shuffles + 1), "shuffles", shuffles=shuffles, exceedances=count)
        for count in counts.tolist()
    ]


def auto(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    """Return tests of equal scores, exact where possible, the rest by shuffles.

    Where the denominators of two systems differ, the signs of residuals are flipped. A system
    without a score is not tested.
    """
    asked = as_tested(projection, questions, "auto")
    scored = [k for k, each in enumerate(asked) if not unscored(projection, each)]
    found = _exact_or_shuffled(projection, [asked[k] for k in scored], settings, execution)
    outcomes = {
        k: outcome if asked[k].residuals is None else replace(outcome, equal_scores=True)
        for k, outcome in zip(scored, found, strict=True)
    }
    these = [
        outcomes[k]
        if k in outcomes
        else no_outcome(unscored(projection, each), each.bound.metric.name)
        for k, each in enumerate(asked)
    ]
    return with_other_runs(projection, questions, these) if settings.runs_vary else these


def no_outcome(lacking: Sequence[str], metric: str) -> Outcome:
    """Return that there is no test, since some systems have no score."""
    verb = "has" if len(lacking) == 1 else "have"
    why = f"{' and '.join(lacking)} {verb} nothing to divide by, so that there is no {metric}"
    return Outcome(None, "auto", note=why)


def _exact_or_shuffled(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    if not questions:
        return []
    worth = affordable(projection, questions, execution.pool)
    counted = [questions[k] for k in worth.exact]
    made = exact_tests(projection, counted, execution.pool, execution.progress)
    found = worth.closed | {k: each for k, each in zip(worth.exact, made, strict=True) if each}
    distinct = {id(each): each for each in found.values()}  # of thousands of pairs, many are alike
    known = {key: exact_outcome(each) for key, each in distinct.items()}
    outcomes = {k: known[id(each)] for k, each in found.items()}
    rest = [k for k in range(len(questions)) if k not in outcomes]
    if rest:
        remaining = [questions[k] for k in rest]
        outcomes.update(
            zip(rest, _shuffled(projection, remaining, settings, execution), strict=True)
        )
    for k in worth.too_costly:
        if not outcomes[k].exact:
            outcomes[k] = replace(outcomes[k], how=TOO_COSTLY)
    return [outcomes[k] for k in range(len(questions))]


def with_other_runs(
    projection: Projection, questions: Sequence[Question], outcomes: Sequence[Outcome]
) -> list[Outcome]:
    """Return the tests of systems whose runs could be others, from those of these very runs.

    What other runs would give is never surer than what these gave: p is the larger one of both.
    Pairs without noise of runs (a single one, a score that is no function of sums) stay.
    """
    found = []
    for question, these in zip(questions, outcomes, strict=True):
        noise = pair_noise(projection, question.bound, question.a, question.b)
        if noise is None or these.p is None:
            found.append(these)
            continue
        by_t = noise.p(question.tail)
        found.append(
            Outcome(
                p=max(by_t, these.p),
                method="runs",
                statistic=noise.difference / noise.error if noise.error else None,
                df=noise.df,
                assumption="runs that are independent of each other",
                noise=noise,
                p_these_runs=these.p,
            )
        )
    return found


def _shuffled(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    if settings.options.shuffles:
        return _fixed(projection, questions, settings.options.shuffles, settings, execution)
    if settings.options.correction not in SEQUENTIAL:  # this correction needs p-values
        return _fixed(projection, questions, FIXED_SHUFFLES, settings, execution)
    return _sequential(projection, questions, settings, execution)


def _sequential(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    job = ShuffleJob.of(projection, questions, settings.options.seed)
    bounds = np.array([id(question.bound) for question in questions])

    def settled(
        counts: NDArray[np.int64], drawn: NDArray[np.int64], asked: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        levels = levels_at_stake(counts, drawn, bounds, settings)[..., asked, :]
        counts, drawn = counts[..., asked], drawn[..., asked]
        decided = robbins_settled(drawn[..., None], counts[..., None], levels)
        return np.asarray(decided.all(axis=-1))

    counts, drawn = count_until_settled(
        job, settled, MAX_SHUFFLES, execution.pool, execution.progress
    )
    decided = settled(counts, drawn, np.arange(len(questions))).tolist()
    # Of the others, their interval at the end tells whether p may be on either side of the level.
    found = [
        Outcome((c + 1) / (n + 1), "sequential", shuffles=n, exceedances=c, settled=done or None)
        for c, n, done in zip(counts.tolist(), drawn.tolist(), decided, strict=True)
    ]
    unsettled = [k for k, done in enumerate(decided) if not done]
    for k in unsettled if len(unsettled) <= BOUNDED else ():
        exact = bounded_test(projection, questions[k])
        if exact is not None:
            found[k] = exact_outcome(exact)
    return found


def levels_at_stake(
    counts: NDArray[np.int64],
    drawn: NDArray[np.int64],
    bounds: NDArray[np.int64],
    settings: Settings,
) -> NDArray[np.float64]:
    """Return the levels on which each question's decision may hang: … × questions × levels.

    Holm compares the i-th smallest p of k with alpha / (k - i + 1). What counts are the levels of
    the rank that a question has so far and of the ranks beside it.
    """
    k = settings.family_size
    if settings.options.correction != "holm":
        level = implied_levels(np.ones(k), settings.options.correction, settings.options.alpha)[0]
        return np.full((*counts.shape, 1), level)
    estimates = (counts + 1) / (drawn + 1)
    rank = np.empty(counts.shape, np.int64)
    for bound in sorted(set(bounds.tolist())):
        family = np.flatnonzero(bounds == bound)
        order = family[np.argsort(estimates[..., family], axis=-1, kind="stable")]
        np.put_along_axis(rank, order, np.arange(1, len(family) + 1), axis=-1)
    near = np.clip(rank[..., None] + np.arange(-1, 2), 1, k)
    return np.asarray(settings.options.alpha / (k - near + 1))


def bootstrap(
    projection: Projection, questions: Sequence[Question], settings: Settings, execution: Execution
) -> list[Outcome]:
    """Return the bootstrap tests of all pairs, from resamples that they share."""
    rule, resamples = RULES[settings.options.test], settings.options.shuffles or RESAMPLES
    pool, progress, strata = execution.pool, execution.progress, settings.strata
    grouped = rule != "studentized"  # whose standard errors need the same draws
    drawn = resample(projection, resamples, settings.options.seed, pool, strata, progress, grouped)
    outcomes = []
    for question in questions:
        errors = None
        if rule == "studentized":
            errors = studentize(
                projection, question, resamples, settings.options.seed, pool, strata
            )
        outcomes.append(_bootstrap_outcome(projection, question, drawn, rule, errors, settings))
    return outcomes


def _bootstrap_outcome(
    projection: Projection,
    question: Question,
    drawn: Resampled,
    rule: str,
    errors: Studentized | None,
    settings: Settings,
) -> Outcome:
    found = bootstrap_test(projection, question, drawn, rule, errors)
    return Outcome(
        p=found.p,
        method=settings.options.test,
        how=f"{rule}, enumerated" if drawn.enumerated else rule,
        shuffles=None if drawn.enumerated else found.resamples,
        arrangements=found.resamples if drawn.enumerated else None,
        exceedances=found.exceedances,
        wins=found.wins,
    )


def textbook(
    projection: Projection, questions: Sequence[Question], settings: Settings, _: Execution
) -> list[Outcome]:
    """Return the textbook tests of all pairs."""
    test = settings.options.test
    return [textbook_outcome(projection, question, test) for question in questions]


def unpaired(
    projection: Projection, questions: Sequence[Question], settings: Settings, _: Execution
) -> list[Outcome]:
    """Return the unpaired tests: systems' names are permuted over the pooled items of each pair."""
    options, shuffles = settings.options, settings.options.shuffles or SHUFFLES
    return [
        unpaired_outcome(projection, question, shuffles, options.seed, settings.strata)
        for question in questions
    ]
