"""Raw p-values made into adjusted ones, family by family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.names import JOINT
from tellapart.significance.joint import enumerable, joint_adjusted
from tellapart.significance.multiplicity import adjust, implied_levels
from tellapart.significance.outcome import Outcome
from tellapart.significance.procedures import SHUFFLES
from tellapart.study import Study, families


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An adjusted p-value, and what its decision rests on."""

    p: float | None
    level: float
    """At which the raw p is compared"""
    exceedances: int | None = None
    shuffles: int | None = None
    """Of the shared shuffles, where the adjusted p itself was drawn"""


def adjusted_p_values(study: Study, outcomes: Sequence[Outcome]) -> list[Adjusted]:
    """Adjust the p-values of every family; a test that is undefined counts as asked, with p = 1."""
    found: dict[int, Adjusted] = {}
    for family in families(study):
        joint = study.asked.correction in JOINT
        found.update(_joint(study, outcomes, family) if joint else _plain(study, outcomes, family))
    return [found[k] for k in range(len(outcomes))]


def _plain(study: Study, outcomes: Sequence[Outcome], family: list[int]) -> dict[int, Adjusted]:
    correction, alpha = study.asked.correction, study.asked.alpha
    raw = [p if (p := outcomes[k].p) is not None else 1.0 for k in family]
    values, levels = adjust(raw, correction), implied_levels(raw, correction, alpha)
    return {
        k: Adjusted(None if outcomes[k].p is None else float(value), float(level))
        for k, value, level in zip(family, values, levels, strict=True)
    }


def _joint(study: Study, outcomes: Sequence[Outcome], family: list[int]) -> dict[int, Adjusted]:
    asked = study.asked
    shuffles = asked.shuffles or SHUFFLES
    drawn = joint_adjusted(
        study.projection,
        [study.questions[k] for k in family],
        asked.correction,
        shuffles,
        asked.seed,
        study.machinery.crew,
        progress=study.machinery.progress,
    )
    certain = asked.correction != "tukey" and enumerable(study.projection)
    counts = np.rint(drawn * (shuffles + 1)).astype(int) - 1
    found = {}
    for k, value, count in zip(family, drawn.tolist(), counts.tolist(), strict=True):
        raw = outcomes[k].p or 1.0
        level = asked.alpha * raw / value if value < 1 else asked.alpha / len(family)
        found[k] = Adjusted(
            max(value, raw),  # the raw p may be exact, and above what the shuffles give
            min(level, asked.alpha),
            None if certain else count,
            None if certain else shuffles,
        )
    return found
