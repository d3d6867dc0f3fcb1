"""A package that adds a format, a metric, a test and a report is installed, and all are used."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from tellapart.cli import main
from tellapart.formats import registry

PLUGIN = Path(__file__).parents[1] / "plugin"
MARKS = {"heron": "+++ ++- +++ +-+ ++- +++ -++ +++", "egret": "+-- --- ++- -+- +-- +++ -+- ---"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package into a folder of its own by pip, without a network."""
    source = tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(PLUGIN, source)  # setuptools builds beside what it builds from
    folder = tmp_path_factory.mktemp("site")
    command = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [sys.executable, "-m", "pip", *command, "--target", str(folder), str(source)],
        check=True,
        capture_output=True,
    )
    return folder


class Terminal:
    """Runs commands in a folder with two files of marks, where the package is installed."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self._patch, self._capsys = folder, patch, capsys
        patch.chdir(folder)
        for name, marks in MARKS.items():
            lines = [f"q{k} {each}" for k, each in enumerate(marks.split())]
            (folder / f"{name}.marks").write_text("\n".join(["#marks", *lines]) + "\n")

    def find_in(self, installed: Path) -> Terminal:
        """Let packages be found in a folder; what was imported of them elsewhere is forgotten."""
        self._patch.syspath_prepend(installed)
        self._patch.delitem(sys.modules, "tellapart_marks", raising=False)
        return self

    def __call__(self, *words: str, status: int = 0) -> str:
        """Run one command, and return what it prints; with a status, what it complains of."""
        registry.formats.cache_clear()
        registry._plugged_in.cache_clear()
        ended = main([*words])
        said = self._capsys.readouterr()
        assert ended == status, said.err
        return said.err if status else said.out

    def record(self, *words: str) -> dict[str, Any]:
        """Run a comparison of the two files, and return its record."""
        files = ["heron.marks", "egret.marks"]
        found: dict[str, Any] = json.loads(self("compare", *files, *words, "--json", "-"))
        return found


@pytest.fixture
def bare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Terminal]:
    yield Terminal(tmp_path, monkeypatch, capsys)
    registry.formats.cache_clear()
    registry._plugged_in.cache_clear()


@pytest.fixture
def terminal(bare: Terminal, installed: Path) -> Terminal:
    return bare.find_in(installed)


def hits(name: str) -> list[int]:
    return [marks.count("+") for marks in MARKS[name].split()]


def write_counts(folder: Path) -> list[str]:
    """Write hits and misses as a table of counts, and return the words that name it."""
    rows = [f"{name},q{k},{n},{3 - n}" for name in MARKS for k, n in enumerate(hits(name))]
    (folder / "counts.csv").write_text("\n".join(["system,item,hits,misses", *rows]) + "\n")
    return ["counts.csv", "--as", "counts", "--columns", "hits,misses"]


def check_scores(record: dict[str, Any]) -> None:
    scores = {each["name"]: each["scores"] for each in record["systems"]}
    assert scores == {name: {"hit-rate": pytest.approx(sum(hits(name)) / 24)} for name in MARKS}
    assert record["items"]["count"] == 8


def test_format(terminal: Terminal) -> None:
    """The files are recognised, or named, and scored by the metric that the format brings."""
    check_scores(terminal.record())
    check_scores(terminal.record("--as", "marks"))


def test_option_of_the_format(terminal: Terminal) -> None:
    """Its option is there with `--as`, and counts first tries alone."""
    assert "--first-try" in terminal("compare", "--as", "marks", "--help")
    record = terminal.record("--as", "marks", "--first-try")
    for system in record["systems"]:
        first = [marks[0] == "+" for marks in MARKS[system["name"]].split()]
        assert system["scores"]["hit-rate"] == pytest.approx(sum(first) / 8)


def test_metric(terminal: Terminal, tmp_path: Path) -> None:
    """A metric of the plug-in scores tables that have its columns."""
    words = [*write_counts(tmp_path), "--metric", "hit-rate", "--json", "-"]
    check_scores(json.loads(terminal("compare", *words)))


@pytest.mark.parametrize(
    "definition",
    [
        "def HIT_RATE(columns): raise RuntimeError('no pond')",
        "HIT_RATE = ta.Function('hit-rate', ('hits', 'misses'), lambda sums: {}['no pond'])",
        "HIT_RATE = ta.ItemFunction('hit-rate', ('hits',), lambda rows: {}['no pond'])",
    ],
)
def test_a_metric_that_fails_is_named(
    bare: Terminal, installed: Path, tmp_path: Path, definition: str
) -> None:
    """An exception in a plug-in's metric is one sentence."""
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    with (broken / "tellapart_marks.py").open("a") as module:
        module.write(f"\n\n{definition}\n")
    terminal = bare.find_in(broken)
    words = [*write_counts(tmp_path), "--metric", "hit-rate"]
    said = terminal("compare", *words, status=2).splitlines()
    (complaint,) = [line for line in said if not line.startswith("read as")]
    assert "'hit-rate'" in complaint
    assert "no pond" in complaint


@pytest.mark.parametrize("tail", ["two", "greater", "less"])
def test_test(terminal: Terminal, tmp_path: Path, tail: str) -> None:
    """The sign test of the plug-in is that of SciPy."""
    pairs = list(zip(hits("heron"), hits("egret"), strict=True))
    rows = [f"q{k},{a},{b}" for k, (a, b) in enumerate(pairs)]
    (tmp_path / "scores.csv").write_text("\n".join(["item,heron,egret", *rows]) + "\n")
    shown = terminal("compare", "scores.csv", "--test", "coin", "--tail", tail, "--json", "-")
    (pair,) = json.loads(shown)["pairs"]
    won, lost = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    alternative = "two-sided" if tail == "two" else tail
    wanted = stats.binomtest(won, won + lost, alternative=alternative).pvalue
    assert (pair["a"], pair["b"]) == ("heron", "egret")
    assert pair["p"] == pytest.approx(wanted)


def test_report(terminal: Terminal) -> None:
    files = ["heron.marks", "egret.marks"]
    shown = terminal("compare", *files, "--format", "line")
    difference = (sum(hits("heron")) - sum(hits("egret"))) / 24
    assert shown.startswith(f"heron - egret: {difference:+.3f}, p = ")
    assert shown.count("\n") == 1


def test_the_example_to_copy_is_a_good_reader(terminal: Terminal) -> None:
    """Items are matched by id, systems have names and runs, a bad line is one sentence."""
    lines = (terminal.folder / "egret.marks").read_text().splitlines()
    (terminal.folder / "turned.marks").write_text("\n".join([lines[0], *reversed(lines[1:])]))
    straight = terminal("compare", "old=heron.marks", "new=egret.marks", "--format", "line")
    assert straight == terminal(
        "compare", "old=heron.marks", "new=turned.marks", "--format", "line"
    )
    (terminal.folder / "bad.marks").write_text("#marks\nq0\n")
    complaint = terminal("compare", "heron.marks", "bad.marks", status=2)
    assert complaint.endswith("bad.marks:2: 'q0' is no item with marks\n")
