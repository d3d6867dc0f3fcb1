"""The report of `diff`: the items on which two systems differ, as text, TSV or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from tellapart.comparison.items import Difference, Differences
from tellapart.counts.views import Cell, ViewSection, against, comparable
from tellapart.errors import UsageError
from tellapart.report.table import Column, Table, terminal, tsv_text
from tellapart.report.text import (
    WIDTH,
    columns,
    cut,
    cut_middle,
    filled,
    joined,
    left,
    plain,
    short_names,
    wrapped,
)
from tellapart.words import clean, json_text, nearest, several

_LONGEST_NAME = 16
_LONGEST_ID = 46


def render(
    found: Differences,
    better: str | None = None,
    most: int | None = None,
    form: str = "text",
    *,
    full: bool = False,
    width: int = WIDTH,
) -> str:
    """Return items as ``text``, ``tsv`` or ``jsonl``: all, or those that are `better` by a system.

    They may be the first ones alone (`most`). As text they have a line for each output, or all
    there is to look at where `full` is asked for.
    """
    names = (found.a, found.b)
    if better is not None and better not in names:
        raise UsageError(f"--better {better}: {nearest(better, names)}")
    shown, number = found.chosen(better, most)
    if form == "tsv":
        return _tsv(found, shown)
    if form == "jsonl":
        return "".join(json_text(_row(found, item), indent=None) for item in shown)
    both = f"{clean(found.a)} against {clean(found.b)} by {clean(found.metric)}"
    total = several(found.better + found.tied + found.worse, found.kind)
    told = f"{found.better:,} better, {found.tied:,} tied, {found.worse:,} worse of {total}"
    lines = [filled(f"{both}: {told}", width=width)]
    if better is not None:
        wanted = f"{several(number, found.kind)} where {clean(better)} is better"
        lines.append(filled(wanted, width=width))
    if len(shown) < number:
        lines.append(f"the first {len(shown):,} of {number:,}; --most 0 shows all")
    parts = ["\n".join(lines)]
    if full or any(one.item.input or one.item.gold or one.item.outputs for one in shown):
        parts += ["\n".join(_block(found, each, width, full)) for each in shown]
    elif shown:
        parts.append(terminal(_table(found, shown), width))
    views = [one.item.view for one in shown if one.item.view and not one.item.outputs]
    if not full and any(_is_judged(view.sections) for view in views):
        parts.append("  What gold and each of them has there: --full")
    return joined(parts)


def _table(found: Differences, shown: Sequence[Difference]) -> Table:
    decimals = found.decimals
    columns = [
        Column(found.kind, "text", lambda each: cut(clean(each.item.name), _LONGEST_ID)),
        Column(found.a, "number", lambda each: plain(each.a, decimals), of_system=True),
        Column(found.b, "number", lambda each: plain(each.b, decimals), of_system=True),
    ]
    return Table.of(shown, columns)


def _block(found: Differences, shown: Difference, width: int, full: bool) -> Iterator[str]:
    """Yield an item and its texts, cut to a line each; or all there is behind it."""
    item, names = shown.item, short_names([found.a, found.b], _LONGEST_NAME)
    a, b = (plain(score, found.decimals) for score in (shown.a, shown.b))
    scores = f"{names[found.a]} {a}  {names[found.b]} {b}"
    yield f"  {cut(clean(item.name), width - 4 - columns(scores))}  {scores}"
    room = max(5, *map(columns, names.values()))
    sections = item.view.sections if full and item.view is not None else ()
    if full and item.labels:
        words = ", ".join(f"{clean(name)} = {clean(value)}" for name, value in item.labels)
        yield wrapped(words, "    ", width)
    texts = {"asked": item.input}
    by_words = full and comparable(item.gold, item.outputs)
    if not _is_judged(sections):  # else the view shows all this
        texts["gold"] = item.gold
        for name, text in zip(names.values(), item.outputs, strict=False):
            texts[name] = cell_text(against(text, item.gold)) if by_words else text or " "
    for head, text in texts.items():
        mark = f"    {left(head, room)}  "
        if text and full:
            yield wrapped(clean(text), mark, width) or mark.rstrip()
        elif text:
            # The question often stands at the end of what a system was given.
            shorten = cut_middle if head == "asked" else cut
            yield f"{mark}{shorten(clean(text), width - room - 6)}".rstrip()
    for section in sections:
        yield from _section(section, names, room, width)


def _is_judged(sections: Sequence[ViewSection]) -> bool:
    cells = (c for section in sections for row in section.rows for c in row.outputs.values())
    return any(piece.mark for cell in cells for piece in cell)


def _section(
    section: ViewSection, names: Mapping[str, str], room: int, width: int
) -> Iterator[str]:
    """Yield a section of a view: a line for gold and each system under what the row is about."""
    if section.title:
        yield f"    {clean(section.title)}"
    for row in section.rows:
        both = ((short, row.outputs.get(name, ())) for name, short in names.items())
        texts = {head: clean(cell_text(cell)) for head, cell in (("gold", row.gold), *both) if cell}
        line = f"      {clean(row.label)}: {', '.join(f'{head} {t}' for head, t in texts.items())}"
        if not section.stacked and columns(line) <= width:
            yield line
            continue
        if row.label:
            yield f"      {clean(row.label)}"
        for head, text in texts.items():
            yield wrapped(text, f"        {left(head, room)}  ", width)


_SIGNS = {"right": "", "": "", "wrong": "wrong", "partial": "partly right", "missing": "missing",
          "spurious": "not in gold"}  # fmt: skip


def cell_text(cell: Cell) -> str:
    """Return a cell in words, without colours: what is not right says so in brackets.

    >>> from tellapart.counts.views import Piece
    >>> cell_text((Piece("Anna", "right", "PER"), Piece(" saw "), Piece("Oslo", "wrong", "ORG")))
    '[Anna: PER] saw [Oslo: ORG, wrong]'
    >>> cell_text((Piece("the", "right"), Piece(" red", "wrong"), Piece(" cat", "missing")))
    'the [red: wrong] [cat: missing]'
    """
    words = []
    for piece in cell:
        bare = piece.text.strip()
        # A tag without text says itself what is missing.
        about = [word for word in (piece.tag, _SIGNS[piece.mark]) if word][: None if bare else 1]
        before = piece.text[: len(piece.text) - len(piece.text.lstrip())]
        inside = ": ".join(filter(None, (bare, ", ".join(dict.fromkeys(about)))))
        words.append(f"{before}[{inside}]" if about else piece.text)
    return "".join(words)


def _tsv(found: Differences, shown: Sequence[Difference]) -> str:
    rows = [[found.kind, found.a, found.b, "better", "input", "gold",
             f"output of {found.a}", f"output of {found.b}"]]  # fmt: skip
    for own in shown:
        better, item = found.a if own.a_better else found.b, own.item
        texts = (better, item.input, item.gold, *(item.outputs or ("", "")))
        rows.append([item.name, str(own.a), str(own.b), *texts])
    return tsv_text(rows)


def _row(found: Differences, shown: Difference) -> dict[str, Any]:
    """Return one item as an object; what is not known is left out."""
    item = shown.item
    sections = () if item.view is None else item.view.sections
    row = {
        "input": item.input,
        "gold": item.gold,
        "outputs": dict(zip((found.a, found.b), item.outputs, strict=False)),
        "labels": dict(item.labels),
        "evidence": [asdict(replace(section, stacked=False)) for section in sections],
    }
    return {
        found.kind: item.name,
        "scores": {found.a: shown.a, found.b: shown.b},
        "better": found.a if shown.a_better else found.b,
        **{key: content for key, content in row.items() if content},
    }
