"""What the page's script works on keeps within its budget."""

from __future__ import annotations

import numpy as np
import pytest

from tellapart.comparison.items import ShownItem
from tellapart.report.html.store import fitting_items, pack


@pytest.mark.parametrize(("budget", "left"), [(70_000, 1_000), (20_000, 1_750), (1_000, 2_000)])
def test_texts_are_cut_to_the_longest_that_fits(budget: int, left: int) -> None:
    """Texts of signs drawn at random, which hardly pack."""
    codes = np.random.default_rng(3).integers(0x4E00, 0x9F00, (20, 2_000)).tolist()
    made = [ShownItem(f"u{k}", input="".join(map(chr, row))) for k, row in enumerate(codes)]

    found = fitting_items(made, budget=budget)

    assert len(pack(found)) <= budget
    assert all(f"… ({left:,} more characters)" in item[1] for item in found)
