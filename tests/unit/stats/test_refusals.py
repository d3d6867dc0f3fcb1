"""What no function of arrays can take: each says in one sentence what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tellapart import stats
from tellapart.errors import TellapartError

GOOD = [[1, 2], [3, 4]]
REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("alternative", lambda: stats.sign_flip([1], alternative="larger")),
    ("same items", lambda: stats.sign_flip([1, 2], [1])),
    ("numbers", lambda: stats.sign_flip(["a"])),
    ("finite", lambda: stats.sign_flip([1.0, math.nan])),
    ("1 axes", lambda: stats.sign_flip([[1, 2]])),
    ("alternative", lambda: stats.sign_test([1], alternative="both")),
    ("0 or more", lambda: stats.mcnemar(-1, 2)),
    ("not finite", lambda: stats.paired_t([1.0, math.nan])),
    ("1 axes", lambda: stats.wilcoxon([[1, 2]])),
    ("same items", lambda: stats.mcnemar_range((5, 7), (3, 8))),
    ("all items", lambda: stats.mcnemar_range((8, 7), (3, 7))),
    ("all items", lambda: stats.mcnemar_range((2.5, 7), (3, 7))),  # type: ignore[arg-type]
    ("alternative", lambda: stats.unpaired(GOOD, GOOD, alternative="both")),
    ("items × 2 columns", lambda: stats.unpaired([], [1])),
    ("not finite", lambda: stats.unpaired(GOOD, [[1.0, math.nan]])),
    ("items × 2 columns", lambda: stats.unpaired(GOOD, [[1, 2, 3]])),
    ("at least 1", lambda: stats.unpaired(GOOD * 15, GOOD * 15, n_resamples=0)),
    ("each of 2 items", lambda: stats.dependence([1, 2], [0])),
    ("two columns", lambda: stats.exchange([[1]], [[2]])),
    ("whole numbers", lambda: stats.exchange([[0.5, 1]], [[1, 1]])),
    ("whole numbers", lambda: stats.bootstrap([[0.9, 1]] * 20, [[0.1, 1]] * 20)),
    ("whole numbers", lambda: stats.max_t([[0.5, 1]], [[1]])),
    ("each of 1 columns", lambda: stats.max_t([[1, 2]], [[1, -1]])),
    ("not finite", lambda: stats.max_t([[1, math.nan]])),
    ("2 axes", lambda: stats.tukey([1, 2])),
    ("runs × items", lambda: stats.runs_test([1, 0], [0, 1])),
    ("same items", lambda: stats.runs_test([[1, 0]], [[0, 1, 1]])),
    ("crossed=False", lambda: stats.runs_test(np.ones((2, 3, 4)), np.ones((3, 3, 4)))),
    ("not finite", lambda: stats.runs_test([[np.inf, 0]], [[0, 1]])),
    ("without any value", lambda: stats.runs_test([[np.nan, 0]], [[0, 1]])),
    ("it takes two or more", lambda: stats.ppi_mean([1, 1, 1], [1, np.nan, np.nan])),
    ("too few for an interval", lambda: stats.ppi_mean([1, 0, 1, 1], [1, 0, np.nan, np.nan])),
    ("each of 2 items", lambda: stats.ppi_mean([1, 0], [1])),
    ("an entry for each match", lambda: stats.bradley_terry([0], [1, 2], [1])),
    ("between 0 and 1", lambda: stats.bradley_terry([1], [1], [1])),
    ("between 0 and 1", lambda: stats.bradley_terry([0], [1], [1.5])),
    ("each judgment", lambda: stats.position_bias([0], [0, 1], [1, 0], [1, 1])),
    ("each judgment", lambda: stats.length_bias([0, 1], [1], [[1, 2]])),
    ("above 0", lambda: stats.holm([0.5, 0.0])),
    ("above 0", lambda: stats.holm([0.5, 1.1])),
    ("above 0", lambda: stats.holm([0.5, math.nan])),
    ("exceedances", lambda: stats.confidence(10, 9, 0.05)),
    ("exceedances", lambda: stats.p_interval(0, 0)),
    ("level", lambda: stats.confidence(1, 9, 1.0)),
    ("not finite", lambda: stats.groups([1.0, math.nan], np.zeros((2, 2)))),
    ("symmetric matrix of 2", lambda: stats.groups([1.0, 2.0], np.zeros((2, 3)))),
    ("symmetric matrix of 2", lambda: stats.groups([1.0, 2.0], [[False, True], [False, False]])),
    ("a level", lambda: stats.power([1, -1, 1], level=2.0)),
    ("alpha", lambda: stats.Sequential(alpha=0)),
    ("leaves nothing to show", lambda: stats.Sequential(margin=1.0)),
    ("margin", lambda: stats.Sequential(margin=-1)),
    ("both finite", lambda: stats.Sequential(bounds=(1, 1))),
    ("both finite", lambda: stats.Sequential(bounds=(0, math.inf))),
    ("two numbers", lambda: stats.Sequential(bounds=5)),  # type: ignore[arg-type]
    ("scores must lie between 0 and 1", lambda: stats.Sequential("A").add(1.2, 0)),
    ("B scores nan", lambda: stats.Sequential("A", "B").add(0, math.nan)),
    ("no score of A", lambda: stats.Sequential("A").add("yes", 0)),
    ("2 scores of A and 1 of B", lambda: stats.Sequential("A", "B").add([1, 0], [1])),
    ("a number", lambda: stats.Sequential("A").add([], [])),
]


@pytest.mark.parametrize(("said", "call"), REFUSED)
def test_refused(said: str, call: Callable[[], object]) -> None:
    with pytest.raises(TellapartError, match=said):
        call()
