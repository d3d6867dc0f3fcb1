"""Power: by all outcomes, by brute force, by statsmodels, and what holds of every pilot."""

from __future__ import annotations

import importlib
import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.power import TTestPower

import tellapart as ta
from tellapart.errors import UsageError
from tellapart.metrics import metric
from tellapart.metrics.scores import score_counts
from tellapart.stats.margins import BoundedMean, RightOrWrong
from tellapart.stats.power import (
    AssumedScores,
    EstimatedError,
    ItemDifferences,
    Pilot,
    WinsAndLosses,
    detectable,
    needed,
    power,
    read_pilot,
)
from unit.stats.golden import GOLDEN, needs_golden

module = importlib.import_module("tellapart.stats.power")  # its name is the function's, too
Floats = NDArray[np.float64]


def answers(won: float, lost: float) -> WinsAndLosses:
    return WinsAndLosses(won, lost, 1, assumed=True)


# --- items that are won, lost or tied: all outcomes, and SciPy's binomials ---


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_seven_items_have_the_power_of_all_outcomes(alternative: str) -> None:
    won, lost, n, total = 0.6, 0.1, 7, 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            test = (
                stats.binomtest(wins, wins + losses, alternative=alternative)
                if losses + wins
                else None
            )
            if test is not None and test.pvalue <= 0.05:
                cells = [wins, losses, n - wins - losses]
                total += stats.multinomial.pmf(cells, n, [won, lost, 0.3])
    found = power(answers(won, lost), 0.5, n, alternative=alternative)
    assert found == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(("n", "level"), [(12, 0.05), (80, 0.01), (900, 0.0005), (9000, 0.01)])
def test_wins_and_losses_are_a_mixture_of_binomials(n: int, level: float) -> None:
    """Up to 2,000 differing items exactly; beyond, by an expansion."""
    won, lost = (0.2, 0.1) if n < 1000 else (0.16, 0.13)
    apart = np.arange(n + 1)
    # One more than the largest number that is not significant; none of few items is.
    fewest = stats.binom.isf(level / 2, apart, 0.5) + 1
    fewest += stats.binom.sf(fewest - 1, apart, 0.5) > level / 2
    found = stats.binom.sf(fewest - 1, apart, won / (won + lost))
    found += stats.binom.cdf(apart - fewest, apart, won / (won + lost))
    expected = float(stats.binom.pmf(apart, n, won + lost) @ found)
    result = power(answers(won, lost), won - lost, n, level=level)
    assert result == pytest.approx(expected, abs=1e-8 if n < 1000 else 2e-3)


def test_assumed_scores_are_made_of_four_cells() -> None:
    """0.70 and 0.75, correlated by 0.5: 0.525 + 0.5 · √(0.21 · 0.1875) are right for both."""
    both = 0.525 + 0.5 * math.sqrt(0.21 * 0.1875)
    pair = AssumedScores.of(0.70, 0.75)
    assert pair.rates(0.05) == pytest.approx((0.75 - both, 0.70 - both))
    assert pair.observed == pytest.approx(0.05)
    assert AssumedScores.of(0.3, 0.25) == AssumedScores.of(0.7, 0.75)
    assert needed(pair, 0.03).n == 1840
    assert needed(pair, 0.31).reason == "unreachable"
    with pytest.raises(UsageError, match="no items were seen"):
        detectable(pair)


# --- other means: brute force, which shares no code ---


def brute_force(pilot: ItemDifferences, difference: float, n: int, level: float) -> float:
    """Draw 2,000 sets and flip their signs: all of up to twelve items, else 4,999 times."""
    rng = np.random.default_rng(n)
    sets = rng.choice(pilot.residuals, (2000, n)) + difference
    if n <= 12:
        signs = np.array(list(product((1.0, -1.0), repeat=n)))
    else:
        signs = np.concatenate([np.ones((1, n)), rng.choice([1.0, -1.0], (4999, n))])
    reached = np.abs(signs @ sets.T) >= np.abs(sets.sum(axis=1)) - 1e-9
    return float((reached.mean(axis=0) <= level).mean())


def item_differences(values: Floats) -> ItemDifferences:
    pilot = read_pilot(values)
    assert isinstance(pilot, ItemDifferences)
    return pilot


def _pilots() -> dict[str, ItemDifferences]:
    rng = np.random.default_rng(3)
    return {
        "normal": item_differences(rng.normal(0.1, 1, 300)),
        "skewed": item_differences(rng.exponential(1, 300)),
        "skewed the other way": item_differences(1.5 - rng.exponential(1, 300)),
        "heavy tails": item_differences(rng.standard_t(4, 300) + 0.1),
        "mostly ties": item_differences((rng.random(300) < 0.2) * rng.normal(0.2, 1, 300)),
    }


