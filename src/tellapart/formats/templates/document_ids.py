"""Documents by their ids: predictions of GTT and GRIT have numbers where gold has names."""

from __future__ import annotations

from collections.abc import Callable, Collection


def number_of(name: str) -> str | None:
    """Return the number that GTT gives to a document; None if its name makes none.

    >>> number_of("TST3-MUC4-0002"), number_of("DEV-MUC3-0001"), number_of("review")
    ('30002', None, None)
    """
    parts = name.split("-")
    digit, last = parts[0][-1:], parts[-1]
    if len(parts) < 2 or not (digit + last).isdecimal() or not (digit + last).isascii() or not last:
        return None
    return str(int(digit or 0) * 10000 + int(last))


def same_document(gold: Collection[str]) -> Callable[[str], str | None]:
    """Return what tells the gold document of a name, spelled as it is or as a number.

    >>> same = same_document(["TST3-MUC4-0002"])
    >>> same("TST3-MUC4-0002"), same("30002"), same("30003")
    ('TST3-MUC4-0002', 'TST3-MUC4-0002', None)
    """
    names = set(gold)
    by_number: dict[str, str | None] = {}
    for name in gold:
        number = number_of(name)
        if number is not None:
            # Two documents of one number can only be told by their names.
            by_number[number] = None if number in by_number else name

    def same(name: str) -> str | None:
        if name in names:
            return name
        number = number_of(name)
        return by_number.get(name) or (number if number in names else None)

    return same
