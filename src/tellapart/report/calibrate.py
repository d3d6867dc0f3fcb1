"""A calibration as text: the findings, and one table of how often each test rejects."""

from __future__ import annotations

from tellapart.comparison.calibrate import (
    CONSERVATIVE,
    KEEPS,
    TOO_OFTEN,
    UNCLEAR,
    Calibration,
    Rejections,
)
from tellapart.report.table import Column, Table, terminal
from tellapart.report.text import INDENT, WIDTH, filled, readable
from tellapart.words import plural, several

_VERDICTS = {
    KEEPS: "keeps its level",
    TOO_OFTEN: "rejects too often",
    CONSERVATIVE: "conservative",
    UNCLEAR: "unclear: try more --pairs",
}


def render(found: Calibration, width: int = WIDTH) -> str:
    """Return all that was found as text."""
    width = readable(width)
    lines = ["Can the test be trusted on these data?"]
    lines += [filled(sentence(row), "", width) for row in found.rejections]
    lines += ["", *terminal(_table(found), width)]
    return "\n".join([*lines, "", filled(_method(found), INDENT, width)]) + "\n"


def sentence(row: Rejections) -> str:
    """Return whether a test keeps its level, in words.

    >>> sentence(Rejections("f1", "auto", "message", 1000, 53, 0.05))
    'auto, by message, keeps its level: it calls 5.3 % of 1,000 pairs different at 0.05.'
    """
    finding = {CONSERVATIVE: "is conservative", UNCLEAR: "may or may not keep its level"}
    verdict = finding.get(row.verdict, _VERDICTS[row.verdict])
    return (
        f"{row.test}, by {row.exchanged}, {verdict}: it calls {100 * row.rate:.1f} % of "
        f"{several(row.pairs, 'pair')} different at {row.alpha:g}."
    )


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
        f"Pairs without a difference: outputs of {systems} exchanged at random, {row} by {row}; "
        f"two-sided; {found.shuffles:,} shuffles or resamples where p is not counted; seed "
        f"{found.seed}. ± is one standard error."
    )
