"""Why two systems differ, in words and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from tellapart.comparison.ngrams import NgramResult
from tellapart.comparison.reasons import Bucket, GroupedDifference, Reasons
from tellapart.errors import UsageError
from tellapart.report.numbers import p_text, signed
from tellapart.report.terminal_text import columns, cut, filled, left, right, room, short_names
from tellapart.words import clean, json_text, listed, plural, several

_LONGEST_NAME = 16
_MOST_NAMED = 3  # buckets that the first sentences name


def render_reasons(found: Reasons, form: str = "text") -> str:
    """Return why two systems differ: sentences, then tables; or one JSON object (`jsonl`)."""
    if form == "jsonl":
        return json_text(asdict(found), indent=None)
    if form != "text":
        raise UsageError(f"--why has no --format {form}: there are text and jsonl")
    head = (
        f"Why {clean(found.a)} and {clean(found.b)} differ by {clean(found.metric)}: "
        f"{signed(found.difference)} on {several(found.items, found.kind)}"
    )
    parts = ["\n".join([filled(head), *(filled(clean(s), "- ") for s in sentences(found))])]
    parts += ["\n".join(_grouping_lines(found, each)) for each in found.groupings]
    if found.ngrams is not None and found.ngrams.listed:
        parts.append("\n".join(_ngram_lines(found)))
    if len(parts) > 1:
        sure = any("*" in part for part in parts[1:])
        mark = "* passes the correction; all else" if sure else "All of this"
        parts.append(filled(f"{mark} describes these data and proves nothing"))
    return "\n\n".join(parts) + "\n"


def sentences(found: Reasons) -> Iterator[str]:
    """Yield what can be said for sure: what explains the difference, and where it stands out."""
    yield explained_sentence(found)
    if found.groupings:
        yield bucket_sentence(found)
    if found.ngrams is not None:
        yield ngram_sentence(found)
    if found.left_out:
        what = "label has" if len(found.left_out) == 1 else "labels have"
        yield f"Not looked at, since the {what} too many values: {listed(found.left_out, 8)}."


def explained_sentence(found: Reasons) -> str:
    """Return which groupings the difference depends on, after correction for all of them."""
    tested = [each for each in found.groupings if each.p_adjusted is not None]
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
        f"{_better(found, bucket)} is better where {by} is {bucket.name} "
        f"({signed(bucket.difference)})"
        for by, bucket in sure[:_MOST_NAMED]
    ]
    more = len(sure) - len(words)
    rest = f", and {several(more, 'more group')}" if more else ""
    return f"By themselves, {over}: {'; '.join(words)}{rest}."


def ngram_sentence(found: Reasons) -> str:
    """Return how many n-grams one system gets right more often than the other."""
    assert found.ngrams is not None
    passed = sum(each.different for each in found.ngrams.listed)
    if not found.ngrams.tested:
        return "No words of gold differ often enough to tell the systems apart by them."
    number = several(found.ngrams.tested, "n-gram")
    if not passed:
        return f"No words of gold tell the systems apart, corrected for {number}."
    firsts = sum(each.different and each.a > each.b for each in found.ngrams.listed)
    return (
        f"Of {number} of gold that differ often enough to tell, {passed} (parts of longer ones "
        f"aside) {'does' if passed == 1 else 'do'}: {firsts} that {found.a} gets right more often, "
        f"{passed - firsts} that {found.b} does."
    )


def _better(found: Reasons, bucket: Bucket) -> str:
    return found.a if (bucket.difference > 0) == found.higher_is_better else found.b


def depends_words(found: Reasons, each: GroupedDifference) -> str:
    """Return the test of one grouping in words."""
    if each.p is None:
        return "made of the scores themselves"
    mark = " *" if each.explains else ""
    return (
        f"whether it matters: p = {p_text(each.p, found.alpha)}, corrected "
        f"{p_text(each.p_adjusted, found.alpha)}{mark}"
    )


def bucket_cells(found: Reasons, bucket: Bucket) -> list[str]:
    """Return the numbers of a bucket, in the order of `BUCKET_HEADS`."""
    corrected = p_text(bucket.p_adjusted, found.alpha) + (" *" if bucket.different else "")
    numbers = signed(bucket.difference), signed(bucket.contribution), p_text(bucket.p, found.alpha)
    return [str(bucket.items), *numbers, corrected]


def ngram_cells(found: Reasons, each: NgramResult) -> list[str]:
    """Return the numbers of an n-gram: both systems, p, corrected."""
    corrected = p_text(each.p_adjusted, found.alpha) + (" *" if each.different else "")
    return [str(each.a), str(each.b), p_text(each.p, found.alpha), corrected]


BUCKET_HEADS = ("difference", "part of it", "p", "corrected")


def _grouping_lines(found: Reasons, each: GroupedDifference) -> Iterator[str]:
    yield filled(f"By {clean(each.by)} ({depends_words(found, each)})")
    heads = ["", plural(found.kind), *BUCKET_HEADS]
    rows = [[clean(bucket.name), *bucket_cells(found, bucket)] for bucket in each.buckets]
    yield from _table(heads, rows)


def _ngram_lines(found: Reasons) -> Iterator[str]:
    assert found.ngrams is not None
    yield filled(
        f"Words of gold that one system has right more often, in {plural(found.unit)}; "
        "corrected - where they differ too seldom to ever pass"
    )
    names = short_names([found.a, found.b], _LONGEST_NAME)
    heads = ["", names[found.a], names[found.b], "p", "corrected"]
    rows = [[clean(each.words), *ngram_cells(found, each)] for each in found.ngrams.listed]
    yield from _table(heads, rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows whose numbers stand below each other; the first column takes what is left."""
    starred = any(row[-1].endswith("*") for row in rows)
    lined = [
        [*row[:-1], row[-1] + ("  " if starred and row[-1][-1] != "*" else "")] for row in rows
    ]
    heads = [*heads[:-1], heads[-1] + ("  " if starred else "")]
    widths = [max(columns(row[k]) for row in (heads, *lined)) for k in range(1, len(heads))]
    free = room() - 2 - sum(width + 2 for width in widths)
    width = min(free, max(columns(row[0]) for row in lined))
    for row in (heads, *lined):
        numbers = "".join(f"  {right(c, w)}" for c, w in zip(row[1:], widths, strict=True))
        yield f"  {left(cut(row[0], width), width)}{numbers}".rstrip()
