"""How the program begins and ends: statuses, streams that fail, signals at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.program import guarded

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


def program(work: str, *, before: str = "", **environment: str) -> subprocess.Popen[str]:
    """Start a program whose work is some lines of Python."""
    lines = "".join(f"    {line}\n" for line in work.splitlines())
    code = f"{before}\nfrom tellapart.program import *\nimport os, signal, sys\n"
    code += f"def work():\n{lines}    return 0\nrun_program('tellapart', work)\n"
    return subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def outcome(started: subprocess.Popen[str]) -> tuple[int, str, str]:
    output, errors = started.communicate(timeout=END_S)
    return started.returncode, output, errors


@pytest.mark.parametrize(
    "raised",
    ["ZeroDivisionError('x')", "RecursionError()", "OverflowError('34', 'out of range')",
     "KeyError('x')", "UnicodeError('x')", "OSError(5, 'x')", "AssertionError()", "StopIteration()",
     "ExceptionGroup('x', [ValueError()])"],
)  # fmt: skip
def test_an_internal_error_is_one_sentence_and_status_70(
    raised: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        raise eval(raised)

    assert guarded("tellapart", work) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tellapart: internal error: {raised.partition('(')[0]} in ")
    assert "please report it" in line


def test_an_internal_error_names_our_line_and_the_one_in_a_strangers_code(
    table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("first line\nand second")

    monkeypatch.setattr("tellapart.formats.reading.read_counts", broken)
    assert main(["compare", table, "--as", "items"]) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert "ValueError in test_program:" in line
    assert "called by tellapart.verbs.inputs:" in line
    assert "(first line and second)" in line


def test_the_traceback_is_there_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TELLAPART_DEBUG", "1")
    assert guarded("tellapart", lambda: 1 // 0) == 70
    assert "Traceback" in capsys.readouterr().err


def test_statuses_of_our_own_errors(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> int:
        raise DataError("a.csv:3: bad")

    def exhaust() -> int:
        raise MemoryError

    assert guarded("tellapart", refuse) == 2
    assert guarded("tellapart", exhaust) == 2
    assert capsys.readouterr().err.startswith("tellapart: a.csv:3: bad\ntellapart: this needs more")


@pytest.mark.parametrize("module", ["tellapart", "studies"])
def test_even_an_error_in_the_making_of_modules_is_70(module: str, tmp_path: Path) -> None:
    """Not Python's own status 1, which would mean that a system is worse."""
    (tmp_path / "argparse.py").write_text("1 / 0")
    search = os.pathsep.join([str(tmp_path), *sys.path])
    done = shell(f"{sys.executable} -m {module} --help", PYTHONPATH=search)
    if module == "tellapart":
        assert done.returncode == 70
        assert done.stderr.startswith(b"tellapart: internal error: ZeroDivisionError in argparse:1")
    else:  # a repository's script, which imports before it begins
        assert b"ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("verb", ["--help", "score $F", "score $F --json -"])
@pytest.mark.parametrize("place", [">&-", ">/dev/full", ">&- 2>&- <&-"])
def test_a_report_that_cannot_be_shown_is_status_2(verb: str, place: str, table: str) -> None:
    if "full" in place and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell(f"$T {verb} {place}", F=table)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    if "2>" not in place:
        assert b"standard output cannot be written (" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("place", ["2>&-", "2>/dev/full"])
def test_a_closed_or_full_standard_error_changes_nothing_else(place: str, table: str) -> None:
    """Nor do messages find their way into the record."""
    if "full" in place and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell(f"$T score $F --json - {place}", F=table)
    assert done.returncode == 0
    assert json.loads(done.stdout)["systems"][0]["name"] == "Žižka"
    assert shell(f"$T score nowhere.csv {place}").returncode == 2


