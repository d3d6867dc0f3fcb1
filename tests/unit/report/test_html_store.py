"""What the page's script works on keeps within its budget."""

from __future__ import annotations

import numpy as np

from tellapart.comparison.items import ShownItem
from tellapart.report.html.store import LEFT_OUT, fitting_items, pack


def items(count: int, length: int) -> list[ShownItem]:
    """Make items with texts that hardly pack."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0x4E00, 0x9F00, (count, length)).tolist()
    return [ShownItem(f"u{k}", input="".join(map(chr, row))) for k, row in enumerate(codes)]


def test_texts_are_cut_to_the_longest_that_fits() -> None:
    made = items(20, 2_000)
    whole = len(pack(fitting_items(made, range(20))))

    found = fitting_items(made, range(20), budget=whole - 1)

    assert len(pack(found)) < whole
    assert all("… (1,000 more characters)" in item[1] for item in found)


def test_the_foremost_items_keep_their_texts_where_not_all_fit() -> None:
    made = items(200, 300)
    foremost = list(range(199, -1, -1))

    found = fitting_items(made, foremost, budget=40_000)

    assert len(pack(found)) <= 40_000
    kept = [item[1] != LEFT_OUT for item in found]
    assert kept == sorted(kept)
    assert 10 < sum(kept) < 190
