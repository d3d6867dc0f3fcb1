"""Reading template files, and what is said of those that are not well formed."""

from __future__ import annotations

from pathlib import Path

import pytest

from muc_files import attack, write
from table_files import Capture
from tellapart.cli import main
from tellapart.formats.templates.evaluation import read_evaluation
from tellapart.formats.templates.format import TemplateOptions


@pytest.mark.parametrize("message", ["M1", "M9"])
def test_a_history_of_other_messages_is_told(tmp_path: Path, message: str) -> None:
    """That of another test set changes nothing, which is said; one that fits is used in silence."""
    key = write(tmp_path, "key.txt", attack())
    history = write(tmp_path, "h.txt", f'(("{message}" ("1" (inc-date ("X" fail)))))')
    found = read_evaluation(key, (key,), TemplateOptions(history=history)).notices
    assert [each.code for each in found] == ["muc-history-unfit"] * (message == "M9")


def test_a_response_in_json_is_scored_by_metrics_of_today_alone(
    tmp_path: Path, capsys: Capture
) -> None:
    key = write(tmp_path, "key.txt", attack(perp_ind_id='"MEN"'))
    own = write(tmp_path, "a.json", '{"M1": [{"incident_type": "attack", "PerpInd": [["men"]]}]}')
    command = ["score", "--as", "muc", "--gold", key, own]
    assert main(command) == 2
    assert "a.json: this is JSON, and the key is of 1992; name a metric" in capsys.readouterr().err
    assert main([*command, "--metric", "ceaf-tf"]) == 0
    assert "1.000" in capsys.readouterr().out


def test_texts_are_taken_and_change_no_score(tmp_path: Path, capsys: Capture) -> None:
    key = write(tmp_path, "key.txt", attack())
    texts = write(tmp_path, "texts.txt", "m1\n\n  AN ATTACK.\n")
    wrong = write(tmp_path, "wrong.txt", "nothing\n")
    arguments = ["score", "--as", "muc", "--gold", key, key]
    assert main(arguments) == 0
    without = capsys.readouterr()
    assert main([*arguments, "--texts", texts]) == 0
    assert capsys.readouterr() == without
    assert main([*arguments, "--texts", wrong]) == 0
    assert "wrong.txt: no text is of a message" in capsys.readouterr().err
    assert main([*arguments, "--texts", "none.txt"]) == 2
