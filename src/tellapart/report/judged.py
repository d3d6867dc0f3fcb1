"""A comparison by a judge whom people checked, in words: the verdict first, then tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tellapart.comparison.judged_record import (
    Ends,
    JudgedComparison,
    JudgedPair,
    JudgedSystem,
    Measured,
)
from tellapart.report.numbers import plain, signed, size
from tellapart.report.tables import markdown_text, tsv_text
from tellapart.report.terminal_text import (
    WIDTH,
    columns,
    filled,
    filled_parts,
    left,
    right,
    short_names,
    shortened,
    warning_lines,
)
from tellapart.words import clean, p_text, plural, several

_INDENT = "  "
_USELESS = 1.05  # times as many labels: no more is no help
_MOST_PAIRS = 15


def render_judged(result: JudgedComparison) -> str:
    """Return the report as text, 80 columns wide."""
    parts = [f"{filled(question(result))}\n{filled(f'{answer(result)}. {verdict(result)}')}"]
    parts += ["\n".join(lines) for lines in _tables(result)]
    parts.append("\n".join(warning_lines(clean(notice.text) for notice in result.warnings)))
    parts.append(
        f"{filled(method(result), _INDENT)}\n{filled_parts(clean(result.signature), _INDENT)}"
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def ranked(result: JudgedComparison) -> list[JudgedSystem]:
    """Return the systems, the best first."""
    sign = -1 if result.higher_is_better else 1
    return sorted(result.systems, key=lambda system: sign * system.score)


def headline(result: JudgedComparison) -> JudgedPair:
    """Return the pair that the verdict is about, seen from the better system.

    It is the best system and the next; with a baseline, the pair with the smallest p.
    """
    if result.baseline is not None:
        chosen = min(result.pairs, key=lambda pair: pair.both.p)
        return _better_first(result, chosen)
    first, second = ranked(result)[:2]
    return result.pair(first.name, second.name)


def ordered_pairs(result: JudgedComparison) -> list[JudgedPair]:
    """Return the pairs, each seen from the better system, the largest difference first."""
    pairs = [_better_first(result, pair) for pair in result.pairs]
    return sorted(pairs, key=lambda pair: -abs(pair.both.value))


def _better_first(result: JudgedComparison, pair: JudgedPair) -> JudgedPair:
    ahead = pair.both.value >= 0 if result.higher_is_better else pair.both.value <= 0
    return pair if ahead else pair.mirrored()


def question(result: JudgedComparison) -> str:
    """Return what is asked: whether the best system is better, by people's standard."""
    if not result.pairs:
        return f"How good is {clean(result.systems[0].name)} by people's standard?"
    if result.baseline is not None:
        return f"Is any system really better than {clean(result.baseline)}, by people's standard?"
    return f"Is {clean(ranked(result)[0].name)} really better, by people's standard?"


def answer(result: JudgedComparison) -> str:
    """Return ``Yes`` or ``Cannot tell``; the score where there is one system."""
    if not result.pairs:
        system = result.systems[0]
        return f"{plain(system.score)} ({_level(result)} {_ends(system.interval)})"
    if result.baseline is not None:
        ahead = [pair for pair in result.pairs if pair.favours not in (None, result.baseline)]
        if ahead:
            return "Yes"
        return "No" if all(pair.different for pair in result.pairs) else "Cannot tell"
    best = ranked(result)[0].name
    mine = [pair for pair in result.pairs if best in (pair.a, pair.b)]
    return "Yes" if all(pair.favours == best for pair in mine) else "Cannot tell"


def verdict(result: JudgedComparison) -> str:
    """Return the finding: whom the judge favours, what holds, and what labels and judge are worth.

    A judge who favours a system is the danger, and comes first.
    """
    sentences = list(_favours(result))
    if result.pairs:
        pair = headline(result)
        sentences += [_finding(result, pair), *_judge_alone(result, pair), _worth(result, pair)]
        if len(result.pairs) > 1:
            told = sum(each.different for each in result.pairs)
            sentences.append(f"{told:,} of {len(result.pairs):,} pairs can be told apart.")
    else:
        sentences.append(_one_system(result))
    return " ".join(filter(None, sentences))


def _favours(result: JudgedComparison) -> Iterator[str]:
    shown = [pair for pair in result.pairs if pair.favoured is not None]
    for pair in sorted(shown, key=lambda each: each.favour_p_adjusted or 0.0)[:2]:
        other = pair.b if pair.favoured == pair.a else pair.a
        if pair.favour is None or pair.favour_p_adjusted is None or pair.favoured is None:
            continue
        yield (
            f"The judge favours {clean(pair.favoured)}: against people's labels it gives "
            f"{clean(pair.favoured)} {size(pair.favour.value)} more than {clean(other)} "
            f"(p = {p_text(pair.favour_p_adjusted, result.alpha)})."
        )


