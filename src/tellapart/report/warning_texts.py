"""Warnings as reports show them: which metrics each is about, and all of them in one line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Final

from tellapart.comparison.record import Comparison
from tellapart.errors import Notice
from tellapart.words import listed, several

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
