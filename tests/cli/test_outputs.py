"""Where a comparison may be written."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

import tellapart as ta
from muc_files import attack
from table_files import Write
from tellapart.cli import main
from tellapart.verbs.outputs import Outputs
from tellapart.errors import UsageError
from tellapart.files import open_text
from tellapart.options import Output
from tellapart.read_once import reading_once
from tellapart.writing import file_names
from writers import INPUTS, TABLE, Writer, write_inputs, writers

Redirect = Callable[[str], object]


@pytest.fixture
def redirect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Redirect]:
    """Make a file standard input, as a shell's `< file` does."""
    with ExitStack() as files:

        def opened(name: str) -> None:
            monkeypatch.setattr(sys, "stdin", files.enter_context(open(name, encoding="utf-8")))

        yield opened


def _inputs(writer: Writer) -> list[str]:
    return [word for word in writer.words("x") if word in INPUTS]


@pytest.mark.usefixtures("write")
@pytest.mark.parametrize("way", ["spelling", "symbolic link", "hard link", "standard input"])
@pytest.mark.parametrize("writer", writers(), ids=str)
def test_no_output_replaces_an_input(
    capsys: pytest.CaptureFixture[str], redirect: Redirect, writer: Writer, way: str
) -> None:
    """Whatever a call reads stays as it is, by whatever name an output or the call calls it."""
    write_inputs(Path())
    for name in dict.fromkeys(_inputs(writer)):
        path = f"./{name}" if way == "spelling" else f"{way} {name}"
        if way == "symbolic link":
            Path(path).symlink_to(name)
        elif way == "hard link":
            Path(path).hardlink_to(name)
        words = writer.words(path)
        if way == "standard input":
            words = [*("-" if word == name else word for word in words[:-1]), name]
            redirect(name)
        assert main(words) == 2
        said = capsys.readouterr()
        told = "a folder is needed" if writer.is_folder else "would replace a file that is read"
        assert told in said.err
        assert said.err.count("tellapart: ") == 1
        assert said.out == ""
    assert {name: Path(name).read_text() for name in INPUTS} == INPUTS


@pytest.mark.usefixtures("write")
@pytest.mark.parametrize("writer", writers(), ids=str)
def test_nothing_is_written_in_a_folder_that_is_read(writer: Writer) -> None:
    """The next reading would find it there; and the name of a folder may be a link."""
    write_inputs(Path())
    Path("read").mkdir()
    Path("link").symlink_to("read")
    for path in ("read/new", "link/new", "read/deeper/../new"):
        output = Output(writer.option, path, writer.is_folder)
        with pytest.raises(UsageError, match="would be among the files of read, a folder that"):
            Outputs({writer.option: output}, ("read",))


def _pairs() -> list[tuple[Writer, Writer]]:
    """Give all pairs of outputs of one command."""
    pairs = combinations(writers(), 2)
    return [
        (a, b) for a, b in pairs if a.verb == b.verb and {a.form, b.form} in ({""}, {"", a.form})
    ]


@pytest.mark.usefixtures("write")
@pytest.mark.parametrize(("one", "other"), _pairs(), ids=str)
def test_two_outputs_of_a_call_never_share_a_place(
    capsys: pytest.CaptureFixture[str], one: Writer, other: Writer
) -> None:
    write_inputs(Path())
    Path("there").mkdir()
    Path("link").symlink_to("there")
    for first, second in (("x.csv", "./x.csv"), ("there/x.csv", "link/x.csv"), ("x.csv", "X.csv")):
        words = one.words(first) if one.form else other.words(first)
        option = (other if one.form else one).option
        assert main([*words, option, second]) == 2
        assert "cannot both be written to" in capsys.readouterr().err
    assert os.listdir("there") == []


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
    assert "there is no option --tset; did you mean --test" in capsys.readouterr().err


