"""The notices of a comparison: what readers have to know, as codes with names and numbers.

Each is made here, from what was computed; `report.sentences` has a sentence for every code. What
readers of files found comes with its own sentence and is passed on.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tellapart.comparison.answers import reported_names
from tellapart.comparison.options import RANDOMIZATION
from tellapart.comparison.record import Comparison, Notice, Pair
from tellapart.comparison.scored import Scored, numbers_of, sources_of
from tellapart.counts import Counts
from tellapart.metrics.contributions import span_of
from tellapart.metrics.scores import FunctionScores, RatioScores, Scores
from tellapart.stats.corrections import least_shuffles
from tellapart.stats.result import smallest_p
from tellapart.stats.runs import SOURCES, Spread

FEW_ITEMS, FEW_CLUSTERS = 20, 10
_FEW_PAIRS = 50  # whose noise of repeats is looked at
COCHRAN = 25  # items for each squared skewness of the differences (Cochran 1977)
_UNLIKE_SPANS = 3  # scales of which the one is so many times as wide take no margin in common
_ABOVE_ONE = 20  # a best item above it is of a hundred where another system's is at most 1
MANY_ALIKE = 60  # items whose differences are all the same: one of twenty would have been seen
UNEQUAL = 1.75
"""Standard errors of two pairs that are so many times as large as each other do not vary alike"""

GROUP_LABELS = frozenset(
    {"article", "author", "book", "context", "conversation", "dialog", "dialogue", "doc",
     "document", "episode", "message", "page", "paragraph", "passage", "session", "speaker",
     "story", "thread", "topic", "url", "user", "video"}
)  # fmt: skip
"""What labels are called whose items often hang together"""
TEXT_LABELS = ("hash", "text_hash", "doc_hash", "prompt_hash", "text")
"""Labels whose repeated values show that items repeat each other"""
PERHAPS_TEXTS = ("question", "input", "prompt")
"""Labels that show it where there are many: three prompts for all items are conditions"""
_FEWEST_GROUPS, _LARGEST_GROUP = 5, 50
_LOOKED_AT = 20_000  # ids: of millions, the beginning tells as much
_ID = re.compile(r"(?P<group>.*\d.*)[-_/.:#| ]+[^-_/.:#| ]+")
_ENDING = re.compile(r"[_ -]?(id|name|no|nr)$")
_FOR_FEW = ("wilson", "tango", "newcombe", "score", "exact score")
"""Intervals of right and wrong items that hold for few of them too"""


REMARKS = frozenset(
    {"direction", "identical", "judge-flips", "labels-not-systems",
     "main-scores", "merged-runs", "metric-chosen", "not-compared", "reducer", "repeats",
     "repeats-spread", "rows-are-items", "runs", "runs-used-up", "superseded",
     "total-row", "unused-labels", "values-rounded"}
)  # fmt: skip
"""Notices that tell how data were taken; all others may change what a reader does"""


def find_notices(record: Comparison, scored: Sequence[Scored]) -> tuple[Notice, ...]:
    """Return every notice of a comparison, remarks last."""
    pairs, counts = record.pairs, scored[0].unclustered.counts
    scores = {metric.scores.name: metric.scores for metric in scored}
    notices = (
        *_about_many(record),
        *_of_reader(counts, record),
        *_about_runs(record, pairs, scores),
        *_about_directions(record),
        *_about_items(record, pairs, counts),
        *_about_systems(pairs, scores),
        *_about_p(record, pairs),
        *_about_test(record, pairs, counts),
        *_about_skewness(record, pairs, scores),
        *_about_margin(record, scores),
        *_about_scales(metric.unclustered for metric in scored if not metric.cost),
    )
    return tuple(sorted(notices, key=lambda notice: notice.code in REMARKS))


def _of_reader(counts: Counts, record: Comparison) -> Iterator[Notice]:
    """Yield what was noticed when the files were read, but for what the comparison settled."""
    settled = {"repeats", "reducer"} if all(map(_is_of_all_runs, record.metrics)) else set()
    for notice in counts.notices:
        if notice.code not in settled:
            yield Notice(notice.code, notice.affected, text=notice.text)


def _is_of_all_runs(metric: str) -> bool:
    return metric.startswith(("pass@", "pass^"))


def _pairs(
    code: str, record: Comparison, pairs: Sequence[Pair], **numbers: Any
) -> Iterator[Notice]:
    """Yield one notice about some pairs, if there are any, named as reports show them."""
    if pairs:
        names = (f"{' - '.join(reported_names(record, p))}, {p.metric}" for p in pairs)
        yield Notice(code, tuple(names), numbers)


def _about_runs(
    record: Comparison, pairs: Sequence[Pair], scores: Mapping[str, Scores]
) -> Iterator[Notice]:
    """Yield where the uncertainty of the leading metric comes from, and what its verdict is of."""
    runs = record.runs
    leading = next((m for m in record.metrics if not _is_of_all_runs(m)), None)
    pairs = [pair for pair in pairs if pair.metric == leading]
    if runs is None:
        sources = [_sources(pair, scores) for pair in pairs[:_FEW_PAIRS]]
        with_repeats = [own for own in sources if own is not None and own.repeats > 0]
        if with_repeats:
            yield Notice("repeats-spread", (), {"shares": _ranges(with_repeats)})
        return
    used_up = tuple(filter(_is_of_all_runs, record.metrics))
    if used_up:
        yield Notice("runs-used-up", used_up)
        if leading is None:
            return
    if not runs.vary:
        single = tuple(name for name, number in runs.runs.items() if number < 2)
        yield Notice("these-runs", single, {"why": runs.why_fixed})
        return
    spreads = [pair.spread for pair in pairs if pair.spread is not None]
    if spreads or any(_sources(pair, scores) for pair in pairs[:_FEW_PAIRS]):
        shares = _ranges(spreads) if spreads else {}  # where other runs add nothing
        yield Notice("runs", tuple(runs.runs), {"shares": shares})
    for number, code in ((1, "single-run"), (2, "two-runs")):
        names = tuple(name for name, own in runs.runs.items() if own == number)
        if names:
            yield Notice(code, names)


def _sources(pair: Pair, scores: Mapping[str, Scores]) -> Spread | None:
    own = scores[pair.metric]
    return sources_of(own, *numbers_of(own, pair))


def _ranges(spreads: Sequence[Spread]) -> dict[str, list[float]]:
    """Return the least and the largest share of the variance over some pairs, by its source."""
    shares = [spread.shares for spread in spreads]
    return {source: [f(own[source] for own in shares) for f in (min, max)] for source in SOURCES}


def _about_directions(record: Comparison) -> Iterator[Notice]:
    """Yield the values of which nothing tells whether more or less is better."""
    names = tuple(
        name
        for name, info in record.metrics.items()
        if info.higher_is_better and info.direction == "assumed"
    )
    if names:
        yield Notice("direction", names)


def _about_items(record: Comparison, pairs: Sequence[Pair], counts: Counts) -> Iterator[Notice]:
    clusters, count = record.items.cluster, record.items.exchanged.count
    rough = any(pair.interval and pair.interval_method not in _FOR_FEW for pair in pairs)
    exact = all(pair.method in ("exact", "enumeration") for pair in pairs)
    if count < (FEW_ITEMS if clusters is None else FEW_CLUSTERS):
        code = "few-items" if clusters is None else "few-clusters"
        yield Notice(code, (), {"count": count, "rough_intervals": rough, "exact": exact})
    if clusters is None:
        if (together := maybe_clustered(counts)) is not None:
            yield together
        label = repeated_label(counts)
        if label is not None:
            texts = Counter(counts.labels[label])
            # If those alike came out alike, the variance would be so many times as large at most.
            inflation = sum(times**2 for times in texts.values()) / len(counts.items)
            numbers = {"repeated": len(counts.items) - len(texts), "inflation": inflation}
            yield Notice("duplicates", (label,), numbers)


def maybe_clustered(counts: Counts) -> Notice | None:
    """Return that items seem to hang together: by a label, or else by ids that look grouped.

    >>> ids = [f"p{p:02}-q{q}" for p in range(8) for q in (1, 2, 3)]
    >>> maybe_clustered(Counts.from_arrays({"A": [0] * 24}, items=ids)).about
    ('p00-q1', 'p00-q2')
    >>> maybe_clustered(Counts.from_arrays({"A": [0] * 24}, items=[f"q{k}" for k in range(24)]))
    """
    if counts.cluster is not None or counts.present is not None:
        return None
    for label, texts in counts.labels.items():
        means_group = _ENDING.sub("", label.casefold()) in GROUP_LABELS
        if means_group and "" not in texts and _grouped(len(set(texts)), len(texts)):
            groups = len(set(counts.cluster_names(label)))  # each task has its own
            return Notice("maybe-clustered", (label,), {"groups": groups})
    ids = _grouped_ids(_ids_of_one_task(counts)[:_LOOKED_AT])
    return None if ids is None else Notice("maybe-clustered", ids)


def _ids_of_one_task(counts: Counts) -> tuple[str, ...]:
    """Return the ids of all items; of several tasks, those of the largest, without its name."""
    if counts.suite is None or counts.suite.label not in counts.labels:
        return counts.items
    tasks = counts.labels[counts.suite.label]
    largest, _ = Counter(tasks).most_common(1)[0]
    own = [item for item, task in zip(counts.items, tasks, strict=True) if task == largest]
    return tuple(item.removeprefix(f"{largest}/") for item in own)


def _grouped(groups: int, items: int) -> bool:
    return _FEWEST_GROUPS <= groups < items <= _LARGEST_GROUP * groups


def _grouped_ids(items: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return two ids of a group that begin alike, with a number in what they share."""
    matches = [_ID.fullmatch(item) for item in items]
    groups = [match["group"] for match in matches if match is not None]
    if len(groups) < len(items):
        return None
    sizes = Counter(groups)
    shared = sum(size for size in sizes.values() if size > 1)
    if not _grouped(len(sizes), len(items)) or 10 * shared < 8 * len(items):
        return None
    first = next(group for group in groups if sizes[group] > 1)
    alike = [item for item, group in zip(items, groups, strict=True) if group == first]
    return tuple(alike[:2])


