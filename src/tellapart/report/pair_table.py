"""The pairs of a comparison in a terminal: one table, or a matrix and groups where many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tellapart.comparison.record import Comparison, Ends, PairResult, Slice
from tellapart.report.fitting import WIDTH, clean, columns, cut, filled, left, right, short_names
from tellapart.report.numbers import ends, p_text, signed
from tellapart.report.verdict import headline, pairs_of, ranking
from tellapart.words import plural

MOST_PAIRS = 15
_INDENT = "  "
_MOST_SLICED = 3  # pairs whose slices are all shown


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of figures: its head, and how a cell is written."""

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
    marks = max(len(_mark(pair)) for pair in pairs)
    room = WIDTH - len(_INDENT) - sum(widths) - 2 * len(widths) - marks
    gap = "  "
    if max(columns(clean(f"{pair.a} - {pair.b}")) for pair in pairs) > room:
        gap, room = " ", room + len(widths)  # closer together, for the sake of names
    names = _fitting_names(pairs, room)
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
            lines.append(f"{_INDENT}{left(title, width)}{gap}{figures}{_mark(pair)}".rstrip())
    return [*lines, *_legend(result, pairs, names)]


def ordered_pairs(result: Comparison, metric: str) -> list[PairResult]:
    """Return the pairs of a metric, the better first: from the best system's to the worst's."""
    pairs = pairs_of(result, metric)
    if result.tail != "two":
        return pairs
    place = {system.name: k for k, system in enumerate(ranking(result, metric))}
    if result.baseline is not None:
        base = result.baseline
        return sorted(pairs, key=lambda pair: place[pair.other(base)])
    return sorted(pairs, key=lambda pair: (place[pair.a], -abs(pair.difference)))


def _columns(result: Comparison, pairs: Sequence[PairResult]) -> Iterator[_Column]:
    yield _Column("difference", lambda pair: signed(pair.difference))
    if result.interval_level is not None:
        size = max(len(end) for pair in pairs for end in ends(pair.interval))
        level = f"{100 * result.interval_level:g} % interval"
        yield _Column(level, lambda pair: _ends(pair.interval, size))
    if any(pair.units_a_better or pair.units_b_better or pair.units_tied for pair in pairs):
        yield _Column(" won", lambda pair: str(pair.units_a_better))
        yield _Column("tied", lambda pair: str(pair.units_tied))
        yield _Column("lost", lambda pair: str(pair.units_b_better))
    yield _Column("p", lambda pair: p_text(pair.p, result.alpha))
    if result.correction != "none" and result.family["size"] > 1:
        yield _Column("adjusted", lambda pair: p_text(pair.p_adjusted, result.alpha))
    if result.min_confidence is not None:
        yield _Column("sure", lambda pair: _share(pair.confidence))
    if any("paired_p" in pair.checks for pair in pairs):
        yield _Column("paired p", lambda pair: p_text(pair.checks.get("paired_p"), result.alpha))


def _ends(interval: Ends | None, size: int) -> str:
    low, high = ends(interval)
    return f"{low:>{size}} {high:>{size}}"


def _share(value: float | None) -> str:
    """Write a probability of which only the first digits matter."""
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else ">.999" if value > 0.999 else f"{value:.3f}"[1:]


def _mark(pair: PairResult) -> str:
    return (" *" if pair.different else "") + (" =" if pair.equivalent else "")


def _fitting_names(pairs: Sequence[PairResult], room: int) -> dict[str, str]:
    """Shorten names as little as is needed for every pair to fit."""
    systems = list(dict.fromkeys(name for pair in pairs for name in (pair.a, pair.b)))
    for width in range(max(columns(clean(name)) for name in systems), 4, -1):
        names = short_names(systems, width)
        if all(columns(names[p.a]) + 3 + columns(names[p.b]) <= room for p in pairs):
            return names
    return short_names(systems, 4)


def _legend(
    result: Comparison, pairs: Sequence[PairResult], names: dict[str, str]
) -> Iterator[str]:
    """Explain marks and short names, and say what stands beside a p."""
    if any(pair.different for pair in pairs):
        adjusted = result.correction != "none" and result.family["size"] > 1
        p = "adjusted p" if adjusted else "p"
        yield f"{_INDENT}* {p} at most {result.alpha:g}"
    if any(pair.equivalent for pair in pairs):
        yield f"{_INDENT}= equivalent: the difference is shown to lie within {result.margin:g}"
    changed = [f"{short} is {clean(name)}" for name, short in names.items() if short != clean(name)]
    if changed:
        yield filled("; ".join(changed), _INDENT)
    if result.tail != "two":
        yield f"{_INDENT}Tested: whether the first is {_claimed(result)} than the second."
    if result.min_confidence is not None:
        yield f"{_INDENT}sure: confidence that the exact test would reject at {result.alpha:g}"
    if any(pair.statistic is not None for pair in pairs):
        yield filled(f"Statistics, in this order: {'; '.join(map(_statistic, pairs))}.", _INDENT)


