"""Gold mentions and systems like those of the pilot study, drawn from a seed.

As in the study there are 15 systems, and 6,921 mentions in 200 documents. A system misses mentions,
adds some where there are none, and gets spans, types and realis wrong; each has rates of its own
for all five. What is hard is hard in every way and for all: a mention that one system misses is
more often missed by others, and labelled wrong where it is found.

Spans are given as characters, and every token is one character wide: Dice is that of tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.annotation.tbf import BEGIN, END, TbfFile, cut

DOCUMENTS, MENTIONS, SYSTEMS = 200, 6_921, 15

TYPES: Final = ("Life", "Movement", "Business", "Conflict", "Contact", "Personnel", "Transaction",
                "Justice")  # fmt: skip
_TYPE_SHARES: Final = (0.10, 0.12, 0.04, 0.20, 0.16, 0.10, 0.14, 0.14)
_REALIS: Final = ("Actual", "Generic", "Other")
_REALIS_SHARES: Final = (0.55, 0.22, 0.23)

_ROOM: Final = 8  # tokens round each mention, which no other mention has
_SPANS: Final = ((3,), (3, 4), (2, 3, 5))  # the last one with a gap, as in "carried out … murder"
_SPAN_SHARES: Final = (0.80, 0.14, 0.06)
_COMMON: Final = 0.3  # correlation of difficulties: of one mention, for two systems or two errors

_WORD: Final = 4.0  # letters of a word after its first, on average

_GOLD, _RATES, _OUTPUTS, _LETTERS = 0, 1, 2, 3  # streams

Span = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a system goes wrong."""

    missing: float
    """The share of gold mentions that it does not find"""
    spurious: float
    """Mentions where there are none, for each gold mention"""
    span: float
    """The share of found mentions with a wrong span; the next two likewise"""
    type: float
    realis: float


