from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Write, real
from tellapart.errors import DataError, UsageError
from tellapart.formats.contract import Source, parse_source
from tellapart.formats.tables.reader import read_tables


def test_files_of_one_system_each_are_joined_by_item(write: Write) -> None:
    a = write("alder.v1.csv", "item,doc,tp,fn\ni1,d1,1,0\ni2,d2,2,0\n")
    b = write("birch.tsv.gz", "item\tfn\ttp\ni2\t5\t4\ni1\t6\t3\n")
    counts = read_tables([a, b])
    assert counts.systems == ("alder.v1", "birch")
    assert counts.values.tolist() == [[[1, 0], [2, 0]], [[3, 6], [4, 5]]]
    assert counts.labels == {"doc": ("d1", "d2")}
    assert read_tables([f"X={a}", f"Y={b}"]).systems == ("X", "Y")


def test_long_tables_are_joined(write: Write) -> None:
    a = write("a.csv", "system,item,tp\nA,1,1\nB,1,2\n")
    b = write("b.csv", "system,item,tp\nC,2,3\nC,1,4\nA,2,5\nB,2,6\n")
    counts = read_tables([a, b])
    assert counts.systems == ("A", "B", "C")
    assert counts.column("tp").tolist() == [[1, 5], [2, 6], [4, 3]]


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


def test_equal_names_ask_for_other_names(write: Write) -> None:
    Path("x").mkdir()
    a, b = write("a.csv", "item,tp\ni1,1\n"), write("x/a.csv", "item,tp\ni1,1\n")
    with pytest.raises(DataError, match=r"^x/a\.csv: a system called 'a' .* a\.csv; .*NAME=path"):
        read_tables([a, b])
    long = write("long.csv", "system,item,tp\na,i1,1\n")
    with pytest.raises(DataError, match=r"'a' is already there, from long\.csv"):
        read_tables([long, a])
    assert read_tables([long, f"b={a}"]).systems == ("a", "b")
    assert read_tables([f"c={long}", a]).systems == ("c", "a")
    with pytest.raises(DataError, match="several systems cannot be X="):
        read_tables(["X=" + write("two.csv", "system,item,tp\nA,1,1\nB,1,1\n")])


# Missing items


def test_a_metric_is_of_the_items_that_have_it(write: Write) -> None:
    text = "system,id,metric,score\nA,1,x,1\nA,1,y,2\nA,2,x,3\nA,2,y,4\nB,1,x,5\nB,2,x,6\nB,2,y,7\n"
    (notice,) = read_tables([write("c.csv", text)]).notices
    assert notice.text == "y is of 1 id of 2: the others have no such value."
    zeros = read_tables(["c.csv"], missing="zero").values.tolist()
    assert zeros == [[[1, 2], [3, 4]], [[5, 0], [6, 7]]]


def test_systems_with_items_of_their_own_keep_them(tmp_path: Path) -> None:
    """An unpaired test reads what each system has; nothing is filled in when it is written back."""
    first, second = tmp_path / "A.csv", tmp_path / "B.csv"
    first.write_text("item,score\na1,1\na2,0\n")
    second.write_text("item,score\nb1,1\na2,1\n")
    counts = read_tables([first, second], missing="own")
    assert counts.present is not None
    assert counts.present.tolist() == [[True, True, False], [False, True, True]]
    assert counts.systems["B"].present is not None
    assert [(row["system"], row["item"]) for row in counts.to_rows()] == [
        ("A", "a1"), ("A", "a2"), ("B", "a2"), ("B", "b1"),
    ]  # fmt: skip
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
    with pytest.raises(DataError, match="no id in common: check the ids and --item"):
        read_tables([a, write("c.csv", "id,question_id,acc\n11,q8,1\n12,q9,0\n")])


def test_ids_of_another_name_are_refused(write: Write) -> None:
    a = write("a.csv", "id,score\nq1,1\nq2,0\n")
    b = write("b.csv", "question_id,score\nq1,1\nq2,0\n")
    said = r"b.csv: there is no column 'id', .* of a.csv, but question_id; name the ids alike"
    with pytest.raises(DataError, match=said) as raised:
        read_tables([a, b])
    assert "--system" not in str(raised.value)
    with pytest.raises(DataError, match="--item a column that both have"):
        read_tables([b, a])
