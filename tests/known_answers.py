"""Small tables with known answers: by enumeration in whole numbers, by SciPy, or by hand.

`write_significance` lays them out as the folder of reference figures does, so that one test reads
either. Nothing here uses the package.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

Figures = dict[str, Any]


def write_significance(folder: Path) -> None:
    """Write the answers and the enumerated tables to `folder/significance`."""
    target = folder / "significance"
    target.mkdir(parents=True)
    (target / "expected.json").write_text(json.dumps(answers()))
    (target / "exact-cases.json").write_text(json.dumps({"cases": enumerated_tables()}))


def answers() -> Figures:
    """Return all answers, by subject."""
    return {
        "yeh2000": yeh(),
        "confidence_level": confidence_levels(),
        "multiplicity": multiplicity(),
        "westfall_young_exact": westfall_young(),
        "shift_bootstrap_enumerated": {"cases": list(map(all_resamples, *RESAMPLED))},
        "multi_system_exact": several_systems(),
        "grouping_examples": GROUPINGS,
        "sequential": sequential(),
    }


# The published example of Yeh (2000), section 3.3: two methods that find modifier relations.
YEH: dict[str, int] = {
    "possible": 103, "correct_both": 19, "correct_only_I": 28, "correct_only_II": 6,
    "spurious_both": 5, "spurious_only_I": 43, "spurious_only_II": 9, "responses_shuffled": 86,
}  # fmt: skip
PUBLISHED_BY_YEH = {"recall": 96, "precision": 25_770, "f1": 14_794}


def relation_score(metric: str, correct: int, spurious: int) -> Fraction:
    """Return recall, precision or F1 of so many right and wrong relations."""
    possible, given = YEH["possible"], correct + spurious
    below = {"recall": 2 * possible, "precision": 2 * given, "f1": possible + given}[metric]
    return Fraction(2 * correct, below)


def yeh() -> Figures:
    """Return what is known of the example of Yeh, from its seven counts."""
    right, wrong = 28 + 6, 43 + 9
    metrics, scores = {}, {"I": {}, "II": {}}  # type: tuple[Figures, dict[str, Figures]]
    for metric, published in PUBLISHED_BY_YEH.items():

        def scored(hits: int, errors: int, metric: str = metric) -> tuple[Fraction, Fraction]:
            first = relation_score(metric, 19 + hits, 5 + errors)
            return first, relation_score(metric, 19 + right - hits, 5 + wrong - errors)

        one, two = scored(28, 43)
        observed, sign = one - two, 1 if one >= two else -1
        counts = Counter[str]()
        for hits, errors in product(range(right + 1), range(wrong + 1)):
            ways = math.comb(right, hits) * math.comb(wrong, errors)
            first, second = scored(hits, errors)
            counts["one"] += ways * (sign * (first - second) >= sign * observed)
            counts["two"] += ways * (abs(first - second) >= abs(observed))
        p = counts["one"] / 2**86
        expected, sd = 2**20 * p, math.sqrt(2**20 * p * (1 - p))
        metrics[metric] = {
            "observed_I_minus_II": str(observed),
            "direction_tested": "I better" if sign == 1 else "II better",
            "exact_count_one_sided_of_2_pow_86": str(counts["one"]),
            "exact_count_two_sided_of_2_pow_86": str(counts["two"]),
            "p_one_sided": p,
            "p_two_sided": counts["two"] / 2**86,
            "expected_exceedances_in_1048576": expected,
            "sd_exceedances_in_1048576": sd,
            "published_exceedances": published,
            "published_minus_expected_in_sd": (published - expected) / sd,
        }
        scores["I"][metric], scores["II"][metric] = str(one), str(two)
    return {"inputs": YEH, "scores": scores, "metrics": metrics, **textbook_tests_of_yeh()}


def textbook_tests_of_yeh() -> Figures:
    """Return the textbook tests on the example of Yeh, by SciPy."""
    first = np.repeat([1, 1, 0, 0], [19, 28, 6, 50])
    second = np.repeat([1, 0, 1, 0], [19, 28, 6, 50])
    plain, yates = (
        stats.chi2_contingency([[47, 48], [25, 14]], correction=correction)
        for correction in (False, True)
    )
    sign = {tail: stats.binomtest(28, 34, alternative=tail).pvalue
            for tail in ("two-sided", "greater")}  # fmt: skip
    chi2 = {"chi2": (28 - 6) ** 2 / 34, "chi2_corrected": (28 - 6 - 1) ** 2 / 34}
    pooled = math.sqrt(72 / 206 * 134 / 206 * 2 / 103)
    unpooled = math.sqrt(47 * 56 / 103**3 + 25 * 78 / 103**3)
    z = {"pooled": 22 / 103 / pooled, "unpooled": 22 / 103 / unpooled}
    matched, apart = stats.ttest_rel(first, second), stats.ttest_ind(first, second)
    return {
        "r12": np.corrcoef(first, second)[0, 1],
        "chi_square_precision": {
            "chi2": plain.statistic, "p": plain.pvalue,
            "yates_chi2": yates.statistic, "yates_p": yates.pvalue,
        },
        "sign_test_recall": {"p_one_sided": sign["greater"], "p_two_sided": sign["two-sided"]},
        "mcnemar_recall": {
            "exact_p": sign["two-sided"],
            "mid_p": sign["two-sided"] - stats.binom.pmf(6, 34, 0.5),
            **chi2,
            **{f"{name}_p": stats.chi2.sf(value, 1) for name, value in chi2.items()},
        },
        "binomial_independence_recall": {
            **{f"z_{name}": value for name, value in z.items()},
            **{f"p_two_sided_{name}": 2 * stats.norm.sf(value) for name, value in z.items()},
        },
        "two_sample_t_recall": {"t": apart.statistic, "p_two_sided": apart.pvalue, "df": 204},
        "matched_pair_t_recall": {"t": matched.statistic, "p_two_sided": matched.pvalue, "df": 102},
        "independence_inflation": [
            {"r12": r, "sd_ind_over_sd": 1 / math.sqrt(1 - r)} for r in (0.1, 0.36, 0.75)
        ],
    }  # fmt: skip


def confidence_levels() -> Figures:
    """Return chances that the exact test is significant too, and intervals, as binomial tails."""
    drawn = [(199, 12, 0.1), (199, 4, 0.05), (5_000, 230, 0.05), (5_000, 251, 0.05), (99, 0, 0.01)]
    examples = [
        {"ns": ns, "nge": nge, "alpha": alpha,
         "posterior": stats.binom.sf(nge, ns + 1, alpha)}
        for ns, nge, alpha in drawn
    ]  # fmt: skip
    table = []
    for ns, alpha in product((199, 2_500), (0.1, 0.05, 0.01)):
        row: Figures = {"ns": ns, "alpha": alpha}
        every = np.arange(ns + 1)
        tails = stats.binom.sf(every, ns + 1, alpha)
        for wanted in (0.9, 0.95, 0.99):
            enough = every[tails >= wanted]
            row[f"largest_nge_conf_{wanted}_posterior"] = int(enough.max()) if enough.size else None
        table.append(row)
    intervals = []
    for ns, nge, level in ((199, 12, 0.95), (5_000, 230, 0.99), (99, 0, 0.9), (50, 50, 0.95)):
        ends = stats.binomtest(nge, ns).proportion_ci(level, method="exact")
        intervals.append(
            {"ns": ns, "nge": nge, "level": level, "lower": ends.low, "upper": ends.high}
        )
    return {"examples": examples, "table": table, "clopper_pearson": intervals}


RAW = [0.002, 0.004, 0.019, 0.03, 0.031, 0.3, 0.8]


def multiplicity() -> Figures:
    """Return experimentwise errors and adjusted p-values, each by its textbook definition."""
    n = len(RAW)
    falling = [(n - i) * p for i, p in enumerate(RAW)]
    with localcontext() as context:
        context.prec = 50
        errors = [{"pc": pc, "k": k, "pe": float(1 - (1 - Decimal(repr(pc))) ** k)}
                  for pc, k in ((0.05, 10), (0.05, 105), (0.02, 7))]  # fmt: skip
        levels = [{"pe": 0.05, "k": k, "pc": float(1 - Decimal("0.95") ** (1 / Decimal(k)))}
                  for k in (5, 105)]  # fmt: skip
    return {
        "experimentwise": errors,
        "sidak_per_comparison": levels,
        "adjusted_p": {
            "raw": RAW,
            "bonferroni": [min(1.0, n * p) for p in RAW],
            "sidak": [1 - (1 - p) ** n for p in RAW],
            "holm": [min(1.0, max(falling[: i + 1])) for i in range(n)],
            "holm_sidak": [
                max(1 - (1 - p) ** (n - j) for j, p in enumerate(RAW[: i + 1])) for i in range(n)
            ],
            "hochberg": [min(falling[i:]) for i in range(n)],
            "benjamini_hochberg": stats.false_discovery_control(RAW, method="bh").tolist(),
            "benjamini_yekutieli": stats.false_discovery_control(RAW, method="by").tolist(),
        },
    }


def westfall_young() -> Figures:
    """Return p-values adjusted under shared coins, from all 2^8 sequences of them."""
    scores = {
        "P": [6, 9, 4, 7, 7, 5, 8, 6], "Q": [4, 9, 3, 5, 7, 6, 5, 4],
        "R": [5, 6, 4, 5, 2, 5, 6, 3], "S": [1, 5, 2, 6, 3, 4, 2, 3],
    }  # fmt: skip
    pairs = list(combinations(scores, 2))
    apart = [[x - y for x, y in zip(scores[a], scores[b], strict=True)] for a, b in pairs]
    null = [[abs(sum(map(int.__mul__, coins, each))) for each in apart]
            for coins in product((1, -1), repeat=8)]  # fmt: skip
    observed = [abs(sum(each)) for each in apart]

    def raw(pair: int, statistic: int) -> Fraction:
        return Fraction(sum(row[pair] >= statistic for row in null), len(null))

    raw_p = [raw(pair, statistic) for pair, statistic in enumerate(observed)]
    tables = [{row[pair]: raw(pair, row[pair]) for row in null} for pair in range(len(pairs))]
    least = [[tables[pair][value] for pair, value in enumerate(row)] for row in null]

    def stepped(order: list[int], reached: Callable[[int, int, list[int]], bool]) -> list[Fraction]:
        found, worst = [Fraction(0)] * len(pairs), Fraction(0)
        for step, pair in enumerate(order):
            hits = sum(reached(draw, pair, order[step:]) for draw in range(len(null)))
            worst = max(worst, Fraction(hits, len(null)))
            found[pair] = worst
        return found

    by_statistic = sorted(range(len(pairs)), key=lambda pair: -observed[pair])
    by_p = sorted(range(len(pairs)), key=lambda pair: raw_p[pair])
    max_t = stepped(
        by_statistic, lambda draw, pair, rest: max(null[draw][j] for j in rest) >= observed[pair]
    )
    min_p = stepped(by_p, lambda draw, pair, rest: min(least[draw][j] for j in rest) <= raw_p[pair])
    holm, worst = [Fraction(0)] * len(pairs), Fraction(0)
    for step, pair in enumerate(by_p):
        worst = max(worst, min(Fraction(1), (len(pairs) - step) * raw_p[pair]))
        holm[pair] = worst
    single = [Fraction(sum(max(row) >= each for row in null), len(null)) for each in observed]
    rows = [
        {"pair": list(pair), "abs_sum_difference": observed[k], "raw_p": str(raw_p[k]),
         "maxT_single_step": str(single[k]), "maxT_step_down": str(max_t[k]),
         "minP_step_down": str(min_p[k]), "holm": str(holm[k])}
        for k, pair in enumerate(pairs)
    ]  # fmt: skip
    return {"scores": scores, "pairs": rows}


RESAMPLED = (
    [[4, 2, 7, 5], [8, 3, 6, 6, 9], [1, 1, 0, 1, 1]],
    [[1, 2, 5, 6], [6, 4, 6, 2, 5], [0, 1, 1, 0, 0]],
)


def all_resamples(a: Sequence[int], b: Sequence[int]) -> Figures:
    """Return counts and percentiles over all n^n resamples of n items."""
    n = len(a)
    apart = [x - y for x, y in zip(a, b, strict=True)]
    drawn = sorted(sum(draw) for draw in product(apart, repeat=n))
    total, observed = len(drawn), sum(apart)
    mean = Fraction(sum(map(abs, drawn)), total)
    sign = 1 if observed >= 0 else -1
    counts = {
        "shift_abs": sum(abs(d) - mean >= abs(observed) for d in drawn),
        "centered_two_sided": sum(abs(d - observed) >= abs(observed) for d in drawn),
        "twice_one_sided": sum(sign * d >= 2 * sign * observed for d in drawn),
    }
    ends = [drawn[math.ceil(total * level) - 1] for level in (Fraction(1, 40), Fraction(39, 40))]
    return {
        "a": a, "b": b, "resamples": total,
        "observed_abs_difference": str(Fraction(abs(observed), n)),
        "tau_B": str(mean / n),
        **{f"count_{name}": count for name, count in counts.items()},
        **{f"p_{name}": count / total for name, count in counts.items()},
        "percentile_95": [str(Fraction(end, n)) for end in ends],
    }  # fmt: skip


BETAS = {"f_equal": Fraction(1), "f_p_twice": Fraction(1, 2), "f_p_half": Fraction(2)}


def several_systems() -> Figures:
    """Return exact p-values and groups of four systems on forty messages."""
    rng = random.Random(7)
    possible = [rng.randint(1, 4) for _ in range(40)]
    systems = {name: [slots(rng, pos, skill) for pos in possible]
               for name, skill in (("K", 0.8), ("L", 0.65), ("M", 0.5), ("N", 0.3))}  # fmt: skip
    rows = [row for a, b in combinations(systems, 2) for row in exchanged(systems, a, b)]
    found = {}
    for metric, alpha in product(("recall", "precision", *BETAS), (0.1, 0.01)):
        own = [row for row in rows if row["metric"] == metric]
        scores = {name: Fraction(row[f"score_{side}"])
                  for row in own for side, name in enumerate(row["pair"], 1)}  # fmt: skip
        order = sorted(scores, key=lambda name: -scores[name])
        alike = {frozenset(row["pair"]) for row in own if row["p_two_sided"] > alpha}
        sets = cliques(order, alike)
        letters = {name: "".join("abcdefgh"[k] for k, each in enumerate(sets) if name in each)
                   for name in order}  # fmt: skip
        found[f"{metric}@{alpha}"] = {"order": order, "groups": sets, "letters": letters}
    return {"systems": systems, "pairwise": rows, "groups": found}


def slots(rng: random.Random, possible: int, skill: float) -> list[int]:
    """Return possible, actual, correct and partial slots of one message."""
    correct = sum(rng.random() < skill for _ in range(possible))
    partial = sum(rng.random() < 0.3 for _ in range(possible - correct))
    return [possible, correct + partial + rng.randint(0, 1), correct, partial]


def exchanged(systems: Mapping[str, list[list[int]]], a: str, b: str) -> list[Figures]:
    """Return the exact test of two systems by five metrics, over all exchanges of messages."""
    first, second = systems[a], systems[b]
    ways = Counter({(0, 0): 1})  # of twice the correct slots plus the partial ones, and the actual
    differing = 0
    for (_, act, cor, par), (_, other_act, other_cor, other_par) in zip(first, second, strict=True):
        options = (2 * cor + par, act), (2 * other_cor + other_par, other_act)
        following = Counter[tuple[int, int]]()
        for (num, den), count in ways.items():
            for more, given in options if options[0] != options[1] else options[:1]:
                following[num + more, den + given] += count
        differing += options[0] != options[1]
        ways = following
    pos = sum(row[0] for row in first)
    totals = [sum(2 * row[2] + row[3] for table in (first, second) for row in table),
              sum(row[1] for table in (first, second) for row in table)]  # fmt: skip
    own = sum(2 * row[2] + row[3] for row in first), sum(row[1] for row in first)

    def scores(metric: str, num: int, den: int) -> tuple[Fraction, Fraction]:
        sides = []
        for top, act in ((num, den), (totals[0] - num, totals[1] - den)):
            if metric in BETAS:
                square = BETAS[metric] ** 2
                sides.append(Fraction(top, 2) * (1 + square) / (square * pos + act))
            else:
                sides.append(Fraction(top, 2 * (pos if metric == "recall" else act)))
        return sides[0], sides[1]

    rows = []
    for metric in ("recall", "precision", *BETAS):
        one, two = scores(metric, *own)
        counts, total = Counter[str](), 0
        for state, count in ways.items():
            d = Fraction.__sub__(*scores(metric, *state))
            counts["two"] += count * (abs(d) >= abs(one - two))
            counts["greater"] += count * (d >= one - two)
            counts["less"] += count * (d <= one - two)
            total += count
        # The lattice knows only the messages that differ in what the metric looks at.
        seen = differing if metric != "recall" else sum(
            2 * x[2] + x[3] != 2 * y[2] + y[3] for x, y in zip(first, second, strict=True)
        )  # fmt: skip
        times = total >> seen
        rows.append({
            "pair": [a, b], "metric": metric, "score_1": str(one), "score_2": str(two),
            "count_two_sided": str(counts["two"] // times), "total": f"2^{seen}",
            "p_two_sided": counts["two"] / total, "p_greater": counts["greater"] / total,
            "p_less": counts["less"] / total,
        })  # fmt: skip
    return rows


def cliques(order: Sequence[str], alike: set[frozenset[str]]) -> list[list[str]]:
    """Return all largest sets of systems of which no two differ, in the order of their members."""
    sets = [
        chosen
        for size in range(len(order), 0, -1)
        for chosen in combinations(range(len(order)), size)
        if all(frozenset((order[i], order[j])) in alike for i, j in combinations(chosen, 2))
    ]
    largest = sorted(each for each in sets if not any(set(each) < set(other) for other in sets))
    return [[order[i] for i in each] for each in largest]


GROUPINGS: list[Figures] = [  # by hand
    {"scores": {"x": 9, "y": 8, "z": 7}, "not_different": [["x", "y"], ["y", "z"]],
     "groups": [["x", "y"], ["y", "z"]], "letters": {"x": "a", "y": "ab", "z": "b"}},
    {"scores": {"p": 0.1, "q": 0.4, "r": 0.3, "s": 0.2}, "not_different": [["q", "r"], ["q", "s"]],
     "groups": [["q", "r"], ["q", "s"], ["p"]],
     "letters": {"q": "ab", "r": "a", "s": "b", "p": "c"}},
    # 98 of 999 shuffles reach it: below 0.1, but the exact p may well be above (chance 0.46).
    {"scores": {"x": 3, "y": 2, "z": 1}, "alpha": 0.1, "min_confidence": 0.9, "ns": 999,
     "levels": [["x", "y", 0.099], ["x", "z", 0.001], ["y", "z", 0.05]],
     "groups": [["x", "y"], ["z"]],
     "groups_without_confidence_requirement": [["x"], ["y"], ["z"]]},
]  # fmt: skip


def robbins(n: int, exceedances: int, alpha: Fraction) -> Fraction:
    """Return (n + 1) times the binomial probability of so many exceedances."""
    chance = alpha**exceedances * (1 - alpha) ** (n - exceedances)
    return (n + 1) * math.comb(n, exceedances) * chance


def sequential() -> Figures:
    """Return when shuffling may stop, by exact fractions and by hand."""
    points = []
    for n, count, alpha, eps in ((150, 1, 0.05, 0.001), (500, 8, 0.05, 0.01), (500, 60, 0.05, 0.01),
                                 (800, 90, 0.1, 0.001), (800, 40, 0.1, 0.001)):  # fmt: skip
        value = robbins(n, count, Fraction(str(alpha)))
        points.append(
            {"n": n, "exceedances": count, "alpha": alpha, "eps": eps, "value": float(value),
             "decided": value <= Fraction(str(eps))}
        )  # fmt: skip
    paths = []
    for alpha, eps in ((0.2, 0.001), (0.1, 0.05), (0.02, 0.01)):
        level, bound = Fraction(str(alpha)), Fraction(str(eps))
        paths.append({
            "alpha": alpha, "eps": eps,
            "shuffles_to_decide_if_no_exceedance":
                next(n for n in range(1, 2_000) if robbins(n, 0, level) <= bound),
            "shuffles_to_decide_if_every_shuffle_exceeds":
                next(n for n in range(1, 2_000) if robbins(n, n, level) <= bound),
        })  # fmt: skip
    return {"robbins_interval": {"points": points, "extreme_paths": paths}}


def enumerated_tables() -> list[Figures]:
    """Return twelve tables of counts and scores, with all their exchanges counted."""
    rng = random.Random(1992)
    tables = []
    for number, n in enumerate((1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10), start=1):
        a, b = ([[rng.randint(0, 3) for _ in range(3)] for _ in range(n)] for _ in range(2))
        scores_a = [Fraction(rng.randint(0, 9), 10) for _ in range(n)]
        steps = [Fraction(rng.choice((-3, -1, 0, 1, 2)), 10) for _ in range(n)]
        if number <= 2:
            steps = [Fraction(1, 10)] * n  # a constant difference, which has no matched t
        scores_b = [min(max(s + d, Fraction(0)), Fraction(1))
                    for s, d in zip(scores_a, steps, strict=True)]  # fmt: skip
        table: Figures = {
            "id": f"made-{number:02}", "n": n, "columns": ["tp", "fp", "fn"],
            "units": [f"u{i}" for i in range(n)], "a": a, "b": b,
            "scores_a": list(map(decimal, scores_a)), "scores_b": list(map(decimal, scores_b)),
            "expected": all_exchanges(a, b, scores_a, scores_b, [[i] for i in range(n)]),
            "analytic_on_scores": textbook_tests(scores_a, scores_b),
        }  # fmt: skip
        if number in (6, 9):
            cuts = [0, 2, 3, *range(5, n + 1)]
            spans = [list(range(*ends)) for ends in pairwise(cuts)]
            table["clusters"] = [f"c{k}" for k, span in enumerate(spans) for _ in span]
            table["expected_cluster"] = all_exchanges(a, b, scores_a, scores_b, spans)
        tables.append(table)
    return tables


def decimal(value: Fraction) -> str:
    """Write tenths as people do."""
    return f"{float(value):g}"


def ratio(num: int, den: int) -> Fraction:
    """Return a ratio, 0 where it is undefined."""
    return Fraction(num, den) if den else Fraction(0)


def all_exchanges(
    a: list[list[int]],
    b: list[list[int]],
    scores_a: list[Fraction],
    scores_b: list[Fraction],
    clusters: list[list[int]],
) -> Figures:
    """Count the exchanges of whole clusters whose difference reaches the observed one."""
    n = len(a)
    metrics: dict[str, Callable[[list[int], Fraction], Fraction]] = {
        "recall": lambda s, _: ratio(s[0], s[0] + s[2]),
        "precision": lambda s, _: ratio(s[0], s[0] + s[1]),
        "f1": lambda s, _: ratio(2 * s[0], 2 * s[0] + s[1] + s[2]),
        "mean_difference": lambda _, total: total / n,
    }
    found: dict[str, list[Fraction]] = {name: [] for name in metrics}
    for coins in product((False, True), repeat=len(clusters)):
        swapped = {i for coin, items in zip(coins, clusters, strict=True) if coin for i in items}
        sides = []
        for own, other, scores, others in ((a, b, scores_a, scores_b), (b, a, scores_b, scores_a)):
            rows = [other[i] if i in swapped else own[i] for i in range(n)]
            total = sum((others[i] if i in swapped else scores[i] for i in range(n)), Fraction(0))
            sides.append(([sum(column) for column in zip(*rows, strict=True)], total))
        for name, score in metrics.items():
            found[name].append(score(*sides[0]) - score(*sides[1]))
    return {
        name: {
            "observed": str(drawn[0]), "total": len(drawn),  # the first exchanges nothing
            "count_ge": sum(d >= drawn[0] for d in drawn),
            "count_le": sum(d <= drawn[0] for d in drawn),
            "count_two_sided": sum(abs(d) >= abs(drawn[0]) for d in drawn),
        }
        for name, drawn in found.items()
    }  # fmt: skip


def textbook_tests(a: list[Fraction], b: list[Fraction]) -> Figures:
    """Return sign, signed-rank and t tests of two lists of scores."""
    apart = [x - y for x, y in zip(a, b, strict=True)]
    plus, minus = sum(d > 0 for d in apart), sum(d < 0 for d in apart)
    sign = {"plus": plus, "minus": minus, "p_two_sided": 1.0, "p_greater": 1.0}
    if plus + minus:
        for key, tail in (("p_two_sided", "two-sided"), ("p_greater", "greater")):
            sign[key] = float(stats.binomtest(plus, plus + minus, alternative=tail).pvalue)
    found: Figures = {
        "sign": sign,
        "wilcoxon_exact_zeros_dropped": signed_ranks([d for d in apart if d]),
        "wilcoxon_exact_pratt": signed_ranks(apart),
    }
    n = len(a)
    if n > 1:
        first, second = (np.array(each, float) for each in (a, b))
        matched = stats.ttest_1samp(np.array(apart, float), 0) if len(set(apart)) > 1 else None
        pooled = stats.ttest_ind(first, second) if len(set(a)) > 1 or len(set(b)) > 1 else None
        for key, test, df in (("matched_pair_t", matched, n - 1),
                              ("two_sample_t_equal_variance", pooled, 2 * n - 2)):  # fmt: skip
            found[key] = test and {
                "t": float(test.statistic), "df": df, "p_two_sided": float(test.pvalue)
            }  # fmt: skip
    return found


def signed_ranks(apart: list[Fraction]) -> Figures:
    """Return the exact signed-rank test; zeros have ranks, but count for neither side."""
    sizes = [abs(d) for d in apart]
    ranks = [Fraction(2 * sum(s < size for s in sizes) + sizes.count(size) + 1, 2)
             for size in sizes]  # fmt: skip
    used = [(rank, d > 0) for rank, d in zip(ranks, apart, strict=True) if d]
    observed = sum((rank if up else -rank for rank, up in used), Fraction(0))
    drawn = [sum(map(Fraction.__mul__, signs, [rank for rank, _ in used]), Fraction(0))
             for signs in product((Fraction(1), Fraction(-1)), repeat=len(used))]  # fmt: skip
    return {
        "signed_rank_sum": str(observed), "n_used": len(used),
        "p_two_sided": sum(abs(d) >= abs(observed) for d in drawn) / len(drawn),
        "p_greater": sum(d >= observed for d in drawn) / len(drawn),
    }  # fmt: skip
