"""The one search: where it ends, and how many steps it takes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart.stats.intervals import crossing

ROOTS: dict[str, tuple[Callable[[float], float], float]] = {
    "line": (lambda x: 3 * x - 1, 1 / 3),
    "cubic": (lambda x: x**3 - 0.2, 0.2 ** (1 / 3)),
    "logarithm": (lambda x: math.log(x + 1e-9) + 5, math.exp(-5)),
    "flat": (lambda x: (x - 0.7) ** 5, 0.7),
}


@pytest.mark.parametrize("name", ROOTS)
def test_a_smooth_function_takes_few_steps(name: str) -> None:
    function, root = ROOTS[name]
    looks: list[float] = []

    def watched(x: float) -> float:
        looks.append(x)
        return function(x)

    assert crossing(watched, 0.0, 1.0, xtol=1e-6) == pytest.approx(root, abs=1e-6)
    assert len(looks) <= (25 if name == "flat" else 16)


@given(st.floats(0.001, 0.999), st.floats(1e-9, 0.1))
def test_a_step_is_found_from_above(step: float, xtol: float) -> None:
    found = crossing(lambda x: -1.0 if x < step else 1.0, 0.0, 1.0, xtol=xtol)
    assert step <= found <= step + xtol
