"""Details: the data of figures and of the HTML page that the record of a comparison has not.

Plain data, worked out from a comparison's evidence; reports only draw it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tellapart.comparison.analysis import Analysis
from tellapart.comparison.boards import shown_pairs
from tellapart.comparison.items import (
    SHOWN,
    DifferingItems,
    ItemDifference,
    ItemScores,
    ShownItem,
    contributions,
    item_texts,
    shown_places,
    sorted_contributions,
)
from tellapart.comparison.null_histograms import Histogram, histograms
from tellapart.comparison.pair_record import PairResult, Slice
from tellapart.comparison.power import Power, power
from tellapart.comparison.ranking import headline
from tellapart.comparison.reasons import Reasons, has_reasons, reasons
from tellapart.comparison.record import Comparison
from tellapart.comparison.scatter import Scatter, scatters
from tellapart.comparison.slices import automatic_labels, slices
from tellapart.errors import UsageError
from tellapart.metrics import ItemFunction
from tellapart.progress import Progress, no_progress
from tellapart.significance.registry import RANDOMIZATION
from tellapart.words import plural


@dataclass(frozen=True, slots=True)
class PairDetails:
    """The details of a pair under one metric: first minus second, as in the comparison's pair."""

    a: str
    b: str
    metric: str
    null: Histogram | None
    """None where the test exchanges nothing, or there is nothing to exchange"""
    contributions: tuple[float, ...]
    """Per-item (or per-cluster) differences from the best for `a` to the worst: at most 400"""
    contribution_count: int
    """The number of all items (clusters)"""
    slices: tuple[Slice, ...]
    items: tuple[ItemDifference, ...]
    """The items that differ most, largest first: at most 500"""
    differing: int
    """The number of all items that differ"""
    number: int = 0
    """The place of the pair in the comparison"""
    reasons: Reasons | None = None
    """What may explain the difference; of many pairs, of those that verdicts speak of alone"""

    def mirrored(self) -> PairDetails:
        """Return the same seen from the second system: second minus first."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            null=None if self.null is None else self.null.mirrored(),
            contributions=tuple(0.0 - value for value in reversed(self.contributions)),
            slices=tuple(each.mirrored() for each in self.slices),
            items=tuple(item.mirrored() for item in self.items),
            reasons=None if self.reasons is None else self.reasons.mirrored(),
        )


@dataclass(frozen=True, slots=True)
class Details:
    """All that a full report shows beside the record of the comparison."""

    headline: tuple[str, str, str]
    """The pair that the verdict speaks of: two systems and the metric"""
    pairs: tuple[PairDetails, ...]
    """Of `shown_pairs`, in the order of the comparison"""
    items: tuple[ShownItem, ...]
    scatters: tuple[Scatter, ...] = ()
    power: tuple[Power, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences about what was left out"""


MOST_EXPLAINED: Final = 6
"""Pairs each of which is explained; of more, those that verdicts speak of or are asked for"""


def details_of(
    result: Comparison,
    progress: Progress = no_progress,
    asked: Iterable[tuple[str, str]] = (),
) -> Details:
    """Return what stands behind the figures of a comparison, for reports and plots.

    Null distributions, differences item by item, slices (those of the comparison, or by labels
    that suggest themselves), the items that differ most, scatters of two scores, and power. Of many
    systems only some pairs are shown so (`shown_pairs`), and those that are `asked` for.

    >>> from tellapart.comparison.compare import compare
    >>> from tellapart.counts import Counts
    >>> counts = Counts.from_arrays({"A": [1, 1, 1, 1, 1, 1, 0], "B": [0, 0, 0, 0, 0, 0, 0]})
    >>> pair = details_of(compare(counts)).pairs[0]
    >>> pair.differing, pair.contributions, pair.null.shuffles
    (6, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0), 9999)
    """
    if not result.evidence:
        raise UsageError(
            "a record read back from JSON has no items or shuffles; run `compare` again for this "
            "report"
        )
    headlines = {metric: _recorded(result, headline(result, metric)) for metric in result.metrics}
    first = next(iter(headlines.values()))
    pairs: list[PairDetails] = []
    items: list[ShownItem] = []
    notes: list[str] = []
    asked = tuple(asked)
    shown = set(shown_pairs(result, asked))
    explained = shown
    if len(shown) > MOST_EXPLAINED:
        wanted = {frozenset((pair.a, pair.b)) for pair in headlines.values()}
        wanted |= {frozenset(pair) for pair in asked}
        explained = {k for k, p in enumerate(result.pairs) if frozenset((p.a, p.b)) in wanted}
    for analysis in result.evidence:  # one for each set of items
        every = [
            number
            for number, pair in enumerate(result.pairs)
            if result.analysis_of(pair.metric) is analysis
        ]
        own = [number for number in every if number in shown]
        chosen = [k for k, number in enumerate(every) if number in shown]
        analysis = replace(analysis, questions=analysis.questions.take(chosen))
        found = _differing(analysis)
        of_pairs = _pair_details(result, analysis, own, found, len(items), progress)
        pairs += [
            _explained(each, analysis) if each.number in explained else each for each in of_pairs
        ]
        counts = (analysis.unclustered or analysis.projection).counts
        items += item_texts(counts, shown_places(found, len(counts.items)))
        notes += _notes(analysis, [result.pairs[number] for number in own], found)
    powers = (power(result, result.pairs.index(pair)) for pair in headlines.values())
    return Details(
        headline=(first.a, first.b, first.metric),
        pairs=tuple(sorted(pairs, key=lambda pair: pair.number)),
        items=tuple(items),
        scatters=scatters(result, result.evidence[0]),
        power=tuple(each for each in powers if each is not None),
        notes=tuple(dict.fromkeys(notes)),
    )


