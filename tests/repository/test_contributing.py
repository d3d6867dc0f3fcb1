"""What CONTRIBUTING.md shows is in the plug-in that tests use, and what it names is there."""

from __future__ import annotations

from pages import ROOT, blocks

PAGE = ROOT / "CONTRIBUTING.md"


def test_examples_are_those_of_the_files_they_name() -> None:
    shown = [block for block in blocks(PAGE) if "/" in block.argument]
    assert shown
    for block in shown:
        file = (ROOT / block.argument).read_text(encoding="utf-8")
        assert block.text in file, f"CONTRIBUTING.md:{block.line} is not in {block.argument}"


def test_the_page_on_formats_shows_the_module() -> None:
    page = ROOT / "docs" / "recipes.md"
    (shown,) = (block for block in blocks(page) if block.argument == "tellapart_marks.py")
    assert shown.text == (ROOT / "tests" / "plugin" / shown.argument).read_text("utf-8")
