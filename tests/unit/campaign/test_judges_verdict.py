"""How the verdict of a campaign depends on who judged."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from campaign_files import rated, separate
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.exchange import design_of, join, rows_in
from tellapart.campaign.judges import ALL, NONE, who_judged
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings
from tellapart.formats.reading import read

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
    sources = [str(DATA / "responses" / f"{name}.txt") for name in ("GE", "UMASS")]
    for path in map(Path, sources):
        campaign.submit(path.stem, path.name, path.read_bytes())
    rows = rows_in(str(DATA / "history.txt"), lambda: design_of(campaign), "1992")
    join(campaign, rows)
    judging = desk_of(campaign).judging
    wanted = read(sources, str(DATA / "key.txt"), form="muc", history=str(DATA / "history.txt"))
    assert np.array_equal(judging.counts().values, wanted.values)
    undecided = load_judging(campaign).counts()
    by = {who: each.pairs[0] for who, each in who_judged(campaign).found.items()}
    for counts, judged, exchanged in (
        (undecided, by[NONE], 0.12000098529945528),
        (judging.counts(), by[ALL], 0.0320878617),
    ):
        assert judged.p == ta.compare(counts, metrics="f1", test="exact").pairs[0].p
        assert judged.p == pytest.approx(exchanged, rel=1e-7)
    assert by["1992"].p == by[ALL].p
    published = ta.compare(ta.example("muc4").systems["GE", "UMASS"], metrics="f1", test="exact")
    assert published.pair("GE", "UMASS").p == pytest.approx(0.0986735, rel=1e-5)
