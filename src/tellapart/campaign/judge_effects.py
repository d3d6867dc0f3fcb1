"""How far a difference between systems depends on who judged: judges as a sample of judges.

What one person takes for right now and another does not is noise of single items, which every
interval has in it: the items' scores vary by it. What is not in it are leanings, by which a person
moves the difference on all items at once: more lenient with longer answers, say. Of these the
second opinions tell. Each moves the difference by an effect, what one person's answer makes of it
less what the other's does; and leanings are fitted to the effects of all pairs of people:

    effect of a question that j and k answered = h_j - h_k + chance

If j had judged all Q questions, the difference would be about Q h_j higher than by the average
judge. The variance between judges is that of Q h_j, less what chance explains of it; but never less
than what so few second opinions could leave unseen. People who decided shares w_j of the questions
move the difference by Q Σ w_j h_j, so its variance is the one between judges times Σ w_j².

The interval is that of the difference for these judges, each half of it widened as two independent
errors add up (squared), by Student's t with as many degrees of freedom as judges could be compared.
It is for the difference that the average of all judges like these would give. Two people cannot
tell what a third would say: their interval is for what either of the two would find alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ends = tuple[float | None, float | None]

FEWEST: Final = 20
"""With fewer second opinions nothing is said about leanings"""


@dataclass(frozen=True, slots=True, eq=False)
class SecondOpinion:
    """What two people's answers to one question make of the differences of systems."""

    judges: tuple[str, str]
    effects: Floats
    """Of each difference: with the first one's answer less with the second one's"""
    weight: float = 1.0
    """Less than 1 where more than two answered: 1 / (m - 1)"""


@dataclass(frozen=True, slots=True, eq=False)
class Leaning:
    """By how much differences would move had one judge judged everything."""

    shifts: Floats
    errors: Floats
    """Standard errors of the shifts"""


@dataclass(frozen=True, slots=True, eq=False)
class JudgeVariance:
    """The variance that leanings of judges add to differences."""

    variances: Floats
    """Of each difference"""
    df: int
    """Judges that can be compared, less one"""
    leanings: Mapping[str, Leaning]

    @property
    def of_all_judges(self) -> bool:
        """Whether it tells of judges like these, and not just of two."""
        return self.df > 1

    def widened(self, k: int, difference: float, interval: Ends, level: float) -> Ends:
        """Return the interval of a difference with the leanings in it.

        >>> found = JudgeVariance(np.array([0.01]), 4, {})
        >>> low, high = found.widened(0, 0.2, (0.1, None), 0.95)
        >>> round(low, 4), high
        (-0.0951, None)
        """
        from scipy.special import ndtri, stdtrit

        if self.of_all_judges:
            spread = float(stdtrit(self.df, (1 + level) / 2)) * math.sqrt(self.variances[k])
            return _widened(difference, interval, 0.0, spread)
        z = float(ndtri((1 + level) / 2))
        either = [
            _widened(difference, interval, float(each.shifts[k]), z * float(each.errors[k]))
            for each in self.leanings.values()
        ]
        lows, highs = [low for low, _ in either], [high for _, high in either]
        return (
            None if None in lows else min(low for low in lows if low is not None),
            None if None in highs else max(high for high in highs if high is not None),
        )


def _widened(difference: float, interval: Ends, shift: float, spread: float) -> Ends:
    low, high = interval
    return (
        None if low is None else difference + shift - math.hypot(difference - low, spread),
        None if high is None else difference + shift + math.hypot(high - difference, spread),
    )


def judge_variance(
    opinions: Sequence[SecondOpinion], questions: int, decided: Mapping[str, float]
) -> JudgeVariance | None:
    """Return the variance between judges; None where there are too few second opinions.

    `questions` is how many were decided in all, and `decided` how many of them by each person.

    >>> said = [SecondOpinion(("ann", "bob"), np.array([k % 2 * 0.01])) for k in range(30)]
    >>> found = judge_variance(said, 100, {"ann": 60, "bob": 40})
    >>> found.df, {who: round(float(each.shifts[0]), 3) for who, each in found.leanings.items()}
    (1, {'ann': 0.2, 'bob': -0.3})
    """
    if len(opinions) < FEWEST:
        return None
    names = sorted({name for each in opinions for name in each.judges})
    place = {name: k for k, name in enumerate(names)}
    first = np.array([place[each.judges[0]] for each in opinions])
    second = np.array([place[each.judges[1]] for each in opinions])
    weights = np.array([each.weight for each in opinions])
    effects = np.stack([each.effects for each in opinions])  # opinions × differences
    # Least squares of h_j - h_k, whose normal equations are the Laplacian of who shared with whom.
    design = np.zeros((len(opinions), len(names)))
    design[np.arange(len(opinions)), first] = 1
    design[np.arange(len(opinions)), second] = -1
    inverse = np.linalg.pinv(design.T @ (weights[:, None] * design))
    fitted = inverse @ (design.T @ (weights[:, None] * effects))
    df = int(np.linalg.matrix_rank(design))
    left = max(float(weights.sum()) - df, 1.0)
    noise = (weights[:, None] * (effects - design @ fitted) ** 2).sum(axis=0) / left
    between, chance = (fitted**2).sum(axis=0) / df, noise * np.trace(inverse) / df
    unseen = chance * min(1.0, math.sqrt(2 / df)) / 2  # half the spread of an estimate of 0
    total = math.fsum(decided.values())
    shares = math.fsum((each / total) ** 2 for each in decided.values()) if total else 1.0
    variances = np.maximum(between - chance, unseen) * questions**2 * shares
    own = np.array([decided.get(name, 0.0) for name in names])
    own = own / own.sum() if own.any() else np.full(len(names), 1 / len(names))
    leanings = {}
    for name, k in place.items():
        contrast = -own
        contrast[k] += 1
        error = np.sqrt(noise * max(float(contrast @ inverse @ contrast), 0.0))
        leanings[name] = Leaning(questions * (contrast @ fitted), questions * error)
    return JudgeVariance(np.asarray(variances, float), df, leanings)
