"""The HTML report in a real browser, with and without script, on paper and on a phone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tellapart as ta
from browsing import visit
from quiz import HOSTILE, quiz
from tellapart.report.html.store import unpack
from tellapart.report.text import p_text, percent, signed
from tellapart.result import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_opens_from_disk_without_errors_or_network(browser: Browser, report: Path) -> None:
    seen = visit(browser, report)

    assert seen.errors == []
    assert [url for url in seen.requests if not url.startswith(("file:", "blob:", "data:"))] == []
    assert len([url for url in seen.requests if url.startswith("file:")]) == 1


def test_says_the_finding_in_the_digits_of_the_record(
    browser: Browser, report: Path, result: Result
) -> None:
    """Verdict, differences, intervals and p-values are those of the terminal and of the record."""
    text = visit(browser, report).page.inner_text("body")

    assert result.verdict in re.sub(r"\s+", " ", text)
    for pair in result.pairs:
        shown = pair if pair.difference >= 0 else pair.turned()
        assert f"{shown.a} − {shown.b}" in text
        assert signed(shown.difference) in text
        assert p_text(shown.p) in text
        assert p_text(shown.p_adjusted) in text


def test_text_of_users_stays_text(browser: Browser, report: Path) -> None:
    """Markup in items is shown as it is, and never runs."""
    page = visit(browser, report).page
    for each in page.query_selector_all(".items tr[aria-level='1']")[:5]:
        each.click()

    assert HOSTILE in page.inner_text("#pair")
    assert page.title() != "owned"
    assert page.query_selector("#pair img, #pair script") is None


def test_choosing_a_pair(browser: Browser, report: Path, result: Result) -> None:
    """The list, the matrix and the table all choose; the address remembers."""
    page = visit(browser, report).page
    assert page.locator("article.pair").count() == 1

    page.select_option("#choose-pair", "2")
    other = result.pairs[2]
    assert {other.a, other.b} == set(
        page.inner_text("article h3 >> nth=0").split(" by ")[0].split(" − ")
    )
    assert "pair=2" in page.url

    page.locator(".cell[data-pair='0']").first.click()
    assert page.input_value("#choose-pair") == "0"

    page.locator("a[data-pair='1']").first.click()
    assert page.input_value("#choose-pair") == "1"

    page.locator(".cell[tabindex]").focus()
    page.keyboard.press("ArrowRight")
    number = page.evaluate("document.activeElement.dataset.pair")
    page.keyboard.press("Enter")
    assert page.input_value("#choose-pair") == number


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


@pytest.mark.slow
def test_sorting_a_table(browser: Browser, report: Path) -> None:
    page = visit(browser, report).page
    page.locator(".pairs details summary").first.evaluate("e => { e.parentElement.open = true }")

    page.locator(".pairs thead button", has_text="difference").click()

    shown = page.locator(".pairs tbody tr td:nth-child(2)").all_inner_texts()
    assert shown == sorted(shown, key=float, reverse=True)


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


def test_no_id_is_there_twice(browser: Browser, report: Path) -> None:
    page = visit(browser, report).page

    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("device", "width"), [("phone", 375), ("desktop", 1280)])
def test_fits_the_screen(
    browser: Browser, report: Path, tmp_path: Path, device: str, width: int, scheme: str
) -> None:
    """Nothing is wider than the screen; screenshots are kept beside the test's files."""
    page = visit(
        browser, report, viewport={"width": width, "height": 900}, color_scheme=scheme
    ).page

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = page.screenshot(path=tmp_path / f"{device}-{scheme}.png", full_page=True)
    assert len(picture) > 10_000
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.slow
def test_prints_on_paper(browser: Browser, report: Path) -> None:
    """On A4 the controls are gone and the ground is white, also for those who read in the dark."""
    page = visit(browser, report, color_scheme="dark").page
    page.emulate_media(media="print")

    assert page.locator("#choose-pair").is_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.slow
