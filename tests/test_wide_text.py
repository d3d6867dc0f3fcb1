"""Letters of two columns, letters of none, and huge numbers fit a terminal."""

from __future__ import annotations

import textwrap

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.counts import Counts
from tellapart.report.terminal import render
from tellapart.report.terminal_text import columns, filled


def test_wide_letters_and_huge_scores_fit_eighty_columns() -> None:
    rng = np.random.default_rng(1)
    names = [f"{'機械翻訳システムの第' * 3}{k}号" for k in range(3)]
    scores = {name: (rng.random(30) * 3e9 + 1e8 * k).round() for k, name in enumerate(names)}
    items = [f"項目{k}" for k in range(30)]
    text = render(ta.compare(Counts.from_arrays(scores, items=items, kind="項目の種類")))
    assert max(map(columns, text.splitlines())) <= 80
    assert names[0] in text.replace("\n", "").replace(" ", "")


@given(st.text(st.sampled_from("ab 日本e\u0301 -"), max_size=200), st.sampled_from(["", "  ! "]))
@settings(max_examples=60)
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
