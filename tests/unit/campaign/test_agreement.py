"""How far the people of a campaign agree, and how its verdict depends on who judged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from statsmodels.stats import inter_rater as raters

import tellapart as ta
from campaign_files import rated, separate
from tellapart.campaign.agreement import agreement_of, blind_opinions, interrater
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judges import ALL, NONE, who_judged
from tellapart.campaign.opinions import Decision
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import Settings

SETTINGS = Settings("Answers", "items")
GRADES = {"right": 1.0, "partly": 0.5, "wrong": 0.0}


def drawn(seed: int, questions: int, people: int, missing: float = 0.0) -> list[dict[str, str]]:
    """Answers of people who see the truth more often than not."""
    rng, grades = np.random.default_rng(seed), list(GRADES)
    found = []
    for _ in range(questions):
        truth = rng.choice(3, p=[0.5, 0.2, 0.3])
        said = {
            f"p{k}": grades[truth if rng.random() < 0.7 else rng.integers(3)]
            for k in range(people)
            if rng.random() >= missing
        }
        found.append(said)
    return found


def as_array(answers: Sequence[dict[str, str]], people: int) -> np.ndarray:
    """People × questions, as the peer takes them."""
    return np.array([[GRADES.get(each.get(f"p{k}", ""), np.nan) for each in answers]
                     for k in range(people)])  # fmt: skip


@pytest.mark.parametrize(("people", "missing"), [(2, 0.0), (2, 0.3), (3, 0.2), (6, 0.5)])
@pytest.mark.parametrize("seed", [1, 2])
def test_alpha_is_that_of_krippendorff(seed: int, people: int, missing: float) -> None:
    answers = drawn(seed, 60, people, missing)
    table = as_array(answers, people)
    level: Any
    for scale, level in ((None, "nominal"), (GRADES, "interval")):
        found = interrater(answers, scale=scale).alpha
        expected = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
        assert found.value == pytest.approx(expected, abs=1e-12)


def test_kappa_of_two_people_is_cohens_and_alpha_is_near_fleiss() -> None:
    """Fleiss' kappa takes chance from the same answers, drawn with replacement."""
    answers, grades = drawn(3, 80, 2), list(GRADES)
    table = np.zeros((3, 3))
    for each in answers:
        table[grades.index(each["p0"]), grades.index(each["p1"])] += 1
    found = interrater(answers)
    assert found.kappa.value == pytest.approx(raters.cohens_kappa(table).kappa, abs=1e-12)
    fleiss = raters.fleiss_kappa([[list(e.values()).count(g) for g in grades] for e in answers])
    n = 2 * len(answers)
    assert 1 - found.alpha.value == pytest.approx((1 - fleiss) * (n - 1) / n, abs=1e-12)


def test_questions_of_one_item_are_left_out_together() -> None:
    """Ten copies of each item's questions tell as little as one of each."""
    answers = drawn(5, 30, 2)
    once = interrater(answers)
    copied = interrater(answers * 10, clusters=list(range(30)) * 10)
    for one, other in ((once.kappa, copied.kappa), (once.share, copied.share)):
        assert other.value == pytest.approx(one.value)
        width, copied_width = (e.high - e.low for e in (one.interval, other.interval))
        assert copied_width == pytest.approx(width, rel=0.05)


# What counts as an opinion


def row(
    number: int, person: str, outcome: str | None, question: str = "q1", **more: object
) -> Decision:
    told = None if outcome is None else canonical({"rating": outcome})
    subject = canonical({"item": question})
    return Decision(number, "rating", subject, person, "", told, **more)  # type: ignore[arg-type]


def counted(*rows: Decision) -> dict[str, str]:
    found = blind_opinions(rows).get(("rating", canonical({"item": "q1"})), {})
    return {who: json.loads(each.outcome or "")["rating"] for who, each in found.items()}


def test_rulings_and_what_is_changed_once_another_has_answered_do_not_count() -> None:
    ann, bob = row(1, "ann", "right"), row(2, "bob", "wrong")
    for later in (
        row(3, "bob", "right", replaces=2),
        row(3, "ann", "wrong", replaces=1),
        row(3, "cid", "right", ruling=True),
    ):
        assert counted(ann, bob, later) == {"ann": "right", "bob": "wrong"}


def test_a_slip_that_is_taken_back_at_once_does_not_count() -> None:
    ann, slip = row(1, "ann", "right"), row(2, "bob", "wrong")
    undone = row(3, "bob", None, replaces=2, undoes=2)
    assert counted(ann, slip, undone) == {"ann": "right"}
    assert counted(ann, slip, undone, row(4, "bob", "right")) == {"ann": "right", "bob": "right"}
    elsewhere = row(3, "bob", "right", "q2")
    later = row(4, "bob", None, replaces=2, undoes=2)
    assert counted(ann, slip, elsewhere, later) == {"ann": "right", "bob": "wrong"}


# From a campaign


def test_fills_are_counted_by_status() -> None:
    def said(number: int, who: str, slot: str, status: str, *keys: str) -> Decision:
        subject = canonical({"message": f"M{slot}", "key": "1", "slot": slot, "response": "x"})
        outcome = canonical({"status": status, "keys": list(keys)})
        return Decision(number, "fill", subject, who, "2026-01-01T00:00:00+00:00", outcome)

    rows = [
        said(1, "ann", "a", "match", "K1"), said(2, "bob", "a", "match", "K2"),
        said(3, "ann", "b", "match", "K1", "K2"), said(4, "bob", "b", "match", "K2", "K1"),
        said(5, "ann", "c", "partial", "K1"), said(6, "bob", "c", "fail"),
    ]  # fmt: skip
    found = agreement_of(rows, SETTINGS)
    fills = found.kinds["fill"]
    assert (fills["all"].same, len(found.conflicts)) == (2, 2)
    numbers = {label: each.questions for label, each in fills.items()}
    assert numbers == {"all": 3, "a": 1, "b": 1, "c": 1}


def test_questions_of_a_message_hang_together_and_scales_may_be_others() -> None:
    widths = []
    for of_a_message in (1, 5):
        rows: list[Decision] = []
        for k in range(40):
            subject = canonical({"item": f"q{k // of_a_message}", "output": str(k)})
            for who, grade in (("ann", "right"), ("bob", ("right", "wrong")[k // 5 % 2])):
                said = canonical({"rating": grade})
                rows.append(Decision(len(rows) + 1, "rating", subject, who, "", said))
        for settings in (SETTINGS, Settings("T", "items", scale={"good": 1, "bad": 0})):
            found = agreement_of(rows, settings).kinds["rating"]["all"]
            assert found.share.value == 0.5
        widths.append(found.share.interval.high - found.share.interval.low)
    assert widths[1] > 1.5 * widths[0]


def test_pairings_have_a_share_and_no_kappa() -> None:
    subject = canonical({"message": "M1", "system": "GE"})
    told = [canonical({"pairs": pairs}) for pairs in ([["1", "1"]], [["1", None]])]
    rows = [
        Decision(k, "pairing", subject, who, "2026-01-01T00:00:00+00:00", outcome)
        for k, (who, outcome) in enumerate(zip(("ann", "bob"), told, strict=True), 1)
    ]
    pairings = agreement_of(rows, SETTINGS).kinds["pairing"]["all"]
    assert (pairings.share.value, pairings.alpha) == (0, None)


# The verdict under each judge


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
