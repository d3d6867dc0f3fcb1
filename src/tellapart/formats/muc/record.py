"""The report as numbers, for JSON."""

from __future__ import annotations

from typing import Any

from tellapart.formats.muc.region import filtering_figures, region
from tellapart.formats.muc.report import by_message
from tellapart.formats.muc.running import Run, ScoredPair
from tellapart.formats.muc.scoring import Tally, total
from tellapart.formats.muc.totals import Totals, add_up, rates, subtotals, text_filtering


def report_record(run: Run, level: str = "pairs") -> dict[str, Any]:
    """Return all that the report prints: counts, percentages (`rec pre ovg fal`), F-measures.

    Beside it stand the region of performance and text filtering, as unrounded ratios. Slots of a
    pair that are empty on both sides are left out.
    """
    totals = add_up(run.design, run.pairs)
    record: dict[str, Any] = {
        "slot_table": run.design.name,
        "totals": _table(run, totals),
        "f_measures": _f_measures(totals),
        "region": region(totals),
        "text_filtering": filtering_figures(text_filtering(run.relevance.values())),
    }
    if level == "pairs":
        record["pairs"] = [_pair(run, pair) for pair in run.pairs]
    if level == "messages":
        sums = {m: add_up(run.design, pairs) for m, pairs in by_message(run).items()}
        record["messages"] = [
            {"message": m, "rows": _table(run, each), "f_measures": _f_measures(each)}
            for m, each in sums.items()
        ]
    return record


def _pair(run: Run, pair: ScoredPair) -> dict[str, Any]:
    design = run.design
    rows = {"template-id": _row(pair.template)}
    for slot, tally in zip(design.scored, pair.slots, strict=False):
        if any(tally[:9]):
            rows[slot.name] = _row(tally, fallout=slot.is_set)
    if pair.slots:
        rows |= {n: _row(t) for n, t in subtotals(design, pair.slots).items() if any(t[:9])}
        rows["total"] = _row(total(pair.slots))
    return {
        "message": pair.message,
        "key": pair.key,
        "response": pair.response,
        "status": pair.status,
        "rows": rows,
    }


def _table(run: Run, totals: Totals) -> dict[str, dict[str, int | None]]:
    rows = {"template-id": _row(totals.template)}
    for slot, tally in zip(run.design.scored, totals.slots, strict=True):
        rows[slot.name] = _row(tally, fallout=slot.is_set)
    rows |= {name: _row(tally) for name, tally in totals.subtotals.items()}
    for name, tally in totals.summary.items():
        rows[name] = _row(tally, fallout=name == "set-fills")
    return rows


def _row(tally: Tally, *, fallout: bool = False) -> dict[str, int | None]:
    found = rates(tally)
    row: dict[str, int | None] = dict(zip(Tally._fields[:10], tally, strict=False))
    row |= {"rec": found.recall, "pre": found.precision, "ovg": found.overgeneration}
    if fallout:
        row["fal"] = found.fallout
    return row


def _f_measures(totals: Totals) -> dict[str, float] | None:
    found = totals.f_measures()
    return None if found is None else {name: float(value) for name, value in found.items()}
