"""TER (Snover and others 2006): edits and block shifts per word of the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics import Ratio, ratio
from tellapart.metrics.text import tercom
from tellapart.metrics.text.edits import count_edits
from tellapart.metrics.text.texts import Counter, Texts
from tellapart.metrics.text.tokenizers import Tokenizer

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ter:
    """How TER is computed; scores are percentages of the reference length, lower is better.

    `normalized` sets off punctuation, `no_punct` deletes it; `asian` makes both see to CJK, too.

    >>> float(Ter().score(np.array([3.0, 6.0])))
    50.0
    """

    case_sensitive: bool = False
    normalized: bool = False
    no_punct: bool = False
    asian: bool = False

    name = "ter"
    higher_is_better = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers that the score is made of."""
        return ("ter_edits", "ter_ref_len")

    def signature(self, references: str) -> str:
        """Say everything that changes the number."""
        yes = {True: "yes", False: "no"}
        return (
            f"nrefs:{references}|case:{'mixed' if self.case_sensitive else 'lc'}|tok:tercom|"
            f"norm:{yes[self.normalized]}|punct:{yes[not self.no_punct]}|asian:{yes[self.asian]}"
        )

    def counter(self, _: Texts) -> Counter:
        """Return what counts a block of texts: systems × segments × columns."""
        tokenizer = Tokenizer("none", prepare=self._prepare)
        return lambda _, texts: _count(tokenizer, texts)

    def _prepare(self, line: str) -> str:
        line = line.rstrip()
        if not self.case_sensitive:
            line = line.lower()
        if self.normalized and line:
            line = tercom.normalize(line)
            if self.asian:
                line = tercom.split_cjk(line)
        return tercom.without_punctuation(line, self.asian) if self.no_punct else line

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
    """Take the fewest edits over the references, and the mean of their lengths."""
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
