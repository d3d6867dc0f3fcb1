"""The program itself: what it prints, where, and with which status."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tellapart as ta
from tellapart import engine as path
from tellapart.cli import main, verb_parser
from tellapart.console import settings


def table(folder: Path, text: str, name: str = "table.csv") -> str:
    place = folder / name
    place.write_text(text)
    return str(place)


@pytest.fixture
def muc(tmp_path: Path) -> str:
    target = tmp_path / "counts.csv"
    ta.example("muc4").systems["GE", "GE-CMU", "UMASS", "SRI"].to_table(target)
    return str(target)


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run commands in this process, which has loaded what they need."""

    def run_here(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, main([*arguments]), *capsys.readouterr())

    return run_here


def test_json_on_standard_output_stands_alone(muc: str, here: Run) -> None:
    done = here("compare", muc, "--metric", "f1", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["groups"]["f1"]
    assert "read as counts: 4 systems × 100 messages" in done.stderr


def test_score_prints_scores_and_sums(muc: str, here: Run) -> None:
    assert re.search(
        r"UMASS   0.516  .* 0.469  .* 0.574  0.515 - 0.630\n", here("score", muc).stdout
    )
    systems = json.loads(here("score", muc, "--metric", "f2", "--json", "-").stdout)["systems"]
    assert [system["name"] for system in systems] == ["GE", "GE-CMU", "UMASS", "SRI"]
    pos = ta.example("muc4").systems["GE"].column("pos")
    assert systems[0]["counts"]["pos"] == pos.sum()
    assert set(systems[0]["scores"]) == {"f2"}


def test_unpaired_test_of_systems_with_items_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Means of 1, 1, 1, 1 and 0, 0, 0, 0: two of the 70 splits are as extreme."""
    first = table(tmp_path, "item,score\n" + "".join(f"a{k},1\n" for k in range(4)), "A.csv")
    second = table(tmp_path, "item,score\n" + "".join(f"b{k},0\n" for k in range(4)), "B.csv")
    assert main(["compare", first, second, "--test", "unpaired", "--json", "-"]) == 0
    pair = json.loads(capsys.readouterr().out)["pairs"][0]
    assert (pair["difference"], pair["p"]) == (1.0, pytest.approx(2 / 70))
    assert main(["compare", first, second]) == 2


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

    def wide(name: str, value: Callable[[], object], systems: str = "AB", items: int = 100) -> str:
        rows = ["".join(f",{value()}" for _ in systems) for _ in range(items)]
        lines = [f"{k}{row}" for k, row in enumerate(rows)]
        return table(tmp_path, "\n".join([",".join(["item", *systems]), *lines, ""]), name)

    def counts() -> str:
        rows = [
            f"{system},{k},{rng.randint(0, 4)},{rng.randint(0, 3)},{rng.randint(0, 3)}"
            for system in "AB"
            for k in range(60)
        ]
        return table(tmp_path, "\n".join(["system,item,tp,fp,fn", *rows, ""]), "counts.csv")

    def coin() -> int:
        return int(rng.random() < 0.6)

    files = [
        wide("answers.csv", coin),
        wide("many.csv", coin, items=3_000),
        wide("three.csv", coin, "ABC"),
        wide("decimals.csv", lambda: round(rng.random(), 2)),
        wide("digits.csv", rng.random, "ABC"),
        counts(),
    ]
    code = (
        "import sys; from tellapart.cli import main\n"
        "for each in sys.argv[1:]: assert main(['compare', each]) == 0\n"
        "large = {'scipy.stats', 'scipy.optimize', 'jinja2', 'duckdb', 'pyarrow', 'pandas'}\n"
        "loaded = large & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code, *files], check=True, capture_output=True)


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


def test_a_format_s_options_go_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--as", "nuggets", "--coref", "a.tbf"]
    assert verb_parser("score", words).parse_files_anywhere(words).coref is True
    scores = table(tmp_path, "item,A,B\n1,1,0\n")
    assert main(["compare", scores, "--row", "set-fills"]) == 2
    assert "--row goes with --as muc or --as templates; see" in capsys.readouterr().err
    words = ["compare", scores, "--names", "x,y"]
    assert main(words) == 2
    written = "write --as preferences --names x,y; see"
    assert f"--names goes with --as preferences: {written}" in capsys.readouterr().err
    assert main([*words, "--as", "items"]) == 2
    assert "--names goes with --as preferences; see" in capsys.readouterr().err


def test_a_metric_is_named_as_the_report_names_it(tmp_path: Path, here: Run) -> None:
    assert "there is only mean" in here("compare", table(tmp_path, "item,A,B\n1,1,0\n"),
                                        "--metric", "f1").stderr  # fmt: skip
    two = "item,system,em,bleu\n1,A,1,0\n1,B,1,0\n"
    assert "there are em, bleu" in here("compare", table(tmp_path, two), "--metric", "x").stderr


def test_a_file_alone_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(tmp_path, "item,A,B,C\n1,1,0,1\n2,1,1,0\n3,0,0,1\n")
    assert main([scores, "--systems", "B,A"]) == 0
    assert capsys.readouterr().out.startswith("Is A really better?")
    assert main([scores, "--systems", "B,X"]) == 2
    assert "there is no system 'X'" in capsys.readouterr().err


def test_quiet_leaves_the_answer_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(tmp_path, "item,A,B\n1,1,0\n2,1,1\n3,0,0\n")
    assert main(["compare", scores]) == 0
    loud = capsys.readouterr()
    assert main(["compare", scores, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert "read as" in loud.err
    assert quiet.err == ""
    assert not settings.quiet  # for whoever calls next
    assert "Only 3 items" in loud.out
    assert loud.out.startswith(f"{quiet.out}\n")
    assert quiet.out.startswith("Is A really better?  Cannot tell.")


def test_colour_can_be_asked_for_in_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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


def test_demo_replaces_its_own_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "demo.html"
    mine.write_text("mine")
    assert main(["demo"]) == 2
    assert "there is a demo.html here" in capsys.readouterr().err
    assert [each.read_text() for each in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "demo.csv").write_text("mine, too")
    assert main(["demo"]) == 2
    assert "there is another demo.csv here" in capsys.readouterr().err
