"""The count of modules that a command runs through."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_a_comparison_runs_through_fewer_modules_than_it_imports() -> None:
    tool, table = HERE.parent / "tools" / "modules_touched.py", HERE / "data/records/quiz.csv"
    done = subprocess.run(
        [sys.executable, str(tool), "--list", "compare", str(table), "--cluster", "passage"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "tellapart.comparison.compare" in done.stdout.splitlines()
    assert "tellapart.commands.calibrate" not in done.stdout.splitlines()
    numbers = re.findall(r"(\d+) modules run through, (\d+) imported", done.stdout)
    assert [int(run) < int(imported) for run, imported in numbers] == [True]
