"""Submissions that are made to hurt the server that reads them."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
import zipfile
from typing import Any

if sys.version_info >= (3, 14):
    import compression.zstd as zstd
else:
    import backports.zstd as zstd

SKIPPABLE = b"\x5a*M\x18\x04\0\0\0skip"
"""A frame of zstd that readers skip, with one of sixteen magic numbers"""
LEGACY = b"\x27\xb5\x2f\xfd"
"""How zstd began before its first version"""


def parquet(rows: int, letters: int) -> bytes:
    """Return a table of long cells that are all alike."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a.parquet"
        duckdb.sql(
            f"COPY (SELECT 'q' || k AS id, repeat('x', {letters}) AS output FROM range({rows}) "
            f"t(k)) TO '{path}' (COMPRESSION zstd)"
        )
        with open(path, "rb") as stream:
            return stream.read()


def archive(name: str, content: bytes) -> bytes:
    """Return a zip archive of one member."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(name, content)
    return packed.getvalue()


def packed_files(megabytes: int = 50) -> dict[str, tuple[str, bytes]]:
    """Return names and bytes of files that are small, and large once they are unpacked."""
    rows = b'{"id": "q1", "output": "a"}\n' * (megabytes * 1_000_000 // 28)
    frame = zstd.compress(rows)
    return {
        "zip": ("a.jsonl", archive("a.jsonl", rows)),
        "zip in a zip": ("a.jsonl", archive("a.zip", archive("a.jsonl", rows))),
        "gzip": ("a.jsonl", gzip.compress(rows)),
        "zstd": ("a.jsonl", frame),
        "zstd after a frame to skip": ("a.jsonl", SKIPPABLE + frame),
        "zstd of old": ("a.jsonl.zst", LEGACY + frame[4:]),
        "text called zstd": ("a.jsonl.zst", rows[:28]),
        "Parquet": ("a.csv", parquet(megabytes * 1000, 10_000)),
        "Parquet by its name": ("a.parquet", rows[:28]),
        "Inspect's archive": ("a.eval", archive("header.json", rows)),
    }


def plain_files(size: int = 19_000_000) -> dict[str, tuple[str, bytes]]:
    """Return names and bytes of texts that are hard to read, each of about that size."""

    def row(**fields: Any) -> bytes:
        return json.dumps({"id": "q1", "output": "a", **fields}).encode() + b"\n"

    def many(piece: bytes) -> bytes:
        return piece * (size // len(piece))

    numbers = range(size // 30)
    return {
        "deep lists": ("a.jsonl", b'{"id": "q1", "output": ' + many(b"[")),
        "deep objects": ("a.json", many(b'{"a":')),
        "empty lists": ("a.jsonl", b'{"id": "q1", "x": [' + many(b"[],") + b"[]]}"),
        "many keys": ("a.jsonl", b"{" + b",".join(b'"%016x":0' % k for k in numbers) + b"}"),
        "many rows": ("a.jsonl", b"".join(b'{"id":%d,"output":1}\n' % k for k in numbers)),
        "many columns": ("a.csv", b",".join(b"%020x" % k for k in numbers) + b"\n"),
        "an open quotation mark": ("a.csv", b'id,output\nq1,"' + many(b"x,\n")),
        "a long number": ("a.jsonl", b'{"id": "q1", "output": ' + many(b"1") + b"}"),
        "a long id": ("a.jsonl", row(id="q" * size)),
        "a long cell": ("a.jsonl", row(output="x" * size)),
    }
