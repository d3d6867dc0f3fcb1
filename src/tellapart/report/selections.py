"""The table of systems on selections (`compare --by selection`), as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from tellapart.comparison.selections import SelectionComparison
from tellapart.report.numbers import p_text
from tellapart.significance.options import Options


def selections_json(found: Sequence[SelectionComparison], row: str, options: Options) -> str:
    """Return the comparisons of all selections as JSON; `row` says which templates count."""
    record = {
        "by": "selection",
        "row": row,
        "alpha": options.alpha,
        "correction": options.correction,
        "seed": options.seed,
        "selections": [asdict(each) for each in found],
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def render_selections(found: Sequence[SelectionComparison], row: str, correction: str) -> str:
    """Return recall, precision and product per selection side by side, with the tests."""
    table: dict[str, dict[str, SelectionComparison]] = {}
    for each in found:
        table.setdefault(each.system, {})[each.selection] = each
    names = list(dict.fromkeys(each.selection for each in found))
    width = max(6, *(len(system) for system in table))
    lines = ["Recall, precision and their product on each selection, and p that the product is"]
    lines += [f"the same on all other slots ({row}, correction: {correction})", ""]
    lines.append(" " * width + "".join(f"  {name[:30]:^30}" for name in names))
    lines.append("system".ljust(width) + "    recall   prec.    R x P       p" * len(names))
    lines += [_line(system, width, table[system], names) for system in table]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _line(
    system: str, width: int, row: Mapping[str, SelectionComparison], names: Sequence[str]
) -> str:
    cells = [
        f"  {100 * f.recall:8.1f}{100 * f.precision:8.1f}{1e4 * f.product:9.0f}"
        f"{p_text(row[name].p_adjusted['product']):>8}"
        for name in names
        for f in [row[name].figures]
    ]
    return system.ljust(width) + "".join(cells)
