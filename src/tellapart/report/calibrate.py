"""A calibration as text: how often each test rejects, and whether that is its level."""

from __future__ import annotations

from tellapart.comparison.calibrate import (
    CONSERVATIVE,
    KEEPS,
    TOO_OFTEN,
    UNCLEAR,
    Calibration,
    Rejections,
)
from tellapart.report.notices import clustered_words
from tellapart.report.table import Column, Table, terminal
from tellapart.report.text import INDENT, WIDTH, filled, joined, warnings_text
from tellapart.words import plural, several

_VERDICTS = {
    KEEPS: "keeps its level",
    TOO_OFTEN: "rejects too often",
    CONSERVATIVE: "conservative",
    UNCLEAR: "unclear: try more --pairs",
}


def render(found: Calibration, width: int = WIDTH) -> str:
    """Return all that was found as text."""
    warnings = (clustered_words(found.kind, notice) for notice in found.notices)
    parts = ["Can the test be trusted on these data?", terminal(_table(found), width)]
    return joined([*parts, warnings_text(warnings, width), filled(_method(found), INDENT, width)])


def _table(found: Calibration) -> Table:
    def percent(row: Rejections) -> str:
        return f"{100 * row.rate:.1f} ± {100 * row.standard_error:.1f}"

    columns = [
        Column("metric", "text", lambda row: row.metric),
        Column("test", "text", lambda row: row.test),
        Column("exchanged", "text", lambda row: plural(row.exchanged)),
        Column(f"% rejected at {found.alpha:g}", "text", percent),
        Column("", "text", lambda row: _VERDICTS[row.verdict]),
    ]
    return Table.of(found.rejections, columns)


def _method(found: Calibration) -> str:
    systems = " and ".join(found.systems)
    if len(found.systems) > 2:
        systems = f"two of {several(len(found.systems), 'system')}"
    row = found.cluster or found.kind
    return (
        f"{several(found.rejections[0].pairs, 'pair')} without a difference: outputs of {systems} "
        f"exchanged at random, {row} by {row}; two-sided; at most {found.shuffles:,} shuffles or "
        f"resamples; seed {found.seed}. ± is one standard error."
    )
