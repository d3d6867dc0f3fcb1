"""What CONTRIBUTING.md shows is in the plug-in that tests use, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

from pages import ROOT, blocks

PAGE = ROOT / "CONTRIBUTING.md"
TEXT = PAGE.read_text(encoding="utf-8")


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


def test_files_that_are_named_are_there() -> None:
    named = set(re.findall(r"`((?:[\w.]+/)*[\w.]+(?:\.py|\.md|\.toml|/))`", TEXT))
    assert len(named) > 15
    package = ROOT / "src" / "tellapart"
    for name in named - {"format.py"}:
        assert any((place / name).exists() for place in (ROOT, package)), name


def test_make_targets_that_are_named_are_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)\b", TEXT)) & targets >= {"test", "lint", "demo"}
    for target in re.findall(r"^\$ make ([a-z]+)", TEXT, re.MULTILINE):
        assert target in targets


def test_links_lead_somewhere() -> None:
    for page in (PAGE, ROOT / "SECURITY.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert "://" in target or Path(ROOT, target).exists(), target