def test_options_of_another_format_are_refused(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that would have no effect is a mistake, and said to be one."""
    name = write("t.csv", TABLE)

    assert main(["compare", name, "--docids", "d.txt"]) == 2
    assert "--docids goes with --as text" in capsys.readouterr().err
    assert main(["compare", name, "--scheme", "strict"]) == 2


def test_a_folder_is_no_file_to_write(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    name = write("t.csv", TABLE)
    Path("reports").mkdir()

    for path in ("reports", "reports/", "new/"):
        assert main(["compare", name, "--html", path]) == 2
        assert f"{path}: this is a folder" in capsys.readouterr().err


def test_a_picture_never_replaces_another_output(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a folder gets is known at the end, and still before anything is written."""
    name = write("t.csv", TABLE)
    Path("out").mkdir()

    for path in ("out/systems-mean.svg", "out/Systems-Mean.svg"):
        assert main(["compare", name, "--test", "sign", "--svg", "out", "--json", path]) == 2
        assert "would replace" in capsys.readouterr().err
    assert os.listdir("out") == []
    assert main(["compare", name, "--test", "sign", "--svg", "out", "--json", "out/r.json"]) == 0
    assert {"r.json", "systems-mean.svg"} <= set(os.listdir("out"))


def test_a_file_is_no_folder_for_another_output(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    name = write("t.csv", TABLE)

    assert main(["compare", name, "--json", "a", "--svg", "a/b"]) == 2
    assert "--json a is a file, and --svg a/b needs a folder" in capsys.readouterr().err
    assert main(["compare", name, "--svg", "-"]) == 2
    assert "standard output is none" in capsys.readouterr().err
    assert os.listdir() == ["t.csv"]


def test_reports_never_replace_responses(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """A report is called after its system, and so may its response be."""
    write("key.txt", attack(perp_ind_id='"A"'))
    response = attack(perp_ind_id='"B"')
    Path("responses").mkdir()
    for name in ("GE.txt", "SRI.txt"):
        write(f"responses/{name}", response)
    words = ["score", "--as", "muc", "--gold", "key.txt", "responses/SRI.txt", "responses/GE.txt"]

    assert main([*words, "--report-dir", "responses"]) == 2
    assert "responses/SRI.txt would replace a file that is read" in capsys.readouterr().err
    assert {each.read_text() for each in Path("responses").iterdir()} == {response}
    assert main([*words, "--report-dir", "reports"]) == 0
    assert sorted(os.listdir("reports")) == ["GE.txt", "SRI.txt"]
    # A report of an earlier call is an output, and may be replaced.
    assert main([*words, "--report-dir", "reports"]) == 0


def test_reports_never_replace_the_file_on_standard_input(
    write: Write, capsys: pytest.CaptureFixture[str], redirect: Redirect
) -> None:
    key, response = attack(perp_ind_id='"A"'), attack(perp_ind_id='"B"')
    write("GE.txt", key)
    write("response", response)
    redirect("GE.txt")
    words = ["score", "--as", "muc", "--gold", "-", "GE=response", "--report-dir"]

    assert main([*words, "."]) == 2
    assert "GE.txt would replace a file that is read" in capsys.readouterr().err
    assert Path("GE.txt").read_text() == key
    redirect("GE.txt")
    assert main([*words, "reports"]) == 0
    assert os.listdir("reports") == ["GE.txt"]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a/b", "a_b"], "'a/b' and 'a_b' would both be written to a_b.txt"),
        (["GE", "ge"], "'GE' and 'ge' would both be written to ge.txt"),
        (["caf\u00e9", "cafe\u0301"], "would both be written to"),
        ([".."], "'..' cannot be the name of a file"),
        ([" "], "' ' cannot be the name of a file"),
        (["x" * 252], "the name is 256 bytes long"),
        (["a\nb", "a_b"], "would both be written to a_b.txt"),
    ],
)
def test_names_that_cannot_be_files_of_their_own_are_refused(
    names: list[str], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        file_names(names, ".txt")
    assert sentence in str(refused.value)


def test_systems_whose_reports_would_be_one_file(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("key.txt", attack())
    write("GE.txt", attack())
    words = ["score", "--as", "muc", "--gold", "key.txt", "a/b=GE.txt", "a_b=GE.txt"]

    assert main([*words, "--report-dir", "reports"]) == 2
    assert "'a/b' and 'a_b' would both be written to a_b.txt" in capsys.readouterr().err
    assert not Path("reports").exists()


@pytest.mark.parametrize("name", ["../x.svg", "/x.svg", "a/../../x.svg", ""])
def test_no_file_of_a_folder_is_outside_of_it(write: Write, name: str) -> None:
    """Names come from formats, also those of other packages."""
    write("t.csv", TABLE)
    outputs = Outputs({"--svg": Output("--svg", "out", True)})
    with pytest.raises(UsageError, match="is no name of a file in it"):
        outputs.write({"--svg": lambda: {name: "<svg/>"}})
    assert os.listdir() == ["t.csv"]


@pytest.mark.parametrize("option", ["--json", "--svg"])
def test_a_study_writes_nothing_where_its_data_are(
    write: Write, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    from studies.__main__ import main as study

    Path("data").mkdir()
    write("data/key.txt", "kept\n")
    assert study(["muc4", "--data", "data", option, "data/x"]) == 2
    assert "data/x would be among the files of data" in capsys.readouterr().err
    assert study(["yeh", "--json", "x.svg", "--svg", "./x.svg"]) == 2
    assert os.listdir() == ["data"]


def test_what_a_reader_opens_unasked_is_safe_as_well(write: Write) -> None:
    """Nobody needs to declare a file for it to be kept: that it was opened is enough."""
    name = write("beside.txt", "kept\n")
    outputs = Outputs({"--json": Output("--json", name, is_folder=False)})
    with reading_once():
        with open_text(name) as text:
            text.read()
        with pytest.raises(UsageError, match=r"beside\.txt would replace a file that is read"):
            outputs.write({"--json": lambda: "{}"})
    assert Path(name).read_text() == "kept\n"


@pytest.mark.usefixtures("write")
def test_an_output_that_nothing_is_made_for_is_refused() -> None:
    """A verb that forgets one of its outputs does not pass over it in silence."""
    outputs = Outputs({"--html": Output("--html", "x.html", False)})
    with pytest.raises(UsageError, match="--html has nothing to write here"):
        outputs.write({"--json": lambda: "{}"})


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
        with pytest.raises(UsageError, match="would replace a file that is read"):
            getattr(saved, save)(here / name)
    for _ in range(2):  # an output of an earlier call may be replaced
        getattr(saved, save)("new.csv")
    assert (here / "t.csv").read_text() == TABLE
    assert saved is counts or replace(counts, files=()) == counts


def test_python_never_replaces_the_file_on_standard_input(write: Write, redirect: Redirect) -> None:
    name = write("t.csv", TABLE)
    redirect(name)
    counts = ta.read("-")
    for save in (counts.to_table, ta.compare(counts, test="sign").save_json):
        with pytest.raises(UsageError, match="would replace a file that is read"):
            save(name)
        save("new.csv")
    assert Path(name).read_text() == TABLE


def test_standard_output_may_take_text_alone(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a notebook, or of a test, has no bytes below it."""
    name = write("t.csv", TABLE.replace("new", "größer"))
    counts = ta.read(name)
    result = ta.compare(counts, test="sign")
    result.save_json("r.json")
    counts.to_table("c.csv")
    ways: list[tuple[Callable[[], object], str]] = [
        (lambda: result.save_json("-"), "r.json"),
        (lambda: counts.to_table("-"), "c.csv"),
        (lambda: main(["compare", name, "--test", "sign", "--json", "-"]), "r.json"),
    ]
    for call, file in ways:
        monkeypatch.setattr(sys, "stdout", text := io.StringIO(newline=""))
        call()
        assert text.getvalue().encode() == Path(file).read_bytes()
    monkeypatch.setattr(sys, "stdout", text := io.StringIO())
    assert main(["compare", name, "--test", "sign", "--format", "tsv"]) == 0
    assert "größer\t" in text.getvalue()


def test_read_text_knows_its_files(write: Write) -> None:
    write("ref.txt", "a\nb\n")
    write("a.txt", "a\nc\n")
    counts = ta.read_text(["a.txt"], ["ref.txt"]).counts
    with pytest.raises(UsageError, match="would replace"):
        counts.to_table("ref.txt")


_WRITING = re.compile(
    r"\bopen\([^)\n]*[\"'][rwax]?b?[wax+]|\.write_(text|bytes)\(|\bos\.(replace|rename)\(|\.to_table\("
    r"|\.save_(json|html)\(|\bwrite_(text|together|atomically)\("
)
_WRITERS = {"writing.py", "verbs/outputs.py", "counts/counts.py", "result.py",
            "formats/muc/history_files.py",
            "report/figures/picture.py", "campaign/campaign.py",
            "campaign/settings.py", "counts/tables.py"}  # fmt: skip
"""A campaign lays its files out for readers, in a temporary folder, and keeps its settings; DuckDB
makes Parquet there"""


def test_nothing_else_writes_files() -> None:
    """Verbs write by `Outputs` alone, and all bytes go to the disk by one module."""
    root = Path(ta.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if _WRITING.search(line) and not line.lstrip().startswith((">>>", "...", "#", "``"))
    }
    assert found <= _WRITERS
    assert "writing.py" in found
