"""Why two systems differ, in words and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from tellapart.comparison.explain import GroupedDifference, Reasons
from tellapart.comparison.record import Slice
from tellapart.errors import UsageError
from tellapart.report.table import Cell, Column, Table, terminal
from tellapart.report.text import WIDTH, cut, filled, p_text, readable, signed
from tellapart.words import clean, json_text, listed, plural, several

_ROOM_OF_NUMBERS = 50
_MOST_NAMED = 3  # buckets that the first sentences name


def render_reasons(found: Reasons, form: str = "text", width: int = WIDTH) -> str:
    """Return why two systems differ: sentences, then tables; or one JSON object (`jsonl`)."""
    if form == "jsonl":
        return json_text(asdict(found), indent=None)
    if form != "text":
        raise UsageError(f"--why has no --format {form}: there are text and jsonl")
    width = readable(width)
    head = (
        f"Why {clean(found.a)} and {clean(found.b)} differ by {clean(found.metric)}: "
        f"{signed(found.difference)} on {several(found.items, found.kind)}"
    )
    said = [filled(clean(sentence), "- ", width) for sentence in sentences(found)]
    parts = ["\n".join([filled(head, width=width), *said])]
    for caption, table in tables(found, width):
        parts.append("\n".join([filled(caption, width=width), *terminal(table, width)]))
    if len(parts) > 1:
        sure = any("*" in part for part in parts[1:])
        mark = "* passes the correction; all else" if sure else "All of this"
        parts.append(filled(f"{mark} describes these data and proves nothing", width=width))
    return "\n\n".join(parts) + "\n"


def sentences(found: Reasons) -> Iterator[str]:
    """Yield what can be said for sure: what explains the difference, and where it stands out."""
    yield explained_sentence(found)
    if found.groupings:
        yield bucket_sentence(found)
    if found.left_out:
        what = "label has" if len(found.left_out) == 1 else "labels have"
        yield f"Not looked at, since the {what} too many values: {listed(found.left_out, 8)}."


def explained_sentence(found: Reasons) -> str:
    """Return which groupings the difference depends on, after correction for all of them."""
    tested = found.groupings
    if not tested:
        return f"There is no label or text by which {plural(found.kind)} could be grouped."
    explaining = [
        f"{each.by} (corrected p = {p_text(each.p_adjusted, found.alpha)})"
        for each in tested
        if each.explains
    ]
    number = several(len(tested), "grouping")
    if explaining:
        return f"The difference depends on {listed(explaining)}; {number} looked at."
    least = p_text(tested[0].p_adjusted, found.alpha)
    return (
        f"Nothing shows that the difference depends on any of the {number} looked at (smallest "
        f"corrected p = {least})."
        if len(tested) > 1
        else f"Nothing shows that the difference depends on {tested[0].by} (p = {least})."
    )


def bucket_sentence(found: Reasons) -> str:
    """Return on which groups the systems differ, after correction for all groups."""
    buckets = [(each.by, bucket) for each in found.groupings for bucket in each.buckets]
    over = f"corrected for {several(len(buckets), 'group')}"
    sure = [each for each in buckets if each[1].different]
    if not sure:
        return f"No group of {plural(found.kind)} stands out by itself, {over}."
    sure.sort(key=lambda each: each[1].p_adjusted or 0.0)
    words = [
        f"{_better(found, bucket)} is better where {by} is {bucket.value} "
        f"({signed(bucket.difference)})"
        for by, bucket in sure[:_MOST_NAMED]
    ]
    more = len(sure) - len(words)
    rest = f", and {several(more, 'more group')}" if more else ""
    return f"By themselves, {over}: {'; '.join(words)}{rest}."


def _better(found: Reasons, bucket: Slice) -> str:
    return found.a if (bucket.difference > 0) == found.higher_is_better else found.b


def tables(found: Reasons, width: int = WIDTH) -> Iterator[tuple[str, Table]]:
    """Yield a table for each grouping."""
    for grouping in found.groupings:
        yield _grouping_words(found, grouping), _grouping_table(found, grouping, width)


def _grouping_words(found: Reasons, grouping: GroupedDifference) -> str:
    mark = " *" if grouping.explains else ""
    return (
        f"By {clean(grouping.by)} (whether it matters: p = {p_text(grouping.p, found.alpha)}, "
        f"corrected {p_text(grouping.p_adjusted, found.alpha)}{mark})"
    )


def _grouping_table(found: Reasons, grouping: GroupedDifference, width: int) -> Table:
    def corrected(bucket: Slice) -> Cell:
        return Cell((p_text(bucket.p_adjusted, found.alpha),), " *" if bucket.different else "")

    numbers: list[Column] = [
        Column(plural(found.kind), "number", lambda bucket: str(bucket.items)),
        Column("difference", "difference", lambda bucket: signed(bucket.difference)),
        Column(
            "part of it", "difference", lambda bucket: signed(grouping.contributions[bucket.value])
        ),
    ]
    first = Column("", "text", lambda bucket: cut(clean(bucket.value), width - _ROOM_OF_NUMBERS))
    tests = [
        Column("p", "p", lambda bucket: p_text(bucket.p, found.alpha)),
        Column("corrected", "p", corrected),
    ]
    return Table.of(grouping.buckets, [first, *numbers, *tests])
