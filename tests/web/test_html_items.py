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
from log_files import eval_log, header, sample
from muc_files import attack
from quiz import HOSTILE, quiz
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
ROW = ".items-table tr[aria-level='1']"


def findings(page: Page) -> list[tuple[str, str]]:
    """Return what axe-core finds: the rule, and where it is broken."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [(each["id"], node["html"]) for each in found for node in each["nodes"]]


def translation(folder: Path) -> list[str]:
    (folder / "ref.txt").write_text("the cat sat on the mat\nit rains in Oslo today\n")
    (folder / "src.txt").write_text("die Katze\nes regnet\n")
    (folder / "a.txt").write_text("the cat sat on a mat\nit rains in Oslo today\n")
    (folder / "b.txt").write_text("a dog sat in the mat\nit rains in Oslo today\n")
    return ["--as", "text", "--gold", "ref.txt", "--source", "src.txt", "a.txt", "b.txt"]


def inspect_log(folder: Path) -> list[str]:
    for name, right in (("alder", "C"), ("birch", "I")):
        rows = [sample(k, {"quiz": right if k < 3 else "C"}, target=f"gold {k}") for k in range(5)]
        (folder / f"{name}.eval").write_bytes(eval_log(rows, header(f"mockllm/{name}")))
    return ["alder.eval", "birch.eval"]


def tags(folder: Path) -> list[str]:
    gold = "Anna B-PER\nsaw O\nOslo B-LOC\n\nBob B-PER\nran O\n\n"
    (folder / "gold.conll").write_text(gold)
    (folder / "a.conll").write_text(gold.replace("Oslo B-LOC", "Oslo B-ORG"))
    (folder / "c.conll").write_text(gold.replace("Bob B-PER", "Bob O"))
    return ["--gold", "gold.conll", "a.conll", "c.conll"]


def run(folder: Path) -> list[str]:
    (folder / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\n")
    for name, first, second in (("a", "d1", "d2"), ("b", "d2", "d9")):
        ranked = f"q1 Q0 {first} 1 9 {name}\nq1 Q0 {second} 2 8 {name}\nq2 Q0 d1 1 9 {name}\n"
        (folder / f"{name}.run").write_text(ranked)
    return ["--gold", "qrels.txt", "a.run", "b.run"]


def templates(folder: Path) -> list[str]:
    key = attack("M1", inc_date="11 NOV 89", inc_loc="PERU") + attack("M2", inc_loc="CHILE")
    (folder / "key.txt").write_text(key)
    (folder / "a.txt").write_text(key.replace("11 NOV 89", "12 NOV 89"))
    (folder / "b.txt").write_text(key.replace("PERU", "CUBA") + attack("M1", "2", inc_loc="CUBA"))
    return ["--as", "muc", "--gold", "key.txt", "a.txt", "b.txt"]


EVIDENCE = {
    "translation": (translation, ["die Katze", "the cat sat on the mat", "wrong"],
                    {".right": "the cat sat on", "ins.wrong": "a", "del.missing": "the"}),
    "inspect": (inspect_log, ["gold 0", "alder", "birch"], {}),
    "tags": (tags, ["Anna", "LOC"], {".right": "Anna PER", "ins.wrong": "Oslo ORG"}),
    "trec": (run, ["The first 2 documents", "rank 1", "grade 0", "not judged"],
             {".right": "d1 grade 2", "ins.wrong": "d2 grade 0"}),
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
    ta.compare(quiz().systems["alder", "birch"], intervals=False).save_html(path)
    return path


def names(page: Page) -> list[str]:
    return page.locator(".items-table td.id").all_inner_texts()


@pytest.mark.slow
def test_keys_go_through_the_table_which_is_one_tab_stop(
    browser: Browser, page_of_quiz: Path
) -> None:
    page = visit(browser, page_of_quiz).page
    assert page.locator(".items-table [tabindex='0']").count() == 1
    first, second, *_ = names(page)

    page.locator(ROW).first.focus()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.locator("tr[aria-expanded=true]").get_attribute("data-item") == second
    page.keyboard.press("Enter")
    assert page.locator("tr[aria-expanded=true]").count() == 0
    for key in ("ArrowUp", "ArrowUp", "Enter"):  # the head of the first column, which sorts
        page.keyboard.press(key)
    assert names(page) == sorted(names(page))
    assert page.locator("th[data-key=name]").get_attribute("aria-sort") == "ascending"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    focused = page.evaluate("document.activeElement.dataset.item")
    assert focused == names(page)[-1]
    assert first in names(page)


@pytest.mark.slow
def test_any_column_sorts_both_ways_and_back(browser: Browser, page_of_quiz: Path) -> None:
    page = visit(browser, page_of_quiz).page
    before = names(page)
    head = page.locator("th[data-key=difference]")
    for wanted in ("descending", "ascending", None):
        head.click()
        assert head.get_attribute("aria-sort") == wanted
        shown = page.locator(".items-table tbody td:last-child").all_inner_texts()
        values = [float(text.replace("−", "-")) for text in shown]
        if wanted:
            assert values == sorted(values, reverse=wanted == "descending")
    assert names(page) == before


@pytest.mark.slow
def test_items_are_filtered_by_label_and_hits_are_marked(
    browser: Browser, page_of_quiz: Path
) -> None:
    page = visit(browser, page_of_quiz).page
    page.select_option("select[aria-label=Label]", label=page.locator(
        "select[aria-label=Label] option", has_text="kind = sum").inner_text())  # fmt: skip
    assert names(page)
    assert all(name.endswith("q1") for name in names(page))
    page.fill("input[type=search]", "P02")
    assert names(page) == ["p02-q1"] or names(page) == []
    page.select_option("select[aria-label=Label]", "")
    assert {text.lower() for text in page.locator("mark.hit").all_inner_texts()} == {"p02"}


def test_a_link_opens_its_item(browser: Browser, page_of_quiz: Path) -> None:
    page = visit(browser, page_of_quiz).page
    last = names(page)[-1]
    page.locator(ROW).last.click()
    link = page.locator(".detail a").get_attribute("href") or ""
    assert f"item={last}" in link

    again = visit(browser, page_of_quiz, link).page
    assert again.locator("tr[aria-expanded=true]").get_attribute("data-item") == last
    again.evaluate("location.hash = 'item=nowhere'")
    assert again.inner_text(".filters [role=status]") == "nowhere is not among the items here."


@pytest.mark.slow
def test_outputs_are_held_against_gold_or_each_other(browser: Browser, page_of_quiz: Path) -> None:
    page = visit(browser, page_of_quiz).page
    page.locator(ROW).first.click()
    page.click("[data-mode=gold]")
    assert page.locator(".opened ins.wrong").count() > 0
    assert page.locator(".opened mark.apart").count() == 0
    page.click("[data-mode=other]")
    assert page.locator(".opened ins.wrong").count() == 0
    assert page.locator(".opened mark.apart").count() > 0
    assert "marks=other" in page.url


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
