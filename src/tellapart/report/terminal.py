"""A comparison as plain text: the finding first, then systems, pairs, warnings and method."""

from __future__ import annotations

import textwrap

from tellapart.comparison import Comparison, PairResult
from tellapart.names import RANDOMIZATION
from tellapart.report.numbers import p_text, signed
from tellapart.report.verdict import question, ranking, verdict
from tellapart.words import several

WIDTH = 80
MOST_PAIRS = 15
_STRIP = 24
_NAMES = 17


def render(result: Comparison) -> str:
    """Return the report as text, 80 columns wide."""
    parts = []
    for metric in result.metrics:
        parts.append(_finding(result, metric))
        parts.append(_systems(result, metric))
        parts.append(_pairs(result, metric))
    parts += [_warnings(result), _method(result)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _finding(result: Comparison, metric: str) -> str:
    return f"{question(result, metric)}\n{textwrap.fill(verdict(result, metric), WIDTH)}"


def _systems(result: Comparison, metric: str) -> str:
    ordered = ranking(result, metric)
    direction = "higher" if result.metrics[metric]["higher_is_better"] else "lower"
    heading = f"{metric}, {_units(result)}"
    lines = [f"  {heading:<{WIDTH - 22}}{direction + ' is better':>18}"]
    width = max(6, *(len(system.name) for system in ordered))
    letters = result.letters.get(metric, {})
    ends = [end for s in ordered for end in s.intervals.get(metric, ()) if end is not None]
    scale = (min(ends), max(ends)) if ends and min(ends) < max(ends) else None
    digits = max(len(f"{value:.3f}") for value in [*ends, *(s.scores[metric] for s in ordered)])
    header = f"  {'system':<{width}}  {'score':>{digits}}"
    if scale:
        level = f"{100 * (result.interval_level or 0):g} % interval"
        header += f"  {level:<{2 * digits + 3}}  {'':<{_STRIP}}"
    lines.append((header + ("  group" if letters else "")).rstrip())
    for system in ordered:
        line = f"  {system.name:<{width}}  {system.scores[metric]:>{digits}.3f}"
        if scale:
            low, high = system.intervals.get(metric, (None, None))
            line += f"  {_plain(low):>{digits}} - {_plain(high):>{digits}}  "
            line += _strip(low, system.scores[metric], high, scale)
        lines.append((line + (f"  {letters[system.name]}" if letters else "")).rstrip())
    if letters:
        lines.append("  Systems with a letter in common are not shown to differ.")
    return "\n".join(lines)


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _strip(low: float | None, score: float, high: float | None, scale: tuple[float, float]) -> str:
    """Draw an interval in plain characters."""
    if low is None or high is None:
        return " " * _STRIP
    start, end = scale

    def column(value: float) -> int:
        return min(_STRIP - 1, max(0, round((value - start) / (end - start) * (_STRIP - 1))))

    cells = [" "] * _STRIP
    for k in range(column(low), column(high) + 1):
        cells[k] = "-"
    cells[column(low)] = cells[column(high)] = "|"
    cells[column(score)] = "o"
    return "".join(cells)


def _pairs(result: Comparison, metric: str) -> str:
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    if len(pairs) > MOST_PAIRS and metric in result.groups:
        return _group_list(result, metric, len(pairs))
    names = [f"{pair.a} - {pair.b}" for pair in pairs]
    width = min(_NAMES, max(4, *(len(name) for name in names)))
    level = result.interval_level
    interval = f" {f'{100 * level:g} % interval':>15}" if level else ""
    head = f"difference{interval}  won tied lost       p adjusted"
    lines = [f"  {'pair':<{width}} {head}"]
    for name, pair in zip(names, pairs, strict=True):
        if len(name) > width:  # a long name has a line of its own
            lines.append(f"  {name}")
            name = ""
        lines.append(f"  {name:<{width}} {_pair_cells(pair, bool(level))}".rstrip())
    lines += _notes(pairs)
    return "\n".join(lines)


def _pair_cells(pair: PairResult, with_interval: bool) -> str:
    cells = f"{signed(pair.difference):>10}"
    if with_interval:
        low, high = pair.interval or (None, None)
        cells += f" {signed(low):>7} {signed(high):>7}"
    cells += f" {pair.units_a_better:>4} {pair.units_tied:>4} {pair.units_b_better:>4}"
    cells += f" {p_text(pair.p):>7} {p_text(pair.p_adjusted):>8}"
    return cells + (" *" if pair.different else "") + (" =" if pair.equivalent else "")


def _notes(pairs: list[PairResult]) -> list[str]:
    """Explain the marks, and what stands beside a p."""
    lines = ["  * different at the chosen level"] if any(p.different for p in pairs) else []
    if any(p.equivalent for p in pairs):
        lines.append("  = equivalent: the difference is shown to lie within the margin")
    for pair in pairs:
        name = f"{pair.a} - {pair.b}"
        lines += [_item(f"  {name}: ", note) for note in _beside(pair)]
    return lines


def _share(value: float | None) -> str:
    """Write a probability of which only the first digits matter."""
    if value is None:
        return "-"
    return "below .001" if value < 0.001 else "above .999" if value > 0.999 else p_text(value)


def _beside(pair: PairResult) -> list[str]:
    notes = []
    if pair.claim is not None:
        notes.append(f"tested whether {pair.claim}")
    if pair.statistic is not None:
        df = "" if pair.df is None else f", {pair.df:g} df"
        units = "" if pair.n is None else f", {pair.n} units"
        notes.append(f"statistic {pair.statistic:.4g}{df}{units}; assumes {pair.assumption}")
    if pair.p_interval is not None:
        low, high = pair.p_interval
        between = f"between {p_text(low)} and {p_text(high)}" if low else f"below {p_text(high)}"
        estimate = " (p is an estimate)" if pair.method == "sequential" else ""
        notes.append(
            f"{pair.exceedances:,} of {pair.shuffles:,} shuffles{estimate}; exact p {between}; "
            f"confidence that the exact test rejects {_share(pair.confidence)}"
        )
    if pair.p_ignoring_clusters is not None:
        notes.append(f"ignoring clusters, p would be {p_text(pair.p_ignoring_clusters)}")
    if "paired_p" in pair.checks:
        r12 = pair.diagnostics.get("r12")
        correlated = "" if r12 is None else f" (r12 = {r12:.2f})"
        notes.append(f"the paired test gives p = {p_text(pair.checks['paired_p'])}{correlated}")
    return notes


def _group_list(result: Comparison, metric: str, n_pairs: int) -> str:
    groups = result.groups.get(metric, [])
    lines = [*_matrix(result, metric), ""]
    lines.append(f"  Groups: systems that are not shown to differ ({n_pairs} pairs)")
    ordered = [system.name for system in ranking(result, metric)]
    lines += [_item("  - ", ", ".join(group) + _skipped(group, ordered)) for group in groups]
    return "\n".join([*lines, "  The p-values of all pairs: --format tsv, or --json."])


def _skipped(group: list[str], ordered: list[str]) -> str:
    """Name the systems that a group skips in the ranking: equal spreads are not equally sure."""
    places = [ordered.index(name) for name in group]
    skipped = [name for name in ordered[min(places) : max(places)] if name not in group]
    return f" (without {', '.join(skipped)})" if skipped else ""


def _matrix(result: Comparison, metric: str) -> list[str]:
    """Draw all pairs, systems in order of score: one sign per pair."""
    ordered = [system.name for system in ranking(result, metric)]
    if 2 * len(ordered) > WIDTH - 16:
        return []
    width = max(len(name) for name in ordered)
    different = {frozenset((p.a, p.b)) for p in result.pairs if p.metric == metric and p.different}
    lines = [f"  {'':<{width}}  # told apart   . not told apart"]
    for row, name in enumerate(ordered):
        signs = ["#" if frozenset((name, other)) in different else "." for other in ordered]
        signs[row] = "\\"
        lines.append(f"  {name:<{width}}  {' '.join(signs)}")
    return lines


def _item(mark: str, text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark), break_on_hyphens=False
    )


