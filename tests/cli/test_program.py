"""How the program begins and ends: statuses, streams that fail, signals at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from table_files import Capture
from tellapart.cli import exit_status
from tellapart.errors import DataError

TABLE = "item,Žižka,B\n" + "".join(f"{k},{k % 4 > 0:d},{k % 3 > 1:d}\n" for k in range(40))
END_S = 120  # only ends a failure


@pytest.fixture
def table(tmp_path: Path) -> str:
    place = tmp_path / "table.csv"
    place.write_text(TABLE, encoding="utf-8")
    return str(place)


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, in which $T is the program."""
    own = {"T": f"{sys.executable} -m tellapart", **environment}
    return subprocess.run(
        ["bash", "-c", command], env={**os.environ, **own}, capture_output=True, check=False,
        timeout=END_S,
    )  # fmt: skip


@pytest.mark.parametrize(
    "raised",
    ["OverflowError('34', 'out of range')", "AssertionError()", "OSError(5, 'x')"],
)  # fmt: skip
def test_an_internal_error_is_one_sentence_and_status_70(raised: str, capsys: Capture) -> None:
    def work() -> int:
        raise eval(raised)

    assert exit_status("tellapart", work) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tellapart: internal error: {raised.partition('(')[0]} in ")
    assert "please report it" in line


def test_statuses_of_our_own_errors(capsys: Capture) -> None:
    def refuse() -> int:
        raise DataError("a.csv:3: bad")

    def exhaust() -> int:
        raise MemoryError

    assert exit_status("tellapart", refuse) == 2
    assert exit_status("tellapart", exhaust) == 2
    assert capsys.readouterr().err.startswith("tellapart: a.csv:3: bad\ntellapart: this needs more")


@pytest.mark.parametrize(("verb", "place"), [("--help", ">&-"), ("score $F", ">/dev/full"),
                                             ("score $F --json -", ">&- 2>&- <&-")])  # fmt: skip
def test_a_report_that_cannot_be_shown_is_status_2(verb: str, place: str, table: str) -> None:
    if "full" in place and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell(f"$T {verb} {place}", F=table)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    if "2>" not in place:
        assert b"standard output " in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("place", ["2>&-", "2>/dev/full"])
def test_a_closed_or_full_standard_error_changes_nothing_else(place: str, table: str) -> None:
    """Nor do messages find their way into the record."""
    if "full" in place and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell(f"$T score $F --json - {place}", F=table)
    assert done.returncode == 0
    assert json.loads(done.stdout)["systems"][0]["name"] == "Žižka"
    assert shell(f"$T score nowhere.csv {place}").returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_a_terminal_cannot_show_is_escaped(encoding: str, table: str) -> None:
    done = shell("$T compare $F && $T score $F --json -", F=table, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    report, _, record = done.stdout.partition(b"{")
    assert "i\\u017eka" in report.decode(encoding)
    assert json.loads(b"{" + record)["systems"][0]["name"] == "Žižka"  # UTF-8, exactly


IN_A_THREAD = """\
import threading, time
from concurrent.futures import ThreadPoolExecutor
def late(): time.sleep(0.05); os.kill(os.getpid(), signal.SIGINT)
with ThreadPoolExecutor(2) as pool:
    pool.submit(late); list(pool.map(time.sleep, [600] * 9))
"""
SWALLOWED = """\
class Deaf:
    def __del__(self): os.kill(os.getpid(), signal.SIGINT); [0] * 1000
try: Deaf()
except BaseException: print("heard")
"""


@pytest.mark.parametrize("work", [IN_A_THREAD, SWALLOWED])
def test_an_interruption_ends_at_once_wherever_it_comes(work: str) -> None:
    """While threads work, and where exceptions are lost."""
    lines = "".join(f"    {line}\n" for line in work.splitlines())
    code = "import os, signal, sys, tellapart.__main__, tellapart.cli\n"
    code += f"def work(words):\n{lines}    return 0\ntellapart.cli.run = work\n"
    command = [sys.executable, "-c", f"{code}tellapart.__main__.entry()\n"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=END_S)
    assert done.returncode == 130
    assert done.stderr == "\ntellapart: interrupted\n"
