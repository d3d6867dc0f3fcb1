"""Tables: all pairs as TSV or Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tellapart.comparison.pair_record import PairResult, Slice
from tellapart.comparison.ranking import ordered_pairs
from tellapart.comparison.record import Comparison
from tellapart.report.numbers import ends, p_text, pair_adjusted, pair_p, signed
from tellapart.report.tasks import aggregate_sentence, cells_of, marks_words, turns_sentence
from tellapart.report.wording import rank_text
from tellapart.words import clean

_HEADER = ("metric", "a", "b", "difference", "low", "high", "won", "tied", "lost", "p", "adjusted",
           "different")  # fmt: skip
_MARGIN_HEADER = ("p_a_no_worse", "p_b_no_worse", "equivalent", "a_no_worse", "b_no_worse")
_CLAIM_HEADER = ("claim",)
_RANK_HEADER = ("rank_a", "rank_b")
_INTERVAL_HEADER = ("interval_for", "interval_level")


def tsv(result: Comparison) -> str:
    """Return the pairs as tab-separated values: for programs, in the order of the record.

    With a margin, columns say what keeps it; a one-sided test has a column with its claims; three
    or more systems have their ranks. The last two say what the intervals hold for, and at which
    level, where there are any. A suite has a column that names the task, and rows for every task
    after those of the overall score, which have none.
    """
    if not result.suite:
        return tsv_text([_header(result), *(_row(result, pair) for pair in result.pairs)])
    rows = [[*_row(result, pair), ""] for pair in result.pairs]
    labels = {metric: table.label for metric, table in result.suite.items()}
    tasks = [part for part in result.slices if part.by == labels.get(part.metric)]
    rows += [_task_row(result, part) for part in tasks]
    return tsv_text([[*_header(result), next(iter(labels.values()))], *rows])


def _task_row(result: Comparison, part: Slice) -> list[str]:
    """Return a pair on one task, in the columns that pairs have."""
    known = {
        "metric": part.metric, "a": part.a, "b": part.b, "difference": signed(part.difference),
        "p": p_text(part.p, result.alpha), "adjusted": p_text(part.p_adjusted, result.alpha),
        "different": _yes(part.different), "interval_for": part.interval_for or "-",
        "interval_level": "-" if part.interval_level is None else f"{part.interval_level:g}",
        **dict(zip(("low", "high"), ends(part.interval), strict=True)),
    }  # fmt: skip
    return [*(known.get(head, "-") for head in _header(result)), part.value]


def markdown(result: Comparison) -> str:
    """Return the pairs as a Markdown table: for readers, the better system of a pair first."""
    header = _header(result)
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    for metric in result.metrics:
        pairs = ordered_pairs(result, metric)
        lines += (" | ".join(map(markdown_text, _row(result, pair))) for pair in pairs)
    found = "".join(f"| {line} |\n" for line in lines)
    return "\n".join([found, *(markdown_tasks(result, metric) for metric in result.suite)])


def markdown_tasks(result: Comparison, metric: str) -> str:
    """Return the table of systems × tasks, with what its marks mean."""
    heads, *rows = cells_of(result, metric)
    lines = [heads, ["---"] * len(heads), *([markdown_text(cell) for cell in row] for row in rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    words = f"{metric}, {aggregate_sentence(result, metric)}; {marks_words(result, metric)}."
    words = f"{words} {turns_sentence(result, metric)}".rstrip()
    return f"{markdown_text(words)}\n\n{table}"


def _header(result: Comparison) -> tuple[str, ...]:
    margin = _MARGIN_HEADER if result.margin is not None else ()
    claim = _CLAIM_HEADER if result.tail != "two" else ()
    ranks = _RANK_HEADER if result.ranks else ()
    interval = _INTERVAL_HEADER if result.interval_level else ()
    return (*_HEADER, *margin, *claim, *ranks, *interval)


def _row(result: Comparison, pair: PairResult) -> tuple[str, ...]:
    claims = (pair.p_a_no_worse_adjusted, pair.p_b_no_worse_adjusted)
    kept = (pair.equivalent, pair.a_no_worse, pair.b_no_worse)
    margin = (*(p_text(p, result.alpha) for p in claims), *map(_yes, kept))
    ranks = [rank_text(result, pair.metric, name) for name in (pair.a, pair.b)]
    return (
        pair.metric, pair.a, pair.b, signed(pair.difference), *ends(pair.interval),
        str(pair.units_a_better), str(pair.units_tied), str(pair.units_b_better),
        pair_p(pair, result.alpha), pair_adjusted(pair, result.alpha),
        _yes(pair.different),
        *(margin if result.margin is not None else ()),
        *((pair.claim or "",) if result.tail != "two" else ()),
        *(ranks if result.ranks else ()),
        *(_interval_cells(pair) if result.interval_level else ()),
    )  # fmt: skip


def _interval_cells(pair: PairResult) -> tuple[str, str]:
    level = pair.interval_level
    return pair.interval_for or "-", "-" if level is None else f"{level:g}"


def _yes(value: bool | None) -> str:
    return "-" if value is None else "yes" if value else "no"


_RUN: Final = ("=", "+", "-", "@")  # what begins a formula
_NUMBER: Final = re.compile(r"[+-]?(\d*\.?\d+(e[+-]?\d+)?|inf|nan)?")


def tsv_text(rows: Iterable[Sequence[str]]) -> str:
    r"""Return rows of texts as tab-separated values, one line each.

    >>> tsv_text([["system", "f1"], ["two\nlines", "0.5"]])
    'system\tf1\ntwo lines\t0.5\n'
    """
    return "".join("\t".join(spreadsheet_cell(clean(c)) for c in row) + "\n" for row in rows)


def spreadsheet_cell(text: str) -> str:
    """Return the text of a cell; one that a spreadsheet would run as a formula is quoted.

    >>> spreadsheet_cell("=HYPERLINK(A1)"), spreadsheet_cell("-0.25"), spreadsheet_cell("GE")
    ("'=HYPERLINK(A1)", '-0.25', 'GE')
    """
    runs = text.lstrip().startswith(_RUN) and not _NUMBER.fullmatch(text)
    return f"'{text}" if runs else text


# Underscores in a word, as names have them, mean nothing; nor does @ after a letter (pass@4).
_MARKUP: Final = re.compile(
    r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|(?<!\w)[@#]|:(?=//)|(?<=www)\."
)
_ADDRESS: Final = re.compile(r"(?<=[\w.+-])@(?=[\w-]+\.)")
_HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_text(text: str) -> str:
    r"""Return text for Markdown that says just that: no markup, no HTML, no links, no mentions.

    >>> print(markdown_text("[old](http://x) <b> a_b | c"))
    \[old\](http\://x) &lt;b&gt; a_b \| c
    """
    escaped = _MARKUP.sub(r"\\\g<0>", clean(text)).translate(_HTML)
    # Addresses become links however they are escaped, unless something stands between.
    return _ADDRESS.sub("@<!-- -->", escaped)