def _units(result: Comparison) -> str:
    units = several(result.units["count"], result.units["kind"])
    clusters = result.units["clusters"]
    return (
        units if clusters is None else f"{units} in {several(clusters['count'], clusters['kind'])}"
    )


def _warnings(result: Comparison) -> str:
    if not result.warnings:
        return ""
    return "\n".join(["  Warnings", *(_item("  ! ", notice.text) for notice in result.warnings)])


_TESTS = {
    "exact": "exact paired randomization test",
    "enumeration": "exact paired randomization test",
    "shuffles": "paired randomization test",
    "sequential": "sequential paired randomization test",
}


def _method(result: Comparison) -> str:
    """Say how it was done, so that anyone can do it again."""
    methods = dict.fromkeys(_TESTS.get(pair.method, f"{pair.method} test") for pair in result.pairs)
    drawn = sorted({pair.shuffles for pair in result.pairs if pair.shuffles})
    sides = "two-sided" if result.tail == "two" else f"one-sided ({result.tail})"
    words = [f"{' and '.join(methods)}, {sides}"]
    if drawn:
        many = f"{drawn[0]:,}" if len(drawn) == 1 else f"{drawn[0]:,} to {drawn[-1]:,}"
        words.append(f"{many} {'resamples' if 'bootstrap' in result.test else 'shuffles'}")
    unit = (result.units["clusters"] or result.units)["kind"]
    if "bootstrap" in result.test:
        words.append(f"drawn by {unit}")
    elif result.test in RANDOMIZATION:
        words.append(f"exchanged by {unit}")
    words.append(f"alpha {result.alpha:g}")
    size = result.family["size"]
    if result.min_confidence is not None:
        words.append(f"different only with confidence {result.min_confidence:g}")
    if size > 1:
        kind = "pairs and metrics" if result.family["kind"] == "all" else "pairs"
        error = result.family["experimentwise_error"]
        words.append(
            f"no correction over {size} {kind} (a false alarm in {error:.4f} of such families, "
            "were the tests independent)"
            if result.correction == "none"
            else f"{result.correction} over {size} {kind}"
        )
    intervals = sorted({p.interval_method for p in result.pairs if p.interval_method})
    if intervals and result.interval_level:
        words.append(f"intervals of differences by {' and '.join(intervals)}")
    words.append(f"seed {result.seed}")
    return _item("  ", "; ".join(words) + ".") + "\n" + _item("  ", result.signature)
