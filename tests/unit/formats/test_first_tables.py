"""Tables as newcomers and spreadsheets bring them: read right at the first try, and said how."""

from __future__ import annotations

import json

import pytest

import tellapart as ta
from table_files import Capture, Write, read_tables
from tellapart.cli import main
from tellapart.errors import DataError


def rows(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def means(counts: ta.Counts) -> dict[str, float]:
    """Return the mean of the first column of each system."""
    own = counts.values[:, :, 0].mean(axis=1) / counts.scales[0]
    return dict(zip(counts.names, own.tolist(), strict=True))


# The item


def test_a_column_of_unique_texts_names_the_items(write: Write) -> None:
    wide = ta.read(write("a.csv", rows("ticket,team,old,new", "T1,x,0,1", "T2,x,1,1")))
    assert (wide.kind, wide.items, list(wide.labels)) == ("ticket", ("T1", "T2"), ["team"])
    long = ta.read(
        write("b.csv", rows("model,document,genre,tp,fp,fn", "A,d1,n,1,0,0", "A,d2,n,1,0,0",
                            "B,d1,n,1,1,0", "B,d2,n,0,0,1"))
    )  # fmt: skip
    assert (long.kind, long.items) == ("document", ("d1", "d2"))


def test_a_table_without_ids_is_paired_by_its_rows_and_says_so(write: Write) -> None:
    counts = ta.read(write("a.csv", rows("old prompt,new prompt", "0,1", "0,0", "1,1")))
    assert (counts.items, counts.names) == (("1", "2", "3"), ("old prompt", "new prompt"))
    assert [notice.code for notice in counts.notices] == ["paired-by-row"]
    files = [write(f"{name}.csv", rows("score", "1", "0")) for name in "xy"]
    assert ta.read(files).items == ("1", "2")


@pytest.mark.parametrize("name", ["nr", "Frage", "line", "task.id"])
def test_numbers_that_files_share_name_the_items_and_not_the_order(write: Write, name: str) -> None:
    first = {number: number % 2 for number in range(1, 13)}
    files = []
    for system, numbers in (("a", sorted(first)), ("b", sorted(first, reverse=True))):
        lines = [f"{number},{first[number]}" for number in numbers]
        files.append(write(f"{system}.csv", rows(f"{name},correct", *lines)))
    counts = ta.read(files)
    assert (counts.columns, counts.notices) == (("correct",), ())
    assert (counts.values[0] == counts.values[1]).all()
    write("b.csv", rows(f"{name},correct", *(f"{n},1" for n in sorted(first) if n not in (3, 5))))
    with pytest.raises(DataError, match="missing in b: 3, 5"):
        ta.read(files)


def test_an_index_without_a_name_is_the_row_or_the_item(write: Write) -> None:
    wide = ta.read(write("a.csv", rows(",gpt,claude", "0,1,0", "1,0,0", "2,1,1")))
    assert (wide.names, wide.items, wide.labels) == (("gpt", "claude"), ("0", "1", "2"), {})
    text = rows(",model,ticket,correct", "0,A,T1,1", "1,A,T2,0", "2,B,T1,1", "3,B,T2,1")
    long = ta.read(write("b.csv", text))
    assert (long.items, long.columns, long.labels) == (("T1", "T2"), ("correct",), {})


def test_columns_may_be_called_by_numbers(write: Write) -> None:
    """As temperatures and versions are, beside a name that is known."""
    counts = ta.read(write("a.csv", rows("item,0.0,0.7", "q1,1,0", "q2,1,1")))
    assert means(counts) == {"0.0": 1, "0.7": 0.5}
    with pytest.raises(DataError, match=r"having the number 0\.5 for a name"):
        ta.read(write("b.csv", rows("q1,pass,0.5", "q2,fail,0.25")))


# Spreadsheets


def test_numbers_as_spreadsheets_write_them(write: Write) -> None:
    german = rows("Frage;A;B", "Q1;0,5;53,8 %", "Q2;1;25 %")
    counts = ta.read(write("a.csv", german))
    assert means(counts) == {"A": 0.75, "B": pytest.approx(0.394)}
    marks = ta.read(write("b.csv", rows("model,id,rating", "A,1,6/10", "B,1,9/10")))
    assert means(marks) == {"A": 0.6, "B": 0.9}


@pytest.mark.parametrize("last", ["Average", "TOTAL", "Mittelwert", "Moyenne:", "Promedio"])
def test_a_last_row_that_sums_up_is_left_out_and_said(write: Write, last: str) -> None:
    counts = ta.read(write("a.csv", rows("id,A,B", "q1,1,0", "q2,0,0", f"{last},0.5,0")))
    assert counts.items == ("q1", "q2")
    (notice,) = counts.notices
    assert notice.code == "total-row"
    assert f"{last} in a.csv:4" in notice.text
    lines = "1;1.126,5;0", "2;0,5;0", "3;0;0", f"{last};0,5;0"
    numbered = ta.read(write("b.csv", rows("Nr;A;B", *lines)))
    assert numbered.items == ("1", "2", "3")
    assert means(numbered) == {"A": pytest.approx(1127 / 3), "B": 0}
    long = [f"{query},{metric},1" for query in ("q1", "q2", last) for metric in ("AP", "P")]
    assert ta.read(write("c.csv", rows("query,metric,score", *long))).items == ("q1", "q2")


def test_empty_columns_are_said_and_indented_json_is_read(write: Write) -> None:
    table = [{"Nr": n, "A": 1, "B": 0, "C": None} for n in range(3)]
    counts = ta.read(write("a.json", json.dumps(table, indent=1)))
    assert [each.text for each in counts.notices] == ["Empty, and left out: C."]
    assert (counts.names, counts.kind) == (("A", "B"), "item")
    one = ta.read(write("b.json", json.dumps({"id": "q1", "A": 1, "B": 0}, indent=1)))
    assert one.items == ("q1",)


def test_all_problems_of_a_file_are_one_error(write: Write) -> None:
    text = rows("model,id,acc,f1", "A,1,p,1", "A,,1,1", "B,1,q,1", "B,2,1,z")
    with pytest.raises(DataError) as error:
        ta.read(write("a.csv", text), columns=["acc", "f1"], form="items")
    message = str(error.value)
    for part in (
        "a.csv:2: 'p' in column 'acc'",
        "(2 more of this kind, the last in line 5)",
        "a.csv:3: the 'id' of the row is empty",
    ):
        assert part in message


# Systems


GRID = rows(
    "model,prompt,seed,question_id,correct",
    *(f"{m},{p},{s},q{q},{(q + s + len(p) + (m == 'A')) % 2}"
      for m in "AB" for p in ("plain", "cot") for s in range(2) for q in range(4)),
)  # fmt: skip


def test_a_prompt_is_a_condition_beside_systems_and_alone_the_system(write: Write) -> None:
    grid = write("grid.csv", GRID)
    counts = ta.read(grid)
    assert counts.names == ("A", "B")
    assert counts.cells[0] == (("plain", "0"), ("plain", "1"), ("cot", "0"), ("cot", "1"))
    both = ta.read(grid, system=["model", "prompt"])
    assert both.names == ("A/plain", "A/cot", "B/plain", "B/cot")
    alone = [line.split(",", 1)[1] for line in GRID.splitlines() if line[0] in "mA"]
    counts = ta.read(write("alone.csv", rows(*alone)))
    assert counts.names == ("plain", "cot")
    assert counts.cells[0] == (("", "0"), ("", "1"))


def test_rows_are_chosen_before_ids_are_checked(write: Write, capsys: Capture) -> None:
    grid = write("grid.csv", GRID)
    assert main(["compare", grid, "--where", "prompt=cot", "--where", "seed=0", "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["systems"][0]["scores"] == {"correct": 0.5}


@pytest.mark.parametrize(
    ("column", "cells"),
    [("epoch", ("", "")), ("trial", ("", "")), ("sample", ("", "")), ("run_idx", ("", "0")),
     ("seed", ("", "0")), ("run", ("", "0"))],
)  # fmt: skip
def test_repeats_and_runs_are_told_apart(write: Write, column: str, cells: tuple[str, str]) -> None:
    lines = [f"{m},{k},q{q},{(k + q) % 2}" for m in "AB" for k in range(2) for q in range(3)]
    counts = ta.read(write("a.csv", rows(f"model,{column},id,score", *lines)))
    assert counts.cells[0][0] == cells
    assert means(counts) == {"A": 0.5, "B": 0.5}


def test_rows_that_nothing_tells_apart_name_what_does(write: Write, capsys: Capture) -> None:
    text = rows("model,judge,id,score", "A,x,1,1", "A,y,1,0", "B,x,1,0", "B,y,1,1")
    assert ta.read(write("a.csv", text), condition="judge").cells[0] == (("x", ""), ("y", ""))
    assert main(["compare", write("grid.csv", GRID), "--condition", "seed"]) == 2
    assert "--system model,prompt" in capsys.readouterr().err


def test_a_label_that_differs_within_items_is_no_cluster(write: Write) -> None:
    text = rows("model,id,doc,score", "A,1,d1,1", "A,2,d1,0", "B,1,d1,0", "B,2,d2,1")
    counts = ta.read(write("a.csv", text))
    with pytest.raises(ta.UsageError, match=r"No labels, since they differ .*: doc$"):
        ta.compare(counts, cluster="doc")


# Values


def test_grades_are_scores_and_no_verdict_leads_with_a_cost(write: Write) -> None:
    text = rows("model,id,epoch,total_tokens,score_match,score_judge",
                "a,1,1,64,C,7", "a,2,1,70,I,6", "b,1,1,50,P,8", "b,2,1,40,N,3")  # fmt: skip
    counts = ta.read(write("a.csv", text))
    assert counts.columns == ("score_match", "score_judge", "total_tokens")
    assert means(counts) == {"a": 0.5, "b": 0.25}


LARGE = [f"{m};00{q};{'#x' if q % 2 else ''};{q / 8}" for m in "AB" for q in range(9)]


@pytest.mark.parametrize("few", [3, 100_000])
@pytest.mark.parametrize(
    "text",
    [
        rows("model,id,topic,score", *LARGE).replace(";", ","),
        rows("model;id;topic;score", *LARGE).replace(".", ","),
        rows("model;id;topic;score", *LARGE[:9], *LARGE[:8:-1]).replace(".", ","),
        rows("", "model;id;topic;score", *LARGE, "", 'A;"9";"a ""b""";1', "B;9;'#';0\r"),
    ],
)
def test_large_tables_are_read_by_duckdb_as_small_ones_are(
    write: Write, monkeypatch: pytest.MonkeyPatch, text: str, few: int
) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.setattr("tellapart.formats.tables.columns._FEW", few)
    path = write("a.csv", text)
    small = ta.read(path)
    monkeypatch.setattr("tellapart.formats.tables.columns.LARGE", 0)
    assert ta.read(path) == small
    assert small.items[3] == "003"


def test_a_large_table_of_other_widths_is_refused_as_a_small_one_is(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tellapart.formats.tables.columns.LARGE", 0)
    path = write("a.csv", rows("system,id,score", "A,1,1", "B,1,0,5"))
    with pytest.raises(DataError, match="csv:3: the row has 4 fields, the header has 3"):
        ta.read(path)


# Which columns are labels, systems and values


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
