"""Convergence: the gain on an unseen test set relative to that on a seen one."""

from __future__ import annotations

import json
import math

import numpy as np
from numpy.typing import NDArray

from pages import shows_study
from studies.__main__ import main
from studies.convergence.gains import converge
from table_files import Capture, Write
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


def test_the_page_shows_the_study(capsys: Capture) -> None:
    assert main(["convergence"]) == 0
    assert shows_study("convergence", capsys.readouterr().out)


def test_a_folder_of_four_tables(write: Write, capsys: Capture) -> None:
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
