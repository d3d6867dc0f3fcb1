"""The page of a comparison by a judge whom people checked: one file, no script."""

from __future__ import annotations

import datetime
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from tellapart.comparison.judged_record import JudgedComparison
from tellapart.report import judged
from tellapart.report.figures import judged as figure
from tellapart.report.html.page import Origin
from tellapart.words import plain


def render_page(result: JudgedComparison, origin: Origin | None = None) -> str:
    """Return the report as one page that needs no other file."""
    origin = origin or Origin()
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(_template),
        trim_blocks=True,
    )
    pairs = judged.ordered_pairs(result)
    date = origin.date or datetime.date.today()
    filled: dict[str, Any] = {
        "result": result,
        "css": Markup(_template("page.css")),
        "date": f"{date.day} {date:%b %Y}",
        "question": judged.question(result),
        "answer": judged.answer(result),
        "sentence": judged.verdict(result),
        "figure": Markup(figure.draw(result, pairs, "differences")) if pairs else "",
        "caption": figure.sentence(result, pairs[: figure.MOST_PAIRS]) if pairs else "",
        "tables": _tables(result),
        "method": judged.method(result),
        "command": origin.command,
        "files": origin.files,
    }
    return plain(environment.get_template("judged.html").render(filled)) + "\n"


def _template(name: str) -> str:
    return (files("tellapart.report.html") / "templates" / name).read_text(encoding="utf-8")


def _tables(result: JudgedComparison) -> list[dict[str, Any]]:
    systems = [judged.system_row(system) for system in judged.ranked(result)]
    found = [
        {"title": "Systems", "header": judged.system_header(result), "rows": systems},
        {
            "title": "The judge against people",
            "header": judged.JUDGE_HEADER,
            "rows": judged.judge_rows(result),
        },
    ]
    if result.pairs:
        rows = [
            row
            for pair in judged.ordered_pairs(result)
            for row in judged.pair_rows(pair, result.alpha)
        ]
        found.append({"title": "Differences", "header": judged.pair_header(result), "rows": rows})
    return found
