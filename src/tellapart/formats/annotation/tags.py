"""How tags say where entities begin and end: IOB1, IOB2, IOE, IOBES and their other names.

A reading is three rules about a tag and the one before it: whether an entity begins here, whether
the entity goes on, and whether the one that does not go on was complete. The lenient reading is
that of conlleval, and of seqeval by default; the strict ones are those of seqeval's strict mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, TypeAlias

_TAG: Final = re.compile(r"O|[BIESLUMW](?:-+[^-].*)?", re.DOTALL)
_SAME_MEANING: Final = {"L": "E", "M": "I", "U": "S", "W": "S"}  # BILOU, BMES and BMEWO
_ALL: Final = "OBIES"

Step: TypeAlias = tuple[str, str, bool]
"""The letter before, the letter here, and whether their types are the same"""


def _steps(*patterns: tuple[str, str, str]) -> frozenset[Step]:
    """Return the steps of patterns: letters before, letters here, types "same", "other", "any"."""
    same = {"same": [True], "other": [False], "any": [True, False]}
    return frozenset(
        step for before, here, types in patterns for step in product(before, here, same[types])
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """The rules by which tags are read."""

    begins: frozenset[Step]
    goes_on: frozenset[Step]
    complete: frozenset[Step]


LENIENT: Final = Reading(
    _steps((_ALL, "BS", "any"), ("OES", "IE", "any"), ("BI", "IE", "other")),
    _steps(("BI", "IE", "same")),
    _steps((_ALL, _ALL, "any")),
)
STRICT: Final[Mapping[str, Reading]] = {
    "IOB1": Reading(
        _steps(("OB", "I", "any"), ("I", "I", "other"), ("BI", "B", "same")),
        _steps(("BI", "I", "same")),
        _steps(("I", "OB", "any"), ("B", "O", "any"), ("BI", "I", "other"), ("B", "B", "same")),
    ),
    "IOB2": Reading(
        _steps((_ALL, "B", "any")),
        _steps(("BI", "I", "same")),
        _steps(("BI", "OB", "any"), ("BI", "I", "other")),
    ),
    "IOE2": Reading(
        _steps(("OE", "IE", "any"), ("I", "IE", "other")),
        _steps(("I", "IE", "same")),
        _steps(("E", _ALL, "any")),
    ),
    "IOBES": Reading(
        _steps((_ALL, "BS", "any")),
        _steps(("BI", "IE", "same")),
        _steps(("ES", _ALL, "any")),
    ),
}
LETTERS: Final = {"IOB1": "OBI", "IOB2": "OBI", "IOE2": "OIE", "IOBES": _ALL}


@cache
def is_tag(text: str) -> bool:
    """Return whether a text is O, or a place in an entity and its type.

    >>> is_tag("B-PER"), is_tag("O"), is_tag("NNP")
    (True, True, False)
    """
    return _TAG.fullmatch(text) is not None


@cache
def take_apart(tag: str) -> tuple[str, str]:
    """Return the place in the entity, by the letters of IOBES, and the type.

    >>> take_apart("B-PER"), take_apart("U-A-1"), take_apart("O"), take_apart("I")
    (('B', 'PER'), ('S', 'A-1'), ('O', '_'), ('I', '_'))
    """
    return _SAME_MEANING.get(tag[0], tag[0]), tag[2:].strip("-") or "_"


def steps(tags: Sequence[str]) -> Iterator[Step]:
    """Yield the steps to each tag of a sentence, and to its end."""
    letter, kind = "O", "_"
    for tag in (*tags, "O"):
        before, kind_before = letter, kind
        letter, kind = take_apart(tag)
        yield before, letter, kind == kind_before


def entities(tags: Sequence[str], reading: Reading) -> Iterator[tuple[int, int, str]]:
    """Yield the entities of a sentence: first token, token after the last, and type.

    >>> list(entities(["B-PER", "I-PER", "O", "I-LOC"], LENIENT))
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    start = None
    for k, step in enumerate(steps(tags)):
        if start is not None and step not in reading.goes_on:
            if step in reading.complete:
                yield start, k, take_apart(tags[start])[1]
            start = None
        if start is None and step in reading.begins:
            start = k


def scheme_of(sentences: Sequence[Sequence[str]]) -> str | None:
    """Return the scheme of all sentences; None if there is nothing but O.

    >>> scheme_of([["O", "B-PER", "I-PER"]]), scheme_of([["I-X", "E-X"]]), scheme_of([["U-X"]])
    ('IOB2', 'IOE2', 'IOBES')
    >>> scheme_of([["I-X", "B-X"]])
    'IOB1'
    """
    letters = {take_apart(tag)[0] for tags in sentences for tag in tags} - {"O"}
    if not letters:
        return None
    if letters <= {"B", "I"}:
        return "IOB1" if _is_iob1(sentences) else "IOB2"
    return "IOE2" if letters <= {"I", "E"} else "IOBES"


def _is_iob1(sentences: Sequence[Sequence[str]]) -> bool:
    """Return whether I begins entities, and B stands only between two of one type."""
    needed = _steps(("BI", "B", "same"))
    if any(s[1] == "B" and s not in needed for tags in sentences for s in steps(tags)):
        return False
    return any(s[1] == "I" and s in LENIENT.begins for tags in sentences for s in steps(tags))
