"""A comparison as a notebook shows it: the answer, the picture of systems, the pairs; no script."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from html import escape

from tellapart.comparison.ranking import ordered_pairs
from tellapart.comparison.record import Comparison
from tellapart.report.figures import systems
from tellapart.report.figures.svg import standalone
from tellapart.report.numbers import ends_words, pair_adjusted, pair_p, signed
from tellapart.report.verdict import disagreement, verdict
from tellapart.report.wording import is_corrected, p_name, pair_level_words
from tellapart.words import clean, several

MOST_PAIRS = 12
"""Pairs by each metric; `pairs_frame` has them all"""
# White paper in light and dark notebooks alike; hosts that strip styles still show all of it.
_PAPER = "background:#fff;color:#1a1a1a;padding:1em;max-width:46em;font-family:sans-serif"


def notebook_view(result: Comparison) -> str:
    """Return HTML that is part of another page; what users named is escaped."""
    parts = [part for metric in result.metrics for part in _metric(result, metric)]
    if apart := disagreement(result):
        parts.insert(0, _tag("p", escape(clean(apart))))
    parts += (_tag("p", f"<strong>!</strong> {escape(clean(n.text))}") for n in result.warnings)
    return f'<div class="tellapart" style="{_PAPER}">{"".join(parts)}</div>'


def _metric(result: Comparison, metric: str) -> Iterator[str]:
    answer = result.answers.get(metric)
    if answer is not None:
        asked = f"{escape(clean(answer.question))} <strong>{escape(clean(answer.text))}</strong>."
        yield _tag("p", asked)
    yield _tag("p", escape(clean(verdict(result, metric, below_answer=answer is not None))))
    # Ids of pictures are those of the whole page.
    name = f"t{sha256(f'{result.signature} {metric}'.encode()).hexdigest()[:8]}"
    yield standalone(systems.draw(result, metric, name)).partition("\n")[2]
    yield _pairs(result, metric)


def _pairs(result: Comparison, metric: str) -> str:
    pairs, corrected = ordered_pairs(result, metric), is_corrected(result)
    level = pair_level_words(result, pairs[0]) if result.interval_level is not None else ""
    heads = ["pair", "difference", level, "p", p_name(result) if corrected else ""]
    rows = [
        [
            f"{clean(pair.a)} − {clean(pair.b)}",
            signed(pair.difference),
            ends_words(pair.interval),
            pair_p(pair, result.alpha),
            pair_adjusted(pair, result.alpha),
        ]
        for pair in pairs[:MOST_PAIRS]
    ]
    shown = [k for k, head in enumerate(heads) if head]
    lines = [
        _tag("tr", "".join(_tag(cell, escape(row[k])) for k in shown))
        for cell, row in (("th", heads), *(("td", row) for row in rows))
    ]
    more = len(pairs) - len(rows)
    rest = f"and {several(more, 'more pair')}: result.pairs_frame() has all" if more else ""
    table = _tag("table", _tag("caption", escape(clean(metric))) + "".join(lines))
    return table + (_tag("p", rest) if rest else "")


def _tag(name: str, inside: str) -> str:
    return f"<{name}>{inside}</{name}>"
