"""What can go wrong while files are written: no writer loses a file, or leaves half of one."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tellapart.cli import main
from tellapart.errors import UsageError
from tellapart.writing import write_text, write_together
from writers import Writer, write_inputs, writers

Fault = dict[str, Any]
Ask = Callable[[Path, list[str], str], list[Fault]]
LEFT_OVER = (".tmp", ".lock")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, signals and limits of Unix")


@pytest.fixture(scope="module")
def server() -> Iterator[Ask]:
    """Start the process that runs commands under faults."""
    here = Path(__file__).parent
    quiet = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, str(here / "fault_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **quiet},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def ask(folder: Path, words: list[str], old: str) -> list[Fault]:
        asked = {"folder": str(folder), "words": words, "old": old}
        print(json.dumps(asked), file=stdin, flush=True)
        found: list[Fault] = json.loads(stdout.readline())
        return found

    yield ask
    stdin.close()
    process.wait(60)
    stdout.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Make a folder that everybody may enter, with the inputs of all commands.

    In memory, where it can be: thousands of runs would wait for the disk, which is not tried.
    """
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(dir=memory))
    folder.chmod(0o755)
    write_inputs(folder)
    (folder / "out").mkdir()
    yield folder
    shutil.rmtree(folder)


def _is_left_over(name: str) -> bool:
    return Path(name).name.startswith(".") and name.endswith(LEFT_OVER)


@pytest.mark.parametrize("writer", writers(), ids=str)
def test_no_fault_costs_a_file(server: Ask, open_folder: Path, writer: Writer) -> None:
    """Killed at any step or byte, without room or rights: each file is the old or the new one."""
    path = "out/x" if writer.is_folder else "out/x.csv"
    whole, *faults = server(open_folder, writer.words(path), writer.old)
    assert whole["status"] == 0, whole["said"]
    new = whole["files"]
    assert new, "nothing was written"
    assert not any(map(_is_left_over, new))
    assert all(text != writer.old for text in new.values())
    for fault in faults:
        for name, text in fault["files"].items():
            if not _is_left_over(name):
                assert text in (writer.old, new[name]), (fault["fault"], name)
        if fault["fault"] != "gone":
            assert set(new) <= set(fault["files"]), fault["fault"]
        if fault["fault"] in ("full", "read-only", "gone"):
            _check_sentence(fault, new)
    kills = [each for each in faults if each["fault"].startswith("killed")]
    assert sum(each["status"] < 0 for each in kills) >= 5  # bytes, opening, fsync, naming


def _check_sentence(fault: Fault, new: dict[str, str]) -> None:
    """See that a fault that the command learns of is one sentence, and leaves nothing over."""
    assert not any(map(_is_left_over, fault["files"])), fault
    if fault["fault"] == "gone" and fault["status"] == 0:
        assert fault["files"] == new  # the folder was made again
        return
    assert fault["status"] == 2, fault
    assert "Traceback" not in fault["said"], fault["said"]
    assert fault["said"].splitlines()[-1].startswith("tellapart: ")
    assert new.items() & fault["files"].items() == set(), "some files were written all the same"


_WRITE_OFTEN = """
import sys
from tellapart.writing import write_text
for k in range(60):
    write_text(sys.argv[1], sys.argv[2] * (1000 + 997 * k))
"""


def test_two_writers_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    """Whoever looks while two write sees the file of one of them, whole, at every moment."""
    path = tmp_path / "shared.txt"
    path.write_text("a" * 1000)
    running = [
        subprocess.Popen([sys.executable, "-c", _WRITE_OFTEN, str(path), letter]) for letter in "ab"
    ]
    seen = set()
    while any(each.poll() is None for each in running):
        text = path.read_text()
        assert len(set(text)) == 1
        assert (len(text) - 1000) % 997 == 0
        seen.add(text[0])
    assert [each.wait() for each in running] == [0, 0]
    assert os.listdir(tmp_path) == ["shared.txt"]
    assert seen == {"a", "b"}


def test_several_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    """An error while the last one is made leaves the first as it was."""
    (tmp_path / "a").write_text("old")

    def fail(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_together({str(tmp_path / "a"): "new", str(tmp_path / "b"): fail})
    with pytest.raises(UsageError, match="no such folder"):
        write_together({str(tmp_path / "a"): "new", str(tmp_path / "none" / "b"): "new"})
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_many_files_are_written_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are put on the disk side by side, and what the disk then says counts for all."""
    files = {str(tmp_path / f"{k}.svg"): f"new {k}" for k in range(40)}
    for path in files:
        Path(path).write_text("old")
    synced: list[int] = []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(UsageError, match="No space left on device"):
            write_together(files)
    assert len(os.listdir(tmp_path)) == 40
    assert {Path(path).read_text() for path in files} == {"old"}
    write_together(files)
    assert {path: Path(path).read_text() for path in files} == files


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 16 kB, or skip where that is not allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("only some may mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_one_sentence(small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_inputs(small_disk.parent)
    table, page = small_disk.parent / "t.csv", small_disk / "page.html"
    page.write_text("old")
    assert main(["compare", str(table), "--test", "sign", "--html", str(page)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "No space left on device); make room, or name a file on another disk" in said.err
    assert os.listdir(small_disk) == ["page.html"]
    assert page.read_text() == "old"


_AS_NOBODY = """
import os, sys
from tellapart.cli import main, verb_parser
verb_parser("compare")  # loads what others may not be able to read
os.setgid(65534); os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root is anybody")
@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("read/x.json", "not yours to write in"),
        ("read/old.json", "not yours to write"),
        ("shut/x.json", "not yours to write in"),
        ("shut/in/x.json", "not yours to write in"),
    ],
)
def test_what_may_not_be_written_is_told_beforehand(
    open_folder: Path, path: str, sentence: str
) -> None:
    """Folders that may be read only, or not even entered, are refused before anything is read."""
    for name, mode in (("read", 0o555), ("shut", 0o700)):
        (open_folder / name / "in").mkdir(parents=True)
        (open_folder / name / "old.json").write_text("old")
        (open_folder / name).chmod(mode)
    words = ["compare", "t.csv", "--as", "items", "--json", path]
    found = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, *words], cwd=open_folder, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1
    assert sentence in found.stderr


@pytest.mark.parametrize("path", ["a/b", "b" * 255, "ü" * 127])
def test_any_name_that_a_disk_takes_can_be_written(tmp_path: Path, path: str) -> None:
    """The temporary name has room wherever the name itself has."""
    (tmp_path / "a").mkdir()
    write_text(tmp_path / path, "text")
    assert (tmp_path / path).read_text() == "text"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "has no name"),
        (".", "this is a folder"),
        ("new/", "this is a folder"),
        ("none/x", "no such folder"),
        ("a\0b", "no file can have this name"),
        ("a\ud800", "no file can have this name"),
        ("x" * 256, "the name is 256 bytes long"),
    ],
)
def test_what_is_no_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=sentence) as refused:
        write_text(path, "text")
    assert "\n" not in str(refused.value)
    assert os.listdir() == []


def test_a_current_folder_that_is_gone_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(UsageError, match=r"x\.json: the current folder cannot be told"):
        write_text("x.json", "text")
