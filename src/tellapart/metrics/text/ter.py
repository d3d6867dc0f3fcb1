"""TER (Snover and others 2006): edits and block shifts per word of the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tellapart.engine as engine
from tellapart.errors import UsageError
from tellapart.metrics.registry import Ratio, ratio
from tellapart.metrics.text.ngrams import Counter, Sequences, Texts
from tellapart.metrics.text.tokenizers import Tokenizer

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ter:
    """How TER is computed; scores are percentages of the reference length, lower is better.

    >>> float(Ter().score(np.array([3.0, 6.0])))
    50.0
    """

    name = "ter"
    higher_is_better = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers that the score is made of."""
        return ("ter_edits", "ter_ref_len")

    def signature(self, references: str) -> str:
        """Return all that changes the number."""
        return f"nrefs:{references}|case:lc|tok:tercom|norm:no|punct:yes|asian:no"

    def counter(self, _: Texts) -> Counter:
        """Return what counts a block of texts: systems × segments × columns."""
        return lambda texts: _count(Tokenizer("none", prepare=_prepared), texts)

    def ratio(self) -> Ratio:
        """Return the score as a ratio; without any reference length it counts as 100."""
        edits, length = self.columns
        return ratio(self.name, {edits: 100}, {length: 1}, higher_is_better=False, undefined=100)

    def score(self, sums: Floats) -> Floats:
        """Return TER for sums of the columns, which run along the last axis."""
        edits, length = sums[..., 0], sums[..., 1]
        empty = np.where(edits > 0, 100.0, 0.0)
        return np.asarray(
            np.where(length > 0, 100 * edits / np.where(length > 0, length, 1), empty)
        )


def _count(tokenizer: Tokenizer, texts: Texts) -> NDArray[Any]:
    """Return the fewest edits over the references, and the mean of their lengths."""
    outputs = tokenizer.encode(texts.outputs())
    segments, systems = len(texts), len(texts.systems)
    fewest = np.full((systems, segments), np.iinfo(np.int32).max, np.int64)
    length, number = np.zeros(segments), np.zeros(segments)
    for lines in texts.references:
        references = tokenizer.encode([line or "" for line in lines])
        there = np.array([line is not None for line in lines])
        for system in range(systems):
            mine = outputs.part(system * segments, (system + 1) * segments)
            edits = np.where(there, count_edits(mine, references), fewest[system])
            fewest[system] = np.minimum(fewest[system], edits)
        length += np.where(there, references.lengths, 0)
        number += there
    rows = np.empty((systems, segments, 2))
    rows[..., 0], rows[..., 1] = fewest, length / number
    return rows


def _prepared(line: str) -> str:
    return line.rstrip().lower()


def count_edits(hypotheses: Sequences, references: Sequences) -> NDArray[np.int32]:
    """Return the edits of each hypothesis to the reference of the same number.

    The native code takes the same steps as sacreBLEU, which is asked where there is none.

    >>> outputs, references = ["defabc", "abx"], ["abcdef", "ab"]
    >>> count_edits(*map(Sequences.of_characters, (outputs, references))).tolist()
    [1, 1]
    """
    native = engine.native
    if engine.active() != "numpy" and native is not None:
        edits = np.empty(len(hypotheses), np.int32)
        native.count_edits(
            hypotheses.tokens, hypotheses.starts, references.tokens, references.starts, edits
        )
        return edits
    try:
        from sacrebleu.metrics import lib_ter
    except ImportError:
        raise UsageError(
            "without its native engine, tellapart takes TER from sacreBLEU: "
            "pip install 'tellapart[tokenizers]'"
        ) from None
    edit_rate: Any = lib_ter.translation_edit_rate  # of any tokens that can be compared
    pairs = zip(hypotheses.lists(), references.lists(), strict=True)
    return np.array([edit_rate(*pair)[0] for pair in pairs], np.int32)
