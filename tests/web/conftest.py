"""The page of the quiz, made once for all that look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

import tellapart as ta
from quiz import quiz_with_texts
from tellapart.result import Result


@pytest.fixture(scope="session")
def result() -> Result:
    return ta.compare(quiz_with_texts(), cluster="passage")


@pytest.fixture(scope="session")
def report(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    result.save_html(path)
    return path
