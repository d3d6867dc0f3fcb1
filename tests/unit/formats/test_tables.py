from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from table_files import Write, real
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.tables.reader import read_tables

# Reference data


def test_the_muc4_counts() -> None:
    counts = read_tables([Path(ta.__file__).parent / "data" / "muc4.csv"])
    assert repr(counts) == "<Counts: 17 systems × 100 messages × 10 columns>"
    assert (counts.kind, counts.form, counts.systems[0]) == ("message", "counts", "BBN")
    assert counts.columns == ("pos", "act", "cor", "par", "inc", "icr", "ipa", "spu", "mis", "non")
    assert counts.labels == {}
    first = counts.systems["BBN"].values[0, counts.items.index("TST3-MUC4-0003")]
    assert first.tolist() == [15, 12, 5, 3, 4, 0, 2, 0, 3, 9]


# Layouts

LONG = "system,item,doc,tp,fp,fn\nA,i1,d1,3,1,0\nA,i2,d2,2,0,1\nB,i2,d2,0,0,3\nB,i1,d1,1,1,2\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.tsv", LONG.replace(",", "\t")),
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


def test_json_lines(write: Write) -> None:
    header, *body = (line.split(",") for line in LONG.split())
    objects = [dict(zip(header, row, strict=True)) for row in body]
    texts = "\n".join(json.dumps(row) for row in objects)
    numbers = "\n".join(
        json.dumps({k: int(v) if v.isdigit() else v for k, v in row.items()}) for row in objects
    )
    plain = read_tables([write("plain.csv", LONG)])
    assert read_tables([write("c.jsonl", texts)]) == plain
    assert read_tables([write("c.ndjson.gz", numbers + "\n\n")]) == plain
    assert read_tables([write("c.log", numbers)]) == plain


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


def test_named_columns_make_counts_in_the_order_named(write: Write) -> None:
    table = write("c.csv", "system,id,hits,tries,tp\nA,1,2,5,9\n")
    counts = read_tables([table], columns=["tries", "hits"], form="counts")
    assert (counts.columns, counts.form) == (("tries", "hits"), "counts")
    assert counts.summed().tolist() == [[5, 2]]
    assert counts.labels == {}


def test_scores_with_metrics_are_a_column_each(write: Write) -> None:
    text = "system,id,metric,score\nA,1,f1,0.5\nA,1,em,1\nB,1,em,0\nB,1,f1,-0.25\n"
    counts = read_tables([write("c.csv", text)])
    assert (counts.columns, counts.form, counts.scales) == (("f1", "em"), "items", (100, 1))
    assert counts.values.tolist() == [[[50, 1]], [[-25, 0]]]


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


def test_wide_tables(write: Write) -> None:
    counts = read_tables(
        [write("w.csv", "item,topic,B,year,A\ni1,x,0.5,1999,1\ni2,y,0,2000,.25\n")],
        labels=["year", "topic"],
    )
    assert counts.systems == ("B", "A")
    assert (counts.columns, counts.form) == (("score",), "items")
    assert counts.labels == {"year": ("1999", "2000"), "topic": ("x", "y")}
    assert counts.column("score").tolist() == [[50, 0], [100, 25]]
    told = read_tables(["w.csv"])
    assert (told.systems, set(told.labels)) == (("B", "A"), {"topic", "year"})


def test_wide_tables_know_gaps_from_labels(write: Write) -> None:
    counts = read_tables(
        [write("w.csv", "id,gold,A,B\n1,Paris,,1\n2,Rome,0.5,0\n")], missing="drop"
    )
    assert counts.systems == ("A", "B")
    assert counts.items == ("2",)
    assert counts.labels == {"gold": ("Rome",)}


# Properties


@given(st.data())
def test_long_wide_and_one_file_per_system_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    score = st.decimals(-10, 10, allow_nan=False, places=3)
    items = [f"u{i}" for i in range(data.draw(st.integers(1, 5)))]
    scores: dict[str, Any] = {
        name: data.draw(st.lists(score, min_size=len(items), max_size=len(items)))
        for name in ("A", "B", "C")
    }
    folder = tmp_path_factory.mktemp("three")
    wide = ["item,A,B,C"] + [
        ",".join([item, *(str(scores[s][i]) for s in scores)]) for i, item in enumerate(items)
    ]
    long = ["system,item,score"] + [
        f"{s},{item},{scores[s][i]}" for s in scores for i, item in enumerate(items)
    ]
    (folder / "wide.csv").write_text("\n".join(wide))
    (folder / "long.csv").write_text("\n".join(long))
    for s in scores:
        own = ["item,score"] + [f"{u},{x}" for u, x in zip(items, scores[s], strict=True)]
        (folder / f"{s}.csv").write_text("\n".join(own))
    counts = read_tables([folder / "long.csv"])
    # Whatever the scores are like, these are said to be systems.
    assert counts == read_tables([folder / "wide.csv"], system=list(scores))
    assert counts == read_tables([folder / f"{s}.csv" for s in scores])
    assert counts == Counts.from_arrays(scores, items=items)
    assert real(counts) == {s: [[Fraction(x)] for x in scores[s]] for s in scores}
