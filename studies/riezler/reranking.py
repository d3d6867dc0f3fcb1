"""The reranking experiment of section 2: n-best lists, a model that chooses, and its variants.

A model trained on the lists of the first half of the sentences chooses, on the second half, among
the candidates. The *decoder* takes the first of each list; the *baseline* has the features of the
system's components alone. *System 1* may also have phrases, of those that say the same in training
only one; *systems 2 to 6* may have all of them, add a few more in each step and stop at as many
features. So they differ in redundant features and are essentially equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from studies.riezler.candidates import Candidates, component_features, gather, phrase_features
from studies.riezler.loglinear import Choices, Features, Model, graft
from studies.riezler.material import Lists
from tellapart.console import Progress, no_progress
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.metrics.text.bleu import Bleu
from tellapart.words import several

FEWEST_SENTENCES: Final = 200
DECODER, BASELINE, FIRST = "decoder", "baseline", "system 1"
EQUIVALENT: Final = tuple(f"system {k}" for k in range(2, 7))
GAMMA: Final = 1.0
"""The penalty; with a larger one the systems below say the same on nearly all sentences."""
SELECTED: Final = 100
"""Features at which a model is complete; on few sentences, one for every ten of them"""
_SENTENCES_FOR_ONE: Final = 10

_MATCH: Final = Bleu(smooth="add-k", effective_order=True)  # how well a candidate fits
_EQUALLY: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Reranked:
    """One model, and what it chooses on the second half."""

    name: str
    model: Model
    shared: int
    """Features in common with system 1"""
    other: int
    """Sentences of which it chooses another candidate than system 1"""


@dataclass(frozen=True, slots=True)
class Reranking:
    """The experiment: models, and the counts of what they choose on the second half."""

    counts: Counts
    systems: tuple[Reranked, ...]
    trained_on: int
    """Sentences"""
    candidates: float
    """Distinct ones of a sentence, on average"""
    components: int
    """Features that every candidate has"""
    phrases: int
    """Phrases that could be selected"""


def rerank(lists: Lists, progress: Progress = no_progress) -> Reranking:
    """Return the experiment on n-best lists."""
    sentences = len(lists.best)
    if sentences < FEWEST_SENTENCES:
        raise DataError(
            f"{lists.name}: lists of {several(sentences, 'sentence')} are too few for a reranker; "
            f"give {FEWEST_SENTENCES} or more"
        )
    training = np.arange(sentences) < sentences // 2
    found = gather(lists.best)
    components = component_features(found, lists.best, training)
    known, phrases = phrase_features(found, training)
    features = sparse.hstack([components, phrases], format="csr")
    choices = training_choices(found, features, _sentence_scores(lists.counts), training)
    most = min(SELECTED, int(training.sum()) // _SENTENCES_FOR_ONE)
    models = {DECODER: Model(np.empty(0, np.intp), np.empty(0), 0)}
    for done, (name, step, columns) in enumerate(_offered(choices, components.shape[1], most)):
        progress("models trained", done, 2 + len(EQUIVALENT))
        model = graft(choices.of(columns), GAMMA, step, most)
        models[name] = replace(model, selected=columns[model.selected])
    chosen = {name: choose(model, found, features) for name, model in models.items()}
    return Reranking(
        _chosen_counts(lists.counts, chosen, training),
        tuple(
            Reranked(
                name,
                model,
                len(np.intersect1d(model.selected, models[FIRST].selected)),
                int((chosen[name] != chosen[FIRST])[~training].sum()),
            )
            for name, model in models.items()
        ),
        int(training.sum()),
        len(found.words) / sentences,
        components.shape[1],
        len(known),
    )


def _sentence_scores(counts: Counts) -> NDArray[np.float64]:
    """Return the BLEU of every candidate by itself: systems × sentences."""
    places = [counts.columns.index(column) for column in _MATCH.columns]
    scales = np.array([counts.scales[place] for place in places], np.float64)
    return _MATCH.score(counts.values[:, :, places] / scales)


def training_choices(
    found: Candidates,
    features: Features,
    matches: NDArray[np.float64],
    training: NDArray[np.bool_],
) -> Choices:
    """Return the candidates of the training sentences; the best are those that match best."""
    rows = np.flatnonzero(training[found.sentence])
    sentences = found.sentence[rows]
    starts = np.flatnonzero(np.diff(sentences, prepend=-1))
    sizes = np.diff(np.append(starts, len(rows)))
    match = matches[found.rank, found.sentence][rows]
    highest = np.repeat(np.maximum.reduceat(match, starts), sizes)
    best = (match >= highest - _EQUALLY).astype(np.float64)
    best /= np.repeat(np.add.reduceat(best, starts), sizes)
    return Choices(sparse.csc_array(features[rows]), starts, best)


def _offered(
    choices: Choices, components: int, most: int
) -> Iterator[tuple[str, int, NDArray[np.intp]]]:
    """Yield the name of each model, how many features it adds at a time, and from which.

    Of 100 features, system 1 adds 20 at a time, system 2 adds 21, and so on.
    """
    every = np.arange(choices.features.shape[1])
    yield BASELINE, 1, every[:components]
    yield FIRST, most // 5, distinct_columns(choices.features)
    for more, name in enumerate(EQUIVALENT, 1):
        yield name, most // 5 + more, every


def distinct_columns(features: Features) -> NDArray[np.intp]:
    """Return the columns of which no earlier one is the same, and that are not empty.

    >>> distinct_columns(sparse.csr_array([[1, 1, 0, 0], [0, 0, 2, 0]])).tolist()
    [0, 2]
    """
    by_column = sparse.csc_array(features)
    by_column.sort_indices()
    first: dict[tuple[bytes, bytes], int] = {}
    for column in range(by_column.shape[1]):
        cells = slice(by_column.indptr[column], by_column.indptr[column + 1])
        if cells.start < cells.stop:
            key = by_column.indices[cells].tobytes(), by_column.data[cells].tobytes()
            first.setdefault(key, column)
    return np.array(list(first.values()), np.intp)


def choose(model: Model, found: Candidates, features: Features) -> NDArray[np.intp]:
    """Return of every sentence the rank of the candidate with the highest score."""
    scores = model.scores(features)
    ends = np.append(found.starts, len(scores))
    return np.array(
        [found.rank[a + int(np.argmax(scores[a:b]))] for a, b in pairwise(ends.tolist())],
        np.intp,
    )


def _chosen_counts(
    counts: Counts, chosen: dict[str, NDArray[np.intp]], training: NDArray[np.bool_]
) -> Counts:
    """Return the counts of the second half: those of what was chosen.

    NIST keeps the weights of all references.
    """
    items = np.flatnonzero(~training)
    values = np.stack([counts.values[ranks[items], items] for ranks in chosen.values()])
    return replace(counts.keep(items), names=tuple(chosen), values=values, texts=None, notices=())
