"""The picture of the architecture is that of the code."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
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
