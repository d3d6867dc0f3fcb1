"""Signs of groups that nobody named: labels such as `doc`, or ids such as p00-q1."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from tellapart.counts import Counts

GROUP_LABELS = frozenset(
    {"article", "author", "book", "context", "conversation", "dialog", "dialogue", "doc",
     "document", "episode", "message", "page", "paragraph", "passage", "session", "speaker",
     "story", "thread", "topic", "url", "user", "video"}
)  # fmt: skip
"""What labels are called whose units often hang together"""
CODE = "maybe-clustered"
"""The warning of groups that nobody named"""
FEWEST, LARGEST = 5, 50
"""Fewer groups than that are kinds of units; larger ones on average are parts of a test set"""
_LOOKED_AT = 20_000  # ids: in millions, the beginning tells as much
_ID = re.compile(r"(?P<group>.*\d.*)[-_/.:#| ]+[^-_/.:#| ]+")
_ENDING = re.compile(r"[_ -]?(id|name|no|nr)$")


@dataclass(frozen=True, slots=True)
class Likely:
    """Groups that units seem to come in: the label that names them, and some ids of one."""

    label: str | None
    ids: tuple[str, ...] = ()


def likely_clusters(counts: Counts) -> Likely | None:
    """Find the label that seems to group units, or else ids that look grouped.

    >>> from tellapart.counts import Counts
    >>> ids = [f"p{p:02}-q{q}" for p in range(8) for q in (1, 2, 3)]
    >>> likely_clusters(Counts.from_arrays({"A": [0] * 24}, units=ids))
    Likely(label=None, ids=('p00-q1', 'p00-q2'))
    >>> likely_clusters(Counts.from_arrays({"A": [0] * 24}, units=[f"q{k}" for k in range(24)]))
    """
    told = any(notice.code == CODE for notice in counts.notices)  # by the reader of the files
    if counts.cluster is not None or counts.present is not None or told:
        return None
    for label, texts in counts.labels.items():
        distinct = len(set(texts))
        if _means_group(label) and "" not in texts and _grouped(distinct, len(texts)):
            return Likely(label)
    return _by_id(counts.units[:_LOOKED_AT])


def _means_group(label: str) -> bool:
    return _ENDING.sub("", label.casefold()) in GROUP_LABELS


def _grouped(groups: int, units: int) -> bool:
    return FEWEST <= groups < units <= LARGEST * groups


def _by_id(units: tuple[str, ...]) -> Likely | None:
    """See whether ids begin alike group by group, with a number in what they share."""
    groups = []
    for unit in units:
        found = _ID.fullmatch(unit)
        if found is None:
            return None
        groups.append(found["group"])
    sizes = Counter(groups)
    shared = sum(size for size in sizes.values() if size > 1)
    if not _grouped(len(sizes), len(units)) or 10 * shared < 8 * len(units):
        return None
    first = next(group for group in groups if sizes[group] > 1)
    alike = [unit for unit, group in zip(units, groups, strict=True) if group == first]
    return Likely(None, tuple(alike[:2]))
