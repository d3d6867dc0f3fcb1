"""N-grams of gold that one system's outputs have and the other's lack, each with its test.

An n-gram is right as often as the output and gold both have it, as BLEU counts. A unit (an item, or
a cluster) is won by the system that has it right more often; which system that is would be a toss
of a coin if the systems were alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tellapart.stats.corrections import holm
from tellapart.stats.paired import mcnemar
from tellapart.stats.result import smallest_p

LONGEST: Final = 4
LISTED: Final = 10
"""N-grams of each system that are listed, beside those that pass the correction"""

# Scripts without blanks between words are taken letter by letter.
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")

Ngram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NgramResult:
    """An n-gram of gold, and on how many items (clusters) only or rather one system has it."""

    words: str
    a: int
    b: int
    p: float
    """Of the exact sign test"""
    p_adjusted: float | None
    """By Holm; None where it differs on too few items to ever pass the correction"""
    different: bool


@dataclass(frozen=True, slots=True)
class NgramResults:
    """The n-grams that differ most, and how many were looked at."""

    listed: tuple[NgramResult, ...]
    """Those that pass the correction, and the foremost of each system; largest first"""
    tested: int
    """How many could pass the correction at all; it is over these"""
    seen: int
    """How many differ anywhere"""


def words_of(text: str) -> list[str]:
    """Return the words and marks of a text.

    >>> words_of("It's 3 o'clock, 日本.")
    ['It', "'", 's', '3', 'o', "'", 'clock', ',', '日', '本', '.']
    """
    return _WORD.findall(text)


def ngram_results(
    golds: Sequence[str],
    outputs: tuple[Sequence[str], Sequence[str]],
    alpha: float = 0.05,
    clusters: Sequence[Hashable] | None = None,
) -> NgramResults:
    """Return the n-grams of gold that two systems get right unequally often, with their tests.

    On how many units an n-gram differs says nothing of who is ahead, and so it may decide which are
    tested: those that could pass Holm's correction over all that are tested (Tarone 1990).

    >>> golds, first, second = ["on the mat"] * 12, ["on the mat"] * 12, ["on mat"] * 12
    >>> found = ngram_results(golds, (first, second))
    >>> found.listed[0].words, found.listed[0].a, found.listed[0].b, found.listed[0].different
    ('on the mat', 12, 0, True)
    """
    won, lost = _won_and_lost(golds, outputs, clusters)
    seen = sorted(won.keys() | lost.keys())
    sizes = {each: won[each] + lost[each] for each in seen}
    tested = set(_could_pass(sizes, alpha))
    family = [each for each in seen if each in tested]
    raw = [_sign_p(won[each], lost[each]) for each in family]
    adjusted = dict(zip(family, (holm(raw).tolist() if raw else []), strict=True))
    passed = {each for each, value in adjusted.items() if value <= alpha}
    # Of the many that differ on one unit alone, none tells more than another.
    order = [each for each in seen if sizes[each] > 1]
    order.sort(key=lambda each: (-abs(won[each] - lost[each]), -len(each), each))
    kept = set[Ngram]()
    for ahead, behind in ((won, lost), (lost, won)):
        kept.update(_foremost([e for e in order if ahead[e] > behind[e]], passed, won, lost))
    listed = [
        NgramResult(
            " ".join(each),
            won[each],
            lost[each],
            _sign_p(won[each], lost[each]),
            adjusted.get(each),
            each in passed,
        )
        for each in order
        if each in kept
    ]
    return NgramResults(tuple(listed), len(family), len(seen))


def _sign_p(won: int, lost: int) -> float:
    return mcnemar(won, lost).p or 1.0


def _won_and_lost(
    golds: Sequence[str],
    outputs: tuple[Sequence[str], Sequence[str]],
    clusters: Sequence[Hashable] | None,
) -> tuple[Counter[Ngram], Counter[Ngram]]:
    """Return, per n-gram, on how many units each system has it right more often."""
    units: dict[Hashable, list[int]] = {}
    for item, unit in enumerate(range(len(golds)) if clusters is None else clusters):
        units.setdefault(unit, []).append(item)
    won, lost = Counter[Ngram](), Counter[Ngram]()
    for items in units.values():
        ahead = Counter[Ngram]()
        for item in items:
            first, second = outputs[0][item], outputs[1][item]
            if first == second:
                continue
            gold, (a, b) = _counted(golds[item]), (_counted(first), _counted(second))
            for ngram, times in gold.items():
                ahead[ngram] += min(a[ngram], times) - min(b[ngram], times)
        won.update(ngram for ngram, number in ahead.items() if number > 0)
        lost.update(ngram for ngram, number in ahead.items() if number < 0)
    return won, lost


def _counted(text: str) -> Counter[Ngram]:
    words = words_of(text)
    return Counter(
        tuple(words[k : k + n]) for n in range(1, LONGEST + 1) for k in range(len(words) - n + 1)
    )


def _could_pass(sizes: dict[Ngram, int], alpha: float) -> Iterable[Ngram]:
    """Return the n-grams that differ on so many units that they could pass, all taken together."""
    at_least = Counter(sizes.values())
    number = 0
    smallest: int | None = None
    for size in sorted(at_least, reverse=True):
        number += at_least[size]
        if smallest_p(size, 0) * number > alpha:
            break
        smallest = size
    return () if smallest is None else (each for each, n in sizes.items() if n >= smallest)


def _foremost(
    ordered: Sequence[Ngram], passed: set[Ngram], won: Counter[Ngram], lost: Counter[Ngram]
) -> list[Ngram]:
    """Return the first n-grams and all that passed; no part of a longer one with the same numbers.

    The longer one comes first in the order, and says it all.
    """
    longer: dict[tuple[int, int], list[str]] = {}
    kept: list[Ngram] = []
    for each in ordered:
        if len(kept) >= LISTED and each not in passed:
            continue
        text = f" {' '.join(each)} "
        known = longer.setdefault((won[each], lost[each]), [])
        if not any(text in other for other in known):
            known.append(text)
            kept.append(each)
    return kept
