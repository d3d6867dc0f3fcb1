"""Build checks: whether a new system may pass, for pull requests and for build servers.

What is checked is the last of two systems, or every system against a baseline: that it is not shown
to be worse or, with a margin, that it is shown to stay within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree

from tellapart.comparison.items import Difference, Differences, Wanted, find
from tellapart.comparison.pair_record import PairResult
from tellapart.comparison.ranking import favours_worse_scorer, in_question
from tellapart.comparison.record import Comparison
from tellapart.report.numbers import ends, pair_adjusted, plain, signed, size
from tellapart.report.tables import markdown, markdown_tasks, markdown_text
from tellapart.report.terminal_text import cut
from tellapart.report.verdict import question, verdict
from tellapart.report.wording import items_line, pair_level_words
from tellapart.words import clean, several

_WORST = 5  # items that got worse, in the summary of a pull request
_LONGEST = 160  # characters of a text there
_IN_ADDRESSES = "/:?&=#%~+,;@"
_PASSED, _FAILED = "✅", "❌"


@dataclass(frozen=True, slots=True)
class Checked:
    """One system against another by one metric, seen from the system in question."""

    pair: PairResult
    failure: str
    """Why it does not pass, as a sentence; empty if it does"""


def checks(result: Comparison) -> list[Checked]:
    """Return what a build check looks at: none of several systems without a baseline.

    >>> import tellapart as ta
    >>> counts = ta.Counts.from_arrays({"old": [1] * 9, "new": [0] * 9})
    >>> [each.failure for each in checks(ta.compare(counts))]
    ['new is worse: -1.000 against old by mean (p = .0039)']
    """
    if result.baseline is None and len(result.systems) > 2:
        return []
    seen = (in_question(result, pair) for pair in result.pairs)
    return [Checked(pair, _failure(result, pair)) for pair in seen]


def _failure(result: Comparison, seen: PairResult) -> str:
    margin = result.margin_of(seen.metric)
    if margin is not None:
        return "" if seen.a_no_worse else _margin_not_kept(result, seen, margin)
    if not (seen.different and seen.favours == seen.b):
        return ""
    p = f"p = {pair_adjusted(seen, result.alpha)}"
    behind = f"{signed(seen.difference)} against {seen.b} by {seen.metric}"
    if favours_worse_scorer(result, seen):
        return f"the {seen.method} test speaks against {seen.a} ({p}): {behind}"
    return f"{seen.a} is worse: {behind} ({p})"


def _margin_not_kept(result: Comparison, seen: PairResult, margin: float) -> str:
    """Say that a system is not shown to stay within a margin, and how much it may lose."""
    found = (
        f"{seen.a} is not shown to stay within {margin:g} of {seen.b} by {seen.metric}: the "
        f"difference is {signed(seen.difference)}"
    )
    low, high = seen.interval or (None, None)
    sign, end = (-1, low) if result.metrics[seen.metric].higher_is_better else (1, high)
    if end is None or sign * end <= margin:
        return found
    link = "but" if sign * seen.difference <= margin else "and"
    return f"{found}, {link} a loss of up to {size(end)} is not ruled out"


def junit(result: Comparison) -> str:
    """Return the checks as JUnit XML, which build servers show: a test for each pair and metric."""
    found = checks(result)
    failed = [each for each in found if each.failure]
    numbers = {"tests": str(len(found)), "failures": str(len(failed)), "errors": "0"}
    top = ElementTree.Element("testsuites", {"name": "tellapart", **numbers})
    suite = ElementTree.SubElement(top, "testsuite", {"name": "tellapart", **numbers})
    for each in found:
        margin = result.margin_of(each.pair.metric)
        within = "" if margin is None else f" within {margin:g}"
        name = f"{each.pair.a} is no worse than {each.pair.b}{within} by {each.pair.metric}"
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "tellapart.compare", "name": clean(name)}
        )
        told = verdict(result, each.pair.metric)
        if each.failure:
            message = {"message": clean(each.failure), "type": "worse"}
            ElementTree.SubElement(case, "failure", message).text = told
        ElementTree.SubElement(case, "system-out").text = f"{told}\n{clean(result.signature)}"
    ElementTree.indent(top)
    text = ElementTree.tostring(top, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def no_checks() -> str:
    """Return the JUnit XML of a first run, which there is nothing to hold against."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tellapart" tests="0" />\n'


