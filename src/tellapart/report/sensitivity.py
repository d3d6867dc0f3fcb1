"""The report of `compare --sensitivity`: metrics side by side, as text, TSV or JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from tellapart.comparison.record import Comparison
from tellapart.comparison.sensitivity import Sensitivity, View
from tellapart.report.numbers import p_text, signed
from tellapart.report.tables import tsv_text
from tellapart.report.terminal_text import wrapped
from tellapart.words import json_text, several

_MOST_BLOCKS = 3


def render_sensitivity(found: Sensitivity) -> str:
    """Return the table as text: one block for each of a few pairs, or one line a pair."""
    parts = ["Which metrics can tell them apart?"]
    if len(found.pairs) <= _MOST_BLOCKS:
        parts += [_block(found, a, b) for a, b in found.pairs]
    else:
        parts += [_lines(found), _summary(found)]
    warnings = dict.fromkeys(
        notice.text
        for record in (found.randomization, found.bootstrap)
        for notice in record.warnings
    )
    if warnings:
        parts.append("\n".join(wrapped(text, "  ! ") for text in warnings))
    return "\n\n".join([*parts, _method(found)]) + "\n"


def _block(found: Sensitivity, a: str, b: str) -> str:
    width = max(6, *(len(metric) for metric in found.metrics))
    first, second = max(9, len(a)), max(9, len(b))
    header = f"  {'metric':<{width}}  {a:>{first}}  {b:>{second}}  difference  "
    lines = [header + "p shuffled  p bootstrap  apart"]
    lines += [
        f"  {view.metric:<{width}}  {view.score_a:>{first}.3f}  {view.score_b:>{second}.3f}  "
        f"{signed(view.difference):>10}  {p_text(view.p_randomization):>10}  "
        f"{p_text(view.p_bootstrap):>11}  {_verdict(view)}"
        for view in found.of_pair(a, b)
    ]
    telling = found.significant_metrics(a, b)
    said = f"{', '.join(telling)} can tell {a} and {b} apart" if telling else (
        f"no metric can tell {a} and {b} apart"
    )  # fmt: skip
    rest = [metric for metric in found.metrics if metric not in telling]
    if telling and rest:
        said += f"; {', '.join(rest)} cannot"
    return "\n".join([*lines, wrapped(f"{said}.")])


def _verdict(view: View) -> str:
    if view.different == view.different_by_bootstrap:
        return "yes" if view.different else "no"
    return "by shuffles only" if view.different else "by bootstrap only"


def _lines(found: Sensitivity) -> str:
    """Return one line a pair: randomization p and bootstrap p of each metric."""
    width = max(len(f"{a} - {b}") for a, b in found.pairs)
    lines = [f"  {'':<{width}}  " + "  ".join(f"{metric:>16}" for metric in found.metrics)]
    for a, b in found.pairs:
        cells = [
            f"{p_text(v.p_randomization):>7} {p_text(v.p_bootstrap):>7}{_mark(v)}"
            for v in found.of_pair(a, b)
        ]
        lines.append(f"  {f'{a} - {b}':<{width}}  " + "  ".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _mark(view: View) -> str:
    marks = {(True, True): "*", (True, False): "r", (False, True): "b", (False, False): " "}
    return marks[view.different, view.different_by_bootstrap]


def _summary(found: Sensitivity) -> str:
    lines = ["  p by randomization, p by bootstrap; told apart: * by both, r or b by one only"]
    for metric in found.metrics:
        views = [view for view in found.views if view.metric == metric]
        different = sum(view.different for view in views)
        lines.append(f"  {metric}: {different:,} of {len(views):,} pairs told apart")
    return "\n".join(lines)


def _method(found: Sensitivity) -> str:
    record = found.randomization
    family = several(record.family.size, "pair")
    words = f"alpha {record.alpha:g}; {record.correction} over {family} of each metric; "
    words += f"randomization: {_drawn(record)}; bootstrap: {_drawn(found.bootstrap)}; "
    words += f"seed {record.seed}."
    signed_metrics = {
        metric: described.signature
        for metric, described in record.metrics.items()
        if described.signature is not None
    }
    lines = [f"  {metric}: {signature}" for metric, signature in signed_metrics.items()]
    return "\n".join([wrapped(words, "  "), *lines])


def _drawn(record: Comparison) -> str:
    drawn = {pair.shuffles for pair in record.pairs if pair.shuffles}
    return record.test + "".join(f", {n:,}" for n in sorted(drawn))


def sensitivity_table(found: Sensitivity) -> str:
    """Return the table as TSV, one line for each pair and metric."""
    names = list(asdict(found.views[0]))
    rows = [[str(getattr(view, name)) for name in names] for view in found.views]
    return tsv_text([names, *rows])


def sensitivity_json(found: Sensitivity) -> str:
    """Return the record of the randomization test, with the table under `sensitivity`."""
    record = json.loads(found.randomization.to_json())
    record["sensitivity"] = [asdict(view) for view in found.views]
    return json_text(record)
