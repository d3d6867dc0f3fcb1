"""Adjudication of files at a terminal: questions, answers, and a history that loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from campaign_files import PARTLY, RIGHT, SUMS, rated
from decision_files import T, decide, kept, opened
from muc_files import DESIGN, attack, counted, read, slot, write
from table_files import Capture
from tellapart.campaign.campaign import Campaign
from tellapart.campaign.judging import desk_of
from tellapart.cli import main
from tellapart.formats.templates.history import Entry, Fill, Pairing
from tellapart.formats.templates.history_files import question_of
from tellapart.formats.templates.scoring import Run, Task, score_statically
from terminals import Terminal


class Case:
    """Two messages: three mismatches in the first, two ways to pair the second."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        target = {"phys_tgt_id": '"BRIDGE"'}
        self.key = write(
            folder, "key.txt",
            attack(perp_ind_id='"ELN"', hum_tgt_desc=['"SOLDIERS"', '"PEASANTS"'], **target),
            attack("M2", inc_loc="PERU", **target),
            attack("M2", "2", inc_loc="PERU", hum_tgt_name='"X"', **target),
            attack("M2", "3", hum_tgt_name='"NOBODY ELSE"'),
        )  # fmt: skip
        self.response = write(
            folder, "GE.txt",
            attack(perp_ind_id='"REBELS"', hum_tgt_desc=['"PEOPLE"', '"DOGS"'], **target),
            attack("M2", inc_loc="PERU", **target),
        )  # fmt: skip
        self.texts = write(
            folder, "texts.txt",
            "M1\n\n   LIMA.  THE REBELS BLEW UP\nA BRIDGE.  PEOPLE DIED.\n\nM2\n\n   NOTHING.\n",
        )  # fmt: skip
        self.history = str(folder / "history.txt")

    def words(self, *more: str) -> list[str]:
        """Return the command line of a sitting."""
        words = ["adjudicate", "--gold", self.key, "--history", self.history]
        return [*words, *more, self.response]

    def entries(self, name: str) -> list[tuple[str, int]]:
        """Give the status of each decision on a slot, and how many key fills it names."""
        found = kept(self.history).entries.get(("M1", "1", name), [])
        return [(entry.status, len(entry.keys)) for entry in found]

    def run(self) -> Run:
        """Score the response with the history."""
        key = read(self.folder, "key.txt", Path(self.key).read_text())
        response = read(self.folder, "GE.txt", Path(self.response).read_text())
        return score_statically(Task(DESIGN, key, response, "GE"), kept(self.history))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


Sit = Callable[..., str]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Sit:
    """Return a function that types lines, or does things, and returns all that is shown."""

    def typed(words: Sequence[str], *lines: str | Callable[[], str]) -> str:
        left = iter(lines)

        def answer(prompt: str) -> str:
            print(prompt, end="")
            line = next(left, None)
            if line is None:
                raise EOFError
            return line if isinstance(line, str) else line()

        monkeypatch.setattr("builtins.input", answer)
        assert main(list(words)) == 0
        return capsys.readouterr().out

    return typed


def test_a_sitting_from_start_to_end(case: Case, sit: Sit) -> None:
    """Match, all of, mismatch; the scorer reads what was decided."""
    shown = sit(case.words("--as", "muc", "--texts", case.texts), "m", "p 3", "p", "")
    assert "GE" not in shown.replace("BRIDGE", "").replace("RESPONSE", "")
    before, text, _ = shown.partition("THE REBELS BLEW UP\n")
    assert text
    assert '"REBELS"' in before
    assert shown.count("is no answer") == 1
    assert "2 of 2 decided; yours 2" in shown
    assert case.entries("perp-ind-id") == [("match", 1)]
    assert case.entries("hum-tgt-desc") == [("partial", 2)]
    run = case.run()
    assert counted(slot(run, "perp-ind-id")) == {"pos": 1, "act": 1, "cor": 1, "icr": 1}
    assert counted(slot(run, "hum-tgt-desc")) == {
        "pos": 2, "act": 3, "par": 2, "ipa": 2, "spu": 1,
    }  # fmt: skip
    assert "0 decisions" in sit(case.words(), "")


