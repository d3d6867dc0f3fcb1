"""Figures: well-formed, with their numbers in words, and drawn where the scale says."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tellapart as ta
from muc_files import attack, score
from small_counts import some_counts, some_items
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.comparison.answers import ranking
from tellapart.comparison.details import PairDetails, Plane, details_of, planes
from tellapart.comparison.record import Comparison
from tellapart.counts import Counts
from tellapart.formats.templates.counts import run_counts
from tellapart.report.figures import systems
from tellapart.report.figures.collection import all_figures
from tellapart.report.figures.layout import SIZE, WIDTH, text_width
from tellapart.report.figures.matrices import STRONGEST, matrix_figure
from tellapart.report.figures.pairs import null_figure, null_scale, null_words
from tellapart.report.figures.planes import plane_figure
from tellapart.report.figures.systems import systems_figure
from tellapart.report.html.page import READABLE, evidence
from tellapart.result import Result
from tellapart.stats.histogram import Histogram

HOSTILE = ("<script>alert(1)</script>", 'say "hi" & it\'s', "bell\x07 and\nline", "../../etc")

NINE = ["GE", "GE-CMU", "NYU", "BBN", "MDC", "NMSU", "HUGHES", "LSI", "MITRE"]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def words_of(svg: str) -> str:
    return parsed(svg).findtext("{*}desc") or ""


def each_of(svg: str, tag: str) -> list[ElementTree.Element]:
    return parsed(svg).findall(f".//{{*}}{tag}")


def compared(data: Any, *metrics: str, **options: Any) -> Comparison:
    return ta.compare(data, metrics=metrics or None, **options).record


def figures_of(result: Result) -> dict[str, str]:
    return all_figures(result.record, details_of(result.record, result.scored))


@pytest.fixture(scope="module")
def four() -> Result:
    return ta.compare(some_counts(60), test="shuffle", shuffles=499)


# All figures


def test_every_figure_is_well_formed_and_has_its_words(four: Result) -> None:
    figures = figures_of(four)
    kinds = {name.rpartition("/")[2].split("-")[0].split(".")[0] for name in figures}
    assert kinds >= {"systems", "matrix", "groups", "plane", "null"}
    for name, svg in figures.items():
        root = parsed(svg)
        ids = [each.get("id") for each in root.iter() if each.get("id")]
        assert len(set(ids)) == len(ids), name
        assert set((root.get("aria-labelledby") or "").split()) <= set(ids)
        assert root.findtext("{*}title"), name
        assert re.search(r"\d", root.findtext("{*}desc") or ""), name
        # On a phone of 375 px a figure has 343: words are then above 9 px.
        shown = min(1.0, max(343 / float(root.get("width", 0)), READABLE))
        sizes = [float(each.get("font-size", SIZE)) for each in root.iter()]
        assert min(sizes) * shown >= 9, name
        assert "nan" not in svg
        assert "inf" not in svg.replace("info", "")


def test_hostile_names_stay_text() -> None:
    rng = np.random.default_rng(0)
    values = {name: rng.integers(0, 5, (12, 3)) for name in HOSTILE}
    counts = ta.Counts.from_arrays(values, columns=["tp", "fp", "fn"])
    figures = figures_of(ta.compare(counts, metrics=["f1"]))
    for svg in figures.values():
        tags = {each.tag.rpartition("}")[2] for each in parsed(svg).iter()}
        assert tags <= {"svg", "title", "desc", "g", "path", "text", "tspan", "circle", "rect",
                        "line", "polygon", "pattern", "clipPath"}  # fmt: skip
    assert "<script>alert(1)</script> " in words_of(figures["systems-f1"])


@pytest.mark.parametrize("scale", [1.0, 100.0, 20_000.0])
def test_words_stay_inside_the_picture_and_off_each_other(scale: float) -> None:
    """Also for scores from 0 to 100, and for long names of labels and items."""
    rng = np.random.default_rng(3)
    values = {name: (scale * rng.random(40)).tolist() for name in ("one", "two", "three")}
    labels = {"a rather long label": [("news", "talks about everything")[k % 2] for k in range(40)]}
    counts = ta.Counts.from_arrays(values, labels=labels, kind="segment")
    result = ta.compare(counts, test="t", by="a rather long label")
    for name, svg in figures_of(result).items():
        width = float(parsed(svg).get("width", 0))
        boxes = [box for each in each_of(svg, "text") if (box := _box(svg, each)) is not None]
        assert boxes
        assert all(box[0] >= -1 and box[2] <= width + 1 for box in boxes), name
        # The letters of groups stand close to other things.
        wide = [box for box in boxes if box[2] - box[0] > 12]
        for a, b in combinations(wide, 2):
            apart = a[0] >= b[2] - 3 or b[0] >= a[2] - 3 or a[1] >= b[3] or b[1] >= a[3]
            assert apart, (name, a, b)


Box = tuple[float, float, float, float]


def _box(svg: str, each: ElementTree.Element) -> Box | None:
    """Estimate the place of words; None where they are turned."""
    if each.get("transform") is not None:
        return None
    anchors = {child: parent for parent in parsed(svg).iter() for child in parent}
    at = next(e for e in anchors if e.tag == each.tag and e.attrib == each.attrib)
    anchor = at.get("text-anchor")
    while anchor is None and at in anchors:
        at = anchors[at]
        anchor = at.get("text-anchor")
    width = 0.9 * text_width(each.text or "")  # estimates are rather too wide
    x, y = float(each.get("x", 0)), float(each.get("y", 0))
    left = x - {"end": width, "middle": width / 2}.get(anchor or "start", 0.0)
    return left, y - 10, left + width, y + 2


# Systems


def test_scores_are_where_the_axis_says(four: Result) -> None:
    svg = systems_figure(four.record, "f1", "x")
    circles = [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in each_of(svg, "circle")]
    order = ranking(four.record, "f1")
    scores = [system.scores["f1"] for system in order]
    slope, start = np.polyfit(scores, [x for x, _ in circles], 1)
    assert [x for x, _ in circles] == pytest.approx([slope * s + start for s in scores], abs=0.02)
    assert slope > 0
    assert [y for _, y in circles] == [systems.TOP + systems.ROW * (i + 0.5) for i in range(4)]
    for system in order:
        low, high = system.intervals["f1"]
        assert f"{system.name} {system.scores['f1']:.3f} ({low:.3f} to {high:.3f})" in words_of(svg)


# Matrix


def _cells(svg: str) -> dict[tuple[str, str], str]:
    """Return the frame of each cell: none, dotted or solid."""
    found = {}
    for look in parsed(svg).findall("{*}g"):
        for cell in look.findall("{*}g[@class='cell']"):
            frame = "none"
            if look.get("stroke") is not None:
                frame = "dotted" if look.get("stroke-dasharray") else "solid"
            found[_named(cell)] = frame
    return found


def _named(cell: ElementTree.Element) -> tuple[str, str]:
    a, _, b = (cell.findtext("{*}title") or "").partition(":")[0].partition(" minus ")
    return a, b


def test_frames_agree_with_the_verdicts() -> None:
    holm = compared(ta.example("muc4").systems[NINE], "f1", intervals=False)
    cells = _cells(matrix_figure(holm, "f1", "x"))
    assert len(cells) == 9 * 8
    for pair in holm.pairs:
        alone = pair.p is not None and pair.p <= holm.alpha
        expected = "solid" if pair.different else "dotted" if alone else "none"
        assert cells[pair.a, pair.b] == cells[pair.b, pair.a] == expected
    assert set(cells.values()) == {"none", "dotted", "solid"}
    said = ("row better", "row worse", "adjusted p at most 0.05", "only before")
    keys = [each.get("y") for each in parsed(matrix_figure(holm, "f1", "x")).iter()
            if (each.text or "").startswith(said)]  # fmt: skip
    assert len({*keys}) == 4  # a line each, since some are long
    bare = compared(ta.example("muc4").systems[NINE], "f1", intervals=False, correction="none")
    assert "dotted" not in _cells(matrix_figure(bare, "f1", "x")).values()


def shades(*shares: float, n: int = 400, scale: float = 1.0) -> tuple[str, list[float]]:
    """Return the matrix of systems that lose those shares of the items, and its shades."""
    lost = np.arange(n) < np.array([0.0, *shares])[:, None] * n
    record = compared(dict(zip("ABC", np.where(lost, 0.0, scale), strict=True)), intervals=False)
    svg = matrix_figure(record, "mean", "x")
    return svg, [float(s) for s in re.findall(r'class="cell".*?fill-opacity="([\d.]+)"', svg)]


@pytest.mark.parametrize(("scale", "said"), [(1.0, "0.400"), (100.0, "40.000")])
def test_a_shade_is_the_size_of_the_difference_and_the_picture_says_its_scale(
    scale: float, said: str
) -> None:
    """The largest difference is the deepest, whether scores go to 1 or to 100."""
    svg, found = shades(0.1, 0.4, scale=scale)
    expected = [round(STRONGEST * share, 2) for share in (0.25, 0.25, 0.75, 0.75, 1.0, 1.0)]
    assert sorted(found) == pytest.approx(expected)
    assert f"the deepest shade is {said}" in svg


# The null distribution


@pytest.mark.parametrize(("flipped", "how"), [(True, "signs flipped"), (False, "names exchanged")])
def test_the_measured_difference_is_where_the_scale_says(flipped: bool, how: str) -> None:
    record = ta.compare(some_items(), test="shuffle", shuffles=99).record
    pair = replace(record.pairs[0], difference=0.4, p=0.1)
    null = Histogram(-0.5, 0.2, (10, 40, 50, 40, 10), (10, 0, 0, 0, 10), flipped=flipped)
    svg, scale = null_figure(record, pair, PairDetails(0, null), "x"), null_scale(pair, null)
    (measured,) = each_of(svg, "line")
    assert float(measured.get("x1", 0)) == pytest.approx(scale(0.4), abs=0.01)
    assert scale(0) == pytest.approx(WIDTH / 2)
    assert "measured +0.400" in svg
    assert f"A minus B, {how} by chance" in svg
    assert null_figure(record, pair, PairDetails(0, None), "x") == ""


def test_a_p_that_few_items_bound_is_told_as_such() -> None:
    """Signs of ties flip, too, where systems have other denominators: p allows for four items."""
    alike, worse = [[4, 0, 0]] * 8, [[3, 1, 0]] * 3 + [[3, 3, 0]]
    data = {"A": [[4, 0, 0]] * 12, "B": worse + alike}
    result = ta.compare(ta.Counts.from_arrays(data, ["tp", "fp", "fn"]), metrics="f1")
    svg = figures_of(result)["pairs/null-f1-A-B"]
    assert result.pairs[0].p == 0.125
    assert "p = .1250, the least that 4 differing items allow." in words_of(svg)


# Files


@pytest.fixture
def table(write: Write) -> str:
    rows = "".join(f"i{k},{k % 3},{k % 2},{'xy'[k % 2]}\n" for k in range(24))
    return write("scores.csv", f"item,one,two,kind\n{rows}")


def test_compare_writes_every_figure_as_svg_and_pdf(
    table: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Both have the same names; what is missing is told before any work."""
    pytest.importorskip("cairosvg", reason="CairoSVG is not installed", exc_type=ImportError)
    assert main(["compare", table, "--pdf", "made", "--svg", "drawn"]) == 0
    drawn = {
        str(path.relative_to("drawn").with_suffix("")) for path in Path("drawn").rglob("*.svg")
    }
    assert drawn == {"systems-mean", "pairs/null-mean-one-two"}
    made = {str(path.relative_to("made").with_suffix("")) for path in Path("made").rglob("*.pdf")}
    assert made == drawn
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    capsys.readouterr()
    assert main(["compare", "not-there.csv", "--pdf", "other"]) == 2
    assert "pip install 'tellapart[figures]'" in capsys.readouterr().err


