"""Costs beside quality: what counts as one, and which systems spend less."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from table_files import Capture, json_lines
from tellapart.cli import main
from tellapart.report.terminal import render


def test_the_costs_shown_are_those_of_the_pair_in_question() -> None:
    """The two cheapest may be two that nobody asks about."""
    rng = np.random.default_rng(0)
    systems = {"best": (0.9, 5), "good": (0.7, 10), "poor": (0.1, 1), "bad": (0.05, 1.1)}
    values = {
        name: np.stack([rng.random(200) < right, cost * rng.uniform(0.9, 1.1, 200)], axis=1)
        for name, (right, cost) in systems.items()
    }
    counts = ta.Counts.from_arrays(values, columns=["accuracy", "total_cost"], form="items")
    result = ta.compare(counts)
    assert re.search(r"best - good +total_cost +-4\.\S+ .* Yes", render(result.record))


def test_costs_by_name_and_by_option(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(2)
    rows = ["item,system,metric,score"]
    for k in range(60):
        for system, share in (("old", 10), ("new", 5)):
            rows += [f"q{k},{system},f1,{rng.random():.2f}"]
            rows += [f"q{k},{system},joules,{share + rng.integers(3)}"]
    place = tmp_path / "scores.csv"
    place.write_text("\n".join(rows) + "\n")
    record = tmp_path / "record.json"

    assert main(["compare", str(place), "--json", str(record)]) == 0
    assert not json.loads(record.read_text())["metrics"]["joules"]["cost"]

    assert main(["compare", str(place), "--cost", "joules", "--json", str(record)]) == 0
    found = json.loads(record.read_text())
    assert found["metrics"]["joules"]["cost"]
    assert found["metrics"]["joules"]["higher_is_better"] is False
    assert re.search(r"new - old +joules +-", capsys.readouterr().out)

    words = ["compare", str(place), "--metric", "f1", "--cost", "joules", "--json", str(record)]
    assert main(words) == 0
    assert list(json.loads(record.read_text())["metrics"]) == ["f1", "joules"]
    assert main(["compare", str(place), "--cost", "watts"]) == 2
    assert "--cost names 'watts'" in capsys.readouterr().err


def test_a_build_check_fails_by_a_cost_only_alone_and_where_it_is_shown(tmp_path: Path) -> None:
    """A margin is about quality, and so is the check of several metrics."""
    rng = np.random.default_rng(1)
    right, cost = rng.random(200) < 0.8, rng.lognormal(0, 0.5, 200).round(4)
    for name, share in (("cheap", 0.6), ("dear", 1.5)):
        rows = {"old": [right, cost], "new": [right, (share * cost).round(4)]}
        ta.Counts.from_arrays(
            {system: np.stack(own, axis=1) for system, own in rows.items()},
            columns=["accuracy", "total_cost"], form="items",
        ).to_table(tmp_path / f"{name}.csv")  # fmt: skip
    cheap, dear = (["compare", str(tmp_path / f"{name}.csv"), "--fail-if-worse"]
                   for name in ("cheap", "dear"))  # fmt: skip
    assert main([*cheap, "--margin", "0.05"]) == main([*dear, "--margin", "0.05"]) == 0
    assert main([*cheap, "--metric", "total_cost"]) == 0
    assert main([*dear, "--metric", "total_cost"]) == 1


@pytest.mark.parametrize("tasks", [("qa",), ("qa", "sums")])
def test_a_cost_that_logs_hold_is_compared_where_it_is_named(
    tasks: tuple[str, ...], tmp_path: Path, capsys: Capture
) -> None:
    """Logs keep their costs out of the verdict unless they are asked for."""
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        'about = "mine"\nmarks = ["case", "usd"]\nitem = "case"\ntask = "task"\n'
        'scores = {exact = "exact", rouge = "rouge"}\n[costs]\nusd = "usd"\n'
    )
    for system, spent in (("old", 2), ("new", 1)):
        rows = (
            {"case": f"q{k}", "task": task, "exact": k % 2, "rouge": k / 30, "usd": spent + k % 3}
            for task in tasks
            for k in range(30)
        )
        (tmp_path / f"{system}.jsonl").write_text(json_lines(rows))
    words = ["compare", *(str(tmp_path / f"{name}.jsonl") for name in ("old", "new"))]
    words += ["--as", str(recipe), "--cost", "usd", "--json", "-"]
    assert main(words) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    main_scores = ["exact", "rouge"] if len(tasks) == 1 else ["exact"]
    assert list(record["metrics"]) == [*main_scores, "usd"]
    assert record["metrics"]["usd"]["cost"]
    assert main([*words, "--metric", "exact"]) == 0
    assert list(json.loads(capsys.readouterr().out)["metrics"]) == ["exact", "usd"]
