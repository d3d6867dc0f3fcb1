"""What all studies share: statements with verdicts, their text, and the command."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import studies
from studies.__main__ import STUDIES, main
from studies.core import Qualified, Reproduction, Statement, standard_errors
from studies.rendering import render


def test_every_study_of_the_folder_can_be_named() -> None:
    places = Path(studies.__file__).parent.glob("*/study.py")
    assert sorted(STUDIES) == sorted(place.parent.name for place in places)


def test_a_study_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["yee"]) == 2
    assert "yeh" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("holds", "settled_by", "words"),
    [
        (True, None, "holds"),
        (False, None, "does not come out"),
        (None, None, "not checked"),
        (True, "the exact test", "settled by the exact test"),
    ],
)
def test_verdicts(holds: bool | None, settled_by: str | None, words: str) -> None:
    statement = Statement("P", "p. 1", "claim", "1", "1", "", holds, settled_by)
    assert statement.verdict == words


@pytest.mark.parametrize(
    ("holds", "qualified", "words"),
    [
        (True, "generated", "so on these generated systems"),
        (False, "generated", "not so on these generated systems"),
        (None, "generated", "not checked"),
        (True, "other", "so on other systems"),
        (False, "other", "not so on other systems"),
        (True, "weak", "is consistent"),
        (False, "weak", "does not come out"),
        (None, "open", "not settled"),
    ],
)
def test_qualified_verdicts(holds: bool | None, qualified: Qualified, words: str) -> None:
    statement = Statement("P", "p. 1", "claim", "1", "1", "", holds, qualified=qualified)
    assert statement.verdict == words
    text = render(Reproduction("p", "P", 0, (), (statement, statement), {}))
    assert words.split()[0] in text.lower()


def test_standard_errors_by_hand() -> None:
    """With p = 1/2 and 10,000 shuffles one standard error is 1/200; at p = 1 there is none."""
    assert standard_errors(0.51, 0.5, 10_000) == pytest.approx(2.0)
    assert standard_errors(1.0, 1.0, 100) == 0.0
    assert standard_errors(0.9, 1.0, 100) == -math.inf
