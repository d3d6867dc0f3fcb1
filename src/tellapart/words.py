"""Small helpers for wording messages."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

_ALIKE = 0.5  # less is no misspelling


def several(count: int, noun: str) -> str:
    """Return a number with its noun in the right form.

    >>> several(1, "message"), several(3, "query"), several(2, "class")
    ('1 message', '3 queries', '2 classes')
    """
    return f"{count} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of an English noun, by rule.

    >>> plural("message"), plural("story"), plural("essay")
    ('messages', 'stories', 'essays')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the remark on the known name that is spelled most alike, whatever its case.

    >>> nearest("umas", ["GE", "UMASS"])
    "the nearest is 'UMASS' of GE, UMASS"
    """

    def likeness(other: str) -> float:
        return difflib.SequenceMatcher(None, name.casefold(), other.casefold()).ratio()

    best = max(known, key=likeness)
    if likeness(best) < _ALIKE:
        return f"there are {listed(known)}"
    return f"the nearest is {best!r} of {listed(known)}"


def listed(names: Sequence[str], most: int = 20) -> str:
    r"""Return names in one line, the first of them if there are many.

    >>> listed(["tp", "fp", "two\nlines"]), listed(["a", "b", "c"], most=2)
    ('tp, fp, two lines', 'a, b and 1 more')
    """
    shown = ", ".join(" ".join(name.split()) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