def repeated_label(counts: Counts) -> str | None:
    """Return the label that shows items to repeat each other's text, if one does."""
    if counts.cluster is not None or counts.present is not None:
        return None
    for label in (*TEXT_LABELS, *PERHAPS_TEXTS):
        texts, items = len(set(counts.labels.get(label, counts.items))), len(counts.items)
        if texts < items and (label in TEXT_LABELS or _grouped(texts, items)):
            return label
    return None


def _about_systems(pairs: Sequence[Pair], scores: Mapping[str, Scores]) -> Iterator[Notice]:
    same: dict[tuple[str, ...], list[bool]] = {}
    for pair in pairs:
        same.setdefault(tuple(sorted((pair.a, pair.b))), []).append(pair.differing == 0)
    for names, equal in same.items():
        if all(equal):
            yield Notice("identical", names)
    for name, own in scores.items():
        sound = own.is_finite if isinstance(own, FunctionScores) else own.is_defined
        lost = tuple(system for k, system in enumerate(own.systems) if not sound(k))
        if lost:
            value = float(own.metric.undefined)
            yield Notice("undefined", lost, {"metric": name, "value": value})


def _about_p(record: Comparison, pairs: Sequence[Pair]) -> Iterator[Notice]:
    if record.test in (*RANDOMIZATION, "sign", "mcnemar"):
        sign = 0 if record.tail == "two" else 1
        few = [p for p in pairs if p.differing and smallest_p(p.differing, sign) > record.alpha]
        yield from _pairs("cannot-reach", record, few)
    fixed = [pair for pair in pairs if pair.shuffles and not pair.sequential]
    drawn = next((pair.shuffles for pair in fixed if pair.method == "shuffles"), None)
    if record.correction in ("bonferroni", "holm") and drawn:
        needed = least_shuffles(record.family_size, record.alpha)
        if drawn < needed:
            yield Notice("few-shuffles", (), {"pairs": record.family_size, "needed": needed})
    unsettled = [pair for pair in pairs if pair.settled is False]
    for drawn_ in (True, False):
        those = [pair for pair in unsettled if bool(pair.shuffles) == drawn_]
        yield from _pairs("unsettled", record, those, drawn=drawn_)


