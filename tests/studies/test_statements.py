"""What all studies share: statements with verdicts, their text, and the command."""

from __future__ import annotations

from pathlib import Path

import pytest

import studies
from studies.__main__ import STUDIES, main
from studies.core import Statement


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
