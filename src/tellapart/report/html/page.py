"""The HTML report as one page: templates filled with a comparison and its details."""

from __future__ import annotations

import base64
import datetime
import hashlib
import platform
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import jinja2
import numpy as np
from markupsafe import Markup

from tellapart.comparison.answers import disagreement
from tellapart.comparison.boards import FOREMOST
from tellapart.comparison.details import Details
from tellapart.comparison.ranking import headline
from tellapart.comparison.record import Comparison
from tellapart.comparison.scatter import Scatter
from tellapart.report.costs import cost_sentences
from tellapart.report.display_names import display_names
from tellapart.report.figures import pareto, power, scatterplot, win_rates
from tellapart.report.html.items import pack
from tellapart.report.html.store import make_store
from tellapart.report.html.views import (
    STATIC_ITEMS,
    drawing,
    interval_head,
    metric_view,
    pair_view,
    pairs_interval_head,
)
from tellapart.report.method import method
from tellapart.report.preferences import preference_sentences, win_rows
from tellapart.report.sentences import two_metrics_sentence
from tellapart.report.wording import is_corrected, warning_texts, warnings_line
from tellapart.words import plain, plural

MOST_LISTED: Final = 8
"""Systems whose pairs are chosen from one list; of more, either system has a field of its own"""
STATIC_PAIRS: Final = 6
"""Up to so many pairs are all there without script; of more, the one of the headline"""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a report: the command that repeats it, and its files with SHA-256."""

    command: str = ""
    files: tuple[tuple[str, str], ...] = ()
    date: datetime.date | None = None


def render_html(result: Comparison, details: Details, origin: Origin | None = None) -> str:
    """Return the report as one page that needs no other file."""
    origin = origin or Origin()
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
    )
    # What is said of items comes last, and so holds before what is said of all tables.
    css = "".join(map(_template, ("pictures.css", "page.css", "items.css", "why.css")))
    scripts = ("elements.js", "why.js", "items.js", "pictures.js", "page.js")
    script = "".join(map(_template, scripts))
    article = environment.get_template("pair.html")
    whole, names = result, display_names(result)
    result, details = names.applied(result), names.applied(details)
    first = _headline(result)
    fragments = {
        own.number: article.render(pair=pair_view(result, details, own, 0)) for own in details.pairs
    }
    static = details.pairs
    if len(static) > STATIC_PAIRS:
        static = tuple(own for own in static if own.number == first)
    views = [metric_view(result, metric, details, names) for metric in result.metrics]
    filled: dict[str, Any] = {
        "result": result,
        "views": views,
        "disagreement": disagreement(result),
        "policy": _policy(script),
        "css": Markup(css),
        "script": Markup(script),
        "date": _written(origin.date or datetime.date.today()),
        "mark": hashlib.sha256(result.signature.encode()).hexdigest()[:6],
        "warnings": list(warning_texts(result)),
        "warnings_line": warnings_line(result),
        "interval": interval_head(result),
        "pairs_interval": pairs_interval_head(result),
        "is_adjusted": is_corrected(result),
        "has_margin": result.margin is not None,
        "static_pairs": [
            Markup(article.render(pair=pair_view(result, details, own, STATIC_ITEMS)))
            for own in static
        ],
        "stored_pairs": len(details.pairs) - len(static),
        "other_pairs": len(result.pairs) - len(details.pairs),
        "foremost": FOREMOST,
        "pickers": len(result.systems) > MOST_LISTED,
        "planes": [
            {
                "title": scatterplot.title_of(each),
                "figure": drawing(scatterplot.draw(each, f"plane-{k}")),
                "caption": _plane_caption(result, each),
                "regions": [
                    (point.system, *point.region)
                    for point in each.points
                    if each.regions and point.region
                ],
                "axes": (each.x_name, each.y_name),
            }
            for k, each in enumerate(details.scatters)
        ],
        "costs": list(cost_sentences(result)),
        "paretos": [
            {
                "title": f"{quality} against {cost}",
                "figure": drawing(pareto.draw(result, quality, cost, f"pareto-{k}")),
                "caption": pareto.sentence(result, quality, cost),
            }
            for k, (quality, cost) in enumerate(_quality_and_cost(result))
        ],
        "power": [
            {
                "metric": each.metric,
                "figure": drawing(power.draw(each, f"power-{k}")),
                "caption": power.sentence(each, result),
            }
            for k, each in enumerate(details.power)
        ],
        "judged": _judged(result),
        "method": method(result),
        "command": origin.command,
        "files": origin.files,
        "notes": details.notes,
        "versions": _versions(result),
        "store": Markup(f'"{pack(make_store(result, details, fragments, first, whole))}"'),
    }
    # A browser obeys marks that turn text around, and some print the page to a terminal.
    return plain(environment.get_template("page.html").render(filled)) + "\n"


def _judged(result: Comparison) -> dict[str, Any] | None:
    """Return what the page shows of judgments side by side; None where there are none."""
    found = result.preferences
    if found is None:
        return None
    return {
        "sentences": preference_sentences(result),
        "figure": drawing(win_rates.draw(result, found.scale, "win-rates") if found.scale else ""),
        "caption": win_rates.sentence(result),
        "rows": list(win_rows(result)),
        "kinds": plural(result.units.kind),
    }


def _quality_and_cost(result: Comparison) -> list[tuple[str, str]]:
    if result.costs is None:
        return []
    return [(one, cost) for one in result.costs.quality for cost in result.costs.metrics]


def _template(name: str) -> str:
    return (files("tellapart.report.html") / "templates" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return a policy that allows this page's own style, script and figures, and no network."""
    ours = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{ours}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _headline(result: Comparison) -> int:
    """Return the number of the pair that the first verdict speaks of."""
    shown = headline(result, next(iter(result.metrics)))
    names = {shown.a, shown.b}
    return next(
        number
        for number, pair in enumerate(result.pairs)
        if {pair.a, pair.b} == names and pair.metric == shown.metric
    )


def _written(date: datetime.date) -> str:
    return f"{date.day} {date:%b %Y}"


def _versions(result: Comparison) -> str:
    return (
        f"tellapart {result.tellapart}, Python {platform.python_version()}, NumPy {np.__version__}"
    )


def _plane_caption(result: Comparison, plane: Scatter) -> str:
    """Return the legend of a plane of two metrics, and how many pairs differ in both of them."""
    legend, found = scatterplot.legend(plane), result.two_metrics
    axes = {plane.x_name, plane.y_name}
    if plane.regions or found is None or {found.first, found.second} != axes:
        return legend
    return f"{legend} {two_metrics_sentence(result)}".rstrip()
