"""Preferences in words and as a table: who beat whom how often, and what the judge likes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tellapart.comparison.ranking import ranking
from tellapart.comparison.record import Comparison
from tellapart.report.numbers import p_text
from tellapart.report.terminal_text import columns, left, right, short_names
from tellapart.report.terminal_text import room as terminal_room
from tellapart.words import clean, plural, several

if TYPE_CHECKING:
    from tellapart.comparison.preference_record import HeadToHead, Preferences
    from tellapart.significance.judged_places import Liking

MOST_SYSTEMS = 9
"""Systems whose outcomes fit a table of a terminal; those of more are in the record and figure"""
_LONGEST = 16
_SCALES = {
    "bradley_terry": "log-odds of winning by Bradley and Terry, of mean 0",
    "elo": "those of Bradley and Terry in units of Elo: 400 points are odds of ten to one, the "
    "mean is 1000",
}
_EXAMPLES = {"bradley_terry": ("0.5", 0.622), "elo": ("100", 0.640)}


def preference_sentences(result: Comparison) -> list[str]:
    """Return what is to be said of judgments side by side, a sentence or two each."""
    found = result.preferences
    if found is None:
        return []
    said = [_outcomes(result, found), _scale(result, found), _places(result, found)]
    return [each for each in (*said, _longer(result, found)) if each]


def percent(share: float) -> str:
    """Return a share in percent; what is neither never nor always does not look like it.

    >>> percent(0.536), percent(0.0004), percent(0.9999), percent(1)
    ('54 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def _outcomes(result: Comparison, found: Preferences) -> str:
    """Return wins, ties and losses of two systems."""
    if found.reference is not None:
        return f"All were judged against {clean(found.reference)}; win_rate is what they won there."
    if len(result.systems) != 2 or not found.head_to_head:
        return ""
    best = ranking(result, next(iter(result.metrics)))[0].name
    met = found.head_to_head[0]
    met = met if met.a == best else met.mirrored()
    return (
        f"{clean(met.a)} wins {percent(met.wins / met.units)}, ties {percent(met.ties / met.units)}"
        f" and loses {percent(met.losses / met.units)} of "
        f"{several(met.units, result.units.kind)} against {clean(met.b)}"
        f"{_judged(result, found)}."
    )


def _judged(result: Comparison, found: Preferences) -> str:
    if found.judgments == found.units:
        return ""
    each = "a prompt" if result.units.kind == "prompt" else f"a {result.units.kind}"
    return f" ({found.judgments:,} judgments; those of {each} are averaged)"


def _scale(result: Comparison, found: Preferences) -> str:
    """Return what the scores of many systems are, and whether one scale fits."""
    if found.scale is None:
        return ""
    lead, share = _EXAMPLES[found.scale]
    said = (
        f"Scores are {_SCALES[found.scale]}; a tie is half a win. A lead of {lead} wins "
        f"{percent(share)}."
    )
    if found.fit is None:
        return f"{said} Whether one scale fits cannot be told: too few pairs met."
    if found.fit.p > result.alpha:
        p = p_text(found.fit.p, result.alpha)
        return f"{said} Nothing speaks against one scale for all (p = {p})."
    return f"{said} One scale does not fit (p = {p_text(found.fit.p, result.alpha)})."


def _places(result: Comparison, found: Preferences) -> str:
    """Return what is known of the order in which outputs were shown."""
    if found.orders == "unknown":
        return "In which order the two were shown is not known."
    if found.first_place is None:
        return ""
    liking = f"the first place won {_liked(result, found.first_place)}"
    if found.orders == "both":
        return f"Both orders were judged, so that places cancel; {liking}."
    return f"Of what was judged in either order, {liking}."


def _longer(result: Comparison, found: Preferences) -> str:
    if found.longer is None:
        return ""
    return f"The longer of two outputs won {_liked(result, found.longer)}."


def _liked(result: Comparison, liking: Liking) -> str:
    p = "" if liking.p is None else f" (p = {p_text(liking.p, result.alpha)})"
    return f"{percent(liking.rate)}{p}"


def win_table(result: Comparison) -> list[str]:
    """Return the lines of a table of win rates, row against column; none for two systems."""
    found = result.preferences
    if found is None or found.scale is None or len(result.systems) > MOST_SYSTEMS:
        return []
    order = [system.name for system in ranking(result, next(iter(result.metrics)))]
    room = (terminal_room() - 2) // (len(order) + 1) - 2
    names = short_names(order, max(5, min(_LONGEST, room)))
    rows = [[_cell(found.between(a, b)) if a != b else "" for b in order] for a in order]
    widths = [max(columns(names[b]), *(len(row[k]) for row in rows)) for k, b in enumerate(order)]
    first = max(7, *(columns(name) for name in names.values()))
    lines = [f"  {left('won of', first)}  " + "  ".join(
        right(names[b], width) for b, width in zip(order, widths, strict=True))]  # fmt: skip
    for name, row in zip(order, rows, strict=True):
        cells = "  ".join(right(cell, width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"  {left(names[name], first)}  {cells}".rstrip())
    kinds = plural(result.units.kind)
    lines.append(f"  Shares of {kinds} on which the two met, row against column, ties as half;")
    lines.append(f"  * not even, adjusted p at most {result.alpha:g}")
    return lines


def _cell(met: HeadToHead | None) -> str:
    if met is None:
        return "-"
    return f"{percent(met.win_rate)}{'*' if met.different else ' '}"


def win_rows(result: Comparison) -> Iterator[dict[str, str]]:
    """Yield the pairs that met as rows of a table."""
    found = result.preferences
    for each in found.head_to_head if found is not None else ():
        met = each if each.win_rate >= 0.5 else each.mirrored()
        yield {
            "pair": f"{clean(met.a)} - {clean(met.b)}",
            "units": f"{met.units:,}",
            "wins": f"{met.wins:,}",
            "ties": f"{met.ties:,}",
            "losses": f"{met.losses:,}",
            "win_rate": percent(met.win_rate),
            "p": p_text(met.p, result.alpha),
            "adjusted": p_text(met.p_adjusted, result.alpha) + ("*" if met.different else ""),
        }
