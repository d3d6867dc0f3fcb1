"""What several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real data and known answers, or skip the tests that need it."""
    default = Path(__file__).parents[1] / ".." / "shared" / "data"
    folder = Path(os.environ.get("TELLAPART_DATA", default)).resolve()
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder}; set TELLAPART_DATA to its folder")
    return folder
