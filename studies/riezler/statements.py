"""The statements of Riezler and Maxwell (2005), and what comes out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Final

from studies.core import Qualified, Statement
from studies.riezler.levels import experimentwise_error, per_comparison_level
from studies.riezler.material import LABELS
from studies.riezler.null_pairs import FOLDED, RANDOMIZATION, SIGNED, folded_rate
from studies.riezler.parametric import Rates, T
from studies.riezler.reranking import BASELINE, EQUIVALENT, FIRST
from studies.riezler.runs import (
    LEVEL,
    TABLE_1,
    TABLE_2,
    ListRuns,
    Runs,
    chance_of_all,
    differences_needed,
    shared_error,
)
from tellapart.counts import Counts
from tellapart.result import compare
from tellapart.stats.paired import mcnemar

PAPER: Final = "Riezler and Maxwell 2005"
_DIGITS: Final = "to the digits printed"
_FAR: Final = 2.0  # standard errors, of the rows of the table in the middle
_SMALLER: Final = 0.75  # what is called smaller: half way from one half to the same
_SMALL_BLEU: Final = 0.3
_SYSTEMS: Final = 15
_AS_POWERFUL: Final = 0.02  # less power than this is not looked at
_NO_LISTS: Final = "The outputs are not public; asked of n-best lists by `studies translate`."
_ENOUGH: Final = 5  # pairs that one metric alone tells apart; with fewer, nothing could be shown


def statements(runs: Runs) -> Iterator[Statement]:
    """Return all statements, checked, in the order of the paper."""
    yield from _table_1(runs)
    yield from list_statements(None)
    yield from _power(runs)
    yield _loops()
    yield from _table_2()
    yield from _errors(runs)
    yield from _levels()
    yield from _many()


def _table_1(runs: Runs) -> Iterator[Statement]:
    gains = [f"{TABLE_1['nist'][1] - TABLE_1['nist'][0]:+.2f}"]
    gains += [f"{100 * (TABLE_1[name][1] - TABLE_1[name][0]):+.1f}" for name in ("bleu", "f1")]
    yield Statement(
        PAPER, "section 3, table 1", "Reranking gains .15 in NIST and loses .3% in BLEU and .2% in "
        "F.", "+0.15, -0.3, -0.2", ", ".join(gains), "points, from the scores of the table",
        gains == ["+0.15", "-0.3", "-0.2"],
    )  # fmt: skip
    yield _more_sensitive(runs)
    near = [each for each in runs.of("bleu") if abs(each.difference) <= _SMALL_BLEU]
    different = sum(each.told_apart(RANDOMIZATION) for each in near)
    yield Statement(
        PAPER, "section 3", "A difference of .3% in BLEU may be too small to be significant.",
        "p = .158 on 2000 sentences",
        f"{different} of {len(near)} pairs up to {_SMALL_BLEU:g} apart are told apart"
        if near else f"no two systems are within {_SMALL_BLEU:g}",
        f"{_what(runs)}, randomization at .05", different < len(near) if near else None,
        qualified=None if runs.material.real else "generated",
    )  # fmt: skip


_LIST_CLAIMS: Final = (
    ("section 3, table 1", "The difference in NIST is significant, those in BLEU and F are not: p "
     "is below .0001, .158 and .424.", "< .0001, .158, .424"),
    ("section 3, table 1", "The bootstrap decides the same: p is below .0001 for NIST, and .1 "
     "instead of .158 for BLEU; none is given for F.", "< .0001, .1, -"),
    ("section 4.3, table 2", "For systems that differ in redundant features alone, the bootstrap's "
     "p is smaller than that of randomization.", "5 of 5, ratios .46 to .56"),
)  # fmt: skip


def list_statements(runs: ListRuns | None) -> Iterator[Statement]:
    """Return what becomes of tables 1 and 2 on reranked n-best lists, if there are any."""
    if runs is None:
        for claim in _LIST_CLAIMS:
            yield Statement(PAPER, *claim, "-", _NO_LISTS, None)
        return
    half = f"On {len(runs.reranking.counts.items):,} sentences of {runs.lists.name}"
    remark = f"{half}. No relations are at hand, so F is not tested."
    table_1 = (_only_nist(runs), _bootstrap_row(runs))
    if not any(runs.trial(metric, BASELINE).difference for metric in runs.metrics):
        table_1 = (("both choose the same", None),) * 2
    answers = (*table_1, _equals(runs))
    remarks = (remark, remark, f"{half}, five rerankers with as many features as system 1.")
    for claim, (ours, holds), said in zip(_LIST_CLAIMS, answers, remarks, strict=True):
        qualified: Qualified = "other" if runs.lists.real else "generated"
        yield Statement(PAPER, *claim, ours, said, holds, qualified=qualified)


Answer = tuple[str, bool | None]
"""What comes out, in words; and whether it is what the paper says"""


def _only_nist(runs: ListRuns) -> Answer:
    """Return table 1's row of randomization."""
    trials = [runs.trial(metric, BASELINE) for metric in runs.metrics]
    shown = ", ".join(
        f"{LABELS[each.metric]} {each.seen_from(FIRST):+.3f} ({_p(each.p[RANDOMIZATION])})"
        for each in trials
    )
    apart = {each.metric for each in trials if each.told_apart(RANDOMIZATION)}
    return shown, apart == {"nist"}


