"""The verb `campaign`: a folder is made, filled, looked at, and its decisions go in and out."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import tellapart as ta
from campaign_files import SUMS, answers, rated
from table_files import Capture
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.exchange import rows_json
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
    # The file may be edited.
    told(capsys, "add", "c", "A=ref.txt")
    text = Path("c/campaign.toml").read_text()
    for before, after, sentence in (
        ('"order" = 2', '"order" = "two"', "order must be a whole number"),
        ('"order" = 2', '"ordr" = 2', "did you mean"),
        ("per_day = 5", "per_week = 5", "there is no setting 'per_week'"),
        ("per_day = 5", 'per_day = "5"', "per_day cannot be '5'"),
    ):
        Path("c/campaign.toml").write_text(text.replace(before, after))
        assert sentence in told(capsys, "status", "c", status=2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--as", "items", "--judging", "fills"], "does not go with --as items"),
        (["--as", "muc", "--judging", "rating"], "does not go with --as muc"),
        (["--as", "items", "--scale", "right=1"], "a scale has from two to 9 answers"),
        (["--as", "items", "--scale", "right=1,wrong=1"], "not all the same"),
        (["--as", "items", "--scale", "right=1,right=0"], "has 'right' twice"),
        (["--as", "items", "--scale", "right,wrong"], "--scale wants NAME=X"),
        (["--as", "muc", "--judging", "keys", "--scale", "a=1,b=0"], "--scale goes with"),
        (["--as", "muc"], "--as muc needs one answer key: give --gold FILE"),
        (["--as", "templates", "--schema", "schema.toml"], "--as templates needs one answer key"),
        (["--as", "items", "--gold", "nowhere.txt"], "there is no such file"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_made(
    folder: Path, capsys: Capture, words: list[str], sentence: str
) -> None:
    said = told(capsys, "new", "c", *words, status=2)
    assert sentence in said
    assert said.count("\n") == 1
    assert not (folder / "c").exists()


# add


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,score\nq1,1\n", "bad.csv: there is no column of outputs"),
        ("word,output\nq1,1\n", "bad.csv: there is no column of items"),
        ("id,output\nq1,4\nq1,5\n", "bad.csv:3: item 'q1' appears twice"),
        ("id,output\n,4\n", "bad.csv:2: the 'id' of the row is empty"),
        ("id,output\nq1,4\nq7,5\n", "bad.csv: 1 item that this campaign does not have (q7)"),
        ("", "bad.csv: the file is empty"),
    ],
)
def test_a_file_with_a_problem_keeps_all_out(
    folder: Path, capsys: Capture, text: str, sentence: str
) -> None:
    (folder / "bad.csv").write_text(text)
    told(capsys, "new", "c", "--as", "items")
    told(capsys, "add", "c", f"A={folder / 'a.jsonl'}")
    assert Campaign.open("c").systems()["A"].file_name == "a.jsonl"  # not where it was
    assert main(["campaign", "add", "c", "B=b.jsonl", "C=bad.csv"]) == 2
    said = capsys.readouterr()
    assert sentence in said.out
    assert "1 error; nothing was added to c" in said.err
    assert "file-" not in said.out  # no name that only the campaign knows
    assert list(Campaign.open("c").systems()) == ["A"]


def test_a_system_is_removed_and_comes_back(capsys: Capture) -> None:
    campaign = judged("c")
    before = campaign.log.since()
    assert "B: removed" in told(capsys, "remove", "c", "B")
    assert load_judging(campaign).systems == ("A",)
    assert "is alone" in told(capsys, "status", "c")
    assert "the only system" in told(capsys, "remove", "c", "A", status=2)
    assert "there is no system 'X'" in told(capsys, "remove", "c", "X", status=2)
    assert "'A' is given twice" in told(capsys, "add", "c", "A=a.jsonl", "A=b.jsonl", status=2)
    added = told(capsys, "add", "c", "B=b.jsonl", "A=a.jsonl")
    assert added == "B: added\nA: replaced; what was decided about its outputs stays\n"
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
    assert "command line: campaign people --add bob as organiser\n" in listed
    assert token not in listed
    told(capsys, "people", "c", "--revoke", "ann")
    assert campaign.person_of(token) is None
    told(capsys, "people", "c", "--add", "cid", "--days", "2")
    listed = told(capsys, "people", "c")
    assert "ann: judge, no link" in listed
    assert "cid: judge, until 20" in listed
    assert "command line: campaign people --revoke ann\n" in listed
    assert "nobody called 'eve'" in told(capsys, "people", "c", "--revoke", "eve", status=2)


# status

METHOD = "Paired randomization test that exchanges whole outputs, two-sided, exact"


def test_status_counts_questions_and_gives_the_verdict(capsys: Capture) -> None:
    campaign = judged("c")
    said = told(capsys, "status", "c")
    assert "5 questions: 5 decided, 0 open\n" in said
    assert "ann: 5 decisions" in said
    assert "A and B have the same score on every item" in said
    assert f"\nMethod: {METHOD}" in said
    assert METHOD in " ".join(told(capsys, "report", "c").split())
    (question, *_) = load_judging(campaign).questions_at("q2")
    campaign.log.decide("bob", question.id, canonical({"rating": "wrong"}))
    campaign.log.decide("ann", campaign.log.since()[0].question, canonical({"rating": "right"}))
    said = told(capsys, "status", "c")
    assert "ann: 5 decisions" in said  # however often somebody answers a question, it is one
    assert "5 questions: 4 decided, 1 open (1 conflict)\n" in said
    assert "Settled: A cannot be told from B\n" in said
    assert "answers that differ, counts as the lowest rating" in said
    assert "You may stop: 1 open question cannot change a conclusion at .05.\n" in said
    assert "Figures are as judged so far" in told(capsys, "report", "c")
    scale = Path("c/campaign.toml").read_text().replace('"right"', '"good"')
    Path("c/campaign.toml").write_text(scale)
    assert "put the scale back into campaign.toml" in told(capsys, "status", "c", status=2)


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


def row(person: str, kind: str, outcome: object, **more: object) -> bytes:
    """Return an export with one decision."""
    made = {"person": person, "kind": kind, "subject": {}, "outcome": outcome, **more}
    told = {"format": "tellapart-campaign", "version": 1, "decisions": [made]}
    return json.dumps(told).encode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "the JSON cannot be read"),
        (b'{"format": "other"}', "it is not what `tellapart campaign export --json` writes"),
        (b'{"format": "tellapart-campaign", "version": 9, "decisions": []}', "newer tellapart"),
        (b'{"format": "tellapart-campaign", "version": 1, "decisions": [1]}', "cannot be read"),
        (b'{"format": "tellapart-campaign", "version": 1, "decisions": [{}]}', "has no 'person'"),
        (row("eve", "rating", "x"), "decision 1 has the outcome 'x'"),
        (row("eve", "fill", {"status": "match"}), "about a fill"),
        (row("eve", "rating", {"rating": "good"}), "join campaigns of one scale"),
        (row("", "rating", None), "decision 1 is of a person called ''"),
        (row("x" * 999, "rating", None), "decision 1 is of a person called 'xxx"),
        (row("eve", "rating", None, number=float("inf")), "decision 1 has the number inf"),
        (row("eve", "rating", None, made_at="x" * 9999), "Invalid isoformat"),
        (b"\xff\xfe", "a history holds decisions about the fills"),
        (b"anything", "a history holds decisions about the fills"),
    ],
)
def test_a_file_that_does_not_fit_adds_nothing(
    folder: Path, capsys: Capture, content: bytes, sentence: str
) -> None:
    campaign = judged("c")
    (folder / "good.json").write_text(rows_json(judged("d", "dan").log.since()))
    (folder / "bad").write_bytes(content)
    said = told(capsys, "import", "c", "bad", status=2)
    assert sentence in said
    assert (said.count("\n"), len(said) < 400) == (1, True)
    told(capsys, "import", "c", "good.json", "bad", status=2)
    assert len(campaign.log.since()) == 5


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