def _finding(result: JudgedComparison, pair: JudgedPair) -> str:
    labels = _labels_behind(result, pair)
    corrected = f"corrected by people's labels of {several(labels, result.kind)}"
    if pair.labels < labels:
        corrected = f"corrected by {labels:,} labels of people or more for each"
    level = "for all pairs at once" if len(result.pairs) > 1 else ""
    figures = (
        f"({_level(result)} {_ends(pair.both.interval)}{f' {level}' if level else ''}, "
        f"p = {p_text(pair.p_adjusted, result.alpha)})"
    )
    more = "higher" if pair.both.value > 0 else "lower"
    if pair.different:
        return (
            f"{clean(pair.a)} is better than {clean(pair.b)}: {corrected}, it scores "
            f"{size(pair.both.value)} {more} {figures}."
        )
    return (
        f"{clean(pair.a)} cannot be told from {clean(pair.b)}: {corrected}, it scores "
        f"{size(pair.both.value)} {more}, and chance could explain that {figures}."
    )


def _judge_alone(result: JudgedComparison, pair: JudgedPair) -> Iterator[str]:
    """Yield what the judge alone would have said, where that is something else."""
    figures = f"(by {size(pair.judge.value)}, p = {p_text(pair.judge_p_adjusted, result.alpha)})"
    ahead = clean(pair.judge_favours or "")
    if ahead and not pair.different:
        yield f"The judge alone would call {ahead} better {figures}: do not rely on that."
    elif ahead and pair.judge_favours != pair.favours:
        yield f"The judge alone would have it the wrong way round {figures}."
    elif not ahead and pair.different:
        yield f"The judge alone would not have shown it {figures}."


def _worth(result: JudgedComparison, pair: JudgedPair) -> str:
    return worth_sentence(pair.worth, _labels_behind(result, pair), result.items)


def _labels_behind(result: JudgedComparison, pair: JudgedPair) -> int:
    numbers = {system.name: system.labels for system in result.systems}
    return min(numbers[pair.a], numbers[pair.b])


def worth_sentence(worth: float, labels: int, items: int) -> str:
    """Return what labels and judge are worth together, in labels alone.

    >>> worth_sentence(141.6, 60, 500)
    'Your 60 human labels and the judge are worth 140 labels.'
    >>> worth_sentence(61.0, 60, 500)
    'The judge adds nothing to your 60 human labels.'
    """
    if labels >= items:
        return "People labelled every item, so that the judge has no say."
    if worth < _USELESS * labels:
        return f"The judge adds nothing to your {labels:,} human labels."
    shown = round(worth) if worth < 100 else int(float(f"{worth:.2g}"))
    return f"Your {labels:,} human labels and the judge are worth {shown:,} labels."


def _one_system(result: JudgedComparison) -> str:
    system = result.systems[0]
    found = (
        f"The judge alone says {plain(system.judge)}, people's {system.labels:,} labels "
        f"{plain(system.people)}."
    )
    if system.bias is not None and system.bias.p <= result.alpha:
        side = "above" if system.bias.value > 0 else "below"
        found += f" The judge is {size(system.bias.value)} {side} people."
    return f"{found} {worth_sentence(system.worth, system.labels, result.items)}"


def _level(result: JudgedComparison) -> str:
    return f"{100 * result.interval_level:g} % interval"


def _ends(ends: Ends, write: bool = False) -> str:
    low, high = ends
    shown = (signed(low), signed(high)) if low < 0 or write else (plain(low), plain(high))
    return " to ".join(shown)


def _tables(result: JudgedComparison) -> list[list[str]]:
    """Return the lines of each table, names shortened as little as it takes to fit."""
    systems = [system.name for system in result.systems]
    for width in range(max(4, *(columns(clean(name)) for name in systems)), 3, -1):
        names = short_names(systems, width)
        found = list(_all_tables(_renamed(result, names)))
        if max(columns(line) for lines in found for line in lines[1:]) <= WIDTH:
            break
    return [*found, shortened(names)]


def _renamed(result: JudgedComparison, names: Mapping[str, str]) -> JudgedComparison:
    return replace(
        result,
        systems=tuple(replace(each, name=names[each.name]) for each in result.systems),
        pairs=tuple(replace(each, a=names[each.a], b=names[each.b]) for each in result.pairs),
    )


def _all_tables(result: JudgedComparison) -> Iterator[list[str]]:
    heading = (
        f"{_INDENT}{clean(result.judge)}, corrected by {clean(result.people)}: "
        f"{result.items:,} {plural(result.kind)}, {result.labelled:,} labelled"
    )
    yield [heading, *table(system_header(result), [system_row(s) for s in ranked(result)])]
    yield [f"{_INDENT}The judge against people", *table(JUDGE_HEADER, judge_rows(result))]
    if result.pairs:
        pairs = ordered_pairs(result)
        rows = [row for pair in pairs[:_MOST_PAIRS] for row in pair_rows(pair, result.alpha)]
        rest = len(pairs) - _MOST_PAIRS
        more = [f"{_INDENT}and {rest} pairs with smaller differences (--json)"] if rest > 0 else []
        yield [f"{_INDENT}Differences", *table(pair_header(result), rows), *more]