def test_a_reader_who_has_enough_is_no_error(table: str) -> None:
    done = shell("$T compare $F --fail-if-worse | true; echo ${PIPESTATUS[0]}", F=table)
    assert done.stdout == b"1\n"  # B is worse, and that stays so
    assert b"Broken" not in done.stderr
    started = program("for k in range(100_000): print(k)")
    assert started.stdout is not None
    started.stdout.close()
    assert started.wait(END_S) == 0
    assert started.stderr is not None
    assert started.stderr.read() == ""
    started.stderr.close()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_a_terminal_cannot_show_is_spelled(encoding: str, table: str) -> None:
    done = shell("$T compare $F && $T score $F --json -", F=table, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    report, _, record = done.stdout.partition(b"{")
    assert "izka" in report.decode(encoding)
    assert "?" not in report.decode(encoding).replace("better?", "")
    assert json.loads(b"{" + record)["systems"][0]["name"] == "Žižka"  # UTF-8, exactly


def test_tables_for_programs_are_utf_8_whatever_the_terminal_is(table: str) -> None:
    for command in ("compare $F --format tsv", "diff $F --format jsonl"):
        done = shell(f"$T {command}", F=table, PYTHONIOENCODING="ascii")
        assert "Žižka" in done.stdout.decode("utf-8")


def test_a_file_name_that_is_no_utf_8_is_spelled_in_every_output(tmp_path: Path) -> None:
    strange = os.fsencode(tmp_path) + b"/a\xff.csv"
    try:
        with open(strange, "wb") as stream:
            stream.write(b"item,score\n" + b"".join(b"%d,1\n" % k for k in range(8)))
    except OSError:
        pytest.skip("the disk takes only names in UTF-8")
    done = subprocess.run(
        [sys.executable, "-m", "tellapart", "score", strange, "--json", "-"],
        capture_output=True, check=False, timeout=END_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout.decode("utf-8"))
    lost = subprocess.run(
        [sys.executable, "-m", "tellapart", "score", b"gone\xff.csv"],
        capture_output=True, check=False, timeout=END_S,
    )  # fmt: skip
    assert lost.returncode == 2
    assert b"tellapart: gone?.csv: there is no such file" in lost.stderr


SIGNALS = [
    ("SIGINT", 130, "interrupted"),
    ("SIGTERM", 143, "terminated"),
    pytest.param(
        "SIGHUP",
        129,
        "hung",
        marks=pytest.mark.skipif(
            signal.getsignal(signal.SIGHUP) is signal.SIG_IGN,
            reason="the tests run under nohup, and what they start ignores a hang-up, too",
        ),
    ),
]


@pytest.mark.parametrize(("name", "status", "word"), SIGNALS)
def test_a_signal_is_one_sentence(name: str, status: int, word: str) -> None:
    code, output, errors = outcome(program(f"os.kill(os.getpid(), signal.{name})"))
    assert (code, output) == (status, "")
    assert errors.startswith(f"tellapart: {word}")
    assert errors.endswith("; no file was written\n")


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
TWICE = """\
try: os.kill(os.getpid(), signal.SIGINT)
finally: os.kill(os.getpid(), signal.SIGINT)
"""
AMID_OUTPUT = """\
for k in range(1000):
    print("x" * 99); sys.stderr.write("y" * 99)
    if k == 500: os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize("work", [IN_A_THREAD, SWALLOWED, TWICE, AMID_OUTPUT])
def test_an_interruption_ends_at_once_wherever_it_comes(work: str) -> None:
    """While threads work, where exceptions are lost, twice in a row, and while it prints."""
    code, _, errors = outcome(program(work))
    assert code == 130
    assert errors.replace("y", "") == "tellapart: interrupted; no file was written\n"


def test_an_interruption_while_numpy_is_loaded(tmp_path: Path, table: str) -> None:
    (tmp_path / "numpy.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    search = os.pathsep.join([str(tmp_path), *sys.path])
    done = shell("$T score $F", F=table, PYTHONPATH=search)
    assert done.returncode == 130
    assert done.stderr.endswith(b"tellapart: interrupted; no file was written\n")


FIRST_IMPORT = """\
import os, runpy, signal, sys
class Watch:
    def find_spec(self, name, *_):
        if name == "tellapart.program": os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Watch())
sys.argv = ["tellapart", "--version"]
runpy.run_module("tellapart", run_name="__main__")
"""


@pytest.mark.parametrize(("name", "status", "word"), SIGNALS)
def test_a_signal_before_any_module_is_loaded(name: str, status: int, word: str) -> None:
    code = FIRST_IMPORT.format(name=name)
    done = shell('exec $P -c "$C"', P=sys.executable, C=code)
    assert done.returncode == status
    assert done.stderr.decode().startswith(f"tellapart: {word}")
    assert done.stderr.endswith(b"; no file was written\n")
    assert done.stdout == b""
    ignored = code.replace(
        "import os, runpy, signal, sys",
        f"""\
