"""Tables: layouts, and what is wrong with one in a sentence."""

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
    with pytest.raises(DataError, match=r"there is no column 'dog' \(--labels\)"):
        read_tables(["c.csv"], labels=["dog"])
    with pytest.raises(DataError, match=r"'output' \(--labels\) is no label"):
        read_tables(["c.csv"], labels=["output"])


# Tables that cannot be used


BAD = [
    ("e.csv", "", "e.csv: the file is empty"),
    ("h.csv", "system,id,tp\n", "h.csv: the table has no rows"),
    ("r.csv", "system,id,tp\nA,1,1\nA,2\n", "r.csv:3: the row has 2 fields, the header has 3"),
    ("n.csv", "system,id,tp\nA,1,1\nA,2,one\n", "n.csv:3: 'one' in column 'tp' is not a number"),
    ("n.csv", "system,id,tp\nA,1,1_0\n", "n.csv:2: '1_0' in column 'tp' is not a number"),
    ("n.csv", "system,id,tp\nA,1,\n", "n.csv:2: an empty cell in column 'tp' is not a number"),
    ("n.csv", "system,id,score\nA,1,0.5\nA,2,NaN\n", "n.csv:3: 'NaN' in column 'score' is not"),
    ("n.csv", "system,id,score\nA,1,1e999\n", "n.csv:2: '1e999' in column 'score' is not a finite"),
    ("n.jsonl", '{"id": 1, "tp": true}\n{"id": 2, "tp": "yes"}', "n.jsonl:2: 'yes' in column 'tp'"),
    ("p.csv", "id,A,B\n1,later,0.5\n2,1,0.25\n3,0,1\n", "p.csv:2: 'later' in column 'A' is not a"),
    ("n.jsonl", '{"id": 1, "tp": [1]}', "n.jsonl:1: '[1]' in column 'tp' is not a number"),
    ("m.csv", "system,id,tp\nA,1,2\nA,2,-3\n", "m.csv:3: '-3' in column 'tp' is negative"),
    ("d.csv", "system,id,tp\nA,u,1\nA,v,1\nA,u,1\n", "d.csv:4: item 'u' appears twice for system "
     "'A', first in d.csv:2; give each row its own id"),
    ("d.csv", "id,A,B\nu,1,2\nu,1,2\n", "d.csv:3: item 'u' appears twice for system 'A', first in "
     "d.csv:2"),
    ("d.csv", "system,run,id,tp\nA,1,u,1\nA,2,u,1\nA,1,u,1\n", "d.csv:4: item 'u' appears twice"),
    ("m.csv", "system,id,metric,score\nA,1,f1,1\nA,2,f1,1\nA,1,f1,0\n", "m.csv:4: item '1' appears "
     "twice by 'f1'"),
    ("c.csv", "id,a_tp,a_fp,b_tp,b_fp,b_fn\n1,1,1,1,1,1\n", "c.csv: give every system the same "
     "counts, with numbers: here a_tp, a_fp; b_tp, b_fp, b_fn"),
    ("j.jsonl", '{"id": 1, "tp": 1}\n[1, 2]\n', "j.jsonl:2: this is not an object"),
    ("j.jsonl", '{"id": 1, "tp": 1}\n{"id": 2, "fp": 1}', "j.jsonl:2: an empty cell in column"),
    ("p.csv", "model,id,passed\nA,1,flaky\nA,2,PASS\nB,1,flaky\nB,2,flaky\n", "p.csv:2: 'flaky' in "
     "column 'passed' is neither right nor wrong; write pass or"),
    ("b.csv", b"system,id,tp\nA,1,1\nA,\xff,1\n", "b.csv:3: this is not UTF-8 text"),
    ("b.csv", b"a\0b\0\n1,2", "b.csv:1: this is no text but binary data"),
    ("t.csv", "system,id,tp,tp\nA,1,1,1\n", "t.csv:1: two columns are called 'tp'"),
    ("t.csv", ",system,id,tp\nx,A,1,1\n", "t.csv: column 1 has no name"),
    ("t.csv", "system,,id,tp\nA,x,1,1\n", "t.csv:1: column 2 has no name"),
    ("i.csv", "system,id,tp\n,1,1\n", "i.csv:2: the 'system' of the row is empty"),
    ("i.jsonl", '{"id": null, "tp": 1}', "i.jsonl:1: the 'id' of the row is empty"),
    ("u.csv", "system,name,tp\nA,1,1\nA,1,2\n", "u.csv: no item column among system, name, "
     "tp; name it with --item"),
    ("u.json", '{"model": "A", "accuracy": 0.81,\n"f1": 0.79}', "u.json cannot be compared item by "
     "item: give a table with a row per item"),
    ("h.tsv", "q01\tAP\t0.76\nq02\tAP\t0.18\n", "h.tsv:1: the first line seems to be data, having "
     "the number 0.76 for a name; put a line of names above it, such as query,metric,score in "
     "their order"),
    ("h.csv", "q1,1,1\nq2,0,1\n", "h.csv:1: the first line seems to be data"),
    ("v.csv", "system,id,doc\nA,1,d\n", "v.csv: no counts or scores among system, id, doc; "
     "--columns names them"),
    ("w.csv", "id,A,B\n1,0.5,1\n2,x,1\n", "w.csv:3: 'x' in column 'A' is not a number; if 'A' is a "
     "label, name"),
    ("q.csv", 'system,id,tp\nA,"1"x,1\n', "q.csv:2: the line is not well-formed CSV"),
    ("big.csv", "system,id,tp\nA,1,99999999999999999999\n", "'tp': the sum of the values"),
    ("big.csv", "id,A,B\n1,1e308,1e308\n2,-1e308,1\n", "'score': the sum of the values"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_bad_input_is_told_in_one_sentence(
    write: Write, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(DataError) as error:
        read_tables([write(name, content)])
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_names_that_the_table_does_not_have(write: Write) -> None:
    name = write("c.csv", LONG)
    with pytest.raises(
        DataError, match=r"^c\.csv: there is no column 'para' \(--item\); .*system, item, doc"
    ):
        read_tables([name], item="para")
    with pytest.raises(
        DataError, match=r"^c\.csv: there is no column 'hits' \(--columns\); .*tp, fp, fn"
    ):
        read_tables([name], columns=["tp", "hits"])


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
