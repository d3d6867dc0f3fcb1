"""The picture of the architecture is that of the code."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("grimp")


def drawn(picture: ElementTree.Element) -> tuple[str, set[str]]:
    """Return the layers and the arcs of a picture."""
    arcs = {each.attrib["data-imports"] for each in picture.iter() if "data-imports" in each.attrib}
    return picture.attrib["data-layers"], arcs


def test_layers_and_arcs_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    from draw_architecture import picture

    saved = ElementTree.parse(ROOT / "docs" / "img" / "architecture.svg").getroot()
    again = "draw it again: python tools/draw_architecture.py"
    assert drawn(saved) == drawn(ElementTree.fromstring(picture())), again
