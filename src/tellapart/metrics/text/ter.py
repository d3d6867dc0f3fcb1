"""TER (Snover and others 2006): edits and block shifts per word of the reference.

Texts are prepared as Tercom's normalizer does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.kinds import Ratio, ratio
from tellapart.metrics.text.edits import count_edits
from tellapart.metrics.text.texts import Counter, References, Texts
from tellapart.metrics.text.tokenizers import Tokenizer, western

Floats = NDArray[np.float64]

_ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_POSSESSIVE: Final = re.compile(r"'s( |$)")
_SYMBOLS: Final = re.compile(r"([{-~\[-` -&(-+:-@/])")
_PUNCTUATION: Final = re.compile(r"[.,?:;!\"()]")
_CJK: Final = (
    re.compile("([\u4e00-\u9fff\u3400-\u4dbf])"),
    re.compile("([\u31c0-\u31ef\u2e80-\u2eff])"),
    re.compile("([\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f])"),
    re.compile("([\u3200-\u3f22])"),  # a slip of the reference: it goes beyond the block's end
)
# Kana are set off only where they are the whole line, which the padding rules out.
_CJK_PUNCTUATION: Final = re.compile(
    "([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"
)


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
        """Return all that changes the number."""
        yes = {True: "yes", False: "no"}
        return (
            f"nrefs:{references}|case:{'mixed' if self.case_sensitive else 'lc'}|tok:tercom|"
            f"norm:{yes[self.normalized]}|punct:{yes[not self.no_punct]}|asian:{yes[self.asian]}"
        )

    def counter(self, _: References) -> Counter:
        """Return what counts a block of texts: systems × segments × columns."""
        return lambda texts: _count(Tokenizer("none", prepare=self._prepare), texts)

    def _prepare(self, line: str) -> str:
        line = line.rstrip()
        if not self.case_sensitive:
            line = line.lower()
        if self.normalized and line:
            line = normalize(line)
            if self.asian:
                line = split_cjk(line)
        return without_punctuation(line, self.asian) if self.no_punct else line

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


def normalize(line: str) -> str:
    """Return a line with entities replaced, and punctuation and a possessive 's set off.

    >>> normalize("the cat's 3-part plan.").split()
    ['the', 'cat', "'s", '3', '-', 'part', 'plan', '.']
    """
    for entity, character in _ENTITIES:
        line = line.replace(entity, character)
    line = _SYMBOLS.sub(r" \1 ", f" {line} ")
    return western(_POSSESSIVE.sub(r" 's\1", line))


def split_cjk(line: str) -> str:
    """Return a line with Chinese characters and CJK punctuation set off."""
    for pattern in (*_CJK, _CJK_PUNCTUATION):
        line = pattern.sub(r" \1 ", line)
    return line


def without_punctuation(line: str, cjk: bool) -> str:
    """Return a line without punctuation, with `cjk` also without that of CJK.

    >>> without_punctuation("Yes, (he) said.", cjk=False)
    'Yes he said'
    """
    line = _PUNCTUATION.sub("", line)
    return _CJK_PUNCTUATION.sub("", line) if cjk else line
