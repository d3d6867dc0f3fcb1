"""Build checks: whether a new system may pass, for pull requests and for build servers.

What is checked is the last of two systems, or every system against a baseline: that it is not shown
to be worse or, with a margin, that it is shown to stay within it; and that it reaches a bar. There
are three outcomes: passed, worse, and that the items cannot tell, which may pass or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree

from tellapart.comparison.answers import (
    as_reported,
    bar_conditions,
    beyond_margin,
    favours_worse_scorer,
    in_question,
    keeps_margin,
    pair_conditions,
)
from tellapart.comparison.items import differing_items
from tellapart.comparison.record import Comparison, Pair
from tellapart.comparison.scored import Scored
from tellapart.report.document import conclusion, finding
from tellapart.report.formats import markdown
from tellapart.report.notices import notice_sentences
from tellapart.report.sentences import bar_shown, bar_words, condition_words, items_words
from tellapart.report.table import markdown_text
from tellapart.report.text import pair_adjusted, signed, size
from tellapart.words import clean, listed, several

_WORST: Final = 10
"""Items that got worse, by name"""
_IN_ADDRESSES = "/:?&=#%~+,;@"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


PASSED, WORSE, CANNOT_TELL = "passed", "worse", "cannot tell"
_SIGNS: Final = {WORSE: "❌ ", CANNOT_TELL: "❔ ", PASSED: "✅ "}
CANNOT_TELL_STATUS: Final = 3
"""Of the program; 1 is that a system is shown to be worse, 2 that something is wrong with input"""

_ASKED_FOR: Final = ("these-runs", "no-correction", "whatever-missing")
"""Conditions that do not keep a check from passing: these runs are what there is"""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a build check looks at by one metric: a system against another, or against a bar."""

    metric: str
    claim: str
    """What has to hold, as a sentence"""
    outcome: str
    """`PASSED`, `WORSE` or `CANNOT_TELL`"""
    why: str
    """Why it is not passed, as a sentence"""
    fails: bool = False
    """Whether it stops the build"""
    pair: Pair | None = None
    """Seen from the system in question"""


def checks(record: Comparison, *, of_pairs: bool = True) -> list[Checked]:
    """Return what a build check looks at: pairs of two systems or with a baseline, and bars."""
    in_pairs = record.baseline is not None or len(record.systems) == 2
    pairs = [in_question(record, pair) for pair in record.pairs] if in_pairs and of_pairs else []
    old = record.baseline or (record.systems[0].name if in_pairs else None)
    bars = (
        _check_of_bar(record, metric, name, outcome)
        for metric, answer in record.answers.items()
        for name, outcome in answer.at_least.items()
        if name != old
    )
    return [*(_check_of_pair(record, pair) for pair in pairs), *bars]


def status(record: Comparison, *, of_pairs: bool = True) -> int:
    """Return the status of a program that makes the checks, of bars alone or `of_pairs`, too.

    >>> import tellapart as ta
    >>> good, bad = [1] * 9, [0] * 9
    >>> status(ta.compare({"old": good, "new": bad}, margin=0.1).record)
    1
    >>> status(ta.compare({"old": good, "new": good}, margin=0.1).record)
    3
    """
    failed = {check.outcome for check in checks(record, of_pairs=of_pairs) if check.fails}
    return 1 if WORSE in failed else CANNOT_TELL_STATUS if failed else 0


def failures(record: Comparison, *, of_pairs: bool = True) -> list[str]:
    """Return why systems do not pass, a sentence for each that does not.

    >>> import tellapart as ta
    >>> failures(ta.compare({"old": [1] * 9, "new": [0] * 9}).record)
    ['new is worse: -1.000 against old by mean (p = .0039)']
    """
    return [check.why for check in checks(record, of_pairs=of_pairs) if check.fails]


def _checked(record: Comparison, check: Checked, codes: Iterable[str]) -> Checked:
    """Return a check and whether it stops the build; `codes` are what its passing rests on.

    To have a margin means that it has to be kept. A cost beside a quality stops no build.
    """
    open_ = [code for code in codes if code not in _ASKED_FOR]
    if check.outcome == PASSED and open_:
        why = f"{check.claim}, which is shown only {', '.join(condition_words(record, open_))}"
        check = replace(check, outcome=CANNOT_TELL, why=why)
    unsure = record.cannot_tell or ("pass" if record.margin is None else "fail")
    stops = check.outcome == WORSE or (check.outcome == CANNOT_TELL and unsure == "fail")
    return replace(check, fails=stops and not record.is_side(check.metric))


def _check_of_pair(record: Comparison, seen: Pair) -> Checked:
    margin, within = record.margin_of(seen.metric), ""
    decimals = record.metrics[seen.metric].decimals
    than, difference = f"{seen.b} by {seen.metric}", signed(seen.difference, decimals)
    if margin is not None:
        within = f" within {margin:g}"
        lost = beyond_margin(record, seen)
        shown = PASSED if keeps_margin(record, seen) else WORSE if lost else CANNOT_TELL
        how = f"loses more than {margin:g} against" if lost else f"is not shown to stay{within} of"
        why = f"{seen.a} {how} {than}: the difference is {difference}"
        why += "" if lost else _loss(record, seen, margin)
    elif not seen.different:
        shown = CANNOT_TELL
        why = f"{seen.a} is not shown to be better or worse than {than}: {difference}"
    else:
        shown = PASSED if seen.favours == seen.a else WORSE
        worse = f"{seen.a} is worse"
        if favours_worse_scorer(as_reported(record, seen)):
            worse = f"the {record.test} test speaks against {seen.a}"
        why = f"{worse}: {difference} against {than} (p = {pair_adjusted(seen, record.alpha)})"
    if "unless-missing" in record.answers[seen.metric].conditions:
        shown, why = CANNOT_TELL, f"what {seen.a} or {seen.b} lacks may change the answer"
    claim = f"{seen.a} is no worse than {seen.b}{within} by {seen.metric}"
    codes = pair_conditions(record, seen, margin=margin is not None)
    return _checked(record, Checked(seen.metric, claim, shown, why, pair=seen), codes)


