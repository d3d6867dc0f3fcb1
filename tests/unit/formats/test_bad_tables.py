from __future__ import annotations

from pathlib import Path

import pytest

from table_files import Write
from tellapart.errors import DataError
from tellapart.formats.tables.reader import read_tables

LONG = "system,item,doc,tp,fp,fn\nA,i1,d1,3,1,0\nB,i1,d1,1,1,2\n"
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
     "the number 0.76 for a name; put a line of names above it, such as query,metric,score"),
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
