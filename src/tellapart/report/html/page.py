"""The report as one page: templates filled with a comparison and its details."""

from __future__ import annotations

import base64
import datetime
import hashlib
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import jinja2
import numpy as np
from markupsafe import Markup

from tellapart.comparison.details import Details
from tellapart.comparison.ranking import headline
from tellapart.comparison.record import Comparison
from tellapart.report.document import judged_tables, win_table
from tellapart.report.figures.collection import with_display_names
from tellapart.report.figures.curves import power_figure
from tellapart.report.figures.matrices import win_rates_figure
from tellapart.report.figures.pairs import judged_figure
from tellapart.report.figures.planes import pareto_figure, plane_figure, plane_title
from tellapart.report.findings import cost_sentences, preference_sentences
from tellapart.report.html.store import make_store, pack
from tellapart.report.html.views import STATIC_ITEMS, metric_view, pair_view, pictured, table_view
from tellapart.report.method import method
from tellapart.report.names import display_names
from tellapart.report.notices import notice_sentence
from tellapart.report.sentences import disagreement, two_metrics_sentence
from tellapart.words import plain

MOST_LISTED: Final = 8
"""Systems whose pairs are chosen from one list; of more, either system has a field of its own"""
STATIC_PAIRS: Final = 6
"""Up to so many pairs are all there without script; of more, the one of the headline"""
FIRST_WARNINGS: Final = 3
"""Warnings that can be read at once; the others are folded"""
_STYLES: Final = ("pictures.css", "page.css", "items.css", "scatter.css")
_SCRIPTS: Final = ("elements.js", "scatter.js", "items.js", "pictures.js", "page.js")


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a report: the command that repeats it, and its files with SHA-256."""

    command: str = ""
    files: tuple[tuple[str, str], ...] = ()
    date: datetime.date | None = None


def render_html(whole: Comparison, details: Details, origin: Origin | None = None) -> str:
    """Return the report as one page that needs no other file."""
    origin = origin or Origin()
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
    )
    article = environment.get_template("pair.html")
    record, details = with_display_names(whole, details)
    names = {s.name: w.name for s, w in zip(record.systems, whole.systems, strict=True)}
    about = headline(record, next(iter(record.metrics)))
    same = ({p.a, p.b} == {about.a, about.b} and p.metric == about.metric for p in record.pairs)
    first = list(same).index(True)
    articles = {
        own.number: article.render(pair=pair_view(record, details, own, names, 0))
        for own in details.pairs
    }
    few = len(details.pairs) <= STATIC_PAIRS
    static = [own for own in details.pairs if few or own.number == first]
    script = "".join(map(_template, _SCRIPTS))
    date = origin.date or datetime.date.today()
    filled: dict[str, Any] = {
        "record": record,
        "whole": names,
        "views": [metric_view(record, metric, details) for metric in record.metrics],
        "disagreement": disagreement(record),
        "policy": _policy(script),
        "css": Markup("".join(map(_template, _STYLES))),
        "script": Markup(script),
        "date": f"{date.day} {date:%b %Y}",
        "mark": hashlib.sha256(record.signature.encode()).hexdigest()[:6],
        "warnings": [(notice.code, notice_sentence(record, notice)) for notice in record.notices],
        "first_warnings": FIRST_WARNINGS,
        "two_metrics": two_metrics_sentence(record),
        "names_line": display_names(whole).words,
        "static_pairs": [
            Markup(article.render(pair=pair_view(record, details, own, names, STATIC_ITEMS)))
            for own in static
        ],
        "more_pairs": len(record.pairs) - len(static),
        "pickers": len(record.systems) > MOST_LISTED,
        "costs": list(cost_sentences(record)),
        "figures": list(_figures(record, details)),
        "power": [
            {
                "metric": curve.metric,
                **pictured(power_figure(curve, f"power-{k}")),
            }
            for k, curve in enumerate(details.power)
        ],
        "preferences": list(preference_sentences(record)),
        "wins": _wins(record),
        "judged": _judged(record),
        "method": method(record),
        "origin": origin,
        "versions": f"tellapart {record.tellapart}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}",
        "store": Markup(f'"{pack(make_store(record, details, articles, first, whole))}"'),
    }
    # A browser obeys marks that turn text around, and some print the page to a terminal.
    return plain(environment.get_template("page.html").render(filled)) + "\n"


def _template(name: str) -> str:
    return (files("tellapart.report.html") / "templates" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return a policy that allows this page's own style, script and figures, and no network."""
    ours = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{ours}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _figures(record: Comparison, details: Details) -> Iterator[dict[str, Any]]:
    """Yield the figures of two scores: quality against cost, and planes."""
    if record.costs is not None:
        for quality in record.costs.quality:
            for cost in record.costs.metrics:
                svg = pareto_figure(record, quality, cost, f"pareto-{quality}-{cost}")
                yield {**pictured(svg, title=f"{quality} against {cost}"), "regions": []}
    for k, plane in enumerate(details.planes):
        yield {
            **pictured(plane_figure(plane, f"plane-{k}"), title=plane_title(plane)),
            "axes": (plane.x_name, plane.y_name),
            "regions": [
                (p.system, *p.region[0], *p.region[1])
                for p in plane.points
                if plane.regions and p.region
            ],
        }


def _wins(record: Comparison) -> dict[str, Any] | None:
    """Return the win rates of systems that met, as a figure and a table."""
    svg = win_rates_figure(record, "win-rates")
    table = win_table(record)
    if not svg and table is None:
        return None
    return {**pictured(svg), "table": None if table is None else table_view(table)}


def _judged(record: Comparison) -> dict[str, Any] | None:
    """Return what judge and people say alone, and both together."""
    if record.judged is None:
        return None
    tables = [(table.caption, table_view(table)) for table in judged_tables(record)]
    return {**pictured(judged_figure(record, "judged")), "tables": tables}
