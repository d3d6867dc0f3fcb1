"""Records: whatever a file is, its records come with their places."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from tellapart.errors import DataError
from tellapart.formats.records import open_archive, parse_json, read_records

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


def test_parquet_has_rows(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.parquet"
    duckdb.sql(f"COPY (SELECT 'q1' AS id, {{'a': 1}} AS scores) TO '{path}'")
    (record,) = read_records(str(path))
    assert record.fields == {"id": "q1", "scores": {"a": 1}}
    assert record.place.endswith("a.parquet, row 1")


def test_the_list_of_an_object_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"results": {"rows": ROWS}, "version": 2}))
    assert [record.fields for record in read_records(str(path), "results.rows")] == ROWS
    with pytest.raises(DataError, match=r"there is no 'results\.tests' in this JSON"):
        list(read_records(str(path), "results.tests"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b"id,score\nq1\n", ":2: the row has 1 fields, the header has 2"),
        (b'id,score\nq1,"1\n', "the line is not well-formed CSV"),
        (b"id,id\n1,2\n", ":1: two columns are called 'id'"),
        (b'{"id": 1}\n{"id": \n', ":2: this is not JSON"),
        (b"[" * 100_000, "nested more than 200 deep"),
        (b'{"id": 1' + b"0" * 5000 + b"}", r"cannot be used \(.*5001 digits\); [a-zA-Z ]+$"),
        (b"PAR1 and no more", "this is not a whole Parquet file"),
        (b"%PDF-1.7\n", "this is a PDF, no table"),
        (b"caf\xe9,b\n1,2\n", ":1: this is not UTF-8 text"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(DataError, match=problem):
        list(read_records(str(path)))


def test_half_a_character_can_be_written_again() -> None:
    assert parse_json(r'{"a": "\ud83d!"}', "a.json") == {"a": "?!"}


def test_archives_have_members(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"version": 2}')
    with open_archive(str(path)) as opened:
        assert opened.json("header.json") == {"version": 2}
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="cut off or damaged"), open_archive(str(path)):
        pass
