"""The line that shows what pip is at while `make` sets up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import pytest

from pages import ROOT

Run = Callable[[Sequence[str]], int]
_WORK = "import sys; print('Collecting numpy'); print('  no such wheel'); sys.exit({})"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the function that runs a command."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import setting_up

    return setting_up.run


def test_what_fails_is_shown_whole(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    assert run([sys.executable, "-c", _WORK.format(3)]) == 3
    assert "Collecting numpy\n  no such wheel\n" in capfd.readouterr().err


def test_where_nobody_looks_on_there_is_one_line(
    run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([sys.executable, "-c", _WORK.format(0)]) == 0
    said = capfd.readouterr().err
    assert said.startswith("setting up")
    assert said.count("\n") == 1
