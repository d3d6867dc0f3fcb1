"""Tables read by native code and in Python: the same counts bit for bit, or the same refusal."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tellapart import engine
from tellapart.counts import Counts
from tellapart.errors import DataError
from tellapart.formats.tables import splitting
from tellapart.formats.tables.cells import Codes
from tellapart.formats.tables.reader import findings, read_tables

pytestmark = pytest.mark.skipif(not splitting.is_fast(), reason="there is no native module")

ITEMS = st.sampled_from(
    ["q1", "q2", "q3", "q 4", "7", "07", "1.0", "é", 'say "so"', "a,b", "a\tb", "two\nlines", "q1 ",
     "", " ", "\u2003", "NA", "true", "\ufeffq", "x" * 200]
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(0, 5).map(str),
    st.decimals(-3, 3, places=3).map(str),
    st.sampled_from(["0.1", "1e-3", "1E2", "+.5", "5.", " 1 ", "-0", "0.30000000000000004"]),
    st.floats(0, 1).map(repr),
)
ODD = st.sampled_from(
    ["", "n/a", "NaN", "inf", "1e999", "true", "FALSE", "pass", "fail", "yes", "1_000", "0x1",
     "70 %",     "12345678901234567890", "0,7", "9" * 400, "-1", "１", ".", "-", "1e", "--1"]
)  # fmt: skip
LABELS = st.sampled_from(["news", "web", "", "3", "true"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Return a header and rows, most of them sound: long or wide, with runs, metrics, labels."""
    values = NUMBERS if draw(st.booleans()) else NUMBERS | NUMBERS | ODD
    systems = draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=3, unique=True))
    items = draw(st.lists(ITEMS, min_size=1, max_size=6, unique=draw(st.integers(0, 5)) > 0))
    labels = {item: draw(LABELS) for item in items}
    if draw(st.booleans()):
        rows = [[item, *(draw(values) for _ in systems), labels[item]] for item in items]
        return ["item", *systems, "domain"], rows
    value_names = draw(
        st.sampled_from([["score"], ["tp", "fp", "fn"], ["f1", "cost"], ["correct"]])
    )
    rows = [
        [name, item, labels[item], *(draw(values) for _ in value_names)]
        for name in systems
        for item in items
    ]
    if draw(st.integers(0, 3)) == 0:
        rows = draw(st.permutations(rows))
    if draw(st.integers(0, 5)) == 0:
        rows = rows[:-1] or rows
    return ["system", "item", "domain", *value_names], rows


def delimited(header: list[str], rows: list[list[str]], mark: str, quoting: int, end: str) -> str:
    """Return CSV or TSV."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def json_lines(header: list[str], rows: list[list[str]], bare: bool, ascii_only: bool) -> str:
    """Return JSONL: numbers as such where they are some, if `bare`."""

    def cell(text: str) -> Any:
        try:
            return json.loads(text) if bare else text
        except ValueError:
            return text

    objects = [dict(zip(header, map(cell, row), strict=True)) for row in rows]
    return "".join(f"{json.dumps(each, ensure_ascii=ascii_only)}\n" for each in objects)


def outcome(path: Path, missing: str = "error") -> object:
    """Return all that a table says, or how it is refused."""
    try:
        counts = read_tables([path], missing=missing)
    except DataError as error:
        return str(error)
    found = []
    for field in fields(Counts):
        value = getattr(counts, field.name)
        array = isinstance(value, np.ndarray)
        found.append((field.name, (value.shape, value.tobytes()) if array else value))
    return repr(found)


def told(path: Path) -> list[str] | str:
    """Return all that `validate` finds."""
    try:
        return [str(each) for each in findings([str(path)], None, None)]
    except DataError as error:
        return str(error)


def same_both_ways(path: Path, missing: str = "error") -> None:
    """Read a table by either path; batches are small, so that it has several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "ROWS", 2)
        patch.setattr(splitting, "BYTES", 48)
        native = outcome(path, missing), told(path)
        with engine.using("numpy"):
            assert (outcome(path, missing), told(path)) == native


POLICIES = st.sampled_from(["error", "drop", "zero", "own"])


@given(tables(), st.sampled_from(",\t;"), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
       st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), POLICIES)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_delimited_tables(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    mark: str,
    quoting: int,
    end: str,
    packed: bool,
    missing: str,
) -> None:
    suffix = {",": ".csv", "\t": ".tsv", ";": ".csv"}[mark]
    data = delimited(*table, mark, quoting, end).encode()
    path = tmp_path_factory.getbasetemp() / f"t{suffix}{'.gz' * packed}"
    path.write_bytes(gzip.compress(data) if packed else data)
    same_both_ways(path, missing)