# Systems in the plane of two scores


def planes_of(counts: Counts, *metrics: str, **options: Any) -> tuple[Plane, ...]:
    result = ta.compare(counts, metrics=metrics or None, **options)
    return planes(result.record, result.scored)


@pytest.fixture
def templates(tmp_path: Path) -> Counts:
    key = [
        attack(hum_tgt_desc='"A"', inc_loc="PERU"),
        attack(number="2", hum_tgt_desc='"X"'),
        attack("M2", inc_loc="CHILE"),
    ]
    response = [
        attack(hum_tgt_desc='"A"', inc_loc="PERU"),
        attack("M2", inc_loc="CHILE"),
        attack("M2", number="2", inc_loc="PERU"),
    ]
    runs = {"half": score(tmp_path, key, response), "whole": score(tmp_path, key, key)}
    return run_counts(runs)


def test_the_region_lies_between_all_templates_and_those_that_are_matched(
    templates: Counts,
) -> None:
    """Two of three templates are found, without fault, and one is made up: in record and page."""
    result = ta.compare(templates, intervals=False)
    by_precision, *_, regions = planes_of(templates)
    half, whole = by_precision.points
    assert half.region == ((half.x, 1.0), (half.y, 1.0))
    assert max(half.x, half.y) < 1
    assert whole.region == ((1.0, 1.0), (1.0, 1.0)) == by_precision.region
    assert result.systems[0].region["recall"] == half.region[0]
    assert result.systems[1].region["overgeneration"] == (0.0, 0.0)
    assert Comparison.from_json(result.to_json()).systems == result.systems
    (words,) = (e for e in each_of(plane_figure(by_precision, "p"), "text") if "region" in e.text)
    assert float(words.get("x", "")) + text_width(words.text) <= WIDTH - 44  # within the frame
    svg = plane_figure(regions, "regions")
    assert svg.count('class="region"') == 2
    assert f"half: recall {half.x:.3f} to 1.000, precision {half.y:.3f} to 1.000" in svg
    page = result.to_html()
    assert f'<td class="number">{half.x:.3f}</td><td class="number">1.000</td>' in page


@pytest.mark.parametrize("margin", [None, 0.3])
def test_what_chance_makes_of_equal_scores_is_no_picture_of_a_margin(margin: float | None) -> None:
    result = ta.compare([1, 1, 1, 0, 1] * 6, [0, 1, 0, 0, 1] * 6, margin=margin)
    details = details_of(result.record, result.scored)
    null = details.pairs[0].null
    assert null is not None
    words = null_words(result.record, result.pairs[0], null)
    assert words.startswith("Whether they differ at all: of" if margin else "Of ")
    assert bool(evidence(result.record, "mean", details, "x")) == (margin is None)
