"""A project's defaults: `tellapart.toml`, or `[tool.tellapart]` in `pyproject.toml`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from table_files import Capture
from tellapart.cli import main

TABLE = "item,doc,A,B\n" + "".join(f"{k},d{k // 3},{k % 2},{int(k % 5 > 0)}\n" for k in range(36))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with a folder of runs, and go there."""
    root = tmp_path / "project"
    for folder in (root, root / ".git", root / "runs"):
        folder.mkdir()
    (root / "runs" / "t.csv").write_text(TABLE)
    monkeypatch.chdir(root / "runs")
    return root


def compared(capsys: Capture, *words: str) -> tuple[dict[str, Any], str]:
    assert main(["compare", "t.csv", "--json", "-", *words]) == 0
    captured = capsys.readouterr()
    return json.loads(captured.out), captured.err


@pytest.mark.parametrize(
    ("name", "heading"), [("tellapart.toml", ""), ("pyproject.toml", "[tool.tellapart]\n")]
)
def test_defaults_of_a_project(name: str, heading: str, project: Path, capsys: Capture) -> None:
    (project / name).write_text(f'{heading}alpha = 0.1\ncluster = "doc"\nbaseline = "A"\n')
    record, said = compared(capsys)
    assert record["alpha"] == 0.1
    assert record["items"]["cluster"] == "doc"
    assert f"defaults of ../{name}: alpha 0.1, cluster doc, baseline A" in said


def test_the_command_line_wins(project: Path, capsys: Capture) -> None:
    (project / "tellapart.toml").write_text('alpha = 0.1\nmetric = ["mean"]\n')
    record, said = compared(capsys, "--alpha", "0.01")
    assert record["alpha"] == 0.01
    assert "defaults of ../tellapart.toml: metric mean\n" in said
    record, said = compared(capsys, "--alpha=0.01", "--metric", "mean")
    assert "defaults" not in said
    (project / "tellapart.toml").rename(project.parent / "tellapart.toml")
    assert "defaults" not in compared(capsys)[1]  # it is of another project
