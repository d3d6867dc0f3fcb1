"""Several people judge: how often intervals of agreement hold."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.validity import Setting
from tellapart.campaign.agreement import interrater


def agreement_held(questions: int, error: float, what: str, sets: int, seed: int) -> float:
    """Return how often the interval of kappa or alpha holds its limit, which a formula gives."""
    rng, share, hits = np.random.default_rng(seed), np.array([0.6, 0.4]), 0
    said = share * (1 - error) + share[::-1] * error
    chance = float((said**2).sum())
    limit = ((1 - error) ** 2 + error**2 - chance) / (1 - chance)
    for _ in range(sets):
        truth = rng.random(questions) < share[1]
        wrong = rng.random((2, questions)) < error
        found = interrater([{"a": bool(a), "b": bool(b)} for a, b in (truth ^ wrong).T])
        ends = getattr(found, what).interval.ends
        hits += ends[0] <= limit <= ends[1]
    return hits / sets


SETTINGS = (
    *(
        Setting(
            f"{what} of {questions} questions, errors in {error:.0%}",
            partial(agreement_held, questions, error, what),
            least=0.93,
            small=120 if questions < 200 else 0,
        )
        for questions, error in ((25, 0.1), (60, 0.3), (200, 0.2))
        for what in ("kappa", "alpha")
    ),
)  # fmt: skip
