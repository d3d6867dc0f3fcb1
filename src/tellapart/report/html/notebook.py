"""A comparison as a notebook shows it: the answer, the picture of systems, the pairs; no script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html import escape

from tellapart.comparison.answers import reported_pairs
from tellapart.comparison.record import Comparison
from tellapart.report.document import finding, pair_table
from tellapart.report.figures.layout import standalone
from tellapart.report.figures.systems import systems_figure
from tellapart.report.notices import notice_sentences
from tellapart.report.sentences import disagreement
from tellapart.report.text import display_names
from tellapart.words import clean, several

MOST_PAIRS = 12
"""Pairs by each metric; `pairs_frame` has them all"""
# White paper in light and dark notebooks alike; hosts that strip styles still show all of it.
_PAPER = "background:#fff;color:#1a1a1a;padding:1em;max-width:46em;font-family:sans-serif"


def notebook_view(record: Comparison) -> str:
    """Return HTML that is part of another page; what users named is escaped."""
    record = display_names(record).applied(record)
    parts = [_tag("p", disagreement(record))] if disagreement(record) else []
    parts += (part for metric in record.metrics for part in _metric(record, metric))
    told = (disagreement(record, above=False), *notice_sentences(record))
    parts += (_tag("p", f"! {sentence}") for sentence in told if sentence)
    return f'<div class="tellapart" style="{_PAPER}">{"".join(parts)}</div>'


def _metric(record: Comparison, metric: str) -> Iterator[str]:
    question, answer, *sentences = finding(record, metric)
    yield f"<p>{escape(question)} <strong>{escape(answer)}</strong>.</p>"
    yield from (_tag("p", sentence) for sentence in sentences if sentence)
    # Ids of pictures are those of the whole page.
    name = f"t{sha256(f'{record.signature} {metric}'.encode()).hexdigest()[:8]}"
    yield standalone(systems_figure(record, metric, name)).partition("\n")[2]
    pairs = reported_pairs(record, metric)
    table = pair_table(replace(record, pairs=tuple(pairs[:MOST_PAIRS])), [metric])
    heads = "".join(_tag("th", column.head) for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(_tag('td', text) for text in table.texts(row))}</tr>" for row in table.rows
    )
    yield f"<table>{_tag('caption', metric)}<tr>{heads}</tr>{rows}</table>"
    if len(pairs) > MOST_PAIRS:
        more = several(len(pairs) - MOST_PAIRS, "more pair")
        yield _tag("p", f"and {more}: result.pairs_frame() has all")


def _tag(name: str, words: str) -> str:
    return f"<{name}>{escape(clean(words))}</{name}>"
