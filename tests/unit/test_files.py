from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tellapart.errors import DataError
from tellapart.files import open_text, write_text


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
