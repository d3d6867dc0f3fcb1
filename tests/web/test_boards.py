"""Boards of many systems: what page, figures and terminal show, and how it is reached."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

import tellapart as ta
from browsing import visit
from tellapart.cli import main
from tellapart.comparison.answers import headline, ranking
from tellapart.comparison.compare import DETAILED_SYSTEMS
from tellapart.comparison.details import details_of, shown_pairs
from tellapart.report.figures.collection import figure_files
from tellapart.report.sentences import question
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


def test_details_are_those_of_neighbours_the_best_and_pairs_asked_for(
    forty: ta.Comparison,
) -> None:
    order = [system.name for system in ranking(forty, "mean")]
    asked = (order[20], order[35])
    shown = {frozenset((forty.pairs[k].a, forty.pairs[k].b)) for k in shown_pairs(forty, [asked])}
    about = headline(forty, "mean")
    best = order[:DETAILED_SYSTEMS]
    expected = {frozenset(pair) for pair in itertools.pairwise(best)}
    expected |= {frozenset((order[0], other)) for other in best[1:]}
    assert shown == expected | {frozenset(asked), frozenset((about.a, about.b))}


def test_figures_are_the_overview_and_the_pairs_asked_for(result: ta.Result) -> None:
    pair = result.pairs[300]
    details = details_of(result.record, result.scored, [(pair.a, pair.b)])
    files = figure_files(result.record, details, asked=[(pair.a, pair.b)])
    of_pairs = {name for name in files if name.startswith("pairs/")}
    short = [name.removeprefix(HEAD).removesuffix(TAIL) for name in (pair.a, pair.b)]
    assert {"systems-mean.svg", "matrix-mean.svg"} <= set(files)
    assert of_pairs
    assert all(all(name in path for name in short) for path in of_pairs)


def test_what_all_names_share_is_told_once(forty: ta.Comparison) -> None:
    names = shortened_names([system.name for system in forty.systems])
    assert (names.head, names.tail) == (HEAD, TAIL)
    assert names.shown[f"{HEAD}tree-07{TAIL}"] == "tree-07"
    shown = names.applied(forty)
    assert [system.name for system in shown.systems] == [f"tree-{k:02d}" for k in range(40)]
    assert HEAD not in question(shown, "mean")
    assert shown.pair("tree-00", "tree-39").p == forty.pairs[38].p


@given(st.lists(st.text("ab-/ ", min_size=1), min_size=2, max_size=9, unique=True))
def test_shortened_names_are_parts_of_the_whole_and_all_different(names: list[str]) -> None:
    found = shortened_names(names)
    if found.shown:
        assert [found.head + found.shown[name] + found.tail for name in names] == names
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


@pytest.mark.slow
def test_two_fields_choose_any_pair(browser: Browser, page: Path, forty: ta.Comparison) -> None:
    seen = visit(browser, page).page
    seen.fill("#first-system", "tree-30")
    seen.fill("#second-system", "tree-12")
    seen.press("#second-system", "Enter")
    heading = seen.inner_text("#shown-pair h3")
    pair = forty.pair(f"{HEAD}tree-12{TAIL}", f"{HEAD}tree-30{TAIL}")
    assert heading.startswith("tree-12 − tree-30")
    assert seen.inner_text("#shown-pair .size strong") == f"{pair.difference:+.3f}"
    assert f"{HEAD}tree-12{TAIL},{HEAD}tree-30{TAIL}" in seen.inner_text("#shown-pair code")

    seen.fill("#first-system", "no such tree")
    seen.press("#first-system", "Enter")
    assert "no such tree" in seen.inner_text("#no-pair")


@pytest.mark.slow
def test_a_matrix_is_one_tab_stop_with_words_for_every_cell(browser: Browser, page: Path) -> None:
    seen = visit(browser, page).page
    seen.click(".folded-matrix summary")
    assert seen.locator(".folded-matrix [tabindex='0'].cell").count() == 1
    seen.locator(".folded-matrix [tabindex='0'].cell").focus()
    first = seen.inner_text("#tip")
    seen.keyboard.press("ArrowDown")
    assert seen.inner_text("#tip") != first
    assert seen.evaluate("document.activeElement.getAttribute('aria-label')") == seen.inner_text(
        "#tip"
    )
    number = seen.evaluate("document.activeElement.dataset.pair")
    seen.keyboard.press("Escape")
    assert seen.locator("#tip").is_hidden()
    seen.keyboard.press("Enter")
    assert f"pair={number}" in seen.url


@pytest.mark.slow
def test_words_of_a_mark_are_there_by_pointer_and_by_touch(browser: Browser, page: Path) -> None:
    for touched in (False, True):
        seen = visit(browser, page, has_touch=touched).page
        seen.click(".folded-matrix summary")
        cell = seen.locator(".folded-matrix .cell").nth(700)
        before = seen.url
        if touched:
            cell.tap()
        else:
            cell.hover()
        assert "−" in seen.inner_text("#tip")
        assert seen.url == before  # the first tap tells, and chooses nothing


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
