"""Tables as people have them: spreadsheets' separators, capitals, one column of right or wrong."""

from __future__ import annotations

import pytest

from table_files import Write
from tellapart.formats.tables.reader import read_tables


@pytest.mark.parametrize(
    ("rows", "label"),
    [
        ("difficulty,A,B\n5,1,0\n1,0,1\n", "difficulty"),
        ("part,A,B\n2,1,0\n1,0,1\n", "part"),
        ("A,B,length\n1,0.5,12\n0,0.25,40\n", "length"),
        ("A,B,words\n1,0.5,12.5\n0,0.25,40\n", "words"),
        ("A,B,depth\n1,0.5,-120.5\n0,0.25,-40\n", "depth"),
        ("A,B,hard\n41.5,35,1\n39,40.5,0\n", "hard"),
        ("A,B\n1,0.5\n0,9\n", None),
        ("A,B\n0,0\n0,1\n", None),
        ("A,B,C\n41,35,0\n39,40,0\n", None),
    ],
)
def test_numbers_unlike_those_of_the_systems_are_labels(
    write: Write, rows: str, label: str | None
) -> None:
    header, *values = rows.splitlines()
    text = "\n".join([f"id,{header}", *(f"q{k},{row}" for k, row in enumerate(values))])
    table = write("table.csv", text)
    counts = read_tables([table])
    if label is None:
        assert counts.names == tuple(header.split(","))
        return
    assert (counts.names, list(counts.labels)) == (("A", "B"), [label])
    assert [notice.affected for notice in counts.notices] == [(label,)]
    assert set(read_tables([table], system=header.split(",")).names) == {"A", "B", label}


@pytest.mark.parametrize(
    ("header", "systems", "columns"),
    [
        ("gpt_latency,gpt_acc,o1_latency,o1_acc", ("gpt", "o1"), ("acc", "latency")),
        ("time.gpt-4,time.o1,exact_match.gpt-4,exact_match.o1", ("gpt-4", "o1"),
         ("exact_match", "time")),
        ("ours_tp,ours_fp,base_tp,base_fp", ("ours", "base"), ("tp", "fp")),
    ],
)  # fmt: skip
def test_several_values_of_each_system_in_a_row(
    write: Write, header: str, systems: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    """Costs come last, so that no verdict leads with one."""
    table = write("table.csv", f"id,{header}\n1,1,0.5,0,0.25\n2,0,0.5,1,0.75\n")
    counts = read_tables([table])
    assert (counts.names, counts.columns) == (systems, columns)
    assert counts.form == ("counts" if "tp" in columns else "items")
    chosen = header.split(",")[::2]
    assert read_tables([table], system=chosen).names == tuple(chosen)
    one = write("table.csv", "id,gpt_acc,claude_acc\n1,1,0\n")
    assert read_tables([one]).names == ("gpt_acc", "claude_acc")


@pytest.mark.parametrize("header", ["id,gold,prediction,correct", "id,gold,pred,match"])
def test_numbers_of_right_answers_are_no_counts(write: Write, header: str) -> None:
    files = [
        write(f"{said}.csv", f"{header}\n1,2,{said},{right}\n2,0,0,1\n")
        for said, right in ((2, 1), (3, 0))
    ]
    counts = read_tables(files)
    assert (counts.form, counts.columns) == ("items", (header.rpartition(",")[2],))
    assert counts.values[:, 0].ravel().tolist() == [1, 0]
