"""Reading template files, and what is said of those that are not well formed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from muc_files import DESIGN, attack, write
from table_files import Capture
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.evaluation import read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.muc_reader import read_templates

HEADER = "0.  MESSAGE: ID                    "


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda text: text.replace(f"{HEADER}M2", "O.  MESSAGE: ID   M2"), 27),
        (lambda text: text.replace(f"{HEADER}M2\n", ""), 27),
        (lambda text: text.replace(f"{HEADER}M2", f"x{HEADER}M2"), 27),
        (lambda text: text.replace(f"{HEADER}M2", ";;; M2"), 28),
    ],
)
def test_a_template_whose_first_line_is_damaged_is_no_remark(
    tmp_path: Path, capsys: Capture, damage: Callable[[str], str], line: int
) -> None:
    """It vanished, with all its fills; now every verb refuses the file, and names the line."""
    key = write(tmp_path, "key.txt", attack(), attack("M2"))
    path = write(tmp_path, "a.txt", damage(attack() + attack("M2")))
    for verb in ("score", "compare", "validate"):
        assert main([verb, "--as", "muc", "--gold", key, path, key]) == 2
        told = "".join(capsys.readouterr())
        assert re.search(rf"{path}:{line}: .* begins no template; begin with '0", told)


@pytest.mark.parametrize(
    ("written", "replaced", "line", "told"),
    [
        ("ID                    M1", "ID  M1 (SHORT)", 1, "message is 'M1'; what follows"),
        ("TEMPLATE              1", "TEMPLATE  2 (OPTINAL)", 1, "read as '2 (OPTINAL)'"),
        ("TEMPLATE              1", "TEMPLATE  *", 1, "is irrelevant; its fills do not count"),
        ("ATTACK", "ATACK", 5, "'ATACK' is no fill of the slot 'inc-type'"),
        ("ATTACK", "ATTACK / ", 5, "an alternative is empty"),
        ("ATTACK", "", 5, "is followed by nothing; it counts as -"),
        ("ATTACK", 'ATTACK: "A" B', 5, """in inc-type counts as 'ATTACK: "A"': 'B' follows"""),
        ("ATTACK", "(", 5, "in inc-type counts as wrong: a parenthesis is not closed"),
        ("-\n\n", f"-\n\n{' ' * 35}-1\n", 27, "a line outside of templates is ignored"),
        ("-\n\n", "-\n\ngk: see M1\n", 27, "a line outside of templates is ignored"),
    ],
)
def test_what_a_file_says_amiss_is_told(
    tmp_path: Path, written: str, replaced: str, line: int, told: str
) -> None:
    assert written in attack()
    problems = Findings()
    path = write(tmp_path, "a.txt", attack().replace(written, replaced))
    read_templates(path, DESIGN, problems)
    (problem,) = problems.found
    assert problem.text.startswith(f"{path}:{line}: ")
    assert told in problem.text
    assert not problem.fatal


def test_all_problems_are_listed_at_once(tmp_path: Path) -> None:
    """Missing lines and files, unknown messages, empty files, a broken history in one error."""
    key = write(tmp_path, "key.txt", attack())
    lacking = write(tmp_path, "lacking.txt", attack().replace("2.  INCIDENT: DATE", "2.  DATE"))
    unknown = write(tmp_path, "unknown.txt", attack("M7"))
    empty = write(tmp_path, "empty.txt", "nothing\n")
    history = write(tmp_path, "history.txt", '(("M1" ("1" (inc-date\n ("X" maybe)))))')
    with pytest.raises(DataError) as caught:
        read_evaluation(
            key, (lacking, unknown, empty, "none.txt"), TemplateOptions(history=history)
        )
    text = str(caught.value)
    assert "lacking.txt:1: the template has no line '2.  INCIDENT: DATE'" in text
    assert "unknown.txt:1: message 'M7' is not in" in text
    assert "empty.txt: there is no template" in text
    assert "history.txt:2: the history does not parse" in text
    assert "none.txt: there is no such file" in text


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
