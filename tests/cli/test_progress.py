"""The progress line: on standard error, for long work, on a terminal only."""

from __future__ import annotations

import io

import pytest

from tellapart import progress
from tellapart.progress import DelayedProgress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def shown(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, delay: float, terminal: str = "xterm"
) -> str:
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", terminal)
    monkeypatch.setattr(progress, "DELAY_S", delay)
    with DelayedProgress() as report:
        for done in range(5):
            report("shuffles", done, 4)
    return stream.getvalue()


def test_long_work_has_a_bar_that_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, Terminal(), 0.0).split("\r\x1b[K")
    assert lines[1].startswith("shuffles")
    assert lines[1].endswith("  0 %")
    assert lines[-2].endswith("100 %")
    assert lines[-1] == ""
    assert shown(monkeypatch, io.StringIO(), 0.0) == ""  # pipes and files have none
