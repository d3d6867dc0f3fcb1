"""Why two systems differ, in words and as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from tellapart.comparison.explain import Reasons
from tellapart.comparison.record import Slice
from tellapart.errors import UsageError
from tellapart.report.table import Cell, Column, Table, starred, terminal
from tellapart.report.text import WIDTH, cut, filled, joined, p_text, signed
from tellapart.words import clean, json_text, listed, plural, several

_ROOM_OF_NUMBERS = 50


def render_reasons(found: Reasons, form: str = "text", width: int = WIDTH) -> str:
    """Return why two systems differ: sentences, then a table; or one JSON object (`jsonl`)."""
    if form == "jsonl":
        return json_text(asdict(found), indent=None)
    if form != "text":
        raise UsageError(f"--why has no --format {form}: there are text and jsonl")
    head = (
        f"Why {clean(found.a)} and {clean(found.b)} differ by {clean(found.metric)}: "
        f"{signed(found.difference)} on {several(found.items, found.kind)}"
    )
    said = [filled(clean(sentence), "- ", width) for sentence in sentences(found)]
    table = terminal(_table(found, width), width) if found.groupings else ""
    return joined(["\n".join([filled(head, width=width), *said]), table])


def sentences(found: Reasons) -> Iterator[str]:
    """Yield what can be said for sure: what explains the difference."""
    yield explained_sentence(found)
    if found.groupings and not any(p.different for own in found.groupings for p in own.buckets):
        yield "No single group stands out: in none is a difference shown after correction."
    if found.left_out:
        yield f"Not looked at, for too many values: {listed(found.left_out, 8)}."


def explained_sentence(found: Reasons) -> str:
    """Return which groupings the difference depends on, after correction for all of them."""
    tested = found.groupings
    if not tested:
        return f"There is no label by which {plural(found.kind)} could be grouped."
    ps = [p_text(grouping.p_adjusted, found.alpha) for grouping in tested]
    both, number, least = zip(tested, ps, strict=True), several(len(tested), "grouping"), ps[0]
    if explaining := [f"{own.by} (corrected p = {p})" for own, p in both if own.explains]:
        return f"The difference depends on {listed(explaining)}; {number} looked at."
    nothing = "Nothing shows that the difference depends on"
    if len(tested) == 1:
        return f"{nothing} {tested[0].by} (p = {least})."
    return f"{nothing} any of the {number} looked at (smallest corrected p = {least})."


def _table(found: Reasons, width: int) -> Table:
    """Return all groups, below the groupings that they belong to."""
    groupings = {grouping.by: grouping for grouping in found.groupings}

    def heading(bucket: Slice) -> str:
        grouping = groupings[bucket.by]
        p, corrected = (p_text(p, found.alpha) for p in (grouping.p, grouping.p_adjusted))
        mark = " *" if grouping.explains else ""
        return f"By {bucket.by} (whether it matters: p = {p}, corrected {corrected}{mark})"

    def corrected(bucket: Slice) -> Cell:
        return starred(p_text(bucket.p_adjusted, found.alpha), bucket.different)

    def part(bucket: Slice) -> str:
        return signed(groupings[bucket.by].contributions[bucket.value])

    columns = [
        Column("", "text", lambda bucket: cut(clean(bucket.value), width - _ROOM_OF_NUMBERS)),
        Column(plural(found.kind), write=lambda bucket: str(bucket.items)),
        Column("difference", "difference", lambda bucket: signed(bucket.difference)),
        Column("part of it", "difference", part),
        Column("p", "p", lambda bucket: p_text(bucket.p, found.alpha)),
        Column("corrected", "p", corrected),
    ]
    buckets = [bucket for grouping in found.groupings for bucket in grouping.buckets]
    note = "* passes the correction; all else proves nothing"
    return Table.of(buckets, columns, section=heading, notes=(note,))
