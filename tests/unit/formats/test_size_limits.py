"""Sizes have bounds that ordinary files never meet, and what goes beyond is told in a sentence."""

from __future__ import annotations

import gzip
import io
import json
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import eval_log, header, sample
from tellapart import files
from tellapart.errors import DataError
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