def _bootstrap_row(runs: ListRuns) -> Answer:
    """Return table 1's row of the bootstrap: the same decisions, a smaller p."""
    trials = [runs.trial(metric, BASELINE) for metric in runs.metrics]
    shown = ", ".join(
        f"{LABELS[each.metric]} {_p(each.p[FOLDED])} (randomization {_p(each.p[RANDOMIZATION])})"
        for each in trials
    )
    same = all(each.told_apart(FOLDED) == each.told_apart(RANDOMIZATION) for each in trials)
    # Of the smallest p-values neither test has any digits.
    smaller = all(each.p[FOLDED] < each.p[RANDOMIZATION] for each in trials
                  if not each.told_apart(RANDOMIZATION))  # fmt: skip
    return shown, same and smaller


def _equals(runs: ListRuns) -> Answer:
    """Return table 2, of our own equal systems."""
    trials = [runs.trial("nist", name) for name in EQUIVALENT]
    apart = [each for each in trials if each.difference]
    if not apart:
        return "all six choose the same", None
    folded, signed = (
        [each.p[test] / each.p[RANDOMIZATION] for each in apart] for test in (FOLDED, SIGNED)
    )
    smaller = sum(ratio < 1 for ratio in folded)
    shown = (
        f"{smaller} of {len(apart)}, ratios {min(folded):.2f} to {max(folded):.2f}; without "
        f"folding {min(signed):.2f} to {max(signed):.2f}"
    )
    return shown, smaller == len(apart)


def _p(p: float) -> str:
    return f"{p:.4f}".removeprefix("0")


def _what(runs: Runs) -> str:
    kind = "real" if runs.material.real else "generated"
    return f"{len(runs.scores)} {kind} systems, {len(runs.material.counts.items)} segments"


def _more_sensitive(runs: Runs) -> Statement:
    others = [metric for metric in runs.metrics if metric != "nist"]
    alone = {metric: _different_by_one("nist", metric, runs) for metric in others}
    different = ", ".join(f"{LABELS[name]} {runs.count_told_apart(name)}" for name in runs.metrics)
    by_one = "; ".join(f"by NIST and not by {LABELS[name]} {first}, the reverse {second}"
                      for name, (first, second) in alone.items())  # fmt: skip
    remark = f"{_what(runs)}, at .05. "
    if runs.material.real:
        remark += (
            "It is consistent if NIST is alone more often than a coin would make it. Pairs share "
            "systems and segments, so that no count of pairs shows it."
        )
    else:
        remark += "Generated systems show that it can be so, not that it is: bring real ones."
    enough = all(first + second >= _ENOUGH for first, second in alone.values())
    more = enough and all(_more_often(first, second) for first, second in alone.values())
    return Statement(
        PAPER, "section 3", "NIST is more sensitive to small differences than BLEU or F.",
        "only NIST's difference is significant",
        f"told apart of {len(runs.of('nist'))} pairs: {different}; {by_one}", remark,
        True if runs.material.real and more else None,
        qualified=("weak" if more else "open") if runs.material.real else None,
    )  # fmt: skip


def _more_often(first: int, second: int) -> bool:
    """Whether one metric is alone more often than the other, by a sign test."""
    p = mcnemar(first, second, alternative="greater").p
    return p is not None and p <= LEVEL


def _different_by_one(first: str, second: str, runs: Runs) -> tuple[int, int]:
    """Return how many pairs one metric tells apart and the other does not, both ways."""
    both = [(one.told_apart(RANDOMIZATION), other.told_apart(RANDOMIZATION))
            for one, other in zip(runs.of(first), runs.of(second), strict=True)]  # fmt: skip
    return both.count((True, False)), both.count((False, True))