def _check_of_bar(record: Comparison, metric: str, name: str, answer: str) -> Checked:
    shown = {"Yes": PASSED, "No": WORSE}.get(answer, CANNOT_TELL)
    system = next(system for system in record.systems if system.name == name)
    claim = f"{name} is {bar_words(record, metric)} by {metric}"
    check = Checked(metric, claim, shown, bar_shown(record, system, metric))
    return _checked(record, check, bar_conditions(record, metric))


def _loss(record: Comparison, seen: Pair, margin: float) -> str:
    """Return how much a system may lose, where that is more than the margin."""
    low, high = seen.interval or (None, None)
    info = record.metrics[seen.metric]
    sign, end = (-1, low) if info.higher_is_better else (1, high)
    if end is None or sign * end <= margin:
        return ""
    return f", and a loss of up to {size(end, info.decimals)} is not ruled out"


def junit(record: Comparison) -> str:
    """Return the checks as JUnit XML, which build servers show: a test for each pair and metric."""
    found = checks(record)
    failed = sum(check.fails for check in found)
    numbers = {"tests": str(len(found)), "failures": str(failed), "errors": "0"}
    top = ElementTree.Element("testsuites", {"name": "tellapart", **numbers})
    suite = ElementTree.SubElement(top, "testsuite", {"name": "tellapart", **numbers})
    for check in found:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "tellapart.compare", "name": clean(check.claim)}
        )
        said = conclusion(record, check.metric)
        if check.fails:
            message = {"message": clean(check.why), "type": check.outcome}
            ElementTree.SubElement(case, "failure", message).text = said
        ElementTree.SubElement(case, "system-out").text = f"{said}\n{clean(record.signature)}"
    ElementTree.indent(top)
    return f"{_DECLARATION}{ElementTree.tostring(top, encoding='unicode')}\n"


def pull_request(record: Comparison, scored: Sequence[Scored] = (), page: str | None = None) -> str:
    """Return a summary in Markdown for a pull request: verdict, table, items that got worse.

    `scored` are the scores that the comparison rests on, `page` is where the whole report is.
    """
    return "\n".join(_summary(record, scored, page)) + "\n"


def _summary(record: Comparison, scored: Sequence[Scored], page: str | None) -> Iterator[str]:
    found = checks(record)
    for metric in record.metrics:
        checked = {c.outcome if c.fails else PASSED for c in found if c.metric == metric}
        mark = next((sign for outcome, sign in _SIGNS.items() if outcome in checked), "")
        asked, answer, *said = finding(record, metric)
        yield f"### {mark}{markdown_text(f'{asked} {answer}.')}\n"
        yield f"{markdown_text(' '.join(filter(None, said)))}\n"
    yield from _list(check.why for check in found if check.fails)
    if record.pairs:
        yield markdown(record)
    yield from (f"{markdown_text(text)}\n" for text in changed_items(record, scored))
    yield from _list(notice_sentences(record))
    items = items_words(record, next(iter(record.metrics)))
    yield f"<sub>{markdown_text(f'{items}; {record.signature}')}</sub>"
    if page:
        yield f"\n[The whole report]({quote(page, safe=_IN_ADDRESSES)})"


def _list(sentences: Iterable[str]) -> Iterator[str]:
    """Yield a list with a point for each sentence; nothing where there is none."""
    if points := [f"- {markdown_text(sentence)}\n" for sentence in sentences]:
        yield "".join(points)


def changed_items(record: Comparison, scored: Sequence[Scored]) -> Iterator[str]:
    """Yield how many items got worse and better by the first metric, and the worst of them.

    >>> import tellapart as ta
    >>> result = ta.compare({"old": [1, 1, 0, 1], "new": [0, 1, 1, 0]})
    >>> list(changed_items(result.record, result.scored))
    ['new against old by mean: 2 items got worse (1, 4), 1 got better.']
    """
    scores = next((metric.unclustered for metric in scored[:1]), None)
    if scores is None or scores.counts.times is not None:  # only sums are known
        return
    for check in checks(record):
        pair = check.pair
        if pair is None or pair.metric != scores.name:
            continue
        a, b = (scores.systems.index(name) for name in (pair.a, pair.b))
        found = differing_items(scores, a, b, most=None)
        if found is not None and found.in_all:
            worse, number = found.chosen(pair.b)
            which = f" ({listed([lost.item.name for lost in worse], _WORST)})" if worse else ""
            yield (
                f"{pair.a} against {pair.b} by {pair.metric}: {several(number, found.kind)} got "
                f"worse{which}, {found.better:,} got better."
            )