def test_keyboard_reaches_everything(browser: Browser, report: Path) -> None:
    """Tab goes from the skip link over buttons, cells and links to the last download."""
    page = visit(browser, report).page
    reached: list[str] = []
    for _ in range(400):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "(() => { const e = document.activeElement; return e === document.body ? '' :"
            " e.dataset.download || e.id || e.getAttribute('class') || e.tagName })()"
        )
        if not where:
            break
        reached.append(where)

    assert {"skip", "choose-pair", "json", "latex"} <= set(reached)
    assert sum(where.startswith("cell") for where in reached) == 1  # arrow keys lead on from there


@pytest.mark.slow
def test_downloads_are_the_record(browser: Browser, report: Path, result: Result) -> None:
    page = visit(browser, report, accept_downloads=True).page

    with page.expect_download() as waiting:
        page.click("[data-download=json]")

    assert Path(waiting.value.path()).read_text(encoding="utf-8") == result.to_json()


@pytest.mark.slow
def test_a_figure_is_saved_as_svg_and_png(browser: Browser, report: Path) -> None:
    page = visit(browser, report, accept_downloads=True).page
    for words, magic in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page.locator(".systems figure").first.hover()
        with page.expect_download() as waiting:
            page.locator(".systems .save button", has_text=words).first.click()

        assert Path(waiting.value.path()).read_bytes().startswith(magic)


@pytest.mark.slow
def test_several_metrics_are_chosen(browser: Browser, tmp_path: Path) -> None:
    """One metric is shown at a time with script, all of them without."""
    result = ta.compare(ta.example("muc4").systems["GE", "UMASS", "SRI", "MDC"], alpha=0.1)
    result.save_html(tmp_path / "muc.html")
    page = visit(browser, tmp_path / "muc.html").page
    assert page.locator(".finding:visible").count() == 1

    page.click("[data-choose-metric=precision]")

    assert "precision" in page.inner_text(".finding:visible")
    assert "precision" in page.inner_text("article.pair h3")
    assert "precision" in page.title()
    assert "By precision, " in page.inner_text("#method")
    assert "By recall, " not in page.inner_text("#method")
    assert page.locator(".groups:visible").count() == 1
    assert "precision" in page.inner_text(".groups:visible h2")
    assert page.locator(".plane h2").all_inner_texts() == [
        "Recall and precision",
        "Recall and overgeneration",
    ]
    silent = visit(browser, tmp_path / "muc.html", java_script_enabled=False).page
    assert silent.locator(".finding:visible").count() == 3


def test_long_texts_are_cut_and_said_so(tmp_path: Path) -> None:
    """ItemTexts of 100,000 characters leave a report of ordinary size."""
    counts = quiz()
    assert counts.texts is not None
    rng = np.random.default_rng(0)
    long = tuple(
        "".join(map(chr, rng.integers(0x4E00, 0x9F00, 100_000).tolist())) for _ in counts.items
    )
    counts = replace(counts, texts=replace(counts.texts, inputs=long))
    ta.compare(counts).save_html(tmp_path / "long.html")

    text = (tmp_path / "long.html").read_text(encoding="utf-8")
    assert len(text) < 2_000_000
    stored = unpack(re.findall(r'id="store">"(.*?)"', text)[0])
    assert all("more characters)" in unit[1] for unit in stored["units"])


def test_a_margin_gives_pairs_a_level_of_their_own_not_systems(tmp_path: Path) -> None:
    several = ta.compare(quiz(), margin=0.2, by="kind")
    two = ta.compare(quiz().systems["alder", "birch"], margin=0.2, by="kind")
    for result in (several, two):
        result.save_html(tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        heads = re.findall(r"<thead>.*?</thead>", page)
        level = f"{percent(result.pairs[0].interval_level or 0)} CI"
        assert level != "95 % CI"
        for first, expected in (
            ("system", "95 % CI"),
            ("pair", level),
            ("kind", "95 % CI"),
        ):
            (head, *_) = [each for each in heads if f"<th>{first}</th>" in each]
            assert f">{expected}" in head
