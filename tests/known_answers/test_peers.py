"""Figures that other programs' own tests hold those programs to."""

from __future__ import annotations

import numpy as np
import pytest

from tellapart.stats import adjust, bradley_terry

MULTTEST = {
    "none": [
        0.838541367553, 0.642193923795, 0.680845947633, 0.967833824309, 0.71626938238,
        0.177096952723, 5.23656777208e-05, 0.0202732688798, 0.00028140506198, 0.0149877310796,
    ],
    "bonferroni": [1, 1, 1, 1, 1, 1, 5.23656777208e-4, 0.202732688798, 2.8140506198e-3,
                   0.149877310796],
    "holm": [1, 1, 1, 1, 1, 1, 5.23656777208e-4, 0.1419128821586, 2.53264555782e-3,
             0.11990184863680],
    "bh": [
        0.93171263061444, 0.89533672797500, 0.89533672797500, 0.967833824309, 0.89533672797500,
        0.35419390544600, 5.23656777208e-4, 0.0506831721995, 1.40702530990e-3,
        0.04995910359867,
    ],
}  # fmt: skip
"""By the package multtest of R, to which statsmodels' tests hold its corrections"""

FOOD = (
    "Pizza>Sushi Pasta>Burger Tacos>Pizza Tacos>Sushi Burger>Pizza Sushi>Pasta Tacos>Burger "
    "Pizza=Pasta Burger>Sushi Pasta>Tacos Sushi>Burger Tacos>Pizza Sushi=Pasta Burger>Tacos "
    "Burger>Pizza Tacos>Pasta Sushi>Burger Tacos>Pasta Tacos>Pizza Sushi>Burger Pizza>Pasta "
    "Sushi>Burger Tacos>Pasta Pizza>Sushi Burger>Sushi Tacos>Pasta Tacos>Pizza Pasta>Burger "
    "Sushi>Tacos Burger>Pizza"
)
SIMPLE = "0=1 2>0 0=2 0=4 1>0 1=2 1=2 1=3 2=4 3>0 3>1 3>2 3=4 3=4 4>0 4>3"
EVALICA = [
    (FOOD, {"Tacos": 0.434289828, "Sushi": 0.190600285, "Burger": 0.147976651,
            "Pasta": 0.128153411, "Pizza": 0.098979826}),
    (SIMPLE, {"4": 0.349475275, "3": 0.336888680, "2": 0.131685681, "1": 0.131150691,
              "0": 0.050799673}),
]  # fmt: skip
"""Matches, and the scores of evalica's golden files: the shares of exp(score)"""


@pytest.mark.parametrize("method", MULTTEST)
def test_corrections_are_those_of_multtest(method: str) -> None:
    assert adjust(MULTTEST["none"], method) == pytest.approx(MULTTEST[method], rel=1e-9)


@pytest.mark.parametrize(("matches", "wanted"), EVALICA)
def test_scores_of_preferences_are_those_of_evalica(matches: str, wanted: dict[str, float]) -> None:
    place = {name: k for k, name in enumerate(wanted)}
    played = [(match.replace("=", ">").split(">"), match) for match in matches.split()]
    a, b = ([place[both[side]] for both, _ in played] for side in (0, 1))
    scale = bradley_terry(a, b, [0.5 if "=" in match else 1.0 for _, match in played])
    shares = np.exp(scale.scores) / np.exp(scale.scores).sum()
    assert dict(zip(wanted, shares, strict=True)) == pytest.approx(wanted, abs=1e-8)
