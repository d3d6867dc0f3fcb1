"""Pipes, FIFOs and standard input are read once, and give what a file would; so do checksums."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import tellapart as ta
from log_files import eval_log, sample
from tellapart.files import zstd_module

Pipe = Callable[[bytes], str]
N = 2000
RUN = "".join(f"q{i} Q0 d{i % 7} 1 2.5 x\nq{i} Q0 d{i % 5}x 2 1.5 x\n" for i in range(N)).encode()
QRELS = "".join(f"q{i} 0 d{i % 3} 1\n" for i in range(N)).encode()
ITEMS = b"item,score\n" + b"".join(b"q%d,%d\n" % (i, i % 3 == 0) for i in range(N))


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Make the path of a pipe out of which some bytes come, as a shell's <(…) does."""
    ends: list[int] = []

    def opened(data: bytes) -> str:
        reading, writing = os.pipe()
        ends.append(reading)

        def fill() -> None:
            with open(writing, "wb") as stream:
                stream.write(data)

        threading.Thread(target=fill, daemon=True).start()
        return f"/dev/fd/{reading}"

    yield opened
    for end in ends:
        os.close(end)


def parquet() -> bytes:
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table({"item": ["q1", "q2"], "A": [1, 0], "B": [1, 1]}), stream)
    return stream.getvalue()


FILES: dict[str, tuple[Callable[[], bytes], bytes | None]] = {
    "table": (lambda: ITEMS, None),
    "table of zstd": (lambda: zstd_module().compress(ITEMS), None),
    "parquet": (parquet, None),
    "run": (lambda: RUN, QRELS),
    "inspect archive": (lambda: eval_log([sample("a", 1), sample("b", 0)]), None),
    "tags": (lambda: b"Anna B-PER\nis O\n\n" * N, b"Anna B-PER\nis O\n\n" * N),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_pipe_gives_what_a_file_gives(kind: str, pipe: Pipe, tmp_path: Path) -> None:
    """The guess of the format does not eat the beginning; the content tells what it is."""
    make, gold = FILES[kind]
    data = make()
    path, gold_path = tmp_path / "a", tmp_path / "gold"
    path.write_bytes(data)
    gold_path.write_bytes(gold or b"")
    from_file = ta.read(f"A={path}" if kind != "parquet" else path, [gold_path] if gold else [])
    named = pipe(data) if kind == "parquet" else f"A={pipe(data)}"
    from_pipe = ta.read(named, [pipe(gold)] if gold else [])
    assert from_pipe.items == from_file.items
    assert from_pipe.names == from_file.names
    assert (from_pipe.values == from_file.values).all()


def test_a_closed_standard_input_is_told(tmp_path: Path) -> None:
    command = f"{sys.executable} -m tellapart score - <&-"
    done = subprocess.run(command, shell=True, text=True, capture_output=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "tellapart: standard input is closed; give a file, or a pipe\n"
