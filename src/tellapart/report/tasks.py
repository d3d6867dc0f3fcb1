"""The tasks of a suite: the table of systems × tasks, and the tasks on which the order turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tellapart.comparison.ranking import pairs_of, ranking
from tellapart.comparison.record import Comparison, Ends, Slice
from tellapart.comparison.suites import turned
from tellapart.report.numbers import ends, p_text, plain, signed
from tellapart.report.terminal_text import WIDTH, columns, cut, filled, left, right, short_names
from tellapart.report.wording import level_words
from tellapart.words import clean, listed, plural, several

OVERALL = "overall"
BEST, WORSE = "+", "-"
"""What marks the best score of a task, and those that are shown to be worse than it"""
MOST_TASKS = 20
"""With more tasks, a terminal shows those on which something is shown, or turns"""
_INDENT = "  "
_LEAST_NAME, _LONGEST_NAME = 16, 30
_LONGEST_SYSTEM = 12
_NAMED = 4  # turns in a sentence


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A row of the table: the scores of all systems on a task, or overall."""

    name: str
    units: int
    score: str
    """What the score of the task is called, where tasks have different ones"""
    scores: tuple[float, ...]
    """In the order of the ranking"""
    marks: tuple[str, ...]
    """`+` at the best score, `-` at those that are shown to be worse than it, otherwise nothing"""
    difference: float | None = None
    """Of two systems, the first minus the second, with the interval and p"""
    interval: Ends | None = None
    p_adjusted: float | None = None
    different: bool = False

    @property
    def tells(self) -> bool:
        """Whether any difference is shown."""
        return WORSE in self.marks


def systems_in_order(result: Comparison, metric: str) -> list[str]:
    """Return the systems as the table has them, the best overall first."""
    return [system.name for system in ranking(result, metric)]


def task_rows(result: Comparison, metric: str) -> list[TaskRow]:
    """Return the rows of the table, the overall scores first."""
    table, names = result.suite[metric], systems_in_order(result, metric)
    scores = {system.name: system.scores[metric] for system in result.systems}
    overall = {
        frozenset((p.a, p.b)): (p.a, p.difference, p.interval, p.p_adjusted, p.different)
        for p in pairs_of(result, metric)
    }
    rows = [_row(result, metric, OVERALL, _units(result, metric), "", scores, overall)]
    of_task: dict[str, list[Slice]] = {}
    for part in result.slices:
        if part.by == table.label and part.metric == metric:
            of_task.setdefault(part.value, []).append(part)
    for task in table.tasks:
        found = {
            frozenset((p.a, p.b)): (p.a, p.difference, p.interval, p.p_adjusted, p.different)
            for p in of_task.get(task.name, ())
        }
        score = task.score or ""
        rows.append(_row(result, metric, task.name, task.units, score, task.scores, found))
    assert len(rows[0].scores) == len(names)
    return rows


_Found = dict[frozenset[str], tuple[str, float, Ends | None, float | None, bool]]


def _units(result: Comparison, metric: str) -> int:
    return result.units_of(metric).count


def _row(
    result: Comparison,
    metric: str,
    name: str,
    units: int,
    score: str,
    scores: dict[str, float],
    found: _Found,
) -> TaskRow:
    names = systems_in_order(result, metric)
    sign = 1 if result.metrics[metric].higher_is_better else -1
    top = max(sign * scores[system] for system in names)
    best = [system for system in names if sign * scores[system] == top]
    marks = []
    for system in names:
        behind = any((known := found.get(frozenset((system, one)))) and known[4] for one in best)
        alone = len(best) < len(names)
        marks.append(BEST if system in best and alone else WORSE if behind else "")
    row = TaskRow(name, units, score, tuple(scores[system] for system in names), tuple(marks))
    known = found.get(frozenset(names)) if len(names) == 2 else None
    if known is None:
        return row
    first, difference, interval, p, different = known
    if first != names[0]:
        difference = 0.0 - difference
        low, high = interval or (None, None)
        turned_round = None if high is None else 0.0 - high, None if low is None else 0.0 - low
        interval = None if interval is None else turned_round
    return TaskRow(name, units, score, row.scores, row.marks, difference, interval, p, different)


