"""Adjudication, by driving the real program in a terminal."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from muc_files import DESIGN, attack, counted, read, slot, write
from tellapart.formats.templates.dialogue import parse_decision
from tellapart.formats.templates.history import History
from tellapart.formats.templates.history_files import read_history
from tellapart.formats.templates.questions import Reply
from tellapart.formats.templates.scoring import Run, Task, score_statically
from tellapart.formats.templates.sentences import read_texts, split_sentences
from tellapart.formats.templates.session import Back, Decide, Quit, Skip
from terminals import Terminal

PROMPT = r"\[\?\] > $"
END = r"\[q\]uit > $"
PAIRS = r"as it is > $"


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    found = Case(tmp_path)
    yield found
    for terminal in found.terminals:
        terminal.close()


class Case:
    """Two messages: three mismatches in the first, two ways to pair the second."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.terminals: list[Terminal] = []
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

    def start(self, *more: str) -> Terminal:
        """Begin a sitting."""
        terminal = Terminal(
            ["adjudicate", "--gold", self.key, "--history", self.history, *more, self.response]
        )
        self.terminals.append(terminal)
        return terminal

    def decisions(self) -> History:
        """Read the history as it is on disk."""
        history, problems = read_history(self.history, DESIGN)
        assert not problems
        return history

    def entries(self, name: str) -> list[tuple[str, int]]:
        """Give the status of each decision on a slot, and how many key fills it names."""
        return [(e.status, len(e.keys)) for e in self.decisions().at(("M1", "1", name))]

    def run(self) -> Run:
        """Score the response with the history."""
        key = read(self.folder, "key.txt", Path(self.key).read_text())
        response = read(self.folder, "GE.txt", Path(self.response).read_text())
        return score_statically(Task(DESIGN, key, response, "GE"), self.decisions())


def test_a_sitting_from_start_to_end(case: Case) -> None:
    """Match, all of, mismatch; every decision is on disk at once, and the scorer reads it."""
    terminal = case.start("--texts", case.texts)
    shown = terminal.wait_for(PROMPT)
    assert "\n0 of 3 decided; 3 open\nM1  key 1, response 1  perp-ind-id" in shown
    assert "GE" not in shown.replace("BRIDGE", "")
    assert re.search(r'"REBELS" +1  "ELN"', shown)
    assert "| THE REBELS BLEW UP A BRIDGE." in shown

    shown = terminal.type("m", PROMPT)
    assert case.entries("perp-ind-id") == [("match", 1)]
    assert re.search(r'"PEOPLE" +1  "SOLDIERS"', shown)
    assert '2  "PEASANTS"' in shown
    assert "| PEOPLE DIED." in shown

    assert "say which of the 2" in terminal.type("p", PROMPT)
    assert "numbered 1 to 2" in terminal.type("p 3", PROMPT)
    terminal.type("p all", END)
    assert case.entries("hum-tgt-desc") == [("partial", 2)]
    terminal.type("", "done: 2 decisions of this sitting in ")
    assert terminal.status() == 0

    run = case.run()
    assert counted(slot(run, "perp-ind-id")) == {"pos": 1, "act": 1, "cor": 1, "icr": 1}
    assert counted(slot(run, "hum-tgt-desc")) == {
        "pos": 2, "act": 3, "par": 2, "ipa": 2, "spu": 1,
    }  # fmt: skip


def test_what_is_decided_is_not_asked_again(case: Case) -> None:
    first = case.start()
    first.wait_for(PROMPT)
    for answer in ("x", "x"):
        first.type(answer, PROMPT)
    first.type("x", END)
    first.type("q", "stopped: 3 decisions")
    assert first.status() == 0
    again = case.start()
    assert "perp-ind-id" not in again.wait_for(END)


