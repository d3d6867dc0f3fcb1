"""The program itself: what it prints, where, and with which status."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Capture
from tellapart import engine as path
from tellapart.cli import main


def table(folder: Path, text: str, name: str = "table.csv") -> str:
    place = folder / name
    place.write_text(text)
    return str(place)


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(capsys: Capture) -> Run:
    """Run commands in this process, which has loaded what they need."""

    def run_here(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, main([*arguments]), *capsys.readouterr())

    return run_here


def test_help_is_quick_to_start_and_loads_no_numpy() -> None:
    """Neither that of the program nor that of a verb, which lists the options of all formats."""
    code = (
        "import sys; from tellapart.cli import main\n"
        "for verb in ([], ['compare'], ['score'], ['validate'], ['plan']):\n"
        "    assert main([*verb, '--help']) == 0\n"
        "names = {'numpy', 'scipy', 'jinja2', 'duckdb', 'pyarrow', 'distributed'}\n"
        "heavy = names & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "compare" in said
    assert "examples:" in said


def test_small_comparisons_load_nothing_large(tmp_path: Path) -> None:
    """These take longer to load than all else in them, whatever is tested."""
    rng = random.Random(0)

    def wide(name: str, value: Callable[[], object], columns: str = "A,B", items: int = 100) -> str:
        rows = [[k, *(value() for _ in columns.split(","))] for k in range(items)]
        lines = [",".join(map(str, row)) for row in rows]
        return table(tmp_path, "\n".join([f"item,{columns}", *lines, ""]), name)

    def coin() -> int:
        return int(rng.random() < 0.6)

    counted = [wide(f"{name}.csv", coin, "tp,fp,fn") for name in "AB"]
    files = [
        wide("answers.csv", coin),
        wide("many.csv", coin, items=3_000),
        wide("three.csv", coin, "A,B,C"),
        wide("decimals.csv", lambda: round(rng.random(), 2)),
        wide("digits.csv", rng.random, "A,B,C"),
    ]
    code = (
        "import sys; from tellapart.cli import main\n"
        "for each in sys.argv[1:]: assert main(['compare', *each.split()]) == 0\n"
        "large = {'scipy.stats', 'scipy.optimize', 'jinja2', 'duckdb', 'pyarrow', 'pandas'}\n"
        "loaded = large & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    command = [sys.executable, "-c", code, *files, " ".join(counted)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize(
    "verb", ["score", "diff", "validate", "plan", "calibrate", "watch", "serve"]
)
def test_the_help_of_every_verb_fits_a_screen(verb: str, here: Run) -> None:
    text = here(verb, "--help").stdout
    assert len(text.splitlines()) <= 44
    assert text.count(f"  tellapart {verb} ") >= 3


def test_the_help_of_compare_fits_a_screen(here: Run) -> None:
    """A dozen options and three examples; all options of comparisons, and no format's."""
    short, whole, of_muc = (
        here("compare", *words).stdout
        for words in (["--help"], ["--help-all"], ["--as", "muc", "--help"])
    )
    options = [set(re.findall(r"^  (--[a-z-]+)", text, re.M)) for text in (short, whole, of_muc)]
    assert 24 <= len(short.splitlines()) <= 40
    assert max(map(len, short.splitlines())) <= 85
    assert short.count("  tellapart compare ") == 3
    assert {"--as", "--gold", "--help-all"} < options[0] < options[1]
    assert len(options[1]) <= 50
    assert options[2] - options[1] >= {"--history", "--replay", "--row", "--only", "--unit"}


def test_colour_can_be_asked_for_in_a_pipe(tmp_path: Path, capsys: Capture) -> None:
    scores = table(tmp_path, "item,A,B\n1,1,0\n2,1,1\n3,0,0\n")
    shown = {}
    for wish in ("auto", "always", "never"):
        assert main(["compare", scores, "--color", wish]) == 0
        shown[wish] = capsys.readouterr().out
    assert shown["auto"] == shown["never"]
    assert "\x1b[1m" in shown["always"]
    assert re.sub(r"\x1b\[[\d;]*m", "", shown["always"]) == shown["never"]


def test_version_says_which_engine_is_on(here: Run) -> None:
    done = here("--version")
    assert done.stdout.startswith("tellapart 0.")
    assert path.describe() in done.stdout


def test_demo_shows_what_the_defaults_say_and_leads_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Its table and its page are left behind, and the commands that it prints run as they stand."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert "Is heron really better?  Yes." in shown
    assert "Is GE really better?  Cannot tell." in shown
    assert shown.count("\n") < 60
    assert max(map(len, shown.splitlines())) <= 80
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["demo-muc4.csv", "demo.csv", "demo.html"]
    assert ta.read("demo-muc4.csv").systems["GE", "UMASS"].names == ("GE", "UMASS")
    assert "<html" in (tmp_path / "demo.html").read_text("utf-8")
    commands = re.findall(r"^  tellapart ([a-z]\S*.*?)(?:   |$)", shown, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        assert main(command.split()) == 0, command
