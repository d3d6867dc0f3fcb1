"""Figure: the null distribution, the differences that chance alone would make, as a histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from tellapart.comparison.details import PairDetails
from tellapart.comparison.null_histograms import Histogram
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.record import Comparison
from tellapart.report.figures.axes import Scale, bare_ticks
from tellapart.report.figures.names import system_names, text_width
from tellapart.report.figures.svg import FAINT, GRID, INK, WIDTH, WORSE, element, figure, printable
from tellapart.report.numbers import p_text, signed
from tellapart.report.wording import item_count, item_kind
from tellapart.significance.registry import RANDOMIZATION
from tellapart.words import plural

BASE, _TALLEST = 136, 102
_EDGE = 26
_EXCHANGED, _FLIPPED = ", names exchanged by chance", ", signs flipped by chance"
_COUNTABLE = 10**12  # above, numbers are no longer written out


def draw(result: Comparison, pair: PairResult, details: PairDetails, name: str) -> str:
    """Return the null distribution of one pair as SVG; nothing where the test has none."""
    null = details.null
    if null is None:
        return ""
    edges = [null.start + null.width * i for i in range(len(null.counts) + 1)]
    scale = scale_of(pair, null)
    places = [round(scale(edge)) for edge in edges]
    tallest = max(null.counts, default=0) or 1
    bars = _steps(places, [_height(count, tallest) for count in null.counts])
    extreme = _steps(places, [_height(count, tallest) for count in null.extreme])
    hatch = (
        f'<pattern id="{escape(name)}-h" width="4" height="4" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><path d="M0 0V4" stroke="{WORSE}" stroke-width="5"/>'
        "</pattern>"
    )
    measured = round(scale(pair.difference))
    after = measured < WIDTH / 2
    label = f'<text x="{measured + (6 if after else -6)}" y="20"'
    label += (
        f' text-anchor="{"start" if after else "end"}">measured {signed(pair.difference)}</text>'
    )
    names = system_names(result, (WIDTH - 70 - text_width(_EXCHANGED)) / 2)
    by_chance = _FLIPPED if pair.equal_scores else _EXCHANGED
    below = f"{names[pair.a]} minus {names[pair.b]}{by_chance}"
    values = bare_ticks(scale, BASE + 19, signs=True)
    parts = [
        hatch if extreme else "",
        element("path", d=f"{bars}M{_EDGE} {BASE}H{WIDTH - _EDGE}", fill=GRID, stroke=FAINT),
        element("path", d=extreme, fill=f"url(#{name}-h)", stroke=WORSE) if extreme else "",
        f'<g fill="{INK}" text-anchor="middle"><path d="M{measured - 1} 8h2V{BASE + 4}h-2z"/>',
        f"{values}{label}"
        f'<text x="{WIDTH // 2}" y="{BASE + 38}">{escape(printable(below))}</text></g>',
    ]
    title = f"How unusual is {signed(pair.difference)}?"
    return figure(WIDTH, BASE + 48, title, sentence(result, pair, details), parts, name)


def scale_of(pair: PairResult, null: Histogram) -> Scale:
    """Return where differences are drawn: all bins, the measured difference, and 0."""
    end = null.start + null.width * len(null.counts)
    low, high = min(null.start, pair.difference, 0.0), max(end, pair.difference, 0.0)
    return Scale(low, high, _EDGE + 2, WIDTH - _EDGE - 2)


def sentence(result: Comparison, pair: PairResult, details: PairDetails) -> str:
    """Return how often chance alone makes such a difference, in words."""
    null = details.null
    if null is None:
        return ""
    of_runs = pair.method == "runs"
    own = result.test in RANDOMIZATION and not of_runs
    if own and pair.shuffles is None and pair.p is not None:
        total = pair.arrangements or 2**pair.discordant
        words = f"All {_many(total)} arrangements{_tied(result, pair)} were counted: "
        words += f"{_share(pair.p)} a {_as_extreme(pair)}"
        if null.shuffles < total:
            words += f"; the picture shows {null.shuffles:,} of them"
        return f"{words}."
    count, times = null.shuffles, sum(null.extreme)
    if own and pair.shuffles is not None and pair.exceedances is not None:
        count, times = pair.shuffles, pair.exceedances
    often = {0: "not once", 1: "once"}.get(times, f"{times:,} times")
    words = f"In {count:,} shuffles the {_as_extreme(pair, ' was')} {often}"
    if null.shuffles < count:
        words += f"; the picture shows {null.shuffles:,} of them"
    if of_runs:
        words += "; they exchange items of these very runs, and p allows for other runs, too"
    elif not own:
        words += f"; they are for the eye, and p comes from the {result.test} test"
    return f"{words}."


def _tied(result: Comparison, pair: PairResult) -> str:
    """Return why there are no more arrangements: what is tied looks the same either way."""
    count = item_count(result, pair.metric)
    tied = count - pair.discordant
    if tied <= 0:
        return ""
    verbs = "is tied and does" if tied == 1 else "are tied and do"
    return f" ({tied:,} of {count:,} {plural(item_kind(result))} {verbs} not count)"


def _as_extreme(pair: PairResult, verb: str = "") -> str:
    if pair.tail == "two":
        return f"gap{verb} at least this large (shaded, either side)"
    claimed = pair.a if pair.tail == "greater" else pair.b
    return f"difference{verb} at least as good for {claimed} (shaded)"


def _share(p: float) -> str:
    """Return a probability as a share, with the digits that p is printed with.

    >>> _share(0.0284), _share(1.0), _share(1.8e-15)
    ('2.84 % have', 'all have', 'a share of 1.8e-15 has')
    """
    words = p_text(p)
    if words == "1":
        return "all have"
    if not words.startswith("."):
        return f"a share of {words} has"
    digits = words.removeprefix(".")
    return f"{int(digits[:2])}.{digits[2:]} % have"


def _many(count: int) -> str:
    """Return a number as text, in powers where it has too many digits.

    >>> _many(2**24), _many(2**73)
    ('16,777,216', '2^73 (about 9.4 × 10^21)')
    """
    if count < _COUNTABLE:
        return f"{count:,}"
    size = math.log10(count)
    about = f"{10 ** (size % 1):.1f} × 10^{int(size)}"
    power = count.bit_length() - 1
    return f"2^{power} (about {about})" if count == 1 << power else f"about {about}"


def _height(count: int, tallest: int) -> int:
    """Return the height of a bar; what is there at all can be seen."""
    return max(1, round(_TALLEST * count / tallest)) if count else 0


def _steps(places: Sequence[int], heights: Sequence[int]) -> str:
    """Return bars side by side as one outline; where there are none, there is no line."""
    path, level, run = "", 0, 0
    for (left, right), height in zip(pairwise(places), heights, strict=True):
        if height != level:
            if not level:
                path += f"M{left} {BASE}"
            elif run:
                path += f"h{run}"
            path += f"v{level - height}"
            level, run = height, 0
        run += right - left
    return f"{path}h{run}V{BASE}" if level else path
