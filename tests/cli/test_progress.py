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


def test_long_work_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "shuffles" in shown(monkeypatch, Terminal(), 0.0)


def test_the_line_tells_the_share_and_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, Terminal(), 0.0).split("\r\x1b[K")
    assert lines[1].endswith("  0 %")
    assert lines[-2].endswith("100 %")
    assert lines[-1] == ""


def test_pipes_and_files_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), 0.0) == ""
