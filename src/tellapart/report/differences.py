"""The report of `diff`: the items on which two systems differ, as text, TSV or JSON lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tellapart.comparison.items import Difference, Differences, Wanted
from tellapart.counts.views import Cell, ItemView, Piece, ViewSection, against, comparable
from tellapart.errors import UsageError
from tellapart.report.numbers import plain
from tellapart.report.tables import spreadsheet_cell
from tellapart.report.terminal_text import (
    WIDTH,
    at_width,
    columns,
    cut,
    cut_middle,
    filled,
    left,
    right,
    room,
    short_names,
    wrapped,
)
from tellapart.words import clean, json_text, nearest, several

_LONGEST_NAME = 16
_LONGEST_ID = 46


def render(
    found: Differences,
    wanted: Wanted | None = None,
    form: str = "text",
    *,
    full: bool = False,
    width: int = WIDTH,
) -> str:
    """Return the wanted items as ``text``, ``tsv`` or ``jsonl``.

    As text they have a line for each output, or all there is to look at where `full` is asked for.
    """
    wanted = wanted or Wanted()
    names = (found.a, found.b)
    if wanted.better is not None and wanted.better not in names:
        raise UsageError(
            f"--better names one of the two systems, not {wanted.better!r}; "
            f"{nearest(wanted.better, names)}"
        )
    shown, number = found.chosen(wanted)
    if form == "tsv":
        return _tsv(found, shown)
    if form == "jsonl":
        return "".join(json_text(_row(found, each), indent=None) for each in shown)
    with at_width(width):
        parts = ["\n".join(_summary(found, wanted, number, len(shown)))]
        if full:
            parts += [_whole_item(found, item, room()) for item in shown]
        elif any(item.input or item.gold or item.outputs for item in shown):
            parts += _blocks(found, shown, room())
        else:
            parts += _table(found, shown)
    return "\n\n".join(parts) + "\n"


def _summary(found: Differences, wanted: Wanted, chosen: int, shown: int) -> Iterator[str]:
    total = several(found.better + found.tied + found.worse, found.kind)
    yield filled(
        f"{clean(found.a)} against {clean(found.b)} by {clean(found.metric)}: {found.better:,} "
        f"better, {found.tied:,} tied, {found.worse:,} worse of {total}"
    )
    conditions = []
    if wanted.better is not None:
        conditions.append(f"{clean(wanted.better)} is better")
    if wanted.find:
        conditions.append(f"{wanted.find!r} is found")
    if conditions:
        yield filled(f"{several(chosen, found.kind)} where {' and '.join(conditions)}")
    if shown < chosen:
        first = "only the first" if shown == 1 else f"the first {shown:,}"
        yield f"{first} of {chosen:,} {'is' if shown == 1 else 'are'} shown; --most 0 shows all"


def _table(found: Differences, shown: Sequence[Difference]) -> list[str]:
    if not shown:
        return []
    names = short_names([found.a, found.b], _LONGEST_NAME)
    items = [cut(clean(item.name), _LONGEST_ID) for item in shown]
    width = max(columns(clean(found.kind)), *map(columns, items))
    scores = [[plain(item.a), plain(item.b)] for item in shown]
    widths = [
        max(columns(names[name]), *(len(row[k]) for row in scores))
        for k, name in enumerate((found.a, found.b))
    ]
    rows = [(found.kind, [names[found.a], names[found.b]]), *zip(items, scores, strict=True)]
    lines = []
    for name, cells in rows:
        numbers = "  ".join(right(cell, w) for cell, w in zip(cells, widths, strict=True))
        lines.append(f"  {left(clean(name), width)}  {numbers}")
    return ["\n".join(lines)]


def _blocks(found: Differences, shown: Sequence[Difference], width: int) -> list[str]:
    names = short_names([found.a, found.b], _LONGEST_NAME)
    heads = max(5, *map(columns, names.values()))
    blocks = []
    for item in shown:
        scores = f"{names[found.a]} {plain(item.a)}  {names[found.b]} {plain(item.b)}"
        lines = [f"  {cut(clean(item.name), width - 4 - columns(scores))}  {scores}"]
        most = width - heads - 6
        # The question often stands at the end of what a system was given.
        texts = [("asked", cut_middle(clean(item.input), most))] if item.input else []
        texts += [("gold", cut(clean(item.gold), most))] if item.gold else []
        outputs = [cut(clean(text), most) for text in item.outputs]
        texts += list(zip((names[found.a], names[found.b]), outputs, strict=False))
        lines += [f"    {left(head, heads)}  {text}".rstrip() for head, text in texts]
        blocks.append("\n".join(lines))
    return blocks


def _whole_item(found: Differences, item: Difference, width: int) -> str:
    """Return all there is behind an item: whole texts held against gold, and the reader's view."""
    names = short_names([found.a, found.b], _LONGEST_NAME)
    scores = f"{names[found.a]} {plain(item.a)}  {names[found.b]} {plain(item.b)}"
    lines = [f"  {cut(clean(item.name), width - 4 - columns(scores))}  {scores}"]
    if item.labels:
        words = ", ".join(f"{clean(name)} = {clean(value)}" for name, value in item.labels.items())
        lines.append(wrapped(words, "    ", width))
    judged = item.view is not None and any(
        piece.mark
        for section in item.view.sections
        for row in section.rows
        for cell in row.outputs.values()
        for piece in cell
    )
    room = max(5, *map(columns, names.values()))
    texts: list[tuple[str, Cell]] = [("input", (Piece(item.input),))] if item.input else []
    if not judged:
        texts += [("gold", (Piece(item.gold),))] if item.gold else []
        by_words = comparable(item.gold, item.outputs)
        for name, text in zip((found.a, found.b), item.outputs, strict=False):
            texts.append((names[name], against(text, item.gold) if by_words else (Piece(text),)))
    for head, cell in texts:
        mark = f"    {left(head, room)}  "
        lines += [wrapped(clean(cell_text(cell)), mark, width) or mark.rstrip()]
    for section in () if item.view is None else item.view.sections:
        lines += _section(section, found, names, width)
    return "\n".join(lines)


