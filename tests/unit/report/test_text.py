"""Numbers, names and lines as text: no digits that are not known, nothing too wide."""

from __future__ import annotations

import base64
import json
import re
import textwrap
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from tellapart.comparison.details import details_of
from tellapart.comparison.items import ShownItem
from tellapart.report.html.page import render_html
from tellapart.report.html.store import fitting_items, pack
from tellapart.report.text import (
    columns,
    filled,
    p_text,
    pair_adjusted,
    pair_p,
    plain,
    short_names,
    signed,
)
from unit.report.comparing import compared


@given(st.lists(st.text(max_size=30), min_size=2, max_size=6, unique=True), st.integers(6, 20))
def test_short_names_are_short_and_all_different(names: list[str], width: int) -> None:
    found = short_names(names, width)
    assert list(found) == names
    assert all(columns(short) <= width for short in found.values())
    assert len(set(found.values())) == len(names)


@given(st.text(st.sampled_from("ab 日本e\u0301 -"), max_size=200), st.sampled_from(["", "  ! "]))
def test_filled_lines_fit_and_lose_nothing(text: str, mark: str) -> None:
    lines = filled(text, mark, width=20).splitlines()
    assert all(columns(line) <= 20 for line in lines)
    assert "".join("".join(lines).split()) == "".join(
        (mark if lines else "").split() + text.split()
    )
    if text.isascii() and text.strip():
        assert lines == textwrap.wrap(
            text.strip(), 20, initial_indent=mark, subsequent_indent=" " * len(mark),
            break_on_hyphens=False,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("p", "level", "text"),
    [
        (0.05004, 0.05, ".05004"), (0.049996, 0.05, ".049996"), (0.05, 0.05, ".0500"),
        (0.1000000001, 0.1, ".1000000001"), (0.0284, 0.05, ".0284"), (1.0, None, "1"),
        (1.8e-15, None, "1.8e-15"), (0.0, None, "below 1e-300"), (None, 0.05, "-"),
    ],
)  # fmt: skip
def test_p_shows_its_side_of_the_level_and_is_never_zero(
    p: float | None, level: float | None, text: str
) -> None:
    assert p_text(p, level) == text


@pytest.mark.parametrize(
    ("p", "adjusted", "shuffles", "error", "texts"),
    [
        (0.62817, 0.62817, 9_999, 0.0, (".628", ".628")),  # as far as shuffles tell
        (0.62817, 0.62817, None, 0.0, (".6282", ".6282")),
        (0.915409, 0.915409, None, 0.00138, (".915", ".915")),  # as far as its bound tells
        (2e-9, 6e-9, None, 1.5e-9, ("≤2e-09", "≤6e-09")),
    ],
)
def test_p_has_the_digits_that_are_sure(
    p: float, adjusted: float, shuffles: int | None, error: float, texts: tuple[str, str]
) -> None:
    pair = compared({"A": [1, 1, 0, 1] * 9, "B": [0, 1, 1, 0] * 9}).pairs[0]
    pair = replace(pair, p=p, p_adjusted=adjusted, error=error, shuffles=shuffles)
    assert (pair_p(pair, 0.05), pair_adjusted(pair, 0.05)) == texts


@pytest.mark.parametrize("value", [0.2083, -0.00042, 3.14e-9, 1234567.8, 1.5e12, 0.0])
def test_no_score_looks_like_nothing_unless_it_is(value: float) -> None:
    for text in (plain(value), signed(value)):
        assert float(text) == pytest.approx(value, rel=0.1)
        assert (text == "0.000") == (value == 0)


@pytest.mark.parametrize(("budget", "left"), [(70_000, 1_000), (20_000, 1_750), (1_000, 2_000)])
def test_texts_are_cut_to_the_longest_that_fits(budget: int, left: int) -> None:
    """Texts of signs drawn at random, which hardly pack."""
    codes = np.random.default_rng(3).integers(0x4E00, 0x9F00, (20, 2_000)).tolist()
    made = [ShownItem(f"u{k}", input="".join(map(chr, row))) for k, row in enumerate(codes)]
    found = fitting_items(made, budget=budget)
    assert len(pack(found)) <= budget
    assert all(f"… ({left:,} more characters)" in item[1] for item in found)


def test_a_pair_without_details_has_its_numbers_and_says_how_to_see_more() -> None:
    names = ("A b", "B", "C")
    result = ta.compare({name: [k % (n + 2) for k in range(30)] for n, name in enumerate(names)})
    details = details_of(result.record, result.scored)
    page = render_html(result.record, replace(details, pairs=details.pairs[1:]))

    packed = re.search(r'id="store">"([^"]+)"', page)
    assert packed is not None
    first, *others = json.loads(zlib.decompress(base64.b64decode(packed[1])))["pairs"]

    assert "--pair B &#39;A b&#39;" in first["html"]
    assert "items" not in first
    assert all("--pair" not in pair["html"] and pair["items"] for pair in others)
