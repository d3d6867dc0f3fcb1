"""A calibration as text: the findings, and one table of how often each test rejects."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.planning.calibrate import (
    CONSERVATIVE,
    KEEPS,
    TOO_OFTEN,
    UNCLEAR,
    Calibration,
    Dependence,
    Rejections,
)
from tellapart.report.numbers import p_text
from tellapart.report.terminal_text import warning_lines, wrapped
from tellapart.words import plural, several, typed

_VERDICTS = {
    KEEPS: "keeps its level",
    TOO_OFTEN: "rejects too often",
    CONSERVATIVE: "conservative",
    UNCLEAR: "unclear: try more --pairs",
}


def render(found: Calibration) -> str:
    """Return all that was found as text, 80 columns wide."""
    lines = ["Can the test be trusted on these data?"]
    lines += [wrapped(sentence(row)) for row in found.rejections]
    lines += [wrapped(_dependence_sentence(each)) for each in found.dependence]
    lines += ["", *_table(found)]
    if found.warnings:
        lines += ["", *warning_lines(notice.text for notice in found.warnings)]
    return "\n".join([*lines, "", wrapped(_method(found), "  ")]) + "\n"


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


def _dependence_sentence(found: Dependence) -> str:
    groups = f"Items of the same {found.label}"
    if found.label is None:
        groups = f"Neighbours in the file ({found.size} at a time)"
    p = p_text(found.p)
    if not found.suspected:
        return f"{groups} do not seem to depend on each other in {found.metric} (p = {p})."
    remedy = "name the groups in a column, and use --cluster with it"
    if found.label is not None:
        remedy = f"use --cluster {typed(found.label)}"
    return f"{groups} depend on each other in {found.metric} (p = {p}): {remedy}."


def _table(found: Calibration) -> Iterator[str]:
    header = ("metric", "test", "exchanged", f"% rejected at {found.alpha:g}")
    rows = [
        (row.metric, row.test, plural(row.exchanged), _percent(row)) for row in found.rejections
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    yield "  " + "  ".join(map(str.ljust, header, widths)).rstrip()
    for cells, row in zip(rows, found.rejections, strict=True):
        yield "  " + "  ".join([*map(str.ljust, cells, widths), _VERDICTS[row.verdict]])


def _percent(row: Rejections) -> str:
    return f"{100 * row.rate:.1f} ± {100 * row.standard_error:.1f}"


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
