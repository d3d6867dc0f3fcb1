"""The report as one page: templates that ask for answers, figures, tables and items themselves."""

from __future__ import annotations

import base64
import datetime
import hashlib
import platform
import shlex
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import jinja2
import numpy as np
from markupsafe import Markup, escape

from tellapart.comparison.answers import as_reported, headline, reported_pairs
from tellapart.comparison.details import Details, PairDetails
from tellapart.comparison.record import Comparison
from tellapart.comparison.testing import DETAILED_SYSTEMS
from tellapart.report import document, findings, method, sentences
from tellapart.report.document import conclusion, pair_table, system_table
from tellapart.report.figures import layout, matrices, planes, systems
from tellapart.report.figures.layout import WIDTH, standalone
from tellapart.report.figures.pairs import null_figure
from tellapart.report.figures.systems import systems_figure
from tellapart.report.html.store import make_store, numbered_pairs, pack
from tellapart.report.notices import notice_sentences, warnings_and_remarks
from tellapart.report.table import Table
from tellapart.report.text import OPTION, display_names, pair_adjusted, pair_p, signed
from tellapart.words import plain as printable
from tellapart.words import several

READABLE: Final = 0.72
"""Of a figure's size: with less, words would be too small"""
MOST_PICTURED: Final = 20
"""Systems in a picture with bars for their groups; more are a board, row by row"""
STATIC_PAIRS: Final = 6
"""Up to so many pairs are all there without script; of more, the one of the headline"""
MOST_SHOWN: Final = 12
"""Pairs by each metric in a notebook; `pairs_frame` has them all"""
FIRST_WARNINGS: Final = 3
"""Warnings that can be read at once; the others are folded"""
_STYLES: Final = ("page.css", "items.css")
_SCRIPTS: Final = ("items.js", "page.js")


def render_html(whole: Comparison, details: Details, command: str = "") -> str:
    """Return the report as one page that needs no other file, with the command that repeats it."""
    shown = display_names(whole)
    if not whole.pairs:
        return _page_of_one(whole, command)
    record, details = shown.applied(whole), shown.applied(details)
    names = {s.name: w.name for s, w in zip(record.systems, whole.systems, strict=True)}
    detailed = {own.number: own for own in details.pairs}
    article = _environment().get_template("pair.html")
    articles = {}
    for number, pair in enumerate(as_reported(record, pair) for pair in record.pairs):
        both = [names[pair.a], names[pair.b]]
        values = {
            "seen": detailed.get(number),
            "names": both,
            "option": shlex.join(("--pair", *both)),
        }
        articles[number] = article.render(record=record, pair=pair, number=number, **values)
    first = _headline_number(record, next(iter(record.metrics)))
    few = len(detailed) <= STATIC_PAIRS
    static = [Markup(articles[number]) for number in detailed if few or number == first]
    warnings, remarks = warnings_and_remarks(record)
    store = pack(make_store(record, details, articles, first, whole))
    return _filled(
        "page.html",
        "".join(map(_template, _SCRIPTS)),
        record=record,
        details=details,
        whole=names,
        mark=hashlib.sha256(record.signature.encode()).hexdigest()[:6],
        warnings=warnings,
        remarks=remarks,
        first_warnings=FIRST_WARNINGS,
        most_pictured=MOST_PICTURED,
        detailed_systems=DETAILED_SYSTEMS,
        names_line=shown.words,
        static_pairs=static,
        more_pairs=len(record.pairs) - len(static),
        command=command,
        versions=f"Python {platform.python_version()}, NumPy {np.__version__}",
        store=Markup(f'"{store}"'),
    )


def _page_of_one(record: Comparison, command: str) -> str:
    """Return the page of a single system: its scores, with intervals."""
    said = [conclusion(record, metric) for metric in record.metrics]
    said += [*notice_sentences(record), method.method(record), record.signature]
    first, title = next(iter(record.metrics)), f"How good is {record.systems[0].name}?"
    figure, table = systems_figure(record, first, "systems"), system_table(record, first)
    return plain_page(title, said, figure, table, command)


def plain_page(
    title: str, sentences: Sequence[str], figure: str, table: Table, command: str
) -> str:
    """Return a page of a few sentences, a figure and a table, in the looks of a report."""
    return _filled(
        "plain.html", title=title, sentences=sentences, figure=figure, table=table, command=command
    )


