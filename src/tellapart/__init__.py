"""Scores language systems against gold answers and tells whether one is really better.

>>> import tellapart as ta
>>> counts = ta.example("muc4").systems["GE", "UMASS"]
>>> result = ta.compare(counts, metrics=["f1"], alpha=0.10)
>>> round(result.pair("GE", "UMASS", "f1").p, 6)
0.093411
"""

from __future__ import annotations

import importlib

from tellapart.registered import register

TYPE_CHECKING = False  # as in `signals.py`: nothing answers Ctrl-C before this module is loaded
if TYPE_CHECKING:
    from typing import Any

    from tellapart.comparison.compare import compare
    from tellapart.comparison.judged import compare_judged
    from tellapart.comparison.judged_record import JudgedComparison
    from tellapart.comparison.pair_record import PairResult
    from tellapart.comparison.record import Comparison
    from tellapart.counts import Counts
    from tellapart.counts.judged import JudgedScores
    from tellapart.errors import DataError, Notice, TellapartError, UsageError
    from tellapart.formats.judged import read_judged
    from tellapart.formats.preferences.tables import preference_counts
    from tellapart.formats.reading import example, read
    from tellapart.formats.relations.reader import relation_counts
    from tellapart.formats.text.reader import read_text
    from tellapart.metrics import Function, ItemFunction, mean, metric, ratio
    from tellapart.metrics.runs import average_runs
    from tellapart.metrics.text.scoring import text_counts
    from tellapart.planning.calibrate import calibrate
    from tellapart.significance.anytime import Look, Sequential
    from tellapart.significance.response_tests import (
        ResponseCounts,
        count_responses,
        linked_items,
        response_test,
    )

# Imported when first used, so that the command line starts without numpy.
_HOMES = {
    "Comparison": "comparison.record",
    "Counts": "counts",
    "DataError": "errors",
    "Function": "metrics",
    "Look": "significance.anytime",
    "Notice": "errors",
    "PairResult": "comparison.pair_record",
    "ResponseCounts": "significance.response_tests",
    "Sequential": "significance.anytime",
    "TellapartError": "errors",
    "ItemFunction": "metrics",
    "JudgedComparison": "comparison.judged_record",
    "JudgedScores": "counts.judged",
    "UsageError": "errors",
    "average_runs": "metrics.runs",
    "calibrate": "planning.calibrate",
    "compare": "comparison.compare",
    "compare_judged": "comparison.judged",
    "count_responses": "significance.response_tests",
    "example": "formats.reading",
    "linked_items": "significance.response_tests",
    "mean": "metrics",
    "metric": "metrics",
    "preference_counts": "formats.preferences.tables",
    "ratio": "metrics",
    "read": "formats.reading",
    "read_judged": "formats.judged",
    "read_text": "formats.text.reader",
    "relation_counts": "formats.relations.reader",
    "response_test": "significance.response_tests",
    "text_counts": "metrics.text.scoring",
}

__all__ = [
    "Comparison",
    "Counts",
    "DataError",
    "Function",
    "ItemFunction",
    "JudgedComparison",
    "JudgedScores",
    "Look",
    "Notice",
    "PairResult",
    "ResponseCounts",
    "Sequential",
    "TellapartError",
    "UsageError",
    "average_runs",
    "calibrate",
    "compare",
    "compare_judged",
    "count_responses",
    "example",
    "linked_items",
    "mean",
    "metric",
    "preference_counts",
    "ratio",
    "read",
    "read_judged",
    "read_text",
    "relation_counts",
    "response_test",
    "text_counts",
]


def _verdict(result: Comparison) -> str:
    from tellapart.comparison.boards import as_shown
    from tellapart.report.costs import saving_sentences
    from tellapart.report.verdict import verdict

    seen = as_shown(result)
    by_metric = (verdict(seen, metric) for metric in seen.metrics)
    return " ".join([*by_metric, *saving_sentences(seen)])


def _text(result: Comparison) -> str:
    from tellapart.comparison.boards import as_shown
    from tellapart.report.terminal import render

    return render(as_shown(result))


def _page(result: Comparison) -> str:
    from tellapart.comparison.boards import as_shown
    from tellapart.comparison.details import details_of
    from tellapart.report.html.page import render_html

    seen = as_shown(result)
    return render_html(seen, details_of(seen))


def _notebook(result: Comparison) -> str:
    from tellapart.comparison.boards import as_shown
    from tellapart.report.html.notebook import notebook_view

    return notebook_view(as_shown(result))


def _figure(result: Comparison, name: str, metric: str | None) -> Any:
    from tellapart.comparison.boards import as_shown
    from tellapart.report.figures.collection import figure_named

    return figure_named(as_shown(result), name, metric)


def _pair_line(pair: PairResult) -> str:
    from tellapart.report.sentences import pair_line

    return pair_line(pair)


def _read(data: Any, **options: Any) -> Counts:
    from tellapart.formats.reading import read

    return read(data, **options)


# Statistics know no formats, and compare what is in a file or a data frame.
register(read=_read)

# A comparison shows itself by these: its record stands below the reports, and does not import them.
register(verdict=_verdict, text=_text, page=_page)
register(notebook=_notebook, figure=_figure, pair_line=_pair_line)


def _judged_verdict(result: JudgedComparison) -> str:
    from tellapart.report.judged import verdict

    return verdict(result)


def _judged_text(result: JudgedComparison) -> str:
    from tellapart.report.judged import render_judged

    return render_judged(result)


def _judged_page(result: JudgedComparison) -> str:
    from tellapart.report.html.judged import render_page

    return render_page(result)


register(judged_verdict=_judged_verdict, judged_text=_judged_text, judged_page=_judged_page)


def _open_campaign(path: str, *about: Any, **options: Any) -> Any:
    from tellapart.campaign.decisions import open_campaign

    return open_campaign(path, *about, **options)


# Formats stand below campaigns, too, and read the decisions that are kept in one.
register(decision_folder=_open_campaign)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tellapart' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"tellapart.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
