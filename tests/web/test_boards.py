"""Boards of many systems: what page, figures and terminal show, and how it is reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from playwright.sync_api import Browser

import tellapart as ta
from browsing import visit
from tellapart.cli import main
from tellapart.report.terminal import render
from tellapart.report.text import shortened_names

HEAD, TAIL = "meadow-lab/evaluation-2026-", "-instruct-final"


@pytest.fixture(scope="module")
def result() -> ta.Result:
    """Forty systems with long names that share their ends, on sixty items."""
    rng = np.random.default_rng(0)
    right = rng.random((40, 60)) < np.linspace(0.9, 0.2, 40)[:, None]
    scores = {f"{HEAD}tree-{k:02d}{TAIL}": row.astype(int) for k, row in enumerate(right)}
    return ta.compare(ta.Counts.from_arrays(scores))


@pytest.fixture(scope="module")
def forty(result: ta.Result) -> ta.Comparison:
    return result.record


@pytest.fixture(scope="module")
def page(result: ta.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("board") / "board.html"
    result.save_html(path)
    return path


@example([f"- /{name}" for name in ("1", "2", "3", "4", "5", "6")])
@given(st.lists(st.text("ab-/ ", min_size=1), min_size=2, max_size=9, unique=True))
def test_shortened_names_are_parts_of_the_whole_and_all_different(names: list[str]) -> None:
    found = shortened_names(names)
    if found.shown:
        assert all(found.shown[name] in name for name in names)
        assert len(set(found.shown.values())) == len(names)
        assert all(found.shown.values())


def test_a_board_comes_first_and_its_matrix_is_folded(browser: Browser, page: Path) -> None:
    seen = visit(browser, page)
    rows = seen.page.locator("table.board tbody tr")
    assert not seen.errors
    assert rows.count() == 40
    assert seen.page.locator("table.board tbody th").first.get_attribute(
        "title", timeout=60_000
    ) == (HEAD + seen.page.locator("table.board tbody th").first.inner_text() + TAIL)
    assert not seen.page.locator(".folded-matrix figure").is_visible()
    assert page.stat().st_size < 2_000_000


def test_the_first_screen_of_a_board_is_short_and_full_has_every_system(
    forty: ta.Comparison,
) -> None:
    short, full = render(forty), render(forty, full=True)
    assert len(short.splitlines()) <= 30
    assert "--full" in short
    assert sum(f"tree-{k:02d}" in full for k in range(40)) == 40
    assert short.count(HEAD) == 1  # which is told once


def test_a_page_tells_no_folders(tmp_path: Path) -> None:
    """A page is sent to others: it has the names of files, and not where they were."""
    table = tmp_path / "private" / "scores.csv"
    table.parent.mkdir()
    table.write_text("item,old,new\n" + "".join(f"q{k},{k % 2},1\n" for k in range(8)))
    page = tmp_path / "report.html"
    assert main(["compare", str(table), "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "tellapart compare scores.csv --html report.html" in text
    assert str(tmp_path) not in text
    assert "private" not in text
