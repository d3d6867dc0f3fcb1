"""The examples of README.md and docs/ are run, and what the pages list is what the code has.

Blocks of one page run in order, in one temporary folder and with one namespace:

* a block with a file name in its first line (```csv counts.csv) is saved as that file;
* ```python blocks are doctests where they have prompts, and plain code otherwise;
* ```console blocks are commands (`$ …`) with what the terminal shows; a line `...` stands for any
  lines. Numbers, names and tables must be those shown; sentences are free (tests/pages.py).
  Those marked `no-run` are left alone; those marked `study` are compared with what the tests
  of the study have run anyway (tests/studies/).

A command of `tellapart` alone is run in this process, also with patterns of files and with its
status shown after it; what has a shell's pipes in it, by a shell.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from glob import glob
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
import yaml

import tellapart as ta
from pages import PAGES, ROOT, Block, agrees, blocks, commands
from studies.__main__ import main as studies
from tellapart.cli import VERBS, inner_parsers, main, verb_parser
from tellapart.comparison.options import CORRECTIONS, TESTS
from tellapart.formats.registry import names as format_names
from tellapart.metrics import names as metric_names
from tellapart.report.notices import NOTICES

PACKAGE = ROOT / "src" / "tellapart"


def run_python(block: Block, namespace: dict[str, Any], place: str) -> None:
    """Run a doctest, or plain code."""
    if ">>>" not in block.text:
        exec(compile(block.text, place, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.text, namespace, place, place, block.line)
    complaints: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        test, out=complaints.append, clear_globs=False
    )
    assert not result.failed, "".join(complaints)
    namespace.update(test.globs)


def run_command(command: str, expected: list[str], programs: Path, place: str) -> None:
    """Run a command as a terminal would, and compare what it shows."""
    shown = _said_here(command) or _said_by_shell(command, programs)
    shown = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
    assert "Traceback" not in shown, f"{place}: $ {command}\n{shown}"
    assert agrees(expected, shown), f"{place}: $ {command}\nreally shows\n{shown}"


def _said_here(command: str) -> str:
    """Run a command that needs no shell; gives nothing if it needs one."""
    alone = re.fullmatch(r"""tellapart ([^|&;<>$`\\]+)(; echo "status \$\?")?""", command)
    if alone is None or ("*" in alone[1] and re.search("['\"]", alone[1])):
        return ""
    words = [
        path
        for word in shlex.split(alone[1])
        for path in ((sorted(glob(word)) or [word]) if "*" in word else [word])
    ]
    status, shown = _ended(main, words)
    return f"{shown}status {status}\n" if alone[2] else shown


def said(program: Callable[[list[str]], int], words: list[str]) -> str:
    """Run a program of ours in this process, which has loaded what it needs; gives what it says."""
    return _ended(program, words)[1]


def _ended(program: Callable[[list[str]], int], words: list[str]) -> tuple[int, str]:
    """Run a program of ours in this process; gives its status and what it says."""
    terminal = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(terminal),
        redirect_stderr(terminal),
    ):
        patch.setenv("COLUMNS", "80")
        status = program(words)
    return status, terminal.buffer.getvalue().decode()


def _said_by_shell(command: str, programs: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
        # For `python -m studies`; what runs the tests may say where the package is.
        "PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ROOT)))),
    }
    return subprocess.run(
        ["sh", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        encoding="utf-8",
        check=False,
    ).stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the programs that the pages call: `tellapart` and `python`."""
    folder = tmp_path_factory.mktemp("programs")
    for name, arguments in (("tellapart", "-m tellapart "), ("python", "")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
        program.chmod(0o755)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(
    page: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every example of a page gives what the page shows, and there is at least one."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = list(blocks(page))
    assert any(block.runs for block in found)
    for block in found:
        place = f"{page.name}:{block.line}"
        if "." in block.argument:
            Path(block.argument).write_text(block.text, encoding="utf-8")
        elif block.argument == "study":
            continue
        elif block.runs and block.language == "python":
            run_python(block, namespace, place)
        elif block.runs:
            for command, expected in commands(block):
                run_command(command, expected, programs, place)


def test_index_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert page.name == "index.md" or f"({page.name})" in index, page.name


def test_options_exist() -> None:
    """Every option that a page names is one that `tellapart` has."""
    actions = (f"campaign {name}" for name in inner_parsers(verb_parser("campaign")))
    verbs = ["", *VERBS, *actions]
    known = {option for verb in verbs for option in _options(main, *verb.split())}
    for verb in ("compare", "score", "diff", "validate"):
        for name in format_names():
            known.update(_options(main, verb, "--as", name))
    known.update(_options(studies))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"```console no-run\n.*?\n```", "", text, flags=re.DOTALL)
        # Two letters or more: figures in text have `--o--`.
        named = set(re.findall(r"(?<![\w-])--[a-z]{2}[a-z-]*", text))
        assert named <= known, f"{page.name}: {sorted(named - known)}"


def _options(program: Callable[[list[str]], int], *words: str, flag: str = "--help") -> list[str]:
    told = said(program, [*words, flag])
    if flag == "--help" and "--help-all" in told:
        return _options(program, *words, flag="--help-all")
    return re.findall(r"--[a-z][a-z-]+", told)


def _missing(page: str, words: set[str]) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return sorted(word for word in words if f"`{word}`" not in text)


def test_record_page_names_every_notice() -> None:
    """Those of comparisons and those of readers of files, and none that nobody gives."""
    code = re.compile(r"Notice\(\s*\"([a-z-]+)\"")
    sources = [*(PACKAGE / "counts").glob("*.py"), *(PACKAGE / "formats").rglob("*.py")]
    codes = {found for source in sources for found in code.findall(source.read_text("utf-8"))}
    assert codes
    assert not _missing("record.md", codes | set(NOTICES))
    page = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    _, _, section = page.partition("## Notices")
    code_text = "".join(source.read_text("utf-8") for source in PACKAGE.rglob("*.py"))
    rows = re.findall(r"^\| (`[^|]+) \|", section.partition("\n## ")[0], re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    assert not [name for name in sorted(listed) if f'"{name}"' not in code_text]


def test_pages_name_every_choice() -> None:
    """Tests, corrections, metrics and formats are all explained somewhere."""
    assert not _missing("tests.md", set(TESTS))
    assert not _missing("many-systems.md", set(CORRECTIONS))
    assert not _missing("formats.md", set(metric_names()))
    assert not _missing("formats.md", set(format_names()))


def test_workflow_does_what_the_page_has_shown() -> None:
    """The commands of a workflow are run by an example of the same page."""
    page = ROOT / "docs" / "build-checks.md"
    shown = [each for each in blocks(page) if each.language == "console"]
    github, gitlab = (each for each in blocks(page) if each.language == "yaml")
    step = next(s for s in yaml.safe_load(github.text)["jobs"]["compare"]["steps"] if "with" in s)
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(step["with"]) <= set(action["inputs"])
    (line,) = (w for w in yaml.safe_load(gitlab.text)["quality"]["script"] if "compare" in w)
    command, *_ = line.partition(" --html")
    assert any(f"$ {command}" in block.text for block in shown if block.runs), command


def test_python_page_has_every_public_name() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert not [name for name in ta.__all__ if f"ta.{name}" not in text]
    assert not [name for name in ta.stats.__all__ if name[0].islower() and f"`{name}`" not in text]


def test_examples_are_those_of_the_files_they_name() -> None:
    shown = [block for block in blocks(ROOT / "CONTRIBUTING.md") if "/" in block.argument]
    assert shown
    for block in shown:
        file = (ROOT / block.argument).read_text(encoding="utf-8")
        assert block.text in file, f"CONTRIBUTING.md:{block.line} is not in {block.argument}"


def test_the_page_on_formats_shows_the_module() -> None:
    page = ROOT / "docs" / "recipes.md"
    (shown,) = (block for block in blocks(page) if block.argument == "tellapart_marks.py")
    assert shown.text == (ROOT / "tests" / "plugin" / shown.argument).read_text("utf-8")
