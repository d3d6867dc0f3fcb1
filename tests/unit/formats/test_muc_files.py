"""Reading template files, and what is said of those that are not well formed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from muc_files import DESIGN, attack, read, template, write
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.evaluation import read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.muc_reader import read_templates
from tellapart.formats.templates.values import shown


def fills(file_text: Path | str, name: str) -> list[str]:
    file = read_templates(str(file_text), DESIGN, Findings(strict=True))
    first = next(iter(file.messages.values()))[0]
    return [shown(value) for value in first.fills[DESIGN.position[name]]]


@pytest.mark.parametrize(
    ("written", "number", "optional"),
    [("2", "2", False), ("3 (OPTIONAL)", "3", True), ("*", "*", False), ("-", "*", False)],
)
def test_template_numbers(tmp_path: Path, written: str, number: str, optional: bool) -> None:
    found = read(tmp_path, "a.txt", template(number=written)).messages["M1"][0]
    assert (found.number, found.optional) == (number, optional)


def test_a_template_ends_at_a_blank_line_or_where_the_next_begins(tmp_path: Path) -> None:
    text = ";; a remark\n" + attack().rstrip("\n") + "\n" + attack("M2", "1") + "  * * *\n"
    text = text.replace("0.  MESSAGE: ID", "0)  message: id")
    problems = Findings()
    file = read(tmp_path, "a.txt", text, problems=problems)
    assert list(file.messages) == ["M1", "M2"]
    assert not problems.found


def test_of_a_bad_fill_what_can_be_read_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", attack(hum_tgt_desc=['"MEN" THERE', "()", '"WOMEN"']))
    problems = Findings()
    read_templates(path, DESIGN, problems)
    assert fills(path, "hum-tgt-desc") == ['"MEN"', '"WOMEN"']
    assert list(map(str, problems.found)) == [
        f"""warning: {path}:20: '"MEN" THERE' in hum-tgt-desc is untidy: 'THERE' follows where """
        """only / or the end may; it counts as '"MEN"'""",
        f"warning: {path}:21: '()' in hum-tgt-desc says nothing and is left out",
    ]


def test_score_warns_once_of_a_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`validate` lists the lines; `score` says what is wrong, once, and in how many lines."""
    key = write(tmp_path, "key.txt", *(attack(f"M{k}") for k in range(34)))
    untidy = "".join(
        attack(f"M{k}", hum_tgt_effect=["INJURY:"], hum_tgt_desc=f'"{k}" X') + "" for k in range(34)
    ).replace("8.  PERP", 'MORTAR: "MORTARS"\n8.  PERP')
    assert main(["score", "--as", "muc", "--gold", key, write(tmp_path, "a.txt", untidy), key]) == 0
    warned = capsys.readouterr().err.splitlines()
    assert len(warned) == 3
    assert all("(33 more of this kind, the last in line 9" in line for line in warned)
    assert warned[0].startswith(f"tellapart: warning: {tmp_path}/a.txt:9: a line without a known")
    assert main(["validate", "--as", "muc", str(tmp_path / "a.txt")]) == 0
    assert capsys.readouterr().err == "0 errors, 102 warnings\n"


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
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[str], str],
    line: int,
) -> None:
    """It vanished, with all its fills; now every verb refuses the file, and names the line."""
    key = write(tmp_path, "key.txt", attack(), attack("M2"))
    path = write(tmp_path, "a.txt", damage(attack() + attack("M2")))
    for verb in ("score", "compare", "validate"):
        assert main([verb, "--as", "muc", "--gold", key, path, key]) == 2
        told = "".join(capsys.readouterr())
        assert re.search(rf"{path}:{line}: .* begins no template; begin with '0", told)


