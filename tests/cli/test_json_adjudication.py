"""Templates in JSON, judged by two people, at a terminal and in the browser: 200 decisions."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

import tellapart as ta
from campaign_files import answer, asked, csrf_of, program, visitor
from table_files import Capture, json_lines
from tellapart.campaign.agreement import agreement_of
from tellapart.campaign.bounds import Background
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judges import ALL, who_judged
from tellapart.campaign.judging import desk_of, load_judging
from tellapart.campaign.web.judging import handle_of
from tellapart.cli import main

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
        rows = (
            {"id": f"d{k}", "templates": [{"victim": [f"{victim} {k}"], "place": ["Lima"]}]}
            for k in range(DOCUMENTS)
        )
        path.write_text(json_lines(rows))
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
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert "[scale]" not in Path(campaign.folder, "campaign.toml").read_text()
    capsys.readouterr()
    assert main(["campaign", "status", campaign.folder]) == 0
    assert "counts as the scorer has it." in capsys.readouterr().out
    desk = desk_of(campaign)
    questions = list(desk.questions)
    assert len(questions) == 3 * DOCUMENTS
    differing = set(questions[::5][:PLANTED])
    monkeypatch.setattr(Background, "start", lambda _: None)  # which would change what is asked

    # Ann, at a terminal.
    shown: list[str] = []
    titles = {desk.judging.view(each).title: each.id for each in desk.questions.values()}

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
    bob = program(campaign, "bob")
    while (question := asked(bob)) is not None:
        right = is_right(question["subject"]) != (("fill", question["subject"]) in differing)
        answer(bob, question["answers"][0 if right else -1]["outcome"])
    assert len(campaign.log.since()) == 2 * len(questions) > 200

    # How far they agree, per slot, and the verdict under each.
    found = agreement_of(campaign.log.since(), campaign.settings, desk_of(campaign).questions)
    victim = found.kinds["fill"]["all"]
    assert (victim.questions, victim.same) == (102, 102 - PLANTED)
    assert 0.5 < victim.kappa.value < 0.7
    assert found.conflicts == differing
    judged = who_judged(campaign)
    assert list(judged.found)[2:] == ["ann", "bob"]
    by_ann = judged.found["ann"]
    expected = (SYSTEMS["alder"] - SYSTEMS["cedar"]) / (2 * DOCUMENTS)
    assert by_ann.pair("alder", "cedar").difference == pytest.approx(expected)

    # An organiser settles what they differ about, as Ann had it.
    olga = visitor(campaign, "olga", "organiser")
    page, ruled = olga.get("/conflicts").text, 0
    called = {handle_of(campaign.settings.seed, "olga", key): key for key in differing}
    while handles := re.findall(r'name="question" value="(\w+)"', page):
        about = called[handles[0]]
        outcomes = re.findall(r'name="outcome" value="([^"]*)"', page)
        outcome = html.unescape(outcomes[0 if is_right(about[1]) else -1])
        sent = {"question": handles[0], "outcome": outcome, "csrf": csrf_of(olga, "/conflicts")}
        page, ruled = olga.post("/conflicts/rule", data=sent).text, ruled + 1
    assert ruled == PLANTED
    for pair in who_judged(campaign).found[ALL].pairs:
        assert pair.difference == pytest.approx(by_ann.pair(pair.a, pair.b).difference)

    # What holds goes out as a history, by which `score` gives the same.
    out = str(Path(campaign.folder).with_name("held.txt"))
    assert main(["campaign", "export", campaign.folder, "--history", out]) == 0
    capsys.readouterr()
    files = [str(Path(out).with_name(f"{name}.jsonl")) for name in SYSTEMS]
    gold, schema = (str(Path(out).with_name(name)) for name in ("key.jsonl", "schema.toml"))
    words = ["score", "--as", "templates", "--schema", schema, "--gold", gold, "--history", out]
    assert main([*words, *files]) == 0
    scored = {system: float(f1) for system, f1, *_ in map(str.split, lines_of(capsys)[1:])}
    assert scored == {
        name: round(0.5 + right / 2 / DOCUMENTS, 3) for name, right in SYSTEMS.items()
    }

    # And from there to JSON and back, without the campaign that knows the slots.
    told, again = out.replace("held.txt", "held.json"), out.replace("held.txt", "again.txt")
    assert main(["campaign", "export", out, "--json", told]) == 0
    assert main(["campaign", "import", again, told]) == 0
    assert Path(again).read_bytes() == Path(out).read_bytes()


def lines_of(capsys: Capture) -> list[str]:
    return capsys.readouterr().out.strip().splitlines()


def test_templates_of_a_campaign_are_paired_as_score_pairs_them(tmp_path: Path) -> None:
    """Key 1 agrees wholly with response 1, but key 2 earns three fills from it."""
    (tmp_path / "schema.toml").write_text("[slots.victim]\n[slots.place]\n[slots.weapon]\n")
    whole = {"victim": ["farmer"], "place": ["Lima"], "weapon": ["bomb"]}
    files = {
        "key": [{"victim": ["farmer"]}, whole],
        "alder": [whole, {"victim": ["farmer"], "place": ["Cusco"]}],
    }
    for name, templates in files.items():
        row = {"id": "d1", "templates": templates}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    folder, key = str(tmp_path / "c"), str(tmp_path / "key.jsonl")
    schema = ["--schema", str(tmp_path / "schema.toml")]
    assert main(["campaign", "new", folder, "--as", "templates", *schema, "--gold", key]) == 0
    assert main(["campaign", "add", folder, str(tmp_path / "alder.jsonl")]) == 0
    (system,) = ta.compare(load_judging(Campaign.open(folder)).counts()).systems
    assert (system.scores["recall"], system.scores["precision"]) == (1, 4 / 5)


def test_pairings_are_asked_in_words_of_today_and_a_new_file_under_them_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """No message, key or incident in JSON; templates are paired by number, whatever the file."""
    monkeypatch.chdir(tmp_path)
    Path("schema.toml").write_text("[slots.victim]\n[slots.place]\n")
    gold, both = [{"victim": ["Ana"], "place": ["Lima"]}, {"victim": ["Bo"]}], {"place": ["Lima"]}
    for name, templates in (("key", gold), ("alder", [both | {"victim": ["Cy"]}])):
        Path(f"{name}.jsonl").write_text(json_lines([{"id": "d1", "templates": templates}]))
    words = ["campaign", "new", "c", "--as", "templates", "--schema", "schema.toml"]
    assert main([*words, "--gold", "key.jsonl"]) == 0
    assert main(["campaign", "add", "c", "alder.jsonl"]) == 0
    desk = desk_of(Campaign.open("c"))
    fill, pairing = (
        next(each for each in desk.questions.values() if each.kind == kind)
        for kind in ("fill", "pairing")
    )
    assert desk.judging.view(fill).details == {
        "Slot": "victim", "Document": "d1", "Gold template": "1",
    }  # fmt: skip
    view = desk.judging.view(pairing)
    assert (view.title, view.sides) == ("Which templates belong together?", ("Gold", "Response"))
    assert view.details == {"Document": "d1"}
    assert pairing.answers[0].label == "Gold 1 with response 1; alone: gold 2"
    typed = '{"pairs": [["1", null], ["2", null], [null, "1"]]}'
    capsys.readouterr()
    assert main(["campaign", "add", "c", "alder.jsonl"]) == 0
    assert "paired" not in capsys.readouterr().err
    desk.answer("ann", pairing.id, typed)
    assert desk.said(pairing) == ["Alone: gold 1, gold 2, response 1"]
    assert main(["campaign", "add", "c", "alder.jsonl"]) == 0
    warned = "how templates of alder are paired was decided for d1, and holds for the new file, too"
    assert warned in capsys.readouterr().err


TEXTS = "d05\nTwo men fled.\n\nD06 (of a day)\nSeñora Li.\n"


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Return the words of a sitting over two documents with a question each."""

    def file(name: str, fills: dict[str, str]) -> str:
        rows = [
            {"id": d, "templates": [{"victim": [[*fill.split("|")]]}]} for d, fill in fills.items()
        ]
        path = tmp_path / name
        path.write_text(json_lines(rows))
        return str(path)

    (tmp_path / "schema.toml").write_text("[slots.victim]\n")
    gold = file("key.jsonl", {"d05": "two men|men", "d06": "Ms Li"})
    response = file("a.jsonl", {"d05": "two men in coats", "d06": "Señora Li"})
    schema, history = str(tmp_path / "schema.toml"), str(tmp_path / "history.txt")
    return ["adjudicate", "--schema", schema, "--gold", gold, "--history", history, response]


def sitting(words: list[str], typed: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the status of a sitting in which these lines are typed."""
    lines = iter(typed)
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    return main(words)


def test_texts_are_shown_beside_questions(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "texts").write_text(TEXTS, encoding="utf-8")
    texts = ["--texts", str(tmp_path / "texts")]
    assert sitting([*words, *texts], ["v", "x", "q"], monkeypatch) == 0
    said = capsys.readouterr().out
    assert said.count("| Two men fled.") == 2  # with the question, and on demand
    assert said.count("| Señora Li.") == 1
    assert 'Is "two men in coats" the same as "two men / men"?' in said