def _pair_details(
    result: Comparison,
    analysis: Analysis,
    numbers: Sequence[int],
    found: Sequence[DifferingItems],
    before: int,
    progress: Progress,
) -> Iterator[PairDetails]:
    """Yield the details of some pairs of one analysis; `before` items are shown already."""
    parts = result.slices or slices(analysis, automatic_labels(analysis))
    items = (analysis.unclustered or analysis.projection).counts.items
    place = shown_places(found, len(items))
    place[place >= 0] += before
    pairs = [result.pairs[number] for number in numbers]
    null_distributions = histograms(analysis, pairs, progress)
    of_pairs = _slices_by_pair(parts)
    for k, (question, pair) in enumerate(zip(analysis.questions, pairs, strict=True)):
        bound = question.bound
        steps = contributions(analysis.projection, bound, question.a, question.b)
        falling = bound.metric.higher_is_better
        yield PairDetails(
            pair.a,
            pair.b,
            pair.metric,
            null=null_distributions[k],
            contributions=() if steps is None else sorted_contributions(steps, falling=falling),
            contribution_count=0 if steps is None else len(steps),
            slices=of_pairs.get((pair.a, pair.b, pair.metric), ()),
            items=found[k].differences(place),
            differing=found[k].in_all,
            number=numbers[k],
        )


def _explained(pair: PairDetails, analysis: Analysis) -> PairDetails:
    """Return the same with what may explain the difference."""
    counts = (analysis.unclustered or analysis.projection).counts
    if not pair.differing or not has_reasons(counts, analysis.options.cluster):
        return pair
    bound = next(b for b in analysis.projection.metrics if b.metric.name == pair.metric)
    names = pair.a, pair.b
    found = reasons(counts, names, bound.metric, analysis.options, analysis.execution)
    return replace(pair, reasons=found)


def _recorded(result: Comparison, shown: PairResult) -> PairResult:
    """Return a pair as the record has it, whichever way round it is shown."""
    own = (shown.a, shown.b), (shown.b, shown.a)
    return next(p for p in result.pairs if (p.a, p.b) in own and p.metric == shown.metric)


def _differing(analysis: Analysis) -> list[DifferingItems]:
    """Return the items that differ, question by question; items, not clusters."""
    projection = analysis.unclustered or analysis.projection
    views = {
        id(options): ItemScores(projection, bound)
        for options, bound in zip(analysis.projection.metrics, projection.metrics, strict=True)
    }
    return [views[id(each.bound)].differing(each.a, each.b) for each in analysis.questions]


def _slices_by_pair(parts: Sequence[Slice]) -> dict[tuple[str, str, str], tuple[Slice, ...]]:
    found: dict[tuple[str, str, str], list[Slice]] = {}
    for part in parts:
        found.setdefault((part.a, part.b, part.metric), []).append(part)
    return {pair: tuple(of_pair) for pair, of_pair in found.items()}


def _notes(
    analysis: Analysis, pairs: Sequence[PairResult], found: Sequence[DifferingItems]
) -> Iterator[str]:
    """Yield sentences on what was left out, and on what a figure is not."""
    kind = plural(analysis.counts.kind)
    longest = max(range(len(found)), key=lambda k: found[k].in_all)
    if found[longest].in_all > SHOWN:
        pair, count = pairs[longest], found[longest].in_all
        others = "" if len(found) == 1 else "; likewise for other pairs"
        yield (
            f"Of {count:,} {kind} that differ between {pair.a} and {pair.b}, the {SHOWN} that "
            f"contribute most to the difference are here{others}."
        )
    if analysis.counts.present is not None:
        yield f"The systems have {kind} of their own, so that none can be shown side by side."
    elif analysis.options.test not in (*RANDOMIZATION, "unpaired"):
        yield (
            f"The histograms show paired shuffles; p comes from the {analysis.options.test} test, "
            "which draws none of them."
        )
    slow = [
        b.metric.name for b in analysis.projection.metrics if isinstance(b.metric, ItemFunction)
    ]
    if slow:
        yield (
            f"{', '.join(slow)} is worked out from all {kind} at once: there is no histogram of "
            f"shuffles and no share of single {kind}."
        )
