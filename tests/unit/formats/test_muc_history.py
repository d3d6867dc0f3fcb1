"""Reading, writing and merging histories."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import DESIGN, write
from tellapart.cli import main
from tellapart.formats.problems import Findings
from tellapart.formats.templates.history import Entry, History, Pairing, merge
from tellapart.formats.templates.history_files import HistoryFile, read_history, write_history
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
EXAMPLE = r"""
(("TST3-MUC4-0011"
  (:MAP ("1" . "2") (nil . "1"))
  ("1"
   (inc-date
    ("20 MAY 89" fail)
    ((range nil "25 MAY 89") partial "25 MAY 89"))
   (hum-tgt-desc
    ("\"CIVILIANS\"" match (or "\"ONE OF OUR CIVILIAN EMPLOYEES\"" "\"CIVILIAN EMPLOYEES\""))
    ("\"SEVERAL NEWSMEN AND LEADERS\"" partial (all-of "\"LEADERS\"" "\"NEWSMEN\""))))))
"""


def history_of(folder: Path, text: str) -> History:
    problems = Findings()
    history = read_history(write(folder, "history.txt", text), DESIGN, problems)
    assert not problems.found
    return history


def test_the_example_of_the_format(tmp_path: Path) -> None:
    history = history_of(tmp_path, EXAMPLE)
    place = ("TST3-MUC4-0011", "1", "hum-tgt-desc")
    civilians, newsmen = history.entries[place]
    assert civilians.keys == (
        Alternatives((T('"ONE OF OUR CIVILIAN EMPLOYEES"'), T('"CIVILIAN EMPLOYEES"'))),
    )
    assert (newsmen.status, newsmen.keys) == ("partial", (T('"LEADERS"'), T('"NEWSMEN"')))
    dates = history.entries["TST3-MUC4-0011", "1", "inc-date"]
    assert dates[1].response == Range(None, T("25 MAY 89"))
    assert history.pairing("TST3-MUC4-0011", "GE") == (("1", "2"), (None, "1"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("((", "not closed"),
        ("())", "too many"),
        ('(("M1" ("1" (no-slot ("X" fail)))))', "name of a slot"),
        ('(("M1" ("1" (inc-date ("X" perhaps)))))', "a decision is"),
        ('(("M1" ("1" (inc-date ("X" match)))))', "a decision is"),
        ('(("M1" ("1" (inc-date ("X" fail "Y")))))', "a decision is"),
        ('(("M1" ("1" (inc-date ((circle "X" "Y") fail)))))', "no value"),
        ('(("M1 ("1"', "not closed"),
        ("(M1)", "here should be"),
        ("() ()", "more than one"),
    ],
)
def test_histories_that_do_not_parse(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path, "history.txt", "\n\n" + text)
    problems = Findings()
    read_history(path, DESIGN, problems)
    (problem,) = problems.found
    assert problem.fatal
    assert complaint in problem.text
    assert problem.text.startswith(f"{path}:3: ")


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


def test_merging_adds_what_is_new_and_lists_conflicts() -> None:
    ours = one_entry('"MEN"', "fail")
    gains, conflicts = merge(ours, one_entry('"DOGS"', "match", '"CATS"'))
    assert (len(gains), conflicts) == (1, [])
    assert merge(ours, one_entry('"THE MEN"', "fail")) == ([], [])
    gains, (conflict,) = merge(ours, one_entry('"MEN"', "partial", '"CATS"'))
    assert gains == []
    assert conflict.endswith('kept mismatch; the other has partial "CATS"')


def test_merging_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = str(tmp_path / "ours.txt"), str(tmp_path / "theirs.txt")
    write_history(ours, one_entry('"MEN"', "fail"))
    other = one_entry('"MEN"', "match", '"PEASANTS"')
    other.record(PLACE, Entry(T('"DOGS"'), "fail"))
    write_history(theirs, other)
    assert main(["campaign", "import", ours, theirs]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{theirs}: 1 decision added, 1 conflict",
        '  M1, key 1, hum-tgt-desc, "MEN": kept mismatch; the other has match "PEASANTS"',
    ]
    merged = read_history(ours, DESIGN, Findings(strict=True))
    assert [e.status for e in merged.entries[PLACE]] == ["fail", "fail"]


def test_comments_that_are_lost_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = tmp_path / "ours.txt", str(tmp_path / "theirs.txt")
    write_history(str(ours), one_entry('"MEN; DOGS"', "fail"))
    write_history(theirs, one_entry('"DOGS"', "fail"))
    assert HistoryFile(str(ours), DESIGN).warnings == []
    ours.write_text(f"; by Ann\n{ours.read_text()}")
    assert main(["campaign", "import", str(ours), theirs]) == 0
    assert "ours.txt: its comments (;) are lost when a decision" in capsys.readouterr().err


def test_histories_of_json_have_slots_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    for words in (["export", ours, "--slots", "muc4", "--json", "-"], ["import", old, ours]):
        assert main(["campaign", *words]) == 2
        assert "here should be the name of a slot" in capsys.readouterr().err
    assert Path(old).read_text() == before
