"""The progress bar: on standard error, for long work, on a terminal only."""

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


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, delay: float) -> str:
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "DELAY_S", delay)
    with DelayedProgress() as told:
        for done in range(5):
            told("shuffles", done, 4)
    return stream.getvalue()


def test_long_work_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "shuffles" in shown(monkeypatch, Terminal(), 0.0)


def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), 60.0) == ""


def test_pipes_and_files_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), 0.0) == ""