def test_going_back_skipping_and_stopping(case: Case, sit: Sit) -> None:
    sit(case.words(), "b", "m", "m 1", "b", "s", "q")
    assert case.entries("perp-ind-id") == [("match", 1)]
    assert case.entries("hum-tgt-desc") == []


def test_templates_are_paired_by_hand_within_the_condition(case: Case, sit: Sit) -> None:
    shown = sit(case.words(), "x", "x", "x", "r M2 1", "3-1", "9-1", "2-1", "q")
    assert shown.count("is no answer") == 2
    assert '(:MAP "GE" ("1" . nil) ("2" . "1") ("3" . nil))' in Path(case.history).read_text()
    pairs = [(pair.key, pair.response) for pair in case.run().pairs]
    assert pairs == [("1", "1"), ("1", None), ("2", "1"), ("3", None)]


def test_what_others_decide_meanwhile(case: Case, sit: Sit) -> None:
    """It is kept, and nothing is decided on top of it."""

    def meanwhile() -> str:
        fill = Fill(("M1", "1", "perp-ind-id"), T('"REBELS"'))
        decide(opened(case.history, "bob"), fill, Entry(fill.response, "fail"))
        return "m"

    shown = sit(case.words(), meanwhile, "q")
    assert case.entries("perp-ind-id") == [("fail", 0)]
    assert "stopped: 0 decisions " in shown


@pytest.mark.parametrize("typed", ["m ²", f"m {'9' * 5000}", "m 0", "m -1", "\0", "ß"])
def test_anything_may_be_typed(case: Case, sit: Sit, typed: str) -> None:
    shown = sit(case.words(), typed, "x", "q")
    assert "is no answer" in shown
    assert "stopped: 1 decision " in shown


def test_a_decision_that_a_full_disk_does_not_take(case: Case) -> None:
    """It is refused in a sentence and asked again; what was decided before is as it was."""
    resource = pytest.importorskip("resource")
    found = subprocess.run(
        [sys.executable, "-m", "tellapart", *case.words()], input="x\nx\nq\n",
        capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (32, 32)),
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("not done: ") == 2
    assert found.stdout.count("cannot be written (") == 2
    assert not os.path.exists(case.history)