def turns_sentence(result: Comparison, metric: str) -> str:
    """Return on which tasks the order turns, and whether that is shown or may be chance."""
    table = result.suite[metric]
    tasks, pairs = len(table.tasks), len(pairs_of(result, metric))
    if result.tail != "two":
        return ""
    found = turned(result, metric)
    if not found:
        same = "The order is the same" if pairs == 1 else "The order of every pair is the same"
        return f"{same} on {'both' if tasks == 2 else f'all {tasks}'} {plural(table.label)}."
    shown = [part for part in found if part.different]
    rest = [part for part in found if not part.different]
    if pairs == 1:
        behind = clean(found[0].b)
        text = f"The order turns on {several(len(found), table.label)} of {tasks}: "
        parts = []
        if shown:
            named = listed([_with_p(result, part) for part in shown], _NAMED)
            parts.append(f"{behind} is shown to be better on {named}")
        if rest:
            named = listed([clean(part.value) for part in rest], _NAMED)
            parts.append(
                f"{'ahead' if shown else f'{behind} is ahead'} on {named}, which may be chance"
            )
        return text + "; ".join(parts) + "."
    all_of = f"{tasks * pairs:,} pairs and {plural(table.label)}"
    text = f"Of {all_of}, {len(found)} stand the other way round than overall: "
    if not shown:
        return f"{text}each of these may be chance."
    each = [f"{clean(p.b)} better than {clean(p.a)} on {_with_p(result, p)}" for p in shown]
    text += f"shown {'is' if len(shown) == 1 else 'are'} {listed(each, _NAMED)}"
    return f"{text}; the others may be chance." if rest else f"{text}."


def _with_p(result: Comparison, part: Slice) -> str:
    return f"{clean(part.value)} (adjusted p = {p_text(part.p_adjusted, result.alpha)})"


def aggregate_sentence(result: Comparison, metric: str) -> str:
    """Return what the overall score is."""
    return f"{OVERALL}: {clean(result.suite[metric].aggregate)}"


def correction_words(result: Comparison, metric: str) -> str:
    """Return what the p-values of tasks are corrected over."""
    table, pairs = result.suite[metric], len(pairs_of(result, metric))
    over = several(len(table.tasks), table.label)
    return f"Holm over {over}" if pairs == 1 else f"Holm over {over} × {pairs} pairs"


def marks_words(result: Comparison, metric: str) -> str:
    """Return what the marks mean."""
    return (
        f"{BEST} best; {WORSE} shown to be worse than it: adjusted p at most {result.alpha:g}, "
        f"{correction_words(result, metric)}"
    )


def task_table(result: Comparison, metric: str, *, full: bool = False) -> list[str]:
    """Return the lines of the table for a terminal, with the sentence on turns below it.

    Of many tasks, those on which something is shown or turns, unless it is to be `full`.
    """
    rows = task_rows(result, metric)
    shown, note = rows, ""
    if len(rows) - 1 > MOST_TASKS and not full:
        other_way = {part.value for part in turned(result, metric)[:MOST_TASKS]}
        pairs = len(pairs_of(result, metric))
        telling = [r for r in rows[1:] if r.tells or (pairs == 1 and r.name in other_way)]
        shown = [rows[0], *telling[:MOST_TASKS]]
        label = result.suite[metric].label
        note = f"{several(len(rows) - len(shown), f'further {label}')}: --full."
    lines = _lines(result, metric, shown)
    heading = (
        f"{clean(metric)} by {result.suite[metric].label}; {aggregate_sentence(result, metric)}"
    )
    closing = [filled(words, _INDENT) for words in (note, turns_sentence(result, metric)) if words]
    return [*filled(heading, _INDENT).splitlines(), *lines, *closing]


