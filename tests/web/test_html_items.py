"""The items of the HTML report: a table that opens to the evidence, for each kind of data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tellapart as ta
from browsing import visit
from muc_files import attack
from quiz import HOSTILE, quiz_with_texts
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
ROW = ".items-table tr.item"


def findings(page: Page) -> list[tuple[str, str]]:
    """Return what axe-core finds: the rule, and where it is broken."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [(each["id"], node["html"]) for each in found for node in each["nodes"]]


def translation(folder: Path) -> list[str]:
    (folder / "ref.txt").write_text("the cat sat on the mat\nit rains in Oslo today\n")
    (folder / "a.txt").write_text("the cat sat on a mat\nit rains in Oslo today\n")
    (folder / "b.txt").write_text("a dog sat in the mat\nit rains in Oslo today\n")
    return ["--as", "text", "--gold", "ref.txt", "a.txt", "b.txt"]


def templates(folder: Path) -> list[str]:
    key = attack("M1", inc_date="11 NOV 89", inc_loc="PERU") + attack("M2", inc_loc="CHILE")
    (folder / "key.txt").write_text(key)
    (folder / "a.txt").write_text(key.replace("11 NOV 89", "12 NOV 89"))
    (folder / "b.txt").write_text(key.replace("PERU", "CUBA") + attack("M1", "2", inc_loc="CUBA"))
    return ["--as", "muc", "--gold", "key.txt", "a.txt", "b.txt"]


EVIDENCE = {
    "translation": (translation, ["the cat sat on the mat", "wrong"],
                    {".right": "the cat sat on", "ins.wrong": "a", "del.missing": "the"}),
    "muc": (templates, ["Template 1 of the key", "inc-date", "Not in the key"],
            {".right": "12 NOV 89", "ins.wrong": "CUBA", "ins.spurious": "2"}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVIDENCE)
def test_an_item_opens_to_its_evidence(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Gold, both outputs and what is right or wrong are there, on a phone, and axe is content."""
    made: tuple[Callable[[Path], list[str]], list[str], dict[str, str]] = EVIDENCE[kind]
    write, words, marks = made
    monkeypatch.chdir(tmp_path)
    assert main(["compare", *write(tmp_path), "--html", "page.html"]) == 0
    phone = {"width": 390, "height": 800}
    seen = visit(browser, tmp_path / "page.html", viewport=phone, bypass_csp=True)
    page = seen.page
    page.locator(ROW).first.click()
    text = page.inner_text(".detail")

    assert [each for each in words if each not in text] == []
    for where, said in marks.items():
        assert said in page.locator(f".opened {where}").all_inner_texts(), where
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert findings(page) == []
    assert seen.errors == []


@pytest.fixture(scope="module")
def page_of_quiz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("items") / "quiz.html"
    ta.compare(quiz_with_texts().systems["alder", "birch"], intervals=False).save_html(path)
    return path


def names(page: Page) -> list[str]:
    return page.locator(".items-table td.id").all_inner_texts()


@pytest.mark.slow
def test_any_column_sorts_both_ways(browser: Browser, page_of_quiz: Path) -> None:
    page = visit(browser, page_of_quiz).page
    head = page.locator("th[data-key=difference]")
    for wanted in ("descending", "ascending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == wanted
        shown = page.locator(".items-table tbody td:last-child").all_inner_texts()
        values = [float(text.replace("−", "-")) for text in shown]
        assert values == sorted(values, reverse=wanted == "descending")
    page.locator("th[data-key=name] button").press("Enter")
    assert names(page) == sorted(names(page))


def test_a_link_opens_its_item(browser: Browser, page_of_quiz: Path) -> None:
    page = visit(browser, page_of_quiz).page
    last = names(page)[-1]
    page.locator(ROW).last.click()
    link = page.locator(".detail a").get_attribute("href") or ""
    assert f"item={last}" in link

    again = visit(browser, page_of_quiz, link).page
    assert again.locator("tr:has([aria-expanded=true])").get_attribute("data-item") == last
    with again.expect_navigation():
        again.evaluate("location.hash = 'item=nowhere'")
    again.wait_for_selector("html[data-ready]")
    assert again.inner_text(".filters [role=status]") == "nowhere is not among the items here."


@pytest.mark.slow
def test_many_items_come_in_chunks_and_the_page_says_what_is_left_out(
    browser: Browser, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    scores = {"A": rng.random(1_200), "B": rng.random(1_200)}
    ta.compare(Counts.from_arrays(scores), intervals=False).save_html(tmp_path / "many.html")
    page = visit(browser, tmp_path / "many.html").page

    line = page.inner_text(".items-line")
    assert "1,200 items differ; the 500 that contribute most" in line
    assert "700 are left out" in line
    assert "tellapart diff" in line
    assert len(names(page)) == 50
    page.click(".more button")
    assert len(names(page)) == 100
    assert page.inner_text(".more button") == "Show 50 more of 400"


def test_evidence_of_a_reader_is_text(browser: Browser, tmp_path: Path) -> None:
    """Markup in labels, titles, pieces and tags is shown as it is, and never runs."""

    def view(_: str) -> ItemView:
        cell = (Piece(HOSTILE, "wrong", HOSTILE),)
        rows = (ViewRow(HOSTILE, cell, {"A": cell, "B": cell}),)
        return ItemView((ViewSection(rows, HOSTILE), ViewSection(rows, HOSTILE, stacked=True)))

    counts = Counts.from_arrays({"A": [1, 1, 1], "B": [0, 0, 1]})
    result = ta.compare(replace(counts, views=view), intervals=False)
    result.save_html(tmp_path / "view.html")
    page = visit(browser, tmp_path / "view.html").page
    page.locator(ROW).first.click()
    text = page.text_content(".opened >> nth=0") or ""
    assert text.count("<script>") >= 10
    assert page.title() != "owned"
    assert page.query_selector(".items img, .items script") is None
