"""The verb `campaign`: a folder is made, filled, looked at, and its decisions go in and out."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import tellapart as ta
from campaign_files import SUMS, answers, rated
from table_files import Capture
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import compared, desk_of, load_judging
from tellapart.campaign.opinions import Opinions
from tellapart.campaign.questions import canonical
from tellapart.campaign.settings import read_settings
from tellapart.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, outputs in zip("ab", SUMS, strict=True):
        Path(f"{name}.jsonl").write_bytes(answers(outputs))
    return tmp_path


def told(capsys: Capture, *words: str, status: int = 0) -> str:
    """Run a command, and return what it said."""
    assert main(["campaign", *words]) == status
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return said.out if status == 0 else said.err


def judged(name: str, person: str = "ann", rating: str = "right") -> Campaign:
    """Make a campaign in which somebody has answered all questions in the same way."""
    made = rated(Path(), dict(zip("AB", SUMS, strict=True)), name=name)
    for question in desk_of(made).questions:
        made.log.decide(person, question, canonical({"rating": rating}))
    return made


def standing(campaign: Campaign) -> set[tuple[str, str, str | None, bool]]:
    log = Opinions()
    log.add(campaign.log.since())
    return {
        (each.person, each.subject, each.outcome, each.ruling)
        for question in log.standing
        for each in log.of(question)
    }


# new


def test_a_new_campaign_has_what_was_asked_for(folder: Path, capsys: Capture) -> None:
    (folder / "ref.txt").write_text("a cat\n")
    told(
        capsys, "new", "c", "--as", "text", "--gold", "ref.txt", "--title", "Cats “and” 🐈",
        "--scale", "👍=2,so so=.5,👎=-1", "--second", "0.5", "--lowercase",
        "--order", "2",
    )  # fmt: skip
    settings = read_settings("c")
    assert settings.title == "Cats “and” 🐈"
    assert dict(settings.scale) == {"👍": 2.0, "so so": 0.5, "👎": -1.0}
    assert (settings.form, settings.judging) == ("text", "rating")
    assert (settings.second_opinions, settings.metric) == (0.5, "")
    assert dict(settings.options) == {"lowercase": True, "order": 2}
    assert settings.seed
    with Campaign.open("c").laid_out() as laid:
        assert [path.read_text() for path in laid.gold] == ["a cat\n"]


# add


def test_a_system_is_removed_and_comes_back(capsys: Capture) -> None:
    campaign = judged("c")
    before = campaign.log.since()
    told(capsys, "remove", "c", "B")
    assert load_judging(campaign).systems == ("A",)
    told(capsys, "add", "c", "B=b.jsonl", "A=a.jsonl")
    assert "5 questions: 5 decided" in told(capsys, "status", "c")
    assert campaign.log.since() == before
    listed = told(capsys, "people", "c")
    assert "campaign add B A\n" in listed
    assert "campaign remove B\n" in listed


# people


def test_a_link_is_shown_once_and_can_be_revoked(capsys: Capture) -> None:
    told(capsys, "new", "c", "--as", "items")
    link = told(capsys, "people", "c", "--add", "ann", "--address", "https://x.org/").strip()
    assert link.startswith("https://x.org/enter/")
    campaign, token = Campaign.open("c"), link.rpartition("/")[2]
    found = campaign.person_of(token)
    assert (found.name, found.role) == ("ann", "judge")
    told(capsys, "people", "c", "--add", "bob", "--role", "organiser")
    listed = told(capsys, "people", "c")
    assert listed.startswith("ann: judge, 0 decisions\nbob: organiser, 0 decisions\n")
    assert "people --add bob" in listed
    assert token not in listed
    told(capsys, "people", "c", "--revoke", "ann")
    assert campaign.person_of(token) is None
    told(capsys, "people", "c", "--add", "cid", "--days", "2")
    listed = told(capsys, "people", "c")
    assert "ann: judge, no link" in listed
    assert "cid: judge, until 20" in listed
    assert "people --revoke ann" in listed
    assert "nobody called 'eve'" in told(capsys, "people", "c", "--revoke", "eve", status=2)


# status


def test_status_counts_questions_and_gives_the_verdict(capsys: Capture) -> None:
    campaign = judged("c")
    said = told(capsys, "status", "c")
    assert "5 decided, 0 open\n" in said
    assert "ann: 5 decisions" in said
    (question, *_) = load_judging(campaign).questions_at("q2")
    campaign.log.decide("bob", question.id, canonical({"rating": "wrong"}))
    campaign.log.decide("ann", campaign.log.since()[0].question, canonical({"rating": "right"}))
    said = told(capsys, "status", "c")
    assert "ann: 5 decisions" in said  # however often somebody answers a question, it is one
    assert "4 decided, 1 open (1 conflict)\n" in said


# export, import


def test_what_is_exported_and_imported_is_the_same(capsys: Capture) -> None:
    campaign = judged("c")
    campaign.log.undo("ann")
    question = campaign.log.since()[0].question
    campaign.log.decide("bob", question, canonical({"rating": "wrong"}), ruling=True)
    told(capsys, "export", "c", "--json", "file")
    told(capsys, "new", "d", "--as", "items")
    other = Campaign.open("d")
    for _ in range(3):  # so that decisions have other numbers there
        other.log.decide("zoe", question, canonical({"rating": "right"}))
    own = {each for each in standing(other) if each[0] == "zoe"}
    assert "7 decisions added, 0 new conflicts" in told(capsys, "import", "d", "file")
    assert standing(other) == standing(campaign) | own
    ours, theirs = (
        [(d.question, d.person, d.made_at) for d in each.log.since() if d.person != "zoe"]
        for each in (campaign, other)
    )
    assert ours == theirs
    assert "0 decisions added, 7 there already" in told(capsys, "import", "d", "file")
    assert len(other.log.since()) == 3 + 7
    # What was taken back can be taken back no more, and what stands can.
    assert campaign.log.undo("ann") is not None
    assert other.log.undo("ann") is not None
    assert standing(other) == standing(campaign) | own


def test_an_export_has_no_links(capsys: Capture) -> None:
    campaign = judged("c")
    token = campaign.add_person("ann", "judge")
    with sqlite3.connect("c/campaign.sqlite") as connection:
        (hashed,) = connection.execute(
            "SELECT token_hash FROM people WHERE name = 'ann'"
        ).fetchone()
    told(capsys, "export", "c", "--json", "c.json")
    text = Path("c.json").read_text()
    assert "ann" in text
    assert token not in text
    assert hashed not in text


def test_exported_scores_are_compared_as_the_campaign_is(capsys: Capture) -> None:
    outputs = {
        name: {f"q{n}": f"{(n * (k + 2)) % 4}" for n in range(9)} for k, name in enumerate("ABC")
    }
    campaign = rated(Path(), outputs)
    desk = desk_of(campaign)
    for k, question in enumerate(list(desk.questions.values())):
        if k % 5:  # some stay open
            desk.answer("ann", question.id, question.answers[k % 3].outcome)
    capsys.readouterr()
    assert main(["campaign", "export", "c", "--scores", "scores.csv"]) == 0
    assert "warning: 4 open questions: scores can still change" in capsys.readouterr().err
    found = ta.compare(ta.read("scores.csv"), test="exact")
    known = compared(campaign.settings, desk.judging.counts())
    assert list(found.metrics) == list(known.metrics)
    assert len(found.pairs) == len(known.pairs) == 3
    for ours, theirs in zip(found.pairs, known.pairs, strict=True):
        assert (ours.a, ours.b) == (theirs.a, theirs.b)
        assert ours.difference == pytest.approx(theirs.difference)
        assert (ours.p, ours.p_adjusted) == (theirs.p, theirs.p_adjusted)


def test_campaigns_are_for_their_owner_alone(capsys: Capture) -> None:
    """They hold the gold answers; a folder that was there may have been open to all."""
    Path("c").mkdir(mode=0o755)
    told(capsys, "new", "c", "--as", "items")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (Path("c"), *Path("c").iterdir())}
    assert modes == {"c": 0o700, "campaign.toml": 0o600, "campaign.sqlite": 0o600}


# merge


def test_rulings_that_differ_are_told(capsys: Capture) -> None:
    ours, theirs = judged("c"), judged("d", "bob")
    question = ours.log.since()[0].question
    for campaign, who, rating in ((ours, "olga", "right"), (theirs, "otto", "wrong")):
        campaign.log.decide(who, question, canonical({"rating": rating}), ruling=True)
    for told_before in (False, True):
        assert main(["campaign", "import", "c", "d"]) == 0
        warned = "1 ruling of d differs from what was ruled here, which stays; it is kept as an opi"
        assert (warned in capsys.readouterr().err) != told_before
    assert [each[0] for each in standing(ours) if each[3]] == ["olga"]


def test_all_actions_work_on_either_database(
    capsys: Capture, database_url: str, folder: Path
) -> None:
    long = answers({"q1": "4", "q2": "\0" + "é" * 5000, "q3": "6"})
    (folder / "long.jsonl").write_bytes(long)
    address = ["--database", database_url] if database_url else []
    told(capsys, "new", "e", "--as", "items", "--second", "0", *address)
    told(capsys, "add", "e", "A=a.jsonl", "L=long.jsonl")
    campaign, other = Campaign.open("e"), judged("c", "bob", "partly")
    desk = desk_of(campaign)
    while (question := desk.next_for("ann")) is not None:
        desk.answer("ann", question.id, canonical({"rating": "right"}))
    assert "4 questions: 4 decided, 0 open\n" in told(capsys, "status", "e")
    both = standing(campaign) | standing(other)
    said = told(capsys, "import", "e", "c")
    assert "5 decisions added, 3 new conflicts" in said  # q1, and A's answers to q2 and q3
    assert "0 decisions added, 5 there already" in told(capsys, "import", "e", "c")
    assert standing(campaign) == both
    assert "this is where decisions are brought to" in told(capsys, "import", "e", "./e", status=2)
    told(capsys, "export", "e", "--json", "e.json")
    told(capsys, "new", "f", "--as", "items")
    told(capsys, "import", "f", "e.json")
    assert standing(Campaign.open("f")) == both


@pytest.mark.parametrize(
    ("words", "lacking"),
    [("campaign new c --as items", "sqlalchemy"), ("serve --demo", "uvicorn")],
)
def test_without_the_extra_it_is_one_sentence(words: str, lacking: str) -> None:
    code = (
        f"import sys; sys.modules['{lacking}'] = None; from tellapart.cli import main; "
        "sys.exit(main(sys.argv[1:]))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, *words.split()], capture_output=True, text=True, timeout=120
    )
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert f"{lacking}: pip install 'tellapart[campaign]'" in found.stderr
    assert not Path("c").exists()