def test_any_terminal_will_do(case: Case) -> None:
    """Bytes that are no text are no decision, and what it cannot show is shown otherwise."""
    same = {"phys_tgt_id": '"BRIDGE"'}
    write(case.folder, "key.txt", attack(hum_tgt_desc='"CAF\xc9"', **same))
    write(case.folder, "GE.txt", attack(hum_tgt_desc='"\x1b[2J\x9b1M"', **same))
    found = subprocess.run(
        [sys.executable, "-m", "tellapart", *case.words()], input=b"\xff\xfe\nr\n1\nx\n",
        capture_output=True, timeout=120, env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert b"is no answer" in found.stdout
    assert b"\x1b" not in found.stdout
    assert kept(case.history).pairing("M1", "GE") == (("1", "1"),)


def test_decisions_go_from_one_place_to_another(case: Case, capsys: Capture) -> None:
    """A history, JSON and a campaign: one command brings decisions in, one out."""
    fill = Fill(("M1", "1", "perp-ind-id"), T('"REBELS"'))
    decide(opened(case.history), fill, Entry(fill.response, "match", (T('"ELN"'),)))
    decide(opened(case.history), Pairing("M2", "GE"), (("1", None), ("2", "1"), ("3", None)))
    folder, told, back = (str(case.folder / name) for name in ("c", "told.json", "back.txt"))
    for words in (
        ["new", folder, "--as", "muc", "--gold", case.key],
        ["add", folder, f"GE={case.response}"],
        ["export", case.history, "--json", told],
        ["import", folder, told],
        ["import", folder, case.history, "--judge", "bob"],
        ["import", back, folder],
        ["import", back, folder],
    ):
        assert main(["campaign", *words]) == 0, capsys.readouterr()
    assert kept(back) == kept(case.history)
    capsys.readouterr()
    theirs = write(case.folder, "theirs.txt", Path(back).read_text().replace("match", "partial"))
    assert main(["campaign", "import", back, theirs]) == 0
    assert '1 conflict\n  M1, key 1, perp-ind-id, "REBELS": ' in capsys.readouterr().out
    assert main(["campaign", "import", folder, theirs, "--judge", "cyd"]) == 0
    assert "1 new conflict" in capsys.readouterr().out
    assert question_of(fill)[0] == "fill"


def test_a_history_of_muc_3_goes_to_json_and_back(tmp_path: Path) -> None:
    place, told, back = (str(tmp_path / name) for name in ("history.txt", "told.json", "back.txt"))
    Path(place).write_text('(("M1"\n  ("1"\n   (indiv-perps\n    ("\\"MEN\\"" fail)))))\n')
    assert main(["campaign", "export", place, "--json", told]) == 0
    assert main(["campaign", "import", back, told]) == 0
    assert Path(back).read_text() == Path(place).read_text()


# A campaign, beside others at the page and at other terminals

PROMPT = r"\[\?\] > $"
SYSTEMS = dict(zip(("alder", "birch"), SUMS, strict=True))


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return rated(tmp_path, SYSTEMS)


@pytest.fixture
def judged(campaign: Campaign, sit: Sit) -> Sit:
    """Return a function in which somebody sits down at a campaign and types lines."""

    def typed(*lines: str | Callable[[], str], judge: str = "ann", folder: str = "") -> str:
        return sit(["adjudicate", folder or campaign.folder, "--judge", judge], *lines)

    return typed


def outcomes(campaign: Campaign) -> list[tuple[str, str | None]]:
    """Return who decided what, in order."""
    return [(each.person, each.outcome) for each in campaign.log.since()]


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    found: list[Terminal] = []
    yield found
    for each in found:
        each.close()


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


def test_decisions_of_an_earlier_sitting_are_taken_back(campaign: Campaign, judged: Sit) -> None:
    """In their order, the last one first; the question is asked again."""
    judged("1", "2")
    judged("1", judge="bob")
    shown = judged("b", "3", "b", "b", "b")
    assert shown.count("taken back") == 3
    assert shown.count("not done: ") == 1
    desk = desk_of(campaign)
    assert [each.outcome for q in desk.questions for each in desk.opinions.of(q)] == [RIGHT]
    assert len(outcomes(campaign)) == 7  # nothing is removed
    first, second = (each.question for each in campaign.log.since()[:2])
    assert [each.question for each in campaign.log.since()[3:]] == [second, second, second, first]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1", "5 of 5 decided; yours 1."),
        ("3", "4 of 5 decided; yours 1."),
    ],
)
def test_what_others_decide_meanwhile_is_not_asked(
    typed: str, said: str, campaign: Campaign, judged: Sit
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
    assert "done: 1 decision" in shown


def test_nothing_is_open_only_if_that_is_true(tmp_path: Path, judged: Sit) -> None:
    """A second opinion, a conflict and a skipped question are open, each for its own reason."""
    campaign = rated(tmp_path / "two", SYSTEMS, second_opinions=1.0)
    judged = partial(judged, folder=campaign.folder)
    shown = judged("s", "1", "1", "1", "1", "s", "1", "")
    assert "0 of 5 decided; yours 5." in shown
    assert "open: 5 questions" in shown
    shown = judged("1", "1", "1", "1", "3", "", judge="bob")
    assert "open: 1 conflict" in shown
    shown = judged("c", "s", "", judge="eve")
    assert shown.count("people differ") == 1
    shown = judged("conflict", "conflicts", "s", "skipped", "q", judge="eve")
    assert shown.count("people differ") == 2
    shown = judged("c", "2", judge="eve")
    assert "people differ: right; wrong." in shown
    assert "ann" not in shown
    assert "bob" not in shown
    assert "5 of 5 decided" in shown
    (ruling,) = [each for each in campaign.log.since() if each.ruling]
    assert (ruling.person, ruling.outcome) == ("eve", PARTLY)
    shown = judged("b", "q", judge="eve")
    assert "people differ" in shown
    campaign.add_person("olga", "organiser")
    assert "people differ" not in judged("c", "q", judge="eve")


def test_who_takes_part_is_no_judge(campaign: Campaign, capsys: Capture) -> None:
    campaign.add_person("pat", "participant")
    assert main(["adjudicate", campaign.folder, "--judge", "pat"]) == 2
    assert "takes part" in capsys.readouterr().err