PILOTS = _pilots()


@pytest.mark.parametrize(("n", "level"), [(8, 0.05), (120, 0.05), (60, 0.005)])
@pytest.mark.parametrize("name", PILOTS)
def test_what_is_detectable_is_found_four_times_out_of_five(
    name: str, n: int, level: float
) -> None:
    pilot = PILOTS[name]
    size = detectable(pilot, n, level=level).difference
    assert size is not None
    assert brute_force(pilot, size, n, level) == pytest.approx(0.8, abs=0.045)
    half = power(pilot, size / 2, n, level=level)
    assert half == pytest.approx(brute_force(pilot, size / 2, n, level), abs=0.045)


@pytest.mark.parametrize("name", PILOTS)
def test_the_expansion_says_what_drawn_sets_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pilot, n = PILOTS[name], 150
    sizes = np.linspace(0, 0.4, 9) * pilot.deviation
    expanded = [power(pilot, size, n) for size in sizes]
    monkeypatch.setattr(module, "_FEW", 1000)
    assert expanded == pytest.approx([power(pilot, size, n) for size in sizes], abs=0.035)


@pytest.mark.parametrize(("n", "level"), [(12, 0.05), (80, 0.005)])
def test_normal_pilots_tell_the_power_on_average(n: int, level: float) -> None:
    """A pilot's deviation is off by chance; over many pilots the power is as wanted."""
    rng = np.random.default_rng(n)
    found = []
    for _ in range(100):
        size = detectable(rng.normal(0, 1, n), level=level).difference
        if size is not None:
            t = stats.ttest_1samp(rng.normal(size, 1, (40, n)), 0, axis=1)
            found.append(float((t.pvalue <= level).mean()))
    assert len(found) > 80
    assert np.mean(found) == pytest.approx(0.79, abs=0.05)


def test_steps_of_a_scale_cost_power() -> None:
    """Grades of 1 to 3 move in steps, which the test has to exceed; a fine scale does not."""
    rng = np.random.default_rng(0)
    grades = rng.choice([-2.0, -1, 0, 0, 1, 1, 2], 60)
    coarse, fine = item_differences(grades), item_differences(grades + rng.normal(0, 1e-4, 60))
    assert (coarse.step, fine.step) == (1.0, 0.0)
    assert item_differences(grades / 3).step == pytest.approx(1 / 3)
    sizes = [detectable(pilot, 20).difference for pilot in (coarse, fine)]
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert sizes[0] - sizes[1] == pytest.approx(1 / 20, abs=0.01)


# --- t tests with a standard error of their own ---


def t_test(error: float, df: float) -> EstimatedError:
    """Return a pilot whose error does not depend on items, less what it is spread by."""
    return EstimatedError(lambda _: (error / (1 + 1 / (2 * df)), df), 100)


@pytest.mark.parametrize("n", [3, 12, 200])
@pytest.mark.parametrize(
    ("alternative", "name"), [("two-sided", "two-sided"), ("greater", "larger")]
)
def test_power_by_error_is_that_of_statsmodels(n: int, alternative: str, name: str) -> None:
    pilot = t_test(1 / math.sqrt(n), n - 1)
    for effect in (0.0, 0.1, 0.5, 2.0):
        oracle = TTestPower().power(effect, n, 0.05, alternative=name)
        assert power(pilot, effect, alternative=alternative) == pytest.approx(oracle, abs=1e-7)


def test_detectable_by_error_undoes_power() -> None:
    pilot = t_test(0.02, 30.5)
    size = detectable(pilot, level=0.01).difference
    assert size is not None
    assert power(pilot, size, level=0.01) == pytest.approx(0.8, abs=1e-4)
    assert detectable(t_test(0.0, 30)).reason == "few-runs"
    assert needed(pilot, size / 2, level=0.01).reason == "unreachable"


# --- margins ---


@pytest.mark.parametrize(
    ("n", "changed", "margin", "loss"),
    [(40, 0.1, 0.15, 0.0), (80, 0.3, 0.2, 0.02), (200, 0.05, 0.05, 0.0), (1000, 0.1, 0.03, 0.005)],
)
def test_margins_of_right_and_wrong_answers(
    n: int, changed: float, margin: float, loss: float
) -> None:
    rng = np.random.default_rng(n)
    won, lost = (changed - loss) / 2, (changed + loss) / 2
    tables = rng.multinomial(n, [won, lost, 1 - changed], size=2000)[:, :2]
    passed = [RightOrWrong(b, c, n).p_loss(margin) <= 0.05 for b, c in tables.tolist()]
    found = power(answers(won, lost), -loss, n, margin=margin)
    assert found == pytest.approx(np.mean(passed), abs=0.03)


