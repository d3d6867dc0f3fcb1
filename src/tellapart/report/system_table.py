"""The systems of a comparison in a terminal: scores, intervals on one axis, groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tellapart.comparison.record import Comparison, SystemResult
from tellapart.report.fitting import WIDTH, clean, columns, cut, filled, left, short_names
from tellapart.report.numbers import plain
from tellapart.report.verdict import ranking
from tellapart.words import several

_LONGEST_NAME = 28
_LONGEST_LETTERS = 12
_WIDEST_STRIP = 41
_NARROWEST_STRIP = 12
_INDENT = "  "
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def items_line(result: Comparison) -> str:
    """Say on how much the systems were compared."""
    items = several(result.units["count"], result.units["kind"])
    clusters = result.units["clusters"]
    if clusters is None:
        return items
    return f"{items} in {several(clusters['count'], clusters['kind'])}"


def system_table(result: Comparison, metric: str, *, colour: bool = False) -> list[str]:
    """Return the lines of the table, the best system first and, in colour, its group in bold."""
    ordered = ranking(result, metric)
    direction = "higher" if result.metrics[metric]["higher_is_better"] else "lower"
    heading = f"{_INDENT}{clean(metric)}, {items_line(result)}"
    better = f"{direction} is better"
    room = WIDTH - len(better) - 2
    lines = [f"{left(cut(heading, room), room)}  {better}", _header(result, metric)]
    table = _table(result, metric)
    letters = result.letters.get(metric, {})
    best = letters.get(ordered[0].name, "")
    for system in ordered:
        line = table.row(system, metric, letters.get(system.name, ""))
        first = bool(best) and best[0] in letters[system.name]
        lines.append(f"{BOLD}{line}{PLAIN}" if colour and first else line)
    changed = [f"{short} is {clean(n)}" for n, short in table.names.items() if short != clean(n)]
    return [*lines, *filled("; ".join(changed), _INDENT).splitlines()]


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis of plain characters."""

    start: float
    end: float
    width: int

    def column(self, value: float) -> int:
        """Return the column of a value."""
        place = round((value - self.start) / (self.end - self.start) * (self.width - 1))
        return min(self.width - 1, max(0, place))

    def ticks(self) -> str:
        """Write the axis: round values, each above its column.

        >>> Scale(0.38, 0.86, 41).ticks().rstrip()
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
        """Choose a round step with room for its labels, and their number of decimals."""
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
        """Draw an interval.

        >>> Scale(0, 1, 11).strip(0.2, 0.5, 0.9)
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


@dataclass(frozen=True, slots=True)
class _Table:
    names: dict[str, str]
    name_width: int
    digits: int
    scale: Scale | None
    has_letters: bool

    def row(self, system: SystemResult, metric: str, letters: str) -> str:
        score = system.scores[metric]
        line = f"{_INDENT}{left(self.names[system.name], self.name_width)}"
        line += f"  {plain(score):>{self.digits}}"
        if self.scale is not None:
            low, high = system.intervals.get(metric, (None, None))
            line += f"  {plain(low):>{self.digits}} - {plain(high):>{self.digits}}"
            if self.scale.width >= _NARROWEST_STRIP:
                line += f"  {self.scale.strip(low, score, high)}"
        return (line + (f"  {cut(letters, _LONGEST_LETTERS)}" if letters else "")).rstrip()


def _table(result: Comparison, metric: str) -> _Table:
    """Share out the width of the terminal."""
    ends = [e for s in result.systems for e in s.intervals.get(metric, ()) if e is not None]
    scores = [system.scores[metric] for system in result.systems]
    digits = max(5, *(len(plain(value)) for value in [*ends, *scores]))
    letters = result.letters.get(metric, {})
    widest = min(_LONGEST_LETTERS, max(map(len, letters.values()), default=0))
    used = len(_INDENT) + 2 + digits + 2 + 2 * digits + 3
    used += 2 + max(5, widest) if letters else 0
    longest = min(_LONGEST_NAME, WIDTH - used)
    names = short_names([system.name for system in result.systems], longest)
    name_width = max(6, *map(columns, names.values()))
    used += name_width + 2
    scale = None
    if ends and min(ends) < max(ends):
        low, high = min([*ends, *scores]), max([*ends, *scores])
        scale = Scale(low, high, min(_WIDEST_STRIP, WIDTH - used))
    return _Table(names, name_width, digits, scale, bool(letters))


def _header(result: Comparison, metric: str) -> str:
    table = _table(result, metric)
    line = f"{_INDENT}{'system':<{table.name_width}}  {'score':>{table.digits}}"
    if table.scale is not None:
        level = f"{100 * (result.interval_level or 0):g} % interval"
        line += f"  {level:<{2 * table.digits + 3}}"
        if table.scale.width >= _NARROWEST_STRIP:
            line += f"  {table.scale.ticks()}"
    return (line + ("  group" if table.has_letters else "")).rstrip()