def _loops() -> Statement:
    draws = 999
    same = Counts.from_arrays({"X": [1, 0, 1, 1, 0, 1, 1], "Y": [1, 0, 1, 1, 0, 1, 1]})
    p = compare(same, test="shuffle", shuffles=draws, intervals=False).pairs[0].p
    assert p is not None
    printed = (draws + 2) / (draws + 1)
    return Statement(
        PAPER, "figures 1 and 2", "Shuffles are numbered 0 to R, and p = (c + 1) / (R + 1).",
        "r = 0, ..., R; p = (c + 1) / (R + 1)",
        f"a system and its copy would have p = {printed:.3f} with R = {draws}; p = {p:g} if R are "
        "drawn", "So many are R + 1, and p can exceed 1; R are drawn here.", printed <= 1,
    )  # fmt: skip


def _power(runs: Runs) -> Iterator[Statement]:
    """Return the statements on power, from simulated sets."""
    met = [each for each in runs.parametric if each.world.met]
    worst = min(each.gain for each in met)
    yield Statement(
        PAPER, "section 4", "Such tests are as powerful as parametric ones when their assumptions "
        "are met.", "as powerful",
        "; ".join(f"{_rates(each)} ({each.world.name})" for each in met),
        f"power of t and of randomization, {met[0].sets:,} sets; up to {_AS_POWERFUL:.0%} less "
        "counts as the same", worst >= -_AS_POWERFUL,
    )  # fmt: skip
    other = [each for each in runs.parametric if not each.world.met]
    fair = [
        each
        for each in other
        if max(each.level[T], each.level[RANDOMIZATION]) <= LEVEL + _FAR * _level_error(each)
    ]
    yield Statement(
        PAPER, "section 4", "They outperform parametric tests when the assumptions are violated.",
        "outperform", "; ".join(f"{_rates(each)} ({each.world.name})" for each in other),
        "Of power, only where both keep their level: skewed differences are found too often by "
        "either test.",
        all(each.gain > _FAR * each.gain_error for each in fair) if fair else None,
    )  # fmt: skip


def _rates(each: Rates) -> str:
    return f"{each.power[T]:.1%} and {each.power[RANDOMIZATION]:.1%}"


def _level_error(each: Rates) -> float:
    return math.sqrt(LEVEL * (1 - LEVEL) / each.sets)


def _table_2() -> Iterator[Statement]:
    shuffled, resampled = [row[2] for row in TABLE_2], [row[3] for row in TABLE_2]
    low = sum(p < 0.015 for p in resampled)
    yield Statement(
        PAPER, "section 4.3", "The bootstrap gives p < .015 in 3 out of 5 pairs of equivalent "
        "systems, randomization p ≥ .025 in all.", "3; .025",
        f"{low}; {min(shuffled):.3f}".replace("0.", "."), "from the p-values of table 2",
        low == 3 and min(shuffled) >= 0.025,
    )  # fmt: skip
    chance = chance_of_all(len(TABLE_2), max(shuffled))
    yield Statement(
        PAPER, "section 4.3", "Assuming that the systems are equivalent, these are type-I errors.",
        "p = .025 to .079 by randomization", f"a chance of {chance:.1%} that all five are so small",
        "If the systems were equal, and their scores normal and independent. Systems with outputs "
        "in common are not independent, nor need they be equal; their outputs are not public.",
        None,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 4.3", "Type-I errors are failures to reject a null hypothesis that is "
        "true.", "failures to reject", "rejections of a null hypothesis that is true",
        "A slip; the paper goes on with the right meaning.", False,
    )  # fmt: skip