def test_lines_outside_of_templates_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fill behind a blank line, a remark that is no comment: ignored, and said so once."""
    text = attack() + " " * 35 + '"MAIDS"\n\n' + attack("M2") + "gk: see M1\n"
    path = write(tmp_path, "a.txt", text)
    told = f"{path}:27: a line outside of templates is ignored: "
    assert main(["score", "--as", "muc", "--gold", path, path]) == 0
    assert told in capsys.readouterr().err
    assert main(["compare", "--as", "muc", "--gold", path, f"A={path}", f"B={path}"]) == 0
    # Reports break long paths.
    assert "".join(told.split()) in "".join(capsys.readouterr().out.split())
    assert main(["validate", "--as", "muc", path]) == 0
    assert [line.partition(": a line")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"warning: {path}:27", f"warning: {path}:55",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("ID                    M1", "ID  M1 (SHORT)"), "message is 'M1'; what follows"),
        (("TEMPLATE              1", "TEMPLATE  2 (OPTINAL)"), "read as '2 (OPTINAL)'"),
        (("TEMPLATE              1", "TEMPLATE  *"), "is irrelevant; its fills do not count"),
        (("TEMPLATE              1", "TEMPLATE  1\n   2"), "has one line; what is below"),
        (("ATTACK", "ATACK"), "'ATACK' is no fill of the slot 'inc-type'"),
        (("ATTACK", "ATTACK / "), "an alternative is empty"),
        (("ATTACK", ""), "is followed by nothing; it counts as -"),
    ],
)
def test_what_a_template_says_amiss_is_told(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    text = attack()
    assert change[0] in text
    problems = Findings()
    read(tmp_path, "a.txt", text.replace(*change), problems=problems)
    (problem,) = problems.found
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
    assert "unknown.txt:1: message M7 is not in" in text
    assert "empty.txt: there is no template" in text
    assert "history.txt:2: the history does not parse" in text
    assert "none.txt: there is no such file" in text


def test_a_history_of_other_messages_is_told(tmp_path: Path) -> None:
    key = write(tmp_path, "key.txt", attack())
    history = write(tmp_path, "history.txt", '(("M9" ("1" (inc-date ("X" fail)))))')
    (notice,) = read_evaluation(key, (key,), TemplateOptions(history=history)).notices
    assert notice.code == "muc-history-unfit"


def test_texts_are_taken_and_change_no_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = write(tmp_path, "key.txt", attack())
    texts = write(tmp_path, "texts.txt", "m1\n\n  AN ATTACK.\n")
    wrong = write(tmp_path, "wrong.txt", "nothing\n")
    arguments = ["score", "--as", "muc", "--gold", key, key]
    assert main(arguments) == 0
    without = capsys.readouterr()
    assert main([*arguments, "--texts", texts]) == 0
    assert capsys.readouterr() == without
    assert main([*arguments, "--texts", wrong]) == 0
    assert "wrong.txt: there is no text of a message" in capsys.readouterr().err
    assert main([*arguments, "--texts", "none.txt"]) == 2


def test_validate_lists_warnings_and_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = write(tmp_path, "key.txt", attack(hum_tgt_desc='"A" B'))
    assert main(["validate", "--as", "muc", key]) == 0
    assert capsys.readouterr().out.startswith(f"warning: {key}:20: ")
    bad = write(tmp_path, "bad.txt", attack("M2"))
    history = write(tmp_path, "history.txt", "((\n")
    assert main(["validate", "--as", "muc", "--gold", "none.txt", bad, history]) == 2
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()] == [
        "none.txt", f"{history}:1",
    ]  # fmt: skip
    status = main(["validate", "--as", "muc", "--gold", key, bad, history, "missing.txt"])
    shown_lines = capsys.readouterr().out.splitlines()
    assert status == 2
    assert [line.split(": ")[0] for line in shown_lines] == [
        "warning", f"{bad}:1", f"{history}:1", "missing.txt",
    ]  # fmt: skip


def test_a_history_that_is_nested_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = "(optional " * 5000 + '"X"' + ")" * 5000
    history = write(tmp_path, "history.txt", f'(("M1" ("1" (inc-date\n ({deep} fail)))))')
    key = write(tmp_path, "key.txt", attack())
    assert main(["score", "--as", "muc", "--gold", key, "--history", history, key]) == 2
    assert f"{history}:2: the history does not parse: lists are nested" in capsys.readouterr().err
