"""What users of arrays call: all of it documented, with an example, and none of it slow to load."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys

import pytest

import tellapart as ta
from tellapart import stats

FUNCTIONS = [name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_explains_its_arguments_and_shows_an_example(name: str) -> None:
    function = getattr(stats, name)
    text = inspect.getdoc(function)
    assert text is not None
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
    assert all(name in stats.__all__ for name in ("exchange", "bootstrap", "wilson", "holm"))


def test_importing_it_does_not_wait_for_scipy() -> None:
    script = "import sys, tellapart.stats; print('scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout == "False\n", found.stderr