def test_going_back_takes_decisions_back(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    assert "nothing of yours to take back" in terminal.type("b", PROMPT)
    terminal.type("m", PROMPT)
    terminal.type("m 1", PROMPT)
    assert case.entries("hum-tgt-desc") == [("match", 1)]
    assert '"PEOPLE"' in terminal.type("b", PROMPT)
    assert case.entries("hum-tgt-desc") == []
    assert '"REBELS"' in terminal.type("b", PROMPT)
    assert case.decisions() == History()
    terminal.type("p", PROMPT)
    assert case.entries("perp-ind-id") == [("partial", 1)]
    terminal.type("q", "stopped: 1 decision ")
    assert terminal.status() == 0


def test_skipped_questions_come_another_time(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    assert '"PEOPLE"' in terminal.type("s", PROMPT)
    assert '"REBELS"' in terminal.type("b", PROMPT)
    terminal.type("s", PROMPT)
    terminal.type("q", "stopped: 0 decisions")
    again = case.start()
    assert '"REBELS"' in again.wait_for(PROMPT)


def test_templates_are_paired_by_hand_within_the_condition(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    for answer in ("x", "x"):
        terminal.type(answer, PROMPT)
    terminal.type("x", END)
    shown = terminal.type("r M2", PAIRS)
    assert re.search(r"paired now: +1-1 2- 3-\n", shown)
    assert re.search(r"may be paired: +1-1 2-1\n", shown)
    assert "too little in common" in terminal.type("3-1", END)
    terminal.type("r M2", PAIRS)
    assert "no key template 9" in terminal.type("9-1", END)
    terminal.type("r M2", PAIRS)
    terminal.type("2-1", END)
    assert '(:MAP "GE" ("1" . nil) ("2" . "1") ("3" . nil))' in Path(case.history).read_text()
    pairs = [(p.key, p.response) for p in case.run().pairs]
    assert pairs == [("1", "1"), ("1", None), ("2", "1"), ("3", None)]
    terminal.type("b", END)
    assert ":MAP" not in Path(case.history).read_text()
    terminal.type("q", "stopped: 3 decisions")


def test_pairing_a_later_message_leaves_no_question_out(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    terminal.type("r M2", PAIRS)
    assert '"REBELS"' in terminal.type("2-1", PROMPT)
    assert '("2" . "1")' in Path(case.history).read_text()
    terminal.type("q", "stopped: 1 decision")


def test_an_interrupted_sitting_loses_nothing(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    terminal.type("m", PROMPT)
    terminal.interrupt("interrupted: 1 decision of this sitting")
    assert terminal.status() == 130
    assert case.entries("perp-ind-id") == [("match", 1)]


def test_a_killed_sitting_loses_nothing(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    terminal.type("m", PROMPT)
    os.kill(terminal.pid, signal.SIGKILL)
    assert terminal.status() == -signal.SIGKILL
    assert case.entries("perp-ind-id") == [("match", 1)]
    assert [path.suffix for path in case.folder.glob(".*")] == [".undo"]


def test_the_end_of_the_input_stops(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    os.write(terminal.master, b"\x04")
    terminal.wait_for("stopped: 0 decisions")
    assert terminal.status() == 0


def test_a_history_that_cannot_be_written_is_refused_before_any_question(case: Case) -> None:
    case.history = str(case.folder / "none" / "history.txt")
    terminal = case.start()
    terminal.wait_for("cannot be written")
    assert terminal.status() == 2


def test_help_is_shown(case: Case) -> None:
    terminal = case.start()
    terminal.wait_for(PROMPT)
    assert "a mismatch" in terminal.type("?", PROMPT)
    assert "is no decision" in terminal.type("maybe", PROMPT)


def test_decisions_as_typed() -> None:
    assert parse_decision("M 2", 3) == Decide(Reply("match", (1,)))
    assert parse_decision("p 1,3", 3) == Decide(Reply("partial", (0, 2)))
    assert parse_decision("x", 3) == Decide(Reply("fail"))
    assert [parse_decision(word, 1) for word in "sbq"] == [Skip(), Back(), Quit()]
    assert isinstance(parse_decision("m 0", 1), str)
    assert isinstance(parse_decision("", 1), str)


def test_sentences_are_found(tmp_path: Path) -> None:
    path = write(tmp_path, "texts.txt", 'M1\n\n  A "BIG\n DOG" BARKED.  MEN RAN.\n')
    texts, problems = read_texts(path, ["M1"])
    assert not problems
    assert texts.sentence_of("M1", [DESIGN.text('"MEN"')]) == "MEN RAN."
    assert texts.sentence_of("M1", [DESIGN.text(r'"\"BIG DOG\" BARKED"')]) == 'A "BIG DOG" BARKED.'
    assert texts.sentence_of("M1", [DESIGN.text('"ME"')]) is None
    assert texts.sentence_of("M2", [DESIGN.text('"MEN"')]) is None
    assert texts.sentence_of("M1", [DESIGN.text("MEN")], bare=False) is None
    assert split_sentences("") == []


def test_decisions_of_an_earlier_sitting_are_taken_back(case: Case) -> None:
    """The program was ended in between, and the last decision comes first."""
    first = case.start()
    first.wait_for(PROMPT)
    first.type("m", PROMPT)
    first.type("m 1", PROMPT)
    first.type("q", "stopped: 2 decisions")
    second = case.start()
    assert "2 of 3 decided; 1 open" in second.wait_for(PROMPT)
    shown = second.type("b", PROMPT)
    assert '"PEOPLE"' in shown
    assert "1 of 3 decided; 2 open" in shown
    assert case.entries("hum-tgt-desc") == []
    assert '"REBELS"' in second.type("b", PROMPT)
    assert case.decisions() == History()
    second.type("q", "stopped: 0 decisions")


def test_the_message_and_the_templates_are_shown_on_demand(case: Case) -> None:
    terminal = case.start("--texts", case.texts)
    shown = terminal.wait_for(PROMPT)
    assert "LIMA" not in shown
    assert "BRIDGE" not in shown.replace("A BRIDGE.", "")
    assert "  |    LIMA.  THE REBELS BLEW UP\n  | A BRIDGE." in terminal.type("t", PROMPT)
    shown = terminal.type("v", PROMPT)
    assert re.search(r'phys-tgt-id\n +"BRIDGE" +"BRIDGE"', shown)
    assert re.search(r'> perp-ind-id\n +"ELN" +"REBELS"', shown)
    bare = case.start()
    bare.wait_for(PROMPT)
    assert "--texts FILE" in bare.type("t", PROMPT)


def test_several_responses_are_asked_message_by_message(case: Case) -> None:
    """So that nobody knows whose answer is whose; what two gave is one question."""
    fills = {"perp_ind_id": '"REBELS"', "phys_tgt_id": '"BRIDGE"'}
    other = write(
        case.folder, "UMASS.txt",
        attack(hum_tgt_desc=['"DOGS"', '"MICE"'], **fills),
        attack("M2", inc_loc="PERU", phys_tgt_id='"BRIDGE"'),
    )  # fmt: skip
    terminal = case.start(other)
    shown = terminal.wait_for(PROMPT)
    for number in range(4):
        assert f"{number} of 4 decided; {4 - number} open" in shown
        shown = terminal.type("x", PROMPT if number < 3 else END)
    assert "4 of 4 decided; nothing is open" in shown
    assert "UMASS" not in shown
    assert "M2, response 1 of 2" in terminal.type("r M2", PAIRS)
    assert "M2, response 2 of 2" in terminal.type("", PAIRS)
    terminal.type("2-1", END)
    assert '(:MAP "GE" ("1" . nil) ("2" . "1")' in Path(case.history).read_text()
    terminal.type("", "done: 5 decisions")


def test_conflicts_of_two_histories_are_decided_one_by_one(case: Case) -> None:
    entry = '(("M1" ("1" (perp-ind-id ("\\"A\\"" {0}) ("\\"B\\"" {0}) ("\\"C\\"" {0})))))'
    write(case.folder, "history.txt", entry.format("fail"))
    theirs = write(case.folder, "theirs.txt", entry.format('match "\\"ELN\\""'))
    terminal = Terminal(["adjudicate", "--history", case.history, "--merge", theirs])
    case.terminals.append(terminal)
    shown = terminal.wait_for(END)
    assert "0 decisions added, 3 conflicts" in shown
    assert '1 of 3  M1, key 1, perp-ind-id, "A": kept mismatch' in shown
    assert "2 of 3" in terminal.type("k", END)
    assert "3 of 3" in terminal.type("t", END)
    terminal.type("s", "1 decision taken over, 1 left to decide")
    assert terminal.status() == 0
    assert case.entries("perp-ind-id") == [("fail", 0), ("match", 1), ("fail", 0)]
