"""Where a comparison may be written."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import tellapart as ta
from muc_files import attack
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.errors import UsageError
from tellapart.files import file_names

TABLE = "item,old,new\n" + "".join(f"q{k},{k % 2},1\n" for k in range(12))


@pytest.mark.parametrize("option", ["--json", "--html", "--save-counts", "--pr"])
@pytest.mark.parametrize("way", ["spelling", "symbolic link", "standard input"])
def test_no_output_replaces_an_input(
    option: str, way: str, write: Write, capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """By whatever name an output or the call calls it."""
    name = write("t.csv", TABLE)
    Path("link.csv").symlink_to(name)
    read = "-" if way == "standard input" else name
    with open(name) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        path = "link.csv" if way == "symbolic link" else f"./{name}"
        assert main(["compare", read, option, path]) == 2
    assert "would replace what is read" in capsys.readouterr().err
    assert Path(name).read_text() == TABLE


def test_reports_never_replace_responses(write: Write, capsys: Capture) -> None:
    """A report is called after its system, and so may its response be."""
    write("key.txt", attack(perp_ind_id='"A"'))
    response = attack(perp_ind_id='"B"')
    Path("responses").mkdir()
    for name in ("GE.txt", "SRI.txt"):
        write(f"responses/{name}", response)
    words = ["score", "--as", "muc", "--gold", "key.txt", "responses/SRI.txt", "responses/GE.txt"]

    assert main([*words, "--report-dir", "responses"]) == 2
    assert "responses/SRI.txt would replace what is read" in capsys.readouterr().err
    assert {each.read_text() for each in Path("responses").iterdir()} == {response}
    assert main([*words, "--report-dir", "reports"]) == 0
    assert sorted(os.listdir("reports")) == ["GE.txt", "SRI.txt"]
    # A report of an earlier call is an output, and may be replaced.
    assert main([*words, "--report-dir", "reports"]) == 0


@pytest.mark.parametrize(
    ("names", "file"),
    [(["a/b", "a_b"], "a_b.txt"), (["GE", "ge"], "ge.txt"), (["a\nb", "a_b"], "a_b.txt")],
)
def test_names_that_cannot_be_files_of_their_own_are_refused(names: list[str], file: str) -> None:
    with pytest.raises(UsageError, match=f"{names[1]}.* {file}"):
        file_names(names, ".txt")


@pytest.mark.parametrize("save", ["save_json", "save_html", "to_table"])
def test_python_never_replaces_what_was_read(
    write: Write, monkeypatch: pytest.MonkeyPatch, save: str
) -> None:
    """Counts know their files, whatever was chosen or summed, and wherever one stands now."""
    write("t.csv", TABLE)
    write("labels.csv", "item,half\n" + "".join(f"q{k},{k % 2}\n" for k in range(12)))
    counts = ta.read("t.csv", item_labels="labels.csv").where(half=["0", "1"])
    saved = counts if save == "to_table" else ta.compare(counts, test="sign")
    here = Path.cwd()
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    for name in ("t.csv", "labels.csv"):
        with pytest.raises(UsageError, match="would replace what is read"):
            getattr(saved, save)(here / name)
    for _ in range(2):  # an output of an earlier call may be replaced
        getattr(saved, save)("new.csv")
    assert (here / "t.csv").read_text() == TABLE
    assert saved is counts or replace(counts, files=()) == counts
