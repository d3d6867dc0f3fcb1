"""Prediction-powered means: PPI++ to the last digits, and what goes beyond it by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from benchmarks.validity.judges import Judging, worth
from tellapart.errors import DataError
from tellapart.significance.agreement import agreement
from tellapart.significance.prediction_powered import (
    Judged,
    disagreement_of,
    powered_difference,
    powered_mean,
)

Floats = NDArray[np.float64]


def graded_items(seed: int, items: int = 300) -> tuple[Floats, Floats]:
    """Return people's scores of all items, and a judge's that go with them."""
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 6, items).astype(float)
    judge = np.clip(people + rng.choice([-1, 0, 0, 1, 1], items), 1, 5).astype(float)
    return judge, people


def labelled(people: Floats, labels: int) -> Floats:
    """Return the first labels, the others unknown."""
    return np.where(np.arange(len(people)) < labels, people, np.nan)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("labels", [20, 60, 200])
def test_mean_is_that_of_ppi_python(seed: int, labels: int) -> None:
    """Estimate, weight and variance are those of ppi-python, but for n - 2 in place of n."""
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    judge, people = graded_items(seed)
    known, seen, unseen = people[:labels], judge[:labels], judge[labels:]
    found = powered_mean(Judged(judge, labelled(people, labels)))
    expected = np.squeeze(ppi.ppi_mean_pointestimate(known, seen, unseen))
    assert found.value == pytest.approx(float(expected), abs=1e-9)
    low, high = (float(end[0]) for end in ppi.ppi_mean_ci(known, seen, unseen, alpha=0.05))
    # ppi-python divides sums of squares by n and N, where we divide by n - 2 and N - 1.
    residual = float(np.var(known - found.weight * seen)) / labels
    imputed = float(np.var(found.weight * unseen)) / len(unseen)
    half = (high - low) / 2
    assert half == pytest.approx(stats.norm.ppf(0.975) * (residual + imputed) ** 0.5, abs=1e-9)
    stretched = residual * labels / (labels - 2) + imputed * len(unseen) / (len(unseen) - 1)
    assert found.bare_variance == pytest.approx(stretched, rel=1e-9)


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_any_weight_is_that_of_ppi_python(weight: float) -> None:
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    judge, people = graded_items(9)
    found = powered_mean(Judged(judge, labelled(people, 50)), weight)
    expected = ppi.ppi_mean_pointestimate(people[:50], judge[:50], judge[50:], lam=weight)
    assert found.value == pytest.approx(float(np.squeeze(expected)), abs=1e-9)


def test_difference_is_ppi_of_the_differences() -> None:
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    (judge_a, a), (judge_b, b) = graded_items(1), graded_items(2)
    first = Judged(judge_a, labelled(a, 60))
    second = Judged(judge_b, labelled(b, 60))
    found = powered_difference(first, second)
    judge, people = judge_a - judge_b, a - b
    expected = np.squeeze(ppi.ppi_mean_pointestimate(people[:60], judge[:60], judge[60:]))
    assert found.value == pytest.approx(float(expected), abs=1e-9)
    mirrored = powered_difference(second, first)
    assert (mirrored.value, mirrored.p) == pytest.approx((-found.value, found.p))


def test_all_labelled_is_the_t_test() -> None:
    """With labels of all items the judge has no say: Student's test, as scipy has it."""
    judge, people = graded_items(3, 40)
    found = powered_mean(Judged(judge, people - 3.2))
    expected = stats.ttest_1samp(people, 3.2)
    assert found.weight == 0
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    ends = expected.confidence_interval(0.95)
    assert found.interval(0.95) == pytest.approx((ends.low - 3.2, ends.high - 3.2), rel=1e-9)


def test_judge_who_knows_nothing_counts_nothing() -> None:
    """Where the judge goes against people, the estimate is people's mean."""
    people = np.array([0.0, 1.0] * 20)
    judge = np.concatenate([1 - people, np.ones(60)])
    found = powered_mean(Judged(judge, np.concatenate([people, np.full(60, np.nan)])))
    assert (found.weight, found.value) == (0.0, 0.5)


def test_clusters_of_one_item_are_items() -> None:
    judge, people = graded_items(4)
    plain = powered_mean(Judged(judge, labelled(people, 60)), 0.5)
    alone = powered_mean(Judged(judge, labelled(people, 60), np.arange(len(judge))), 0.5)
    assert alone.variance == pytest.approx(plain.variance, rel=1e-12)


