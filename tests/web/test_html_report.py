"""The HTML report in a real browser: with and without script, on paper, phones and computers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tellapart as ta
from browsing import visit
from quiz import HOSTILE, quiz_counts
from tellapart.counts import Counts
from tellapart.report.document import finding
from tellapart.report.method import for_paper
from tellapart.report.text import p_text, signed
from tellapart.result import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_opens_from_disk_without_errors_or_network(browser: Browser, report: Path) -> None:
    seen = visit(browser, report)

    assert seen.errors == []
    assert [url for url in seen.requests if not url.startswith(("file:", "blob:", "data:"))] == []
    assert len([url for url in seen.requests if url.startswith("file:")]) == 1
    ids = seen.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_says_the_finding_in_the_digits_of_the_record(
    browser: Browser, report: Path, result: Result
) -> None:
    """Verdict, differences, intervals and p-values are those of the terminal and of the record."""
    text = visit(browser, report).page.inner_text("body")

    sentence = finding(result.record, next(iter(result.record.metrics)))[2]
    assert sentence in re.sub(r"\s+", " ", text)
    for pair in result.pairs:
        shown = pair if pair.difference >= 0 else pair.turned()
        assert f"{shown.a} - {shown.b}" in text
        assert signed(shown.difference) in text
        assert p_text(shown.p) in text
        assert p_text(shown.p_adjusted) in text


def test_text_of_users_stays_text(browser: Browser, report: Path) -> None:
    """Markup in items is shown as it is, and never runs."""
    page = visit(browser, report).page
    for each in page.query_selector_all(".items tr.item")[:5]:
        each.click()

    assert HOSTILE in page.inner_text("#pair")
    assert page.title() != "owned"
    assert page.query_selector("#pair img, #pair script") is None


def test_choosing_a_pair(browser: Browser, report: Path, result: Result) -> None:
    """The lists, the matrix and the table all choose; the address remembers."""
    page = visit(browser, report).page
    assert page.locator("article.pair").count() == 1

    first, second = (page.locator(".choose select").nth(k) for k in (0, 1))
    other = result.pairs[2]
    first.select_option(label=other.b)
    second.select_option(label=other.a)
    title = page.inner_text("article h3 >> nth=0")
    assert {other.a, other.b} == set(title.split(" by ")[0].split(" − "))
    assert "pair=2" in page.url

    page.locator(".cell[data-pair='0']").first.click()
    frame = page.locator(".cell.chosen path").first.evaluate("e => getComputedStyle(e).strokeWidth")
    assert frame == "3px"  # of the cell alone, not around its words for a pointer
    assert page.locator(".cell.chosen").first.evaluate(OUTLINE) == "none"
    assert "pair=0" in page.url
    shown = {select.locator("option:checked").inner_text() for select in (first, second)}
    assert shown == {result.pairs[0].a, result.pairs[0].b}

    page.locator("a[data-pair='1']").first.click()
    assert "pair=1" in page.url


OUTLINE = "e => getComputedStyle(e).outlineStyle"


def test_two_systems_have_answer_scores_and_histogram_on_the_first_screen(
    browser: Browser, tmp_path: Path
) -> None:
    counts = quiz_counts().systems["alder", "birch"]
    ta.compare(counts, at_least=0.5).save_html(tmp_path / "two.html")
    page = visit(browser, tmp_path / "two.html", viewport={"width": 1280, "height": 800}).page
    figures = page.locator("#verdict figure svg")
    assert figures.count() == 2
    assert figures.last.evaluate("e => e.getBoundingClientRect().bottom") < 600
    assert page.locator("article figure").count() == 0
    beside = "e => e.getBoundingClientRect().left"
    assert figures.last.evaluate(beside) > figures.first.evaluate(beside) + 500
    assert page.locator(".option").first.inner_text() == "--cluster passage."


def test_filtering_items(browser: Browser, report: Path, result: Result) -> None:
    """By who is better, and by text; a link with the filter shows the same."""
    seen = visit(browser, report, "#pair=0")
    page, pair = seen.page, result.pairs[0]
    items = result.scored[0].unclustered.counts
    a, b = (items.column("score")[items.names.index(name)] for name in (pair.a, pair.b))
    found = page.locator(".filters [role=status]")
    assert found.inner_text().endswith(f" of {(a != b).sum()}")

    page.select_option("select[aria-label='Who is better']", label=f"{pair.a} better")
    assert found.inner_text().endswith(f" of {(a > b).sum()}")
    page.select_option("select[aria-label='Who is better']", label=f"{pair.b} better")
    assert found.inner_text().endswith(f" of {(a < b).sum()}")

    page.select_option("select[aria-label='Who is better']", "")
    page.fill("input[type=search]", "p03-")
    names = page.locator(".items-table td.id").all_inner_texts()
    assert names
    assert all(name.startswith("p03-") for name in names)

    again = visit(browser, report, "#" + page.url.split("#")[1]).page
    assert again.locator(".items-table td.id").all_inner_texts() == names


def test_skipping_to_the_systems_keeps_what_was_chosen(browser: Browser, report: Path) -> None:
    page = visit(browser, report).page
    page.fill("input[type=search]", "p03-")

    page.locator(".skip").press("Enter")

    assert page.evaluate("document.querySelector('#systems').getBoundingClientRect().top") < 400
    assert page.input_value("input[type=search]") == "p03-"


@pytest.mark.slow
def test_reads_without_script(browser: Browser, report: Path, result: Result) -> None:
    """Verdict, systems, matrix, every pair with figures and method are there."""
    page = visit(browser, report, java_script_enabled=False).page

    assert page.locator("article.pair").count() == len(result.pairs)
    assert page.locator("#verdict h1").is_visible()
    assert page.locator(".systems figure svg").is_visible()
    assert page.locator(".pairs figure svg").is_visible()
    assert page.locator("article.pair figure svg").first.is_visible()
    assert "tellapart diff has them" in page.locator("article.pair .items").first.inner_text()
    assert page.locator("#method").is_visible()
    assert page.locator("button:visible").count() == 0


@pytest.mark.slow
def test_prints_on_paper(browser: Browser, report: Path) -> None:
    """On A4 the controls are gone and the ground is white, also for those who read in the dark."""
    page = visit(browser, report, color_scheme="dark").page
    page.emulate_media(media="print")

    assert page.locator(".choose select").first.is_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.slow
def test_downloads_are_the_record(browser: Browser, report: Path, result: Result) -> None:
    page = visit(browser, report, accept_downloads=True).page

    with page.expect_download() as waiting:
        page.click("#save-record")

    assert Path(waiting.value.path()).read_text(encoding="utf-8") == result.to_json()


@pytest.mark.slow
def test_several_metrics_are_chosen(browser: Browser, tmp_path: Path) -> None:
    """One metric is shown at a time with script, all of them without."""
    result = ta.compare(ta.example("muc4").systems["GE", "UMASS", "SRI", "MDC"], alpha=0.1)
    result.save_html(tmp_path / "muc.html")
    page = visit(browser, tmp_path / "muc.html").page
    assert page.locator(".finding:visible").count() == 1

    page.click("[data-choose-metric=precision]")

    assert page.inner_text(".finding:visible").count("precision") == 1
    assert "precision" in page.inner_text("article.pair h3")
    assert "precision" in page.title()
    assert "By precision, " in page.inner_text("#method")
    assert "By recall, " not in page.inner_text("#method")
    assert page.locator(".groups:visible").count() == 1
    assert "precision" in page.inner_text(".groups:visible h2")
    assert page.locator(".plane h2").all_inner_texts() == ["Recall and precision"]
    silent = visit(browser, tmp_path / "muc.html", java_script_enabled=False).page
    assert silent.locator(".finding:visible").count() == 3


# On phones and computers, and what is copied from it


@pytest.fixture(scope="module")
def seventeen() -> Result:
    """Compare seventeen systems by three metrics."""
    return ta.compare(ta.example("muc4"), alpha=0.1)


@pytest.fixture(scope="module")
def muc(seventeen: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("muc") / "muc.html"
    seventeen.save_html(path)
    return path


LONG = [
    f"an-organisation/A-Model-3.1-{size}-Instruct-with-a-long-name-v2" for size in ("8B", "70B")
]

SMALLEST = """[...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const shown = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [...svg.querySelectorAll("text, tspan")].map(
    (text) => shown * parseFloat(getComputedStyle(text).fontSize));
}).filter((size) => size > 0).reduce((a, b) => Math.min(a, b))"""

HIDDEN = """[...document.querySelectorAll("figure")].filter((figure) => {
  const svg = figure.querySelector("svg"), box = figure.getBoundingClientRect();
  return box.width && svg.getBoundingClientRect().right > box.right + 1;
}).map((figure) => figure.querySelector("title").textContent)"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    names = [f"{name}-{k}" for k in range(13) for name in LONG]
    counts = Counts.from_arrays({name: rng.integers(0, 2, 9) for name in names})
    path = tmp_path_factory.mktemp("many") / "many.html"
    ta.compare(counts, test="t", intervals=False).save_html(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report", "muc", "many"])
def test_figures_are_readable_on_a_phone_and_whole_or_show_that_there_is_more(
    browser: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    path = request.getfixturevalue(name)
    page = visit(browser, path, viewport={"width": 375, "height": 800}).page
    assert page.evaluate(SMALLEST) >= 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    if name != "many":
        assert page.evaluate(HIDDEN) == []
    else:
        wide = page.locator("figure .wide").first
        assert "gradient" in wide.evaluate("e => getComputedStyle(e).backgroundImage")


LISTEN = """Object.defineProperty(navigator, "clipboard",
  { value: { writeText: async (text) => { window.copied = text; } } })"""


@pytest.mark.slow
def test_sentences_for_a_paper_follow_metric_and_pair(
    browser: Browser, muc: Path, seventeen: Result
) -> None:
    page, result = visit(browser, muc).page, seventeen
    page.evaluate(LISTEN)
    page.click("[data-choose-metric=f1]")
    page.locator("button:visible", has_text="Copy for a paper").click()
    assert page.evaluate("copied") == for_paper(result.record, "f1")

    number = next(k for k, p in enumerate(result.pairs) if p.metric == "f1" and p.different)
    pair = result.pairs[number]
    page.locator(".choose select").first.select_option(label=pair.a)
    page.locator(".choose select").last.select_option(label=pair.b)
    page.click("article .for-paper summary")
    page.click("article .for-paper button")
    sentence = for_paper(result.record, "f1", pair)
    assert page.evaluate("copied") == sentence
    assert page.inner_text("article .for-paper .words") == sentence
