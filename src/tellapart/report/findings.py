"""Sentences on what stands beside a verdict: preferences and judges."""

from __future__ import annotations

from tellapart.comparison.answers import headline
from tellapart.comparison.record import (
    Comparison,
    Preferences,
)
from tellapart.report.sentences import (
    is_one_claim,
)
from tellapart.report.text import p_text, size, whole_percent
from tellapart.stats.judges import Bias
from tellapart.words import clean, plural

# Preferences

_SCALES = {
    "bradley_terry": "log-odds of winning by Bradley and Terry, of mean 0: a lead of 0.5 wins 62 %",
    "elo": "by Bradley and Terry in units of Elo, of mean 1000: a lead of 100 wins 64 %",
}


def preference_sentences(record: Comparison) -> list[str]:
    """Return what is to be said of judgments side by side, a sentence or two each."""
    found = record.preferences
    if found is None:
        return []
    texts = [_places(record, found)]
    if found.scale is not None:
        texts.insert(0, f"Scores are {_SCALES[found.scale]}; a tie is half a win.")
    if found.reference is not None:
        texts.append(f"All were judged against {found.reference}; win_rate is what they won there.")
    if found.judgments != found.items:
        kind = record.items.kind
        texts.append(f"{found.judgments:,} judgments; those of a {kind} are averaged.")
    if found.longer is not None:
        texts.append(f"The longer of two outputs won {_rate(record, found.longer)}.")
    return [clean(text) for text in texts if text]


def _places(record: Comparison, found: Preferences) -> str:
    """Return what is known of the order in which outputs were shown."""
    if found.orders == "unknown":
        return "In which order the two were shown is not known."
    if found.first_place is None:
        return ""
    where = " of pairs that were shown in both orders"
    if found.orders == "both":
        where = ", but both orders were judged, so that places cancel"
    return f"The first place won {_rate(record, found.first_place, 'a tie is half; ')}{where}."


def _rate(record: Comparison, effect: Bias, counted: str = "") -> str:
    p = "" if effect.p is None else f" ({counted}p = {p_text(effect.p, record.alpha)})"
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
    decimals = record.metrics[metric].decimals
    texts = [
        f"Scores are the judge's, corrected by people's labels of {labels:,} {plural(items.kind)}."
    ]
    for own in [own for own in judged.pairs if own.favoured is not None and own.favour][:2]:
        other = own.b if own.favoured == own.a else own.a
        texts.append(
            f"The judge favours {own.favoured}: against people's labels it gives {own.favoured} "
            f"{size(own.favour or 0.0, decimals)} more than {other}."
        )
    judge = found.judge
    alone = f"(by {size(judge.difference, decimals)}, p = {p_text(judge.p_adjusted, record.alpha)})"
    turned = judge.different and judge.favours != pair.favours
    disagrees = turned or judge.different != pair.different
    if disagrees and not is_one_claim(record, metric):  # the judge's are corrected for all pairs
        said = f"{judge.favours} is better" if judge.different else "nothing is shown"
        texts.append(f"By the judge alone, {said} {alone}.")
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
