"""The terminal report: verdict first, then systems, pairs, warnings and method, as plain text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.comparison.answers import answer
from tellapart.comparison.pair_record import Ends, PairResult, Slice
from tellapart.comparison.ranking import headline, margin_p, ordered_pairs, ranking, told_apart
from tellapart.comparison.record import Comparison, SystemResult
from tellapart.console import styled
from tellapart.report.costs import cost_sentences
from tellapart.report.display_names import display_names
from tellapart.report.method import margin_p_words, method
from tellapart.report.numbers import ends, p_text, pair_adjusted, pair_p, plain, signed
from tellapart.report.preferences import preference_sentences, win_table
from tellapart.report.sentences import two_metrics_sentence
from tellapart.report.tasks import task_table
from tellapart.report.terminal_text import (
    WIDTH,
    at_width,
    columns,
    cut,
    filled,
    filled_parts,
    left,
    right,
    room,
    short_names,
    shortened,
    warning_lines,
)
from tellapart.report.verdict import disagreement, question, verdict
from tellapart.report.wording import (
    claim_word,
    decides_words,
    direction,
    first_with_interval,
    group_text,
    interval_scope,
    is_corrected,
    items_line,
    level_words,
    p_name,
    pair_level_words,
    pair_marks,
    rank_text,
    ranks_line,
    warnings_line,
)
from tellapart.words import clean, plural

_INDENT = "  "
MOST_PAIRS = 15
MOST_ROWS = 20
"""Systems that the first screen has room for"""
FIRST_ROWS = 8
"""Of more, how many it shows"""
_MOST_SLICED = 3  # pairs whose slices are all shown
_LONGEST_LETTERS = 12
_NARROWEST_STRIP = 12


@dataclass(frozen=True, slots=True)
class Pointers:
    """The last lines of a report, which lead on from it."""

    report: str | None = None
    """Where the full report is, or how to get it"""
    items: str | None = None
    """The command that shows the items on which systems differ"""


def render(
    result: Comparison,
    pointers: Pointers | None = None,
    *,
    colour: bool = False,
    full: bool = False,
    width: int = WIDTH,
) -> str:
    """Return the report as text; a `full` one has every system, group and task.

    Of more than twenty systems, one that is not full has the first screen alone.
    """
    names = display_names(result)
    result = names.applied(result)
    pointers = pointers or Pointers()
    short = len(result.systems) > MOST_ROWS and not full
    with at_width(width):
        parts = [filled(disagreement(result))]
        parts += [finding(result, metric, colour=colour) for metric in result.metrics]
        parts += [filled(" ".join(cost_sentences(result)))]
        if short:
            parts += ["\n".join(lines) for lines in _first_rows(result, names.words, colour)]
            parts += [_warnings_in_a_line(result), _further(pointers)]
        else:
            parts += ["\n".join(lines) for lines in _tables(result, names.words, colour, full)]
            parts += [_warnings(result), _method(result), _further(pointers)]
    return "\n\n".join(part for part in parts if part) + "\n"


_COLOURS: Final = {"Yes": "green", "No": "red"}


def finding(result: Comparison, metric: str, *, colour: bool = False) -> str:
    """Return question, answer and sentence, in lines that fit; in colour, the answer stands out."""
    lines = filled(question(result, metric))
    found = answer(result, metric).answer
    if colour:
        # The answer stands last, and a line may end in its midst.
        before, _, after = lines.rpartition(found)
        lines = f"{before}{styled(found, 'bold', _COLOURS.get(found, 'yellow'))}{after}"
    return f"{lines}\n{filled(verdict(result, metric, below_answer=True))}"


def _first_rows(result: Comparison, names: str, colour: bool) -> Iterator[list[str]]:
    """Yield the best systems by each metric, and how to see the others."""
    rows = max(3, FIRST_ROWS // len(result.metrics))
    last = next(reversed(result.metrics))
    for metric in result.metrics:
        table = system_table(result, metric, colour=colour, most=rows)
        if metric == last:
            others = len(result.systems) - rows
            table.append(f"{_INDENT}{others} more systems, all groups and warnings: --full")
            table += [*([filled(names, _INDENT)] if names else []), *table_legend(result)]
        yield table


def _warnings_in_a_line(result: Comparison) -> str:
    if not result.warnings:
        return ""
    words = warnings_line(result)
    return filled(f"{words[:1].upper()}{words[1:]}.", f"{_INDENT}! ")


def _tables(result: Comparison, names: str, colour: bool, full: bool) -> Iterator[list[str]]:
    listed = []
    last = next(reversed(result.metrics))
    for metric in result.metrics:
        many = sum(pair.metric == metric for pair in result.pairs) > MOST_PAIRS
        table = system_table(result, metric, colour=colour)
        told = [filled(names, _INDENT)] if names else []
        yield [*table, *told, *table_legend(result)] if metric == last else table
        if many and metric in result.groups:
            yield group_list(result, metric, full=full)
        else:
            listed.append(metric)
    if listed:
        yield pair_table(result, listed)
    if both := two_metrics_sentence(result):
        yield [filled(both, _INDENT)]
    if won := win_table(result):
        yield won
    if judged := preference_sentences(result):
        yield [filled(" ".join(judged), _INDENT)]
    for metric in result.suite:
        yield task_table(result, metric, full=full)
    yield from slice_tables(result)


def _warnings(result: Comparison) -> str:
    return "\n".join(warning_lines(clean(notice.text) for notice in result.warnings))


def _method(result: Comparison) -> str:
    return f"{filled(method(result), _INDENT)}\n{filled_parts(result.signature, _INDENT)}"


def _further(pointers: Pointers) -> str:
    lines = [f"{_INDENT}Full report: {pointers.report}"] if pointers.report else []
    if pointers.items:
        lines.append(f"{_INDENT}Items that differ: {pointers.items}")
    return "\n".join(lines)


def system_table(
    result: Comparison, metric: str, *, colour: bool = False, most: int | None = None
) -> list[str]:
    """Return the lines of the table, the best system first and, in colour, its group in bold."""
    ordered = ranking(result, metric)[:most]
    heading = f"{_INDENT}{clean(metric)}, {items_line(result, metric)}"
    better = f"{direction(result, metric)} is better"
    free = room() - len(better) - 2
    lines = [
        f"{left(cut(heading, free), free)}  {better}",
        _header(_table(result, metric, most), result),
    ]
    table = _table(result, metric, most)
    letters = result.letters.get(metric, {})
    best = letters.get(ordered[0].name, "")
    for system in ordered:
        rank = rank_text(result, metric, system.name)
        line = table.row(system, metric, rank, letters.get(system.name, ""))
        first = bool(best) and best[0] in letters[system.name]
        lines.append(styled(line, "bold") if colour and first else line)
    return [*lines, *shortened(table.names)]


def table_legend(result: Comparison) -> list[str]:
    """Return the lines that tell what letters and ranks of systems mean, where there are any."""
    shared = f"{_INDENT}Systems with a letter in common are not shown to differ."
    ranks = filled(ranks_line(result), _INDENT).splitlines() if result.ranks else []
    return [*([shared] if result.letters else []), *ranks]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of plain characters."""

    start: float
    end: float
    width: int

    def column(self, value: float) -> int:
        """Return the column of a value."""
        place = round((value - self.start) / (self.end - self.start) * (self.width - 1))
        return min(self.width - 1, max(0, place))

    def ticks(self) -> str:
        """Return the axis as text: round values, each above its column.

        >>> Axis(0.38, 0.86, 41).ticks().rstrip()
        ' 0.4     0.5     0.6      0.7     0.8'
        """
        step, digits = self._step()
        line = ""
        for k in range(math.ceil(self.start / step - 1e-9), math.floor(self.end / step + 1e-9) + 1):
            label = f"{k * step:.{digits}f}"
            at = max(0, self.column(k * step) - len(label) // 2)
            at = min(at, self.width - len(label))
            if at >= len(line) + (2 if line else 0):
                line = line.ljust(at) + label
        return line.ljust(self.width)

    def _step(self) -> tuple[float, int]:
        """Return a round step with room for its labels, and their number of decimals."""
        power = math.floor(math.log10(self.end - self.start)) - 2
        while True:
            for factor in (1, 2, 5):
                step = factor * 10.0**power
                digits = max(0, -power)
                longest = max(len(f"{end:.{digits}f}") for end in (self.start, self.end))
                if step / (self.end - self.start) * (self.width - 1) >= longest + 3:
                    return step, digits
            power += 1

    def strip(self, low: float | None, score: float, high: float | None) -> str:
        """Return an interval as text.

        >>> Axis(0, 1, 11).strip(0.2, 0.5, 0.9)
        '  |--o---| '
        """
        if low is None or high is None:
            return " " * self.width
        cells = [" "] * self.width
        for k in range(self.column(low), self.column(high) + 1):
            cells[k] = "-"
        cells[self.column(low)] = cells[self.column(high)] = "|"
        cells[self.column(score)] = "o"
        return "".join(cells)


def longest_name() -> int:
    """Return how many columns a name may take: the more, the wider the terminal is."""
    return max(28, room() - 52)


@dataclass(frozen=True, slots=True)
class _Table:
    names: dict[str, str]
    name_width: int
    digits: int
    scale: Axis | None
    rank_width: int
    has_letters: bool

    def row(self, system: SystemResult, metric: str, rank: str, letters: str) -> str:
        score = system.scores[metric]
        line = f"{_INDENT}{left(self.names[system.name], self.name_width)}"
        line += f"  {plain(score):>{self.digits}}"
        if self.scale is not None:
            low, high = system.intervals.get(metric, (None, None))
            known = low is not None or high is not None
            ends = f"{plain(low):>{self.digits}} - {plain(high):>{self.digits}}" if known else ""
            line += f"  {ends:<{2 * self.digits + 3}}"
            if self.scale.width >= _NARROWEST_STRIP:
                line += f"  {self.scale.strip(low, score, high)}"
        line += f"  {rank:>{self.rank_width}}" if self.rank_width else ""
        return (
            line + (f"  {cut(group_text(letters), _LONGEST_LETTERS)}" if letters else "")
        ).rstrip()


def _table(result: Comparison, metric: str, most: int | None) -> _Table:
    """Return how the width of the terminal is shared out."""
    systems = ranking(result, metric)[:most]
    ends = [e for s in systems for e in s.intervals.get(metric, ()) if e is not None]
    scores = [system.scores[metric] for system in systems]
    digits = max(5, *(len(plain(value)) for value in [*ends, *scores]))
    letters = result.letters.get(metric, {})
    shown = [group_text(letters[system.name]) for system in systems if letters]
    widest = min(_LONGEST_LETTERS, max(map(len, shown), default=0))
    used = len(_INDENT) + 2 + digits + 2 + 2 * digits + 3
    used += 2 + max(5, widest) if letters else 0
    ranks = [rank_text(result, metric, system.name) for system in systems]
    rank_width = max(4, *map(len, ranks)) if metric in result.ranks else 0
    used += 2 + rank_width if rank_width else 0
    longest = min(longest_name(), room() - used)
    names = short_names([system.name for system in systems], longest)
    name_width = max(6, *map(columns, names.values()))
    used += name_width + 2
    scale = None
    if ends and min(ends) < max(ends):
        low, high = min([*ends, *scores]), max([*ends, *scores])
        scale = Axis(low, high, min(room() // 2 + 1, room() - used))
    return _Table(names, name_width, digits, scale, rank_width, bool(letters))


def _header(table: _Table, result: Comparison) -> str:
    line = f"{_INDENT}{'system':<{table.name_width}}  {'score':>{table.digits}}"
    if table.scale is not None:
        line += f"  {level_words(result):<{2 * table.digits + 3}}"
        if table.scale.width >= _NARROWEST_STRIP:
            line += f"  {table.scale.ticks()}"
    line += f"  {'rank':>{table.rank_width}}" if table.rank_width else ""
    return (line + ("  group" if table.has_letters else "")).rstrip()


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of numbers: its head, and how a cell is written."""

    head: str
    write: Callable[[PairResult], str]

    def cells(self, pairs: Sequence[PairResult]) -> list[str]:
        return [self.write(pair) for pair in pairs]


def pair_table(result: Comparison, metrics: Sequence[str]) -> list[str]:
    """Return the lines of one table with the pairs of some metrics, the better system first."""
    by_metric = {metric: ordered_pairs(result, metric) for metric in metrics}
    pairs = [pair for some in by_metric.values() for pair in some]
    found = [(column, column.cells(pairs)) for column in _columns(result, pairs)]
    widths = [max(len(column.head), *map(len, cells)) for column, cells in found]
    marks = max(len(pair_marks(pair)) for pair in pairs)
    free = room() - len(_INDENT) - sum(widths) - 2 * len(widths) - marks
    gap = "  "
    if max(columns(clean(f"{pair.a} - {pair.b}")) for pair in pairs) > free:
        gap, free = " ", free + len(widths)  # closer together, for the sake of names
    names = _fitting_names(pairs, free)
    titles = [f"{names[pair.a]} - {names[pair.b]}" for pair in pairs]
    width = max(4, *map(columns, titles))
    heads = gap.join(f"{c.head:>{w}}" for (c, _), w in zip(found, widths, strict=True))
    lines = [f"{_INDENT}{left('pair', width)}{gap}{heads}".rstrip()]
    rows = iter(zip(pairs, titles, *(cells for _, cells in found), strict=True))
    for metric, some in by_metric.items():
        lines += [f"{_INDENT}{clean(metric)}:"] if len(result.metrics) > 1 else []
        for _ in some:
            pair, title, *cells = next(rows)
            figures = gap.join(right(c, w) for c, w in zip(cells, widths, strict=True))
            lines.append(f"{_INDENT}{left(title, width)}{gap}{figures}{pair_marks(pair)}".rstrip())
    return [*lines, *_legend(result, pairs, names)]


def _columns(result: Comparison, pairs: Sequence[PairResult]) -> Iterator[_Column]:
    yield _Column("difference", lambda pair: signed(pair.difference))
    if result.interval_level is not None:
        size = max(len(end) for pair in pairs for end in ends(pair.interval))
        yield _Column(pair_level_words(result, pairs[0]), lambda pair: _ends(pair.interval, size))
    if any(pair.units_a_better or pair.units_b_better or pair.units_tied for pair in pairs):
        yield _Column(" won", lambda pair: f"{pair.units_a_better:,}")
        yield _Column("tied", lambda pair: f"{pair.units_tied:,}")
        yield _Column("lost", lambda pair: f"{pair.units_b_better:,}")
    yield _Column("p", lambda pair: pair_p(pair, result.alpha))
    if is_corrected(result):
        yield _Column("adjusted", lambda pair: pair_adjusted(pair, result.alpha))
    if result.margin is not None:
        yield _Column("margin p", lambda pair: p_text(margin_p(result, pair), result.alpha))
    if result.min_confidence is not None:
        yield _Column("sure", lambda pair: _share(pair.confidence))


def _ends(interval: Ends | None, size: int) -> str:
    low, high = ends(interval)
    return f"{low:>{size}} {high:>{size}}"


def _share(value: float | None) -> str:
    """Return a probability of which only the first digits matter."""
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else ">.999" if value > 0.999 else f"{value:.3f}"[1:]


def _fitting_names(pairs: Sequence[PairResult], most: int) -> dict[str, str]:
    """Return names that are shortened as little as every pair needs to fit."""
    systems = list(dict.fromkeys(name for pair in pairs for name in (pair.a, pair.b)))
    for width in range(max(columns(clean(name)) for name in systems), 4, -1):
        names = short_names(systems, width)
        if all(columns(names[p.a]) + 3 + columns(names[p.b]) <= most for p in pairs):
            return names
    return short_names(systems, 4)


def _legend(
    result: Comparison, pairs: Sequence[PairResult], names: dict[str, str]
) -> Iterator[str]:
    """Yield the lines under a table that explain marks, short names and what goes with a p."""
    if any(pair.different for pair in pairs):
        yield f"{_INDENT}* {p_name(result)} at most {result.alpha:g}"
    if any(pair.equivalent for pair in pairs):
        yield f"{_INDENT}= equivalent: the difference is shown to lie within {result.margin:g}"
    if result.margin is not None:
        yield filled(f"{margin_p_words(result)}.", _INDENT)
    if decides_words(pairs[0]):
        yield f"{_INDENT}Intervals: {decides_words(pairs[0])}."
    scope = interval_scope(result, first_with_interval(pairs))
    if scope and result.interval_level is not None:
        yield f"{_INDENT}{pair_level_words(result, pairs[0])}: {scope}"
    yield from shortened(names)
    if result.tail != "two":
        yield f"{_INDENT}Tested: whether the first is {claim_word(result)} than the second."
    if result.min_confidence is not None:
        yield f"{_INDENT}sure: confidence that the exact test would reject at {result.alpha:g}"
    if any(pair.statistic is not None for pair in pairs):
        yield filled(f"Statistics, in this order: {'; '.join(map(_statistic, pairs))}.", _INDENT)


def _statistic(pair: PairResult) -> str:
    if pair.statistic is None:
        return "-"
    df = "" if pair.df is None else f" ({round(pair.df, 2):.12g} df)"
    items = "" if pair.n is None else f", {pair.n} items"
    return f"{abs(pair.statistic):.4g}{df}{items}"


def matrix(result: Comparison, metric: str) -> list[str]:
    """Return the lines of a matrix of all pairs, systems in order of score: one sign per pair."""
    ordered = [system.name for system in ranking(result, metric)]
    width = room() - len(_INDENT) - 2 * len(ordered) - 1
    if width < 8:
        return []
    names = short_names(ordered, width)
    width = max(map(columns, names.values()))
    different = {frozenset((p.a, p.b)) for p in result.pairs if p.metric == metric and p.different}
    lines = [f"{_INDENT}{'':<{width}}  # told apart   . not told apart"]
    for row, name in enumerate(ordered):
        signs = ["#" if frozenset((name, other)) in different else "." for other in ordered]
        signs[row] = "\\"
        lines.append(f"{_INDENT}{left(names[name], width)}  {' '.join(signs)}")
    return lines


def group_list(result: Comparison, metric: str, *, full: bool) -> list[str]:
    """Return the matrix of all pairs; the groups, whose letters the table has, only in full."""
    ordered = [system.name for system in ranking(result, metric)]
    pairs = told_apart(result, metric)[1]
    closing = f"{_INDENT}The p-values of all pairs: --format tsv, or --json FILE."
    if len(result.groups[metric]) == 1:
        return [f"{_INDENT}No two of the systems are shown to differ ({pairs} pairs).", closing]
    if not full:
        return [*matrix(result, metric), closing]
    lines = [*matrix(result, metric), ""]
    lines.append(f"{_INDENT}Groups: systems that are not shown to differ ({pairs} pairs)")
    for group in result.groups[metric]:
        text = ", ".join(map(clean, group)) + _skipped(group, ordered)
        lines.append(filled(text, f"{_INDENT}- "))
    return [*lines, closing]


def _skipped(group: Sequence[str], ordered: Sequence[str]) -> str:
    """Return the systems that a group skips in the ranking: equal spreads are not equally sure."""
    places = [ordered.index(name) for name in group]
    skipped = [clean(n) for n in ordered[min(places) : max(places)] if n not in group]
    return f" (without {', '.join(skipped)})" if skipped else ""


def slice_tables(result: Comparison) -> list[list[str]]:
    """Return a small table for each pair, metric and label that slices were asked for."""
    chosen = [headline(result, metric) for metric in result.metrics]
    if len(result.pairs) <= _MOST_SLICED * len(result.metrics):
        chosen = [pair for metric in result.metrics for pair in ordered_pairs(result, metric)]
    tables = []
    tasks = {table.label for table in result.suite.values()}  # which have a table of their own
    for label in dict.fromkeys(each.by for each in result.slices if each.by not in tasks):
        for pair in chosen:
            some = [
                each if each.a == pair.a else each.mirrored()
                for each in result.slices
                if each.by == label
                and each.metric == pair.metric
                and {each.a, each.b} == {pair.a, pair.b}
            ]
            if some:
                tables.append(_slice_table(result, pair, label, some))
    if len(chosen) < len(result.pairs) and tables:
        tables[-1].append(f"{_INDENT}The same for all other pairs: --json FILE.")
    return tables


def _slice_table(
    result: Comparison, pair: PairResult, label: str, slices: Sequence[Slice]
) -> list[str]:
    kinds = plural(result.units.kind)
    heads = [kinds, "difference"]
    rows = [[str(each.units), signed(each.difference)] for each in slices]
    if any(each.interval is not None for each in slices) and result.interval_level is not None:
        heads.append(level_words(result))
        size = max(len(end) for each in slices for end in ends(each.interval))
        for row, each in zip(rows, slices, strict=True):
            row.append(_ends(each.interval, size))
    heads.append("adjusted p")
    for row, each in zip(rows, slices, strict=True):
        row.append(p_text(each.p_adjusted, result.alpha) + (" *" if each.different else "  "))
    widths = [max(len(h), *(len(row[k]) for row in rows)) for k, h in enumerate(heads)]
    widths[-1] = max(widths[-1], len(heads[-1]) + 2)
    heads[-1] += "  "
    free = room() - len(_INDENT) - sum(widths) - 2 * len(widths)
    values = [cut(clean(each.value) or "(none)", free) for each in slices]
    width = max(columns(clean(label)), *map(columns, values))
    width = min(width, free)
    by = f", by {clean(pair.metric)}" if len(result.metrics) > 1 else ""
    title = f"{clean(pair.a)} - {clean(pair.b)}{by}, for each {clean(label)} (exploratory; Holm)"
    lines = [filled(title, _INDENT)]
    for name, cells in [(cut(clean(label), width), heads), *zip(values, rows, strict=True)]:
        figures = "  ".join(right(c, w) for c, w in zip(cells, widths, strict=True))
        lines.append(f"{_INDENT}{left(name, width)}  {figures}".rstrip())
    return lines
