"""The HTML report: templates filled with a comparison and what stands behind it."""

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

from tellapart.comparison.details import Details
from tellapart.comparison.record import Comparison
from tellapart.report.figures import plane, power
from tellapart.report.html.pair_views import STATIC_ITEMS, pair_view
from tellapart.report.html.store import make_store, pack
from tellapart.report.html.views import drawing, interval_head, is_adjusted, metric_view
from tellapart.report.html.warnings_line import warning_texts, warnings_line
from tellapart.report.method import method
from tellapart.report.verdict import headline

STATIC_PAIRS: Final = 6
"""Up to so many pairs are all there without script; of more, the one of the headline"""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a report comes from: the command that repeats it, and its files with SHA-256."""

    command: str = ""
    files: tuple[tuple[str, str], ...] = ()
    date: datetime.date | None = None


def render_html(result: Comparison, details: Details, origin: Origin | None = None) -> str:
    """Write the report as one page that needs nothing beside it."""
    origin = origin or Origin()
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
    )
    css, script = _template("page.css"), _template("page.js")
    article = environment.get_template("pair.html")
    first = _headline(result)
    numbers = range(len(details.pairs))
    fragments = [article.render(pair=pair_view(result, details, k, 0)) for k in numbers]
    static = list(numbers) if len(numbers) <= STATIC_PAIRS else [first]
    views = [metric_view(result, metric) for metric in result.metrics]
    filled: dict[str, Any] = {
        "result": result,
        "views": views,
        "policy": _policy(script),
        "css": Markup(css),
        "script": Markup(script),
        "date": _written(origin.date or datetime.date.today()),
        "mark": hashlib.sha256(result.signature.encode()).hexdigest()[:6],
        "warnings": list(warning_texts(result)),
        "warnings_line": warnings_line(result),
        "interval": interval_head(result),
        "is_adjusted": is_adjusted(result),
        "static_pairs": [
            Markup(article.render(pair=pair_view(result, details, k, STATIC_ITEMS))) for k in static
        ],
        "stored_pairs": len(numbers) - len(static),
        "planes": [
            {
                "title": f"{each.x_name.capitalize()} and {each.y_name}",
                "figure": drawing(plane.draw(each, f"plane-{k}")),
                "caption": plane.legend(each),
            }
            for k, each in enumerate(details.planes)
        ],
        "power": [
            {
                "metric": each.metric,
                "figure": drawing(power.draw(each, f"power-{k}")),
                "caption": power.sentence(each, result),
            }
            for k, each in enumerate(details.power)
        ],
        "method": method(result),
        "command": origin.command,
        "files": origin.files,
        "notes": details.notes,
        "versions": _versions(result),
        "store": Markup(f'"{pack(make_store(result, details, fragments, first))}"'),
    }
    return environment.get_template("page.html").render(filled) + "\n"


def _template(name: str) -> str:
    return (files("tellapart.report.html") / "templates" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Allow this page's own style and script, figures, and nothing else: no network at all."""
    ours = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{ours}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _headline(result: Comparison) -> int:
    """Return the number of the pair that the first verdict speaks of."""
    spoken = headline(result, next(iter(result.metrics)))
    names = {spoken.a, spoken.b}
    return next(
        number
        for number, pair in enumerate(result.pairs)
        if {pair.a, pair.b} == names and pair.metric == spoken.metric
    )


def _written(date: datetime.date) -> str:
    return f"{date.day} {date:%b %Y}"


def _versions(result: Comparison) -> str:
    return (
        f"tellapart {result.tellapart}, Python {platform.python_version()}, NumPy {np.__version__}"
    )
