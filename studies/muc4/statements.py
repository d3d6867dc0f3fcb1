"""What Chinchor (1992) says of TST3 and TST4, the test sets of MUC-4, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from studies.core import LARGEST_RUN_Z, Statement, standard_errors
from studies.muc4.raw_files import TST3, TST4, irrelevant
from studies.muc4.runs import (
    ALPHA,
    CONFIDENCE,
    FEWER_SHUFFLES,
    METRICS,
    SHUFFLES,
    Runs,
    Trial,
    quality,
    spread,
)
from tellapart.counts import Counts
from tellapart.formats.reading import example
from tellapart.formats.templates.tally import F_WEIGHTS, f_measure, percent
from tellapart.report.text import p_text
from tellapart.result import compare
from tellapart.stats.shuffles import confidence

PAPER: Final = "Chinchor 1992"
_DIGITS: Final = "to the digits printed"
_BOTH: Final = "by 9,999 shuffles with confidence 0.99, and exactly"
_EXACT: Final = "the exact test"


def statements(runs: Runs) -> Iterator[Statement]:
    """Return the statements that the paper makes of this test set, in its order.

    Of other messages than those of TST3 and TST4 it says nothing.
    """
    if runs.results.test_set == TST3:
        yield from _of_tst3(runs)
    else:
        yield from _one_message_and_all()
    yield from _of_tst4(runs)


def _of_tst3(runs: Runs) -> Iterator[Statement]:
    yield _more_shuffles(runs)
    yield _lower_cutoffs(runs)
    yield from _one_message_and_all()
    yield _rounded(runs)
    yield from _recall(runs)
    yield from _precision(runs)
    yield from _mdc_paramax_sra(runs)
    yield from _ge_and_others(runs)
    yield _no_threshold(runs)


def _of_tst4(runs: Runs) -> Iterator[Statement]:
    """Return what is said of TST4: checked on its own results, with TST3's, which are built in."""
    claim = "TST4 has fewer irrelevant messages than TST3."
    there = irrelevant(example("muc4"))
    if runs.results.test_set == TST4:
        here = irrelevant(runs.counts)
        yield Statement(
            PAPER, "p. 43", claim, "fewer", f"{here} and {there}",
            "messages in which no system had anything to find", here < there,
        )  # fmt: skip
    elif runs.results.test_set == TST3:
        yield Statement(
            PAPER, "p. 43", claim, "fewer", f"TST3 has {irrelevant(runs.counts)}",
            "No results of TST4 are at hand; --data names a folder with them.", None,
        )  # fmt: skip
        yield Statement(
            PAPER, "pp. 43-50", "The same on TST4, an earlier period: matrices and groups.",
            "figures 12 to 20", "-", "No results of TST4 are at hand.", None,
        )  # fmt: skip


def _more_shuffles(runs: Runs) -> Statement:
    fewer, more = (quality(runs, shuffles) for shuffles in (FEWER_SHUFFLES, SHUFFLES))
    return Statement(
        PAPER, "p. 32", "9,999 shuffles give slightly higher confidence than 999.",
        "slightly higher", f"{more.mean_certainty:.4f} instead of {fewer.mean_certainty:.4f}",
        f"mean over {len(runs.trials)} tests, at 0.10", more.mean_certainty > fewer.mean_certainty,
    )  # fmt: skip


def _lower_cutoffs(runs: Runs) -> Statement:
    f1 = runs.of("f1")
    differ = [sum(trial.told_apart(level) for trial in f1) for level in (0.1, 0.05, 0.01)]
    return Statement(
        PAPER, "p. 34", "At lower cutoffs than 0.1 too many systems are not different.",
        "too many", f"{differ[0]}, {differ[1]} and {differ[2]} of {len(f1)} pairs differ by "
        "P&R at 0.10, 0.05 and 0.01", "With confidence 0.99. Fewer must differ at lower cutoffs; "
        "what is too many is for the reader to say.", differ[0] > differ[1] > differ[2],
        qualified="weak",
    )  # fmt: skip


