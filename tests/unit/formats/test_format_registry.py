"""What follows from formats being objects of one registry."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.errors import UsageError
from tellapart.formats.registry import formats
from tellapart.options import options_of


def _file_options() -> Iterator[tuple[str, str, str, bool]]:
    """Give every option of every format that names a file or folder to read, verb by verb."""
    for each in formats():
        for verb in ("compare", "score", "diff"):
            for declared in options_of(each.options, verb):
                if declared.reads and verb != "diff":
                    yield verb, each.name, declared.flag, declared.metavar == "DIR"


@pytest.mark.parametrize(("verb", "form", "flag", "is_folder"), list(_file_options()))
def test_no_output_replaces_a_file_that_an_option_names(
    write: Write, capsys: Capture, verb: str, form: str, flag: str, is_folder: bool
) -> None:
    """Whatever an option reads is safe, by name or as a file inside a folder."""
    write("a.txt", "x\n")
    write("gold.txt", "x\n")
    if is_folder:
        Path("folder").mkdir()
    kept = write("folder/kept" if is_folder else "kept", "as it was\n")
    named = "folder" if is_folder else kept
    command = [verb, "a.txt", "b=a.txt", "--as", form, "--gold", "gold.txt", flag, named]
    assert main([*command, "--json", kept]) == 2
    assert f"--json {kept} would replace what is read" in capsys.readouterr().err
    assert Path(kept).read_text() == "as it was\n"


def test_reading_takes_the_options_of_the_format(write: Write) -> None:
    table = write("t.csv", "item,topic,A,B\nq1,1,1,0\nq2,2,0,0\n")
    assert "topic" in ta.read(table, labels=["topic"]).labels
    with pytest.raises(UsageError, match="the format 'counts' has no option 'label'; did you mean"):
        ta.read(table, label=["topic"])
    with pytest.raises(UsageError, match="there is no scheme 'loose'; there are lenient, strict"):
        ta.read(table, table, form="conll", scheme="loose")
    with pytest.raises(UsageError, match="order must be a whole number, not '2'"):
        ta.read(table, table, form="text", order="2")
    with pytest.raises(UsageError, match="the format 'text' has no option 'segments'"):
        ta.read(table, table, form="text", segments="s.tsv")  # an option of `score` alone
    with pytest.raises(UsageError, match="there is no format 'inspct'; did you mean 'inspect'"):
        ta.read(table, form="inspct")


def test_a_table_is_read_without_the_readers_of_other_formats(write: Write) -> None:
    """A file is guessed from declarations that load no reader."""
    table = write("scores.csv", "item,A,B\nq1,1,0\nq2,1,1\n")
    code = (
        "import sys; from tellapart.cli import main; "
        f"main(['compare', {table!r}, '--json', '-']); "
        "print(*[m for m in sys.modules if m.startswith('tellapart.formats.')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stderr.splitlines()[-1].split()
    readers = (".reader", ".evaluation", ".suite", ".counting", ".tbf", ".muc.templates")
    others = [m for m in loaded if m.endswith(readers) and ".tables." not in m]
    assert others == []
