"""Tables of several files: runs, missing items, ids, and labels from a file of their own."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Capture, Write, read_tables, real
from tellapart.cli import main
from tellapart.errors import DataError, UsageError
from tellapart.formats.contract import Source, parse_source


def test_patterns_after_a_name_are_expanded(write: Write) -> None:
    """No shell does it there."""
    for run in "21":
        write(f"run{run}.csv", f"id,score\nu,{run}\n")
    write("b.csv", "id,score\nu,4\n")
    assert parse_source("A=run*.csv") == Source(("run1.csv", "run2.csv"), "A")
    assert parse_source("A=run[1].csv,b.csv") == Source(("run1.csv", "b.csv"), "A")
    assert real(ta.read(["A=run*.csv", "B=b.csv"])) == {"A": [[Fraction(3, 2)]], "B": [[4]]}
    with pytest.raises(DataError, match=r"no file fits the pattern 'x\*\.csv'"):
        parse_source("A=x*.csv")
    strange = write("run[1].csv", "id,score\nu,1\n")
    assert parse_source(f"A={strange}").paths == (strange,)


def test_runs_of_files_and_of_a_column_are_runs(write: Write) -> None:
    for k in "12":
        write(f"{k}.csv", f"id,seed,score\nu,0,{k}\nu,1,0\n")
    counts = read_tables(["A=1.csv,2.csv"])
    assert counts.cells == ((("", "1 0"), ("", "1 1"), ("", "2 0"), ("", "2 1")),)
    assert real(counts) == {"A": [[Fraction(3, 4)]]}


def test_a_file_of_several_systems_is_not_one(write: Write) -> None:
    """Though no item appears twice."""
    both = write("both.csv", "system,item,score\na,q1,1\nb,q2,0\n")
    one = write("one.csv", "item,score\nq1,1\nq2,1\n")
    with pytest.raises(DataError, match="names several systems: they cannot all be X="):
        read_tables([f"X={both}", f"Y={one}"])
    with pytest.raises(DataError, match="names several systems: give the other files that column"):
        read_tables([both, one])


# Missing items


def test_systems_with_items_of_their_own_keep_them(tmp_path: Path) -> None:
    """An unpaired test reads what each system has; nothing is filled in when it is written back."""
    first, second = tmp_path / "A.csv", tmp_path / "B.csv"
    first.write_text("item,score\na1,1\na2,0\n")
    second.write_text("item,score\nb1,1\na2,1\n")
    counts = read_tables([first, second], missing="own")
    assert counts.present.tolist() == [[True, True, False], [False, True, True]]
    counts.to_table(tmp_path / "saved.csv")
    rows = (tmp_path / "saved.csv").read_text().splitlines()
    assert [row.rpartition(",")[0] for row in rows[1:]] == ["A,a1", "A,a2", "B,a2", "B,b1"]
    with pytest.raises(UsageError, match="items of their own cannot be clustered"):
        counts.by("doc")


@pytest.mark.parametrize(
    "second", ["id,question_id,acc\n11,q2,1\n12,q1,0\n", "question_id,acc\nq2,1\nq1,0\n"]
)
def test_the_ids_that_systems_share_decide(write: Write, second: str) -> None:
    """An id that each row has for itself names no item, whichever file has such ids."""
    a = write("a.csv", "id,question_id,acc\n1,q1,0.25\n2,q2,0.5\n")
    b = write("b.csv", second)
    counts = read_tables([a, b])
    assert (counts.kind, counts.items, counts.columns) == ("question", ("q1", "q2"), ("acc",))
    assert (counts.column("acc") / counts.scales[0]).tolist() == [[0.25, 0.5], [0, 1]]
    with pytest.raises(DataError, match="no item in common: check the ids and --item"):
        read_tables([a, write("c.csv", "id,question_id,acc\n11,q8,1\n12,q9,0\n")])


def test_ids_of_another_name_are_refused(write: Write) -> None:
    a = write("a.csv", "id,score\nq1,1\nq2,0\n")
    b = write("b.csv", "question_id,score\nq1,1\nq2,0\n")
    said = r"b.csv: there is no column 'id', which a.csv has, but question_id, score; call"
    for files in ([a, b], [b, a]):
        with pytest.raises(DataError, match=said):
            read_tables(files)


# Labels of items from a file of their own, for every format


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [f"q{i},{int(i % 3 > 0)},{int(i % 4 > 1)}" for i in range(12)]
    path.write_text("\n".join(["item,A,B", *rows]) + "\n")
    return path


def labels(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return path


def by_pairs(n: int, key: str = "item") -> str:
    return f"{key},event\n" + "".join(f"q{i},e{i // 2}\n" for i in range(n))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (by_pairs(10), "there is no row for 2 items of 12: q10, q11"),
        (by_pairs(12) + "q3,e9\n", r":14: 'q3' has other labels than on .*:5"),
        ("", "the file is empty"),
    ],
)
def test_bad_files_get_one_sentence(scores: Path, tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        ta.read(scores, item_labels=labels(tmp_path, text))


def test_rows_about_no_item_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("item,A,B\nq1,1,0\nq2,0,1\nq3,1,1\n")
    Path("labels.csv").write_text("item,doc\nq1,a\nq2,a\nq3,b\nq4,b\n")
    assert main(["compare", "t.csv", "--item-labels", "labels.csv", "--format", "tsv"]) == 0
    assert "Rows of labels.csv about no item here: q4" in capsys.readouterr().err
