"""How the verdict of a campaign depends on who judged."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from campaign_files import rated, separate
from muc_files import attack
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.exchange import design_of, join, rows_in
from tellapart.campaign.judges import who_judged
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings

DATA = Path(os.environ.get("TELLAPART_DATA", "/nowhere"), "muc4", "tst3")
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
    assert found.judges == ("ann", "bob")
    for pair in found.pairs:
        a, b = pair.held.a, pair.held.b
        for who, result in ((None, pair.held), *pair.by_judge.items()):
            expected = ta.compare(scores(said, who), intervals=False).pair(a, b)
            assert result.p == expected.p, (who, a, b)
            assert result.difference == pytest.approx(expected.difference)
            assert result.different == expected.different
        assert pair.nobody.difference == 0
        assert pair.nobody.p == 1
    by_pair = {(each.held.a, each.held.b): each for each in found.pairs}
    assert by_pair["A", "B"].by_judge["ann"].different
    assert not by_pair["A", "B"].by_judge["bob"].different
    table = found.table()
    starred = [table.texts(row)[0] for row in table.rows if table.texts(row)[-1] == "*"]
    assert starred
    assert set(starred) <= {"ann", "bob"}


def test_rulings_count_for_who_ruled_and_are_nobodys_verdict(tmp_path: Path) -> None:
    campaign = rated(tmp_path, separate(4, *"AB"), second_opinions=0.5)
    for who, grade in (("ann", "right"), ("bob", "wrong"), ("cid", "partly")):
        campaign.log.decide(who, question("q0", "A 0"), outcome(grade), ruling=who == "cid")
    found = who_judged(campaign)
    assert found.judges == ("ann", "bob")
    (pair,) = found.pairs
    assert pair.held.difference == pytest.approx(0.5 / 4)
    assert pair.by_judge["ann"].difference == pytest.approx(1 / 4)
    assert pair.by_judge["bob"].difference == 0


def templates(folder: Path, second: bool) -> Campaign:
    """Make a campaign of templates: 24 messages, one doubtful fill in each, of one system."""
    key, one, other = (
        "".join(
            attack(f"M{k}", perp_ind_id='"GUERRILLAS"', hum_tgt_desc=f'"{who}"') for k in range(24)
        )
        for who in ("PEASANTS", "TWO MEN", "PEASANTS")
    )
    campaign = Campaign.create(
        str(folder / "c"),
        Settings("Templates", form="muc", judging="fills", metric="f1"),
        [("gold", "key.txt", key.encode())],
    )
    campaign.submit("ONE", "one.txt", one.encode())
    campaign.submit("OTHER", "other.txt", other.encode())
    judging = load_judging(campaign)
    for k, item in enumerate(judging.items):
        (asked,) = judging.questions_at(item)
        match = next(each.outcome for each in asked.answers if '"match"' in each.outcome)
        fail = next(each.outcome for each in asked.answers if '"fail"' in each.outcome)
        campaign.log.decide("ann", asked.id, match)
        if second:
            campaign.log.decide("bob", asked.id, match if k % 2 else fail)
    return campaign


def test_fills_of_templates_have_verdicts_by_judge(tmp_path: Path) -> None:
    """With ann both systems are perfect; with nobody's decisions, and with bob's, one is not."""
    found = who_judged(templates(tmp_path, second=True))
    (pair,) = found.pairs
    assert pair.by_judge["ann"].difference == 0
    assert pair.nobody.difference < pair.by_judge["bob"].difference < 0
    assert pair.by_judge["bob"].different
    assert pair.differing == ["ann"]


@pytest.mark.slow
def test_ge_and_umass_with_and_without_the_decisions_of_1992(tmp_path: Path) -> None:
    """By F, exactly: .1200 by the scorer alone, .0321 with the history, .0987 as published."""
    if not DATA.exists():
        pytest.skip("the data of MUC-4 are not here (TELLAPART_DATA)")
    campaign = Campaign.create(
        str(tmp_path / "c"),
        Settings("MUC-4", form="muc", judging="fills", metric="f1"),
        [("gold", "key.txt", (DATA / "key.txt").read_bytes())],
    )
    for name in ("GE", "UMASS"):
        path = next(iter((DATA / "responses").glob(f"{name}.*")))
        campaign.submit(name, path.name, path.read_bytes())
    rows = rows_in(str(DATA / "history.txt"), lambda: design_of(campaign), "1992")
    join(campaign, rows, "history.txt")
    judging = desk_of(campaign).judging
    undecided = load_judging(campaign).counts()
    (pair,) = who_judged(campaign).pairs
    for counts, judged, exchanged in (
        (undecided, pair.nobody, 0.12000098529945528),
        (judging.counts(), pair.held, 0.0320878617),
    ):
        auto, exact = (
            ta.compare(counts, metrics="f1", test=test).pairs[0] for test in ("auto", "exact")
        )
        assert judged.p == auto.p
        assert exact.p == pytest.approx(exchanged, rel=1e-7)
    assert pair.by_judge["1992"].p == pair.held.p
    published = ta.compare(ta.example("muc4").systems["GE", "UMASS"], metrics="f1", test="exact")
    assert published.pair("GE", "UMASS").p == pytest.approx(0.0986735, rel=1e-5)
