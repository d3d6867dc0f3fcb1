"""The decisions of a history, given by judges over HTTP, lead to the scores that the history does.

So does the history that such a campaign exports.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra 'campaign' is not installed")

from starlette.testclient import TestClient

from campaign_files import log_in
from muc_files import attack, write
from simulated_judges import JSON, Material, judged, with_the_same_counts
from tellapart.campaign.demo import demo_campaign
from tellapart.campaign.fills import Fills
from tellapart.campaign.judging import desk_of
from tellapart.campaign.web.app import make_app
from tellapart.campaign.web.judging import handle_of


def made(folder: Path) -> Material:
    """Make a key, two responses, and decisions about most of what is not decided by itself."""

    def event(message: str, number: str, desc: str, date: str = "-") -> str:
        return attack(message, number, perp_ind_id='"GUERRILLAS"', hum_tgt_desc=desc, inc_date=date)

    key = write(
        folder, "key.txt", event("M1", "1", '"PEASANTS"'),
        event("M2", "1", '"GUARDS"', "02 MAR 90"), event("M2", "2", '"CLERKS"', "02 MAR 90"),
    )  # fmt: skip
    one = write(
        folder, "ONE.txt", event("M1", "1", '"TWO MEN"'), event("M2", "1", '"STAFF"', "02 MAR 90")
    )
    two = write(
        folder, "TWO.txt", event("M1", "1", '"VILLAGERS"'), event("M2", "1", '"STAFF"'),
        event("M2", "2", '"SOLDIERS"', "03 MAR 90"),
    )  # fmt: skip
    # The staff are the clerks: so it is the second template of the key that is paired.
    history = folder / "history.txt"
    history.write_text(
        '(("M1" ("1" (hum-tgt-desc ("\\"MEN\\"" match "\\"PEASANTS\\"")'
        ' ("\\"VILLAGERS\\"" partial "\\"PEASANTS\\""))))\n'
        ' ("M2" ("1" (hum-tgt-desc ("\\"SOLDIERS\\"" match "\\"GUARDS\\"") ("\\"STAFF\\"" fail)))\n'
        '  ("2" (hum-tgt-desc ("\\"STAFF\\"" match "\\"CLERKS\\"")))))\n'
    )
    return Material(Path(key), [Path(one), Path(two)], history)


def test_judges_of_a_made_up_history(tmp_path: Path) -> None:
    material = made(tmp_path)
    campaign = material.campaign(tmp_path / "campaign", second_opinions=0.5)
    before = desk_of(campaign).judging.counts()
    judges = judged(campaign, material.evaluation(), ["ann", "bob"])
    desk = with_the_same_counts(material, campaign, tmp_path)
    assert not np.array_equal(before.values, desk.judging.counts().values)
    assert isinstance(desk.judging, Fills)
    pairs = [(each.key, each.response) for each in desk.judging.runs()["ONE"].pairs]
    assert pairs == [("1", "1"), ("1", None), ("2", "1")]
    assert sum(judge.decided for judge in judges) == len(campaign.log.since())
    assert desk.opinions.conflicts() == []


def test_a_judge_is_sent_no_name_of_a_system(tmp_path: Path) -> None:
    """Not even in what the page hides: a pairing is of one system."""
    demo = demo_campaign(str(tmp_path / "demo"))
    client = TestClient(make_app(demo.campaign), base_url="http://localhost")
    log_in(client, demo.tokens["ann"])
    (csrf,) = set(re.findall(r'data-csrf="(\w+)"', client.get("/judge").text))
    desk = desk_of(demo.campaign)
    (pairing,) = [each for each in desk.questions if each[0] == "pairing"]
    for asked in (next(iter(desk.questions)), pairing):
        name = handle_of(demo.campaign.settings.seed, "ann", asked)
        address = f"/judge?question={name}"
        told = client.get(address, headers=JSON)
        assert told.json()["question"]["kind"] == asked[0]
        for text in (told.text, client.get(address).text):
            assert not any(name in text for name in desk.judging.systems)
    question = told.json()["question"]
    assert question["subject"] is None
    sent = {"outcome": question["answers"][1]["outcome"], "request": "1"}
    sent["question"] = question["question"]
    answered = client.post("/judge/answer", json=sent, headers={**JSON, "x-csrf": csrf})
    assert answered.status_code == 200
    desk.refresh()
    assert desk.opinions.holds(pairing) == sent["outcome"]
