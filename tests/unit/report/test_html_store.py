"""What the page's script works on: within its budget, and with every pair."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

import tellapart as ta
from tellapart.comparison.details import details_of
from tellapart.comparison.items import ShownItem
from tellapart.report.html.page import render_html
from tellapart.report.html.store import fitting_items, pack


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
