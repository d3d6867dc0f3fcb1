"""The pairs of a comparison as one table: TSV, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.comparison import Comparison
from tellapart.report.numbers import p_text, signed

FORMATS = ("text", "tsv", "md", "latex")
_HEADER = ("metric", "a", "b", "difference", "low", "high", "won", "tied", "lost", "p", "adjusted",
           "different")  # fmt: skip


def _rows(result: Comparison) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for pair in result.pairs:
        low, high = pair.interval or (None, None)
        rows.append(
            (pair.metric, pair.a, pair.b, signed(pair.difference), signed(low), signed(high),
             str(pair.units_a_better), str(pair.units_tied), str(pair.units_b_better),
             p_text(pair.p), p_text(pair.p_adjusted), "yes" if pair.different else "no")
        )  # fmt: skip
    return rows


def as_table(result: Comparison, form: str) -> str:
    """Write the pairs as ``tsv``, ``md`` or ``latex``."""
    rows = _rows(result)
    if form == "tsv":
        return "".join("\t".join(map(_one_cell, row)) + "\n" for row in (_HEADER, *rows))
    if form == "md":
        return _markdown(rows)
    return _latex(rows)


def _one_cell(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")


def _markdown(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [" | ".join(_HEADER), " | ".join("---" for _ in _HEADER)]
    lines += [" | ".join(_one_cell(cell).replace("|", r"\|") for cell in row) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)


_LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}",
                       "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"})  # fmt: skip


def _latex(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [r"\begin{tabular}{lllrrrrrrrrl}", r"\hline"]
    lines.append(" & ".join(_HEADER) + r" \\ \hline")
    lines += [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"