def _about_test(record: Comparison, pairs: Sequence[Pair], counts: Counts) -> Iterator[Notice]:
    if record.test == "unpaired" and counts.present is None:
        yield Notice("unpaired-test")
    undefined = [pair for pair in pairs if pair.p is None]
    reason = undefined[0].reason if undefined else None
    yield from _pairs("undefined-test", record, undefined, reason=reason)
    if record.correction == "tukey":
        for metric in record.metrics:
            errors = [p.diagnostics.standard_error for p in pairs if p.metric == metric]
            times = unequal_spreads(errors)
            if times is not None:
                yield Notice("unequal-spreads", (metric,), {"times": times})


def unequal_spreads(errors: Sequence[float | None]) -> float | None:
    """Return how many times the largest standard error is the smallest, if that is too unequal.

    >>> unequal_spreads([0.02, 0.05, 0.03])
    2.5
    >>> unequal_spreads([0.02, 0.03, None, 0.0])
    """
    known = [error for error in errors if error]
    times = max(known) / min(known) if known else 1.0
    return round(times, 3) if times > UNEQUAL else None


def _about_skewness(
    record: Comparison, pairs: Sequence[Pair], scores: Mapping[str, Scores]
) -> Iterator[Notice]:
    """Yield where few differences are so skewed that equal scores do not make them symmetric."""
    if record.test not in (*RANDOMIZATION, "t", "bootstrap"):
        return
    shown = [pair for pair in pairs if pair.different][:_FEW_PAIRS]
    skewed = [pair for pair in shown if _is_skewed(pair, scores[pair.metric])]
    yield from _pairs("skewed", record, skewed, items=record.items.exchanged.count)


