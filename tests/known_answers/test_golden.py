"""The answers that users act on are those of version 0.1, but for those in golden_changes.txt.

The commands, their answers and the tolerances are not part of this repository: they stand beside
it, in ``../shared``, where there is such a folder.
"""

from __future__ import annotations

import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[3] / "shared"
SCRIPT = SHARED / "tools" / "same_answers"
CASES_FILE = SHARED / "golden" / "cases.json"
CHANGES_FILE = Path(__file__).parents[1] / "golden_changes.txt"
PROGRAM = str(Path(sys.executable).parent / "tellapart")

pytestmark = pytest.mark.skipif(
    not CASES_FILE.is_file(), reason=f"no golden answers at {CASES_FILE.parent}"
)


def _cases() -> list[dict[str, Any]]:
    """Return the cases whose answers are to be the same, or to differ for a reason."""
    if not CASES_FILE.is_file():
        return []
    cases: list[dict[str, Any]] = json.loads(CASES_FILE.read_text(encoding="utf-8"))
    return [case for case in cases if not case.get("expected_change")]


def _changed_cases() -> set[str]:
    """Return the names of the cases whose answers were changed on purpose."""
    lines = CHANGES_FILE.read_text(encoding="utf-8").splitlines()
    return {line.partition(":")[0].strip() for line in lines if line and not line.startswith("#")}


@pytest.fixture(scope="module")
def same_answers() -> Any:
    """Load the script that runs a case and compares its answer."""
    loader = SourceFileLoader("same_answers", str(SCRIPT))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes_bytecode
    return module


def _parameters() -> list[Any]:
    """Mark all cases as slow but for every fifth, which are of all kinds."""
    marks = [[] if k % 5 == 0 else [pytest.mark.slow] for k in range(len(_cases()))]
    return [
        pytest.param(case, id=case["name"], marks=each)
        for case, each in zip(_cases(), marks, strict=True)
    ]


@pytest.mark.parametrize("case", _parameters())
def test_golden_answer(case: dict[str, Any], same_answers: Any) -> None:
    """A command answers as before; a case that is named as changed really differs."""
    answer = same_answers.run(case, PROGRAM, SHARED)
    differences = list(same_answers.differences(case["answer"], answer, case["command"]))
    if case["name"] in _changed_cases():
        assert differences, f"{case['name']} is named in {CHANGES_FILE.name}, but is the same"
    else:
        assert not differences, f"tellapart {case['command']}\n" + "\n".join(differences)


def test_changes_name_known_cases() -> None:
    assert _changed_cases() <= {case["name"] for case in _cases()}
