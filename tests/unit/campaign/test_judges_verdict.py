"""How the verdict of a campaign depends on who judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from campaign_files import rated, separate
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judges import ALL, NONE, who_judged
from tellapart.campaign.questions import canonical

Said = dict[tuple[str, int], dict[str, str]]
"""By system and item who said what"""
Judged = tuple[Campaign, Said]

WORTH = {"right": 1.0, "partly": 0.5, "wrong": 0.0}


def outcome(grade: str) -> str:
    return canonical({"rating": grade})


def question(item: str, output: str) -> tuple[str, str]:
    return "rating", canonical({"item": item, "output": output})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Three systems; ann finds A better than B, bob does not, and each has judged their part."""
    campaign = rated(tmp_path_factory.mktemp("judged"), separate(30, *"ABC"), second_opinions=0.5)
    rng = np.random.default_rng(4)
    said: Said = {}
    for system in "ABC":
        for k in range(30):
            ann = "right" if system == "A" or k % 3 == 0 else ("wrong", "partly")[k % 2]
            bob = "right" if k % 3 == 0 else ("partly", "wrong")[int(rng.integers(2))]
            who = ({"ann": ann, "bob": bob}, {"ann": ann}, {"bob": bob})[k % 3 if k > 5 else 0]
            said[system, k] = who
            for name, grade in who.items():
                campaign.log.decide(name, question(f"q{k}", f"{system} {k}"), outcome(grade))
    return campaign, said


def scores(said: Said, judge: str | None) -> dict[str, list[float]]:
    """Return what each system has: by a judge's answer, else by what all say, else 0."""
    found: dict[str, list[float]] = {}
    for (system, _), told in said.items():
        grades = {told[judge]} if judge in told else set(told.values())
        found.setdefault(system, []).append(WORTH[grades.pop()] if len(grades) == 1 else 0.0)
    return found


def test_the_verdict_under_each_judge_is_that_of_their_answers(judged: Judged) -> None:
    campaign, said = judged
    found = who_judged(campaign)
    assert list(found.found) == [ALL, NONE, "ann", "bob"]
    for who in (ALL, "ann", "bob"):
        for expected in ta.compare(scores(said, None if who == ALL else who)).pairs:
            result = found.found[who].pair(expected.a, expected.b)
            assert result.p == expected.p, (who, expected.a, expected.b)
            assert result.difference == pytest.approx(expected.difference)
            assert result.different == expected.different
    assert {(pair.difference, pair.p) for pair in found.found[NONE].pairs} == {(0, 1)}
    assert found.found["ann"].pair("A", "B").different
    assert not found.found["bob"].pair("A", "B").different
    assert len(found.table().rows) == 4 * len(found.found[ALL].pairs)


def test_rulings_count_for_who_ruled_and_are_nobodys_verdict(tmp_path: Path) -> None:
    campaign = rated(tmp_path, separate(4, *"AB"), second_opinions=0.5)
    for who, grade in (("ann", "right"), ("bob", "wrong"), ("cid", "partly")):
        campaign.log.decide(who, question("q0", "A 0"), outcome(grade), ruling=who == "cid")
    campaign.log.decide("dan", question("q1", "A 1"), outcome("right"))
    found = who_judged(campaign)
    by = {who: 4 * each.pair("A", "B").difference for who, each in found.found.items()}
    # What somebody has not judged counts as it holds, whatever others said of it.
    assert by == pytest.approx({ALL: 1.5, NONE: 0, "ann": 2, "bob": 1, "dan": 1.5})
