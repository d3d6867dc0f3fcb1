"""The progress line: on standard error, for long work, on a terminal only."""

from __future__ import annotations

import io

import pytest

from tellapart import console
from tellapart.console import DelayedProgress


@pytest.mark.parametrize("on_terminal", [True, False])
def test_long_work_has_a_bar_that_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch, on_terminal: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: on_terminal, raising=False)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(console, "DELAY_S", 0.0)
    with DelayedProgress() as report:
        for done in range(5):
            report("shuffles", done, 4)
    if not on_terminal:  # pipes and files have none
        assert stream.getvalue() == ""
        return
    lines = stream.getvalue().split("\r\x1b[K")
    assert lines[1].startswith("shuffles")
    assert lines[1].endswith("  0 %")
    assert lines[-2].endswith("100 %")
    assert lines[-1] == ""
