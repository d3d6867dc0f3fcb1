"""Records: whatever a file is, its records come with their places."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from tellapart.errors import DataError, UsageError
from tellapart.formats.records import parse_json, read_records

ROWS = [{"id": "q1", "score": "1"}, {"id": "q2", "score": "0"}]
CSV = "id,score\nq1,1\nq2,0\n"


@pytest.mark.parametrize(
    ("name", "content", "second"),
    [
        ("a.csv", CSV.encode(), "a.csv:3"),
        ("a.txt", CSV.replace(",", "\t").encode(), "a.txt:3"),
        ("a.csv", CSV.replace(",", ";").encode(), "a.csv:3"),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0), "a.csv.gz:3"),
        ("a.jsonl", "\n\n".join(map(json.dumps, ROWS)).encode(), "a.jsonl:3"),
        ("a.json", json.dumps(ROWS, indent=1).encode(), "a.json, row 2"),
        ("a.json", json.dumps({"results": ROWS}).encode(), "a.json, row 2"),
        ("a.json", json.dumps({"results": ROWS}, indent=1).encode(), "a.json, row 2"),
    ],
)
def test_every_kind_of_file_gives_the_same_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, second: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    records = list(read_records(name))
    assert [record.fields for record in records] == ROWS
    assert records[1].place == second


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    """What a system wrote is longer than the csv module takes for a cell by itself."""
    path = tmp_path / "a.csv"
    path.write_text(f"id,output\nq1,{'x' * 200_000}\n")
    (record,) = read_records(str(path))
    assert len(record.fields["output"]) == 200_000


def test_the_list_of_an_object_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"results": {"rows": ROWS}, "version": 2}))
    assert [record.fields for record in read_records(str(path), "results.rows")] == ROWS
    with pytest.raises(DataError, match=r"there is no 'results\.tests' in this JSON"):
        list(read_records(str(path), "results.tests"))


def test_parquet_has_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.parquet"
    cells = "'q1' AS id, {'a': [1, NULL]} AS scores, DATE '2026-01-02' AS day"
    duckdb.sql(f"COPY (SELECT {cells}) TO '{path}'")
    (record,) = read_records(str(path))
    assert record.fields == {"id": "q1", "scores": {"a": [1, None]}, "day": "2026-01-02"}
    assert record.place.endswith("a.parquet, row 1")
    duckdb.sql(f"COPY (SELECT 'a'::BLOB AS cell) TO '{path}'")
    with pytest.raises(DataError, match="row 1: a cell is binary data"):
        list(read_records(str(path)))
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"pip install 'tellapart\[parquet\]'"):
        list(read_records(str(path)))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[" * 100_000, "nested more than 200 deep"),
        (b'{"id": 1' + b"0" * 5000 + b"}", r"cannot be used \(.*5001 digits\); [a-zA-Z ]+$"),
        (b"PAR1 and no more", "this is not a whole Parquet file"),
        (b"%PDF-1.7\n", "this is no text but binary data"),
        (b"\n<html><table>", ":2: this is a page or an XML file, no table; export it as CSV"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(DataError, match=problem):
        list(read_records(str(path)))


def test_half_a_character_can_be_written_again() -> None:
    assert parse_json(r'{"a": "\ud83d!"}', "a.json") == {"a": "?!"}