def _is_skewed(pair: Pair, scores: Scores) -> bool:
    """Return whether a pair's differences are too skewed for so few items.

    That is against the difference, which more of the rare large ones would undo: by Cochran's rule,
    and beyond what chance makes of symmetric ones. Where all are the same, and not right or wrong,
    none has been seen.
    """
    single = scores.times is None and scores.n > 1
    terms = scores.terms(*numbers_of(scores, pair), "own") if single else None
    if terms is None:
        return False
    away = terms.values - terms.values.mean()
    spread, largest = float(np.sqrt(np.mean(away**2))), float(np.abs(terms.values).max())
    if spread <= 1e-9 * largest:
        right_or_wrong = abs(scores.n * largest - 1) < 1e-9
        return scores.n < MANY_ALIKE and largest > 0 and not right_or_wrong
    skewness = float(np.mean(away**3)) / spread**3
    against = -math.copysign(skewness, skewness * float(terms.values.mean()))
    chance = 1.5 * math.sqrt(6 / scores.n)
    return against > max(math.sqrt(scores.n / COCHRAN), chance)


def _about_margin(record: Comparison, scores: Mapping[str, Scores]) -> Iterator[Notice]:
    """Yield metrics without a known lowest score, and of unlike scales under one margin or bar."""
    held = [own for name, own in scores.items() if record.margin_of(name) is not None]
    for own in held:
        lowest = 0.0
        if isinstance(own, RatioScores):
            lowest = float(own.factor) * int(own.columns[0].min(initial=0))
        if lowest < 0:
            yield Notice("no-lowest", (own.name,), {"lowest": lowest, "metric": own.name})
    under_bar = [own for name, own in scores.items() if record.bar_of(name) is not None]
    for code, both in (("margin-scales", held), ("bar-scales", under_bar)):
        spans = sorted((span_of(own), own.name) for own in both)
        if spans and spans[-1][0] > _UNLIKE_SPANS * spans[0][0]:
            yield Notice(code, (spans[0][1], spans[-1][1]))


def _about_scales(scores: Iterable[Scores]) -> Iterator[Notice]:
    """Yield two systems of which one seems to score up to 1, and the other up to 100."""
    for own in scores:
        if not isinstance(own, RatioScores) or not own.metric.is_mean:
            continue
        if not own.metric.higher_is_better:  # errors have no end
            continue
        tops = own.columns[0].max(axis=1, initial=0) * float(own.factor)
        of_one = np.flatnonzero((tops > 0) & (tops <= 1))
        of_hundred = np.flatnonzero((tops > _ABOVE_ONE) & (tops <= 100))
        if len(of_one) and len(of_hundred):
            names = (own.systems[of_one[0]], own.systems[of_hundred[0]])
            top = float(tops[of_hundred[0]])
            yield Notice("two-scales", names, {"metric": own.name, "top": top})


def _about_many(record: Comparison) -> Iterator[Notice]:
    """Yield how many pairs of many systems were not tested."""
    systems = len(record.systems)
    pairs = record.family_size
    tested = len(record.pairs) // len(record.metrics)
    if tested < pairs:
        yield Notice("not-all-tested", (), {"systems": systems, "pairs": pairs, "tested": tested})
