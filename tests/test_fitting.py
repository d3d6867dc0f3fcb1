"""Text that fits: names, cuts and axes of the terminal report."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.report.terminal import Axis
from tellapart.report.terminal_text import columns, cut, short_names


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-1000, 1000), st.floats(0.001, 2000), st.integers(12, 41)
)  # fmt: skip
def test_ticks_are_round_and_fit(start: float, size: float, width: int) -> None:
    scale = Axis(start, start + size, width)
    ticks = scale.ticks()
    assert len(ticks) == width
    values = [float(tick) for tick in ticks.split()]
    assert values == sorted(values)
    assert all(start - 1e-6 <= value <= start + size + 1e-6 for value in values)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=2, max_size=6, unique=True), st.integers(6, 20))
def test_short_names_are_short_and_all_different(names: list[str], width: int) -> None:
    found = short_names(names, width)
    assert list(found) == names
    assert all(columns(short) <= width for short in found.values())
    assert len(set(found.values())) == len(names)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.integers(1, 20))
def test_cut_text_is_never_wider_than_asked(text: str, width: int) -> None:
    assert columns(cut(text, width)) <= width
