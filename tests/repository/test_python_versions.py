"""The same record on every Python: all formats, all kinds of tests, byte for byte.

Needs another Python with NumPy, SciPy and Jinja2: `make test-newest` makes one in `.venv-newest`;
or name its program in TELLAPART_OTHER_PYTHON.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

# Runs commands in one process, with a seed of its own for the hashes of texts.
SCRIPT = """
import io, json, os, re, sys
from tellapart.cli import main

said = {}
for folder, *arguments in json.load(sys.stdin):
    os.chdir(folder)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    keep, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), out, err
    try:
        status = main(arguments)
    finally:
        sys.stdout, sys.stderr = keep
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    # A page says on what it was made.
    texts = [re.sub(r"Python \\d[\\w.]*, NumPy \\d[\\w.]*", "", text) for text in texts]
    said[" ".join([folder, *arguments])] = [status, *texts]
json.dump(said, sys.stdout)
"""


def other_python() -> str:
    """Find another Python that can run the package, or skip."""
    found = os.environ.get("TELLAPART_OTHER_PYTHON", str(ROOT / ".venv-newest" / "bin" / "python"))
    if not Path(found).is_file():
        pytest.skip("no other Python here: `make test-newest` gets one")
    asked = "import sys, numpy, scipy, jinja2; print(*sys.version_info[:2])"
    told = subprocess.run([found, "-c", asked], capture_output=True, text=True, check=False)
    if told.returncode:
        pytest.skip(f"{found} cannot run the package: {told.stderr.splitlines()[-1]}")
    return found


def said_by(python: str, seed: int, commands: list[list[str]]) -> dict[str, list[Any]]:
    """Return status, output and complaints of each command, as one Python has them."""
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [python, "-c", SCRIPT],
        input=json.dumps(commands),
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


def commands_of_all_formats(folder: Path) -> list[list[str]]:
    """Write small files of every format; return commands that score and compare them."""
    from format_samples import SAMPLES, SYSTEMS

    commands = []
    for number, sample in enumerate(SAMPLES):
        if sample.path.endswith((".parquet", ".eval")):
            continue  # which need more than the package itself
        place = folder / str(number)
        place.mkdir()
        sources = [sample.write(place, *system) for system in SYSTEMS.items()]
        gold = [f"--gold={path}" for path in sample.write_gold(place, SYSTEMS["alder"])]
        for verb in ("score", "compare"):
            asked = [str(place), verb, "--as", sample.form, *gold, *sources]
            commands += [asked, [*asked, "--json", "-"]]
    return commands


def commands_of_all_tests(folder: Path) -> list[list[str]]:
    """Return comparisons by every kind of test and interval."""
    shutil.copytree(ROOT / "tests" / "data" / "records", folder, dirs_exist_ok=True)
    asked = [
        *(["quiz.csv", "--test", test] for test in ("shuffle", "bootstrap", "t", "wilcoxon")),
        ["quiz.csv", "--cluster", "passage", "--by", "topic"],
        ["quiz.csv", "--correction", "maxt", "--shuffles", "999"],
        ["counts.csv", "--metric", "f1,recall", "--test", "exact"],
        ["counts.csv", "--metric", "f1", "--test", "bootstrap", "--shuffles", "499"],
        ["loss.csv", "--lower-is-better", "--margin", "0.1"],
    ]
    commands = [[str(folder), "compare", *each] for each in asked]
    commands += [[*each, "--json", "-"] for each in commands]
    others = ("compare quiz.csv --html -", "calibrate quiz.csv --pairs 50 --json -",
              "plan quiz.csv --pair old new --json -")  # fmt: skip
    return [*commands, *([str(folder), *each.split()] for each in others)]


@pytest.mark.slow
@pytest.mark.parametrize("commands_of", [commands_of_all_formats, commands_of_all_tests])
def test_same_record_on_another_python(
    commands_of: Callable[[Path], list[list[str]]], tmp_path: Path
) -> None:
    other, commands = other_python(), commands_of(tmp_path)
    here = said_by(sys.executable, 1, commands)
    there = said_by(other, 2, commands)
    assert [status for status, *_ in here.values()].count(0) >= len(here) - 2
    assert there == here


def test_same_record_with_other_hashes(tmp_path: Path) -> None:
    """Sets of texts come in another order in every process: no output may show it."""
    commands = [each for each in commands_of_all_formats(tmp_path) if "--json" in each]
    assert said_by(sys.executable, 1, commands) == said_by(sys.executable, 2, commands)
