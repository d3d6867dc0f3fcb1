"""The three extraction systems of 1991 on tiny inputs that are worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from studies.muc3.extract.cases import CaseMemory
from studies.muc3.extract.corpus import LOCATION, STAGE, TYPE, Example, Fact, Message
from studies.muc3.extract.perceptrons import Perceptrons, train


def example(number: int, kind: str, text: str, *strings: tuple[str, str]) -> Example:
    found = [Fact(TYPE, (kind,)), *(Fact(slot, (value,)) for slot, value in strings)]
    return Example(Message(f"M-{number:02d}", text), [found])


BOMB = "LIMA, 2 FEB 90 -- [TEXT] REBELS BOMBED THE LIMA BANK IN LIMA."
TAKEN = "BOGOTA, 3 MAR 90 -- [TEXT] GUNMEN KIDNAPPED THE MAYOR IN BOGOTA."
TRAINING = [
    *(example(k, "BOMBING", BOMB, ("perp-ind-id", "REBELS"), ("phys-tgt-id", "LIMA BANK"),
              (LOCATION, "PERU: LIMA (CITY)"), (STAGE, "ACCOMPLISHED")) for k in range(30)),
    *(example(k, "KIDNAPPING", TAKEN, ("perp-ind-id", "GUNMEN"), ("hum-tgt-desc", "MAYOR"),
              (LOCATION, "COLOMBIA: BOGOTA (CITY)")) for k in range(30, 60)),
    *(Example(Message(f"M-{k:02d}", "THE PRESIDENT SPOKE OF TRADE.")) for k in range(60, 90)),
    *(Example(Message(f"M-{k:02d}", f"{BOMB}\n\n{TAKEN}"),
              [[Fact(TYPE, ("BOMBING",))], [Fact(TYPE, ("KIDNAPPING",))]]) for k in range(90, 99)),
]  # fmt: skip


def test_a_perceptron_moves_by_the_rows_that_it_gets_wrong() -> None:
    """By hand: wrong at first (+row 1), wrong (-row 2), wrong (+row 1), right from then on."""
    rows = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    right = np.array([[True], [False]])
    after = [[1, 0, 1], [1, -1, 0], [1, -1, 0], [1, -1, 0]]
    assert train(rows, right, 2).ravel() == pytest.approx(np.mean(after, axis=0))


def test_the_nearest_cases_say_what_a_sentence_is_about() -> None:
    memory = CaseMemory(TRAINING)
    votes = memory.votes(["REBELS BOMBED THE LIMA BANK AGAIN.", "HE SPOKE OF TRADE."])
    assert votes[0][TYPE, "BOMBING"] == pytest.approx(1)
    assert votes[1][TYPE, "BOMBING"] == 0
    found = memory.extract(Message("T-1", TAKEN))
    assert [own[TYPE] for own in found] == [["KIDNAPPING"]]
    assert found[0]["hum-tgt-desc"] == ['"MAYOR"']
    assert found[0]["inc-date"] == ["- 03 MAR 90"]


def test_active_fills_go_to_the_type_that_is_active_where_they_are() -> None:
    trained = Perceptrons(TRAINING)
    found = trained.extract(Message("T-1", f"{BOMB}\n\n{TAKEN}"))
    by_type = {own[TYPE][0]: own for own in found}
    assert set(by_type) == {"BOMBING", "KIDNAPPING"}
    assert by_type["BOMBING"]["phys-tgt-id"] == ['"LIMA BANK"']
    assert by_type["KIDNAPPING"]["hum-tgt-desc"] == ['"MAYOR"']
    assert by_type["BOMBING"][LOCATION] == ["PERU: LIMA (CITY)"]
    assert trained.extract(Message("T-2", "THE PRESIDENT SPOKE OF TRADE.")) == []
