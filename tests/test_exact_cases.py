"""Reference cases: every count of the enumerated tables, and the exact p-values of real ones."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tellapart.counts import Counts
from tellapart.metrics.projection import Projection, project
from tellapart.resampling.binomial import two_tails
from tellapart.resampling.workers import open_pool
from tellapart.significance.exact_tests import Exact, exact_test, exact_tests
from tellapart.significance.questions import Question
from tellapart.significance.shuffle_tests import ShuffleJob, count_exceedances

COUNTS_OF = {"two": "count_two_sided", "greater": "count_ge", "less": "count_le"}


@dataclass(frozen=True)
class Case:
    """A metric of a reference table, and its counts by tail."""

    name: str
    projection: Projection
    expected: dict[str, Any]

    def question(self, tail: str) -> Question:
        """Ask about the two systems."""
        return Question(self.projection.metrics[0], 0, 1, tail)

    def count(self, tail: str) -> int:
        """Return how many of all exchanges count."""
        return int(self.expected[COUNTS_OF[tail]])


def reference(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text())


def cases(folder: Path, *, floats: bool = False) -> Iterator[Case]:
    """Go through all tables, metrics, and tables summed by cluster."""
    for case in reference(folder, "significance/exact-cases.json")["cases"]:
        labels = {"cluster": case["clusters"]} if "clusters" in case else {}
        tables = {
            "counts": Counts.from_arrays(
                {"A": case["a"], "B": case["b"]}, case["columns"], labels=labels
            ),
            "scores": Counts.from_arrays(
                {
                    name: [float(text) if floats else text for text in case[f"scores_{name}"]]
                    for name in "ab"
                },
                labels=labels,
            ),
        }
        for key in ("expected", "expected_cluster"):
            for metric, expected in case.get(key, {}).items():
                mean = metric == "mean_difference"
                counts = tables["scores" if mean else "counts"]
                if key == "expected_cluster":
                    counts = counts.by("cluster")
                projection = project(counts, ["mean" if mean else metric])
                yield Case(f"{case['id']} {metric} {key}", projection, expected)


def test_all_cases_are_there(reference_data: Path) -> None:
    names = [case.name for case in cases(reference_data)]

    assert len(names) == len(set(names)) >= 12 * 4 + 4
    assert any("cluster" in name for name in names)


@pytest.mark.parametrize("floats", [False, True], ids=["texts", "floats"])
def test_enumeration_gives_every_count(reference_data: Path, floats: bool) -> None:
    """Decimal scores count as what they are printed as, given as texts or as floats."""
    for case in cases(reference_data, floats=floats):
        for tail in COUNTS_OF:
            found = exact_test(case.projection, case.question(tail))
            assert found is not None
            assert found.exceeding is not None
            assert found.arrangements is not None
            # Items that do not differ double both numbers.
            times = case.expected["total"] // found.arrangements
            assert found.exceeding * times == case.count(tail), (case.name, tail)
            assert found.p == case.count(tail) / case.expected["total"]


def test_the_measured_scores_are_those_of_the_file(reference_data: Path) -> None:
    for case in cases(reference_data):
        bound = case.projection.metrics[0]
        first, second = (case.projection.score(bound, system) for system in (0, 1))
        assert str(first - second) == case.expected["observed"].removesuffix("/1"), case.name


def test_shuffles_come_near_every_count(reference_data: Path) -> None:
    """The number of exceedances among R shuffles is binomial."""
    shuffles, farthest = 100_000, 0.0
    for case in cases(reference_data):
        job = ShuffleJob.of(case.projection, [case.question(tail) for tail in COUNTS_OF], seed=0)
        with open_pool(1) as pool:
            found = count_exceedances(job, shuffles, pool)
        for count, tail in zip(found.tolist(), COUNTS_OF, strict=True):
            p = case.count(tail) / case.expected["total"]
            sd = math.sqrt(shuffles * p * (1 - p))
            assert abs(count - shuffles * p) <= 4.5 * sd, (case.name, tail)
            farthest = max(farthest, abs(count - shuffles * p) / sd if sd else 0.0)
    assert farthest > 1  # shuffles, not enumeration


METRICS = {
    "recall": "recall",
    "precision": "precision",
    "f_equal": "f1",
    "f_p_twice": "f0.5",
    "f_p_half": "f2",
}


@pytest.fixture(scope="module")
def five_systems(reference_data: Path) -> tuple[Projection, list[dict[str, Any]]]:
    """Five systems on a hundred messages, and what is known of their pairs."""
    table = reference(reference_data, "significance/expected.json")["multi_system_exact"]
    counts = Counts.from_arrays(table["systems"], ["pos", "act", "cor", "par"])
    return project(counts, list(METRICS.values())), table["pairwise"]


def ask(projection: Projection, row: dict[str, Any], tail: str) -> Question:
    """Turn a row of the five systems' table into a question."""
    bound = projection.metrics[list(METRICS).index(row["metric"])]
    a, b = (projection.counts.names.index(name) for name in row["pair"])
    return Question(bound, a, b, tail)


def all_exact(projection: Projection, questions: list[Question]) -> list[Exact]:
    with open_pool(2) as pool:
        found = exact_tests(projection, questions, pool)
    return [each for each in found if each is not None]


def test_exact_p_of_five_systems(
    five_systems: tuple[Projection, list[dict[str, Any]]],
) -> None:
    projection, rows = five_systems
    for tail, key in (("two", "p_two_sided"), ("greater", "p_greater"), ("less", "p_less")):
        found = all_exact(projection, [ask(projection, row, tail) for row in rows])

        assert [each.p for each in found] == pytest.approx([row[key] for row in rows], rel=1e-10)
        assert {each.how for each in found} == {"dense"}


@pytest.fixture(scope="module")
def muc4(shared_data: Path) -> tuple[Projection, list[dict[str, Any]]]:
    """Read the seventeen systems of MUC-4, and the exact p of all their pairs."""
    rows: dict[str, list[list[int]]] = {}
    with (shared_data / "muc4/tst3/counts.csv").open() as file:
        for row in csv.DictReader(file):
            tuples = [int(row[column]) for column in ("pos", "act", "cor", "par")]
            rows.setdefault(row["system"], []).append(tuples)
    counts = Counts.from_arrays(rows, ["pos", "act", "cor", "par"])
    projection = project(counts, ["recall", "precision", "f1"])
    return projection, reference(shared_data, "muc4/tst3/exact-p-values.json")


@pytest.mark.parametrize(("tail", "key"), [("two", "p_two_sided"), ("greater", "p_one_sided")])
def test_exact_p_of_all_pairs_of_muc4(
    muc4: tuple[Projection, list[dict[str, Any]]], tail: str, key: str
) -> None:
    projection, known = muc4
    names, metrics = projection.counts.names, [b.metric.name for b in projection.metrics]
    questions = [
        Question(
            projection.metrics[metrics.index(row["metric"])],
            names.index(row["a"]),
            names.index(row["b"]),
            tail,
        )
        for row in known
    ]

    found = np.array([each.p for each in all_exact(projection, questions)])

    assert len(found) == 408
    assert found == pytest.approx(np.array([row[key] for row in known]), rel=1e-9, abs=0)


def test_one_apart_of_many_coins_is_certain() -> None:
    """Two tails that meet make 1, however the halves are rounded."""
    assert all(two_tails(1, n) == 1.0 for n in range(1001, 3001, 2))
