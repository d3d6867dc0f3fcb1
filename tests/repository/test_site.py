"""The site of `make docs` has all pages and all public names; MkDocs itself is not needed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import tellapart as ta
from record_schema import schema
from reference_page import entry, public_names, reference
from site_hooks import MADE, MOVED, rewritten, slug
from tellapart import stats

ROOT = Path(__file__).parents[2]
SOURCES = [*MOVED, *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]
PAGES = {MOVED.get(source, Path(source).name): source for source in SOURCES}
"""By page of the site: the file it is made from"""
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    """Return a page as MkDocs reads it, without its blocks of code."""
    if page in MADE:
        return _CODE.sub("", MADE[page]())
    source = PAGES[page]
    return _CODE.sub("", rewritten((ROOT / source).read_text(encoding="utf-8"), source))


def named(nav: Any) -> Iterator[str]:
    """Give the pages of a menu and of those below it."""
    for titled in nav:
        for value in titled.values():
            yield from [value] if isinstance(value, str) else named(value)


def test_menu_names_every_page_once() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named(settings["nav"])) == sorted([*PAGES, *MADE])


@pytest.mark.parametrize("page", PAGES)
def test_links_of_the_site_lead_somewhere(page: str) -> None:
    """Links name a page of the site and one of its headings, or a file that is copied to it."""
    for path, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text_of(page)):
        if "://" in path:
            continue
        target = path or page
        assert target in PAGES or (ROOT / "docs" / target).is_file(), f"{page}: {path}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", text_of(target), re.MULTILINE)
            assert anchor in {slug(each, "-") for each in headings}, f"{page}: {path}#{anchor}"


def test_reference_tells_every_name() -> None:
    """Each public name has its signature, the first line of its docstring, and an example."""
    page = reference()
    for name, value in public_names().items():
        told = entry(name, value)
        assert f"## {name}\n" in page
        assert re.search(rf"```python\n(class )?{re.escape(name)}\(", told), name
        assert value.__doc__.splitlines()[0] in told, name
        assert "```python\n>>> " in told, name
    names = {name.removeprefix("stats.") for name in public_names()}
    assert names == {*ta.__all__, *stats.__all__} - {"stats"}


def test_options_and_keys_are_those_of_the_code() -> None:
    options = MADE["options.md"]()
    assert all(f"## {name}\n" in options for name in ("tellapart compare", "--as muc", "--as text"))
    record = ta.compare([1, 0, 1, 1], [0, 0, 1, 0]).record
    known = schema()["$defs"]
    assert set(json.loads(ta.Result(record).to_json())) == set(known["Comparison"]["properties"])
    assert known["Pair"]["properties"]["settled"]["anyOf"][0] == {"type": "boolean"}
