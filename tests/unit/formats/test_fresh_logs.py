"""Logs that Inspect and lm-eval write today: both are run with fake models, and their files read.

So the next version of either is noticed. `make test-fresh` installs both in a Python of their own;
or name one that has them in TELLAPART_HARNESSES. Without it these tests skip.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import compared, notices
from table_files import Capture
from tellapart.formats.records import open_archive

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[[str, str], Path]

DOCUMENTS = {"choice_one": 20, "choice_two": 10, "lastword": 20, "wholetext": 20, "sums": 20}

pytestmark = pytest.mark.slow


def _python(package: str) -> str:
    """Return a Python that has the package, or skip."""
    if find_spec(package) is not None:
        return sys.executable
    own = ROOT / ".venv-fresh" / "bin" / "python"
    found = os.environ.get("TELLAPART_HARNESSES", str(own))
    if not Path(found).is_file():
        pytest.skip(
            f"no {package} here: `make test-fresh` gets it, or name a Python that has it in "
            "TELLAPART_HARNESSES"
        )
    asked = subprocess.run(
        [found, "-c", f"import {package}"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        pytest.skip(f"{found} has no {package}: {asked.stderr.splitlines()[-1]}")
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return what runs a script with a harness, in a folder of its own, which it returns."""

    @cache
    def made(package: str, script: str) -> Path:
        out = tmp_path_factory.mktemp(package) / "out"
        caches = {"HF_DATASETS_CACHE": str(out.parent / "cache"), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(
            [_python(package), str(ROOT / "tests" / "fresh" / script), str(out)],
            capture_output=True, text=True, check=False, cwd=out.parent,
            env={**os.environ, **caches},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return out

    return made


def test_inspect(run: Run, capsys: Capture) -> None:
    """Two models on two tasks, one of them three times: the means that the headers state."""
    folder = run("inspect_ai", "run_inspect.py")
    record = compared(capsys, str(folder))
    assert [system["name"] for system in record["systems"]] in (
        ["alder", "birch"], ["birch", "alder"],
    )  # fmt: skip
    told = notices(record)
    assert "other-total" not in told
    assert "bystanders" not in told
    logs = sorted(folder.glob("*.eval"))
    assert len(logs) == 4
    for path in logs:
        with open_archive(str(path)) as archive:
            head = archive.json("header.json")
        counts = ta.read(path)
        for score in head["results"]["scores"]:
            place = counts.columns.index(score["name"])
            mean = counts.values[0, :, place].mean() / counts.scales[place]
            assert mean == pytest.approx(score["metrics"]["accuracy"]["value"], abs=1e-9)
        assert len(set(counts.labels["passage"])) == 5
        assert "What is 3 + 3?" in counts.texts.inputs[3]
        assert ta.read(path, metrics="total_time").columns == ("total_time",)


def test_lm_eval(run: Run, capsys: Capture) -> None:
    """Choices, likelihoods of words and texts, filters and a group: the scores of the results."""
    folder = run("lm_eval", "run_lm_eval.py") / "runs"
    record = compared(capsys, str(folder))
    told = notices(record)
    assert {system["name"] for system in record["systems"]} == {"alder", "birch"}
    assert not {"other-total", "bystanders"} & set(told)
    for place in sorted(folder.iterdir()):
        (path,) = place.glob("results_*.json")
        stated = json.loads(path.read_text())
        for task, documents in DOCUMENTS.items():
            (file,) = place.glob(f"samples_{task}_*.jsonl")
            counts = ta.read(file)
            assert len(counts.items) == documents
            scores = _scores(counts)
            figures = {
                name: value
                for name, value in stated["results"][task].items()
                if "," in name and "stderr" not in name
            }
            assert len(figures) == len(scores)
            for name, value in figures.items():
                metric, _, filtered = name.partition(",")
                ours = scores.get(metric, scores.get(f"{metric}/{filtered}"))
                assert ours == pytest.approx(value, rel=1e-9), name
        group = ta.read(place, metrics="acc")
        members = [k for k, name in enumerate(group.labels.get("group", ())) if name == "choices"]
        mean = group.column("acc")[0, members].mean() / group.scales[0]
        assert mean == pytest.approx(stated["results"]["choices"]["acc,none"], abs=1e-9)


def _scores(counts: ta.Counts) -> dict[str, Any]:
    from tellapart.metrics.scores import metrics_of, score_counts

    scores = (score_counts(counts, metric) for metric in metrics_of(counts, None))
    return {own.name: float(own.values[0]) for own in scores}


def test_inspect_logs_that_failed(run: Run) -> None:
    """A retry takes the place of the run that failed; a failed sample is missing, not wrong."""
    folder = run("inspect_ai", "run_inspect.py").with_name("retried")
    assert len(list(folder.glob("*.eval"))) == 3
    with pytest.raises(ta.DataError, match=r"1 item failed in birch \(.*no answer"):
        ta.read(folder)
    counts = ta.read(folder, missing="drop")
    assert len(counts.items) == 19
    codes = {notice.code for notice in counts.notices}
    assert {"superseded", "failed"} <= codes