import os, runpy, signal, sys
signal.signal(signal.{name}, signal.SIG_IGN)""",
    )
    done = shell('exec $P -c "$C"', P=sys.executable, C=ignored)
    assert (done.returncode, done.stderr) == (0, b"")


def test_little_is_loaded_before_signals_are_answered() -> None:
    """What the package itself imports is loaded while Python still answers Ctrl-C."""
    code = "import sys, tellapart.__main__; print(*sys.modules)"
    loaded = shell('$P -S -c "$C"', P=sys.executable, C=code, PYTHONPATH=os.pathsep.join(sys.path))
    names = loaded.stdout.decode().split()
    assert "tellapart.signals" in names
    assert not {"typing", "re", "contextlib", "dataclasses", "tellapart.program"} & {*names}


def test_an_interruption_tells_what_was_written_and_leaves_no_litter(tmp_path: Path) -> None:
    """The first file is there, the second is not, and its beginning is gone."""
    work = f"""\
from tellapart.writing import write_atomically, write_text
write_text({str(tmp_path / "a.txt")!r}, "whole")
with write_atomically({str(tmp_path / "b.txt")!r}) as stream:
    stream.write(b"half")
    os.kill(os.getpid(), signal.SIGINT)
"""
    code, _, errors = outcome(program(work))
    assert code == 130
    assert errors.startswith("tellapart: interrupted; these files were written before: ")
    assert errors.endswith("a.txt\n")
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_an_interruption_between_a_new_name_and_the_note_of_it(tmp_path: Path) -> None:
    work = f"""\
from pathlib import Path
from tellapart.writing import write_text
renamed = Path.replace
def replace(self, target):
    renamed(self, target); os.kill(os.getpid(), signal.SIGINT)
Path.replace = replace
write_text({str(tmp_path / "a.txt")!r}, "whole")
"""
    _, _, errors = outcome(program(work))
    assert errors.endswith("a.txt\n")
    assert (tmp_path / "a.txt").read_text() == "whole"


def test_a_verb_may_take_interruptions_itself() -> None:
    work = """\
try:
    with interruptions_raised(): os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt: print("mine", file=sys.stderr)
os.kill(os.getpid(), signal.SIGINT)
"""
    code, _, errors = outcome(program(work))
    assert (code, errors) == (130, "mine\ntellapart: interrupted; no file was written\n")


def test_a_job_that_shall_ignore_interruptions_goes_on() -> None:
    code, output, errors = outcome(
        program(
            "os.kill(os.getpid(), signal.SIGINT); print('done')",
            before="import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
        )
    )
    assert (code, output, errors) == (0, "done\n", "")


def test_interrupted_in_python_too(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise KeyboardInterrupt

    assert guarded("tellapart", work) == 128 + signal.SIGINT
    assert capsys.readouterr().err.startswith("tellapart: interrupted; ")


def test_without_a_verb_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr().err
    assert "is A really better than B?" in shown
    assert len(shown.splitlines()) < 15
    for command in ("tellapart demo", "tellapart --help", "tellapart compare --help"):
        assert command in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["compre", "a.csv"], "there is no verb 'compre'; did you mean 'compare'"),
        (["comprae"], "there is no verb 'comprae'; did you mean 'compare'? See tellapart --help"),
        (["compare", "--metrc", "f1"], "there is no option --metrc; did you mean --metric?"),
        (["compare", "a.csv", "--htlm", "x"], "there is no option --htlm; did you mean --html?"),
        (["compare", "--as", "inspct", "x"], "--as: there is no 'inspct'; did you mean 'inspect'?"),
        (["compare", "a.csv", "--format", "latx"], "there is no 'latx'; did you mean 'latex'?"),
        (["xyz"], "there is no verb 'xyz'; there are compare, score"),
        (
            ["compare", "--metrik", "f1", "a.csv"],
            "there is no option --metrik; did you mean --met",
        ),
        (["compare", "--metrik=f1"], "there is no option --metrik; did you mean --metric? See"),
        (["plan", "--scores", "1", "--differense", "2"], "did you mean --difference? See te"),
        (["score", "--qqqq", "a.csv"], "there is no option --qqqq; see tellapart score --help"),
        (["demo", "it"], "'it' is one argument too many; see tellapart demo --help"),
        (["--verson"], "there is no option --verson; did you mean --version"),
    ],
)
def test_misspelt_words_get_the_nearest(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(words)
    except SystemExit as left:
        status = int(str(left.code))
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert sentence in line
