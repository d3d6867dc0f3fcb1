"""A result in a notebook: what it shows, its frames, its figures as files, and the example."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tellapart as ta
from tellapart import result as result_module
from tellapart.report.document import finding
from tellapart.result import Result

BAD = "<b>&"
TOOLS = Path(__file__).parents[3] / "tools"


@pytest.fixture(scope="module")
def result() -> Result:
    counts = ta.example("muc4").systems["GE", "UMASS", "NYU"]
    return ta.compare(counts, metrics=["f1", "recall"], test="shuffle", shuffles=99)


def words(cell: dict[str, Any]) -> list[str]:
    """Return what a cell shows in plain text."""
    return [
        "".join(each.get("text") or each["data"]["text/plain"]) for each in cell.get("outputs", ())
    ]


def test_the_example_shows_what_is_stored_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python tools/run_notebook.py` stores it anew."""
    monkeypatch.syspath_prepend(str(TOOLS))
    from run_notebook import NOTEBOOK, executed

    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    found = executed(stored)
    assert list(map(words, found["cells"])) == list(map(words, stored["cells"]))


def test_a_notebook_shows_answer_picture_and_pairs_without_script() -> None:
    scores = {f"{BAD} {k}": [(k * i) % 5 / 4 for i in range(12)] for k in range(1, 4)}
    result = ta.compare(scores, test="t")
    shown = result._repr_html_()
    ElementTree.fromstring(shown)  # well formed, so that nothing is left open in the page
    _, answer, *_ = finding(result.record, "mean")
    assert f"<strong>{escape(answer)}</strong>" in shown
    assert "<svg" in shown
    assert len(re.findall("<tr>", shown)) == 1 + 3
    assert "script" not in shown
    assert "<b>" not in shown
    assert "&lt;b&gt;&amp; 1" in shown


@pytest.mark.parametrize("library", [None, "pandas", "polars", "pyarrow"])
def test_frames_have_the_numbers_of_the_record(result: Result, library: str | None) -> None:
    pytest.importorskip(library or "pandas")
    systems, pairs = result.to_frame(library), result.pairs_frame(library)
    assert type(pairs).__module__.split(".")[0] == (library or "pandas")
    assert len(systems) == 3 * 2
    assert len(pairs) == len(result.pairs)
    column = pairs["p_adjusted"]
    found = column.to_pylist() if library == "pyarrow" else list(column)
    assert found == [pair.p_adjusted for pair in result.pairs]


def test_what_is_missing_for_a_frame_is_said(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ta.UsageError, match="frames are of pandas, polars, pyarrow, not 'excel'"):
        result.to_frame("excel")
    monkeypatch.setattr(result_module, "find_spec", lambda _: None)
    for library in ("polars", "pandas"):
        with pytest.raises(ta.UsageError, match=f"pip install {library}"):
            result.pairs_frame(library)


def test_a_figure_is_saved_as_its_name_ends(result: Result, tmp_path: Path) -> None:
    """A PDF has its fonts with it, as publishers demand."""
    pytest.importorskip("cairosvg", reason="CairoSVG is not installed", exc_type=ImportError)
    picture = result.figure("systems", "recall")
    for kind, start in {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}.items():
        picture.save(tmp_path / f"systems.{kind}")
        assert (tmp_path / f"systems.{kind}").read_bytes().startswith(start)
    assert b"/FontFile" in (tmp_path / "systems.pdf").read_bytes()
    assert (tmp_path / "systems.svg").read_text() == picture.svg == picture._repr_svg_()
    with pytest.raises(ta.UsageError, match=r"saved as \.svg, \.pdf or \.png"):
        picture.save(tmp_path / "systems.gif")
    with pytest.raises(ta.UsageError, match="there is no figure 'system'"):
        result.figure("system")
