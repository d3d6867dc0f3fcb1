"""A calibration as text and as a picture: the finding first, then rates, p-values and power."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tellapart.planning.calibrate import FEWEST_ITEMS
from tellapart.planning.calibration_record import (
    FEWEST_PAIRS,
    KEEPS,
    LEVELS,
    NEAR,
    OFTEN,
    POWER_LEVEL,
    SELDOM,
    UNSURE,
    CalibratedTest,
    Calibration,
    GroupsFound,
    MetricCalibration,
    OtherNull,
    Rate,
)
from tellapart.report.figures.quantiles import Panel, Point, quantiles_figure
from tellapart.report.numbers import p_text, two_digits
from tellapart.report.terminal_text import warning_lines, wrapped
from tellapart.significance.registry import BOOTSTRAP
from tellapart.words import listed, plural, several, typed

_SHORT = {OFTEN: "too often", SELDOM: "conservative"}


def picture(found: MetricCalibration, null: str = "swap") -> str:
    """Return a figure of the p-values of all tests under one metric, as SVG."""
    title = f"{found.metric}: p-values where nothing differs"
    panels = [_panel(each, found.verdict(each)) for each in found.tests]
    name = f"p-values-{found.metric}-{null}"
    return quantiles_figure(title, sentence(found, null), panels, name)


def _panel(test: CalibratedTest, verdict: str) -> Panel:
    worst = test.worst
    level = f"{worst.level:.2f}".removeprefix("0")
    remark = f"{100 * worst.rate:.1f} % at {level}: {_SHORT.get(verdict, verdict)}"
    points = (Point(q.expected, q.observed, q.low, q.high) for q in test.quantiles)
    return Panel(test.label, remark, verdict == OFTEN, tuple(points))


_FEW_DIFFER = 20
"""Up to so many coins, the chances of their outcomes are far apart"""
_NAMES = {
    "auto": "the default test of equal scores",
    "shuffle": "the randomization test",
    "exact": "the exact randomization test",
}
_OVER_RUNS = "default test of equal scores", "default test over items and runs"


def render(found: Calibration) -> str:
    """Return all that was found as text, metric by metric."""
    lines = ["Can the tests be trusted on these data?", wrapped(put_to_the_test(found))]
    for each in found.metrics:
        start = f"{each.metric}: " if len(found.metrics) > 1 else ""
        lines.append(wrapped(start + sentence(each, found.null)))
    for other in found.others:
        for each in other.metrics:
            start = f"{each.metric}: " if len(other.metrics) > 1 else ""
            lines.append(wrapped(start + sentence(each, other.null)))
    for each in found.metrics:
        lines += _of_metric(found, each)
    for other in found.others:
        for each in other.metrics:
            if each.tests:
                lines += ["", *_rates(each, _what_other(found, other, each))]
    if found.warnings:
        lines += ["", *warning_lines(notice.text for notice in found.warnings)]
    return "\n".join([*lines, "", wrapped(_method(found), "  ")]) + "\n"


def _of_metric(found: Calibration, each: MetricCalibration) -> Iterator[str]:
    """Yield the tables of one metric on the main kind of pairs."""
    if not each.tests:
        return
    yield from ("", *_rates(each, _what(found)))
    # Of a few pairs, or of equal ones, neither shape nor power can be seen.
    enough = found.null_pairs >= FEWEST_PAIRS and each.differing != 0
    if enough:
        yield from ("", *_sketch(each))
    if enough and each.planted:
        yield from ("", *_power(each, found.planted_pairs))
    yield from _skipped(each)


_TRIED = {
    "swap": "outputs that could as well be the other system's",
    "equal": "equal scores of systems that are otherwise as unlike as these",
    "clusters": "{rows} that depend on each other",
    "split": "one system on two halves of its {rows}",
    "runs": "runs of one system against each other",
    "run-noise": "runs that could have come out otherwise",
}
"""What each kind of pairs without a difference puts to the test"""


def put_to_the_test(found: Calibration) -> str:
    """Return what was put to the test, and what was not."""
    rows = plural(found.items.exchanged)
    pairs = {found.null: found.null_pairs, **{each.null: each.null_pairs for each in found.others}}
    why = {each.null: each.reason for each in found.untested}
    if pairs.get("runs", FEWEST_PAIRS) < FEWEST_PAIRS:  # which no --pairs can change
        why["runs"] = f"they can be split in {pairs.pop('runs')} ways: too few to tell"
    names = list(pairs)
    tried = "; ".join(_TRIED[name].format(rows=rows) for name in names)
    # Runs are tried in one of two ways.
    never = {"split", "runs"} if {"run-noise"} & {*names, *why} else {"split", "run-noise"}
    missed = [each for each in _TRIED if each not in never and each not in names]
    lacking = "; ".join(
        _TRIED[name].format(rows=rows) + (f" ({why[name]})" if name in why else "")
        for name in missed
    )
    rest = f" Not put to the test: {lacking}." if lacking else ""
    return f"Put to the test: {tried or 'nothing'}.{rest}"


def sentence(found: MetricCalibration, null: str = "swap") -> str:
    """Return the finding in words: which tests keep their level on such pairs, and which do not.

    >>> import numpy as np
    >>> from tellapart.planning.calibration_record import calibrated_test
    >>> good, bad = np.arange(1, 1001) / 1000, np.arange(1, 1001) / 2000
    >>> tests = calibrated_test("shuffle", good, []), calibrated_test("t", bad, [])
    >>> sentence(MetricCalibration("f1", tests, (), ())).split(". ")[1]
    't rejects too often: 10.0 % at .05.'
    """
    if found.groups is not None and not found.groups.alike:
        return (
            f"{_of_groups(found.groups)} are no more alike than others (p = "
            f"{p_text(found.groups.chance)}): there is no sign that they depend on each other."
        )
    if found.differing == 0:
        return (
            "Nothing to calibrate on: in half of the null pairs or more no item differs in "
            f"{found.metric}, so that no test has anything to reject."
        )
    by_verdict = {
        verdict: [each for each in found.tests if each.verdict == verdict]
        for verdict in (KEEPS, NEAR, OFTEN, SELDOM, UNSURE)
    }
    sentences = [*_keeping(by_verdict[KEEPS], null)]
    if len(by_verdict[OFTEN]) == len(found.tests):
        sentences.append("no test keeps its level")
    sentences += _near(by_verdict[NEAR])
    sentences += _failing(by_verdict[OFTEN])
    sentences += _conservative(by_verdict[SELDOM])
    if by_verdict[UNSURE]:
        pairs = several(sum(found.tests[0].histogram), "null pair")
        names = _and([_name(each) for each in by_verdict[UNSURE]])
        own = "its level" if len(by_verdict[UNSURE]) == 1 else "their level"
        verb = "keeps" if own == "its level" else "keep"
        sentences.append(f"{pairs}: too few to tell whether {names} {verb} {own}")
    if found.groups is not None and by_verdict[OFTEN]:
        sentences.append(_remedy(found.groups))
    sentences[0] = f"{_of_pairs(found, null)}: {sentences[0]}"
    said = ". ".join([*_little(found.differing), *sentences]) + "."
    return said.replace(*_OVER_RUNS) if null == "run-noise" else said


def _of_pairs(found: MetricCalibration, null: str) -> str:
    """Return of which pairs a sentence speaks."""
    if found.groups is not None:
        chance = p_text(found.groups.chance)
        return f"{_of_groups(found.groups)} are alike (p = {chance}). If they belong together"
    return {
        "swap": "Outputs exchanged at random",
        "equal": "Equal scores, but outputs not exchanged",
        "split": "Halves of one system's items",
        "runs": "Halves of one system's runs",
        "run-noise": "Equal systems, runs as far apart as was measured",
    }[null]


def _of_groups(groups: GroupsFound) -> str:
    if groups.label is not None:
        return f"Items of the same {groups.label}"
    return f"Neighbours in the file ({groups.size} at a time)"


def _remedy(groups: GroupsFound) -> str:
    if groups.label is not None:
        return f"Use --cluster {typed(groups.label)}"
    return "Name the groups in a column, and use --cluster with it"


def _little(differing: float | None) -> Iterator[str]:
    """Yield a caveat if so few items differ that no test can reject as often as it may."""
    if differing is None or differing >= _FEW_DIFFER:
        return
    yield (
        f"Only {differing:g} {'item differs' if differing == 1 else 'items differ'} in a null pair "
        "(median): p has few values, and a test "
        + ("over them can hardly reject at all" if differing < FEWEST_ITEMS
           else "that keeps its level may be conservative")
    )  # fmt: skip


def _keeping(tests: Sequence[CalibratedTest], null: str) -> Iterator[str]:
    if tests:
        others = [_name(each) for each in tests[1:]]
        also = f"; so {'does' if len(others) == 1 else 'do'} {_and(others)}" if others else ""
        # The test's own supposition: nothing else could have come out.
        made = ", as it must" if null == "swap" and tests[0].test in ("shuffle", "exact") else ""
        yield (
            f"{_name(tests[0])} keeps its level{made}: it rejects "
            f"{_percent(tests[0].worst)} of the pairs without a difference at "
            f"{_level(POWER_LEVEL)}{also}"
        )


def _near(tests: Sequence[CalibratedTest]) -> Iterator[str]:
    if tests:
        rates = [f"{_name(each)} ({_rate_words(each.highest)})" for each in tests]
        yield f"No departure is shown of {_and(rates)}, but chance alone seldom makes that many"


def _failing(tests: Sequence[CalibratedTest]) -> Iterator[str]:
    if len(tests) == 1:
        yield _capital(f"{_name(tests[0])} rejects too often: {_rate_words(tests[0].worst)}")
    elif tests:
        rates = [f"{_name(each)} ({_rate_words(each.worst)})" for each in tests]
        yield _capital(f"{_and(rates)} reject too often")


def _conservative(tests: Sequence[CalibratedTest]) -> Iterator[str]:
    if len(tests) == 1:
        yield _capital(
            f"{_name(tests[0])} keeps its level, but is conservative: it rejects "
            f"{_rate_words(tests[0].worst)}"
        )
    elif tests:
        rates = [f"{_name(each)} ({_rate_words(each.worst)})" for each in tests]
        yield _capital(f"{_and(rates)} keep their level, but are conservative")


def _rate_words(rate: Rate) -> str:
    return f"{_percent(rate)} at {_level(rate.level)}"


def _capital(words: str) -> str:
    """Return words that begin a sentence; names of tests stay as they are typed."""
    return f"The{words[3:]}" if words.startswith("the ") else words


def _name(test: CalibratedTest) -> str:
    name = _NAMES.get(test.test, test.test)
    return f"{name} that ignores clusters" if test.clusters_ignored else name


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _percent(rate: Rate) -> str:
    return f"{100 * rate.rate:.1f} %"


def _level(level: float) -> str:
    return f"{level:.2f}".removeprefix("0")


def _width(found: MetricCalibration) -> int:
    return max(len("test"), *(len(each.label) for each in found.tests))


def _rates(metric: MetricCalibration, what: str) -> Iterator[str]:
    yield wrapped(f"{metric.metric}, {what}: % rejected", "  ")
    width = _width(metric)
    heads = "".join(f"{'at ' + _level(level):<12}" for level in LEVELS)
    yield f"  {'test':<{width}}  {heads}".rstrip()
    for each in metric.tests:
        cells = "".join(f"{_cell(rate):<12}" for rate in each.rates)
        yield f"  {each.label:<{width}}  {cells}{metric.verdict(each)}".rstrip()


def _cell(rate: Rate) -> str:
    error = f"{100 * rate.standard_error:.1f}"
    return (
        f"{100 * rate.rate:4.1f} ± {error if len(error) == 3 else error[:-2]}{'*' * abs(rate.far)}"
    )


def _what(found: Calibration) -> str:
    """Return what the pairs were made of."""
    pairs = f"{found.null_pairs:,} null {'pair' if found.null_pairs == 1 else 'pairs'}"
    size = f"{found.items.in_a_pair:,} {plural(found.items.exchanged)}"
    if found.null == "runs":
        return f"{size}, {pairs}"
    systems = several(len(found.systems), "system")
    return f"{size} a pair, {pairs} of {systems}"


def _what_other(found: Calibration, other: OtherNull, metric: MetricCalibration) -> str:
    """Return what the pairs of another kind were made of."""
    rows = plural(found.items.exchanged)
    number = f"{other.null_pairs:,} null pairs"
    if metric.groups is not None:
        by = metric.groups.label or f"{metric.groups.size} neighbours"
        return f"{number}, {rows} exchanged by {by}"
    return f"{number}, {_TRIED[other.null].format(rows=rows)}"


def _sketch(metric: MetricCalibration) -> Iterator[str]:
    """Yield the p-values of each test as twenty signs, from 0 on the left to 1."""
    width = _width(metric)
    yield f"  {'p-values':<{width}}  0    .25  .50  .75  1   mean p"
    for each in metric.tests:
        yield f"  {each.label:<{width}}  {_signs(each.histogram)}{p_text(each.mean_p):>9}"
    yield "  = as expected in this twentieth, + more, # twice as many or more, - fewer"


def _signs(histogram: Sequence[int]) -> str:
    """Return a sign for each bin: whether it has more p-values than even ones would put there.

    >>> _signs([250, 130, 80, 20, 20]), _signs([100, 101, 99, 100])
    ('#+=--', '====')
    """
    expected = sum(histogram) / len(histogram)
    slack = 3 * math.sqrt(expected * (1 - 1 / len(histogram)))
    signs = ""
    for count in histogram:
        if abs(count - expected) <= slack:
            signs += "="
        elif count > expected:
            signs += "#" if count >= 2 * expected else "+"
        else:
            signs += "-"
    return signs


def _power(metric: MetricCalibration, pairs: int) -> Iterator[str]:
    """Yield the table of how often planted differences are found."""
    yield wrapped(
        f"Power: planted differences found at {_level(POWER_LEVEL)}, in % ({pairs:,} pairs each)",
        "  ",
    )
    width = max(_width(metric), len("planted difference"))
    heads = "".join(f"{two_digits(each.difference):<12}" for each in metric.planted)
    yield f"  {'planted difference':<{width}}  {heads}".rstrip()
    errors = "".join(f"{f'{each.size:g}':<12}" for each in metric.planted)
    yield f"  {'in standard errors':<{width}}  {errors}".rstrip()
    for each in metric.tests:
        if each.power:
            cells = "".join(f"{_cell(rate):<12}" for rate in each.power)
            mark = "(level not kept)" if each.verdict == OFTEN else ""
            yield f"  {each.label:<{width}}  {cells}{mark}".rstrip()
    ideal = "".join(f"{100 * _ideal(each.size):4.1f}{'':<8}" for each in metric.planted)
    yield f"  {'(normal theory)':<{width}}  {ideal}".rstrip()


def _ideal(size: float) -> float:
    """Return the power of a two-sided normal test that knows the standard error.

    >>> round(_ideal(2), 3)
    0.516
    """
    from scipy.special import ndtr, ndtri

    limit = -ndtri(POWER_LEVEL / 2)
    return float(ndtr(size - limit) + ndtr(-size - limit))


def _skipped(metric: MetricCalibration) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for each in metric.skipped:
        by_reason.setdefault(each.reason, []).append(each.test)
    if by_reason:
        yield ""
        yield "  Not tried"
    for reason, tests in by_reason.items():
        yield wrapped(f"{listed(tests)}: {reason}", "  - ")


_MADE = {
    "equal": "null pairs of two systems drawn at random on {rows} drawn again, with chances that "
    "make their scores equal",
    "clusters": "null pairs by exchanging the outputs of two systems drawn at random, group by "
    "group of {rows}",
    "swap": "null pairs by exchanging the outputs of two systems drawn at random, {row} by {row}",
    "split": "null pairs of one system drawn at random on two random halves of its {rows}, matched "
    "at random",
    "run-noise": "null pairs of two systems drawn at random, all runs moved to one mean, on {rows} "
    "drawn again, with normal run effects of the spread that was measured on these runs",
    "runs": "null pairs of one half of a system's runs against the other half",
}


def _method(found: Calibration) -> str:
    """Return how it was done, in words that let anyone repeat it."""
    row = found.items.exchanged
    kinds = [found.null, *(each.null for each in found.others if each.metrics[0].tests)]
    made = "; ".join(_MADE[kind].format(row=row, rows=plural(row)) for kind in kinds)
    if len(found.systems) == 2:
        made = made.replace("two systems drawn at random", " and ".join(found.systems))
    names = {each.test for metric in found.metrics for each in metric.tests}
    draws = []
    if names & {"auto", "shuffle"}:
        draws.append(f"{found.shuffles:,} shuffles")
    if names & {*BOOTSTRAP, "unpaired"}:
        drawn = "permutations" if not names & set(BOOTSTRAP) else "resamples"
        draws.append(f"{found.resamples:,} {drawn}")
    ignoring = ""
    if found.items.clusters is not None and "shuffle" in names and found.null == "swap":
        ignoring = " shuffle, items: the same pairs, tested as if there were no clusters."
    how = "; ".join(["two-sided", *draws])
    return (
        f"{made}; {how}; seed {found.seed}. ± is one standard error. * a test that keeps its level "
        f"would be this far off in fewer than 3 calibrations of 1,000.{ignoring}"
    )
