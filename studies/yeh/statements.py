"""The statements of Yeh (2000) that can be checked from its counts."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final

from studies.core import LARGEST_RUN_Z, Statement
from studies.yeh.coins import CORRELATIONS, FLIPS, GROUPS, all_on_one_side, four_or_one
from studies.yeh.independent import inflation
from studies.yeh.tests import COUNTS, INFLATIONS, SHUFFLES, MetricTests, YehTests, defined
from tellapart.report.text import p_text

PAPER: Final = "Yeh 2000"
_LEVEL: Final = 0.05
_DIGITS: Final = "to the digits printed"


def statements(tests: YehTests) -> Iterator[Statement]:
    """Return all statements, checked, in the order of the paper."""
    yield from _independence(tests)
    yield from _chi_square(tests)
    yield from _example(tests)
    yield from _trials(tests)
    yield from _coins(tests)


def _independence(tests: YehTests) -> Iterator[Statement]:
    factors = [inflation(r12, 1.0, 1.0) for r12, *_ in INFLATIONS]
    published = "; ".join(f"{below}, {above}" for _, below, above in INFLATIONS)
    ours = "; ".join(f"{1 / factor:.3f}, {factor:.2f}" for factor in factors)
    yield Statement(
        PAPER, "section 2.1", "With r12 = 0.38, 0.50 and 0.80 the standard deviation of the "
        "difference is this part of what it is under independence; and its inverse.", published,
        ours, _DIGITS, ours == published,
    )  # fmt: skip
    messages = tests.correlations[0]
    yield Statement(
        PAPER, "section 2.1", "r12 was 0.29 to 0.53 in nine of ten comparisons, with median 0.38, "
        "and positive in all of 40 others: results that are compared are usually positively "
        "correlated.", "49 of 50 positive",
        f"{messages.positive} of {len(messages.r12)} pairs positive, median "
        f"{median(messages.r12):.2f}, least {min(messages.r12):.2f}",
        f"Recall of MUC-4's systems by message. The paper's example has {tests.r12:.2f}; it has no "
        "counts of the others.", 2 * messages.positive > len(messages.r12), qualified="other",
    )  # fmt: skip
    by_kind = tests.correlations[2:]
    yield Statement(
        PAPER, "section 2.1", "So it is by subsets of relations, as of one kind of modifier.",
        "9 of 10 subsets, 0.29 to 0.53",
        "; ".join(f"{each.items} {median(each.r12):.2f}" for each in by_kind) or "-",
        "Medians over the pairs of MUC-4's systems, by kind of slot."
        if by_kind else "Slots need raw files, --data.",
        all(median(each.r12) > 0 for each in by_kind) if by_kind else None, qualified="other",
    )  # fmt: skip
    half = inflation(0.5, 1.0, 1.0)
    yield Statement(
        PAPER, "section 2.1", "With r12 = 0.50 a difference must be about so much larger to look "
        "as significant.", "41%", f"{half - 1:.0%}", _DIGITS, f"{half - 1:.0%}" == "41%",
    )  # fmt: skip
    assumed = {name: tests.p(name) for name in ("two_sample_t", "binomial")}
    paired = {name: tests.p(name) for name in ("matched_t", "sign")}
    yield Statement(
        PAPER, "sections 2.1, 3.1", "Tests that assume independence make a difference look less "
        "significant than tests of matched pairs.", "on positively correlated methods",
        f"recall: t {p_text(assumed['two_sample_t'])}, binomial {p_text(assumed['binomial'])}; "
        f"matched t {p_text(paired['matched_t'])}, sign {p_text(paired['sign'])}",
        "two-sided p on the example", min(assumed.values()) > max(paired.values()),
    )  # fmt: skip


def _chi_square(tests: YehTests) -> Iterator[Statement]:
    c = COUNTS
    table = [c.correct_both + c.correct_a, c.spurious_both + c.spurious_a,
             c.correct_both + c.correct_b, c.spurious_both + c.spurious_b]  # fmt: skip
    yield Statement(
        PAPER, "section 2.2", "Method 1 has 47 right and 48 spurious answers, method 2 has 25 and "
        "14: a precision of 49% and 64%.", "47 48 49%, 25 14 64%",
        f"{table[0]} {table[1]} {table[0] / (table[0] + table[1]):.0%}, "
        f"{table[2]} {table[3]} {table[2] / (table[2] + table[3]):.0%}",
        "from the counts of section 3.3", table == [47, 48, 25, 14],
    )  # fmt: skip
    statistic, p = f"{tests.chi_square.statistic:.2f}", tests.p("chi_square")
    yield Statement(
        PAPER, "section 2.2", "Chi-square of these is 2.38, with a chance of 10% to 20%.",
        "2.38; 10% to 20%", f"{statistic}; {p:.1%}", _DIGITS,
        statistic == "2.38" and 0.1 <= p <= 0.2,
    )  # fmt: skip
    yates = tests.p("yates")
    yield Statement(
        PAPER, "section 2.2, note 3", "Yates' adjustment would have made it worse.", "a larger p",
        f"{p_text(yates)} instead of {p_text(p)}", "", yates > p,
    )  # fmt: skip
    precision = tests.metrics["precision"]
    yield Statement(
        PAPER, "section 2.2", "By randomization, two-sided, such a difference in precision has a "
        "chance of less than 4%.", "less than 4%",
        f"{precision.p:.4%} exactly; {defined(tests.precision_shuffles):.2%} by 2^20 "
        "shuffles", "So close to 4% that a million shuffles cannot tell on which side; the exact "
        "test can.", precision.p < 0.04, "the exact test",
    )  # fmt: skip
    yield Statement(
        PAPER, "section 2.2", "So chi-square does not call the difference unusual at 5%, and "
        "randomization does.", "10% to 20% against 4%",
        f"{p:.1%} against {precision.p:.1%}", "",
        precision.p <= _LEVEL < p,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 2.2", "A one-sided test gives 3% instead of 4%.", "3%",
        f"{precision.level:.2%} exactly", "Fair coins favour neither method, so that one "
        "side has half of the chance of both: the published 3% and 4% exclude each other.",
        f"{precision.level:.0%}" == "3%",
    )  # fmt: skip


def _example(tests: YehTests) -> Iterator[Statement]:
    scores = zip(*(each.scores for each in tests.metrics.values()), strict=True)
    first, second = (", ".join(f"{float(score):.1%}" for score in each) for each in scores)
    ours = f"I {first}; II {second}"
    published = "I 45.6%, 49.5%, 47.5%; II 24.3%, 64.1%, 35.2%"
    yield Statement(
        PAPER, "section 3.3", "Recall, precision and F of the two methods.", published, ours,
        _DIGITS, ours == published,
    )  # fmt: skip
    yield Statement(
        PAPER, "sections 2.2, 3.3", "The methods' hits are correlated.", "r12 = 0.35",
        f"r12 = {tests.r12:.4f}", _DIGITS, f"{tests.r12:.2f}" == "0.35",
    )  # fmt: skip
    shuffled = tests.metrics["f1"].one_sided.n
    cells = (COUNTS.correct_a + COUNTS.correct_b + 1) * (COUNTS.spurious_a + COUNTS.spurious_b + 1)
    yield Statement(
        PAPER, "section 3.3", "86 relations were found by one method only.", "28+6+43+9 = 86",
        str(shuffled), "", shuffled == 86,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 3.3", "86 are too many for an exact randomization.", "2^20 random trials",
        f"all 2^{shuffled} counted", f"Scores depend only on how many correct and spurious "
        f"responses a method gets: {cells:,} cells with binomial weights are all there is.",
        False, "the exact test",
    )  # fmt: skip


_COUNTED: Final = {
    "recall": ("I's recall is ahead by as much in 96 of 2^20 trials: a level of 0.00009.", 5),
    "f1": ("I's F is ahead by as much in 14794 of 2^20 trials: a level of 0.014.", 3),
    "precision": ("II's precision is ahead by as much in 25770 of 2^20 trials: a level of 0.025.",
                  3),
}  # fmt: skip


def _trials(tests: YehTests) -> Iterator[Statement]:
    for metric, (claim, digits) in _COUNTED.items():
        yield _count(tests.metrics[metric], claim, digits)
    apart = {name: each.runs.z for name, each in tests.metrics.items()}
    yield Statement(
        PAPER, "section 3.3", "A second run of as many trials produces similar results.",
        "similar", "; ".join(f"{name}: {each.runs.first} and {each.runs.second}"
                             for name, each in tests.metrics.items()),
        f"at most {max(map(abs, apart.values())):.1f} standard deviations apart",
        all(each.runs.agree for each in tests.metrics.values()),
    )  # fmt: skip
    recall, sign = tests.metrics["recall"].level, tests.p("sign") / 2
    yield Statement(
        PAPER, "section 3.3", "So does a sign test on recall.", "similar",
        f"{p_text(sign)} against {p_text(recall)}, one-sided",
        "For recall the exact test by response is the sign test.", abs(recall - sign) < 1e-15,
    )  # fmt: skip
    levels = {name: each.level for name, each in tests.metrics.items()}
    yield Statement(
        PAPER, "section 3.3", "All three differences are significant.", "0.00009, 0.025, 0.014",
        ", ".join(p_text(p) for p in levels.values()),
        "exact, one-sided, at 0.05; two-sided too", all(
            each.p <= _LEVEL for each in tests.metrics.values()
        ),
    )  # fmt: skip


def _count(tests: MetricTests, claim: str, digits: int) -> Statement:
    """Return whether a published number of exceedances is what the exact test expects."""
    level = (tests.published + 1) / (SHUFFLES + 1)
    return Statement(
        PAPER,
        "section 3.3",
        claim,
        f"{tests.published}; {level:.{digits}f}",
        f"{tests.runs.first} in our run, {tests.expected:.0f} expected; "
        f"{tests.level:.{digits + 1}f} exactly",
        f"The published number is {abs(tests.published_z):.1f} standard deviations "
        f"{'above' if tests.published_z > 0 else 'below'} the expected one; up to "
        f"{LARGEST_RUN_Z} count as agreement.",
        abs(tests.published_z) <= LARGEST_RUN_Z,
    )


def _coins(tests: YehTests) -> Iterator[Statement]:
    """Return statements on flips that depend on each other, as items of a test may."""
    fair = all_on_one_side(0.0)
    yield Statement(
        PAPER, "section 4", "Five flips of a fair coin all land on a particular side with a chance "
        "of 1/32.", "1/32", f"1/{1 / fair:g}", "", fair == 1 / 32,
    )  # fmt: skip
    chances = {r: all_on_one_side(r) for r in CORRELATIONS}
    r, none = four_or_one()
    yield Statement(
        PAPER, "section 4", "When the flips are positively correlated, these chances increase.",
        "increase", "; ".join(f"{_share(p)} with r = {r:g}" for r, p in chances.items())
        + f"; but {none:g} with r = {r:g}",
        "The first are flips that share a chance, as items of one text do. In the last four or one "
        "of five land on a side: correlation alone does not make five alike more likely.",
        min(*chances.values(), none) > fair,
    )  # fmt: skip
    again = [(1 + r) / 2 for r in CORRELATIONS]
    yield Statement(
        PAPER, "section 4", "When the first flip lands on a side, the chances of the others to do "
        "so are each greater than 1/2.", "greater than 1/2",
        ", ".join(f"{each:g}" for each in again), "(1 + r) / 2, which is what being correlated "
        "means for fair coins.", min(again) > 0.5, qualified="weak",
    )  # fmt: skip
    near = tests.correlations[1:2] or tests.correlations[:1]
    yield Statement(
        PAPER, "section 4", "Instances of a test set that are near each other, as in one text, may "
        "depend on each other.", "yet to be dealt with",
        "; ".join(f"{each.items}: neighbours go together in {each.dependent} of {len(each.r12)} "
                  f"pairs, r = {median(each.neighbours):.2f}" for each in near),
        "Differences in recall of MUC-4's systems, from one item to the next; by chance it would "
        "be 2 or 3 of 100.", all(10 * each.dependent > len(each.r12) for each in near),
        qualified="other",
    )  # fmt: skip
    worst = tests.grouped[-1]
    shown = "; ".join(f"{each.by_item:.1%} with r = {each.correlation:g}"
                      for each in tests.grouped)  # fmt: skip
    yield Statement(
        PAPER, "section 4", "One needs to determine the dependencies for accurate chances; what "
        "they do is yet to be determined.", "yet to be done",
        f"a sign test of {GROUPS} groups of {FLIPS} items rejects a true null at .05 in {shown}; "
        f"with whole groups exchanged in {worst.by_group:.1%}",
        f"The first exactly, the last in {worst.sets:,} sets with r = {worst.correlation:g}.",
        None, "exchanging whole groups",
    )  # fmt: skip


def _share(p: float) -> str:
    return f"1/{1 / p:.1f}"
