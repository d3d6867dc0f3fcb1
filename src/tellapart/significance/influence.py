"""Whether a decision changes without the item that moves the difference most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import TellapartError
from tellapart.metrics.projection import Projection, project
from tellapart.significance.diagnostics import ItemAnalysis
from tellapart.significance.dispatch import SHUFFLES, Execution, Settings, run
from tellapart.significance.questions import Outcome, Question, as_tested
from tellapart.significance.registry import RANDOMIZATION

MAX_PAIRS = 20
MAX_ITEMS = 100_000
"""Up to so many questions, on so many items, are asked again without the most influential one."""
LONG_ITEMS = 1_000
"""Above so many items the second look is by shuffles."""


def decisions_without_one(
    projection: Projection,
    questions: Sequence[Question],
    outcomes: Sequence[Outcome],
    levels: Sequence[float],
    settings: Settings,
    execution: Execution,
) -> list[bool | None]:
    """Return whether each decision changes without its most influential item; None if not tried.

    `levels` are those that the p-values of the outcomes are compared with.
    """
    changes: list[bool | None] = [None] * len(questions)
    items = len(projection.counts.items)
    if len(questions) > MAX_PAIRS or not 3 <= items <= MAX_ITEMS:
        return changes
    views = {id(bound): ItemAnalysis.of(projection, bound) for bound in projection.metrics}
    for k, (question, outcome) in enumerate(zip(questions, outcomes, strict=True)):
        left_out = views[id(question.bound)].left_out
        if left_out is None or outcome.p is None:
            continue
        item = _most_influential(projection, question, left_out)
        reduced = project(projection.counts.without(item), [question.bound.metric])
        asked = Question(reduced.metrics[0], question.a, question.b, question.tail)
        asked = as_tested(reduced, [asked], settings.options.test)[0]
        strata = None if settings.strata is None else np.delete(settings.strata, item)
        try:
            p = run(reduced, [asked], _lighter(settings, items, strata), execution)[0].p
        except TellapartError:  # a check must not keep the test itself from running
            continue
        changes[k] = p is not None and (p <= levels[k]) != (outcome.p <= levels[k])
    return changes


def _lighter(settings: Settings, items: int, strata: NDArray[np.int64] | None) -> Settings:
    """Return settings for a second look that takes no longer than the first."""
    options = settings.options
    test = options.test
    shuffles = None if options.shuffles is None else min(options.shuffles, SHUFFLES)
    if test in RANDOMIZATION and items > LONG_ITEMS:
        test, shuffles = "shuffle", SHUFFLES
    return replace(settings, options=replace(options, test=test, shuffles=shuffles), strata=strata)


def _most_influential(
    projection: Projection, question: Question, left_out: NDArray[np.float64]
) -> int:
    bound, a, b = question.bound, question.a, question.b
    d = float(projection.score(bound, a)) - float(projection.score(bound, b))
    return int(np.abs(d - (left_out[a] - left_out[b])).argmax())
