"""Translations like those of the reranking experiment, drawn from a seed.

The experiment's outputs are not public. Drawn instead: references of 5 to 15 words; system 1 with
errors in words and in their order; systems 2 to 6, which differ from it on some sentences but not
in how often they go wrong, as the paper's equivalent systems should; and a reranked system that
chooses better words and puts them in worse order.

Where the paper has parsers, a relation here is a content word with the two content words before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.annotation.relations import relation_counts
from tellapart.metrics.text.scoring import text_counts
from tellapart.words import listed, several

SENTENCES, SHORTEST, LONGEST = 2_000, 5, 15
FIRST_SYSTEM, RERANKED = "system 1", "reranked"
EQUIVALENT: Final = tuple(f"system {k}" for k in range(2, 7))

_WORDS, _FUNCTION_WORDS, _NEXT = 1_500, 8, 12
_NEW: Final = 0.5  # the share of sentences on which a system does not say what system 1 says

_REFERENCES, _OUTPUTS = 0, 1  # streams


@dataclass(frozen=True, slots=True)
class _Errors:
    """How often a word is a wrong one, and how often it changes places with the next."""

    word: float
    order: float


_USUAL, _CHANGED = _Errors(0.30, 0.16), _Errors(0.25, 0.225)

Sentence = list[int]


@dataclass(frozen=True, slots=True)
class Translations:
    """References and outputs, as numbers of words."""

    references: list[Sentence]
    outputs: dict[str, list[Sentence]]

    def counts(self) -> Counts:
        """Return the counts that BLEU and NIST need, and F over relations."""
        said = {name: list(map(_text, lines)) for name, lines in self.outputs.items()}
        texts = text_counts(said, [list(map(_text, self.references))], ["bleu", "nist"])
        relations = relation_counts(
            {name: _relations(lines) for name, lines in self.outputs.items()},
            _relations(self.references),
        )
        return with_relations(texts, relations)


def with_relations(texts: Counts, relations: Counts) -> Counts:
    """Return counts of texts with those of relations as further columns, for one table of all.

    Both have the same systems, and as many segments in the same order.

    >>> from tellapart.metrics.text.scoring import text_counts
    >>> texts = text_counts({"A": ["a b"]}, [["a c"]], ["ter"])
    >>> with_relations(texts, relation_counts({"A": {"s1": ["x"]}}, {"s1": ["x", "y"]})).columns
    ('ter_edits', 'ter_ref_len', 'sys', 'gold', 'match')
    """
    if set(texts.names) != set(relations.names) or len(texts.items) != len(relations.items):
        raise DataError(
            f"texts of {listed(texts.names)} on {several(len(texts.items), 'segment')} do not fit "
            f"relations of {listed(relations.names)} on {len(relations.items)}"
        )
    rows = [relations.names.index(name) for name in texts.names]
    return replace(
        texts,
        columns=(*texts.columns, *relations.columns),
        values=np.concatenate([texts.values, relations.values[rows]], axis=2),
        scales=(*texts.scales, *relations.scales),
        exact=(*texts.exact, *relations.exact),
        notices=(*texts.notices, *relations.notices),
    )


def generate(seed: int) -> Translations:
    """Return references and outputs, drawn from a seed.

    >>> drawn = generate(0)
    >>> len(drawn.references), sorted({len(line) for line in drawn.references})[::10]
    (2000, [5, 15])
    """
    generator = _stream(seed, _REFERENCES)
    references = _references(generator)
    hard = generator.gamma(4.0, 0.25, SENTENCES)  # mean 1: what is hard is hard for all
    first = _translate(references, hard, _USUAL, _stream(seed, _OUTPUTS, 0))
    outputs = {FIRST_SYSTEM: first}
    for k, name in enumerate((*EQUIVALENT, RERANKED), 1):
        own = _stream(seed, _OUTPUTS, k)
        errors = _CHANGED if name == RERANKED else _USUAL
        again = _translate(references, hard, errors, own)
        new = own.random(SENTENCES) < _NEW
        outputs[name] = [b if changed else a
                         for a, b, changed in zip(first, again, new, strict=True)]  # fmt: skip
    return Translations(references, outputs)


def _stream(seed: int, *path: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=path)))


def _references(generator: np.random.Generator) -> list[Sentence]:
    """Return sentences in which some words follow others often, as they do in languages."""
    often = _shares(_WORDS)
    follow = _draw(generator, often, (_WORDS, _NEXT))
    lengths = generator.integers(SHORTEST, LONGEST + 1, SENTENCES)
    words = np.empty((SENTENCES, LONGEST), np.int64)
    words[:, 0] = _draw(generator, often, SENTENCES)
    for place in range(1, LONGEST):
        choice = _draw(generator, _shares(_NEXT), SENTENCES)
        free = generator.random(SENTENCES) < 0.15
        anywhere = _draw(generator, often, SENTENCES)
        words[:, place] = np.where(free, anywhere, follow[words[:, place - 1], choice])
    return [row[:length].tolist() for row, length in zip(words, lengths, strict=True)]


def _shares(number: int) -> NDArray[np.float64]:
    """Return how often words are used, by rank (Zipf)."""
    weights = 1 / (np.arange(number) + 2.0)
    return np.asarray(np.cumsum(weights / weights.sum()))


def _draw(
    generator: np.random.Generator, shares: NDArray[np.float64], size: int | tuple[int, ...]
) -> NDArray[np.int64]:
    found = np.searchsorted(shares[:-1], generator.random(size), side="right")
    return np.asarray(found, np.int64)


def _translate(
    references: list[Sentence],
    hard: NDArray[np.float64],
    errors: _Errors,
    generator: np.random.Generator,
) -> list[Sentence]:
    found = []
    often = _shares(_WORDS)
    for reference, difficulty in zip(references, hard.tolist(), strict=True):
        size = len(reference)
        wrong, moved = (generator.random(size) < difficulty * rate
                        for rate in (errors.word, errors.order))  # fmt: skip
        words = np.where(wrong, _draw(generator, often, size), reference).tolist()
        for place in np.flatnonzero(moved[:-1]).tolist():
            words[place], words[place + 1] = words[place + 1], words[place]
        found.append(words)
    return found


def _text(sentence: Sentence) -> str:
    return " ".join(f"w{word}" for word in sentence)


def _relations(sentences: list[Sentence]) -> dict[str, list[tuple[int, int, int]]]:
    """Return every content word with the two before it; the most frequent words are no content."""
    found = {}
    for k, sentence in enumerate(sentences, 1):
        content = [word for word in sentence if word >= _FUNCTION_WORDS]
        found[str(k)] = list(zip(content, content[1:], content[2:], strict=False))
    return found
