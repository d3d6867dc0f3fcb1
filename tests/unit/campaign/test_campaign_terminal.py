"""Judging a campaign at a terminal, beside others at the page and at other terminals."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'campaign' is not installed")

from campaign_files import event, rated, templates
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.campaign.questions import canonical
from tellapart.cli import main
from terminals import Terminal

PROMPT = r"\[\?\] > $"
END = r"\[q\]uit > $"
RIGHT, PARTLY, WRONG = (canonical({"rating": name}) for name in ("right", "partly", "wrong"))


SUMS = {
    "alder": {"q1": "4", "q2": "five", "q3": "6"},
    "birch": {"q1": "4", "q2": "5", "q3": "six"},
}
"""Five questions: two systems with one answer in common"""


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return rated(tmp_path, SUMS)


Judge = Callable[..., str]


@pytest.fixture
def judged(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Judge:
    """Sit down as somebody, type lines to their end, and return what was shown."""

    def sit(
        *typed: str | Callable[[], str], judge: str = "ann", status: int = 0, folder: str = ""
    ) -> str:
        lines = iter(typed)

        def read(prompt: str) -> str:
            print(prompt)
            line = next(lines, None)
            if line is None:
                raise EOFError
            return line() if callable(line) else line

        monkeypatch.setattr("builtins.input", read)
        where = folder or campaign.folder
        assert main(["adjudicate", where, "--judge", judge]) == status
        said = capsys.readouterr()
        return said.out + said.err

    return sit


def outcomes(campaign: Campaign) -> list[tuple[str, str | None]]:
    """Return who decided what, in order."""
    return [(each.person, each.outcome) for each in campaign.log.since()]


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    found: list[Terminal] = []
    yield found
    for each in found:
        each.close()


def test_a_sitting_in_a_terminal(campaign: Campaign, terminals: list[Terminal]) -> None:
    """Single letters; each answer is in the log before the next question; no system is named."""
    terminal = Terminal(["adjudicate", campaign.folder, "--judge", "ann"])
    terminals.append(terminal)
    shown = terminal.wait_for(PROMPT)
    assert "0 of 5 decided; 5 open; yours 0" in shown
    assert "Input\n  | q" in shown
    for k in range(4):
        shown += terminal.type("123"[k % 3], PROMPT)
        assert len(campaign.log.since()) == k + 1
    shown += terminal.type("1", END)
    assert "5 of 5 decided; nothing is open; yours 5" in shown
    assert "alder" not in shown
    assert "birch" not in shown
    terminal.type("", "done: 5 decisions of this sitting in ")
    assert terminal.status() == 0
    expected = [RIGHT, PARTLY, WRONG, RIGHT, RIGHT]
    assert outcomes(campaign) == [("ann", each) for each in expected]


def test_an_interrupt_and_a_kill_lose_nothing(
    campaign: Campaign, terminals: list[Terminal]
) -> None:
    for number, end in enumerate(("interrupt", "kill")):
        terminal = Terminal(["adjudicate", campaign.folder, "--judge", "ann"])
        terminals.append(terminal)
        terminal.wait_for(PROMPT)
        terminal.type("1", PROMPT)
        if end == "kill":
            os.kill(terminal.pid, signal.SIGKILL)
            assert terminal.status() == -signal.SIGKILL
        else:
            terminal.interrupt("interrupted: 1 decision of this sitting")
            assert terminal.status() == 130
        assert outcomes(campaign) == [("ann", RIGHT)] * (number + 1)


def test_decisions_of_an_earlier_sitting_are_taken_back(campaign: Campaign, judged: Judge) -> None:
    """In their order, the last one first; the question is asked again."""
    judged("1", "2")
    judged("1", judge="bob")
    shown = judged("b", "3", "b", "b", "b")
    assert shown.count("taken back") == 3
    assert shown.count("nothing of yours to take back") == 1
    desk = desk_of(campaign)
    assert [each.outcome for q in desk.questions for each in desk.opinions.of(q)] == [RIGHT]
    assert len(outcomes(campaign)) == 7  # nothing is removed
    first, second = (each.question for each in campaign.log.since()[:2])
    assert [each.question for each in campaign.log.since()[3:]] == [second, second, second, first]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1", "5 of 5 decided; nothing is open; yours 1"),
        ("3", "4 of 5 decided; 1 open; yours 1 (1 conflict to rule about)"),
    ],
)
def test_what_others_decide_meanwhile_is_not_asked(
    typed: str, said: str, campaign: Campaign, judged: Judge
) -> None:
    """Somebody at the page finds all right while the first question is on the screen."""
    page = desk_of(campaign)

    def meanwhile() -> str:
        for question in list(page.questions):
            page.answer("bob", question, RIGHT)
        return typed

    shown = judged(meanwhile, "")
    assert shown.count("How good") == 1
    assert said in shown
    assert "both opinions are kept" in shown
    assert "done: 1 decision" in shown


def test_nothing_is_open_only_if_that_is_true(tmp_path: Path, judged: Judge) -> None:
    """A second opinion, a conflict and a skipped question are open, each for its own reason."""
    campaign = rated(tmp_path / "two", SUMS, second_opinions=1.0)
    judged = partial(judged, folder=campaign.folder)
    shown = judged("s", "1", "1", "1", "1", "")
    assert (
        "0 of 5 decided; 5 open; yours 4 (4 to be answered by somebody else, too, 1 skipped)"
        in (shown)
    )
    shown = judged("1", "")
    assert "(5 to be answered by somebody else, too)" in shown
    shown = judged("1", "1", "1", "1", "3", "", judge="bob")
    assert "4 of 5 decided; 1 open; yours 5 (1 conflict to rule about)" in shown
    shown = judged("c", "s", "", judge="eve")
    assert "1 conflict to rule about, 1 skipped" in shown
    assert shown.count("people differ") == 1
    shown = judged("conflict", "conflicts", "s", "skipped", "q", judge="eve")
    assert shown.count("is nothing that can be typed here") == 1
    assert shown.count("people differ") == 2
    shown = judged("c", "2", judge="eve")
    assert "people differ: right; wrong. Your decision will hold." in shown
    assert "ann" not in shown
    assert "bob" not in shown
    assert "5 of 5 decided; nothing is open" in shown
    (ruling,) = [each for each in campaign.log.since() if each.ruling]
    assert (ruling.person, ruling.outcome) == ("eve", PARTLY)
    shown = judged("b", "q", judge="eve")
    assert "people differ" in shown


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--gold", "key.txt"], "drop --gold"),
        (["--texts", "t.txt"], "drop --texts"),
        (["--judge", " "], "give --judge NAME"),
        (["--judge", "pat"], "takes part in this campaign"),
    ],
)
def test_what_a_campaign_has_itself_is_refused(
    campaign: Campaign, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    campaign.add_person("pat", "participant")
    assert main(["adjudicate", campaign.folder, *more]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_folder_without_a_campaign_is_one_sentence(
    tmp_path: Path, campaign: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, said in (
        ([str(tmp_path)], "there is no campaign in this folder"),
        (["GE.txt"], "give --gold FILE and --history FILE"),
        (["--history", campaign.folder, "--gold", "k", "GE.txt"], "campaign new"),
    ):
        assert main(["adjudicate", *words]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1


KEY = (
    event("M1", hum_tgt_desc=['"GUARDS"', '"CLERKS"']),
    event("M2", hum_tgt_desc='"PEASANTS"'),
    event("M2", "2", hum_tgt_desc='"PEASANTS"'),
)
TEXTS = "M1\n\n   LIMA. NOTHING ELSE.\nTHE SOLDIERS LEFT.\n\nM2\n\n   PEASANTS CAME.\n"


def test_fills_and_pairings_of_templates(tmp_path: Path, judged: Judge) -> None:
    """Message and templates on demand; answers are numbered."""
    given = (event("M1", hum_tgt_desc='"SOLDIERS"'), event("M2", hum_tgt_desc='"PEASANTS"'))
    campaign = templates(tmp_path, {"alder": given}, KEY, TEXTS, seed="3")
    typed = {"fill": ("t", "v", "9", "4"), "pairing": ("9", "2")}
    desk = desk_of(campaign, spread=True)
    first = desk.next_for("ann")
    assert first is not None
    kinds = sorted(typed, reverse=first.kind == "pairing")
    shown = judged(*(line for kind in kinds for line in typed[kind]), "", folder=campaign.folder)
    assert "alder" not in shown
    assert '4     Partly: "CLERKS"' in shown
    assert shown.count("LIMA. NOTHING ELSE.") == 1
    assert "PERP: INDIVIDUAL ID" in shown
    assert shown.count("is no answer") == 2
    assert "2 of 2 decided; nothing is open" in shown
    kept = {row.kind: json.loads(row.outcome or "") for row in campaign.log.since()}
    assert kept == {
        "fill": {"status": "partial", "keys": ['"\\"CLERKS\\""']},
        "pairing": {"pairs": [["1", None], ["2", "1"]]},
    }