@pytest.mark.parametrize(("n", "margin"), [(60, 0.06), (400, 0.03)])
def test_margins_of_bounded_means(n: int, margin: float) -> None:
    rng = np.random.default_rng(1)
    pilot = item_differences(rng.beta(5, 2, 150) - rng.beta(5, 2, 150))
    values = pilot.residuals + pilot.observed
    sets = rng.choice(np.concatenate([values, -values]), (800, n)) - 0.005
    passed = [BoundedMean.of(items, -1.0, 1.0).p_loss(margin) <= 0.05 for items in sets]
    found = power(pilot, -0.005, n, margin=margin)
    assert found == pytest.approx(np.mean(passed), abs=0.05)


def test_a_margin_needs_more_items_the_more_is_lost() -> None:
    numbers = [needed(answers(0.05, 0.05), -loss, margin=0.05).n for loss in (0, 0.0125, 0.025)]
    assert numbers == sorted(numbers, key=lambda n: n or 0)
    assert numbers[0] is not None
    assert power(answers(0.05, 0.05), 0, numbers[0], margin=0.05) == pytest.approx(0.8, abs=0.02)
    passes = detectable(answers(0.05, 0.05), numbers[0], margin=0.05).difference
    assert passes == pytest.approx(0, abs=2e-3)
    assert needed(answers(0.05, 0.05), -0.05, margin=0.05).reason == "unreachable"


# --- what holds of every pilot ---

ANY_PILOT: dict[str, Pilot] = {
    **PILOTS,
    "right or wrong": answers(0.15, 0.1),
    "assumed": AssumedScores.of(0.6, 0.7),
}


@given(st.sampled_from(sorted(ANY_PILOT)), st.integers(6, 3000), st.sampled_from([0.05, 0.001]))
def test_power_grows_with_the_difference_and_detectable_undoes_it(
    name: str, n: int, level: float
) -> None:
    pilot = ANY_PILOT[name]
    found = detectable(pilot, n, level=level, alternative="greater")
    if found.difference is None:
        assert found.reason == "unreachable"
        assert n < 70
        return
    sizes = np.linspace(-0.2, 1, 7) * found.difference
    powers = [power(pilot, size, n, level=level, alternative="greater") for size in sizes]
    assert powers == sorted(powers)
    # Of very few items there are only so many sets: power goes up in steps.
    assert powers[-1] == pytest.approx(0.8, abs=2e-3 if n > 20 else 0.03)


@given(st.sampled_from(sorted(ANY_PILOT)), st.integers(40, 5000), st.booleans())
def test_needed_undoes_detectable(name: str, n: int, one_sided: bool) -> None:
    pilot, alternative = ANY_PILOT[name], "greater" if one_sided else "two-sided"
    size = detectable(pilot, n, alternative=alternative).difference
    assert size is not None
    found = needed(pilot, size, alternative=alternative).n
    assert found == pytest.approx(n, rel=0.05, abs=6)
    fewer = needed(pilot, 1.2 * size, alternative=alternative).n
    if fewer is not None and found is not None:
        assert fewer < found


@pytest.mark.parametrize("name", PILOTS)
def test_neither_order_nor_direction_nor_scale_matters(name: str) -> None:
    values = PILOTS[name].residuals[::3] + 0.1
    once = detectable(values).difference, needed(values).n
    shuffled = np.random.default_rng(0).permutation(values)
    assert (detectable(shuffled).difference, needed(shuffled).n) == pytest.approx(once, rel=1e-9)
    assert (detectable(-values).difference, needed(-values).n) == pytest.approx(once, rel=1e-6)
    assert detectable(100 * values).difference == pytest.approx(100 * (once[0] or 0), rel=1e-6)
    one_sided = power(values, n=40, alternative="greater")
    assert power(-values, n=40, alternative="less") == pytest.approx(one_sided, abs=1e-9)


def test_the_seed_alone_decides() -> None:
    pilot = PILOTS["skewed"]
    module._limits.cache_clear()
    module._positions.cache_clear()
    first = power(pilot, 0.5, 20)
    module._limits.cache_clear()
    module._positions.cache_clear()
    assert power(pilot, 0.5, 20) == first
    others = {power(pilot, 0.5, 20, rng=seed) for seed in range(5)}
    assert len(others) > 1
    assert np.ptp(list(others)) < 0.04


