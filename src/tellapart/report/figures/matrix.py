"""Figure: the matrix of all pairs, row minus column, shaded by size, framed where different."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import different_before_correction, has_every_pair, ranking
from tellapart.comparison.record import Comparison
from tellapart.report.figures.names import (
    column_angle,
    hover,
    name_text,
    system_names,
    text_width,
    upright,
)
from tellapart.report.figures.svg import (
    BETTER,
    FAINT,
    GRID,
    INK,
    STRONGEST,
    WIDTH,
    WORSE,
    deepest_from,
    element,
    figure,
    number,
    opacity,
    text,
)
from tellapart.report.numbers import SAME, ends_words, p_text, signed
from tellapart.report.wording import p_name
from tellapart.words import several

MOST_NUMBERS = 15
"""Systems with numbers in their cells; with more, the numbers are on hover and in the table"""
MOST_SIGNS = 30
"""Systems with signs in their cells; with more, the rows above are the better ones"""
_NAME = 110.0  # room for a name
_WIDEST, _HIGHEST, _LEAST = 76, 34, 15  # pixels of a cell
_PALE_WORDS = "Pale, however large: the pair cannot be told apart."
_SPELLED = 15  # pairs that the text alternative lists


def draw(result: Comparison, metric: str, name: str, *, bare: bool = False) -> str:
    """Return the differences of all pairs as SVG; with a baseline, some cells are empty.

    Of more pairs than a report sees there is none.

    `bare` cells say nothing when a pointer rests on them: the page has words of its own for them.
    """
    if not has_every_pair(result):
        return ""
    order = [system.name for system in ranking(result, metric)]
    pairs = [(i, pair) for i, pair in enumerate(result.pairs) if pair.metric == metric]
    grid = _Grid.of(order, system_names(result, _NAME), [pair.difference for _, pair in pairs])
    deepest = deepest_from(system.scores[metric] for system in result.systems)
    looks: dict[_Look, list[str]] = {}
    words: list[str] = []
    for i, pair in pairs:
        for seen in (pair, pair.mirrored()):
            looks.setdefault(_Look.of(result, seen), []).append(_cell(i, seen, grid, deepest, bare))
            if len(order) <= MOST_SIGNS:
                words.append(_number(seen, grid))
    bottom = grid.top + grid.height * len(order)
    keys = list(_legend(result, {look.frame for look in looks}, [pair for _, pair in pairs]))
    parts = [
        *_names(order, grid),
        _diagonal(grid, len(order)),
        # Framed cells come last, so that no neighbour covers a frame.
        *(element("g", "".join(looks[look]), **look.attributes()) for look in sorted(looks)),
        element("g", "".join(words), fill=INK, text_anchor="middle", pointer_events="none")
        if words
        else "",
        *(_key(keys[k], 8 + 190 * (k % 2), bottom + 16 + 22 * (k // 2)) for k in range(len(keys))),
    ]
    below = bottom + 16 + 22 * ((len(keys) + 1) // 2)
    notes = f"Row minus column; deepest shade: {deepest:g} or more.", _PALE_WORDS
    parts += [text(8, below + 13 + 18 * k, words, fill=FAINT) for k, words in enumerate(notes)]
    title = f"All pairs by {metric}: row minus column"
    return figure(
        grid.picture, below + 42, title, sentence(result, metric), parts, name, role="group"
    )


def sentence(result: Comparison, metric: str) -> str:
    """Return what the figure shows, in words; with few pairs, number by number."""
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    apart = sum(pair.different for pair in pairs)
    dotted = [pair for pair in pairs if different_before_correction(pair, result.alpha)]
    words = (
        f"{metric}, row minus column: {apart:,} of {several(len(pairs), 'pair')} can be told apart"
    )
    unsure = sum(_unsure(result, pair) for pair in dotted)
    if len(dotted) > unsure:
        words += f", {len(dotted) - unsure} more only before p is adjusted for the number of pairs"
    if unsure:
        words += f", {unsure} more without the confidence that was asked for"
    if len(pairs) > _SPELLED:
        most = max(pairs, key=lambda pair: abs(pair.difference))
        largest = _short(most, p_name(result))
        return f"{words}. The largest difference is {most.a} minus {most.b}, {largest}."
    listed = "; ".join(f"{pair.a} minus {pair.b} {_short(pair, p_name(result))}" for pair in pairs)
    return f"{words}. {listed}."


def _short(pair: PairResult, name: str) -> str:
    return f"{signed(pair.difference)} ({name} {p_text(pair.p_adjusted)})"


@dataclass(frozen=True, slots=True)
class _Grid:
    """The places of the cells."""

    rank: dict[str, int]
    left: int
    top: int
    width: int
    height: int
    angle: int
    """The angle of the names of columns"""
    picture: int
    """The width of all"""
    names: dict[str, str]
    """As short as there is room"""

    @classmethod
    def of(cls, order: list[str], names: dict[str, str], differences: Sequence[float]) -> _Grid:
        rank = {name: i for i, name in enumerate(order)}
        left = 12 + math.ceil(max(map(text_width, names.values())))
        least = _LEAST
        if len(order) <= MOST_NUMBERS:
            least = 2 + math.ceil(max(text_width(_cell_words(d, True)) for d in differences))
        picture = max(WIDTH, left + least * len(order) + 6)
        level = 8 + math.ceil(max(map(text_width, names.values())))  # names then need not lean
        width = min(max(_WIDEST, level), (picture - 6 - left) // len(order))
        angle, rise, reach = column_angle(names.values(), width)
        # The last name leans over the edge; where cells cannot give way, names stand upright.
        narrower = 2 * (picture - 6 - left - reach) // (2 * len(order) - 1)
        if angle == 45 and narrower < least:
            angle, rise, reach = upright(names.values())
        elif angle:
            width = min(width, narrower)
        return cls(rank, left, 12 + rise, width, min(width, _HIGHEST), angle, picture, names)

    def corner(self, row: str, column: str) -> tuple[int, int]:
        return (
            self.left + self.width * self.rank[column],
            self.top + self.height * self.rank[row],
        )

    def box(self, x: int, y: int) -> str:
        """Return the path around a cell."""
        width, height = self.width - 2, self.height - 2
        return f"M{x + 1} {y + 1}h{width}v{height}h{-width}z"


@dataclass(frozen=True, slots=True, order=True)
class _Look:
    """The look that some cells have in common."""

    frame: int
    """0 none, 1 dotted: only before adjusting, or not sure enough, 2 solid: told apart"""
    ahead: bool

    @classmethod
    def of(cls, result: Comparison, pair: PairResult) -> _Look:
        higher = result.metrics[pair.metric].higher_is_better
        frame = 2 if pair.different else int(different_before_correction(pair, result.alpha))
        return cls(frame, (pair.difference > 0) == higher)

    def attributes(self) -> dict[str, object]:
        fill = {"fill": BETTER if self.ahead else WORSE}
        return {**fill, **_FRAMES[self.frame]}


_FRAMES: tuple[dict[str, object], ...] = (
    {},
    {"stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "1.5 3"},
    {"stroke": INK, "stroke_width": 2},
)


def _cell(i: int, pair: PairResult, grid: _Grid, deepest: float, bare: bool) -> str:
    """Return one cell; its number is drawn over all of them."""
    x, y = grid.corner(pair.a, pair.b)
    shade = opacity(pair.difference, deepest, told=pair.different or pair.p is None)
    if bare:
        return element("path", d=grid.box(x, y), fill_opacity=shade, class_="cell", data_pair=i)
    shape = element("path", d=grid.box(x, y), fill_opacity=shade)
    ends = ends_words(pair.interval)
    words = f"{grid.names[pair.a]} minus {grid.names[pair.b]}: {signed(pair.difference)}"
    words += f"{f' ({ends})' if ends else ''}, p {p_text(pair.p)}"
    if pair.p_adjusted != pair.p:
        words += f", adjusted {p_text(pair.p_adjusted)}"
    return element("g", hover(words) + shape, class_="cell", data_pair=i)


def _number(pair: PairResult, grid: _Grid) -> str:
    x, y = grid.corner(pair.a, pair.b)
    words = _cell_words(pair.difference, len(grid.rank) <= MOST_NUMBERS)
    return element("text", words, x=x + grid.width / 2, y=y + grid.height / 2 + 4.5)


def _cell_words(difference: float, numbers: bool) -> str:
    """Return a difference as short as a cell needs, or only its sign.

    >>> _cell_words(0.1944, True), _cell_words(-1.2345, True), _cell_words(-0.2, False)
    ('+.194', '-1.23', '−')
    >>> _cell_words(-123.45, True), _cell_words(-0.00012, True)
    ('-123', '≈0')
    """
    if not numbers:
        return "0" if abs(difference) < SAME else "+" if difference > 0 else "−"
    if abs(difference) >= 0.9995:
        decimals = 2 if abs(difference) < 10 else 1 if abs(difference) < 100 else 0
        return f"{difference:+,.{decimals}f}"
    if abs(difference) < 0.0005:
        return "0" if abs(difference) < SAME else "≈0"
    return signed(difference).replace("0.", ".", 1)


def _names(order: list[str], grid: _Grid) -> Iterator[str]:
    for i, name in enumerate(order):
        short = grid.names[name]
        middle = grid.top + grid.height * (i + 0.5) + 4.5
        yield name_text(grid.left - 6, middle, name, short, text_anchor="end", fill=INK)
        x, y = grid.left + grid.width * (i + 0.5), grid.top - 7
        if grid.angle:
            x += 4.5 if grid.angle == 90 else 0
            turned = f"rotate(-{grid.angle} {number(x)} {number(y)})"
            yield name_text(x, y, name, short, fill=INK, transform=turned)
        else:
            yield name_text(x, y, name, short, text_anchor="middle", fill=INK)


def _diagonal(grid: _Grid, count: int) -> str:
    """Return the cells of each system against itself."""
    cells = "".join(
        grid.box(grid.left + grid.width * i, grid.top + grid.height * i) for i in range(count)
    )
    return element("path", d=cells, fill=GRID, fill_opacity=0.35)


_Key = tuple[str, dict[str, object]]


def _unsure(result: Comparison, pair: PairResult) -> bool:
    """Whether only the confidence that was asked for is lacking, and nothing was adjusted away."""
    return (
        result.min_confidence is not None
        and pair.p_adjusted is not None
        and pair.p_adjusted <= result.alpha
    )


def _legend(result: Comparison, frames: set[int], pairs: Sequence[PairResult]) -> Iterator[_Key]:
    """Yield a key to what there is to see."""
    yield "row better", {"fill": BETTER, "fill_opacity": STRONGEST}
    yield "row worse", {"fill": WORSE, "fill_opacity": STRONGEST}
    if 2 in frames:
        yield f"{p_name(result)} at most {result.alpha:g}", {"fill": "none", **_FRAMES[2]}
    if 1 in frames:
        dotted = [pair for pair in pairs if different_before_correction(pair, result.alpha)]
        unsure = [_unsure(result, pair) for pair in dotted]
        enough = f"confidence below {result.min_confidence:g}" if any(unsure) else ""
        reasons = ["" if all(unsure) else "only before adjusting", enough]
        yield "; or ".join(filter(None, reasons)), {"fill": "none", **_FRAMES[1]}


def _key(key: _Key, x: float, y: float) -> str:
    words, look = key
    return element("rect", x=x, y=y, width=18, height=14, **look) + text(x + 25, y + 11.5, words)