def _errors(runs: Runs) -> Iterator[Statement]:
    ratios = [r for each in runs.null_tests if (r := each.median_ratio(FOLDED)) is not None]
    published = [b / a for _, _, a, b in TABLE_2]
    if ratios:
        yield Statement(
            PAPER, "section 4.3", "Randomization estimates p more conservatively than the "
            "bootstrap of figure 2.",
            f"bootstrap p / randomization p {min(published):.2f} to {max(published):.2f}, median "
            f"{median(published):.2f}",
            f"medians on null pairs with small p: {min(ratios):.2f} to {max(ratios):.2f}",
            "figure 2's rule alone makes p about half as large", max(ratios) < _SMALLER,
        )  # fmt: skip
    folded, signed, shuffled = (
        [each.rate(test, LEVEL) for each in runs.null_tests]
        for test in (FOLDED, SIGNED, RANDOMIZATION)
    )
    yield Statement(
        PAPER, "section 4.3", "That makes type-I errors more likely with the bootstrap of "
        "figure 2.",
        "more likely", f"rejected at .05: {_percents(folded)}; randomization {_percents(shuffled)}",
        f"{folded_rate(LEVEL):.1%} in theory; standard error {_error(runs):.1%}",
        median(each.away(FOLDED, LEVEL) for each in runs.null_tests) > _FAR,
    )  # fmt: skip
    above = [math.fsum(rates) / len(rates) - LEVEL for rates in (folded, signed)]
    mostly_rule = above[1] <= above[0] / 2
    yield Statement(
        PAPER, "sections 4 and 5", "The bootstrap is less accurate because it takes the sample for "
        "representative of the population.", "reduced accuracy of the bootstrap",
        f"rejected at .05 if resamples are not folded: {_percents(signed)}",
        "With the same resamples. " + ("Most of the excess is the rule: absolute values are taken "
        "before the shift, which makes the test one-sided. What is left on small sets was not "
        "traced to a cause." if mostly_rule else "Half of the excess or more remains, which was "
        "not traced to a cause."), not mostly_rule, qualified="weak",
    )  # fmt: skip


def _percents(rates: list[float]) -> str:
    return f"{100 * min(rates):.1f} to {100 * max(rates):.1f}%"


def _error(runs: Runs) -> float:
    return math.sqrt(LEVEL * (1 - LEVEL) / min(each.pairs for each in runs.null_tests))


def _levels() -> Iterator[Statement]:
    found = [
        (sum(row[3] <= level for row in TABLE_2), sum(row[2] <= level for row in TABLE_2))
        for level in (0.15, 0.015)
    ]
    yield Statement(
        PAPER, "section 4.3", "At the restrictive level of 0.15 the bootstrap calls 3 of 5 pairs "
        "different, randomization none.", "3 and 0 at 0.15",
        f"{found[0][0]} and {found[0][1]} at .15, {found[1][0]} and {found[1][1]} at .015",
        "A misprint for .015, which section 4.4 has.", found[0] == (3, 0),
    )  # fmt: skip


def _many() -> Iterator[Statement]:
    pairs = math.comb(_SYSTEMS, 2)
    error = experimentwise_error(LEVEL, pairs)
    tenfold = experimentwise_error(LEVEL, 10) / LEVEL
    yield Statement(
        PAPER, "section 4.4", "The chance of a spurious difference grows exponentially in k.",
        "exponentially", f"{tenfold:.1f} times as large for 10 comparisons, "
        f"{error / LEVEL:.1f} times for {pairs}",
        "It grows less than k times: 1 - (1 - p)^k. What falls so is the chance of none.",
        tenfold > 10,
    )  # fmt: skip
    yield Statement(
        PAPER, "section 4.4", "Of 15 systems there are 105 pairs; at .05 each, the experimentwise "
        "error is .9954.", "105; .9954", f"{pairs}; {_p(error)}",
        f"If the comparisons were independent. Pairs share systems: of {_SYSTEMS} equally good "
        f"ones, some pair differs with a chance of {_p(shared_error(_SYSTEMS))}.",
        (pairs, _p(error)) == (105, ".9954"),
    )  # fmt: skip
    needed = differences_needed(_SYSTEMS)
    yield Statement(
        PAPER, "section 4.4", "Where so strict a level would ask for an unrealistically large "
        "difference, the tests of Scheffé or Tukey have to be employed.",
        "such as the Scheffé or Tukey test",
        f"for a pair of {_SYSTEMS} systems, in standard errors: {needed.sidak:.2f} by a stricter "
        f"level, {needed.tukey:.2f} by Tukey, {needed.scheffe:.2f} by Scheffé",
        "Tukey's asks for a little less. Scheffé's is for all contrasts at once, and asks for far "
        "more of a pair.", max(needed.tukey, needed.scheffe) < needed.sidak,
    )  # fmt: skip
    five = experimentwise_error(0.015, len(TABLE_2))
    yield Statement(
        PAPER, "section 4.4", "For 5 comparisons a level of .015 gives an experimentwise error of "
        "about .07.", ".07", f"{_p(five)}; .05 takes a level of "
        f"{_p(per_comparison_level(LEVEL, len(TABLE_2)))}", _DIGITS, f"{five:.2f}" == "0.07",
    )  # fmt: skip