@pytest.mark.parametrize(("size", "icc"), [(10, 0.1), (3, 0.5), (2_500, 0.0)])
def test_clusters_have_their_design_effect(size: int, icc: float) -> None:
    items = WinsAndLosses(0.2, 0.1, 1, assumed=True, cluster_size=size, icc=icc)
    means = items.clusters(0.1)
    effect = (1 + (size - 1) * icc) / size
    assert means.observed == pytest.approx(0.1, abs=1e-3)
    assert means.deviation == pytest.approx(math.sqrt((0.3 - 0.01) * effect), rel=0.01)


# --- what cannot be told ---


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0.0] * 50, "nothing-differs"),
        ([1.0, -1.0, 1.0, 1.0], "unreachable"),
        ([1.0, -1.0] * 3 + [1.0] + [0.0] * 53, "few-differing"),
        ([0.3, 0.1, -0.2, 0.4, 0.25, -0.1, 0.15], "few-items"),
        ([30.0, *np.random.default_rng(2).normal(0.2, 0.5, 49)], "uneven"),
    ],
)
def test_a_pilot_that_tells_too_little_gets_a_reason(values: list[float], reason: str) -> None:
    assert detectable(values) == module.Detectable(None, reason)
    expected = "few-items" if reason == "unreachable" else reason
    assert needed(values) == module.Needed(None, expected)


def test_items_that_all_add_the_same_tell_no_spread() -> None:
    """Differences that are not 0 where the systems do not differ come of ratios."""
    pilot = read_pilot([0.25] * 20, differing=15)
    assert detectable(pilot).reason == "alike"
    assert (power(pilot, 0.1, 20), power(pilot, 0.1, 5)) == (1.0, 0.0)


def test_eight_of_sixty_differing_items_are_enough() -> None:
    """With 7, even 7 wins on average reach the 6 that are significant too seldom."""
    assert detectable([1.0, -1.0] * 4 + [0.0] * 52).difference is not None


def test_no_difference_needs_no_number() -> None:
    assert needed([1.0, -1.0] * 20).reason == "unreachable"
    assert needed([1.0] * 30 + [-1.0] * 10, alternative="less").reason == "unreachable"
    assert needed([1.0, -1.0] * 20 + [0.0] * 60, 0.5).reason == "unreachable"


def test_a_level_is_a_share() -> None:
    with pytest.raises(UsageError, match="level"):
        power([1.0, -1.0], level=5)
    with pytest.raises(UsageError, match="at least one item"):
        detectable([])


# --- plans of version 0.1 ---


@needs_golden
@pytest.mark.parametrize(
    ("case", "table", "pair", "name"),
    [
        ("plan-60", "right_wrong_60", ("sysA", "sysB"), "score"),
        ("plan-250", "right_wrong_250", ("sysA", "sysB"), "score"),
        ("plan-decimals", "decimals_150", ("one", "three"), "score"),
        ("plan-f1", "tp_fp_fn", ("crf", "bert"), "f1"),
    ],
)
def test_plans_are_those_of_the_first_version(
    case: str, table: str, pair: tuple[str, str], name: str
) -> None:
    counts = ta.read(GOLDEN / "tables" / f"{table}.csv")
    chosen = ta.mean("score") if name == "score" else metric(name, counts.columns)
    scores = score_counts(counts, chosen)
    a, b = (counts.names.index(system) for system in pair)
    terms = scores.terms(a, b, "own")
    assert terms is not None
    pilot = read_pilot(terms.contributions * scores.n, differing=scores.differing(a, b))
    cases = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
    (expected,) = (each["answer"]["plan"] for each in cases if each["name"] == case)
    found = detectable(pilot).difference
    assert found == pytest.approx(expected["detectable"], rel=0.06)
    assert found is not None
    assert needed(pilot, found / 2).n == pytest.approx(expected["needed"], rel=0.06)


@pytest.mark.parametrize(("sigma", "n"), [(1.0, 50), (1.5, 200)])
def test_skewed_pilots_get_no_lucky_number(sigma: float, n: int) -> None:
    """At most one pilot in five is told a difference that is found in less than 60 %, not 80."""
    rng, lucky, pilots = np.random.default_rng(4), 0, 50
    mean = np.exp(sigma**2 / 2)
    for _ in range(pilots):
        told = detectable(rng.lognormal(0, sigma, n) - mean + 0.3 * mean).difference
        if told is not None:
            sets = rng.lognormal(0, sigma, (200, n)) - mean + told
            lucky += (stats.ttest_1samp(sets, 0, axis=1).pvalue <= 0.05).mean() < 0.6
    assert lucky <= 0.2 * pilots
