"""Build checks: whether a new system may pass, for pull requests and for build servers.

What is checked is the last of two systems, or every system against a baseline: that it is not shown
to be worse or, with a margin, that it is shown to stay within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree

from tellapart.comparison.items import Difference, find_differences
from tellapart.comparison.ranking import as_reported, favours_worse_scorer, in_question
from tellapart.comparison.record import Comparison, Pair
from tellapart.comparison.scored import Scored
from tellapart.report.document import task_table
from tellapart.report.formats import markdown as all_pairs
from tellapart.report.notices import notice_sentences
from tellapart.report.sentences import answer_text, items_words, question, verdict
from tellapart.report.table import Cell, Column, Table, markdown, markdown_text
from tellapart.report.text import cut, ends, pair_adjusted, percent, plain, signed, size
from tellapart.words import clean, several

_WORST = 5  # items that got worse, in the summary of a pull request
_LONGEST = 160  # characters of a text there
_IN_ADDRESSES = "/:?&=#%~+,;@"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True, slots=True)
class Checked:
    """One system against another by one metric, seen from the system in question."""

    pair: Pair
    failure: str
    """Why it does not pass, as a sentence; empty if it does"""


def checks(record: Comparison) -> list[Checked]:
    """Return what a build check looks at: none of several systems without a baseline."""
    if record.baseline is None and len(record.systems) > 2:
        return []
    seen = (in_question(record, pair) for pair in record.pairs)
    return [Checked(pair, _failure(record, pair)) for pair in seen]


def worse(record: Comparison) -> list[str]:
    """Return why systems do not pass, a sentence for each pair and metric.

    >>> import tellapart as ta
    >>> worse(ta.compare({"old": [1] * 9, "new": [0] * 9}).record)
    ['new is worse: -1.000 against old by mean (p = .0039)']
    """
    return [each.failure for each in checks(record) if each.failure]


def _failure(record: Comparison, seen: Pair) -> str:
    margin = record.margin_of(seen.metric)
    if margin is not None:
        return "" if seen.a_no_worse else _margin_not_kept(record, seen, margin)
    if not (seen.different and seen.favours == seen.b):
        return ""
    p = f"p = {pair_adjusted(seen, record.alpha)}"
    behind = f"{signed(seen.difference)} against {seen.b} by {seen.metric}"
    if favours_worse_scorer(as_reported(record, seen)):
        return f"the {record.test} test speaks against {seen.a} ({p}): {behind}"
    return f"{seen.a} is worse: {behind} ({p})"


def _margin_not_kept(record: Comparison, seen: Pair, margin: float) -> str:
    """Say that a system is not shown to stay within a margin, and how much it may lose."""
    found = (
        f"{seen.a} is not shown to stay within {margin:g} of {seen.b} by {seen.metric}: the "
        f"difference is {signed(seen.difference)}"
    )
    low, high = seen.interval or (None, None)
    sign, end = (-1, low) if record.metrics[seen.metric].higher_is_better else (1, high)
    if end is None or sign * end <= margin:
        return found
    link = "but" if sign * seen.difference <= margin else "and"
    return f"{found}, {link} a loss of up to {size(end)} is not ruled out"


def junit(record: Comparison) -> str:
    """Return the checks as JUnit XML, which build servers show: a test for each pair and metric."""
    found = checks(record)
    failed = sum(bool(each.failure) for each in found)
    numbers = {"tests": str(len(found)), "failures": str(failed), "errors": "0"}
    top = ElementTree.Element("testsuites", {"name": "tellapart", **numbers})
    suite = ElementTree.SubElement(top, "testsuite", {"name": "tellapart", **numbers})
    for each in found:
        pair, margin = each.pair, record.margin_of(each.pair.metric)
        within = "" if margin is None else f" within {margin:g}"
        name = clean(f"{pair.a} is no worse than {pair.b}{within} by {pair.metric}")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "tellapart.compare", "name": name}
        )
        told = verdict(record, pair.metric)
        if each.failure:
            message = {"message": clean(each.failure), "type": "worse"}
            ElementTree.SubElement(case, "failure", message).text = told
        ElementTree.SubElement(case, "system-out").text = f"{told}\n{clean(record.signature)}"
    ElementTree.indent(top)
    return f"{_DECLARATION}{ElementTree.tostring(top, encoding='unicode')}\n"


def no_checks() -> str:
    """Return the JUnit XML of a first run, which there is nothing to hold against."""
    return f'{_DECLARATION}<testsuites name="tellapart" tests="0" />\n'


def first_run(name: str) -> str:
    """Return the summary of a first run for a pull request.

    >>> print(first_run("new"), end="")
    ### new is the baseline now; there was none to compare with
    """
    return f"### {markdown_text(name)} is the baseline now; there was none to compare with\n"


def pull_request(record: Comparison, scored: Sequence[Scored] = (), page: str | None = None) -> str:
    """Return a summary in Markdown for a pull request: verdict, table, items that got worse.

    `scored` are the scores that the comparison rests on, `page` is where the whole report is found.
    """
    return "\n".join(_summary(record, scored, page)) + "\n"


def _summary(record: Comparison, scored: Sequence[Scored], page: str | None) -> Iterator[str]:
    found = checks(record)
    first = next(iter(record.metrics))
    for metric in record.metrics:
        own = [each.failure for each in found if each.pair.metric == metric]
        mark = "" if not own else "❌ " if any(own) else "✅ "
        asked = f"{question(record, metric)} {answer_text(record, metric)}."
        yield f"### {mark}{markdown_text(asked)}\n"
        yield f"{markdown_text(verdict(record, metric, below_answer=True))}\n"
    if found:
        yield markdown(_table(record, found))
        yield from (markdown(task_table(record, metric)) for metric in record.suite)
    else:
        yield all_pairs(record)
    for each in found:
        if each.pair.metric == first:
            yield from _worse_items(each.pair, scored)
    if record.notices:
        yield "".join(f"- {markdown_text(text)}\n" for text in notice_sentences(record))
    items = markdown_text(items_words(record, first))
    yield f"<sub>{items}; {markdown_text(record.signature)}</sub>"
    if page:
        yield f"\n[The whole report]({quote(page, safe=_IN_ADDRESSES)})"


def _table(record: Comparison, found: Sequence[Checked]) -> Table:
    scores = {system.name: system.scores for system in record.systems}
    level = found[0].pair.interval_level
    columns = [
        Column("metric", "text", lambda each: each.pair.metric),
        Column("system", "name", lambda each: each.pair.a),
        Column("score", write=lambda each: plain(scores[each.pair.a][each.pair.metric])),
        Column("against", "name", lambda each: each.pair.b),
        Column("score", write=lambda each: plain(scores[each.pair.b][each.pair.metric])),
        Column("difference", write=lambda each: signed(each.pair.difference)),
        Column("interval" if level is None else f"{percent(level)} interval", "interval",
               lambda each: Cell(ends(each.pair.interval))),
        Column("items better / worse",
               write=lambda each: f"{each.pair.items_a_better:,} / {each.pair.items_b_better:,}"),
        Column("p", "p", lambda each: pair_adjusted(each.pair, record.alpha)),
        Column("check", "text", lambda each: "failed" if each.failure else "passed"),
    ]  # fmt: skip
    return Table.of(found, columns)


def _worse_items(pair: Pair, scored: Sequence[Scored]) -> Iterator[str]:
    """Yield the items on which the system in question lost most, folded up."""
    scores = next((own.unclustered for own in scored if own.scores.name == pair.metric), None)
    if scores is None or not scores.has_sums:
        return
    if scores.counts.present is not None or scores.counts.times is not None:
        return  # systems with items of their own, and data of which only sums are known
    found = find_differences(scores.counts, (pair.a, pair.b), scores.metric)
    shown, number = found.chosen(better=pair.b, most=_WORST)
    if not shown:
        return
    some = f"{len(shown):,} of the " if number > len(shown) else "The "
    heading = f"{some}{several(number, found.kind)} on which {pair.a} got worse than {pair.b}"
    yield f"<details><summary>{markdown_text(heading)}</summary>\n"
    yield markdown(Table.of(shown, list(_item_columns(shown, (pair.a, pair.b)))))
    yield "</details>\n"


def _item_columns(shown: Sequence[Difference], names: tuple[str, str]) -> Iterator[Column]:
    yield Column("item", "text", lambda each: _short(each.item.name))
    yield Column(names[0], write=lambda each: f"{each.a:g}")
    yield Column(names[1], write=lambda each: f"{each.b:g}")
    items = [each.item for each in shown]
    if any(item.input or item.gold or item.outputs for item in items):
        yield Column("asked", "text", lambda each: _short(each.item.input))
        yield Column("expected", "text", lambda each: _short(each.item.gold))
        yield Column(f"{names[0]} said", "text", lambda each: _short(*each.item.outputs[:1]))
        yield Column(f"{names[1]} said", "text", lambda each: _short(*each.item.outputs[1:]))


def _short(text: str = "") -> str:
    return cut(clean(text), _LONGEST)
