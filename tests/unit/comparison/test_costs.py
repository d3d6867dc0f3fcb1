"""Costs beside quality: what counts as one, and which systems spend less."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from tellapart.cli import main
from tellapart.metrics.directions import is_cost
from tellapart.report.terminal import render


def make(
    items: int, *, loss: float = 0.0, cheaper: float = 0.6, seed: int = 1, spread: float = 0.5
) -> ta.Counts:
    """Make up an old system and a new one that loses some items and costs a share of it."""
    rng = np.random.default_rng(seed)
    old = rng.random(items) < 0.8
    new = np.where(rng.random(items) < loss / 0.8, False, old)
    cost = rng.lognormal(0, spread, items)
    other = cheaper * cost * rng.lognormal(-0.02, 0.2, items)
    return ta.Counts.from_arrays(
        {
            "old": np.stack([old, cost.round(4)], axis=1),
            "new": np.stack([new, other.round(4)], axis=1),
        },
        columns=["accuracy", "total_cost"],
        form="items",
    )


@pytest.mark.parametrize(
    ("name", "cost"),
    [("cost", True), ("latency_ms", True), ("runtime", True), ("accuracy", False), ("wer", False),
     ("cost_savings", False), ("score", False)],
)  # fmt: skip
def test_names_of_costs(name: str, cost: bool) -> None:
    assert is_cost(name) == cost


def test_less_for_the_same_quality() -> None:
    result = ta.compare(make(300), margin=0.05)
    old, new = (system.scores["total_cost"] for system in result.systems)
    quality, spent = (result.pair("new", "old", name) for name in ("accuracy", "total_cost"))
    assert quality.a_no_worse
    assert spent.a_no_worse is None  # a margin is about quality
    shown = " ".join(render(result.record).split())
    assert f"new against old: {100 * (1 - new / old):.3g} % cheaper by total_cost." in shown
    as_dear = render(ta.compare(make(300, cheaper=1.0), margin=0.05).record)
    assert "% of what old does: maybe chance." in " ".join(as_dear.split())


def test_costs_by_name_and_by_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    shown = " ".join(capsys.readouterr().out.split())
    assert re.search(r"new against old: 4[\d.]+ % less by joules", shown)

    words = ["compare", str(place), "--metric", "f1", "--cost", "joules", "--json", str(record)]
    assert main(words) == 0
    assert list(json.loads(record.read_text())["metrics"]) == ["f1", "joules"]
    assert main(["compare", str(place), "--cost", "watts"]) == 2
    assert "--cost names 'watts'" in capsys.readouterr().err


def test_a_build_check_fails_by_a_cost_only_where_it_is_shown(tmp_path: Path) -> None:
    """A margin is about quality; a cost that is shown to be higher is worse without one."""
    for name, share in (("cheap", 0.6), ("dear", 1.5)):
        make(200, cheaper=share).to_table(tmp_path / f"{name}.csv")
    words = ["--margin", "0.05", "--fail-if-worse"]
    assert main(["compare", str(tmp_path / "cheap.csv"), *words]) == 0
    assert main(["compare", str(tmp_path / "dear.csv"), *words]) == 1


@pytest.mark.parametrize("tasks", [("qa",), ("qa", "sums")])
def test_a_cost_that_logs_hold_is_compared_where_it_is_named(
    tasks: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Logs keep their costs out of the verdict unless they are asked for."""
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        'about = "mine"\nmarks = ["case", "usd"]\nitem = "case"\ntask = "task"\n'
        'scores = {exact = "exact", rouge = "rouge"}\n[costs]\nusd = "usd"\n'
    )
    for system, spent in (("old", 2), ("new", 1)):
        rows = [
            {"case": f"q{k}", "task": task, "exact": k % 2, "rouge": k / 30, "usd": spent + k % 3}
            for task in tasks
            for k in range(30)
        ]
        (tmp_path / f"{system}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["compare", *(str(tmp_path / f"{name}.jsonl") for name in ("old", "new"))]
    words += ["--as", str(recipe), "--cost", "usd", "--json", "-"]
    assert main(words) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    main_scores = ["exact", "rouge"] if len(tasks) == 1 else ["exact"]
    assert list(record["metrics"]) == [*main_scores, "usd"]
    assert record["metrics"]["usd"]["cost"]
    assert "usd" not in printed.err
    assert json.loads(ta.compare(words[1:3], form=str(recipe), cost="usd").to_json()) == record
    assert main([*words, "--cost", "watts"]) == 2
    assert "--cost names 'watts', which is not compared" in capsys.readouterr().err
