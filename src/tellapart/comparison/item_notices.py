"""What users are warned of about items: how few, which hang together, repeat or are too easy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.comparison.pair_record import PairResult
from tellapart.counts import Counts
from tellapart.errors import Notice
from tellapart.metrics.projection import BoundRatio, Projection
from tellapart.significance.bootstrap_tests import scores
from tellapart.significance.options import Options
from tellapart.significance.registry import RANDOMIZATION
from tellapart.words import plural, several

GROUP_LABELS = frozenset(
    {"article", "author", "book", "context", "conversation", "dialog", "dialogue", "doc",
     "document", "episode", "message", "page", "paragraph", "passage", "session", "speaker",
     "story", "thread", "topic", "url", "user", "video"}
)  # fmt: skip
"""What labels are called whose items often hang together"""
CODE = "maybe-clustered"
"""The warning of groups that nobody named"""
FEWEST, LARGEST = 5, 50
"""Fewer groups than that are kinds of items; larger ones on average are parts of a test set"""
_LOOKED_AT = 20_000  # ids: in millions, the beginning tells as much
_ID = re.compile(r"(?P<group>.*\d.*)[-_/.:#| ]+[^-_/.:#| ]+")
_ENDING = re.compile(r"[_ -]?(id|name|no|nr)$")
FEW_ITEMS, FEW_CLUSTERS = 20, 10
_FOR_FEW = ("wilson", "tango", "newcombe", "score", "exact score")
"""Intervals of right and wrong items that hold for few of them too"""
TEXT_LABELS = ("hash", "text_hash", "doc_hash", "prompt_hash", "text")
"""Labels whose repeated values mean repeated texts"""


def notices_of_items(
    projection: Projection, pairs: Sequence[PairResult], options: Options
) -> Iterator[Notice]:
    """Yield what readers have to know of the items that systems are compared on."""
    counts = projection.counts
    n, kind = len(counts.items), counts.cluster or counts.kind
    if counts.cluster is not None:
        yield Notice("clustered", clusters_kept(counts, pairs, options))
    remark = ", ".join(_few_remarks(pairs, options))
    if counts.cluster is not None and n < FEW_CLUSTERS:
        found = f"Only {several(n, kind)}, which is too few"
        yield Notice("few-clusters", f"{found}: {remark}." if remark else f"{found}.")
    elif n < FEW_ITEMS:
        found = f"Only {several(n, kind)}"
        yield Notice("few-units", f"{found}: {remark or 'little can be shown'}.")
    yield from _maybe_clustered(counts)
    yield from _duplicates(projection)
    yield from _ceiling(projection)


@dataclass(frozen=True, slots=True)
class LikelyClusters:
    """Groups that items seem to come in: the label that names them, and some ids of one."""

    label: str | None
    ids: tuple[str, ...] = ()


def likely_clusters(counts: Counts) -> LikelyClusters | None:
    """Return the label that seems to group items, or else ids that look grouped.

    >>> from tellapart.counts import Counts
    >>> ids = [f"p{p:02}-q{q}" for p in range(8) for q in (1, 2, 3)]
    >>> likely_clusters(Counts.from_arrays({"A": [0] * 24}, items=ids))
    LikelyClusters(label=None, ids=('p00-q1', 'p00-q2'))
    >>> likely_clusters(Counts.from_arrays({"A": [0] * 24}, items=[f"q{k}" for k in range(24)]))
    """
    noticed = any(notice.code == CODE for notice in counts.notices)  # by the reader of the files
    if counts.cluster is not None or counts.present is not None or noticed:
        return None
    for label, texts in counts.labels.items():
        distinct = len(set(texts))
        if _means_group(label) and "" not in texts and _grouped(distinct, len(texts)):
            return LikelyClusters(label)
    return _by_id(_ids_of_one_task(counts)[:_LOOKED_AT])


def _ids_of_one_task(counts: Counts) -> tuple[str, ...]:
    """Return the ids of all items; of several tasks, those of the largest, without its name."""
    if counts.suite is None or counts.suite.label not in counts.labels:
        return counts.items
    tasks = counts.labels[counts.suite.label]
    task, _ = Counter(tasks).most_common(1)[0]
    own = [item for item, each in zip(counts.items, tasks, strict=True) if each == task]
    return tuple(item.removeprefix(f"{task}/") for item in own)


def _means_group(label: str) -> bool:
    return _ENDING.sub("", label.casefold()) in GROUP_LABELS


def _grouped(groups: int, items: int) -> bool:
    return FEWEST <= groups < items <= LARGEST * groups


def _by_id(items: tuple[str, ...]) -> LikelyClusters | None:
    """Return groups of ids that begin alike, with a number in what they share."""
    groups = []
    for item in items:
        found = _ID.fullmatch(item)
        if found is None:
            return None
        groups.append(found["group"])
    sizes = Counter(groups)
    shared = sum(size for size in sizes.values() if size > 1)
    if not _grouped(len(sizes), len(items)) or 10 * shared < 8 * len(items):
        return None
    first = next(group for group in groups if sizes[group] > 1)
    alike = [item for item, group in zip(items, groups, strict=True) if group == first]
    return LikelyClusters(None, tuple(alike[:2]))


def _few_remarks(pairs: Sequence[PairResult], options: Options) -> Iterator[str]:
    """Yield what so few items mean for intervals and p-values."""
    rough = options.intervals and any(pair.interval_method not in _FOR_FEW for pair in pairs)
    if rough:
        yield "the intervals are rough"
    if "bootstrap" in options.test:
        yield "and p-values too small" if rough else "p-values are too small"
    elif all(pair.method in ("exact", "enumeration") for pair in pairs):
        yield "the exact test was used"


def clusters_kept(counts: Counts, pairs: Sequence[PairResult], options: Options) -> str:
    """Return that clusters were kept together."""
    singles, whole = plural(counts.kind), plural(counts.cluster or "")
    done = "shuffled" if options.test in RANDOMIZATION else "taken together"
    done = "drawn" if "bootstrap" in options.test else done
    done = "taken together" if any(pair.noise is not None for pair in pairs) else done
    return (
        f"{singles[0].upper()}{singles[1:]} of one {counts.cluster} are not independent: whole "
        f"{whole} were {done}."
    )


def _maybe_clustered(counts: Counts) -> Iterator[Notice]:
    found = likely_clusters(counts)
    if found is None:
        return
    singles = plural(counts.kind)
    singles = singles[0].upper() + singles[1:]
    if found.label is not None:
        groups = len(set(counts.labels[found.label]))
        text = (
            f"{singles} come in {groups:,} groups by {found.label}, and those of one group may be "
            f"right or wrong together: add --cluster {found.label}, and trust that answer."
        )
        yield Notice("maybe-clustered", text, (found.label,))
    else:
        text = (
            f"{counts.kind[0].upper()}{counts.kind[1:]} ids look grouped ({', '.join(found.ids)} "
            "...). If so, add a column that names the group, and name it with --cluster."
        )
        yield Notice("maybe-clustered", text, found.ids)


def _duplicates(projection: Projection) -> Iterator[Notice]:
    counts = projection.counts
    label = _repeated_label(counts)
    if label is not None:
        repeated = len(counts.items) - len(set(counts.labels[label]))
        text = (
            f"{several(repeated, counts.kind)} {'repeats' if repeated == 1 else 'repeat'} the "
            f"{label} of another one, and repeats are not independent: --cluster {label} keeps "
            "them together."
        )
        yield Notice("duplicates", text, (label,))


def _repeated_label(counts: Counts) -> str | None:
    """Return the label that shows items to repeat each other's text, if one does."""
    for label in TEXT_LABELS:
        if label in counts.labels and counts.cluster is None and counts.present is None:
            return label if len(set(counts.labels[label])) < len(counts.items) else None
    return None


def _ceiling(projection: Projection) -> Iterator[Notice]:
    for bound in projection.metrics:
        if not isinstance(bound, BoundRatio) or not bound.metric.is_mean:
            continue
        alone = scores(bound, np.moveaxis(projection.forms, 0, -1))  # systems × items
        best = 1.0 if bound.metric.higher_is_better else 0.0
        share = float((alone == best).all(axis=0).mean())
        if alone.min() >= 0 and alone.max() <= 1 and share > 0.5:
            kinds = plural(projection.counts.kind)
            text = (
                f"{100 * share:.0f} % of {kinds} are right for all systems by {bound.metric.name}."
            )
            yield Notice("ceiling", text)
