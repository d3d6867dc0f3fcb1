"""The reranking experiment of section 2, on n-best lists or on what several systems say.

A model trained on the first half of the sentences chooses, on the second half, among the
candidates. The *baseline* of n-best lists is the first candidate; where systems are the candidates
of one another, it has the features of the candidates' components alone. *System 1* may
also have phrases, of those that say the same in training only one; *systems 2 to 6* may have all of
them, add a few more in each step and stop at as many features. So they differ in redundant features
and are essentially equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from studies.riezler.candidates import (
    COMPONENTS,
    Candidates,
    components,
    gather,
    phrase_features,
    scaled,
)
from studies.riezler.loglinear import Choices, Features, Model, graft
from studies.riezler.material import Material
from tellapart.counts import Counts
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.scoring import segment_scores
from tellapart.progress import Progress, no_progress

FEWEST_SYSTEMS, FEWEST_SEGMENTS = 3, 200
BASELINE, FIRST = "baseline", "system 1"
GAMMA: Final = 1.0
"""The penalty; with a larger one the systems below say the same on nearly all sentences."""
SELECTED: Final = 100
"""Features at which a model is complete; on few sentences, one for every ten of them"""
_SENTENCES_FOR_ONE: Final = 10
STEPS: Final = {FIRST: 20, "system 2": 21, "system 3": 22, "system 4": 23, "system 5": 24,
                "system 6": 25}  # fmt: skip
"""How many features are added at a time"""
EQUIVALENT: Final = tuple(name for name in STEPS if name != FIRST)

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
    phrases: int
    """Phrases that could be selected"""


def rerank(material: Material, progress: Progress = no_progress) -> Reranking | None:
    """Return the experiment; None if there are too few systems or sentences to choose from."""
    systems, items = len(material.counts.names), len(material.counts.items)
    if systems < FEWEST_SYSTEMS or items < FEWEST_SEGMENTS:
        return None
    training = np.arange(items) < items // 2
    found = gather(material.outputs)
    known, phrases = phrase_features(found, training)
    if material.components is None:
        of_components = components(found, material.references[0], training)
        baseline = len(COMPONENTS)
    else:
        of_components = scaled(found, material.components[found.system, found.sentence], training)
        baseline = 0
    features = sparse.hstack([of_components, phrases], format="csr")
    choices = training_choices(found, features, segment_scores(_MATCH, material.counts), training)
    most = min(SELECTED, int(training.sum()) // _SENTENCES_FOR_ONE)
    models: dict[str, Model] = {}
    for done, (name, columns) in enumerate(_offered(choices, baseline)):
        progress("models trained", done, 1 + len(STEPS))
        model = graft(choices.of(columns), GAMMA, STEPS.get(name, 1), most)
        models[name] = replace(model, selected=columns[model.selected])
    chosen = {name: choose(model, found, features) for name, model in models.items()}
    return Reranking(
        _chosen_counts(material.counts, chosen, training),
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
        len(found.words) / items,
        len(known),
    )


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
    match = matches[found.system, found.sentence][rows]
    highest = np.repeat(np.maximum.reduceat(match, starts), sizes)
    best = (match >= highest - _EQUALLY).astype(np.float64)
    best /= np.repeat(np.add.reduceat(best, starts), sizes)
    return Choices(sparse.csc_array(features[rows]), starts, best)


def _offered(choices: Choices, baseline: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield the name of each model, and the features that it may select from.

    The baseline has so many of the first; one without any chooses the first candidate.
    """
    every = np.arange(choices.features.shape[1])
    yield BASELINE, every[:baseline]
    yield FIRST, distinct_columns(choices.features)
    for name in EQUIVALENT:
        yield name, every


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
    """Return of every sentence the system that said the candidate with the highest score."""
    scores = model.scores(features)
    ends = np.append(found.starts, len(scores))
    return np.array(
        [found.system[a + int(np.argmax(scores[a:b]))] for a, b in pairwise(ends.tolist())],
        np.intp,
    )


def _chosen_counts(
    counts: Counts, chosen: dict[str, NDArray[np.intp]], training: NDArray[np.bool_]
) -> Counts:
    """Return the counts of the second half: those of whoever said what was chosen.

    NIST keeps the weights of all references.
    """
    items = np.flatnonzero(~training)
    values = np.stack([counts.values[systems[items], items] for systems in chosen.values()])
    return replace(counts.keep(items), names=tuple(chosen), values=values, texts=None, notices=())
