"""What other packages add by entry points is found by name, and a broken one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import tellapart as ta
from tellapart import plugins
from tellapart.errors import UsageError


def install(folder: Path, package: str, group: str, entries: dict[str, str], source: str) -> None:
    """Put a package with entry points into a folder, as an installer would."""
    (folder / f"{package}.py").write_text(source)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {package}:{value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder where packages are found."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_installed", plugins._installed.__wrapped__)
    return tmp_path


SIGN = """
def sign(first, second, tail):
    return 0.25

def zero(first, second, tail):
    return 0.0

def fails(first, second, tail):
    raise ZeroDivisionError("oh")
"""


def test_a_test_of_another_package(folder: Path) -> None:
    """On means over items and nothing else; one that fails, or says what no p is, is named."""
    names = {"guest-sign": "sign", "guest-zero": "zero", "guest-fails": "fails"}
    install(folder, "guests_g", plugins.TESTS, names, SIGN)
    counts = ta.Counts.from_arrays({"A": [1, 1, 0], "B": [0, 0.5, 1]})
    with pytest.raises(UsageError, match="'guest-zero', of another package, gives p = 0"):
        ta.compare(counts, test="guest-zero")
    with pytest.raises(UsageError, match="fails on mean of A and B: ZeroDivisionError: oh"):
        ta.compare(counts, test="guest-fails")
    ratios = ta.Counts.from_arrays({"A": [[1, 2], [2, 0]], "B": [[2, 2], [1, 1]]}, ["tp", "fp"])
    with pytest.raises(UsageError, match="does not fit precision of A and B"):
        ta.compare(ratios, metrics=["precision"], test="guest-sign")
    with pytest.raises(UsageError, match="did you mean 'guest-sign'"):
        ta.compare(counts, test="guest-sing")
