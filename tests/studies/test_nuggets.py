"""The pilot study of event nuggets: three ways to combine scores, on generated systems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pages import shows_study
from studies.__main__ import main
from studies.nuggets import mappings
from studies.nuggets.systems import GeneratedTask, Mention, Rates, System, crowded
from study_runs import Run, check_verdicts, run_study
from table_files import Capture

NO_RATES = Rates(0.0, 0.0, 0.0, 0.0, 0.0)
# The claims that do not rest on what was drawn, by how they begin.
OTHERWISE = {
    "With TP / (TP + FP), precision": "holds",
    "Where both halves of a split mention": "holds",
    "Errors in attributes and in spans": "is consistent",
    "With separate scores it is difficult": "is consistent",
    "False positives are counted once": "does not come out",
    "MUC's precision is": "does not come out",
    "The scores are of 15 submissions": "not checked",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_study("nuggets", tmp_path_factory.mktemp("nuggets"))


@pytest.mark.slow
def test_every_statement_has_its_verdict_and_the_page_shows_them(run: Run) -> None:
    """Of systems that were drawn, a statement neither simply holds nor fails."""
    check_verdicts(run.record, OTHERWISE, "so on these generated systems")
    assert shows_study("nuggets", run.shown)


def test_greedy_and_best_by_hand() -> None:
    """The pair that overlaps most leaves the other mention without a partner."""
    gold = [Mention(0, (0, 1), 0, 0), Mention(0, (2, 3, 4), 0, 0)]
    own = [Mention(0, (1, 2, 3), 0, 0), Mention(0, (4, 5), 0, 0)]
    both = tuple(System(name, NO_RATES, tuple(own), 2) for name in "ST")
    found = mappings.choose(GeneratedTask(tuple(gold), both), 0)
    assert crowded(gold, 2) == tuple(gold)  # all in the first room
    # Dice with the gold mentions: 2/5 and 2/3 of the first, 0 and 2/5 of the second.
    assert found.mapping.first == pytest.approx((2 * (2 / 3) / 4,) * 2)
    assert found.mapping.second == pytest.approx((2 * (2 / 5 + 2 / 5) / 4,) * 2)
    assert found.credit.second == pytest.approx((2 * 0.5 / 4,) * 2)


def test_own_gold_and_systems(tmp_path: Path, capsys: Capture) -> None:
    """Two mentions: A is right but for a realis; B has one with a wrong type, and misses one."""
    gold = [("1,2", "Life.Die", "Actual"), ("5,6", "Justice.Sue", "Other")]
    said = {
        "gold": gold, "A": [gold[0], ("5,6", "Justice.Sue", "Actual")],
        "B": [("1,2", "Conflict.Attack", "Actual")],
    }  # fmt: skip
    for name, mentions in said.items():
        lines = ["\t".join([name, "d", f"E{k}", own[0], "x", *own[1:]])
                 for k, own in enumerate(mentions)]  # fmt: skip
        text = "\n".join(["#BeginOfDocument d", *lines, "#EndOfDocument", ""])
        (tmp_path / "set").mkdir(exist_ok=True)
        (tmp_path / "set" / f"{name}.tbf").write_text(text)
    target = tmp_path / "found.json"
    assert main(["nuggets", "--data", str(tmp_path / "set"), "--json", str(target)]) == 0
    first, second = json.loads(target.read_text())["figures"]["systems"]
    assert first["augmented"] == {"span": 1.0, "type": 1.0, "realis": 0.5, "all": 0.5}
    assert second["augmented"] == pytest.approx(
        {"span": 2 / 3, "type": 0, "realis": 2 / 3, "all": 0}
    )
    shown = capsys.readouterr().out
    assert "  type        1 of 2" in shown
    assert "  realis      1 of 2" in shown
