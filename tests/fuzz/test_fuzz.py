"""A few cases of every sample; `make fuzz` runs many more."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from .cases import Bench, samples, scratch

CASES = max(12, int(os.environ.get("CASES", "0")) // len(samples()))


@pytest.mark.parametrize("name", samples())
def test_damaged_files(name: str) -> None:
    """No traceback, no hang, and no record that is dropped without a word."""
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        bench = Bench(name, Path(folder))
        results = {seed: bench.case(seed) for seed in range(CASES)}
    assert not {seed: result for seed, result in results.items() if result.failed}
