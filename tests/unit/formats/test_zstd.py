"""Files packed by zstd give what they hold, to the bit; what is wrong with them is one sentence."""

from __future__ import annotations

import random
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_files import Capture, Write
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.files import open_unpacked, zstd_module
from tellapart.formats.tables.reader import read_tables

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
        assert capsys.readouterr().err.splitlines()[-1] == (
            "tellapart: a.csv.zst: zstd needs a package: pip install 'tellapart[zstd]', or unpack "
            "it"
        )
    assert read_tables([write("b.csv.gz", LONG)]).names == ("A", "B")
