"""What the page's script works on keeps within its budget."""

from __future__ import annotations

import numpy as np

from tellapart.comparison.details import UnitTexts
from tellapart.report.html.store import LEFT_OUT, fitting_units, pack


def units(count: int, length: int) -> list[UnitTexts]:
    """Make units with texts that hardly pack."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0x4E00, 0x9F00, (count, length)).tolist()
    return [UnitTexts(f"u{k}", input="".join(map(chr, row))) for k, row in enumerate(codes)]


def test_texts_are_cut_to_the_longest_that_fits() -> None:
    made = units(20, 2_000)
    whole = len(pack(fitting_units(made, range(20))))

    found = fitting_units(made, range(20), budget=whole - 1)

    assert len(pack(found)) < whole
    assert all("… (1,000 more characters)" in unit[1] for unit in found)


def test_the_foremost_units_keep_their_texts_where_not_all_fit() -> None:
    made = units(200, 300)
    foremost = list(range(199, -1, -1))

    found = fitting_units(made, foremost, budget=40_000)

    assert len(pack(found)) <= 40_000
    kept = [unit[1] != LEFT_OUT for unit in found]
    assert kept == sorted(kept)
    assert 10 < sum(kept) < 190


def test_a_budget_too_small_for_any_text_keeps_the_names() -> None:
    found = fitting_units(units(50, 300), range(50), budget=10)

    assert [unit[0] for unit in found] == [f"u{k}" for k in range(50)]
    assert all(unit[1] == LEFT_OUT for unit in found)