@given(tables(), st.booleans(), st.booleans(), POLICIES)
@settings(max_examples=100, deadline=None)
def test_lines_of_json(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    bare: bool,
    ascii_only: bool,
    missing: str,
) -> None:
    path = tmp_path_factory.getbasetemp() / "t.jsonl"
    path.write_text(json_lines(*table, bare, ascii_only))
    same_both_ways(path, missing)


CSV = b'system,item,score\nA,q1,1\nA,q2,0.5\nB,"q1",0\nB,q2,0.25\n'
JSONL = b'{"id": 1, "A": 0.5, "B": true}\n{"id": "b\\u00e9\\n", "A": 1e2, "B": null}\n'
DAMAGE = st.sampled_from(
    [b'"', b'""', b",", b"\n", b"\r", b"\r\n", b"\n\n", b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf",
     b"{}", b"{", b"}", b"[1]", b"\\ud800", b"\\", b"null", b"NaN", b" ", b"0", b"\x1c",
     b'"id": 1,',     b"\t"]
)  # fmt: skip


@given(st.sampled_from([("d.csv", CSV), ("d.jsonl", JSONL)]),
       st.lists(st.tuples(st.floats(0, 1), DAMAGE, st.integers(0, 2)), max_size=3))  # fmt: skip
@example(("d.csv", CSV.rstrip()), [])
@example(("d.jsonl", JSONL.rstrip()), [])
@settings(max_examples=150, deadline=None)
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory,
    file: tuple[str, bytes],
    damage: list[tuple[float, bytes, int]],
) -> None:
    name, data = file
    for place, piece, lost in damage:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + lost :]
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    same_both_ways(path)


@given(tables(), st.data(), POLICIES)
@settings(max_examples=20, deadline=None)
def test_parquet(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    data: st.DataObject,
    missing: str,
) -> None:
    """Columns of texts, of numbers of any size, with and without gaps."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    header, rows = table
    columns = {}
    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        kind = data.draw(st.sampled_from(["string", "float64", "float32", "int8", "uint64"]))
        column = pa.array(cells, pa.string())
        if name not in ("system", "domain") and kind != "string":
            numbers = [float(k % 7) / (2 if kind[0] == "f" else 1) for k in range(len(cells))]
            column = pa.array(
                [int(x) if kind[0] != "f" else x for x in numbers], getattr(pa, kind)()
            )
        if data.draw(st.integers(0, 4)) == 0:
            column = pa.array([None, *column.to_pylist()[1:]], column.type)
        columns[name] = column
    path = tmp_path_factory.getbasetemp() / "t.parquet"
    pq.write_table(pa.table(columns), path)
    same_both_ways(path, missing)


def test_plain_rows_are_not_read_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotation marks, decimals and any language are plain; `csv` sees the header alone."""
    path = tmp_path / "t.csv"
    rows = [f'"item {k}",é,{k / 8}\n' for k in range(5000)]
    path.write_text("item,label,score\n" + "".join(rows))
    seen: list[Any] = []
    reader = csv.reader

    def noting(text: Any, **how: Any) -> Any:
        seen.append(text)
        return reader(text, **how)

    monkeypatch.setattr(csv, "reader", noting)
    counts = read_tables([path])
    assert counts.items[-1] == "item 4999"
    assert counts.values[0, :, 0].tolist() == [125 * k for k in range(5000)]
    assert counts.scales == (1000,)
    assert len(seen) == 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@settings(deadline=None)
def test_floats_are_read_to_the_last_bit(values: list[float]) -> None:
    native: Any = engine.native
    text = "".join(f"{value!r}\n" for value in values)
    cells = native.split_delimited(text.encode(), ",", 1, 1, True)[4][0]
    assert cells.numbers().tobytes() == np.array(values).tobytes()


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=40)))
def test_whole_numbers_have_the_codes_of_their_digits(batches: list[list[int]]) -> None:
    numbers, texts = Codes(), Codes()
    for batch in batches:
        twice = [number for number in batch for _ in range(2)]
        assert (
            numbers.encode(np.array(twice, np.int64)).tolist()
            == texts.encode(list(map(str, twice))).tolist()
        )
    assert numbers.texts == texts.texts
