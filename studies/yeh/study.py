"""Yeh (2000): two methods of finding modifier relations, and the tests that tell them apart."""

from __future__ import annotations

from statistics import median
from typing import Final

from studies.core import Reproduction, Request, Section
from studies.yeh.coins import FLIPS, GROUPS, all_on_one_side
from studies.yeh.independent import inflation
from studies.yeh.statements import statements
from studies.yeh.tests import (
    COUNTS,
    INFLATIONS,
    SHUFFLES,
    MetricTests,
    YehTests,
    as_figures,
    run_tests,
)
from tellapart.report.text import p_text

HAS_PICTURES: Final = False
_NAMES: Final = {"recall": "recall", "precision": "precision", "f1": "F"}


def reproduce(request: Request) -> Reproduction:
    """Return the study done again, from the counts that the paper prints, and on MUC-4."""
    tests = run_tests(request.seed, request.data)
    sections = (_counts(), _scores(tests), _responses(tests), _classical(tests), _inflations(),
                _correlations(tests), _groups(tests))  # fmt: skip
    return Reproduction(
        "yeh",
        "Yeh (2000): more accurate tests of result differences",
        request.seed,
        sections,
        tuple(statements(tests)),
        as_figures(tests),
    )


def _counts() -> Section:
    c = COUNTS
    exchanged = c.correct_a + c.correct_b + c.spurious_a + c.spurious_b
    rows = [
        ("correct", c.correct_both, c.correct_a, c.correct_b),
        ("spurious", c.spurious_both, c.spurious_a, c.spurious_b),
    ]
    lines = ["              by both   I alone  II alone   I in all  II in all"]
    for name, both, a, b in rows:
        lines.append(f"  {name:<10}{both:>9}{a:>10}{b:>10}{both + a:>11}{both + b:>11}")
    lines.append(f"  {c.possible} relations should be found; {exchanged} responses were given by "
                 "one method")  # fmt: skip
    lines.append("  alone: these go to either method by the toss of a coin.")
    return Section("Responses of methods I and II (modifier relations)", tuple(lines))


def _scores(tests: YehTests) -> Section:
    both = zip(*(each.scores for each in tests.metrics.values()), strict=True)
    rows = [*zip(("I", "II"), both, strict=True),
            ("I - II", [each.difference for each in tests.metrics.values()])]  # fmt: skip
    lines = ["  method    " + "".join(f"{_NAMES[name]:>12}" for name in tests.metrics)]
    for name, scores in rows:
        sign = "+" if name == "I - II" else ""
        lines.append(f"  {name:<10}" + "".join(f"{float(x):>{sign}12.1%}" for x in scores))
    return Section("Scores", tuple(lines))


def _responses(tests: YehTests) -> Section:
    lines = [
        "            better    exact p   exact p   exceedances in 2^20 shuffles",
        "            method  two-sided one-sided  run 1  run 2    expected  published",
    ]
    lines += [_response_row(each) for each in tests.metrics.values()]
    lines += [
        f"  Exact: all 2^{tests.metrics['f1'].one_sided.n} ways of handing out the "
        "responses. Expected: exact p times",
        f"  {SHUFFLES:,}, with its standard deviation; in brackets how many of these the",
        "  published number is away.",
    ]
    return Section("Randomization by response, exact and by shuffles", tuple(lines))


def _response_row(tests: MetricTests) -> str:
    better = "I" if tests.difference > 0 else "II"
    expected = f"{tests.expected:.0f} ± {tests.spread:.0f}"
    published = f"{tests.published} ({tests.published_z:+.1f})"
    return (
        f"  {_NAMES[tests.metric]:<10}{better:<8}{p_text(tests.p):>9}"
        f"{p_text(tests.level):>10}{tests.runs.first:>7}{tests.runs.second:>7}"
        f"{expected:>12}  {published}"
    )


def _classical(tests: YehTests) -> Section:
    metrics = tests.metrics
    rows = [
        ("precision", "chi-square", "independent", "chi_square"),
        ("", "chi-square, Yates", "independent", "yates"),
        ("", "by response, exact", "paired", ""),
        ("recall", "two-sample t", "independent", "two_sample_t"),
        ("", "binomial", "independent", "binomial"),
        ("", "matched-pair t", "paired", "matched_t"),
        ("", "sign", "paired", "sign"),
        ("", "by response, exact", "paired", ""),
    ]
    exact = [metrics["precision"].p, metrics["recall"].p]
    lines = ["              test                takes methods for   statistic   two-sided p"]
    for metric, test, kind, name in rows:
        p = tests.p(name) if name else exact.pop(0)
        statistic = f"{getattr(tests, name).statistic:.2f}" if name else ""
        statistic = f"{COUNTS.correct_a} : {COUNTS.correct_b}" if name == "sign" else statistic
        lines.append(f"  {metric:<12}{test:<20}{kind:<20}{statistic:>9}{p_text(p):>14}")
    lines.append(
        f"  r12 of the two methods' hits: {tests.r12:.4f}; assuming independence overstates"
    )
    lines.append(f"  the standard deviation of the difference {tests.inflation:.2f} times.")
    return Section("Beside it: tests that assume independence, and tests that do not", tuple(lines))


def _inflations() -> Section:
    lines = ["  r12     s_d / s_d-ind          s_d-ind / s_d", "          published     ours     "
             "published     ours"]  # fmt: skip
    for r12, below, above in INFLATIONS:
        factor = inflation(r12, 1.0, 1.0)
        lines.append(f"  {r12:.2f}{below:>13}{1 / factor:>9.3f}{above:>14}{factor:>9.2f}")
    return Section("How much assuming independence inflates the standard deviation", tuple(lines))


def _correlations(tests: YehTests) -> Section:
    lines = [
        "                     items   pairs  r12 above 0   least  median   most   inflation",
        "                                                                      (median)",
    ]
    for each in tests.correlations:
        r12 = sorted(each.r12)
        lines.append(
            f"  {each.items:<18}{each.number:>6,}{len(r12):>8}{each.positive:>13}{r12[0]:>8.2f}"
            f"{median(r12):>8.2f}{r12[-1]:>7.2f}{median(each.inflations):>12.2f}"
        )
    lines += ["", "  neighbours' differences      correlated more than chance      median"]
    for each in tests.correlations:
        lines.append(
            f"  {each.items:<18}{each.dependent:>17} of {len(each.r12):<17}"
            f"{median(each.neighbours):>9.2f}"
        )
    lines.append("  Recall of all pairs of MUC-4's systems, on items with something to find.")
    return Section("r12 and neighbours, on the pairs at hand (sections 2.1 and 4)", tuple(lines))


def _groups(tests: YehTests) -> Section:
    lines = ["     r   five alike    sign test, by item   exact, by group"]
    for each in tests.grouped:
        alike = all_on_one_side(each.correlation)
        lines.append(
            f"  {each.correlation:>4g}{alike:>13.4f}{each.by_item:>22.1%}{each.by_group:>18.1%}"
        )
    lines += [
        f"  A true null rejected at .05: {GROUPS} groups of {FLIPS} items, of which two in a group",
        "  have correlation r; and the chance that all five land on a particular side.",
    ]
    return Section("Items that depend on each other (section 4)", tuple(lines))
