"""The registry of report writers: ours by name, and those that other packages add."""

from __future__ import annotations

from pathlib import Path

import pytest

import tellapart as ta
from quiz_files import quiz_counts
from tellapart.cli import main
from tellapart.report.formats import NAMES, WRITERS, find_writer

PLUGIN = """\
from tellapart.report.formats import ReportWriter


def pairs_only(result):
    return "".join(f"{pair.a} {pair.b}\\n" for pair in result.pairs)


NAMED = ReportWriter("names", "the names of all pairs", pairs_only)
LOOSE = pairs_only
"""
ENTRY_POINTS = """\
[tellapart.reports]
names = extra_reports:NAMED
loose = extra_reports:LOOSE
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a package with writers of its own, as an installer leaves it."""
    folder = tmp_path / "site"
    metadata = folder / "extra_reports-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "extra_reports.py").write_text(PLUGIN)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-reports\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture
def scores(tmp_path: Path) -> str:
    path = tmp_path / "quiz.csv"
    quiz_counts().to_table(path)
    return str(path)


@pytest.mark.parametrize("name", [*WRITERS])
def test_every_writer_is_what_the_command_line_prints(
    name: str, scores: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", scores, "--format", name]) == 0
    printed = capsys.readouterr().out
    written = find_writer(name).write(ta.compare(ta.read(scores)).record)
    assert printed.startswith(written.rstrip("\n"))  # the terminal's report also leads on


@pytest.mark.usefixtures("plugin")
def test_a_package_adds_a_writer(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "names" in NAMES
    assert [*NAMES] == [*WRITERS, "loose", "names"]
    assert main(["compare", scores, "--format", "names"]) == 0
    pairs = ta.compare(ta.read(scores)).pairs
    assert capsys.readouterr().out == "".join(f"{pair.a} {pair.b}\n" for pair in pairs)