def _one_message_and_all() -> Iterator[Statement]:
    """Return statements on the examples A, B, C: 50 messages with answers, and 50 without any.

    The paper of 1993 repeats them (section 4.4); they are counted once.
    """
    place = "pp. 34-35"
    each = {"A": [(15, 5)] * 50, "B": [(15, 5)] * 49 + [(0, 20)], "C": [(18, 2)] * 50}
    arrays = {name: [*rows, *[(0, 0)] * 50] for name, rows in each.items()}
    counts = Counts.from_arrays(arrays, columns=["tp", "fp"])
    result = compare(
        counts, metrics="precision", test="exact", alpha=ALPHA, correction="none", intervals=False
    )
    scores = {system.name: f"{system.scores['precision']:.1%}" for system in result.systems}
    few, many = result.pair("A", "B").p, result.pair("A", "C").p
    assert few is not None
    assert many is not None
    yield Statement(
        PAPER, place, "A has 15 of 20 right on each of 50 messages, B the same but 0 of 20 on one: "
        "the level is 1.", "75%, 73.5%; 1.0", f"{scores['A']}, {scores['B']}; {p_text(few)}",
        "exact", (scores["A"], scores["B"], few) == ("75.0%", "73.5%", 1.0),
    )  # fmt: skip
    yield Statement(
        PAPER, place, "C has 18 of 20 right on each: the level of A and C is extremely close to "
        "zero.", "close to zero", f"{p_text(many)}, that is 2 of 2^50 exchanges", "exact",
        many == 2.0**-49,
    )  # fmt: skip


def _rounded(runs: Runs) -> Statement:
    """F from whole percentages, as the official reports have it, beside F from the counts."""
    totals = dict(zip(runs.counts.names, runs.counts.values.sum(axis=1).tolist(), strict=True))
    place = {name: i for i, name in enumerate(runs.counts.columns)}
    official = {}
    for name, sums in totals.items():
        pos, act, cor, par = (sums[place[column]] for column in ("pos", "act", "cor", "par"))
        recall, precision = (percent(cor, par, of) or 0 for of in (pos, act))
        official[name] = f_measure(recall, precision, F_WEIGHTS["P&R"])
    apart = [abs(float(f) - runs.score(name, "f1")) for name, f in official.items()]
    return Statement(
        PAPER, "p. 35", "F-measures here differ slightly from those of the official reports, which "
        "are worked out from whole percentages.", "slightly",
        f"by up to {max(apart):.2f} points; GE {runs.score('GE', 'f1'):.2f} and {official['GE']}",
        "both from the same counts", 0 < max(apart) < 1,
    )  # fmt: skip


def _recall(runs: Runs) -> Iterator[Statement]:
    low, next_higher = runs.score("SYNCH", "recall"), runs.score("USC", "recall")
    ours = f"{low:.1f}, {next_higher:.1f}; {next_higher - low:.1f}"
    yield Statement(
        PAPER, "p. 42", "UMBC/ConQuest's recall is 2.5, the next higher is USC's 6.6: 4.1 points "
        "apart.", "2.5, 6.6; 4.1", ours, _DIGITS,
        ours == "2.5, 6.6; 4.1" and runs.ranking("recall")[-2:] == ["USC", "SYNCH"],
    )  # fmt: skip
    yield _pair(runs, "p. 42", "recall", "SYNCH", "USC", "Yet these two differ.", different=True)
    four = ("MDC", "NMSU", "LSI", "SRA")
    scores = [runs.score(name, "recall") for name in four]
    ours = f"{', '.join(f'{score:.1f}' for score in scores)}; {scores[-1] - scores[0]:.1f}"
    published = "20.4, 21.9, 23.0, 26.9; 6.5"
    yield Statement(
        PAPER, "p. 42", "The recall of MDC, NMSU/Brandeis, LSI and SRA, with a spread of 6.5.",
        published, ours, _DIGITS, ours == published,
    )  # fmt: skip
    groups = [
        next((each for each in reversed(found.groups["recall"]) if len(each) > 1), [])
        for found in (runs.shuffled, runs.exact)
    ]
    yield Statement(
        PAPER, "p. 42", "Yet these four cannot be told apart: from below, they are the first group "
        "of more than one.", "a group of four", ", ".join(reversed(groups[1])), _BOTH,
        all(set(group) == set(four) for group in groups),
    )  # fmt: skip


