"""The tasks of a suite: the table of systems × tasks, and the tasks on which the order turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tellapart.comparison.pair_record import Ends, Slice
from tellapart.comparison.ranking import pairs_of, ranking
from tellapart.comparison.record import Comparison
from tellapart.comparison.suites import turned
from tellapart.report.numbers import ends, p_text, plain, signed
from tellapart.report.terminal_text import columns, cut, filled, left, right, short_names
from tellapart.report.terminal_text import room as terminal_room
from tellapart.report.wording import level_words
from tellapart.words import clean, listed, plural, several

OVERALL = "overall"
BEST, WORSE = "+", "-"
"""What marks the best score of a task, and those that are shown to be worse than it"""
MOST_TASKS = 20
"""With more tasks, a terminal shows those on which something is shown, or turns"""
_INDENT = "  "
_SHORTEST_NAME, _LEAST_NAME, _LONGEST_NAME = 8, 16, 30
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


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of figures, or of names, which stand at the left."""

    head: str
    cells: tuple[str, ...]
    names: bool = False

    @property
    def width(self) -> int:
        return max(columns(self.head), *map(columns, self.cells))

    def filled_up(self) -> list[str]:
        """Return head and cells, all equally wide."""
        side = left if self.names else right
        return [side(cell, self.width) for cell in (self.head, *self.cells)]


def _lines(result: Comparison, metric: str, rows: Sequence[TaskRow]) -> list[str]:
    names = systems_in_order(result, metric)
    compared = len(names) == 2 and any(row.difference is not None for row in rows)
    items = [_Column(plural(result.units.kind), tuple(f"{row.units:,}" for row in rows))]
    score = [_Column("score", tuple(clean(row.score) for row in rows), names=True)]
    layouts = [(items, _differences(result, rows, short)) for short in (False, True)]
    if any(row.score for row in rows):  # a notice has these names, too
        layouts.insert(0, ([*items, *score], layouts[0][1]))
    if not compared:
        layouts = [(before, []) for before, _ in layouts]
    label = result.suite[metric].label
    longest = max(columns(label), *(columns(clean(row.name)) for row in rows))
    widest = max(len(plain(value)) for row in rows for value in row.scores)
    wanted = sum(max(widest, min(columns(clean(name)), _LONGEST_SYSTEM)) + 3 for name in names)
    for before, after in layouts:
        rest = len(_INDENT) + sum(column.width + 2 for column in (*before, *after))
        free = terminal_room() - rest - min(longest, _LEAST_NAME)
        if wanted <= free:
            break
    number = max(2, min(len(names), free // (widest + 3)))
    shorts = short_names(names[:number], max(widest, min(_LONGEST_SYSTEM, free // number - 3)))
    systems = [
        _Column(f"{shorts[name]} ", tuple(f"{plain(r.scores[k])}{r.marks[k] or ' '}" for r in rows))
        for k, name in enumerate(names[:number])
    ]
    room = terminal_room() - rest - sum(column.width + 2 for column in systems)
    room = max(_SHORTEST_NAME, min(_LONGEST_NAME, room))
    titles = _Column(label, tuple(cut(clean(row.name), room) for row in rows), names=True)
    table = [titles, *before, *systems, *after]
    across = zip(*(column.filled_up() for column in table), strict=True)
    lines = [f"{_INDENT}{'  '.join(cells)}".rstrip() for cells in across]
    if number < len(names):
        more = several(len(names) - number, "more system")
        lines.append(f"{_INDENT}{more}: --html FILE, or --json FILE.")
    changed = [f"{s} is {clean(name)}" for name, s in shorts.items() if s != clean(name)]
    words = marks_words(result, metric)
    tasks = len(result.suite[metric].tasks)
    if compared and tasks > 1 and any(row.interval is not None for row in rows[1:]):
        every = "both" if tasks == 2 else f"all {tasks}"
        words += f"; intervals of {plural(label)} hold for {every} at once"
    for text in ("; ".join(changed), words):
        lines += filled(text, _INDENT).splitlines()
    return lines


def _differences(result: Comparison, rows: Sequence[TaskRow], short: bool) -> list[_Column]:
    """Return the columns on the difference of two systems, with short heads or whole ones."""
    ps = [p_text(row.p_adjusted, result.alpha) + (" *" if row.different else "  ") for row in rows]
    found = [
        _Column("diff." if short else "difference", tuple(signed(row.difference) for row in rows)),
        _Column("adj. p" if short else "adjusted p", tuple(ps)),
    ]
    if result.interval_level is not None:
        size = max(len(end) for row in rows for end in ends(row.interval))
        both = tuple(_both(row.interval, size) for row in rows)
        found.insert(1, _Column(level_words(result), both))
    return found


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
