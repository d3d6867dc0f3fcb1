"""What can go wrong while files are written: no writer loses a file, or leaves half of one."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_files import Capture
from tellapart.cli import main
from tellapart.errors import TellapartError, UsageError
from tellapart.files import write_text, write_together

TABLE = "item,old,new\n" + "".join(f"q{k},{k % 2},1\n" for k in range(12))

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, signals and limits of Unix")


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


def test_a_full_disk_is_one_sentence(small_disk: Path, capsys: Capture) -> None:
    table, page = small_disk.parent / "t.csv", small_disk / "page.html"
    table.write_text(TABLE)
    page.write_text("old")
    assert main(["compare", str(table), "--test", "sign", "--html", str(page)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "No space left on device); name another" in said.err
    assert os.listdir(small_disk) == ["page.html"]
    assert page.read_text() == "old"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "no file can have this name"),
        (".", "this is a folder"),
        ("new/", "this is a folder"),
        ("none/x", "there is no such folder"),
        ("a\0b", "no file can have this name"),
        ("x" * 256, "File name too long"),
    ],
)
def test_what_is_no_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TellapartError, match=sentence) as refused:
        write_text(path, "text")
    assert "\n" not in str(refused.value)
    assert os.listdir() == []
