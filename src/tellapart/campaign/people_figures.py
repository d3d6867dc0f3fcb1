"""Figures of the people of a campaign: how far they agree, and what depends on who judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tellapart.campaign.interrater import Figure, InterRater
from tellapart.campaign.judges import PairUnderJudges, WhoJudged
from tellapart.report.figures.layout import (
    BETTER,
    FAINT,
    GRID,
    INK,
    WIDTH,
    Scale,
    axis_below,
    element,
    figure,
    fitted,
    interval_path,
    line,
    mark,
    marked,
    name_text,
    spread,
    text,
    text_width,
)
from tellapart.report.text import between, signed

RELIABLE, TENTATIVE = 0.8, 0.667
"""From where on Krippendorff relies on judgments, or draws tentative conclusions"""
_ROW, _TOP = 26, 30
_NAME: Final = 150.0


def draw_agreement(rows: Mapping[str, InterRater], name: str) -> str:
    """Return alpha with its interval per label as SVG; nothing where no label has one."""
    known = {label: each.alpha for label, each in rows.items() if each.alpha is not None}
    if not known:
        return ""
    values = fitted(known, _NAME)
    left = 18 + max(map(text_width, values.values()))
    lowest = min(min(0.0, _low(each)) for each in known.values())
    scale = Scale(max(-1.0, math.floor(lowest * 5) / 5), 1.0, left, WIDTH - 60)
    bottom = _TOP + _ROW * len(known)
    parts = [
        text(4, 15, "alpha", fill=FAINT),
        axis_below(scale, _TOP, bottom),
        line(scale(RELIABLE), _TOP - 8, scale(RELIABLE), bottom, stroke=FAINT,
             stroke_dasharray="4 3"),
    ]  # fmt: skip
    for k, (label, each) in enumerate(known.items()):
        parts.append(_agreement_row(label, values[label], each, scale, _TOP + _ROW * (k + 0.5)))
    words = f"Krippendorff's alpha with its 95 % interval. Dashed: {RELIABLE:g}."
    return figure(WIDTH, bottom + 28, "How far people agree", words, parts, name)


def _low(each: Figure) -> float:
    return each.value if each.interval is None else each.interval[0]


def _alpha_words(each: Figure) -> str:
    ends = "" if each.interval is None else f" ({each.interval[0]:.2f} to {each.interval[1]:.2f})"
    return f"{each.value:.2f}{ends}"


def _agreement_row(label: str, short: str, each: Figure, scale: Scale, y: float) -> str:
    parts = [
        name_text(4, y + 4.5, label, short),
        text(WIDTH - 4, y + 4.5, f"{each.value:.2f}", text_anchor="end"),
    ]
    if each.interval is not None:
        low, high = (max(end, scale.low) for end in each.interval)
        path = interval_path(scale, (low, high), y)
        parts.append(element("path", d=path, stroke=BETTER, stroke_width=3))
    at = scale(max(each.value, scale.low))
    parts.append(element("circle", cx=at, cy=y, r=4.5, fill=BETTER))
    return marked(f"{label} {_alpha_words(each)}", *parts)


def draw_who_judged(found: WhoJudged, pairs: Sequence[PairUnderJudges], name: str) -> str:
    """Return differences with both intervals, and what each judge makes of them, as SVG."""
    if not pairs:
        return ""
    titles = {f"{each.held.a} − {each.held.b}": each for each in pairs}
    values = fitted(titles, _NAME)
    left = 18 + max(map(text_width, values.values()))
    numbers = [0.0]
    for each in pairs:
        numbers += [each.held.difference, *(one.difference for one in each.by_judge.values())]
        for ends in (each.interval, each.with_judges):
            numbers += [end for end in ends or () if end is not None]
    scale = Scale(*spread(numbers, 0.04), left, WIDTH - 70)
    bottom = _TOP + _ROW * len(pairs)
    parts = [
        text(WIDTH - 4, 15, "difference", text_anchor="end", fill=FAINT),
        axis_below(scale, _TOP, bottom, signs=True),
        line(scale(0), _TOP - 4, scale(0), bottom + 4),
        *_legend(found, bottom + 44),
    ]
    for k, (title, each) in enumerate(titles.items()):
        parts.append(_pair_row(title, values[title], each, scale, _TOP + _ROW * (k + 0.5)))
    heading = f"Differences by {found.metric}, and who judged"
    words = f"{heading}, with intervals."
    return figure(WIDTH, bottom + 54, heading, words, parts, name)


def _legend(found: WhoJudged, y: float) -> list[str]:
    thick, thin = {"stroke": BETTER, "stroke_width": 6}, {"stroke": INK, "stroke_width": 1.5}
    parts = [line(8, y - 4, 34, y - 4, **thick), text(40, y, "these judges", fill=FAINT)]
    if found.variance is not None:
        whose = "judges like these" if found.variance.of_all_judges else "either judge alone"
        parts += [line(140, y - 4, 166, y - 4, **thin), text(172, y, whose, fill=FAINT)]
    if len(found.judges) > 1:
        parts += [mark("ring", 318, y - 4, 4, FAINT), text(328, y, "one judge first", fill=FAINT)]
    return parts


def _pair_row(title: str, short: str, each: PairUnderJudges, scale: Scale, y: float) -> str:
    parts = [name_text(4, y + 4.5, title, short)]
    wide, plain = (interval_path(scale, ends, y, cap) for ends, cap in
                   ((each.with_judges, 5), (each.interval, 0)))  # fmt: skip
    if wide:
        parts.append(element("path", d=wide, stroke=INK, stroke_width=1.5, fill="none"))
    if plain:
        parts.append(element("path", d=plain, stroke=BETTER, stroke_width=6, opacity=0.55))
    if len(each.by_judge) > 1:
        parts += [mark("ring", scale(one.difference), y, 4, FAINT)
                  for one in each.by_judge.values()]  # fmt: skip
    parts.append(
        element("circle", cx=scale(each.held.difference), cy=y, r=4.5, fill=BETTER, stroke=GRID)
    )
    parts.append(text(WIDTH - 4, y + 4.5, signed(each.held.difference), text_anchor="end"))
    return marked(_in_words(title, each), *parts)


def _in_words(title: str, each: PairUnderJudges) -> str:
    told = [f"{title}: {signed(each.held.difference)}"]
    if each.interval is not None:
        told.append(f"these judges {between(each.interval)}")
    if each.with_judges is not None:
        told.append(f"with their disagreement {between(each.with_judges)}")
    told += [f"{who} first {signed(one.difference)}" for who, one in each.by_judge.items()]
    return ", ".join(told)
