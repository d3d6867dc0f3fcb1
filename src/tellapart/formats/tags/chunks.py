"""How tags say where entities begin and end, and the entities of all sentences of a file.

The schemes are IOB1, IOB2, IOE, IOBES and their other names. A reading is three rules about a tag
and the one before it: whether an entity begins here, whether the entity goes on, and whether the
one that does not go on was complete. The lenient reading is that of conlleval, and of seqeval by
default; the strict ones are those of seqeval's strict mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.tags.files import take_apart

PREFIXES: Final = "OBIES"

Pattern: TypeAlias = tuple[str, str, Literal["same", "other", "any"]]
"""Places before, places here, and whether the types must be the same"""
Table: TypeAlias = NDArray[np.bool_]  # place before × place here × (0 other type, 1 same)


def _table(*patterns: Pattern) -> Table:
    table = np.zeros((len(PREFIXES), len(PREFIXES), 2), np.bool_)
    for before, here, types in patterns:
        for one in before:
            for other in here:
                chosen = {"other": [0], "same": [1], "any": [0, 1]}[types]
                table[PREFIXES.index(one), PREFIXES.index(other), chosen] = True
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The rules by which tags are read."""

    begins: Table
    goes_on: Table
    complete: Table


LENIENT: Final = Reading(
    _table((PREFIXES, "BS", "any"), ("OES", "IE", "any"), ("BI", "IE", "other")),
    _table(("BI", "IE", "same")),
    _table((PREFIXES, PREFIXES, "any")),
)
STRICT: Final[Mapping[str, Reading]] = {
    "IOB1": Reading(
        _table(("OB", "I", "any"), ("I", "I", "other"), ("BI", "B", "same")),
        _table(("BI", "I", "same")),
        _table(("I", "OB", "any"), ("B", "O", "any"), ("BI", "I", "other"), ("B", "B", "same")),
    ),
    "IOB2": Reading(
        _table((PREFIXES, "B", "any")),
        _table(("BI", "I", "same")),
        _table(("BI", "OB", "any"), ("BI", "I", "other")),
    ),
    "IOE2": Reading(
        _table(("OE", "IE", "any"), ("I", "IE", "other")),
        _table(("I", "IE", "same")),
        _table(("E", PREFIXES, "any")),
    ),
    "IOBES": Reading(
        _table((PREFIXES, "BS", "any")),
        _table(("BI", "IE", "same")),
        _table(("ES", PREFIXES, "any")),
    ),
}
ALLOWED: Final = {"IOB1": "OBI", "IOB2": "OBI", "IOE2": "OIE", "IOBES": PREFIXES}

Integers: TypeAlias = NDArray[np.int64]
_B, _I = PREFIXES.index("B"), PREFIXES.index("I")


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """Entities in order: first place, place after the last, and type."""

    starts: Integers
    ends: Integers
    types: Integers

    def among(self, gold: Chunks) -> NDArray[np.bool_]:
        """Return which of them the gold has, too."""
        if not len(gold.starts):
            return np.zeros(len(self.starts), np.bool_)
        at = np.minimum(np.searchsorted(gold.starts, self.starts), len(gold.starts) - 1)
        return np.asarray(
            (gold.starts[at] == self.starts)
            & (gold.ends[at] == self.ends)
            & (gold.types[at] == self.types)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tagging:
    """The tags of a file as numbers, with an O before every sentence and at the end.

    The places in arrays are those of this longer sequence: no entity runs into the next sentence.
    """

    codes: Integers
    prefixes: Integers
    types: Integers

    def chunks(self, reading: Reading) -> Chunks:
        """Return the entities.

        A run of tags that go on belongs to the first that begins an entity in it.
        """
        step = self._steps()
        begins = np.flatnonzero(reading.begins[step]) + 1
        breaks = np.flatnonzero(~reading.goes_on[step]) + 1
        ends = breaks[np.searchsorted(breaks, begins, side="right")]
        first = np.unique(ends, return_index=True)[1]
        begins, ends = begins[first], ends[first]
        whole = reading.complete[step][ends - 1]
        begins, ends = begins[whole], ends[whole]
        return Chunks(begins, ends, self.types[begins])

    def orphans(self) -> Integers:
        """Return the places of tags that go on with an entity that nothing began."""
        inside = ~np.isin(self.prefixes[1:], [PREFIXES.index(letter) for letter in "OBS"])
        return np.flatnonzero(LENIENT.begins[self._steps()] & inside) + 1

    def is_iob1(self) -> bool:
        """Return whether B stands only where it must, between two entities of one type."""
        if np.any(self.prefixes > _I):
            return False
        before, here, same = self._steps()
        needless = (here == _B) & ~(((before == _B) | (before == _I)) & (same == 1))
        return bool(len(self.orphans())) and not needless.any()

    def _steps(self) -> tuple[Integers, Integers, Integers]:
        same = (self.types[1:] == self.types[:-1]).astype(np.int64)
        return self.prefixes[:-1], self.prefixes[1:], same


def tokens_at(places: Integers, starts: Sequence[int]) -> tuple[Integers, Integers]:
    """Return sentence and token of places in a tagging, where an O stands before each sentence.

    >>> sentences, tokens = tokens_at(np.array([1, 4]), [0, 2])
    >>> sentences.tolist(), tokens.tolist()
    ([0, 1], [0, 2])
    """
    firsts = np.array(starts) + np.arange(len(starts))
    sentences = np.searchsorted(firsts, places, side="right") - 1
    return sentences, places - sentences - 1


@dataclass(slots=True)
class TagCodes:
    """A number for every tag and every type, the same in all files."""

    tags: dict[str, int] = field(default_factory=lambda: {"O": 0})
    types: dict[str, int] = field(default_factory=lambda: {"_": 0})
    _prefix: list[int] = field(default_factory=lambda: [0])
    _type: list[int] = field(default_factory=lambda: [0])

    def tagging(self, tags: Sequence[str], starts: Sequence[int]) -> Tagging:
        """Return the tags of sentences that begin at `starts` as numbers.

        >>> codes = TagCodes()
        >>> found = codes.tagging(["B-PER", "I-PER", "I-PER"], [0, 2]).chunks(LENIENT)
        >>> found.starts.tolist(), found.ends.tolist()
        ([1, 4], [3, 5])
        """
        for tag in dict.fromkeys(tags):
            if tag not in self.tags:
                self.tags[tag] = len(self.tags)
                prefix, name = take_apart(tag)
                self._prefix.append(PREFIXES.index(prefix))
                self._type.append(self.types.setdefault(name, len(self.types)))
        codes = np.fromiter(map(self.tags.__getitem__, tags), np.int64, len(tags))
        padded = np.append(np.insert(codes, starts, 0), 0)
        return Tagging(codes, np.array(self._prefix)[padded], np.array(self._type)[padded])