def _claimed(result: Comparison) -> str:
    return "better" if result.tail == "greater" else "worse"


def _statistic(pair: PairResult) -> str:
    if pair.statistic is None:
        return "-"
    df = "" if pair.df is None else f" ({pair.df:g} df)"
    items = "" if pair.n is None else f", {pair.n} items"
    return f"{abs(pair.statistic):.4g}{df}{items}"


def matrix(result: Comparison, metric: str) -> list[str]:
    """Draw all pairs, systems in order of score: one sign per pair."""
    ordered = [system.name for system in ranking(result, metric)]
    width = WIDTH - len(_INDENT) - 2 * len(ordered) - 1
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


def group_list(result: Comparison, metric: str) -> list[str]:
    """List the groups of systems that are not shown to differ, after the matrix of all pairs."""
    ordered = [system.name for system in ranking(result, metric)]
    pairs = sum(pair.metric == metric for pair in result.pairs)
    closing = f"{_INDENT}The p-values of all pairs: --format tsv, or --json FILE."
    if len(result.groups[metric]) == 1:
        return [f"{_INDENT}No two of the systems are shown to differ ({pairs} pairs).", closing]
    lines = [*matrix(result, metric), ""]
    lines.append(f"{_INDENT}Groups: systems that are not shown to differ ({pairs} pairs)")
    for group in result.groups[metric]:
        text = ", ".join(map(clean, group)) + _skipped(group, ordered)
        lines.append(filled(text, f"{_INDENT}- "))
    return [*lines, closing]


def _skipped(group: Sequence[str], ordered: Sequence[str]) -> str:
    """Name the systems that a group skips in the ranking: equal spreads are not equally sure."""
    places = [ordered.index(name) for name in group]
    skipped = [clean(n) for n in ordered[min(places) : max(places)] if n not in group]
    return f" (without {', '.join(skipped)})" if skipped else ""


def slice_tables(result: Comparison) -> list[list[str]]:
    """Return a small table for each pair, metric and label that slices were asked for."""
    chosen = [headline(result, metric) for metric in result.metrics]
    if len(result.pairs) <= _MOST_SLICED * len(result.metrics):
        chosen = [pair for metric in result.metrics for pair in ordered_pairs(result, metric)]
    tables = []
    for label in dict.fromkeys(each.by for each in result.slices):
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
    kinds = plural(result.units["kind"])
    heads = [kinds, "difference"]
    rows = [[str(each.units), signed(each.difference)] for each in slices]
    if any(each.interval is not None for each in slices) and result.interval_level is not None:
        heads.append(f"{100 * result.interval_level:g} % interval")
        size = max(len(end) for each in slices for end in ends(each.interval))
        for row, each in zip(rows, slices, strict=True):
            row.append(_ends(each.interval, size))
    heads.append("adjusted p")
    for row, each in zip(rows, slices, strict=True):
        row.append(p_text(each.p_adjusted, result.alpha) + (" *" if each.different else "  "))
    widths = [max(len(h), *(len(row[k]) for row in rows)) for k, h in enumerate(heads)]
    widths[-1] = max(widths[-1], len(heads[-1]) + 2)
    heads[-1] += "  "
    room = WIDTH - len(_INDENT) - sum(widths) - 2 * len(widths)
    values = [cut(clean(each.value) or "(none)", room) for each in slices]
    width = max(columns(clean(label)), *map(columns, values))
    width = min(width, room)
    by = f", by {clean(pair.metric)}" if len(result.metrics) > 1 else ""
    title = f"{clean(pair.a)} - {clean(pair.b)}{by}, for each {clean(label)} (exploratory)"
    lines = [filled(title, _INDENT)]
    for name, cells in [(cut(clean(label), width), heads), *zip(values, rows, strict=True)]:
        figures = "  ".join(right(c, w) for c, w in zip(cells, widths, strict=True))
        lines.append(f"{_INDENT}{left(name, width)}  {figures}".rstrip())
    return lines