def _lines(result: Comparison, metric: str, rows: Sequence[TaskRow]) -> list[str]:
    names = systems_in_order(result, metric)
    compared = len(names) == 2 and any(row.difference is not None for row in rows)
    cells = [[f"{row.units:,}"] for row in rows]
    heads = [plural(result.units.kind)]
    if any(row.score for row in rows):
        heads.append("score")
        for cell, row in zip(cells, rows, strict=True):
            cell.append(clean(row.score))
    fixed = len(heads)
    shown, room = _that_fit(names, rows, compared)
    shorts = short_names(names[:shown], room)
    for k, name in enumerate(names[:shown]):
        heads.append(f"{shorts[name]} ")
        for cell, row in zip(cells, rows, strict=True):
            cell.append(f"{plain(row.scores[k])}{row.marks[k] or ' '}")
    if compared:
        heads.append("difference")
        size = max(len(end) for row in rows for end in ends(row.interval))
        with_ends = result.interval_level is not None
        heads += [level_words(result), "adjusted p"] if with_ends else ["adjusted p"]
        for cell, row in zip(cells, rows, strict=True):
            cell.append(signed(row.difference))
            if with_ends:
                cell.append(_both(row.interval, size))
            cell.append(p_text(row.p_adjusted, result.alpha) + (" *" if row.different else "  "))
    widths = [max(columns(h), *(columns(c[k]) for c in cells)) for k, h in enumerate(heads)]
    if fixed == 2 and len(_INDENT) + _LEAST_NAME + sum(widths) + 2 * len(widths) > WIDTH:
        # A notice has the names of the scores, too.
        del heads[1], widths[1]
        for cell in cells:
            del cell[1]
        fixed = 1
    room = WIDTH - len(_INDENT) - sum(widths) - 2 * len(widths)
    room = max(_LEAST_NAME, min(_LONGEST_NAME, room))
    titles = [cut(clean(row.name), room) for row in rows]
    width = max(columns(result.suite[metric].label), *map(columns, titles))
    lines = []
    for title, some in [(result.suite[metric].label, heads), *zip(titles, cells, strict=True)]:
        figures = "  ".join(
            left(c, w) if 0 < k < fixed else right(c, w)
            for k, (c, w) in enumerate(zip(some, widths, strict=True))
        )
        lines.append(f"{_INDENT}{left(title, width)}  {figures}".rstrip())
    if shown < len(names):
        more = several(len(names) - shown, "more system")
        lines.append(f"{_INDENT}{more}: --html FILE, or --json FILE.")
    changed = [f"{s} is {clean(name)}" for name, s in shorts.items() if s != clean(name)]
    lines += filled("; ".join(changed), _INDENT).splitlines()
    return [*lines, *filled(marks_words(result, metric), _INDENT).splitlines()]


def _that_fit(names: Sequence[str], rows: Sequence[TaskRow], compared: bool) -> tuple[int, int]:
    """Return how many systems there is room for, and how long their names may be."""
    if compared:
        return 2, _LONGEST_SYSTEM
    widest = max(len(plain(score)) for row in rows for score in row.scores)
    used = len(_INDENT) + _LEAST_NAME + 2 + 7 + (14 if any(row.score for row in rows) else 0)
    number = max(2, min(len(names), (WIDTH - used) // (widest + 3)))
    return number, min(_LONGEST_SYSTEM, (WIDTH - used) // number - 3)


def _both(interval: Ends | None, size: int) -> str:
    low, high = ends(interval)
    return f"{low:>{size}} {high:>{size}}"


def cells_of(result: Comparison, metric: str) -> Iterable[list[str]]:
    """Yield the table as texts, the heads first: for Markdown, LaTeX and pages."""
    rows, names = task_rows(result, metric), systems_in_order(result, metric)
    named = any(row.score for row in rows)
    score = ["score"] if named else []
    yield [result.suite[metric].label, plural(result.units.kind), *score, *names]
    for row in rows:
        scores = [f"{plain(s)}{mark}" for s, mark in zip(row.scores, row.marks, strict=True)]
        yield [row.name, f"{row.units:,}", *([row.score] if named else []), *scores]
