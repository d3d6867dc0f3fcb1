"""The attributes of mentions: how they are spelled, when they agree, and their combinations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tellapart.errors import UsageError
from tellapart.formats.nuggets.spans import Pairs
from tellapart.formats.nuggets.tbf import Mention
from tellapart.words import nearest

PLAIN, TYPE, REALIS = "plain", "mention_type", "realis_status"
BOTH: Final = f"{TYPE}+{REALIS}"
ATTRIBUTE_SETS: Final = (PLAIN, TYPE, REALIS, BOTH)

_NOT_ANNOTATED: Final = "NOT_ANNOTATED"
_OTHERS = re.compile("[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Profile:
    """What one of the three ways to score does differently."""

    name: str
    canonical_labels: bool  # compare labels by their letters and digits only
    one_to_one: bool  # each gold mention has one partner, found anew for each attribute set
    sees_all_words: bool  # no token is invisible

    def label(self, label: str) -> str:
        """Return a label as the profile compares and prints it."""
        return canonical(label) if self.canonical_labels else label

    @property
    def placeholder(self) -> str:
        """The gold label that agrees with every other."""
        return self.label(_NOT_ANNOTATED)


PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("kbp", canonical_labels=True, one_to_one=True, sees_all_words=True),
        Profile("fixed", canonical_labels=False, one_to_one=False, sees_all_words=False),
        Profile("pilot", canonical_labels=False, one_to_one=False, sees_all_words=False),
    )
}


def profile(name: str) -> Profile:
    """Return the profile of a name."""
    if name not in PROFILES:
        raise UsageError(f"there is no profile {name!r}; {nearest(name, tuple(PROFILES))}")
    return PROFILES[name]


@cache
def canonical(label: str) -> str:
    """Return the ASCII letters and digits of a label, lower-cased.

    >>> canonical("Movement_Transport-Person")
    'movementtransportperson'
    """
    return _OTHERS.sub("", label).lower()


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of some mentions as a profile compares them."""

    types: list[str]
    realis: list[str]


def labels_of(mentions: Sequence[Mention], profile: Profile) -> Labels:
    """Return the labels of mentions as a profile compares them."""
    return Labels(
        [profile.label(mention.type) for mention in mentions],
        [profile.label(mention.realis) for mention in mentions],
    )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Per overlapping pair: whether type and realis agree."""

    type: NDArray[np.bool_]
    realis: NDArray[np.bool_]

    def on(self, attributes: str) -> NDArray[np.bool_]:
        """Return which pairs agree on every attribute of a set."""
        if attributes == TYPE:
            return self.type
        if attributes == REALIS:
            return self.realis
        if attributes == BOTH:
            return self.type & self.realis
        return np.ones(len(self.type), dtype=bool)


def agreement(pairs: Pairs, gold: Labels, system: Labels, profile: Profile) -> Agreement:
    """Return which labels of all pairs agree; a gold placeholder agrees with everything."""
    return Agreement(
        _agree(gold.types, system.types, pairs, profile.placeholder),
        _agree(gold.realis, system.realis, pairs, profile.placeholder),
    )


def _agree(gold: list[str], system: list[str], pairs: Pairs, placeholder: str) -> NDArray[np.bool_]:
    # Labels as numbers; the placeholder is 0.
    numbers = {placeholder: 0}
    right = np.array([numbers.setdefault(label, len(numbers)) for label in gold], np.int64)
    own = np.array([numbers.setdefault(label, len(numbers)) for label in system], np.int64)
    wanted = right[pairs.gold]
    return np.asarray((wanted == own[pairs.system]) | (wanted == 0))
