"""Tables for papers in LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tellapart.comparison.pair_record import Ends, PairResult
from tellapart.comparison.ranking import ordered_pairs, ranking
from tellapart.comparison.record import Comparison
from tellapart.report.method import CORRECTIONS
from tellapart.report.numbers import SAME, ends, pair_adjusted, pair_p, plain, signed
from tellapart.report.tasks import BEST, WORSE, aggregate_sentence, cells_of, correction_words
from tellapart.report.wording import (
    claim_word,
    decides_words,
    first_with_interval,
    interval_scope,
    is_corrected,
    items_line,
    p_name,
    pair_level_words,
    rank_text,
    ranks_line,
)
from tellapart.words import clean, several

_NONE = "--"
_RANKS_PER_LINE = 6
_NEEDS: Final = r"% needs \usepackage{booktabs}"


def latex(result: Comparison) -> str:
    """Return systems × metrics as a LaTeX table: the best in bold, and who is shown to differ.

    Letters join systems that are not shown to differ; where only some pairs were compared, daggers
    mark systems that differ from the baseline. `latex_pairs` has the pairs.
    """
    tasks = (line for metric in result.suite for line in ("", *_latex_tasks(result, metric)))
    return "\n".join([_NEEDS, *_systems(result), *tasks]) + "\n"


def latex_pairs(result: Comparison) -> str:
    """Return the pairs as a LaTeX table, narrow enough for a column."""
    tasks = (line for metric in result.suite for line in ("", *_latex_tasks(result, metric)))
    return "\n".join([_NEEDS, *_latex(result), *tasks]) + "\n"


def _systems(result: Comparison) -> Iterator[str]:
    """Yield the lines of the table of systems × metrics."""
    order = [system.name for system in ranking(result, next(iter(result.metrics)))]
    scores = {system.name: system.scores for system in result.systems}
    yield r"\begin{table}"
    yield r"\centering"
    yield rf"\begin{{tabular}}{{l{'l' * len(result.metrics)}}}"
    yield r"\toprule"
    yield " & ".join(["system", *map(_text, result.metrics)]) + r" \\"
    yield r"\midrule"
    for name in order:
        cells = [_system_cell(result, metric, name, scores[name][metric]) for metric in
                 result.metrics]  # fmt: skip
        yield " & ".join([_text(name), *cells]) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield rf"\caption{{{' '.join(_caption(result))}}}"
    yield r"\end{table}"


def _system_cell(result: Comparison, metric: str, name: str, score: float) -> str:
    """Return a score: bold if none is better, with the letters or the dagger of its system."""
    best = ranking(result, metric)[0].scores[metric]
    shown = rf"\textbf{{{plain(score)}}}" if abs(score - best) < SAME else plain(score)
    letters = result.letters.get(metric, {}).get(name, "") if _has_letters(result) else ""
    if letters:
        return rf"{shown}\textsuperscript{{{_text(letters)}}}"
    return shown + (r"$^\dagger$" if _is_apart(result, metric, name) else "")


def _has_letters(result: Comparison) -> bool:
    return len(result.systems) > 2 and bool(result.letters)


def _is_apart(result: Comparison, metric: str, name: str) -> bool:
    """Return whether a system is shown to differ: from the baseline, or, of two, to be better."""
    if _has_letters(result) or name == result.baseline:
        return False
    own = [p for p in result.pairs if p.metric == metric and p.different and name in (p.a, p.b)]
    return any(result.baseline is not None or pair.favours == name for pair in own)


def _caption(result: Comparison) -> Iterator[str]:
    """Yield what the marks mean, and on what they rest, in sentences."""
    metric = next(iter(result.metrics))
    lower = [_text(name) for name, each in result.metrics.items() if not each.higher_is_better]
    systems, items = several(len(result.systems), "system"), _text(items_line(result, metric))
    yield f"Scores of {systems} on {items}; bold: best."
    if lower:
        yield f"Lower is better: {', '.join(lower)}."
    level = rf"{p_name(result)[:-1]}$p$ at most {result.alpha:g}"
    if is_corrected(result):
        level += f", {CORRECTIONS[result.correction]} over {result.family.size:,} pairs"
    if _has_letters(result):
        yield f"Systems with a letter in common are not shown to differ ({level})."
    elif result.baseline is not None:
        yield rf"$^\dagger$: shown to differ from {_text(result.baseline)} ({level})."
    else:
        yield rf"$^\dagger$: shown to be better than the other ({level})."


def _text(words: str) -> str:
    r"""Return words as LaTeX prints them.

    >>> _text("a_b & 95 %")
    'a\\_b \\& 95 \\%'
    """
    return clean(words).translate(_LATEX)


def _latex_tasks(result: Comparison, metric: str) -> Iterator[str]:
    """Yield the lines of the table of systems × tasks."""
    heads, *rows = cells_of(result, metric)
    names = 3 if heads[2] == "score" else 2
    yield rf"\begin{{tabular}}{{lr{'l' * (names - 2)}{'r' * (len(heads) - names)}}}"
    yield r"\toprule"
    yield " & ".join(map(_text, heads)) + r" \\ \midrule"
    for row in rows:
        words, scores = row[:names], row[names:]
        cells = [*(_text(cell) for cell in words), *map(_latex_score, scores)]
        yield " & ".join(cells) + r" \\"
    yield r"\bottomrule"
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
    yield r"\toprule"
    yield " & ".join(heads) + r" \\ \midrule"
    for metric in result.metrics:
        if len(result.metrics) > 1:
            name = _text(metric)
            yield rf"\multicolumn{{{len(heads)}}}{{l}}{{\textit{{{name}}}}} \\"
        for pair in ordered_pairs(result, metric):
            yield " & ".join(_latex_cells(result, pair, corrected)) + r" \\"
    yield r"\bottomrule"
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
        of_metric = f" by {_text(metric)}" if len(result.ranks) > 1 else ""
        ranks = [_latex_rank(result, metric, system.name) for system in ranking(result, metric)]
        for start in range(0, len(ranks), _RANKS_PER_LINE):
            words = f"ranks{of_metric}: " if start == 0 else ""
            yield words + ", ".join(ranks[start : start + _RANKS_PER_LINE])


def _latex_rank(result: Comparison, metric: str, name: str) -> str:
    shown = _text(name)
    return f"{shown} {rank_text(result, metric, name, dash='--')}"


def _latex_cells(result: Comparison, pair: PairResult, corrected: bool) -> Iterator[str]:
    a, b = (_text(name) for name in (pair.a, pair.b))
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
