"""What other packages add: a format, a metric, a test and a report; a broken one is named."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import tellapart as ta
from table_files import Capture
from tellapart import plugins
from tellapart.cli import main
from tellapart.errors import UsageError
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


Terminal = Callable[..., str]
"""Runs one command, and returns what it prints; with a status, what it complains of"""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Iterator[Terminal]:
    """Give a terminal in a folder with two files of marks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "tellapart_marks", raising=False)
    for name, marks in MARKS.items():
        lines = [f"q{k} {each}" for k, each in enumerate(marks.split())]
        (tmp_path / f"{name}.marks").write_text("\n".join(["#marks", *lines]) + "\n")

    def run(*words: str, status: int = 0) -> str:
        forget()
        ended = main([*words])
        said = capsys.readouterr()
        assert ended == status, said.err
        return said.err if status else said.out

    yield run
    forget()


def forget() -> None:
    """Forget which packages there are."""
    plugins._installed.cache_clear()
    registry.formats.cache_clear()
    registry._plugged_in.cache_clear()


@pytest.fixture
def terminal(bare: Terminal, installed: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.syspath_prepend(installed)
    return bare


def record(terminal: Terminal, *words: str) -> Any:
    """Return the record of a comparison of the two files."""
    return json.loads(terminal("compare", "heron.marks", "egret.marks", *words, "--json", "-"))


def hits(name: str) -> list[int]:
    return [marks.count("+") for marks in MARKS[name].split()]


def test_format(terminal: Terminal) -> None:
    """The files are recognised, or named, and scored by the metric that the format brings."""
    for words in ([], ["--as", "marks"]):
        found = record(terminal, *words)
        scores = {each["name"]: each["scores"]["hit-rate"] for each in found["systems"]}
        assert scores == pytest.approx({name: sum(hits(name)) / 24 for name in MARKS})
        assert found["items"]["count"] == 8


def test_option_of_the_format(terminal: Terminal) -> None:
    """Its option is there with `--as`, and counts first tries alone."""
    assert "--first-try" in terminal("compare", "--as", "marks", "--help")
    for system in record(terminal, "--as", "marks", "--first-try")["systems"]:
        first = [marks[0] == "+" for marks in MARKS[system["name"]].split()]
        assert system["scores"]["hit-rate"] == pytest.approx(sum(first) / 8)


@pytest.mark.parametrize(
    "definition",
    [
        "def HIT_RATE(columns): raise RuntimeError('no pond')",
        "HIT_RATE = ta.Function('hit-rate', ('hits', 'misses'), lambda sums: {}['no pond'])",
    ],
)
def test_a_metric_that_fails_is_named(
    bare: Terminal,
    installed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    definition: str,
) -> None:
    """An exception in a plug-in's metric is one sentence."""
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    with (broken / "tellapart_marks.py").open("a") as module:
        module.write(f"\n\n{definition}\n")
    monkeypatch.syspath_prepend(broken)
    rows = [f"{name},q{k},{n},{3 - n}" for name in MARKS for k, n in enumerate(hits(name))]
    Path("counts.csv").write_text("\n".join(["system,item,hits,misses", *rows]) + "\n")
    words = ["counts.csv", "--as", "counts", "--columns", "hits,misses", "--metric", "hit-rate"]
    said = bare("compare", *words, status=2).splitlines()
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


# Packages that are broken


def install(folder: Path, package: str, group: str, entries: dict[str, str], source: str) -> None:
    """Put a package with entry points into a folder, as an installer would."""
    (folder / f"{package}.py").write_text(source)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {package}:{value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder where packages are found."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_installed", plugins._installed.__wrapped__)
    return tmp_path


SIGN = """
def sign(first, second, tail):
    return 0.25

def zero(first, second, tail):
    return 0.0

def fails(first, second, tail):
    raise ZeroDivisionError("oh")
"""


def test_two_packages_that_add_one_name_are_named(folder: Path) -> None:
    """Neither is taken in silence; a package that is found twice is no conflict."""
    for package in ("guests_e", "guests_f"):
        install(folder, package, plugins.TESTS, {"one": "sign"}, SIGN)
    with pytest.raises(UsageError, match="guests_e and guests_f both add 'one' to"):
        ta.compare(ta.Counts.from_arrays({"A": [1, 0], "B": [0, 1]}), test="one")


def test_a_test_of_another_package(folder: Path) -> None:
    """On means over items and nothing else; one that fails, or says what no p is, is named."""
    names = {"guest-sign": "sign", "guest-zero": "zero", "guest-fails": "fails"}
    install(folder, "guests_g", plugins.TESTS, names, SIGN)
    counts = ta.Counts.from_arrays({"A": [1, 1, 0], "B": [0, 0.5, 1]})
    with pytest.raises(UsageError, match="'guest-zero', of another package, gives p = 0"):
        ta.compare(counts, test="guest-zero")
    with pytest.raises(UsageError, match="fails on mean of A and B: ZeroDivisionError: oh"):
        ta.compare(counts, test="guest-fails")
    ratios = ta.Counts.from_arrays({"A": [[1, 2], [2, 0]], "B": [[2, 2], [1, 1]]}, ["tp", "fp"])
    with pytest.raises(UsageError, match="does not fit precision of A and B"):
        ta.compare(ratios, metrics=["precision"], test="guest-sign")
    with pytest.raises(UsageError, match="did you mean 'guest-sign'"):
        ta.compare(counts, test="guest-sing")
