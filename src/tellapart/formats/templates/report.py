"""The report in the layout of 1992, to the byte."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tellapart.files import file_names
from tellapart.formats.contract import Report
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.scoring import Run, ScoredPair
from tellapart.formats.templates.tally import F_WEIGHTS, ROWS, Rates, Tally, rates, total
from tellapart.formats.templates.totals import (
    Filtering,
    Totals,
    add_up,
    region,
    subtotals,
    text_filtering,
)

_RULE = "-" * 9 + "+" + "-" * 11 + "+" + "-" * 7 + "+" + "-" * 11 + "+" + "-" * 15
_LABELS = 20
"""The column at which counts begin, unless a slot has a longer name"""
_PER_MESSAGE = tuple(ROWS)[:4]
_PAGE_END = "\f"
_WIDTH = 79


def render(run: Run, level: str = "pairs") -> str:
    """Return the report of a run, with a block per pair of templates, per message, or none."""
    return "".join(f"{line}\n" for line in _lines(run, level))


def _lines(run: Run, level: str) -> Iterator[str]:
    if run.design.of_schema:
        yield from (f"Schema: {run.design.name}", "")
    else:
        yield from (f"Configuration: {run.design.name}", "")
        yield from ("Incorrect irrelevant response templates are scored.", "")
        yield from ("Buffer editing is disabled.", "")
        yield from (f"Report of {run.design.row} scores", "")
    if level == "pairs":
        for pair in run.pairs:
            yield from _pair_block(run.design, pair)
    if level == "messages":
        for message, pairs in by_message(run).items():
            yield from _message_block(run.design, message, add_up(run.design, pairs))
    filtering = text_filtering(run.relevance.values()) if level == "messages" else None
    yield from _final_table(run.design, add_up(run.design, run.pairs), filtering)


def by_message(run: Run) -> dict[str, list[ScoredPair]]:
    """Return the pairs of every message of the key."""
    found: dict[str, list[ScoredPair]] = {message: [] for message in run.relevance}
    for pair in run.pairs:
        found[pair.message].append(pair)
    return found


def _to_column(text: str, column: int) -> str:
    """Return a line moved to a column as terminals do: by tabs as far as possible, then blanks."""
    at = len(text.expandtabs(8))
    while (following := at - at % 8 + 8) <= column:
        text, at = text + "\t", following
    return text + " " * (column - at)


def _label(design: Design, text: str) -> str:
    """Return the label of a row, as wide as the design needs."""
    names = (*(slot.name for slot in design.scored), *(name for name, _ in design.subtotals))
    return _to_column(text, max(_LABELS, *map(len, names)))


def _rule(design: Design) -> str:
    return "-" * len(_label(design, "").expandtabs(8)) + _RULE


def _heading(design: Design) -> Iterator[str]:
    yield _label(design, "SLOT") + "  POS ACT|COR PAR INC|ICR IPA|SPU MIS NON|REC PRE OVG FAL"
    yield _rule(design)


def _row(design: Design, label: str, tally: Tally, *, fallout: bool = False) -> str:
    t = tally
    counts = (
        f" {t.pos:4} {t.act:3}|{t.cor:3} {t.par:3} {t.inc:3}|{t.icr:3} {t.ipa:3}"
        f"|{t.spu:3} {t.mis:3} {t.non:3}|"
    )
    return _label(design, label) + counts + _percentages(rates(tally), fallout=fallout)


def _percentages(found: Rates, *, fallout: bool) -> str:
    shown = [found.recall, found.precision, found.overgeneration]
    shown += [found.fallout] if fallout else []
    return "".join("  * " if value is None else f"{value:3} " for value in shown)


def _pair_block(design: Design, pair: ScoredPair) -> Iterator[str]:
    head = _to_column(pair.message, _LABELS)
    head += f" key: {pair.key or '<NONE>'}  response: {pair.response or '<NONE>'}"
    status = " " if pair.status == "matched" else f"[{pair.status}]"
    yield _to_column(head, _WIDTH - len(status)) + status
    if pair.slots:
        whole = total([*pair.slots, *([pair.template] if design.template_id else [])])
        yield ""
        yield from _table(design, pair.template, pair.slots, {"TOTAL": whole})
    elif pair.status == "optional":
        yield ""
        yield from _heading(design)
        yield _row(design, "template-id", pair.template, fallout=True)
    yield _PAGE_END


def _table(
    design: Design, template: Tally, slots: Sequence[Tally], summary: Mapping[str, Tally]
) -> Iterator[str]:
    """Yield the row of templates, those of slots and of their groups, and summary rows."""
    yield from _heading(design)
    yield _row(design, "template-id", template)
    for slot, tally in zip(design.scored, slots, strict=True):
        yield _row(design, slot.name, tally, fallout=slot.is_set)
    for rows in (subtotals(design, slots), summary):
        if rows:
            yield _rule(design)
        for label, tally in rows.items():
            yield _row(design, label, tally, fallout=label == ROWS["set-fills"].label)


def _total_table(design: Design, totals: Totals, rows: Collection[str]) -> Iterator[str]:
    summary = {ROWS[row].label: totals.summary[row] for row in design.rows if row in rows}
    yield from _table(design, totals.template, totals.slots, summary)


def _message_block(design: Design, message: str, totals: Totals) -> Iterator[str]:
    yield from (message, "")
    yield from _total_table(design, totals, _PER_MESSAGE)
    yield from _f_lines(design, totals)
    yield _PAGE_END


def _final_table(design: Design, totals: Totals, filtering: Filtering | None) -> Iterator[str]:
    yield from (" * * * TOTAL SLOT SCORES * * *", "")
    yield from _total_table(design, totals, ROWS)
    if filtering is not None:
        yield _filtering_row(design, filtering)
    yield from _f_lines(design, totals)


def _filtering_row(design: Design, found: Filtering) -> str:
    a, b, c, d = found
    counts = f" {a + c:4} {a + b:3}|{a:3}   *   *|  *   *|{b:3} {c:3} {d:3}|"
    return _label(design, "TEXT FILTERING") + counts + _percentages(found.rates, fallout=True)


def _f_lines(design: Design, totals: Totals) -> Iterator[str]:
    measures = totals.f_measures(design)
    if measures is None:
        yield "F-MEASURES not available, Recall or Precision Nil"
        return
    yield _rule(design)
    yield _to_column("", 50) + "   P&R      2P&R      P&2R"
    shown = " ".join(f"{measures[name]:>9}" for name in F_WEIGHTS)
    yield _to_column("F-MEASURES", 48) + shown


def conference_report(
    plain: Report,
    runs: Mapping[str, Run],
    runs_of: Mapping[str, Sequence[str]],
    level: str,
    folder: str | None,
) -> Report:
    """Return plain scores with the report of each run beside them, as record and as text.

    The text of one run is printed; with `folder`, a text per run is written there.
    """
    texts = {}
    if len(runs) == 1 or folder:
        texts = {name: render(run, level) for name, run in runs.items()}
    text = None if folder else next(iter(texts.values()), None)
    systems = []
    for each in plain.systems:
        records = [report_record(runs[name]) for name in runs_of[each.name]]
        record = records[0] if len(records) == 1 else {"runs": records}
        systems.append(replace(each, report=record, text=text))
    files: dict[str, Any] = {}
    if folder:
        names = file_names(texts, ".txt")
        files["report_dir"] = {names[name]: text for name, text in texts.items()}
    return replace(plain, systems=tuple(systems), files=files)


def report_record(run: Run) -> dict[str, Any]:
    """Return the totals of the report: counts, percentages (`rec pre ovg fal`), F-measures.

    Beside them stands the region of performance, as unrounded ratios.
    """
    totals, slots = add_up(run.design, run.pairs), run.design.scored
    rows = {"template-id": _row_record(totals.template)}
    for slot, tally in zip(slots, totals.slots, strict=True):
        rows[slot.name] = _row_record(tally, fallout=slot.is_set)
    for name, tally in (subtotals(run.design, totals.slots) | totals.summary).items():
        rows[name] = _row_record(tally, fallout=name == "set-fills")
    measures = totals.f_measures(run.design)
    return {
        "slot_table": run.design.name,
        "totals": rows,
        "f_measures": measures and {name: float(value) for name, value in measures.items()},
        "region": region(totals),
    }


def _row_record(tally: Tally, *, fallout: bool = False) -> dict[str, int | None]:
    found = rates(tally)
    row: dict[str, int | None] = dict(zip(Tally._fields[:10], tally, strict=False))
    row |= {"rec": found.recall, "pre": found.precision, "ovg": found.overgeneration}
    return row | ({"fal": found.fallout} if fallout else {})
