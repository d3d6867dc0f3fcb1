"""Figures: well-formed, with their numbers in words, and drawn where the scale says."""

from __future__ import annotations

import builtins
import re
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tellapart as ta
from small_counts import some_counts
from svg_reading import each_of, parsed, words_of
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.answers import ranking
from tellapart.comparison.details import Details, details_of
from tellapart.comparison.record import Comparison
from tellapart.report.figures import systems
from tellapart.report.figures.collection import all_figures
from tellapart.report.figures.layout import (
    SIZE,
    text_width,
)
from tellapart.report.figures.matrices import matrix_figure
from tellapart.report.figures.systems import systems_figure
from tellapart.report.html.page import READABLE
from tellapart.result import Result

HOSTILE = ("<script>alert(1)</script>", 'say "hi" & it\'s', "bell\x07 and\nline", "../../etc")

NINE = ["GE", "GE-CMU", "NYU", "BBN", "MDC", "NMSU", "HUGHES", "LSI", "MITRE"]


def compared(data: Any, *metrics: str, **options: Any) -> Comparison:
    return ta.compare(data, metrics=metrics or None, **options).record


def figures_of(result: Result) -> dict[str, str]:
    return all_figures(result.record, details_of(result.record, result.scored))


@pytest.fixture(scope="module")
def four_result() -> Result:
    return ta.compare(some_counts(60), test="shuffle", shuffles=499)


@pytest.fixture(scope="module")
def four(four_result: Result) -> Comparison:
    return four_result.record


@pytest.fixture(scope="module")
def four_details(four_result: Result) -> Details:
    return details_of(four_result.record, four_result.scored)


@pytest.fixture(scope="module")
def muc() -> Comparison:
    return compared(ta.example("muc4"), "f1", alpha=0.1, correction="none", intervals=False)


# All figures


def test_every_figure_is_well_formed_and_has_its_words(
    four: Comparison, four_details: Details
) -> None:
    figures = all_figures(four, four_details)
    kinds = {name.rpartition("/")[2].split("-")[0].split(".")[0] for name in figures}
    assert kinds >= {"systems", "matrix", "groups", "plane", "null", "ladder"}
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


def test_the_same_comparison_gives_the_same_bytes(four: Comparison, four_details: Details) -> None:
    again = ta.compare(some_counts(60), test="shuffle", shuffles=499)
    assert figures_of(again) == all_figures(four, four_details)


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


def test_scores_are_where_the_axis_says(four: Comparison) -> None:
    svg = systems_figure(four, "f1", "x")
    circles = [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in each_of(svg, "circle")]
    order = ranking(four, "f1")
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


def test_frames_agree_with_the_verdicts(muc: Comparison) -> None:
    holm = compared(ta.example("muc4").systems[NINE], "f1", intervals=False)
    cells = _cells(matrix_figure(holm, "f1", "x"))
    assert len(cells) == 9 * 8
    for pair in holm.pairs:
        alone = pair.p is not None and pair.p <= holm.alpha
        expected = "solid" if pair.different else "dotted" if alone else "none"
        assert cells[pair.a, pair.b] == cells[pair.b, pair.a] == expected
    assert set(cells.values()) == {"none", "dotted", "solid"}
    assert "dotted" not in _cells(matrix_figure(muc, "f1", "x")).values()  # nothing is adjusted


# Files


def test_compare_writes_every_figure(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"i{k},{k % 3},{k % 2},{'xy'[k % 2]}\n" for k in range(24))
    table = write("scores.csv", f"item,one,two,kind\n{rows}")
    assert main(["compare", table, "--svg", "figures"]) == 0
    assert {path.name for path in Path("figures").glob("*.svg")} == {"systems-mean.svg"}
    pairs = sorted(path.name for path in Path("figures/pairs").iterdir())
    assert pairs == ["ladder-mean-one-two.svg", "null-mean-one-two.svg"]
    assert "one" in capsys.readouterr().out


def test_compare_writes_pdf(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """The same figures as SVG, under the same names."""
    pytest.importorskip("cairosvg", reason="CairoSVG is not installed", exc_type=ImportError)
    table = write("scores.csv", "item,one,two\ni1,1,0\ni2,0,0\ni3,1,1\ni4,1,0\n")
    assert main(["compare", table, "--pdf", "made", "--svg", "drawn"]) == 0
    assert "one" in capsys.readouterr().out
    made = {str(path.relative_to("made").with_suffix("")): path for path in files_in("made")}
    drawn = {str(path.relative_to("drawn").with_suffix("")) for path in files_in("drawn")}
    assert made.keys() == drawn
    assert "systems-mean" in made
    for path in made.values():
        assert path.suffix == ".pdf"
        assert path.read_bytes().startswith(b"%PDF")


def files_in(folder: str) -> list[Path]:
    return [path for path in Path(folder).rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("missing", "remedy"),
    [
        (ImportError("no cairosvg"), "pip install 'tellapart[figures]'"),
        (OSError("no library called cairo"), "apt install libcairo2"),
    ],
)
def test_what_pdf_needs_is_told_before_any_work(
    missing: Exception,
    remedy: str,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not even a file that is not there is looked for."""
    real = builtins.__import__

    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "cairosvg":
            raise missing
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    table = write("scores.csv", "item,one,two\ni1,1,0\ni2,0,0\ni3,1,1\n")
    for source in (table, "not-there.csv"):
        assert main(["compare", source, "--pdf", "made", "--json", "made.json"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert remedy in err
    assert not Path("made").exists()
    assert not Path("made.json").exists()


def test_a_file_in_the_way_is_refused_before_any_work(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write("scores.csv", "item,one,two\ni1,1,0\ni2,0,0\ni3,1,1\n")
    assert main(["compare", table, "--svg", table]) == 2
    assert "scores.csv is no folder" in capsys.readouterr().err
    assert main(["compare", table, "--svg", f"{table}/inside"]) == 2
    assert "scores.csv is no folder" in capsys.readouterr().err
