"""Templates in JSON, judged by two people, at a terminal and in the browser: 200 decisions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from starlette.testclient import TestClient

from tellapart.campaign.agreement import agreement_of
from tellapart.campaign.bounds import Background
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judges import who_judged
from tellapart.campaign.judging import desk_of
from tellapart.campaign.web.app import make_app
from tellapart.cli import main
from tellapart.formats.templates.history_files import read_history

JSON = {"accept": "application/json"}
SYSTEMS = {"alder": 30, "birch": 20, "cedar": 5}
"""How many of a system's fills are right by the first judge"""
DOCUMENTS = 34
PLANTED = 20


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """Three systems, none of whose fills is the key's: a question for each fill."""
    (tmp_path / "schema.toml").write_text("[slots.victim]\n[slots.place]\n")

    def file(name: str, victim: str) -> Path:
        path = tmp_path / name
        rows = [
            {"id": f"d{k}", "templates": [{"victim": [f"{victim} {k}"], "place": ["Lima"]}]}
            for k in range(DOCUMENTS)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    folder, gold = str(tmp_path / "c"), file("key.jsonl", "farmer")
    words = ["campaign", "new", folder, "--as", "templates", "--second", "1"]
    assert main([*words, "--schema", str(tmp_path / "schema.toml"), "--gold", str(gold)]) == 0
    files = [f"{name}={file(f'{name}.jsonl', f'{name} peasant')}" for name in SYSTEMS]
    assert main(["campaign", "add", folder, *files]) == 0
    return Campaign.open(folder)


def is_right(subject: str) -> bool:
    """Return what the first judge says of a fill: the first so many of each system are right."""
    name, _, number = json.loads(json.loads(subject)["response"]).split()
    return int(number) < SYSTEMS[name]


def test_two_judges_of_json_templates(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = list(desk_of(campaign).questions)
    assert len(questions) == 3 * DOCUMENTS
    differing = set(questions[::5][:PLANTED])
    monkeypatch.setattr(Background, "start", lambda _: None)  # which would change what is asked

    # Ann, at a terminal.
    shown: list[str] = []
    titles = {desk_of(campaign).judging.view(each).title: each.id
              for each in desk_of(campaign).questions.values()}  # fmt: skip

    def typed(prompt: str) -> str:
        shown.append(prompt)
        title = re.findall(r"^Is .*\?$", capsys.readouterr().out, re.MULTILINE)
        if not title:
            return ""
        return "m" if is_right(titles[title[-1]][1]) else "x"

    monkeypatch.setattr("builtins.input", typed)
    assert main(["adjudicate", campaign.folder, "--judge", "ann"]) == 0
    assert len(campaign.log.since()) == len(questions)

    # Bob, in the browser.
    client = TestClient(make_app(campaign), base_url="http://localhost")
    headers = {**JSON, "authorization": f"Bearer {campaign.add_person('bob', 'judge')}"}
    asked = client.get("/judge", headers=headers).json()["question"]
    while asked is not None:
        right = is_right(asked["subject"]) != (("fill", asked["subject"]) in differing)
        outcome = asked["answers"][0 if right else -1]["outcome"]
        sent = {"question": asked["question"], "outcome": outcome}
        asked = client.post("/judge/answer", json=sent, headers=headers).json()["question"]
    assert len(campaign.log.since()) == 2 * len(questions) > 200

    # How far they agree, per slot, and the verdict under each.
    found = agreement_of(campaign.log.since(), campaign.settings, desk_of(campaign).questions)
    victim = found.kinds["fill"]["all"]
    assert (victim.questions, victim.same) == (102, 102 - PLANTED)
    assert victim.kappa is not None
    assert 0.5 < victim.kappa.value < 0.7
    assert set(found.conflicts) == differing
    judged = who_judged(campaign)
    assert judged.judges == ("ann", "bob")
    by_ann = {(p.held.a, p.held.b): p.by_judge["ann"].difference for p in judged.pairs}
    expected = (SYSTEMS["alder"] - SYSTEMS["cedar"]) / (2 * DOCUMENTS)
    assert by_ann["alder", "cedar"] == pytest.approx(expected)

    # An organiser settles what they differ about, as Ann had it.
    headers["authorization"] = f"Bearer {campaign.add_person('olga', 'organiser')}"
    left = client.get("/conflicts", headers=headers).json()["conflicts"]
    assert len(left) == PLANTED
    while left:
        first = left[0]
        title = next(key for key in differing if client_name(client, key) == first["question"])
        outcome = first["answers"][0 if is_right(title[1]) else -1]["outcome"]
        sent = {"question": first["question"], "outcome": outcome}
        left = client.post("/conflicts/rule", json=sent, headers=headers).json()["conflicts"]
    held = who_judged(campaign)
    for pair in held.pairs:
        assert pair.held.difference == pytest.approx(by_ann[pair.held.a, pair.held.b])
        assert pair.held.difference == pytest.approx(pair.by_judge["ann"].difference)

    # What holds goes out as a history, by which `score` gives the same.
    out = str(Path(campaign.folder).with_name("held.txt"))
    assert main(["campaign", "export", campaign.folder, "--history", out]) == 0
    history, problems = read_history(out, desk_of(campaign).judging.evaluation.design)  # type: ignore[attr-defined]
    assert not problems
    assert sum(1 for _ in history.decisions()) == len(questions)


def client_name(client: TestClient, question: tuple[str, str]) -> str:
    """Return by what the organiser names a question."""
    from tellapart.campaign.web.judging import _handle

    seed = client.app.state.site.campaign.settings.seed  # type: ignore[attr-defined]
    return _handle(seed, "olga", question)