def test_variance_of_clusters_by_hand() -> None:
    """Six labelled documents of two items: the sum of squares of what each adds."""
    judge = np.zeros(16)
    people = np.array([1.0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, *[np.nan] * 4])
    documents = np.repeat(np.arange(8), 2)
    found = powered_mean(Judged(judge, people, documents))
    sums = np.array([2.0, 0, 1, 2, 0, 1]) - 2 * 0.5
    assert found.value == 0.5
    assert found.variance == pytest.approx(float(sums @ sums) / 12**2 * 6 / 5)


def test_strata_weigh_by_their_share_of_all_items() -> None:
    """A stratum of a fifth of the items counts a fifth, though half of the labels are from it."""
    judge = np.zeros(100)
    strata = np.repeat([0, 1], [20, 80])
    people = np.full(100, np.nan)
    people[:10] = 1.0, 1, 1, 1, 1, 1, 1, 1, 0, 0
    people[20:30] = 0.0, 0, 0, 0, 0, 0, 0, 0, 1, 1
    found = powered_mean(Judged(judge, people, strata=strata))
    assert found.value == pytest.approx(0.2 * 0.8 + 0.8 * 0.2)
    inside = (0.2**2 + 0.8**2) * 0.16 / 10 * 20 / 18
    assert found.bare_variance == pytest.approx(inside, rel=0.12)  # and a little between them


def test_stratum_without_labels_is_refused() -> None:
    people = labelled(np.ones(40), 20)
    with pytest.raises(DataError, match="every stratum needs two"):
        powered_mean(Judged(np.ones(40), people, strata=np.repeat([0, 1], 20)))


def test_different_items_of_each_system() -> None:
    """With no item seen twice and no judge, this is Welch's comparison of two means, but for df."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.3, 1, 40), rng.normal(0, 2, 60)
    first = np.concatenate([a, np.full(100, np.nan)])
    second = np.concatenate([np.full(80, np.nan), b])
    nothing = np.zeros(140)
    found = powered_difference(Judged(nothing, first), Judged(nothing, second))
    assert found.value == pytest.approx(a.mean() - b.mean())
    expected = a.var() / 40 + b.var() / 60
    assert found.variance == pytest.approx(expected * 100 / 99, rel=1e-9)


def test_a_judge_never_seen_wrong_is_not_infallible() -> None:
    """Twenty labels that all agree leave room for the errors of one judgement in ten."""
    people = np.array([1.0, 0.0] * 10)
    judge = np.concatenate([people, np.array([1.0, 0.0] * 490)])
    scores = np.concatenate([people, np.full(980, np.nan)])
    floor = disagreement_of(judge, scores)
    low, high = powered_mean(Judged(judge, scores, disagreement=floor)).interval(0.95)
    assert low < 0.45
    assert high > 0.55


def test_fine_scores_have_no_imagined_disagreement() -> None:
    rng = np.random.default_rng(6)
    people = labelled(rng.normal(size=200), 60)
    assert disagreement_of(rng.normal(size=200), people) == 0


def test_agreement_of_the_textbook() -> None:
    """Cohen's kappa of 45 and 25 agreements, 15 and 15 disagreements: 0.4 of 100 ratings."""
    judge = np.repeat([1.0, 1.0, 0.0, 0.0], [45, 15, 25, 15])
    people = np.repeat([1.0, 0.0, 1.0, 0.0], [45, 15, 25, 15])
    found = agreement(judge, people, 0.95)
    assert found.share == pytest.approx(0.6)
    assert found.kappa == pytest.approx((0.60 - 0.54) / (1 - 0.54))
    assert found.correlation == pytest.approx(stats.pearsonr(judge, people).statistic)
    ends = stats.pearsonr(judge, people).confidence_interval(0.95)
    assert found.correlation_interval == pytest.approx((ends.low, ends.high))
    assert found.share_interval is not None
    assert found.share_interval[0] < 0.6 < found.share_interval[1]


def test_full_agreement_has_an_interval() -> None:
    scores = np.array([1.0, 0.0] * 15)
    found = agreement(scores, scores, 0.95)
    assert found.share_interval is not None
    assert found.kappa == 1
    assert 0.8 < found.share_interval[0] < 0.95


def test_labels_and_judge_are_worth_what_is_said() -> None:
    """Over many sets, people alone with as many labels as said have the same variance."""
    for accuracy in (0.85, 0.97):
        said, true = worth(Judging(60, accuracy, items=600, gap=0.0), sets=600, seed=8)
        assert said == pytest.approx(true, rel=0.2)
    assert true > 150
