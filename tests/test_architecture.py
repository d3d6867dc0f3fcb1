"""The picture of the architecture is that of the code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
AGAIN = "draw it again: python tools/draw_architecture.py"
pytest.importorskip("grimp")


@pytest.fixture(scope="module")
def fresh() -> ElementTree.Element:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from draw_architecture import picture
    finally:
        sys.path.remove(str(ROOT / "tools"))
    return ElementTree.fromstring(picture())


@pytest.fixture(scope="module")
def saved() -> ElementTree.Element:
    return ElementTree.parse(ROOT / "docs" / "img" / "architecture.svg").getroot()


def imports(picture: ElementTree.Element) -> set[str]:
    return {path.attrib["data-imports"] for path in picture.iter() if "data-imports" in path.attrib}


def test_the_layers_are_those_of_the_contract(
    fresh: ElementTree.Element, saved: ElementTree.Element
) -> None:
    assert saved.attrib["data-layers"] == fresh.attrib["data-layers"], AGAIN
    assert saved.attrib["data-layers"].startswith("errors < ")


def test_the_arcs_are_the_imports_of_the_code(
    fresh: ElementTree.Element, saved: ElementTree.Element
) -> None:
    assert imports(saved) == imports(fresh), AGAIN


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("stats/corrections.py", "import tellapart.report.sentences"),
        ("formats/sources.py", "def late():\n    from tellapart.comparison import record"),
        ("report/text.py", "from tellapart.formats.tables import reader"),
    ],
)
def test_imports_to_the_right_are_found(tmp_path: Path, module: str, line: str) -> None:
    """The contracts fail when somebody imports to the right, also inside a function."""
    for name in ("src", "studies"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.so", "*.pyc")
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    changed = tmp_path / "src" / "tellapart" / module
    changed.write_text(f"{changed.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    # Not through the hook of an editable installation, which would find the original.
    code = (
        "import sys; "
        "sys.meta_path[:] = [f for f in sys.meta_path if 'frozen_importlib' in f.__module__]; "
        "from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    )
    path = os.pathsep.join([str(tmp_path / "src"), str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"tellapart.{module.removesuffix('.py').replace('/', '.')}" in done.stdout
