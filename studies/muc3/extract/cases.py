"""Case memory, as Hughes had it in 1991: a sentence is read as the 12 most similar ones were.

A sentence is a list of binary features: its content words, and classes of words for people, places
and weapons that training keys had. A case is a training sentence with the fills that its key says
of it. Fills are voted on by the nearest cases; neighbouring sentences of one type of incident make
one template. Dates and places have code of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from studies.muc3.extract.corpus import (
    DATE,
    LOCATION,
    REFERS_TO,
    SETS,
    STAGE,
    STRINGS,
    TYPE,
    Example,
    Filled,
    Message,
    quoted,
    words,
)
from studies.muc3.extract.gazetteer import Gazetteer

NEAREST = 12
ENOUGH = 0.5
"""The share of the nearest cases' weights that a type, or a fill beside it, needs"""
LEAST_SEEN, GAP = 3, 2
"""Sentences with a word for it to be a feature; sentences that may lie between those of a group"""
_FREQUENT = (
    "THE A AN OF IN TO AND ON BY AT FOR FROM WITH THAT WAS WERE IS ARE HAS HAVE HAD BEEN BE IT ITS "
    "HE SHE THEY THEIR HIS HER WHO WHICH THIS THESE AS OR NOT BUT ALSO SAID TEXT"
)
_STOP = frozenset(words(_FREQUENT))

Fill = tuple[str, str]


def concepts(sentence: str, gazetteer: Gazetteer) -> set[str]:
    """Return the features of a sentence: content words, and slots that its words have filled."""
    found = {own for own in words(sentence) if own not in _STOP}
    return found | {f"<{slot}>" for slot, own in gazetteer.fillers(sentence).items() if own}


@dataclass(frozen=True)
class Case:
    """A training sentence: its features, and what the key says of it."""

    features: set[str]
    fills: frozenset[Fill]


def cases(example: Example, gazetteer: Gazetteer) -> Iterator[Case]:
    """Yield the sentences of a message, with the fills of templates whose strings they hold."""
    for _, sentence in example.message.sentences:
        fills: set[Fill] = set()
        for template in example.templates:
            said = (f for f in template if f.slot in STRINGS)
            here = {f.slot for f in said if any(value in sentence for value in f.values)}
            if here:
                fills |= {(slot, "") for slot in here}
                fills |= {(f.slot, f.values[0]) for f in template if _belongs(f.slot, here)}
        yield Case(concepts(sentence, gazetteer), frozenset(fills))


def _belongs(slot: str, here: set[str]) -> bool:
    """Return whether a set fill is said by a sentence that holds strings of these slots."""
    owners = REFERS_TO[slot]
    return slot in (TYPE, *SETS) and (not owners or not here.isdisjoint(owners))


class CaseMemory:
    """The trained system."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Keep all sentences of the training messages as cases."""
        self._gazetteer = Gazetteer(examples)
        self._cases = [case for own in examples for case in cases(own, self._gazetteer)]
        seen = Counter(own for case in self._cases for own in case.features)
        known = sorted(own for own, n in seen.items() if n >= LEAST_SEEN)
        self._column = {own: k for k, own in enumerate(known)}
        frequency = np.array([seen[own] for own in known])
        self._weights = np.log(len(self._cases) / frequency)
        self._rows = self._matrix([case.features for case in self._cases])

    def _matrix(self, sentences: Sequence[set[str]]) -> csr_matrix:
        """Return sentences as rows of unit length; rare features weigh more."""
        rows = [sorted(self._column[own] for own in f if own in self._column) for f in sentences]
        weights = [self._weights[row] / (np.linalg.norm(self._weights[row]) or 1) for row in rows]
        starts = np.cumsum([0, *map(len, rows)])
        columns = np.concatenate([np.array(row, dtype=np.intp) for row in rows])
        return csr_matrix(
            (np.concatenate(weights), columns, starts), (len(rows), len(self._column))
        )

    def votes(self, sentences: Sequence[str]) -> list[Counter[Fill]]:
        """Return the share of the nearest cases' similarity that speaks for each fill."""
        if not sentences:
            return []
        rows = self._matrix([concepts(own, self._gazetteer) for own in sentences])
        return [self._vote(row) for row in (rows @ self._rows.T).toarray()]

    def _vote(self, similar: NDArray[np.float64]) -> Counter[Fill]:
        nearest = np.argsort(-similar, kind="stable")[:NEAREST]
        total = float(similar[nearest].sum()) or 1.0
        found: Counter[Fill] = Counter()
        for k in nearest:
            for fill in self._cases[k].fills:
                found[fill] += float(similar[k]) / total  # type: ignore[assignment]
        return found

    def extract(self, message: Message) -> list[Filled]:
        """Return a template for each group of sentences about one type of incident."""
        sentences = [own for _, own in message.sentences]
        votes = self.votes(sentences)
        return [
            self._template(message, kind, [sentences[k] for k in own], [votes[k] for k in own])
            for kind, own in groups([_kind(own) for own in votes])
        ]

    def _template(
        self, message: Message, kind: str, said: Sequence[str], votes: Sequence[Counter[Fill]]
    ) -> Filled:
        """Return the fills that the sentences of a group vote for."""
        text = " ".join(said)
        found: Filled = {TYPE: [kind], STAGE: ["ACCOMPLISHED"]}
        strings = {
            slot: known
            for slot, known in self._gazetteer.fillers(text).items()
            if known and max(own[slot, ""] for own in votes) >= ENOUGH / 2
        }
        found |= {slot: [f'"{value}"' for value in known] for slot, known in strings.items()}
        for slot in SETS:
            fill, share = _best(votes, slot)
            owners = [own for other in REFERS_TO[slot] for own in strings.get(other, ())]
            if share < ENOUGH / 2 or (REFERS_TO[slot] and not owners):
                continue
            found[slot] = [quoted(fill, own) for own in owners] or [fill]
        place = self._gazetteer.location(text) or self._gazetteer.location(message.text)
        found |= {} if place is None else {LOCATION: [place]}
        found |= {} if message.date is None else {DATE: [f"- {message.date}"]}
        return found


def _kind(votes: Counter[Fill]) -> str | None:
    """Return the type of incident that a sentence is about, if the nearest cases agree enough."""
    fill, share = _best([votes], TYPE)
    return fill if share >= ENOUGH else None


def _best(votes: Sequence[Counter[Fill]], slot: str) -> tuple[str, float]:
    """Return the fill of a slot that is voted for most in one sentence, and its share."""
    shares = [(own[fill], fill[1]) for own in votes for fill in own if fill[0] == slot]
    share, fill = max(shares, default=(0.0, ""))
    return fill, float(share)


def groups(kinds: Sequence[str | None]) -> list[tuple[str, list[int]]]:
    """Return sentences that lie near each other and are about the same type.

    >>> groups(["BOMBING", None, "BOMBING", "ATTACK", None, None, None, "ATTACK"])
    [('BOMBING', [0, 2]), ('ATTACK', [3]), ('ATTACK', [7])]
    """
    about = [(k, kind) for k, kind in enumerate(kinds) if kind is not None]
    starts = [
        n == 0 or kind != about[n - 1][1] or k - about[n - 1][0] > GAP + 1
        for n, (k, kind) in enumerate(about)
    ]
    numbers = np.cumsum(starts).tolist()
    joined = groupby(zip(numbers, about, strict=True), key=lambda own: own[0])
    made = [[own for _, own in group] for _, group in joined]
    return [(own[0][1], [k for k, _ in own]) for own in made]
