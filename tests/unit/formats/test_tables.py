"""Tables: layouts; what is wrong with one is in `cli/transcripts/formats.txt`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from table_files import Write, read_tables, real
from tellapart.errors import DataError

# Layouts

LONG = "system,item,doc,tp,fp,fn\nA,i1,d1,3,1,0\nA,i2,d2,2,0,1\nB,i2,d2,0,0,3\nB,i1,d1,1,1,2\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.tsv", LONG.replace(",", "\t")),
        ("commas.tsv", LONG),
        ("c.tab", LONG.replace(",", "\t")),
        ("c.txt", LONG.replace(",", "\t")),
        ("c", LONG),
        ("c.csv", LONG.replace("\n", "\r\n")),
        ("c.csv", LONG.replace("\n", "\r")),
        ("c.csv", "\ufeff" + LONG),
        ("c.csv", "\n\n" + LONG.replace("\n", "\n\n")),
        ("c.csv", LONG.rstrip("\n")),
        ("c.csv.gz", LONG),
        ("c.csv", LONG.replace("A", '"A"').replace("i1", '"i1"')),
        ("c.CSV", LONG.replace("system,item", " system , item ").replace("3", " 3 ")),
    ],
)
def test_the_same_table_in_other_clothes(write: Write, name: str, content: str) -> None:
    assert read_tables([write(name, content)]) == read_tables([write("plain.csv", LONG)])


def test_json_numbers_keep_their_decimals(write: Write) -> None:
    lines = ['{"id": 7, "A": 0.1, "B": 1e-3}', '{"id": 8, "A": 0.30, "B": 2}']
    counts = read_tables([write("c.jsonl", "\n".join(lines))])
    assert counts.items == ("7", "8")
    assert counts.exact == (True,)
    assert real(counts) == {
        "A": [[Fraction(1, 10)], [Fraction(3, 10)]],
        "B": [[Fraction(1, 1000)], [Fraction(2)]],
    }


def test_parquet_of_many_types(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = {
        "system": pa.array(["A", "A", "B", "B"]).dictionary_encode(),
        "id": pa.array([1, 2, 2, 1], pa.int32()),
        "fold": pa.array([10, 20, 20, None], pa.int8()),
        "score": pa.array([0.7, 0.1, 0.25, 1.0], pa.float32()),
        "__index_level_0__": pa.array([9, 8, 7, 6]),
    }
    pq.write_table(pa.table(table), tmp_path / "c.parquet")
    counts = read_tables([tmp_path / "c.parquet"])
    assert counts.labels == {"fold": ("10", "20")}
    assert counts.scales == (100,)
    assert counts.column("score").tolist() == [[70, 10], [100, 25]]
    table["score"] = pa.array([Decimal("0.70"), Decimal("0.10"), Decimal("0.25"), Decimal(1)])
    pq.write_table(pa.table(table), tmp_path / "d.parquet")
    assert read_tables([tmp_path / "d.parquet"]) == counts


def test_the_item_column_is_the_first_of_the_known_names_or_the_named_one(write: Write) -> None:
    text = "system,doc_id,sentence,chapter,tp\nA,d,s1,c1,1\nA,d,s2,c2,2\n"
    assert read_tables([write("c.csv", text)]).kind == "sentence"
    counts = read_tables(["c.csv"], item="chapter")
    assert (counts.kind, counts.items) == ("chapter", ("c1", "c2"))
    assert counts.labels == {"doc_id": ("d", "d"), "sentence": ("s1", "s2")}


def test_counts_come_before_scores_and_that_is_said(write: Write) -> None:
    text = "system,id,tp,fn,score\nA,1,1,1,0.5\nB,1,2,0,1\n"
    counts = read_tables([write("c.csv", text)])
    assert (counts.columns, counts.labels) == (("tp", "fn"), {})
    (notice,) = counts.notices
    assert notice.code == "labels-differ"
    assert read_tables(["c.csv"], columns=["score"], labels=[]).form == "items"


def test_labels_can_be_named(write: Write) -> None:
    text = "system,id,doc,output,tp\nA,1,d1,x,1\nB,1,d1,y,0\n"
    assert read_tables([write("c.csv", text)], labels=["doc"]).labels == {"doc": ("d1",)}
    assert read_tables(["c.csv"], labels=[]).labels == {}


def test_lines_are_right_after_cells_with_line_ends(write: Write) -> None:
    text = 'system,id,note,tp\nA,1,"two\nlines",1\n\nA,2,"three\r\nlines\n",2\nA,3,x,bad\n'
    with pytest.raises(DataError, match=r"^c\.csv:8: 'bad'"):
        read_tables([write("c.csv", text)])
    again = text.replace("bad", "3") + "A,2,y,1\n"
    with pytest.raises(DataError, match=r"^c\.csv:9: item '2' appears twice .* c\.csv:5;"):
        read_tables([write("c.csv", again)])


def test_parquet_rows_are_counted(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"id": ["u", "v"], "tp": [1, -1]}), tmp_path / "c.parquet")
    with pytest.raises(DataError, match=r"c\.parquet, row 2: '-1' in column 'tp' is negative"):
        read_tables([tmp_path / "c.parquet"])
