"""The pilot study of event nuggets: three ways to combine scores, on generated systems."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from pages import shows_study
from studies.__main__ import main
from studies.core import Request
from studies.nuggets import mappings
from studies.nuggets import systems as generated
from studies.nuggets.study import reproduce
from studies.nuggets.systems import (
    GeneratedTask,
    Mention,
    Rates,
    System,
    crowded,
    generate,
)
from studies.rendering import as_json, render
from study_runs import Run, check_verdicts, run_study

NO_RATES = Rates(0.0, 0.0, 0.0, 0.0, 0.0)
SYSTEMS, DOCUMENTS, MENTIONS = 15, 200, 6921  # of the pilot study
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


@pytest.fixture(scope="module")
def record(run: Run) -> dict[str, Any]:
    return run.record


@pytest.fixture(scope="module")
def task() -> GeneratedTask:
    return generate(0)


@pytest.mark.slow
def test_every_statement_has_its_verdict(record: dict[str, Any]) -> None:
    """Of systems that were drawn, a statement neither simply holds nor fails."""
    check_verdicts(record, OTHERWISE, "so on these generated systems")


@pytest.fixture
def smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a fifth of the documents and mentions, where their number is not the point."""
    monkeypatch.setattr(generated, "DOCUMENTS", DOCUMENTS // 5)
    monkeypatch.setattr(generated, "MENTIONS", MENTIONS // 5)


@pytest.mark.slow
@pytest.mark.usefixtures("smaller")
def test_what_is_drawn_decides_no_statement(record: dict[str, Any]) -> None:
    """With another seed a verdict changes only where it says that systems are generated."""
    other = {each.claim: each.verdict for each in reproduce(Request(seed=2)).statements}
    for each in record["statements"]:
        if other[each["claim"]] != each["verdict"]:
            both = {other[each["claim"]], each["verdict"]}
            assert both == {"so on these generated systems", "not so on these generated systems"}


def test_systems_are_drawn_with_their_rates(task: GeneratedTask) -> None:
    """What a system gets wrong is as often wrong as its rates say, to a mention."""
    assert len({system.rates for system in task.systems}) == SYSTEMS
    places = {each: k for k, each in enumerate(_slots(task.gold))}
    for system in task.systems:
        parts: dict[int, list[Mention]] = defaultdict(list)
        for mention in system.without_spurious():
            parts[places[_slot(mention)]].append(mention)
        found, rates = len(parts), system.rates
        wrong = {
            "span": sum([m.tokens for m in own] != [task.gold[k].tokens]
                        for k, own in parts.items()),
            "type": sum(own[0].type != task.gold[k].type for k, own in parts.items()),
            "realis": sum(own[0].realis != task.gold[k].realis for k, own in parts.items()),
        }  # fmt: skip
        assert abs(found - (1 - rates.missing) * MENTIONS) <= 1
        for name, count in wrong.items():
            assert abs(count - getattr(rates, name) * found) <= 1
        spurious = len(system.mentions) - system.found
        assert abs(spurious - rates.spurious * MENTIONS) < 4.5 * (rates.spurious * MENTIONS) ** 0.5


def _slot(mention: Mention) -> tuple[int, int]:
    """Tell which stretch of which document a mention is in; there is one gold mention in each."""
    return mention.document, mention.tokens[0] // generated._ROOM


def _slots(mentions: tuple[Mention, ...]) -> list[tuple[int, int]]:
    return [_slot(each) for each in mentions]


def by_hand(gold: tuple[Mention, ...], system: System) -> dict[str, float]:
    """Work out the scores anew, with plain sets: mentions of different stretches never overlap."""
    own: dict[tuple[int, int], list[Mention]] = defaultdict(list)
    for mention in system.mentions:
        own[_slot(mention)].append(mention)
    sums: dict[str, float] = defaultdict(float)
    partners = 0
    for right in gold:
        dice = [
            (2 * len({*right.tokens} & {*m.tokens}) / (len(right.tokens) + len(m.tokens)), m)
            for m in own[_slot(right)]
        ]
        partners += bool(dice)
        sums["span"] += max((value for value, _ in dice), default=0)
        sums["type accuracy"] += sum(m.type == right.type for _, m in dice) / max(len(dice), 1)
        sums["all"] += max(
            (v for v, m in dice if (m.type, m.realis) == (right.type, right.realis)), default=0
        )
    n_gold, n_own = len(gold), len(system.mentions)
    precision, recall = sums["span"] / (sums["span"] + n_own - partners), sums["span"] / n_gold
    return {
        "separate span": 2 * precision * recall / (precision + recall),
        "separate type": sums["type accuracy"] / n_gold,
        "augmented span": 2 * sums["span"] / (n_gold + n_own),
        "augmented all": 2 * sums["all"] / (n_gold + n_own),
    }


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 7, 14])
def test_scores_are_those_of_plain_sets(
    task: GeneratedTask, record: dict[str, Any], place: int
) -> None:
    """An independent scorer for spans of the generated kind gives the same scores."""
    found = record["figures"]["systems"][place]
    for name, value in by_hand(task.gold, task.systems[place]).items():
        way, score = name.split()
        assert found[way][score] == pytest.approx(value, abs=1e-12), name


@pytest.mark.slow
def test_same_seed_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the command prints, writes and draws is what the library gives once more."""
    # Hundreds of draws of every kind: one that is not the seed's shows.
    monkeypatch.setattr(generated, "DOCUMENTS", DOCUMENTS // 20)
    monkeypatch.setattr(generated, "MENTIONS", MENTIONS // 20)
    target, pictures = tmp_path / "nuggets.json", tmp_path / "pictures"
    assert main(["nuggets", "--json", str(target), "--svg", str(pictures)]) == 0
    again = reproduce(Request())
    assert (render(again), as_json(again)) == (capsys.readouterr().out, target.read_text())
    assert again.drawings
    for name, picture in again.drawings.items():
        assert (pictures / name).read_text() == picture


@pytest.mark.slow
def test_page_shows_what_it_prints(run: Run) -> None:
    assert shows_study("nuggets", run.shown)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--data", "."], "needs gold.tbf"),
        (["--seed", "-1"], "at least 0"),
    ],
)
def test_bad_options_are_refused(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nuggets", *options]) == 2
    assert words in capsys.readouterr().err


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


def test_own_gold_and_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
