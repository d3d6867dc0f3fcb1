"""The words that every report has for parts of a comparison: items, levels, ranks, warnings."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.record import Comparison
from tellapart.errors import Notice
from tellapart.words import listed, several


def item_kind(result: Comparison) -> str:
    """Return the word for what is exchanged: the items, or their clusters."""
    return result.units.exchanged.kind


def item_count(result: Comparison, metric: str) -> int:
    """Return the number of what is exchanged: the items of a metric, or their clusters."""
    return result.units_of(metric).exchanged.count


def items_line(result: Comparison, metric: str) -> str:
    """Return on how much the systems were compared, as in `60 items in 15 passages`."""
    units = result.units_of(metric)
    items = several(units.count, units.kind)
    if units.clusters is None:
        return items
    return f"{items} in {several(item_count(result, metric), item_kind(result))}"


def direction(result: Comparison, metric: str) -> str:
    """Return which scores of a metric are better: `higher` or `lower` ones."""
    return "higher" if result.metrics[metric].higher_is_better else "lower"


def level_words(result: Comparison) -> str:
    """Return what the intervals are called, as in `95 % interval`."""
    return f"{percent(result.interval_level or 1 - result.alpha)} interval"


def pair_level_words(result: Comparison, pair: PairResult) -> str:
    """Return what the interval of a pair is called, which may be at a level of its own."""
    if pair.interval_level is None:
        return level_words(result)
    return f"{percent(pair.interval_level)} interval"


def interval_scope(result: Comparison, pair: PairResult) -> str:
    """Return what the interval of a pair holds for; nothing where there is but one pair."""
    if pair.interval_for not in ("all", "pair") or result.family.size == 1:
        return ""
    every = pair.interval_for == "all"
    return f"for all {family_words(result)} at once" if every else "for this pair alone"


def first_with_interval(pairs: Sequence[PairResult]) -> PairResult:
    """Return the first pair that has an interval, for what the intervals of all hold for."""
    return next((pair for pair in pairs if pair.interval_for is not None), pairs[0])


def decides_words(pair: PairResult) -> str:
    """Return what an interval decides, as in `90 %, decides the margin`; nothing if none is named.

    >>> import tellapart as ta
    >>> counts = ta.Counts.from_arrays({"A": [1, 1, 0, 1], "B": [0, 1, 1, 1]})
    >>> decides_words(ta.compare(counts, margin=0.1).pairs[0])
    '90 %, decides the margin'
    """
    if pair.interval_for != "margin" or pair.interval_level is None:
        return ""
    return f"{percent(pair.interval_level)}, decides the margin"


def percent(share: float) -> str:
    """Return a level in per cent, with the digits that tell it from others.

    >>> percent(0.9), percent(1 - 0.1 / 3), percent(0.9975)
    ('90 %', '96.67 %', '99.75 %')
    """
    return f"{100 * share:.4g} %"


def claim_word(result: Comparison) -> str:
    """Return what a one-sided test claims of the first system: `better` or `worse`."""
    return "better" if result.tail == "greater" else "worse"


def is_corrected(result: Comparison) -> bool:
    """Return whether p-values are corrected for the number of pairs."""
    return result.correction != "none" and bool(result.family.size > 1)


def p_name(result: Comparison) -> str:
    """Return what the p-value that decides is called."""
    return "adjusted p" if is_corrected(result) else "p"


def family_words(result: Comparison) -> str:
    """Return what a correction counts: the pairs of one metric."""
    return f"{result.family.size:,} pairs"


def rank_text(result: Comparison, metric: str, name: str, dash: str = "-") -> str:
    """Return the places of a system that are not ruled out: `1`, `2-4`, or nothing if not known."""
    places = result.ranks.get(metric, {}).get(name)
    if places is None:
        return ""
    best, worst = places
    return f"{best}" if best == worst else f"{best}{dash}{worst}"


def ranks_line(result: Comparison) -> str:
    """Return what ranks say, and whether they say it of all systems at once."""
    said = "rank: the places that a system may truly hold,"
    if result.correction in ("none", "bh", "by"):
        return f"{said} pair by pair; that is not sure for all systems at once"
    return f"{said} for all systems at once ({100 * (1 - result.alpha):g} %)"


def pair_marks(pair: PairResult) -> str:
    """Return the marks of a pair: a star where systems differ, an equals sign within a margin."""
    return (" *" if pair.different else "") + (" =" if pair.equivalent else "")


def group_text(letters: str, dash: str = "-") -> str:
    """Return the letters of a system's groups, three or more in a row as their first and last.

    >>> group_text("ab"), group_text("abcdf"), group_text("y z aa ab ad")
    ('ab', 'a-d f', 'y-ab ad')
    """
    named = letters.split(" ") if " " in letters else list(letters)
    places = [_place(letter) for letter in named]
    runs: list[list[int]] = []
    for k, place in enumerate(places):
        if runs and place == places[runs[-1][-1]] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    if all(len(run) < 3 for run in runs):
        return letters
    words = (
        f"{named[run[0]]}{dash}{named[run[-1]]}"
        if len(run) > 2
        else " ".join(named[k] for k in run)
        for run in runs
    )
    return " ".join(words)


def _place(letter: str) -> int:
    """Return the number of a letter: a is 1, z 26, aa 27."""
    place = 0
    for each in letter:
        place = 26 * place + ord(each) - 96
    return place


_SHOWN: Final = 3
_LONGEST: Final = 84
_PAUSE = re.compile(r"[:;.,(](?=\s|$)|\s\(")


def warnings_line(result: Comparison) -> str:
    """Return how many warnings there are, and what the first of them are about."""
    about = list(dict.fromkeys(first_words(text) for _, text in warning_texts(result)))
    shown = "; ".join(about[:_SHOWN]) + ("; and more" if len(about) > _SHOWN else "")
    return f"{several(len(result.warnings), 'warning')}: {shown}"


def first_words(text: str) -> str:
    """Return what a warning begins with, up to the first pause after a few words.

    >>> first_words("Items of one passage are not independent: whole passages were shuffled.")
    'items of one passage are not independent'
    >>> first_words("By recall: p cannot be smaller than 0.1 with 9 shuffles.")
    'by recall: p cannot be smaller than 0.1 with 9 shuffles'
    """
    ends = [found.start() for found in _PAUSE.finditer(text) if found.start() > 16]
    words = text[: ends[0]] if ends else text.rstrip(".")
    # A name or a symbol keeps its capital.
    if words[1:2].islower() or words[1:2] == " ":
        words = words[:1].lower() + words[1:]
    return textwrap.shorten(words, _LONGEST, placeholder=" …")


def warning_texts(result: Comparison) -> Iterator[tuple[str, str]]:
    """Yield code and text of each warning; one that is about some metrics says which."""
    for notice in result.warnings:
        metrics = _metrics(result, notice)
        says_which = any(f"by {metric}" in notice.text for metric in result.metrics)
        named = "" if says_which or not metrics else f"By {listed(metrics)}: "
        yield notice.code, named + notice.text


def _metrics(result: Comparison, notice: Notice) -> list[str]:
    """Return the metrics that a warning is about, if it is not about all of them."""
    found = [
        metric
        for metric in result.metrics
        if any(each.endswith(f", {metric}") for each in notice.affected)
    ]
    return [] if len(found) == len(result.metrics) else found
