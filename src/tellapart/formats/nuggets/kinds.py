"""Mentions that only their position tells apart: they are compared with others once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.formats.nuggets.attributes import Labels
from tellapart.formats.nuggets.tbf import Mention


@dataclass(frozen=True, slots=True)
class Kinds:
    """Mentions with the same span, type and realis are of one kind; kinds by their first one."""

    mentions: Sequence[Mention]  # the first of each kind
    labels: Labels
    members: Sequence[Sequence[int]]
    """Per kind the positions of its mentions, in order"""
    lone: NDArray[np.bool_]
    """Per kind whether it has one mention only"""


def kinds_of(mentions: Sequence[Mention], labels: Labels) -> Kinds:
    """Put mentions that are written alike together.

    >>> one = Mention("E1", ((0, 4),), (), "died", "Die", "Actual", 2)
    >>> kinds_of([one, one._replace(id="E2")], Labels(["die", "die"], ["actual", "other"])).members
    [[0], [1]]
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for i, (mention, *both) in enumerate(zip(mentions, labels.types, labels.realis, strict=True)):
        found.setdefault((mention.pieces, mention.tokens, *both), []).append(i)
    members = list(found.values())
    return Kinds(
        [mentions[each[0]] for each in members],
        Labels(
            [labels.types[each[0]] for each in members],
            [labels.realis[each[0]] for each in members],
        ),
        members,
        np.array([len(each) == 1 for each in members], bool),
    )
