"""Reading, writing, merging and replaying histories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN, attack, counted, slot, write
from table_files import Capture
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats.problems import Findings
from tellapart.formats.templates.evaluation import Evaluation, read_evaluation
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.history import Entry, History, Pairing
from tellapart.formats.templates.history_files import read_history, write_history
from tellapart.formats.templates.values import (
    Alternatives,
    Between,
    Location,
    Optional,
    Qualified,
    Range,
    Reference,
)

T = DESIGN.text
PLACE = ("M1", "1", "hum-tgt-desc")


def test_a_history_that_is_nested_too_deep_does_not_parse(tmp_path: Path) -> None:
    path = write(tmp_path, "h.txt", f'(("M1" ("1" (inc-date ({"(optional " * 5000} "X"')
    with pytest.raises(DataError, match="nested"):
        read_history(path, DESIGN, Findings(strict=True))


_WORDS = st.text(alphabet='ABC"\\ é', min_size=1, max_size=8).map(T)
_VALUES = st.recursive(
    _WORDS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda each: Alternatives(tuple(each))),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: Location(tuple(each))),
        inner.map(Optional),
        st.builds(Reference, inner, inner),
        st.builds(Range, st.one_of(st.none(), inner), inner),
        st.builds(Qualified, inner, inner),
        st.builds(Between, inner, inner),
    ),
    max_leaves=6,
)


@given(st.lists(st.tuples(_VALUES, _VALUES), max_size=4))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, values: object) -> None:
    history = History(pairings={Pairing("M1", "GE"): (("1", None), (None, "2"))})
    entries = [Entry(a, "partial", (a, b)) for a, b in values]  # type: ignore[attr-defined]
    history.entries = {PLACE: entries} if entries else {}
    path = str(tmp_path_factory.mktemp("h") / "history.txt")
    write_history(path, history)
    # Entries may contradict each other, which is no error.
    assert read_history(path, DESIGN, Findings(strict=True)) == history


def one_entry(text: str, status: str, *keys: str) -> History:
    history = History()
    entry = Entry(T(text), status, tuple(map(T, keys)))  # type: ignore[arg-type]
    history.record(PLACE, entry)
    return history


def test_histories_of_json_have_slots_of_their_own(tmp_path: Path, capsys: Capture) -> None:
    """Out, in, and between histories; one of 1992 takes none of them."""
    ours, new, old = (str(tmp_path / name) for name in ("ours.txt", "new.txt", "old.txt"))
    text = '(("d1"\n  ("1"\n   (täter\n    ("anna" match "ana")))))\n'
    Path(ours).write_text(text, "utf-8")
    out = str(tmp_path / "out.json")
    assert main(["campaign", "export", ours, "--json", out]) == 0
    for source in (out, ours):
        assert main(["campaign", "import", new, source]) == 0
    assert Path(new).read_text("utf-8") == text
    write_history(old, one_entry('"MEN"', "fail"))
    before = Path(old).read_text()
    assert main(["campaign", "import", old, ours]) == 2
    assert "here should be the name of a slot" in capsys.readouterr().err
    assert Path(old).read_text() == before


@pytest.mark.parametrize("message", ["M1", "M9"])
def test_a_history_of_other_messages_is_told(tmp_path: Path, message: str) -> None:
    """That of another test set changes nothing, which is said; one that fits is used in silence."""
    key = write(tmp_path, "key.txt", attack())
    history = write(tmp_path, "h.txt", f'(("{message}" ("1" (inc-date ("X" fail)))))')
    found = read_evaluation(key, (key,), TemplateOptions(history=history)).notices
    assert [each.code for each in found] == ["muc-history-unfit"] * (message == "M9")


# Replaying runs in their order, with what was decided in each


FINAL = r"""
(("M1"
  ("1"
   (perp-ind-id
    ("\"REBELS\"" match "\"ELN\"")))))
"""


def replayed(folder: Path, responses: dict[str, list[str]], **data: Any) -> Evaluation:
    key = write(
        folder, "key.txt",
        attack(perp_ind_id='"ELN"', phys_tgt_id='"BRIDGE"'), attack("M2", phys_tgt_id='"BRIDGE"'),
    )  # fmt: skip
    history = write(folder, "history.txt", FINAL)
    paths = tuple(write(folder, f"{name}.txt", *each) for name, each in responses.items())
    replay = write(folder, "replay.json", json.dumps({"run_order": ["A", "B"], **data}))
    return read_evaluation(key, paths, TemplateOptions(history=history, replay=replay))


def rebels(folder: Path, **data: Any) -> list[dict[str, int]]:
    response = [attack(perp_ind_id='"REBELS"', phys_tgt_id='"BRIDGE"')]
    runs = replayed(folder, {"A": response, "B": response}, **data).score()
    return [counted(slot(runs[name], "perp-ind-id")) for name in ("A", "B")]


MATCH = {"pos": 1, "act": 1, "cor": 1, "icr": 1}
FAIL = {"pos": 1, "act": 1, "inc": 1}


def test_a_listed_answer_goes_first_and_is_remembered(tmp_path: Path) -> None:
    """B's look-up finds what was answered in A's run, or the entry that an amendment brought."""
    answer = ["A", "M1", "1", "1", "perp-ind-id", 0, '"REBELS"', ["fail"]]
    amendment = ["B", "M1", "1", "perp-ind-id", '"REBELS"']
    assert rebels(tmp_path, answers=[answer]) == [FAIL, FAIL]
    assert rebels(tmp_path, answers=[answer], amendments=[amendment]) == [FAIL, MATCH]


def test_missing_runs_are_said(tmp_path: Path) -> None:
    """A run that is not in the order is replayed after all others."""
    response = [attack(phys_tgt_id='"BRIDGE"'), attack("M2")]
    found = replayed(tmp_path, {"B": response, "C": response})
    assert [(n.code, n.affected) for n in found.notices] == [
        ("muc-replay-incomplete", ("A",)), ("muc-replay-added", ("C",)),
    ]  # fmt: skip
    assert list(found.score()) == ["B", "C"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"pairings": [["A", "M1"]]}, "row 1 of pairings, .* does not fit"),
        ({"answers": [["A", "M1", "1", "1", "perp-ind-id", 0, "X", ["perhaps"]]]}, "row 1 of"),
        ({"answers": [["A", "M1", "1", "1", "no-slot", 0, "X", ["fail"]]]}, "row 1 of answers"),
        ({"answers": [["A", "M7", "1", "1", "perp-ind-id", 0, "X", ["fail"]]]}, "row 1 of answers"),
        ({"revisits": [["A", "M1", "1", "M7"]]}, "row 1 of revisits"),
        ({"pairings": [["A", "M7", [["1", "1"]]]]}, "row 1 of pairings"),
        ({"amendments": [["A", "M1", "7", "perp-ind-id", "X"]]}, "row 1 of amendments"),
        ({"answers": 3}, "row 1 of answers, 3, does not"),
        ({"pairings": [["A", "M1", [["7", "1"]]]]}, "row 1 of pairings"),
        ({"anwsers": []}, "give run_order"),
        ({"amendments": [["A", "M1", "1", "no-slot", "X"]]}, "row 1 of amendments"),
    ],
)
def test_what_is_no_replay_data(tmp_path: Path, data: dict[str, Any], told: str) -> None:
    with pytest.raises(DataError, match=rf"replay.json: .*{told}"):
        replayed(tmp_path, {"A": [attack()]}, **data)
