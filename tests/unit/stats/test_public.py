"""What users of arrays call: documented, quick to load, and refusing what it cannot take."""

from __future__ import annotations

import dataclasses
import inspect
import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import tellapart as ta
from tellapart import stats
from tellapart.errors import TellapartError

FUNCTIONS = [name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_explains_its_arguments_and_shows_an_example(name: str) -> None:
    function = getattr(stats, name)
    text = inspect.getdoc(function)
    arguments = text.partition("Args:")[2]
    for parameter in inspect.signature(function).parameters:
        assert f"\n    {parameter}: " in arguments or parameter in ("pool", "progress"), parameter
    assert ">>> " in arguments


def test_every_record_says_what_it_is() -> None:
    records = [getattr(stats, name) for name in stats.__all__ if name not in FUNCTIONS]
    assert all(inspect.getdoc(record) for record in records)
    frozen = [record for record in records if dataclasses.is_dataclass(record)]
    assert len(frozen) == len(records) - 1  # `Sequential` takes items as they come
    assert all(vars(record)["__dataclass_params__"].frozen for record in frozen)


def test_two_arrays_are_enough() -> None:
    assert ta.stats.sign_flip([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).p == 0.0625
    assert ta.stats.power is stats.power  # not the module of that name
    assert all(name in stats.__all__ for name in ("exchange", "bootstrap", "wilson", "adjust"))


def test_importing_it_does_not_wait_for_scipy() -> None:
    script = "import sys, tellapart.stats; print('scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout == "False\n", found.stderr


GOOD = [[1, 2], [3, 4]]
REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("alternative", lambda: stats.sign_flip([1], alternative="larger")),
    ("same items", lambda: stats.sign_flip([1, 2], [1])),
    ("numbers", lambda: stats.sign_flip(["a"])),
    ("finite", lambda: stats.sign_flip([1.0, math.nan])),
    ("1 axes", lambda: stats.sign_flip([[1, 2]])),
    ("0 or more", lambda: stats.mcnemar(-1, 2)),
    ("same items", lambda: stats.mcnemar_range((5, 7), (3, 8))),
    ("all items", lambda: stats.mcnemar_range((8, 7), (3, 7))),
    ("items × 2 columns", lambda: stats.unpaired(GOOD, [[1, 2, 3]])),
    ("at least 1", lambda: stats.unpaired(GOOD * 15, GOOD * 15, n_resamples=0)),
    ("each of 2 items", lambda: stats.dependence([1, 2], [0])),
    ("two columns", lambda: stats.exchange([[1]], [[2]])),
    ("whole numbers", lambda: stats.exchange([[0.5, 1]], [[1, 1]])),
    ("whole numbers", lambda: stats.max_t([[0.5, 1]], [[1]])),
    ("each of 1 columns", lambda: stats.max_t([[1, 2]], [[1, -1]])),
    ("2 axes", lambda: stats.tukey([1, 2])),
    ("runs × items", lambda: stats.runs_test([1, 0], [0, 1])),
    ("same items", lambda: stats.runs_test([[1, 0]], [[0, 1, 1]])),
    ("crossed=False", lambda: stats.runs_test(np.ones((2, 3, 4)), np.ones((3, 3, 4)))),
    ("without any value", lambda: stats.runs_test([[np.nan, 0]], [[0, 1]])),
    ("it takes two or more", lambda: stats.ppi_mean([1, 1, 1], [1, np.nan, np.nan])),
    ("too few for an interval", lambda: stats.ppi_mean([1, 0, 1, 1], [1, 0, np.nan, np.nan])),
    ("an entry for each match", lambda: stats.bradley_terry([0], [1, 2], [1])),
    ("between 0 and 1", lambda: stats.bradley_terry([1], [1], [1])),
    ("between 0 and 1", lambda: stats.bradley_terry([0], [1], [1.5])),
    ("each judgment", lambda: stats.position_bias([0], [0, 1], [1, 0], [1, 1])),
    ("each judgment", lambda: stats.length_bias([0, 1], [1], [[1, 2]])),
    ("no correction 'hom'; there are none, bonferroni", lambda: stats.adjust([0.5], "hom")),
    ("above 0", lambda: stats.adjust([0.5, 0.0], "holm")),
    ("above 0", lambda: stats.adjust([0.5, math.nan], "holm")),
    ("exceedances", lambda: stats.confidence(10, 9, 0.05)),
    ("level", lambda: stats.confidence(1, 9, 1.0)),
    ("symmetric matrix of 2", lambda: stats.groups([1.0, 2.0], [[False, True], [False, False]])),
    ("a level", lambda: stats.power([1, -1, 1], level=2.0)),
    ("alpha", lambda: stats.Sequential(alpha=0)),
    ("leaves nothing to show", lambda: stats.Sequential(margin=1.0)),
    ("both finite", lambda: stats.Sequential(bounds=(1, 1))),
    ("two numbers", lambda: stats.Sequential(bounds=5)),  # type: ignore[arg-type]
    ("scores must lie between 0 and 1", lambda: stats.Sequential("A").add(1.2, 0)),
    ("B scores nan", lambda: stats.Sequential("A", "B").add(0, math.nan)),
    ("no score of A", lambda: stats.Sequential("A").add("yes", 0)),
    ("2 scores of A and 1 of B", lambda: stats.Sequential("A", "B").add([1, 0], [1])),
    ("a number", lambda: stats.Sequential("A").add([], [])),
]


@pytest.mark.parametrize(("said", "call"), REFUSED)
def test_refused(said: str, call: Callable[[], object]) -> None:
    with pytest.raises(TellapartError, match=said):
        call()
