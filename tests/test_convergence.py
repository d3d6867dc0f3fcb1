"""Convergence: the gain on an unseen test set relative to that on a seen one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from table_files import Write
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.planning.convergence import Convergence, converge
from tellapart.report.convergence import render_convergence, sentence

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
    columns, rows = ["tp", "fp", "fn"], [[1, 1, 1], [1, 1, 1]]
    before = Counts.from_arrays({"A": rows}, columns)
    seen = Counts.from_arrays({"A": [[2, 1, 0], [1, 0, 1]]}, columns)
    unseen = Counts.from_arrays({"A": [[5, 3, 3], [0, 0, 0]]}, columns)
    found = converge([before, seen], [before, unseen], "f1", resamples=199)
    assert (found.seen.before, found.seen.after, found.unseen.after) == (0.5, 0.75, 0.625)
    assert found.ratio == 0.5


def test_errors_that_fall_are_a_gain() -> None:
    columns = ["sub", "del", "ins", "ref"]
    before = Counts.from_arrays({"A": [[4, 0, 0, 10]] * 30}, columns)
    after = Counts.from_arrays({"A": [[2, 0, 0, 10]] * 30}, columns)
    less = Counts.from_arrays({"A": [[3, 0, 0, 10]] * 30}, columns)
    found = converge([before, after], [before, less], "wer", resamples=199)
    assert (found.seen.gain, found.unseen.gain, found.ratio) == (0.2, 0.1, 0.5)
    assert found.interval == (0.5, 0.5)


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


def test_the_two_sets_are_drawn_apart() -> None:
    """The same tables twice: shared draws would give the ratio 1 in every resample."""
    seen, _ = _simulated(np.random.default_rng(2), 60, (0.1, 0.1))
    found = converge(seen, seen, "mean", resamples=999)
    assert found.ratio == 1
    assert found.interval is not None
    assert found.interval[0] < 0.8
    assert found.interval[1] > 1.2


def test_an_unclear_gain_has_no_interval() -> None:
    rng = np.random.default_rng(0)
    before = rng.normal(0.5, 0.2, 40)
    moved = rng.normal(0.0, 0.15, 40)
    seen = _pair(before, before + moved - moved.mean() + 0.01)
    found = converge(seen, seen, "mean", resamples=999)
    assert found.ratio == pytest.approx(1.0)
    assert found.interval is None
    assert found.no_gain > 0.1


def test_without_a_gain_there_is_no_ratio() -> None:
    before, after = (Counts.from_arrays({"A": scores}) for scores in ([1, 0, 1], [0, 0, 1]))
    found = converge([before, after], [before, after], "mean", resamples=199)
    assert found.ratio is None
    assert found.interval is None


def test_a_few_items_show_nothing() -> None:
    """Three items that all rise: three coins fall alike with a chance of 2/8."""
    before, after = (Counts.from_arrays({"A": scores}) for scores in ([0, 0, 0], [1, 1, 1]))
    found = converge([before, after], [before, after], "mean", resamples=199)
    assert (found.ratio, found.interval, found.seen.interval) == (1, None, None)
    assert "helped beyond" not in sentence(found)
    assert sentence(found).startswith("Too few items to tell")
    first, second = (notice.text for notice in found.notices)
    assert first.startswith("The seen set has only 3 items")
    assert second.startswith("The unseen set has only 3 items")
    assert "probability of .25" in first
    assert max(map(len, render_convergence(found).splitlines())) <= 80


def test_one_small_set_is_enough_for_no_interval() -> None:
    small = [Counts.from_arrays({"A": [score] * 5}) for score in (0, 1)]
    large = [Counts.from_arrays({"A": [score] * 30}) for score in (0, 1)]
    found = converge(large, small, "mean", resamples=199)
    assert found.interval is None
    assert found.seen.interval == (1, 1)
    assert [notice.text.split()[1] for notice in found.notices] == ["unseen"]


def test_an_unseen_set_without_any_change_is_said_to_have_none() -> None:
    seen = [Counts.from_arrays({"A": scores}) for scores in ([0, 1] * 20, [1, 1] * 20)]
    found = converge(seen, [seen[0], seen[0]], "mean", resamples=199)
    assert sentence(found).startswith("Nothing changed on the unseen set")
    # What rises and falls by as much is a change, though no gain.
    turned = Counts.from_arrays({"A": [1, 0] * 20})
    moved = converge(seen, [seen[0], turned], "mean", resamples=199)
    assert moved.unseen.gain == 0
    assert "Nothing changed" not in sentence(moved)


def test_items_are_matched_by_name() -> None:
    before, after = (
        Counts.from_arrays({"A": scores}, items=items)
        for scores, items in (
            ([0.0, 1.0] * 5, list("abcdefghij")),
            ([0.5, 1.0] * 5, list("abcdefghij")),
        )
    )
    turned = Counts.from_arrays({"A": [1.0, 0.5] * 5}, items=list("jihgfedcba"))
    one, other = (converge([before, x], [before, after], "mean", resamples=199)
                  for x in (after, turned))  # fmt: skip
    assert one == other


def test_sets_must_be_the_same_before_and_after() -> None:
    before = Counts.from_arrays({"A": [1, 0]}, items=["x", "y"])
    after = Counts.from_arrays({"A": [1, 0]}, items=["x", "z"])
    with pytest.raises(DataError, match=r"of the seen set do not have the same items \(y, z\)"):
        converge([before, after], [before, before], "mean")


def _tables(write: Write) -> list[str]:
    """Four tables of 30 documents with three sentences; arguments of the command."""
    rng = np.random.default_rng(3)
    arguments = []
    for which, gain in (("seen", 0.6), ("unseen", 0.3)):
        base = rng.integers(0, 4, 90)
        for when, more in (("before", 0), ("after", rng.random(90) < gain)):
            found = np.minimum(4, base + more)
            rows = [f"ours,{which}{k},d{k // 3},{n},1,{4 - n}" for k, n in enumerate(found)]
            text = "\n".join(["system,sentence,doc,tp,fp,fn", *rows]) + "\n"
            arguments += [f"--{when}-{which}", write(f"{when}-{which}.csv", text)]
    return arguments


def test_the_finding_comes_first(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convergence", *_tables(write)]) == 0
    out = capsys.readouterr().out
    first = " ".join(out.split("\n\n")[0].split())
    assert first.startswith("Of each point gained on the seen set, 0.")
    assert "The changes helped beyond the seen set" in first
    assert "seen, 90 sentences" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_record_is_the_same_twice(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["convergence", *_tables(write), "--cluster", "doc", "--resamples", "499"]
    records = []
    for _ in range(2):
        assert main([*arguments, "--metric", "recall", "--seed", "4", "--json", "-"]) == 0
        records.append(capsys.readouterr().out)
    assert records[0] == records[1]
    record = json.loads(records[0])
    assert record["metric"] == "recall"
    assert (record["seen"]["units"], record["seen"]["kind"]) == (30, "doc")
    low, high = record["interval"]
    assert low < record["ratio"] < high
    assert record["ratio"] == pytest.approx(record["unseen"]["gain"] / record["seen"]["gain"])


def test_several_systems_need_a_choice(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = _tables(write)
    two = write("two.csv", "sentence,ours,theirs\n" + "".join(f"{k},1,0\n" for k in range(9)))
    arguments[1] = two
    assert main(["convergence", *arguments]) == 2
    assert "the table holds 2 systems; choose one with --system, of ours, theirs" in (
        capsys.readouterr().err
    )
    assert main(["convergence", *arguments, "--system", "mine"]) == 2
    assert "there is no system 'mine'" in capsys.readouterr().err
    assert main(["convergence", *arguments, "--system", "ours"]) == 2  # scores, and counts after
    assert "do not have the same sentences" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--resamples", "5"), "--resamples must be at least 99"),
        (("--seed", "-1"), "--seed must be at least 0"),
        (("--metric", "f7x"), "unknown metric 'f7x'"),
        (("--cluster", "story"), "there is no label 'story'"),
    ],
)
def test_bad_input_is_one_sentence(
    more: tuple[str, ...], said: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convergence", *_tables(write), *more]) == 2
    assert said in capsys.readouterr().err
