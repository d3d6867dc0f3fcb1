"""What all studies share: statements with verdicts, their text, and the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import studies
from studies.__main__ import STUDIES
from studies.core import Reproduction, Statement
from studies.everything import once, table


def test_every_study_of_the_folder_can_be_named() -> None:
    places = Path(studies.__file__).parent.rglob("study.py")
    assert sorted(STUDIES) == sorted(place.parent.name for place in places)
    for name, module in STUDIES.items():
        assert module.split(".")[-2] == name


def answered(claim: str, holds: bool | None, **more: Any) -> Reproduction:
    said = Statement("P", "p. 1", claim, "1", "2", "", holds, **more)
    return Reproduction("s", "S", 0, (), (said,), {})


def test_a_statement_counts_once_and_real_systems_go_before_generated_ones() -> None:
    """Of three answers the one on real systems stays; what nobody tested stays untested."""
    kept = once([
        answered("a", None), answered("a", True, qualified="generated"),
        answered("a", False, qualified="other"), answered("a", True, qualified="generated"),
        answered("b", None),
    ])  # fmt: skip
    assert [(each.claim, each.verdict) for each in kept] == [
        ("a", "not so on other systems"), ("b", "not checked"),
    ]  # fmt: skip
    lines = table(kept, ["x: not at hand"], 90.0).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-4:] == [
        "Of 2 statements: 1 is not so on other systems, 1 not checked.",
        "Not tested: 1 statement, above with a dash or a remark.",
        "Left out: x: not at hand.",
        "All of it took 1.5 minutes.",
    ]
