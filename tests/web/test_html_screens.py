"""The HTML report on phones and computers, and what it shows of metrics, pairs and slices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tellapart as ta
from browsing import visit
from quiz import quiz
from tellapart.comparison.record import Notice
from tellapart.counts import Counts
from tellapart.report.method import for_paper
from tellapart.result import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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


@pytest.mark.slow
def test_figures_are_whole_and_readable_on_a_phone(
    browser: Browser, report: Path, muc: Path
) -> None:
    for path in (report, muc):
        page = visit(browser, path, viewport={"width": 375, "height": 800}).page

        assert page.evaluate(SMALLEST) >= 9
        assert page.evaluate(HIDDEN) == []


@pytest.mark.slow
def test_figures_of_many_systems_stay_readable_and_show_that_there_is_more(
    browser: Browser, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    names = [f"{name}-{k}" for k in range(13) for name in LONG]
    counts = Counts.from_arrays({name: rng.integers(0, 2, 9) for name in names})
    result = ta.compare(counts, test="t", intervals=False)
    result.save_html(tmp_path / "many.html")
    page = visit(browser, tmp_path / "many.html", viewport={"width": 375, "height": 800}).page

    assert page.evaluate(SMALLEST) >= 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    wide = page.locator("figure .wide")
    assert wide.count() > 0
    assert "gradient" in wide.first.evaluate("e => getComputedStyle(e).backgroundImage")


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
    page.fill("#first-system", pair.a)
    page.fill("#second-system", pair.b)
    page.press("#second-system", "Enter")
    page.click("article .for-paper summary")
    page.click("article .for-paper button")
    sentence = for_paper(result.record, "f1", pair)
    assert page.evaluate("copied") == sentence
    assert page.inner_text("article .for-paper .words") == sentence


@pytest.mark.slow
def test_warnings_are_sentences_and_the_first_three_are_read_at_once(
    browser: Browser, tmp_path: Path
) -> None:
    result = ta.compare({"A": [1, 0, 1], "B": [0, 0, 1]}, intervals=False)
    noticed = tuple(Notice("missing", text=f"Item {k} is missing.") for k in range(5))
    record = replace(result.record, notices=noticed)
    type(result)(record, result.scored).save_html(tmp_path / "many.html")
    page = visit(browser, tmp_path / "many.html").page
    assert page.locator(".warnings li:visible").count() == 3
    page.click(".warnings summary")
    assert page.inner_text(".warnings summary") == "and 2 more"
    assert page.locator(".warnings li:visible").count() == 5


@pytest.mark.slow
def test_slices_are_those_that_were_asked_for_with_their_numbers(
    browser: Browser, tmp_path: Path
) -> None:
    counts = quiz()
    halves = tuple("early" if k < 36 else "late" for k in range(72))
    counts = replace(counts, labels={**counts.labels, "half": halves})
    for by, heads in (("half", ["By half"]), (None, ["By kind", "By half"])):
        result = ta.compare(counts, cluster="passage", by=by)
        result.save_html(tmp_path / "slices.html")
        page = visit(browser, tmp_path / "slices.html").page
        found = [
            text.split(" exploratory")[0] for text in page.locator(".slices h4").all_inner_texts()
        ]

        assert found == heads
        assert "items" in page.locator(".slices th").all_inner_texts()
    assert "CI for all of them at once" in page.inner_text(".slices .note >> nth=0")


@pytest.mark.slow
def test_long_names_are_short_in_rows_and_whole_in_headings(
    browser: Browser, tmp_path: Path
) -> None:
    rng = np.random.default_rng(2)
    values = {name: rng.integers(0, 2, 40) for name in LONG}
    ta.compare(Counts.from_arrays(values)).save_html(tmp_path / "long.html")
    page = visit(browser, tmp_path / "long.html").page

    assert all(name in page.inner_text("article h3") for name in LONG)
    assert all(name in (page.text_content(".systems table") or "") for name in LONG)
    for where in (
        ".items-table th.number >> nth=1",
        "#choose-pair option >> nth=0",
        ".pairs tbody th",
    ):
        words = page.text_content(where) or ""
        assert len(words) < 70
        assert "…8B…" in words or "8B" in words
