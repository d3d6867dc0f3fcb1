"""Linear classifiers by the perceptron algorithm, as UNL/USL had them in 1991.

A classifier for each set fill finds an activation from the words and pairs of words of a text; one
more says whether a message is relevant. There is one template for each type of incident that is
active enough; every other active fill goes to the type whose activations over the paragraphs are
most like its own. Names of perpetrators and places are strings that training keys had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from studies.muc3.extract.corpus import (
    LOCATION,
    REFERS_TO,
    SETS,
    STRINGS,
    TYPE,
    Example,
    Filled,
    Message,
    quoted,
    words,
)
from studies.muc3.extract.gazetteer import Gazetteer

EPOCHS, LEAST_SEEN, FEATURES = 20, 4, 6000
LEAST_FILLS = 25
"""Messages that must have a fill for it to get a classifier"""

Floats = NDArray[np.float64]
Fill = tuple[str, str]


def features(text: str) -> set[str]:
    """Return the words and neighbouring pairs of a text.

    >>> sorted(features("a bomb exploded"))
    ['A', 'A BOMB', 'BOMB', 'BOMB EXPLODED', 'EXPLODED']
    """
    found = words(text)
    return {*found, *(f"{a} {b}" for a, b in pairwise(found))}


class Vocabulary:
    """The features that training messages have often enough, as columns."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Keep the most frequent features that are seen often enough."""
        seen = Counter(own for text in texts for own in features(text))
        often = [own for own, n in seen.most_common(FEATURES) if n >= LEAST_SEEN]
        self.column = {own: k for k, own in enumerate(sorted(often))}

    def rows(self, texts: Sequence[str]) -> Floats:
        """Return a row of 0 and 1 for each text, of unit length, with a 1 at the end."""
        found = np.zeros((len(texts), len(self.column) + 1))
        for row, text in zip(found, texts, strict=True):
            known = [self.column[own] for own in features(text) if own in self.column]
            row[known] = 1 / max(1, len(known)) ** 0.5
            row[-1] = 1
        return found


def train(rows: Floats, right: NDArray[np.bool_], epochs: int = EPOCHS) -> Floats:
    """Return the average weights of perceptrons, a column for each column of `right`.

    Whenever a row falls on the wrong side, it is added to the weights, or taken from them. What a
    step adds counts for all steps that are left.

    >>> rows = np.array([[1.0, 0, 1], [0, 1, 1]])
    >>> weights = train(rows, np.array([[True], [False]]), 3)
    >>> (rows @ weights > 0).ravel().tolist()
    [True, False]
    """
    weights, late = np.zeros((2, rows.shape[1], right.shape[1]))
    signs = np.where(right, 1.0, -1.0)
    filled = [np.flatnonzero(row) for row in rows]
    steps = epochs * len(rows)
    for step in range(steps):
        k = step % len(rows)
        there, row = filled[k], rows[k, filled[k]]
        wrong = signs[k] * (row @ weights[there]) <= 0
        change = np.outer(row, signs[k] * wrong)
        weights[there] += change
        late[there] += step * change
    return weights - late / steps


class Perceptrons:
    """The trained system."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Train a classifier for relevance and one for each fill that is frequent enough."""
        texts = [example.message.text for example in examples]
        self._vocabulary = Vocabulary(texts)
        self._gazetteer = Gazetteer(examples)
        rows = self._vocabulary.rows(texts)
        sets = {TYPE, *SETS}
        fills = [
            {(f.slot, f.values[0]) for own in example.templates for f in own if f.slot in sets}
            for example in examples
        ]
        counted = Counter(fill for own in fills for fill in own)
        self._fills: list[Fill] = sorted(f for f, n in counted.items() if n >= LEAST_FILLS)
        right = np.array([[bool(own), *(fill in own for fill in self._fills)] for own in fills])
        self._weights = train(rows, right)
        self._thresholds = np.array(list(map(_threshold, (rows @ self._weights).T, right.T)))

    def activations(self, texts: Sequence[str]) -> Floats:
        """Return activations above the threshold, of relevance and of each fill, by text."""
        found: Floats = self._vocabulary.rows(texts) @ self._weights - self._thresholds
        return found

    def extract(self, message: Message) -> list[Filled]:
        """Return a template for each type of incident that is active enough."""
        whole = self.activations([message.text])[0]
        active = [k for k, own in enumerate(whole[1:]) if own > 0]
        kinds = [k for k in active if self._fills[k][0] == TYPE]
        if whole[0] <= 0 and not kinds:
            return []
        if not kinds:
            types = [k for k, fill in enumerate(self._fills) if fill[0] == TYPE]
            kinds = [max(types, key=lambda k: whole[1 + k])]
        over = self.activations(message.paragraphs)[:, 1:]
        templates: dict[int, Filled] = {k: {TYPE: [self._fills[k][1]]} for k in kinds}
        strings = self._strings(message, over[:, kinds], kinds, templates)
        for k in active:
            slot, value = self._fills[k]
            if slot != TYPE:
                own = _most_alike(over[:, k], over[:, kinds], kinds)
                self._add(templates[own], strings[own], slot, value)
        return list(templates.values())

    def _strings(
        self, message: Message, over: Floats, kinds: Sequence[int], templates: dict[int, Filled]
    ) -> dict[int, dict[str, list[str]]]:
        """Fill string slots and places by known fillers; return the strings of each template."""
        paragraphs = message.paragraphs
        found: dict[int, dict[str, list[str]]] = {k: {} for k in kinds}
        known = self._gazetteer.fillers(message.text)
        for slot in STRINGS:
            for value in known[slot]:
                there = np.array([float(value in own) for own in paragraphs])
                best = _most_alike(there, over, kinds)
                found[best].setdefault(slot, []).append(value)
                templates[best].setdefault(slot, []).append(f'"{value}"')
        for j, k in enumerate(kinds):
            most = paragraphs[int(np.argmax(over[:, j]))] if paragraphs else ""
            place = self._gazetteer.location(most) or self._gazetteer.location(message.text)
            if place is not None:
                templates[k][LOCATION] = [place]
        return found

    @staticmethod
    def _add(template: Filled, strings: Mapping[str, list[str]], slot: str, value: str) -> None:
        """Add a set fill, with the string that it belongs to where its slot asks for one."""
        if not REFERS_TO[slot]:
            template.setdefault(slot, []).append(value)
            return
        owners = [own for other in REFERS_TO[slot] for own in strings.get(other, ())]
        if owners:
            template.setdefault(slot, []).append(quoted(value, owners[0]))


def _threshold(activations: Floats, right: NDArray[np.bool_]) -> float:
    """Return the threshold with the best F1 on the training messages."""
    order = np.argsort(-activations, kind="stable")
    hits = np.cumsum(right[order])
    scores = 2 * hits / (np.arange(1, len(order) + 1) + right.sum())
    best = int(np.argmax(scores))
    here = activations[order[best]]
    below = activations[order[best + 1]] if best + 1 < len(order) else here - 1
    return float((here + below) / 2)


def _most_alike(own: Floats, kinds: Floats, names: Sequence[int]) -> int:
    """Return the type whose activations over the paragraphs are most like those of a fill."""

    def unit(values: Floats) -> Floats:
        lengths = np.linalg.norm(values, axis=0)
        return values / np.where(lengths > 0, lengths, 1)

    return names[int(np.argmax(unit(own) @ unit(kinds)))]
