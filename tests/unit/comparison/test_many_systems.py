"""More systems than all pairs are tested of: the best and neighbours are, and that is said."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from tellapart.comparison.answers import ranking
from tellapart.comparison.testing import MOST_SYSTEMS

SYSTEMS, ITEMS = MOST_SYSTEMS + 5, 40


def board(systems: int) -> ta.Counts:
    rng = np.random.default_rng(1)
    right = rng.random((systems, ITEMS)) < np.linspace(0.95, 0.2, systems)[:, None]
    return ta.Counts.from_arrays({f"s{k:03}": row.astype(int) for k, row in enumerate(right)})


@pytest.fixture(scope="module")
def found() -> ta.Result:
    return ta.compare(board(SYSTEMS))


def test_the_best_is_tested_with_every_other_and_all_with_their_neighbours(
    found: ta.Result,
) -> None:
    order = [system.name for system in ranking(found.record, "mean")]
    expected = {frozenset(pair) for pair in itertools.pairwise(order)}
    expected |= {frozenset((order[0], other)) for other in order[1:]}
    assert {frozenset((pair.a, pair.b)) for pair in found.pairs} == expected
    assert len(ta.compare(board(30), intervals=False).pairs) == 30 * 29 // 2


def test_what_is_not_tested_is_said_and_still_counts(found: ta.Result) -> None:
    """P by SciPy's binomial test, Holm's correction over all pairs: those not tested have p = 1."""
    pairs, tested = SYSTEMS * (SYSTEMS - 1) // 2, len(found.pairs)
    said = f"{tested} of {pairs:,} pairs were tested: the best of {SYSTEMS} systems with"
    assert said in " ".join(str(found).replace("!", " ").split())
    assert said in " ".join(found.to_html().split())
    rows = board(SYSTEMS).values[:, :, 0]
    p = [1.0] * pairs
    for k, pair in enumerate(found.pairs):
        a, b = (rows[int(name[1:])] for name in (pair.a, pair.b))
        won, lost = int((a > b).sum()), int((a < b).sum())
        p[k] = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
        assert pair.p == pytest.approx(p[k], rel=1e-9)
    holm, largest = np.empty(pairs), 0.0
    for k, place in enumerate(np.argsort(p, kind="stable")):
        largest = max(largest, min(1.0, p[place] * (pairs - k)))
        holm[place] = largest
    np.testing.assert_allclose(
        [pair.p_adjusted or 0.0 for pair in found.pairs], holm[:tested], rtol=1e-9
    )
    assert found.family_size == pairs


def test_no_places_are_ruled_out_but_by_tests(found: ta.Result) -> None:
    ahead, behind = dict.fromkeys(found.ranks["mean"], 0), dict.fromkeys(found.ranks["mean"], 0)
    for pair in found.pairs:
        if pair.different and pair.favours is not None:
            ahead[pair.favours] += 1
            behind[pair.other(pair.favours)] += 1
    for name, places in found.ranks["mean"].items():
        assert places == (1 + behind[name], SYSTEMS - ahead[name])
    assert found.groups == {}


def test_pairs_that_were_not_tested_have_no_p(found: ta.Result) -> None:
    with pytest.raises(ta.UsageError, match="s100 and s180 were not compared by mean"):
        found.pair("s100", "s180")
    assert ta.Result.from_json(found.to_json()).record == found.record
    with pytest.raises(ta.UsageError, match="too many one-sided claims: name one with baseline="):
        ta.compare(board(SYSTEMS), tail="greater")
    assert len(ta.compare(board(SYSTEMS), baseline="s000", intervals=False).pairs) == SYSTEMS - 1


def test_of_those_tied_at_the_top_the_one_that_is_named_is_tested_with_all() -> None:
    """The order given does not matter: the answer names the first by name."""
    values = {
        "z": [1] * 8,
        **{f"s{k:03}": [1] * (k % 8) + [0] * (8 - k % 8) for k in range(SYSTEMS)},
    }
    record = ta.compare({**values, "a": [1] * 8}, intervals=False).record
    assert record.answers["mean"].about == ("a",)
    assert sum("a" in (pair.a, pair.b) for pair in record.pairs) == len(values)
