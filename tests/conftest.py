"""What several test modules share."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from table_files import Write


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real data and known answers, or skip the tests that need it."""
    default = Path(__file__).parents[1] / ".." / "shared" / "data"
    folder = Path(os.environ.get("TELLAPART_DATA", default)).resolve()
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder}; set TELLAPART_DATA to its folder")
    return folder


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file in a folder of its own, which is the current one; gives the name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name: str, content: str | bytes) -> str:
        data = content.encode() if isinstance(content, str) else content
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write_file