def _precision(runs: Runs) -> Iterator[Statement]:
    precision = f"{runs.score('SYNCH', 'precision'):.1f}"
    of_it = [trial for trial in runs.of("precision") if "SYNCH" in (trial.a, trial.b)]
    alike = [
        sorted(trial.exact.other("SYNCH") for trial in of_it if not trial.told_apart(ALPHA)),
        sorted(trial.exact.other("SYNCH") for trial in of_it if trial.p > ALPHA),
    ]
    yield Statement(
        PAPER, "p. 42", "UMBC/ConQuest's precision of 20.8 cannot be told from that of seven "
        "others.", "20.8; seven", f"{precision}; {len(alike[1])}: {', '.join(alike[1])}", _BOTH,
        precision == "20.8" and len(alike[0]) == 7 and alike[0] == alike[1],
    )  # fmt: skip
    parts = [
        sorted(set(group) - {"SYNCH"})
        for group in runs.exact.groups["precision"]
        if "SYNCH" in group
    ]
    yield Statement(
        PAPER, "p. 42", "The seven divide into groups of their own.", "groups",
        "; ".join(" ".join(part) for part in parts), "exact", len(parts) > 1,
    )  # fmt: skip
    column = runs.counts.columns.index("act")
    actual = dict(
        zip(runs.counts.names, runs.counts.values[:, :, column].sum(axis=1).tolist(), strict=True)
    )
    fewest = sorted(actual, key=lambda name: actual[name])[:2]
    yield Statement(
        PAPER, "p. 42", "The reason is that it gave so few answers.", "a low number of actuals",
        f"{actual['SYNCH']}; the next fewest are {actual[fewest[1]]:,} of {fewest[1]}",
        "That it gave the fewest is so; that this is the reason was not tested.",
        fewest[0] == "SYNCH", qualified="weak",
    )  # fmt: skip


def _f(runs: Runs, place: str, published: dict[str, str]) -> Statement:
    ours = {name: f"{runs.score(name, 'f1'):.2f}" for name in published}
    return Statement(
        PAPER, place, f"F (P&R) of {', '.join(published)}.", ", ".join(published.values()),
        ", ".join(ours.values()), _DIGITS, ours == published,
    )  # fmt: skip


def _mdc_paramax_sra(runs: Runs) -> Iterator[Statement]:
    yield _f(runs, "p. 42", {"MDC": "24.33", "PARAMAX": "29.03", "SRA": "29.33"})
    for a, b, different in (
        ("PARAMAX", "SRA", False), ("MDC", "SRA", False), ("MDC", "PARAMAX", True),
    ):  # fmt: skip
        words = "differ" if different else "cannot be told apart"
        yield _pair(runs, "p. 42", "f1", a, b, f"{a} and {b} {words} by F.", different=different)


def _pair(
    runs: Runs, place: str, metric: str, a: str, b: str, claim: str, *, different: bool
) -> Statement:
    trial = runs.trial(metric, a, b)
    ours = f"p = {p_text(trial.shuffled.p)} by shuffles, {p_text(trial.p)} exactly"
    return Statement(
        PAPER, place, claim, "different" if different else "not different", ours, _BOTH,
        trial.told_apart(ALPHA) == different == (trial.p <= ALPHA),
    )  # fmt: skip


