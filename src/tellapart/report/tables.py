"""The pairs of a comparison as one table: TSV, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.comparison import Comparison, PairResult
from tellapart.report.numbers import p_text, signed
from tellapart.report.pair_table import ordered_pairs

FORMATS = ("text", "tsv", "md", "latex")
_HEADER = ("metric", "a", "b", "difference", "low", "high", "won", "tied", "lost", "p", "adjusted",
           "different")  # fmt: skip


def as_table(result: Comparison, form: str) -> str:
    """Write the pairs as ``tsv``, ``md`` or ``latex``.

    TSV is for programs and has the pairs as the record has them; the others are for readers and
    have the better system first, as the report does.
    """
    if form == "tsv":
        rows = [_HEADER, *(_row(result, pair) for pair in result.pairs)]
        return "".join("\t".join(map(_one_cell, row)) + "\n" for row in rows)
    if form == "md":
        pairs = [pair for metric in result.metrics for pair in ordered_pairs(result, metric)]
        return _markdown([_row(result, pair) for pair in pairs])
    return "\n".join(_latex(result)) + "\n"


def _row(result: Comparison, pair: PairResult) -> tuple[str, ...]:
    low, high = pair.interval or (None, None)
    return (
        pair.metric, pair.a, pair.b, signed(pair.difference), signed(low), signed(high),
        str(pair.units_a_better), str(pair.units_tied), str(pair.units_b_better),
        p_text(pair.p, result.alpha), p_text(pair.p_adjusted, result.alpha),
        "yes" if pair.different else "no",
    )  # fmt: skip


def _one_cell(text: str) -> str:
    return " ".join(text.split())


def _markdown(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [" | ".join(_HEADER), " | ".join("---" for _ in _HEADER)]
    lines += [" | ".join(_one_cell(cell).replace("|", r"\|") for cell in row) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)


_LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}",
                       "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"})  # fmt: skip


def _latex(result: Comparison) -> Iterator[str]:
    """Write what a paper needs, narrow enough for a column, each metric under its own heading."""
    corrected = result.correction != "none" and result.family["size"] > 1
    heads = ["pair", "difference"]
    if result.interval_level is not None:
        heads.append(rf"{100 * result.interval_level:g}\,\% interval")
    heads += ["$p$", "adjusted"] if corrected else ["$p$"]
    yield rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}"
    yield r"\hline"
    yield " & ".join(heads) + r" \\ \hline"
    for metric in result.metrics:
        if len(result.metrics) > 1:
            name = _one_cell(metric).translate(_LATEX)
            yield rf"\multicolumn{{{len(heads)}}}{{l}}{{\textit{{{name}}}}} \\"
        for pair in ordered_pairs(result, metric):
            yield " & ".join(_latex_cells(result, pair, corrected)) + r" \\"
    yield r"\hline"
    if any(pair.different for pair in result.pairs):
        which = "adjusted $p$" if corrected else "$p$"
        note = rf"$^*$ {which} at most {result.alpha:g}"
        yield rf"\multicolumn{{{len(heads)}}}{{l}}{{\footnotesize {note}}} \\"
    yield r"\end{tabular}"


def _latex_cells(result: Comparison, pair: PairResult, corrected: bool) -> Iterator[str]:
    a, b = (_one_cell(name).translate(_LATEX) for name in (pair.a, pair.b))
    yield f"{a} $-$ {b}"
    yield f"${signed(pair.difference)}$"
    if result.interval_level is not None:
        low, high = (signed(end) for end in pair.interval or (None, None))
        yield f"$[{low}, {high}]$"
    if corrected:
        yield p_text(pair.p, result.alpha)
    yield p_text(pair.p_adjusted, result.alpha) + ("$^*$" if pair.different else "")
