"""The counts of modules that a command runs through, and of frames down to a p-value."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from modules_touched import QUESTIONS

pytestmark = pytest.mark.slow
HERE = Path(__file__).parents[1]
MOST_CORE_MODULES, MOST_MODULES, MOST_FRAMES = 25, 45, 12
"""Ceilings: they only ever go down"""


def test_a_comparison_runs_through_fewer_modules_than_it_imports() -> None:
    tool, table = HERE.parent / "tools" / "modules_touched.py", HERE / "data/records/quiz.csv"
    done = subprocess.run(
        [sys.executable, str(tool), "--list", "compare", str(table), "--cluster", "passage"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "tellapart.comparison.compare" in done.stdout.splitlines()
    assert "tellapart.verbs.calibrate" not in done.stdout.splitlines()
    (numbers,) = re.findall(
        r"(\d+) modules run through, (\d+) of them in counts, .*; (\d+) imported", done.stdout
    )
    run, core, imported = map(int, numbers)
    assert core <= MOST_CORE_MODULES
    assert core < run < imported
    assert run <= MOST_MODULES
    rows = re.findall(r"^(?:f1|right or wrong) +\w+ +(\d+) +(\d+)  tellapart", done.stdout, re.M)
    assert len(rows) == len(QUESTIONS)
    assert all(
        1 < int(frames) <= int(deepest) and int(frames) <= MOST_FRAMES for frames, deepest in rows
    )
