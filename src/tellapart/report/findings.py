"""Sentences on what stands beside a verdict: tasks of a suite, costs, preferences, judges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tellapart.comparison.answers import headline, in_question
from tellapart.comparison.record import (
    Comparison,
    Pair,
    Preferences,
    Slice,
)
from tellapart.metrics.directions import cost_kind
from tellapart.report.sentences import NAMED, all_words, is_one_claim, verdict
from tellapart.report.text import p_text, size, whole_percent
from tellapart.stats.judges import Bias
from tellapart.words import clean, listed, plural, several


def verdicts(record: Comparison) -> str:
    """Return the verdict by every metric, with what is shown of a judge."""
    by_metric = [verdict(record, metric) for metric in record.metrics]
    return " ".join([*by_metric, *judged_sentences(record)])


# Tasks of a suite


def turns_sentence(record: Comparison, metric: str, turned: Sequence[Slice]) -> str:
    """Return on which tasks the order turns, and whether that is shown or may be chance.

    `turned` are the slices on which it does, the system that is ahead overall first.
    """
    table, pairs = record.suite[metric], len(record.pairs_of(metric))
    tasks, label = len(table.tasks), table.label
    if record.tail != "two" or not pairs:
        return ""
    if not turned:
        return f"The order is the same on {all_words(tasks, label)}."
    shown = [
        f"{part.b} better than {part.a} on {part.value} "
        f"(adjusted p = {p_text(part.p_adjusted, record.alpha)})"
        for part in turned
        if part.different
    ]
    chance = [part.value for part in turned if not part.different]
    parts = [f"shown {listed(shown, NAMED)}"] if shown else []
    if chance:
        where = f"{turned[0].b} is ahead on {listed(chance, NAMED)}, which"
        which = where if pairs == 1 else f"{len(chance)}" if shown else "each"
        parts.append(f"{which} may be chance")
    of_all = f"{tasks * pairs:,} pairs and {plural(label)}" if pairs > 1 else several(tasks, label)
    return f"The order turns in {len(turned)} of {of_all}: {'; '.join(parts)}."


def correction_of_tasks(record: Comparison, metric: str) -> str:
    """Return what the p-values of tasks are corrected over."""
    table, pairs = record.suite[metric], len(record.pairs_of(metric))
    over = several(len(table.tasks), table.label)
    return f"Holm over {over}" if pairs == 1 else f"Holm over {over} × {pairs} pairs"


# Costs

_MOST_COSTS = 6
_LESS = {"money": "cheaper", "time": "less time", "tokens": "fewer tokens"}


def cost_sentences(record: Comparison) -> Iterator[str]:
    """Yield which systems spend less than others, where metrics are costs beside others."""
    pairs = [pair for pair in record.pairs if record.is_side(pair.metric) and record.tail == "two"]
    yield from (clean(_spent(record, pair)) for pair in pairs[:_MOST_COSTS])
    if len(pairs) > _MOST_COSTS:
        yield f"{several(len(pairs) - _MOST_COSTS, 'further pair')}: --json FILE."


def _spent(record: Comparison, pair: Pair) -> str:
    """Return how the costs of two systems compare."""
    if pair.different and pair.favours is not None:
        seen = pair if pair.favours == pair.a else pair.turned()
        return f"{seen.a} against {seen.b}: {_less(record, seen)}."
    if record.baseline is not None or len(record.systems) == 2:
        pair = in_question(record, pair)
    share = f"{100 * _share_spent(record, pair):.3g} %"
    return f"By {pair.metric} {pair.a} spends {share} of what {pair.b} does: maybe chance."


def _less(record: Comparison, pair: Pair) -> str:
    """Return how much less the first of a pair spends."""
    word = _LESS.get(cost_kind(pair.metric), "less")
    return f"{100 * (1 - _share_spent(record, pair)):.3g} % {word} by {pair.metric}"


def _share_spent(record: Comparison, pair: Pair) -> float:
    means = {system.name: system.scores[pair.metric] for system in record.systems}
    return means[pair.a] / means[pair.b] if means[pair.b] > 0 else math.inf


# Preferences

_SCALES = {
    "bradley_terry": "log-odds of winning by Bradley and Terry, of mean 0: 0.5 more win 62 %",
    "elo": "by Bradley and Terry in units of Elo, of mean 1000: 100 more win 64 %",
}


def preference_sentences(record: Comparison) -> list[str]:
    """Return what is to be said of judgments side by side, a sentence or two each."""
    found = record.preferences
    if found is None:
        return []
    texts = [_scale(record, found), _places(record, found)]
    if found.reference is not None:
        texts.append(f"All were judged against {found.reference}; win_rate is what they won there.")
    if found.judgments != found.items:
        kind = record.items.kind
        texts.append(f"{found.judgments:,} judgments; those of a {kind} are averaged.")
    if found.longer is not None:
        texts.append(f"The longer of two outputs won {_rate(record, found.longer)}.")
    return [clean(text) for text in texts if text]


def _scale(record: Comparison, found: Preferences) -> str:
    """Return what the scores of many systems are, and whether one scale fits."""
    if found.scale is None:
        return ""
    fits = "may fit all" if found.fit_p is None or found.fit_p > record.alpha else "does not fit"
    p = "too few pairs met" if found.fit_p is None else f"p = {p_text(found.fit_p, record.alpha)}"
    return f"Scores are {_SCALES[found.scale]}; a tie is half a win. One scale {fits} ({p})."


def _places(record: Comparison, found: Preferences) -> str:
    """Return what is known of the order in which outputs were shown."""
    if found.orders == "unknown":
        return "In which order the two were shown is not known."
    if found.first_place is None:
        return ""
    first = f"the first place won {_rate(record, found.first_place)}"
    if found.orders == "both":
        return f"Both orders were judged, so that places cancel; {first}."
    return f"Of what was judged in either order, {first}."


def _rate(record: Comparison, effect: Bias) -> str:
    p = "" if effect.p is None else f" (p = {p_text(effect.p, record.alpha)})"
    return f"{whole_percent(effect.rate)}{p}"


# A judge whom people checked

_USELESS = 1.05  # times as many labels: no more is no help


def judged_sentences(record: Comparison) -> list[str]:
    """Return whom the judge favours, what it would have said alone, and what labels are worth."""
    judged = record.judged
    if judged is None or not record.pairs:
        return []
    metric = next(iter(record.metrics))
    pair, items = headline(record, metric), record.metrics[metric].items
    found = next(own for own in judged.pairs if {own.a, own.b} == {pair.a, pair.b})
    labels = min(own.labels for own in judged.systems if own.name in (pair.a, pair.b))
    texts = [
        f"Scores are the judge's, corrected by people's labels of {labels:,} {plural(items.kind)}."
    ]
    for own in [own for own in judged.pairs if own.favoured is not None and own.favour][:2]:
        other = own.b if own.favoured == own.a else own.a
        texts.append(
            f"The judge favours {own.favoured}: against people's labels it gives {own.favoured} "
            f"{size(own.favour or 0.0)} more than {other}."
        )
    judge = found.judge
    alone = f"(by {size(judge.difference)}, p = {p_text(judge.p_adjusted, record.alpha)})"
    if is_one_claim(record, metric):
        pass  # the judge's are corrected for all pairs
    elif judge.different and not pair.different:
        better = f"The judge alone would call {judge.favours} better {alone}"
        texts.append(f"{better}: do not rely on that.")
    elif judge.different and judge.favours != pair.favours:
        texts.append(f"The judge alone would have it the wrong way round {alone}.")
    elif pair.different and not judge.different:
        texts.append(f"The judge alone would not have shown it {alone}.")
    return [clean(text) for text in (*texts, worth_sentence(found.worth, labels, items.count))]


def worth_sentence(worth: float, labels: int, items: int) -> str:
    """Return what labels and judge are worth together, in labels alone.

    >>> worth_sentence(141.6, 60, 500)
    'Your 60 human labels and the judge are worth 140 labels.'
    >>> worth_sentence(61.0, 60, 500)
    'The judge adds nothing to your 60 human labels.'
    """
    if labels >= items:
        return "People labelled every item, so that the judge has no say."
    if worth < _USELESS * labels:
        return f"The judge adds nothing to your {labels:,} human labels."
    shown = round(worth) if worth < 100 else int(float(f"{worth:.2g}"))
    return f"Your {labels:,} human labels and the judge are worth {shown:,} labels."
