"""A few cases of every sample; `make fuzz` runs many more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .cases import Bench, samples, scratch

CASES = 12


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder where files are written soon."""
    with tempfile.TemporaryDirectory(dir=scratch()) as made:
        yield Path(made)


@pytest.mark.parametrize("name", samples())
def test_damaged_files(name: str, folder: Path) -> None:
    """No traceback, no hang, and no record that is dropped without a word."""
    bench = Bench(name, folder)
    results = {seed: bench.case(seed) for seed in range(CASES)}
    assert not {seed: result for seed, result in results.items() if result.failed}
