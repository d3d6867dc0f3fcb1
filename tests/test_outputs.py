"""Where a comparison may be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_files import Write
from tellapart.cli import main

TABLE = "item,old,new\n" + "".join(f"q{k},{k % 2},1\n" for k in range(12))


@pytest.mark.parametrize("option", ["--json", "--html", "--save-counts"])
def test_an_input_is_never_replaced(
    write: Write, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    name = write("t.csv", TABLE)

    assert main(["compare", name, option, f"./{name}"]) == 2
    assert "would replace a file that is read" in capsys.readouterr().err
    assert Path(name).read_text() == TABLE


def test_two_outputs_need_two_places(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    name = write("t.csv", TABLE)

    assert main(["compare", name, "--json", "-", "--html", "-"]) == 2
    assert main(["compare", name, "--json", "x", "--html", "x"]) == 2
    assert capsys.readouterr().out == ""
    assert not Path("x").exists()


def test_a_page_on_standard_output_is_alone(
    write: Write, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    name = write("t.csv", TABLE)

    assert main(["compare", name, "--html", "-"]) == 0
    page = capsysbinary.readouterr().out
    assert page.startswith(b"<!DOCTYPE html>")
    assert page.rstrip().endswith(b"</html>")


def test_files_may_stand_between_options(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (
        write("a.csv", "item,score\nq1,1\nq2,0\n"),
        write("b.csv", "item,score\nq1,0\nq2,0\n"),
    )

    assert main(["compare", one, "--test", "sign", two, "--alpha", "0.1"]) == 0
    assert "a - b" in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        main(["compare", one, two, "--tset", "sign"])
    assert left.value.code == 2
    assert "there is no option --tset; the nearest is --test" in capsys.readouterr().err


def test_options_of_another_format_are_refused(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that would have no effect is a mistake, and said to be one."""
    name = write("t.csv", TABLE)

    assert main(["compare", name, "--docids", "d.txt"]) == 2
    assert "--docids goes with --as text" in capsys.readouterr().err
    assert main(["compare", name, "--scheme", "strict"]) == 2
    assert main(["compare", name, "--sensitivity", "--fail-if-worse"]) == 2
    assert "drop --fail-if-worse" in capsys.readouterr().err


def test_a_folder_is_no_file_to_write(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    name = write("t.csv", TABLE)
    Path("reports").mkdir()

    assert main(["compare", name, "--html", "reports"]) == 2
    assert "reports: this is a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["calibrate", "t.csv"],
        ["plan", "t.csv"],
        ["convergence", "--before-seen", "t.csv", "--after-seen", "t.csv", "--before-unseen",
         "t.csv", "--after-unseen", "t.csv"],
    ],
)  # fmt: skip
def test_studies_never_replace_an_input(
    write: Write, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    write("t.csv", TABLE)

    assert main([*words, "--json", "t.csv"]) == 2
    assert "would replace a file that is read" in capsys.readouterr().err
    assert Path("t.csv").read_text() == TABLE