def system_header(result: JudgedComparison) -> tuple[str, ...]:
    """Return the names of the columns of the table of systems."""
    return ("system", "score", _level(result), "judge alone", "people alone", "labels")


def system_row(system: JudgedSystem) -> tuple[str, ...]:
    """Return one system: corrected score, interval, the judge's and people's mean, labels."""
    return (
        clean(system.name),
        plain(system.score),
        _ends(system.interval),
        plain(system.judge),
        plain(system.people),
        str(system.labels),
    )


JUDGE_HEADER = ("system", "judge - people", "interval", "agree", "kappa", "correlation")


def judge_rows(result: JudgedComparison) -> list[tuple[str, ...]]:
    """Return for each system how far the judge is from people."""
    rows: list[tuple[str, ...]] = []
    for system in ranked(result):
        found = system.agreement
        bias = ("-", "-") if system.bias is None else _measured(system.bias)
        share = "-" if found.share is None else f"{100 * found.share:.0f} %"
        rows.append(
            (clean(system.name), *bias, share, _figure(found.kappa), _figure(found.correlation))
        )
    return rows


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def pair_header(result: JudgedComparison) -> tuple[str, ...]:
    """Return the names of the columns of the table of pairs."""
    several_pairs = len(result.pairs) > 1
    return ("pair", "by", "difference", "interval", f"p {result.correction}" * several_pairs or "p")


def pair_rows(pair: JudgedPair, alpha: float) -> list[tuple[str, ...]]:
    """Return one pair in three rows: by both, by the judge alone, by people alone."""
    judge, people = (p_text(p, alpha) for p in (pair.judge_p_adjusted, pair.people_p_adjusted))
    both = p_text(pair.p_adjusted, alpha) + "*" * pair.different
    return [
        (f"{clean(pair.a)} - {clean(pair.b)}", "both", *_measured(pair.both), both),
        ("", "judge alone", *_measured(pair.judge), judge),
        ("", "people alone", *_measured(pair.people), people),
    ]


def _measured(found: Measured) -> tuple[str, str]:
    return signed(found.value), _ends(found.interval, write=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with columns that stand below each other, the first one and texts to the left.

    >>> table(("a", "n"), [("x", "10"), ("long", "2")])
    ['  a      n', '  x     10', '  long   2']
    """
    lines = [header, *rows]
    widths = [max(columns(line[k]) for line in lines) for k in range(len(header))]
    words = [k == 0 or header[k] == "by" for k in range(len(header))]
    return [
        _INDENT
        + "  ".join(
            left(cell, width) if is_word else right(cell, width)
            for cell, width, is_word in zip(line, widths, words, strict=True)
        ).rstrip()
        for line in lines
    ]


TABLE_HEADER = ("a", "b", "by", "difference", "low", "high", "p", "p_adjusted", "different")


def tsv(result: JudgedComparison) -> str:
    """Return the pairs as tab-separated values, three rows each, in the order of the record."""
    return tsv_text([TABLE_HEADER, *_cells(result, list(result.pairs))])


def markdown(result: JudgedComparison) -> str:
    """Return the pairs as a Markdown table, the better system of each first."""
    rows = _cells(result, ordered_pairs(result))
    lines = [TABLE_HEADER, tuple("---" for _ in TABLE_HEADER)]
    lines += [tuple(map(markdown_text, row)) for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(result: JudgedComparison, pairs: Sequence[JudgedPair]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for pair in pairs:
        ways = (
            ("both", pair.both, pair.p_adjusted, "yes" if pair.different else "no"),
            ("judge", pair.judge, pair.judge_p_adjusted, "-"),
            ("people", pair.people, pair.people_p_adjusted, "-"),
        )
        for way, found, adjusted, decided in ways:
            ends = map(signed, found.interval)
            p, corrected = (p_text(each, result.alpha) for each in (found.p, adjusted))
            rows.append((pair.a, pair.b, way, signed(found.value), *ends, p, corrected, decided))
    return rows


def method(result: JudgedComparison) -> str:
    """Return how it was worked out, and what it supposes."""
    drawn = "drawn at random"
    if result.strata is not None:
        drawn = f"drawn at random within {clean(result.strata)}"
    units = plural(clean(result.cluster or result.kind))
    pairs = len(result.pairs)
    correction = f"; p by {result.correction} over {pairs} pairs" if pairs > 1 else ""
    return (
        f"Prediction-powered means (PPI++), the judge's weight tuned, Student's t over {units}"
        f"{correction}. This holds whatever the judge does, if the labelled "
        f"{plural(result.kind)} were {drawn}."
    )
