"""Convergence: the gain on an unseen test set relative to that on a seen one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pages import shows_study
from studies.__main__ import main
from studies.convergence.gains import Convergence, converge
from table_files import Write
from tellapart.counts import Counts

Floats = NDArray[np.float64]


def _pair(before: Floats, after: Floats) -> list[Counts]:
    return [Counts.from_arrays({"ours": np.round(scores, 6)}) for scores in (before, after)]


def _simulated(
    rng: np.random.Generator, items: int, gains: tuple[float, float]
) -> tuple[list[Counts], list[Counts]]:
    """Two sets of scores that rise by so much on average."""
    made = []
    for gain in gains:
        before = rng.normal(0.5, 0.2, items)
        made.append(_pair(before, before + rng.normal(gain, 0.15, items)))
    return made[0], made[1]


def _fieller(found: Convergence, seen: list[Counts], unseen: list[Counts]) -> tuple[float, float]:
    """Fieller's interval of a ratio of two independent normal means."""
    gains, errors = [], []
    for before, after in (unseen, seen):
        moved = (after.values[0, :, 0] / after.scales[0]) - (
            before.values[0, :, 0] / before.scales[0]
        )
        gains.append(moved.mean())
        errors.append(moved.var(ddof=1) / len(moved))
    z2 = stats.norm.ppf(0.975) ** 2
    a, b, c = gains[1] ** 2 - z2 * errors[1], gains[0] * gains[1], gains[0] ** 2 - z2 * errors[0]
    root = math.sqrt(b * b - a * c)
    assert found.ratio == pytest.approx(gains[0] / gains[1], rel=1e-4)
    return (b - root) / a, (b + root) / a


def test_ratio_of_gains_by_hand() -> None:
    """F1 rises from 4/8 to 6/8 on the seen set, and from 4/8 to 5/8 on the unseen one."""
    columns, rows = ["tp", "fp", "fn"], [[1, 1, 1], [1, 1, 1]] * 10
    before = Counts.from_arrays({"A": rows}, columns)
    seen = Counts.from_arrays({"A": [[2, 1, 0], [1, 0, 1]] * 10}, columns)
    unseen = Counts.from_arrays({"A": [[5, 3, 3], [0, 0, 0]] * 10}, columns)
    found = converge([before, seen], [before, unseen], "f1", resamples=199)
    assert (found.seen.before, found.seen.after, found.unseen.after) == (0.5, 0.75, 0.625)
    assert found.ratio == 0.5


def test_the_interval_is_close_to_fiellers() -> None:
    seen, unseen = _simulated(np.random.default_rng(4), 150, (0.10, 0.06))
    found = converge(seen, unseen, "mean")
    assert found.interval is not None
    assert found.interval == pytest.approx(_fieller(found, seen, unseen), abs=0.03)


def test_the_interval_covers() -> None:
    """About 95 of 100 intervals hold the true ratio."""
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(150):
        seen, unseen = _simulated(rng, 80, (0.10, 0.05))
        found = converge(seen, unseen, "mean", resamples=399)
        assert found.interval is not None
        covered += found.interval[0] <= 0.5 <= found.interval[1]
    assert abs(covered / 150 - 0.95) <= 4 * math.sqrt(0.95 * 0.05 / 150)


def test_an_unclear_gain_has_no_interval() -> None:
    rng = np.random.default_rng(0)
    before = rng.normal(0.5, 0.2, 40)
    moved = rng.normal(0.0, 0.15, 40)
    seen = _pair(before, before + moved - moved.mean() + 0.01)
    found = converge(seen, seen, "mean", resamples=999)
    assert found.ratio == pytest.approx(1.0)
    assert found.interval is None
    assert found.no_gain > 0.1


def test_the_page_shows_the_study(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convergence"]) == 0
    assert shows_study("convergence", capsys.readouterr().out)


def test_a_folder_of_four_tables(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of the items rise on the seen set, a quarter on the unseen one: the ratio is 1/2."""
    for which, share in (("seen", 2), ("unseen", 4)):
        rows = {"before": [0] * 40, "after": [int(k % share == 0) for k in range(40)]}
        for when, scores in rows.items():
            lines = [f"{k},{score}" for k, score in enumerate(scores)]
            write(f"{when}-{which}.csv", "\n".join(["item,ours", *lines]) + "\n")
    assert main(["convergence", "--data", ".", "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert (figures["seen"]["gain"], figures["unseen"]["gain"], figures["ratio"]) == (
        0.5,
        0.25,
        0.5,
    )
    write("after-seen.csv", "item,ours,theirs\n0,1,0\n")
    assert main(["convergence", "--data", "."]) == 2
    assert "after-seen.csv: the table holds 2 systems; keep one" in capsys.readouterr().err
    assert main(["convergence", "--data", "nowhere"]) == 2
    assert "0 files are called before-seen" in capsys.readouterr().err
