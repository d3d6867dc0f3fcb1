"""Repeated checks against the same test set: the level at which each of them may be tested.

Twenty builds that change nothing, each held at 5 % against the same release, stop at least one of
them in up to two series of three. So the k-th check gets the share 1 / (k (k + 1)) of alpha: the
shares of all checks that will ever be made add up to 1, and the chance that a whole series has a
false alarm stays below alpha, however long it goes on and however alike the checks are.

That also holds if what is tried next depends on how earlier checks came out, as long as that is
all that was learnt of the items: up to the first false alarm there is one history only, in which
every check passed (the argument of Blum and Hardt's ladder, 2015).
"""

from __future__ import annotations

from tellapart.limits import ALPHA, Number

LOOK = Number(whole=True, least=1)


def level_of_look(alpha: float, look: int) -> float:
    """Return the level of the `look`-th check, from 1 up, against the same items.

    >>> [round(level_of_look(0.05, look), 5) for look in (1, 2, 3, 10)]
    [0.025, 0.00833, 0.00417, 0.00045]
    """
    alpha = ALPHA.checked(alpha, "alpha")
    look = LOOK.checked(look, "look")
    return float(alpha / (look * (look + 1)))
