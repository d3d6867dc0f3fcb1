"""Tables: all pairs as TSV, Markdown or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tellapart.comparison.ranking import ordered_pairs, ranking
from tellapart.comparison.record import Comparison, Ends, PairResult, Slice
from tellapart.report.numbers import ends, p_text, pair_adjusted, pair_p, signed
from tellapart.report.tasks import (
    BEST,
    WORSE,
    aggregate_sentence,
    cells_of,
    correction_words,
    marks_words,
    turns_sentence,
)
from tellapart.report.wording import (
    claim_word,
    decides_words,
    first_with_interval,
    interval_scope,
    is_corrected,
    pair_level_words,
    rank_text,
    ranks_line,
)
from tellapart.words import clean

_HEADER = ("metric", "a", "b", "difference", "low", "high", "won", "tied", "lost", "p", "adjusted",
           "different")  # fmt: skip
_MARGIN_HEADER = ("p_a_no_worse", "p_b_no_worse", "equivalent", "a_no_worse", "b_no_worse")
_CLAIM_HEADER = ("claim",)
_RANK_HEADER = ("rank_a", "rank_b")
_INTERVAL_HEADER = ("interval_for", "interval_level")
_NONE = "--"
_RANKS_PER_LINE = 6


def tsv(result: Comparison) -> str:
    """Return the pairs as tab-separated values: for programs, in the order of the record.

    With a margin, columns say what keeps it; a one-sided test has a column with its claims; three
    or more systems have their ranks. The last two say what the intervals hold for, and at which
    level, where there are any. A suite has a column that names the task, and rows for every task
    after those of the overall score, which have none.
    """
    if not result.suite:
        return tsv_text([_header(result), *(_row(result, pair) for pair in result.pairs)])
    rows = [[*_row(result, pair), ""] for pair in result.pairs]
    labels = {metric: table.label for metric, table in result.suite.items()}
    tasks = [part for part in result.slices if part.by == labels.get(part.metric)]
    rows += [_task_row(result, part) for part in tasks]
    return tsv_text([[*_header(result), next(iter(labels.values()))], *rows])


def _task_row(result: Comparison, part: Slice) -> list[str]:
    """Return a pair on one task, in the columns that pairs have."""
    known = {
        "metric": part.metric, "a": part.a, "b": part.b, "difference": signed(part.difference),
        "p": p_text(part.p, result.alpha), "adjusted": p_text(part.p_adjusted, result.alpha),
        "different": _yes(part.different), "interval_for": part.interval_for or "-",
        "interval_level": "-" if part.interval_level is None else f"{part.interval_level:g}",
        **dict(zip(("low", "high"), ends(part.interval), strict=True)),
    }  # fmt: skip
    return [*(known.get(head, "-") for head in _header(result)), part.value]


def markdown(result: Comparison) -> str:
    """Return the pairs as a Markdown table: for readers, the better system of a pair first."""
    header = _header(result)
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    for metric in result.metrics:
        pairs = ordered_pairs(result, metric)
        lines += (" | ".join(map(markdown_text, _row(result, pair))) for pair in pairs)
    found = "".join(f"| {line} |\n" for line in lines)
    return "\n".join([found, *(markdown_tasks(result, metric) for metric in result.suite)])


def markdown_tasks(result: Comparison, metric: str) -> str:
    """Return the table of systems × tasks, with what its marks mean."""
    heads, *rows = cells_of(result, metric)
    lines = [heads, ["---"] * len(heads), *([markdown_text(cell) for cell in row] for row in rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    words = f"{metric}, {aggregate_sentence(result, metric)}; {marks_words(result, metric)}."
    words = f"{words} {turns_sentence(result, metric)}".rstrip()
    return f"{markdown_text(words)}\n\n{table}"


def latex(result: Comparison) -> str:
    """Return the pairs as a LaTeX table: what a paper needs, narrow enough for a column."""
    tasks = (line for metric in result.suite for line in ("", *_latex_tasks(result, metric)))
    return "\n".join([*_latex(result), *tasks]) + "\n"


def _latex_tasks(result: Comparison, metric: str) -> Iterator[str]:
    """Yield the lines of the table of systems × tasks."""
    heads, *rows = cells_of(result, metric)
    names = 3 if heads[2] == "score" else 2
    yield rf"\begin{{tabular}}{{lr{'l' * (names - 2)}{'r' * (len(heads) - names)}}}"
    yield r"\hline"
    yield " & ".join(clean(head).translate(_LATEX) for head in heads) + r" \\ \hline"
    for row in rows:
        words, scores = row[:names], row[names:]
        cells = [*(clean(cell).translate(_LATEX) for cell in words), *map(_latex_score, scores)]
        yield " & ".join(cells) + r" \\"
    yield r"\hline"
    over = correction_words(result, metric).replace("×", r"$\times$")
    notes = (
        aggregate_sentence(result, metric).translate(_LATEX),
        r"bold: best; $^-$ shown to be worse than it (adjusted $p$ at most "
        f"{result.alpha:g}, {over})",
    )
    for note in notes:
        yield rf"\multicolumn{{{len(heads)}}}{{l}}{{\footnotesize {note}}} \\"
    yield r"\end{tabular}"


def _latex_score(cell: str) -> str:
    r"""Return a score with its mark as it is typeset.

    >>> _latex_score("0.612+"), _latex_score("0.512-"), _latex_score("0.600")
    ('\\textbf{0.612}', '0.512$^-$', '0.600')
    """
    if cell.endswith(BEST):
        return rf"\textbf{{{cell.removesuffix(BEST)}}}"
    return f"{cell.removesuffix(WORSE)}$^-$" if cell.endswith(WORSE) else cell


def _header(result: Comparison) -> tuple[str, ...]:
    margin = _MARGIN_HEADER if result.margin is not None else ()
    claim = _CLAIM_HEADER if result.tail != "two" else ()
    ranks = _RANK_HEADER if result.ranks else ()
    interval = _INTERVAL_HEADER if result.interval_level else ()
    return (*_HEADER, *margin, *claim, *ranks, *interval)


def _row(result: Comparison, pair: PairResult) -> tuple[str, ...]:
    claims = (pair.p_a_no_worse_adjusted, pair.p_b_no_worse_adjusted)
    kept = (pair.equivalent, pair.a_no_worse, pair.b_no_worse)
    margin = (*(p_text(p, result.alpha) for p in claims), *map(_yes, kept))
    ranks = [rank_text(result, pair.metric, name) for name in (pair.a, pair.b)]
    return (
        pair.metric, pair.a, pair.b, signed(pair.difference), *ends(pair.interval),
        str(pair.units_a_better), str(pair.units_tied), str(pair.units_b_better),
        pair_p(pair, result.alpha), pair_adjusted(pair, result.alpha),
        _yes(pair.different),
        *(margin if result.margin is not None else ()),
        *((pair.claim or "",) if result.tail != "two" else ()),
        *(ranks if result.ranks else ()),
        *(_interval_cells(pair) if result.interval_level else ()),
    )  # fmt: skip


def _interval_cells(pair: PairResult) -> tuple[str, str]:
    level = pair.interval_level
    return pair.interval_for or "-", "-" if level is None else f"{level:g}"


def _yes(value: bool | None) -> str:
    return "-" if value is None else "yes" if value else "no"


_RUN: Final = ("=", "+", "-", "@")  # what begins a formula
_NUMBER: Final = re.compile(r"[+-]?(\d*\.?\d+(e[+-]?\d+)?|inf|nan)?")


def tsv_text(rows: Iterable[Sequence[str]]) -> str:
    r"""Return rows of texts as tab-separated values, one line each.

    >>> tsv_text([["system", "f1"], ["two\nlines", "0.5"]])
    'system\tf1\ntwo lines\t0.5\n'
    """
    return "".join("\t".join(spreadsheet_cell(clean(c)) for c in row) + "\n" for row in rows)


def spreadsheet_cell(text: str) -> str:
    """Return the text of a cell; one that a spreadsheet would run as a formula is quoted.

    >>> spreadsheet_cell("=HYPERLINK(A1)"), spreadsheet_cell("-0.25"), spreadsheet_cell("GE")
    ("'=HYPERLINK(A1)", '-0.25', 'GE')
    """
    runs = text.lstrip().startswith(_RUN) and not _NUMBER.fullmatch(text)
    return f"'{text}" if runs else text


# Underscores in a word, as names have them, mean nothing; nor does @ after a letter (pass@4).
_MARKUP: Final = re.compile(
    r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|(?<!\w)[@#]|:(?=//)|(?<=www)\."
)
_ADDRESS: Final = re.compile(r"(?<=[\w.+-])@(?=[\w-]+\.)")
_HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_text(text: str) -> str:
    r"""Return text for Markdown that says just that: no markup, no HTML, no links, no mentions.

    >>> print(markdown_text("[old](http://x) <b> a_b | c"))
    \[old\](http\://x) &lt;b&gt; a_b \| c
    """
    escaped = _MARKUP.sub(r"\\\g<0>", clean(text)).translate(_HTML)
    # Addresses become links however they are escaped, unless something stands between.
    return _ADDRESS.sub("@<!-- -->", escaped)


_LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
})  # fmt: skip


def _latex(result: Comparison) -> Iterator[str]:
    """Yield the lines of the table, each metric under its own heading."""
    corrected = is_corrected(result)
    heads = ["pair", "difference"]
    if result.interval_level is not None:
        heads.append(pair_level_words(result, result.pairs[0]).replace(" %", r"\,\%"))
    heads += ["$p$", "adjusted"] if corrected else ["$p$"]
    if result.margin is not None:
        heads.append(f"no worse within {result.margin:g}")
    yield rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}"
    yield r"\hline"
    yield " & ".join(heads) + r" \\ \hline"
    for metric in result.metrics:
        if len(result.metrics) > 1:
            name = clean(metric).translate(_LATEX)
            yield rf"\multicolumn{{{len(heads)}}}{{l}}{{\textit{{{name}}}}} \\"
        for pair in ordered_pairs(result, metric):
            yield " & ".join(_latex_cells(result, pair, corrected)) + r" \\"
    yield r"\hline"
    for note in _latex_notes(result, corrected):
        yield rf"\multicolumn{{{len(heads)}}}{{l}}{{\footnotesize {note}}} \\"
    yield r"\end{tabular}"


def _latex_notes(result: Comparison, corrected: bool) -> Iterator[str]:
    scope = interval_scope(result, first_with_interval(result.pairs))
    if scope and result.interval_level is not None:
        yield f"interval: {scope}"
    if any(pair.different for pair in result.pairs):
        yield rf"$^*$ {'adjusted $p$' if corrected else '$p$'} at most {result.alpha:g}"
    if decides_words(result.pairs[0]):
        yield f"intervals: {decides_words(result.pairs[0])}".replace(" %", r"\,\%")
    if result.tail != "two":
        yield f"one-sided: whether the first is {claim_word(result)} than the second"
    if result.ranks:
        yield ranks_line(result).replace("%", r"\%")
    for metric in result.ranks:
        of_metric = f" by {clean(metric).translate(_LATEX)}" if len(result.ranks) > 1 else ""
        ranks = [_latex_rank(result, metric, system.name) for system in ranking(result, metric)]
        for start in range(0, len(ranks), _RANKS_PER_LINE):
            words = f"ranks{of_metric}: " if start == 0 else ""
            yield words + ", ".join(ranks[start : start + _RANKS_PER_LINE])


def _latex_rank(result: Comparison, metric: str, name: str) -> str:
    shown = clean(name).translate(_LATEX)
    return f"{shown} {rank_text(result, metric, name, dash='--')}"


def _latex_cells(result: Comparison, pair: PairResult, corrected: bool) -> Iterator[str]:
    a, b = (clean(name).translate(_LATEX) for name in (pair.a, pair.b))
    yield f"{a} $-$ {b}"
    yield f"${signed(pair.difference)}$"
    if result.interval_level is not None:
        yield _latex_interval(pair.interval, open_at_zero=pair.different)
    if corrected:
        yield _latex_p(pair_p(pair, result.alpha))
    yield _latex_p(pair_adjusted(pair, result.alpha)) + ("$^*$" if pair.different else "")
    if result.margin is not None:
        yield _latex_margin(pair)


def _latex_interval(interval: Ends | None, *, open_at_zero: bool = False) -> str:
    r"""Return both ends of an interval; one that the data do not bound is infinite.

    An end at 0 is open where the test tells the systems apart.

    >>> _latex_interval((-0.1, 0.25)), _latex_interval((None, 0.25)), _latex_interval(None)
    ('$[-0.100, +0.250]$', '$(-\\infty, +0.250]$', '--')
    >>> _latex_interval((0.0, 0.25), open_at_zero=True)
    '$(0.000, +0.250]$'
    """
    low, high = ends(interval)
    if interval is None or low == "-":
        return _NONE
    opening, closing = (
        "()"[k] if open_at_zero and end == 0 else "[]"[k] for k, end in enumerate(interval)
    )
    left = r"(-\infty" if low == "-inf" else f"{opening}{low}"
    right = r"\infty)" if high == "inf" else f"{high}{closing}"
    return f"${left}, {right}$"


def _latex_p(text: str) -> str:
    r"""Return a p-value as it is typeset.

    >>> _latex_p(".0284"), _latex_p("7.1e-17"), _latex_p("below 1e-300")
    ('.0284', '$7.1\\times10^{-17}$', '$<10^{-300}$')
    """
    if text.startswith("below"):
        return r"$<10^{-300}$"
    small = re.fullmatch(r"(.+)e-0*(\d+)", text)
    if small is not None:
        return rf"${small[1]}\times10^{{-{small[2]}}}$"
    return _NONE if text == "-" else text


def _latex_margin(pair: PairResult) -> str:
    """Return which of the two is shown to be no worse."""
    if pair.equivalent:
        return "both"
    if pair.a_no_worse or pair.b_no_worse:
        return "the first" if pair.a_no_worse else "the second"
    return "neither"
