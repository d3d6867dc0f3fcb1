"""The HTML report on phones and computers, and what it shows of metrics, pairs and slices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tellapart as ta
from browsing import visit
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
