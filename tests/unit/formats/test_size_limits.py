"""Packed files give what they hold; sizes have bounds that ordinary files never meet."""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellapart as ta
from log_files import eval_log, header, sample
from table_files import Capture, Write, read_tables
from tellapart import files
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.files import open_unpacked, zstd_module
from tellapart.formats import align

if sys.version_info >= (3, 14):
    import zipfile

    zstd_zipfile: Any = zipfile
else:
    from backports.zstd import zipfile as zstd_zipfile

MIB = 1 << 20


def _log_of(summaries: int, packing: str = "zstd", declared: int | None = None) -> bytes:
    """Make a log whose summaries are so many blanks, and say that they are as many."""
    stream = io.BytesIO()
    method = {"zstd": 93, "deflate": 8}[packing]
    with zstd_zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("header.json", json.dumps(header()))
        with archive.open("summaries.json", "w") as member:
            for _ in range(summaries // MIB):
                member.write(bytes(MIB))
    data = stream.getvalue()
    if declared is not None:
        data = data.replace(struct.pack("<I", summaries), struct.pack("<I", declared))
    return data


@pytest.fixture
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take two megabytes for what is 256 otherwise."""
    monkeypatch.setattr(files, "UNPACKED_FREELY", 2 * MIB)
    monkeypatch.setattr(files, "UNPACKED_TIMES", 1)


@pytest.mark.usefixtures("small_bounds")
def test_what_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    log, table = tmp_path / "small.eval", tmp_path / "bomb.csv.gz"
    log.write_bytes(_log_of(8 * MIB))
    table.write_bytes(gzip.compress(b"item,score\n" + bytes(8 * MIB)))
    for path in (log, table):
        assert path.stat().st_size < MIB
        with pytest.raises(DataError, match=f"^{path}: this unpacks to more than 2 MiB;"):
            ta.read(path)


@pytest.mark.parametrize("packing", ["zstd", "deflate"])
def test_a_member_does_not_unpack_to_more_than_it_says(packing: str, tmp_path: Path) -> None:
    """It says a thousand bytes and holds megabytes."""
    path = tmp_path / "lies.eval"
    path.write_bytes(_log_of(8 * MIB, packing, declared=1000))
    with pytest.raises(DataError, match=r"summaries\.json is damaged"):
        ta.read(path)


def test_many_small_members_are_bounded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs without summaries are read sample by sample."""
    monkeypatch.setattr(files, "UNPACKED_FREELY", 1000)
    monkeypatch.setattr(files, "UNPACKED_TIMES", 1)
    path = tmp_path / "x.eval"
    rows = [sample(k, 1, input="word " * 500) for k in range(20)]
    path.write_bytes(eval_log(rows))
    with pytest.raises(DataError, match=r"x\.eval: this unpacks to more than"):
        ta.read(path)


def test_parquet_with_bad_text_is_one_sentence(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    bad = pa.array([b"q1", b"q\xff"]).view(pa.string())
    pq.write_table(pa.table({"item": bad, "A": [1, 0], "B": [0, 1]}), path)
    with pytest.raises(DataError, match=r"a\.parquet: .*UTF-?8"):
        ta.read(path)
    data = path.read_bytes()
    for cut in range(8, len(data) - 8, 211):
        path.write_bytes(data[:cut] + b"\xff\xfe" + data[cut + 2 :])
        with pytest.raises(DataError):
            ta.read(path)


def test_a_table_of_more_cells_than_fit_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Systems and items that were mixed up: every row has a system of its own."""
    monkeypatch.setattr(align, "MOST_CELLS", 10_000)
    path = tmp_path / "a.csv"
    path.write_text("system,item,score\n" + "".join(f"s{k},q{k},1\n" for k in range(200)))
    with pytest.raises(DataError, match="200 systems × 200 items are more than can be compared"):
        ta.read(path)


# Files packed by zstd


zstd = zstd_module()
SKIPPED = b"P*M\x18\x05\0\0\0about"  # a frame that holds nothing, as pzstd begins a file with

LONG = "system,item,tp,fp,domain\n" + "".join(
    f"{system},q{k},{k % 7},{k % 3 / 4},d{k % 5}\n" for system in "AB" for k in range(300)
)


def _frames(data: bytes, cuts: list[int]) -> bytes:
    """Pack data as one frame for each part, as `cat a.zst b.zst` has them."""
    places = [0, *sorted(cuts), len(data)]
    return b"".join(zstd.compress(data[a:b]) for a, b in pairwise(places))


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=4), st.booleans())
def test_all_frames_are_read(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cuts: list[int], skipped: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "x.zst"
    between = SKIPPED if skipped else b""
    path.write_bytes(between + _frames(data, [min(cut, len(data)) for cut in cuts]) + between)
    with open_unpacked(path) as stream:
        assert stream.read() == data


def test_cut_and_damaged_files_are_named(write: Write, capsys: Capture) -> None:
    """A checksum is in the file; without one, damage may look sound."""
    whole = zstd.compress(LONG.encode(), options={zstd.CompressionParameter.checksum_flag: 1})
    plain = read_tables([write("plain.csv", LONG)])
    broken = [whole[:size] for size in (0, 3, 9, len(whole) // 2, len(whole) - 1)]
    broken += [whole + b"more", b"item,score\nq1,1\n"]
    for data in broken:
        with pytest.raises(DataError, match=r"^x\.csv\.zst: this is no whole \.zst file \(.*"):
            read_tables([write("x.csv.zst", data)])
        assert main(["compare", "x.csv.zst"]) == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith("tellapart: x.csv.zst: ")
    rng = random.Random(0)
    for _ in range(60):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path = write("y.csv.zst", bytes(data))
        try:
            found = read_tables([path])
        except DataError as error:
            found, told = None, str(error)
        # Some bits say nothing of the content.
        assert told.startswith("y.csv.zst: ") if found is None else found == plain


def test_without_its_package(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("zstd is in the standard library")
    path = write("a.csv.zst", zstd.compress(LONG.encode()))
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    for words in (
        ["compare", path],
        ["score", path],
        ["compare", "--as", "text", "--gold", path, path],
    ):
        assert main(words) == 2
        told = capsys.readouterr().err.splitlines()[-1]
        assert f"a.csv.zst: zstd needs a package: {sys.executable} -m pip install " in told
    assert read_tables([write("b.csv.gz", LONG)]).names == ("A", "B")
