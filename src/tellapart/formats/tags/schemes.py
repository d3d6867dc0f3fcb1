"""How tags say where entities begin and end: IOB1, IOB2, IOE, IOBES and their other names.

A reading is three rules about a tag and the one before it: whether an entity begins here, whether
the entity goes on, and whether the one that does not go on was complete. The lenient reading is
that of conlleval, and of seqeval by default; the strict ones are those of seqeval's strict mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

PREFIXES: Final = "OBIES"
_SAME_MEANING: Final = {"L": "E", "M": "I", "U": "S", "W": "S"}  # BILOU, BMES and BMEWO
_ENDING: Final = frozenset("ESLUMW")

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


def take_apart(tag: str) -> tuple[str, str]:
    """Give the place in the entity, by the letters of IOBES, and the type.

    >>> take_apart("B-PER"), take_apart("U-A-1"), take_apart("O"), take_apart("I")
    (('B', 'PER'), ('S', 'A-1'), ('O', '_'), ('I', '_'))
    """
    return _SAME_MEANING.get(tag[0], tag[0]), tag[2:].strip("-") or "_"


def scheme_of(tags: Iterable[str]) -> str | None:
    """Tell the scheme from the tags that occur; None if there is nothing but O.

    Whether I-tags that begin entities make it IOB1 the tags alone do not tell.

    >>> scheme_of(["O", "B-PER", "I-PER"]), scheme_of(["I-X", "E-X"]), scheme_of(["U-X", "O"])
    ('IOB2', 'IOE2', 'IOBES')
    """
    letters = {tag[0] for tag in tags} - {"O"}
    if not letters:
        return None
    if letters <= {"I", "E"} and "E" in letters:
        return "IOE2"
    return "IOBES" if letters & _ENDING else "IOB2"