def _section(
    section: ViewSection, found: Differences, names: Mapping[str, str], width: int
) -> Iterator[str]:
    """Yield a section of a view: a line for gold and each system under what the row is about."""
    if section.title:
        yield f"    {clean(section.title)}"
    room = max(5, *map(columns, names.values()))
    for row in section.rows:
        cells = [("gold", row.gold)]
        cells += [(names[name], row.outputs.get(name, ())) for name in (found.a, found.b)]
        short = [f"{head} {clean(cell_text(cell))}" for head, cell in cells if cell]
        line = f"      {clean(row.label)}: {', '.join(short)}"
        if not section.stacked and columns(line) <= width:
            yield line
            continue
        if row.label:
            yield f"      {clean(row.label)}"
        for head, cell in cells:
            if cell:
                yield wrapped(clean(cell_text(cell)), f"        {left(head, room)}  ", width)


_SIGNS = {"right": "", "": "", "wrong": "wrong", "partial": "partly right", "missing": "missing",
          "spurious": "not in gold"}  # fmt: skip


def cell_text(cell: Cell) -> str:
    """Return a cell in words, without colours: what is not right says so in brackets.

    >>> cell_text((Piece("Anna", "right", "PER"), Piece(" saw "), Piece("Oslo", "wrong", "ORG")))
    '[Anna: PER] saw [Oslo: ORG, wrong]'
    >>> cell_text((Piece("the", "right"), Piece(" red", "wrong"), Piece(" cat", "missing")))
    'the [red: wrong] [cat: missing]'
    """
    found = []
    for piece in cell:
        bare = piece.text.strip()
        # A tag without text says itself what is missing.
        words = [word for word in (piece.tag, _SIGNS[piece.mark]) if word][: None if bare else 1]
        if not words:
            found.append(piece.text)
        else:
            before = piece.text[: len(piece.text) - len(piece.text.lstrip())]
            about = ", ".join(dict.fromkeys(words))
            found.append(f"{before}[{bare}: {about}]" if bare else f"{before}[{about}]")
    return "".join(found)


def _tsv(found: Differences, shown: Sequence[Difference]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    header = [found.kind, found.a, found.b, "better", "input", "gold",
              f"output of {found.a}", f"output of {found.b}"]  # fmt: skip
    writer.writerow(map(spreadsheet_cell, header))
    for item in shown:
        better = found.a if item.a_better else found.b
        outputs = item.outputs or ("", "")
        texts = map(spreadsheet_cell, (better, item.input, item.gold, *outputs))
        writer.writerow([spreadsheet_cell(item.name), item.a, item.b, *texts])
    return stream.getvalue()


def _row(found: Differences, item: Difference) -> dict[str, Any]:
    """Return one item as an object; what is not known is left out."""
    row: dict[str, Any] = {
        found.kind: item.name,
        "scores": {found.a: item.a, found.b: item.b},
        "better": found.a if item.a_better else found.b,
    }
    texts = {"input": item.input, "gold": item.gold}
    row |= {name: text for name, text in texts.items() if text}
    if item.outputs:
        row["outputs"] = dict(zip((found.a, found.b), item.outputs, strict=True))
    row |= {"labels": item.labels} if item.labels else {}
    return row | ({} if item.view is None else {"evidence": _record(item.view)})


def _record(view: ItemView) -> list[dict[str, Any]]:
    """Return a view as plain data; what is empty is left out."""
    return [
        {
            **({"title": section.title} if section.title else {}),
            "rows": [
                {
                    **({"label": row.label} if row.label else {}),
                    **({"gold": _pieces(row.gold)} if row.gold else {}),
                    "outputs": {n: _pieces(cell) for n, cell in row.outputs.items() if cell},
                }
                for row in section.rows
            ],
        }
        for section in view.sections
    ]


def _pieces(cell: Cell) -> list[dict[str, str]]:
    pairs = ({"text": p.text, "mark": p.mark, "tag": p.tag} for p in cell)
    return [{name: text for name, text in each.items() if text} for each in pairs]
