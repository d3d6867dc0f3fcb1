"""Sentences on what stands beside a verdict: tasks of a suite, costs, preferences, judges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tellapart.comparison.ranking import headline, in_question, ranking
from tellapart.comparison.record import (
    Comparison,
    CostRatio,
    HeadToHead,
    Preferences,
    Saving,
    Slice,
)
from tellapart.report.sentences import NAMED, is_one_claim, verdict
from tellapart.report.text import p_text, percent, size, whole_percent
from tellapart.stats.judge_bias import Bias
from tellapart.words import clean, listed, plural, several


def verdicts(record: Comparison) -> str:
    """Return the verdict by every metric, with what is shown of costs and of a judge."""
    by_metric = [verdict(record, metric) for metric in record.metrics]
    return " ".join([*by_metric, *judged_sentences(record), *saving_sentences(record)])


# Tasks of a suite


def turns_sentence(record: Comparison, metric: str, turned: Sequence[Slice]) -> str:
    """Return on which tasks the order turns, and whether that is shown or may be chance.

    `turned` are the slices on which it does, the system that is ahead overall first.
    """
    table = record.suite[metric]
    tasks, pairs, label = len(table.tasks), len(record.pairs_of(metric)), table.label
    if record.tail != "two" or not pairs:
        return ""
    if not turned:
        same = "The order is the same" if pairs == 1 else "The order of every pair is the same"
        return f"{same} on {'both' if tasks == 2 else f'all {tasks}'} {plural(label)}."
    shown = [part for part in turned if part.different]
    rest = [part for part in turned if not part.different]
    if pairs > 1:
        text = f"Of {tasks * pairs:,} pairs and {plural(label)}, {len(turned)} stand the other way "
        if not shown:
            return f"{text}round than overall: each of these may be chance."
        each = [f"{p.b} better than {p.a} on {_task_with_p(record, p)}" for p in shown]
        text += f"round than overall: shown {'is' if len(shown) == 1 else 'are'} "
        return f"{text}{listed(each, NAMED)}{'; the others may be chance' if rest else ''}."
    behind, parts = turned[0].b, []
    if shown:
        named = listed([_task_with_p(record, part) for part in shown], NAMED)
        parts.append(f"{behind} is shown to be better on {named}")
    if rest:
        named = listed([part.value for part in rest], NAMED)
        ahead = "ahead" if shown else f"{behind} is ahead"
        parts.append(f"{ahead} on {named}, which may be chance")
    return f"The order turns on {several(len(turned), label)} of {tasks}: {'; '.join(parts)}."


def _task_with_p(record: Comparison, part: Slice) -> str:
    return f"{part.value} (adjusted p = {p_text(part.p_adjusted, record.alpha)})"


def correction_of_tasks(record: Comparison, metric: str) -> str:
    """Return what the p-values of tasks are corrected over."""
    table, pairs = record.suite[metric], len(record.pairs_of(metric))
    over = several(len(table.tasks), table.label)
    return f"Holm over {over}" if pairs == 1 else f"Holm over {over} × {pairs} pairs"


# Costs

_MOST_RATIOS, _MOST_SAVINGS = 6, 4
_LESS = {"money": "cheaper", "time": "less time", "tokens": "fewer tokens"}


def saving_sentences(record: Comparison) -> Iterator[str]:
    """Yield which systems are as good within the margin, and spend less."""
    savings = () if record.costs is None else record.costs.savings
    for saving in savings[:_MOST_SAVINGS]:
        yield clean(_saving(record, saving))
    if len(savings) > _MOST_SAVINGS:
        yield f"So are {several(len(savings) - _MOST_SAVINGS, 'further pair')}."


def cost_sentences(record: Comparison) -> Iterator[str]:
    """Yield what the costs show: savings first, then pairs, then who is dominated."""
    costs = record.costs
    if costs is None:
        return
    yield from saving_sentences(record)
    told = {(saving.cost, frozenset((saving.system, saving.than))) for saving in costs.savings}
    others = [r for r in costs.ratios if (r.metric, frozenset((r.a, r.b))) not in told]
    for ratio in others[:_MOST_RATIOS]:
        yield clean(f"{ratio_words(record, ratio)}.")
    if len(others) > _MOST_RATIOS:
        more = several(len(others) - _MOST_RATIOS, "further pair")
        yield f"Costs of {more} are in the record (--json)."
    for quality, by_cost in costs.dominated.items():
        for cost, names in by_cost.items():
            if names:
                yield clean(
                    f"By what was measured, others are as good by {quality} for no more {cost} "
                    f"than {listed(tuple(names), 6)}."
                )


def _saving(record: Comparison, saving: Saving) -> str:
    assert record.costs is not None
    pair = {saving.system, saving.than}
    ratios = (r for r in record.costs.ratios if r.metric == saving.cost and {r.a, r.b} == pair)
    less = "".join(f", {_less(_seen_from(ratio, saving.system))}" for ratio in ratios)
    return (
        f"{saving.system}: same quality as {saving.than} within {record.margin:g} by "
        f"{saving.quality} (or better){less}; both are shown together "
        f"(p = {p_text(saving.p, record.alpha)})."
    )


def ratio_words(record: Comparison, ratio: CostRatio) -> str:
    """Return how the costs of two systems compare."""
    if ratio.cheaper is not None:
        seen = _seen_from(ratio, ratio.cheaper)
        return f"{seen.a} against {seen.b}: {_less(seen)}"
    seen = ratio
    if record.baseline is not None or len(record.systems) == 2:
        asked = in_question(record, record.pair(ratio.a, ratio.b, ratio.metric))
        seen = _seen_from(ratio, asked.a)
    within = ""
    if seen.interval is not None and seen.interval_level is not None:
        low, high = seen.interval
        most = "any share" if high is None else f"{100 * high:.0f} %"
        within = f" ({percent(seen.interval_level)} confidence interval {100 * low:.0f} to {most})"
    return (
        f"By {seen.metric} {seen.a} spends {100 * seen.ratio:.0f} % of what {seen.b} does{within}; "
        "that cannot be told from chance"
    )


def _less(seen: CostRatio) -> str:
    """Return how much less the first of a pair spends, with its interval."""
    words = f"{_share(1 - seen.ratio)} % {_LESS.get(seen.kind, 'less')} by {seen.metric}"
    if seen.interval is None or seen.interval_level is None:
        return words
    low, high = seen.interval
    least, most = 0.0 if high is None else 1 - high, 1 - low
    decimals = 0 if most - least >= 0.01 else 1
    ends = " to ".join(_share(end, decimals) for end in (least, most))
    return f"{words} ({percent(seen.interval_level)} confidence interval {ends})"


def _share(share: float, decimals: int = 0) -> str:
    """Return a share in percent; 100 only where it is all, and 0 only where it is nothing."""
    words = f"{100 * share:.{decimals}f}"
    if 0 < share < 1 and float(words) in (0, 100):
        return f"{100 * share:.2g}" if share < 0.5 else "over 99"
    return words


def _seen_from(ratio: CostRatio, system: str) -> CostRatio:
    """Return a ratio with a system of the pair first."""
    if ratio.a == system:
        return ratio
    interval = None
    if ratio.interval is not None:
        low, high = ratio.interval
        interval = (0.0 if high is None else 1 / high, 1 / low if low > 0 else None)
    turned = 1 / ratio.ratio if ratio.ratio > 0 else math.inf
    return replace(ratio, a=ratio.b, b=ratio.a, ratio=turned, interval=interval)


# Preferences

_SCALES = {
    "bradley_terry": ("log-odds of winning by Bradley and Terry, of mean 0", "0.5", 0.622),
    "elo": (
        "those of Bradley and Terry in units of Elo: 400 points are odds of ten to one, the mean "
        "is 1000",
        "100",
        0.640,
    ),
}


def preference_sentences(record: Comparison) -> list[str]:
    """Return what is to be said of judgments side by side, a sentence or two each."""
    found = record.preferences
    if found is None:
        return []
    longer = "" if found.longer is None else (
        f"The longer of two outputs won {_rate(record, found.longer)}."
    )  # fmt: skip
    texts = (_outcomes(record, found), _scale(record, found), _places(record, found), longer)
    return [clean(text) for text in texts if text]


def _outcomes(record: Comparison, found: Preferences) -> str:
    """Return wins, ties and losses of two systems."""
    if found.reference is not None:
        return f"All were judged against {found.reference}; win_rate is what they won there."
    if len(record.systems) != 2 or not found.head_to_head:
        return ""
    best = ranking(record, next(iter(record.metrics)))[0].name
    met = seen_from(found.head_to_head[0], best)
    shares = [whole_percent(number / met.items) for number in (met.wins, met.ties, met.losses)]
    kind, judged = record.items.kind, ""
    if found.judgments != found.items:
        judged = f" ({found.judgments:,} judgments; those of a {kind} are averaged)"
    return (
        f"{met.a} wins {shares[0]}, ties {shares[1]} and loses {shares[2]} of "
        f"{several(met.items, kind)} against {met.b}{judged}."
    )


def seen_from(met: HeadToHead, system: str) -> HeadToHead:
    """Return two systems that met, the named one first."""
    if met.a == system:
        return met
    return replace(
        met, a=met.b, b=met.a, wins=met.losses, losses=met.wins, win_rate=1 - met.win_rate
    )


def _scale(record: Comparison, found: Preferences) -> str:
    """Return what the scores of many systems are, and whether one scale fits."""
    if found.scale is None:
        return ""
    words, lead, share = _SCALES[found.scale]
    said = f"Scores are {words}; a tie is half a win. A lead of {lead} wins {whole_percent(share)}."
    if found.fit_p is None:
        return f"{said} Whether one scale fits cannot be told: too few pairs met."
    p = f"(p = {p_text(found.fit_p, record.alpha)})"
    if found.fit_p > record.alpha:
        return f"{said} Nothing speaks against one scale for all {p}."
    return f"{said} One scale does not fit {p}."


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
    pair = headline(record, metric)
    found = next(own for own in judged.pairs if {own.a, own.b} == {pair.a, pair.b})
    labels = min(own.labels for own in judged.systems if own.name in (pair.a, pair.b))
    items = record.metrics[metric].items
    seen = f"{labels:,} {plural(items.kind)}"
    texts = [f"Scores are the judge's, corrected by people's labels of {seen}."]
    for own in [own for own in judged.pairs if own.favoured is not None and own.favour][:2]:
        assert own.favour is not None
        other = own.b if own.favoured == own.a else own.a
        texts.append(
            f"The judge favours {own.favoured}: against people's labels it gives {own.favoured} "
            f"{size(own.favour.value)} more than {other}."
        )
    alone = f"(by {size(found.judge.value)}, p = {p_text(found.judge.p, record.alpha)})"
    if is_one_claim(record, metric):
        pass  # the judge's are corrected for all pairs
    elif found.judge_favours and not pair.different:
        better = f"The judge alone would call {found.judge_favours} better {alone}"
        texts.append(f"{better}: do not rely on that.")
    elif found.judge_favours and found.judge_favours != pair.favours:
        texts.append(f"The judge alone would have it the wrong way round {alone}.")
    elif pair.different and not found.judge_favours:
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