def first_run(name: str) -> str:
    """Return the summary of a first run for a pull request.

    >>> print(first_run("new"), end="")
    ### new is the baseline now; there was none to compare with
    """
    return f"### {markdown_text(name)} is the baseline now; there was none to compare with\n"


def pull_request(result: Comparison, page: str | None = None) -> str:
    """Return a summary in Markdown for a pull request: verdict, table, items that got worse.

    `page` is where the whole report is found.
    """
    return "\n".join(_summary(result, page)) + "\n"


def _summary(result: Comparison, page: str | None) -> Iterator[str]:
    found = checks(result)
    first = next(iter(result.metrics))
    for metric in result.metrics:
        mark = _mark([each for each in found if each.pair.metric == metric])
        yield f"### {mark}{markdown_text(question(result, metric))}"
        yield ""
        yield markdown_text(verdict(result, metric, below_answer=True))
        yield ""
    yield from _table(result, found) if found else [markdown(result)]
    yield ""
    if found:  # where none is, they stand below the table of pairs
        yield from (markdown_tasks(result, metric) for metric in result.suite)
    for each in found[: len(result.systems) - 1]:  # those of the first metric
        yield from _worse_items(result, each.pair)
    if result.warnings:
        yield from (f"- {markdown_text(notice.text)}" for notice in result.warnings)
        yield ""
    items = markdown_text(items_line(result, first))
    yield f"<sub>{items}; {markdown_text(result.signature)}</sub>"
    if page:
        yield ""
        yield f"[The whole report]({quote(page, safe=_IN_ADDRESSES)})"


def _mark(found: Sequence[Checked]) -> str:
    if not found:
        return ""
    return f"{_FAILED if any(each.failure for each in found) else _PASSED} "


def _table(result: Comparison, found: Sequence[Checked]) -> Iterator[str]:
    scores = {system.name: system.scores for system in result.systems}
    level = pair_level_words(result, found[0].pair) if result.interval_level else "interval"
    heads = ("metric", "system", "score", "against", "score", "difference", level,
             "items better / worse", "p", "check")  # fmt: skip
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for each in found:
        pair = each.pair
        low, high = ends(pair.interval)
        cells = (
            pair.metric, pair.a, plain(scores[pair.a][pair.metric]), pair.b,
            plain(scores[pair.b][pair.metric]), signed(pair.difference), f"{low} to {high}",
            f"{pair.units_a_better:,} / {pair.units_b_better:,}",
            pair_adjusted(pair, result.alpha), "failed" if each.failure else "passed",
        )  # fmt: skip
        yield f"| {' | '.join(map(markdown_text, cells))} |"


def _worse_items(result: Comparison, pair: PairResult) -> Iterator[str]:
    """Yield the items on which the system in question lost most, folded up."""
    found = _differences(result, pair)
    if found is None:
        return
    shown, number = found.chosen(Wanted(better=pair.b, most=_WORST))
    if not shown:
        return
    some = f"{len(shown):,} of the " if number > len(shown) else "The "
    heading = f"{some}{several(number, found.kind)} on which {pair.a} got worse than {pair.b}"
    yield f"<details><summary>{markdown_text(heading)}</summary>"
    yield ""
    yield from _items(shown, (pair.a, pair.b))
    yield ""
    yield "</details>"
    yield ""


def _differences(result: Comparison, pair: PairResult) -> Differences | None:
    """Return the items of a pair, where the comparison has them and they have scores."""
    evidence = result.analysis_of(pair.metric)
    if evidence is None or result.metrics[pair.metric].kind == "function of units":
        return None
    projection = evidence.unclustered or evidence.projection
    if projection.counts.present is not None:
        return None
    bound = next(each for each in projection.metrics if each.metric.name == pair.metric)
    return find(projection.counts, (pair.a, pair.b), bound.metric)


def _items(shown: Sequence[Difference], names: tuple[str, str]) -> Iterator[str]:
    texts = any(item.input or item.gold or item.outputs for item in shown)
    heads = ["item", *names, *(["asked", "expected", *(f"{n} said" for n in names)] * texts)]
    yield f"| {' | '.join(map(markdown_text, heads))} |"
    yield f"|{' --- |' * len(heads)}"
    for item in shown:
        cells = [item.name, f"{item.a:g}", f"{item.b:g}"]
        if texts:
            cells += [item.input, item.gold, *(item.outputs or ("", ""))]
        yield f"| {' | '.join(markdown_text(cut(clean(cell), _LONGEST)) for cell in cells)} |"