def notebook_view(record: Comparison) -> str:
    """Return HTML that is part of another page: answers, systems and pairs, without script."""
    record = display_names(record).applied(record)
    pictures, tables, more = {}, {}, ""
    for metric in record.metrics:
        # Ids of pictures are those of the whole page.
        name = f"t{hashlib.sha256(f'{record.signature} {metric}'.encode()).hexdigest()[:8]}"
        drawn = standalone(systems_figure(record, metric, name)).partition("\n")[2]
        pictures[metric] = Markup(drawn)
        pairs = reported_pairs(record, metric)
        tables[metric] = pair_table(record, pairs[:MOST_SHOWN])
        if len(pairs) > MOST_SHOWN:
            more = several(len(pairs) - MOST_SHOWN, "more pair")
    told = notice_sentences(record)
    return _filled(
        "notebook.html", record=record, pictures=pictures, tables=tables, more=more, told=told
    )


def _filled(template: str, script: str = "", **values: Any) -> str:
    """Return a template with values, and with what allows our own script and figures alone."""
    ours = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    date = datetime.date.today()
    values |= {
        "script": Markup(script),
        "css": Markup("".join(map(_template, _STYLES))),
        "date": f"{date.day} {date:%b %Y}",
        "policy": f"default-src 'none'; script-src 'sha256-{ours}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
    }
    # A browser obeys marks that turn text around, and some print the page to a terminal.
    return printable(_environment().get_template(template).render(values)) + "\n"


@cache
def _environment() -> jinja2.Environment:
    """Return what fills in templates, which may call all that makes sentences and figures."""
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
    )
    called = (document, findings, layout, matrices, method, planes, sentences, systems,
              differing_line, drawing, evidence, listed_pairs, null_figure, pair_adjusted, pair_p,
              signed, unbroken)  # fmt: skip
    environment.globals |= {each.__name__.rpartition(".")[2]: each for each in called}
    return environment


def _template(name: str) -> str:
    return (files("tellapart.report.html") / "templates" / name).read_text(encoding="utf-8")


def _headline_number(record: Comparison, metric: str) -> int:
    """Return the number of the pair that the verdict by a metric speaks of."""
    about = headline(record, metric)
    numbers = numbered_pairs(record, metric)
    return next(k for k, pair in numbers.items() if {pair.a, pair.b} == {about.a, about.b})


# What the templates call


def unbroken(text: str) -> Markup:
    """Return a text in which no line ends within an option or before a p.

    >>> print(unbroken("Items < 20: add --cluster passage."))
    Items &lt; 20: add <span class="option">--cluster passage.</span>
    """
    escaped = str(escape(text)).replace("p = ", "p\u00a0=\u00a0")
    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', escaped))


def drawing(svg: str) -> Markup:
    """Return a figure for the page; one that is too wide for a phone can be moved sideways."""
    width = float(svg.split(' width="', 1)[1].split('"', 1)[0])
    if width <= WIDTH:
        return Markup(f'<div class="drawing">{svg}</div>')
    look = f"--least: {READABLE * width:.0f}px; --most: {1.1 * width:.0f}px"
    return Markup(
        f'<div class="drawing wide scroll" tabindex="0" role="group" aria-label="Wide figure" '
        f'style="{look}">{svg}</div>'
    )


def evidence(record: Comparison, metric: str, details: Details, name: str) -> str:
    """Return what chance alone would make of the pair that the verdict speaks of."""
    number = _headline_number(record, metric)
    (own,) = [own for own in details.pairs if own.number == number] or (None,)
    if own is None or record.margin_of(metric) is not None:  # it is of equal scores
        return ""
    return null_figure(record, headline(record, metric), own, name)


def listed_pairs(record: Comparison, metric: str, details: Details) -> tuple[Table, list[int]]:
    """Return the table of pairs and their numbers; of many systems, of those that have details."""
    detailed = {own.number for own in details.pairs}
    listed = {k: pair for k, pair in numbered_pairs(record, metric).items() if k in detailed}
    return pair_table(record, [*listed.values()]), [*listed]


# One pair


def differing_line(record: Comparison, seen: PairDetails, names: Sequence[str]) -> str:
    """Return how many items differ, how many of them are in the page, and where the rest is."""
    total, shown = several(seen.differing, record.items.kind), len(seen.items)
    total = total if record.judged is None else f"By {record.judged.judge} alone, {total}"
    if seen.differing > shown:
        return (
            f"{total} differ; the {shown} that contribute most to the difference are here, and "
            f"{seen.differing - shown:,} are left out. All of them: tellapart diff FILES "
            f"--systems {shlex.quote(','.join(names))} --most 0."
        )
    return f"{total} {'differs' if seen.differing == 1 else 'differ'}."
