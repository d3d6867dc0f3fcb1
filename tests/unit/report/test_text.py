"""Text that fits a terminal: names, cuts, letters of two columns and of none."""

from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from tellapart.report.text import columns, filled, short_names


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