_LIMITS: Final = Rates(0.60, 0.55, 0.16, 0.38, 0.46), Rates(0.20, 0.08, 0.03, 0.05, 0.20)
"""The worst and the best that a system can be"""


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: which tokens of which document, and its labels as numbers."""

    document: int
    tokens: Span
    type: int
    realis: int


@dataclass(frozen=True, slots=True)
class System:
    """A generated system: its rates, and what it says."""

    name: str
    rates: Rates
    mentions: tuple[Mention, ...]
    found: int
    """How many mentions, the first ones, are meant for gold ones; the others are spurious"""

    def without_spurious(self) -> tuple[Mention, ...]:
        """Return the mentions that are meant for gold ones."""
        return self.mentions[: self.found]


@dataclass(frozen=True, slots=True)
class GeneratedTask:
    """Gold mentions, and systems that look for them."""

    gold: tuple[Mention, ...]
    systems: tuple[System, ...]


def generate(seed: int) -> GeneratedTask:
    """Return gold mentions and systems, drawn from a seed.

    >>> task = generate(0)
    >>> len(task.gold), len({each.document for each in task.gold}), len(task.systems)
    (6921, 200, 15)
    """
    generator = _stream(seed, _GOLD)
    gold = tuple(_gold(generator))
    hard = generator.standard_normal(len(gold))
    drawn = _draw_rates(_stream(seed, _RATES))
    systems = [
        _system(f"S{k + 1}", rates, gold, hard, _stream(seed, _OUTPUTS, k))
        for k, rates in enumerate(drawn)
    ]
    return GeneratedTask(gold, tuple(systems))


def _stream(seed: int, *path: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=path)))


def _gold(generator: np.random.Generator) -> Iterator[Mention]:
    """Return the gold mentions: every document has one or more, some have many."""
    weights = generator.gamma(2.0, size=DOCUMENTS)
    sizes = 1 + generator.multinomial(MENTIONS - DOCUMENTS, weights / weights.sum())
    spans = _choices(generator, _SPAN_SHARES)
    types, realis = _choices(generator, _TYPE_SHARES), _choices(generator, _REALIS_SHARES)
    places = ((document, slot) for document, size in enumerate(sizes) for slot in range(size))
    for (document, slot), span, kind, real in zip(places, spans, types, realis, strict=True):
        yield Mention(document, _placed(_SPANS[span], slot), kind, real)


def _choices(generator: np.random.Generator, shares: Sequence[float]) -> list[int]:
    ends = np.cumsum(shares)[:-1]
    return [int(k) for k in np.searchsorted(ends, generator.random(MENTIONS), side="right")]


def _placed(span: Span, slot: int) -> Span:
    return tuple(_ROOM * slot + token for token in span)


def _draw_rates(generator: np.random.Generator) -> list[Rates]:
    """Return rates, each drawn evenly: one system in each fifteenth of its range."""
    names = Rates.__slots__
    columns = []
    for name in names:
        worst, best = (getattr(limit, name) for limit in _LIMITS)
        steps = (generator.permutation(SYSTEMS) + generator.random(SYSTEMS)) / SYSTEMS
        columns.append(best + (worst - best) * steps)
    return [Rates(*map(float, row)) for row in zip(*columns, strict=True)]


def _system(
    name: str,
    rates: Rates,
    gold: Sequence[Mention],
    hard: NDArray[np.float64],
    generator: np.random.Generator,
) -> System:
    own = generator.standard_normal((4, len(gold)))
    difficulty = math.sqrt(_COMMON) * hard + math.sqrt(1 - _COMMON) * own
    everywhere = np.ones(len(gold), np.bool_)
    missed = _hardest(difficulty[0], everywhere, rates.missing)
    spans, types, realis = (
        _hardest(row, ~missed, rate).tolist()
        for row, rate in zip(difficulty[1:], (rates.span, rates.type, rates.realis), strict=True)
    )
    chances = generator.random((len(gold), 3)).tolist()
    found: list[Mention] = []
    for k in np.flatnonzero(~missed).tolist():
        mention, chance = gold[k], chances[k]
        labels = (
            _other(mention.type, len(TYPES), chance[0]) if types[k] else mention.type,
            _other(mention.realis, len(_REALIS), chance[1]) if realis[k] else mention.realis,
        )
        parts = _wrong_spans(mention.tokens, chance[2]) if spans[k] else (mention.tokens,)
        found += [Mention(mention.document, tokens, *labels) for tokens in parts]
    return System(name, rates, (*found, *_spurious(rates, gold, generator)), len(found))


def _hardest(
    difficulty: NDArray[np.float64], among: NDArray[np.bool_], share: float
) -> NDArray[np.bool_]:
    """Return which of some mentions are the so many hardest."""
    limit = np.quantile(difficulty[among], 1 - share)
    return np.asarray(among & (difficulty > limit))


def _other(value: int, number: int, chance: float) -> int:
    """Return another of so many values."""
    return (value + 1 + int(chance * (number - 1))) % number


def _wrong_spans(tokens: Span, chance: float) -> tuple[Span, ...]:
    """Return a span that is too long, too short, or two."""
    if len(tokens) == 1 or chance < 0.3:
        return ((*tokens, tokens[-1] + 1),)
    return (tokens[:-1],) if chance < 0.7 else (tokens[:-1], tokens[-1:])


def _spurious(
    rates: Rates, gold: Sequence[Mention], generator: np.random.Generator
) -> Iterator[Mention]:
    """Return mentions that overlap with no gold mention."""
    slots = np.bincount([each.document for each in gold], minlength=DOCUMENTS)
    for document, number in enumerate(generator.poisson(rates.spurious * slots).tolist()):
        for slot in range(number):
            kind, realis = generator.integers(len(TYPES)), generator.integers(len(_REALIS))
            place = _placed(_SPANS[0], int(slots[document]) + slot)
            yield Mention(document, place, int(kind), int(realis))


def crowded(mentions: Sequence[Mention], room: int) -> tuple[Mention, ...]:
    """Return the same mentions nearer to each other, each with so many tokens to itself.

    >>> both = [Mention(0, (3, 4), 0, 0), Mention(0, (11, 12), 0, 0)]
    >>> [each.tokens for each in crowded(both, 2)]
    [(3, 4), (5, 6)]
    """
    return tuple(
        Mention(
            each.document,
            tuple(token - (_ROOM - room) * (token // _ROOM) for token in each.tokens),
            each.type,
            each.realis,
        )
        for each in mentions
    )


def letters(seed: int, mentions: Sequence[Mention]) -> NDArray[np.int64]:
    """Return where each token of a document begins, in letters: words of one to many."""
    tokens = 2 + max(each.tokens[-1] for each in mentions)
    lengths = 1 + _stream(seed, _LETTERS).poisson(_WORD, (DOCUMENTS, tokens))
    return np.concatenate([np.zeros((DOCUMENTS, 1), np.int64), lengths.cumsum(axis=1)], axis=1)


def as_tbf(
    name: str, mentions: Sequence[Mention], begins: NDArray[np.int64] | None = None
) -> TbfFile:
    """Return mentions as a file of the task in memory; all gold documents are there.

    `begins` says in letters where tokens begin; without it a token is as wide as a letter.
    """
    lines: list[list[str]] = [[] for _ in range(DOCUMENTS)]
    for k, each in enumerate(mentions):
        if begins is None:
            span = ";".join(f"{token},{token + 1}" for token in each.tokens)
        else:
            row = begins[each.document]
            span = ";".join(f"{row[token]},{row[token + 1]}" for token in each.tokens)
        fields = (name, _document(each.document), f"E{k}", span, "…", TYPES[each.type],
                  _REALIS[each.realis])  # fmt: skip
        lines[each.document].append("\t".join(fields))
    blocks = ("\n".join([f"{BEGIN} {_document(k)}", *own, END]) for k, own in enumerate(lines))
    return cut("\n".join(blocks), name)


def _document(number: int) -> str:
    return f"d{number:03}"
