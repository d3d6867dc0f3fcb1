"""What other packages add by entry points is found by name, and a broken one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    return tmp_path


def test_found_by_name(folder: Path) -> None:
    """What a package adds is found under its name, beside nothing else."""
    install(folder, "guests_a", "tellapart.guests", {"one": "ONE", "two": "TWO"}, "ONE, TWO = 1, 2")

    assert plugins.names("tellapart.guests") == ("one", "two")
    assert plugins.find("tellapart.guests", "two") == 2
    assert plugins.find("tellapart.guests", "three") is None
    assert plugins.load("tellapart.guests") == {"one": 1, "two": 2}


def test_names_import_nothing(folder: Path) -> None:
    """Listing the names does not run the packages' code."""
    install(folder, "guests_b", "tellapart.guests", {"one": "ONE"}, "raise RuntimeError")

    assert plugins.names("tellapart.guests") == ("one",)


@pytest.mark.parametrize(
    ("source", "problem"),
    [("import nothing_of_that_name", "ModuleNotFoundError"), ("ONE = 1 / 0", "division by zero")],
)
def test_broken_package_is_named(folder: Path, source: str, problem: str) -> None:
    """A plug-in that cannot be loaded gives one sentence that names its package."""
    package = f"guests_{'c' if 'import' in source else 'd'}"
    install(folder, package, "tellapart.guests", {"one": "ONE"}, source)

    with pytest.raises(UsageError, match=f"of the package {package} cannot be loaded.*{problem}"):
        plugins.find("tellapart.guests", "one")


def test_two_packages_with_one_name(folder: Path) -> None:
    """Two packages that add the same name are told apart by nobody: that is refused."""
    for package in ("guests_e", "guests_f"):
        install(folder, package, "tellapart.guests", {"one": "ONE"}, "ONE = 1")

    with pytest.raises(UsageError, match="guests_e and guests_f both add 'one'"):
        plugins.names("tellapart.guests")