def _ge_and_others(runs: Runs) -> Iterator[Statement]:
    yield _f(runs, "p. 43", {"GE": "56.01", "GE-CMU": "51.98", "UMASS": "51.61"})
    near = runs.trial("f1", "GE", "GE-CMU")
    far = runs.trial("f1", "GE", "UMASS")
    others = runs.trial("f1", "GE-CMU", "UMASS")
    yield _level(near, "GE and GE-CMU", 0.0415)
    yield _level(far, "GE and UMASS", 0.0994)
    yield _level(others, "GE-CMU and UMASS", 0.8918)
    yield Statement(
        PAPER, "p. 43", "GE and GE-CMU differ at 0.05.", "0.0415", f"{p_text(near.p)} exactly",
        "", near.p <= 0.05,
    )  # fmt: skip
    yield Statement(
        PAPER, "p. 43", "GE-CMU and UMASS do not differ even at 0.1.", "0.8918",
        f"{p_text(others.p)} exactly", "", others.p > ALPHA,
    )  # fmt: skip
    yield Statement(
        PAPER, "p. 43", "By their levels GE differs from GE-CMU and from UMASS at 0.1.",
        "0.0415, 0.0994", f"{p_text(near.p)}, {p_text(far.p)} exactly", "",
        max(near.p, far.p) <= ALPHA,
    )  # fmt: skip
    yield from _confidence(far)
    points = [100 * abs(trial.difference) for trial in (near, far)]
    yield Statement(
        PAPER, "p. 43", "GE-CMU is nearer to GE than UMASS is, and yet has the lower level.",
        "0.0415, 0.0994",
        f"{points[0]:.2f}, {points[1]:.2f} points; {p_text(near.p)}, {p_text(far.p)}", "exact",
        points[0] < points[1] and near.p < far.p,
    )  # fmt: skip


def _level(trial: Trial, pair: str, published: float) -> Statement:
    """Return whether a level published from 9,999 shuffles agrees with the exact one."""
    z = standard_errors(published, trial.p, SHUFFLES)
    return Statement(
        PAPER, "p. 43", f"The significance level of {pair} by F.",
        f"{published:.4f}", f"{trial.p:.4f} exactly, {trial.shuffled.p:.4f} by our shuffles",
        f"The published level is {abs(z):.1f} standard errors of 9,999 shuffles "
        f"{'above' if z > 0 else 'below'} the exact one; up to {LARGEST_RUN_Z} count as agreement.",
        abs(z) <= LARGEST_RUN_Z,
    )  # fmt: skip


def _confidence(trial: Trial) -> Iterator[Statement]:
    """Return statements on the confidence printed for GE and UMASS, and what came of it."""
    # A level of 9,999 shuffles is (exceedances + 1) / 10,000.
    as_printed, rounded = (confidence(nge, SHUFFLES, ALPHA) for nge in (993, 989))
    yield Statement(
        PAPER, "p. 43", "The confidence that GE and UMASS differ at 0.1 is 0.635.",
        "0.635 for level 0.0994", f"{as_printed:.3f} for level 0.0994",
        f"0.635 belongs to level 0.0990 ({rounded:.3f}), as if the level had been rounded to three "
        "decimals before it was looked up.", f"{as_printed:.3f}" == "0.635",
    )  # fmt: skip
    different = trial.told_apart(ALPHA)
    sure = confidence(np.arange(SHUFFLES), SHUFFLES, ALPHA) >= CONFIDENCE
    enough = (np.flatnonzero(sure).max() + 1) / (SHUFFLES + 1)
    yield Statement(
        PAPER, "p. 43", "So GE and UMASS cannot be considered different: 0.99 is required.",
        "not different", f"by shuffles {'different' if different else 'not different'} (p = "
        f"{p_text(trial.shuffled.p)}, confidence {trial.shuffled.confidence:.3f}); exactly "
        f"{'different' if trial.p <= ALPHA else 'not different'} (p = {trial.p:.6f})",
        f"Of 9,999 shuffles, confidence {CONFIDENCE} takes a level of {enough:.4f} or less. The "
        "exact level needs no confidence.", not different, _EXACT,
    )  # fmt: skip


def _no_threshold(runs: Runs) -> Statement:
    found = {name: spread(runs, metric) for metric, name in METRICS.items()}
    sizes = {
        name: (
            100 * abs(each.smallest_different.difference),
            100 * abs(each.largest_alike.difference),
        )
        for name, each in found.items()
        if each is not None
    }
    return Statement(
        PAPER, "pp. 35, 42", "No number of points is a threshold: each pair sets its own "
        "conditions.", "cautionary note", "; ".join(
            f"{name}: {different:.1f} told apart, {alike:.1f} not"
            for name, (different, alike) in sizes.items()
        ), "exact, at 0.10; smallest told apart and largest not",
        all(different < alike for different, alike in sizes.values()),
    )  # fmt: skip
