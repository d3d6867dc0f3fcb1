"""Files that are read and written: no writer loses a file, or leaves half of one."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_files import Capture
from tellapart.cli import main
from tellapart.errors import DataError, TellapartError, UsageError
from tellapart.files import open_text, write_text, write_together


def test_a_rewritten_file_keeps_its_place_and_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "out.txt", tmp_path / "link.txt"
    write_text(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert path.read_text() == "new"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_devices_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "through")
    assert os.read(reader, 99) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def _truncated(data: bytes) -> bytes:
    return gzip.compress(data * 1000, mtime=0)[:-20]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"fine\n\xff\xfe", r"a\.txt:2: this is not UTF-8"),
        (
            "a.csv",
            b"PK\x03\x04\xff\xfe",
            r"a\.csv: this is a spreadsheet or a zip archive; save it",
        ),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1", r"a\.xls: this is a spreadsheet"),
        ("a.gz", b"plain", r"a\.gz: this is no whole \.gz file"),
        ("b.gz", _truncated(b"line\n"), r"b\.gz: this is no whole \.gz file"),
    ],
)
def test_unreadable_text_is_told_with_its_place(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message), open_text(path) as text:
        text.read()


def test_text_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("\ufeffä\r\n".encode()))
    with open_text(path) as text:
        assert text.read() == "ä\r\n"
    with pytest.raises(DataError, match="no such file"), open_text(tmp_path / "none"):
        pass
    with pytest.raises(DataError, match="this is a folder"), open_text(tmp_path):
        pass


# What can go wrong while files are written


TABLE = "item,old,new\n" + "".join(f"q{k},{k % 2},1\n" for k in range(12))


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
