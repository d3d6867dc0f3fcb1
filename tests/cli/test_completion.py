"""Completion in the shell: bash itself is asked what Tab would offer."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from table_files import Capture
from tellapart.cli import VERBS, main
from tellapart.formats.registry import names as format_names

_ASK = """
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
function=$(complete -p tellapart | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the script for bash, with what asks it."""
    asked = [sys.executable, "-m", "tellapart", "--print-completion", "bash"]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    whole = tmp_path_factory.mktemp("completion") / "complete.bash"
    whole.write_text(f"{printed}\n{_ASK}", encoding="utf-8")
    return whole


def offered(script: Path, words: str, folder: Path) -> set[str]:
    """Return what bash offers when Tab is pressed behind the last of the words."""
    asked = ["bash", str(script), *words.split(" ")]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=folder)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("tellapart comp", {"compare"}),
        ("tellapart ", set(VERBS)),
        ("tellapart compare --as ", set(format_names())),
        ("tellapart compare x.csv --metric chr", {"chrf", "chrf++"}),
        ("tellapart compare --color ", {"auto", "always", "never"}),
        ("tellapart compare --gold sco", {"scores.csv"}),
        ("tellapart campaign new --ti", {"--title"}),
    ],
)
def test_bash_offers(script: Path, words: str, some: set[str], tmp_path: Path) -> None:
    (tmp_path / "scores.csv").touch()
    found = offered(script, words, tmp_path)
    assert some <= found
    if last := words.split(" ")[-1]:
        assert all(each.startswith(last) for each in found)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_all_verbs(shell: str, capsys: Capture) -> None:
    assert main(["--print-completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(verb in script for verb in VERBS)
