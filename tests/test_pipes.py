"""Pipes, FIFOs and standard input are read once, and give what a file would; so do checksums."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

import tellapart as ta
from log_files import eval_log, json_log, sample
from muc_files import attack
from tellapart import read_once
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.files import open_bytes, open_text, zstd_module
from tellapart.read_once import checksums_within, reading_once
from writers import THEIRS

Pipe = Callable[[bytes], str]
Capture = pytest.CaptureFixture[str]

N = 2000
RUN = "".join(f"q{i} Q0 d{i % 7} 1 2.5 x\nq{i} Q0 d{i % 5}x 2 1.5 x\n" for i in range(N)).encode()
QRELS = "".join(f"q{i} 0 d{i % 3} 1\n" for i in range(N)).encode()
ITEMS = b"item,score\n" + b"".join(b"q%d,%d\n" % (i, i % 3 == 0) for i in range(N))
OTHER = b"item,score\n" + b"".join(b"q%d,%d\n" % (i, i % 5 == 0) for i in range(N))


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
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table({"item": ["q1", "q2"], "A": [1, 0], "B": [1, 1]}), stream)
    return stream.getvalue()


FILES: dict[str, tuple[Callable[[], bytes], bytes | None]] = {
    "table": (lambda: ITEMS, None),
    "gzipped table": (lambda: gzip.compress(ITEMS), None),
    "table of zstd": (lambda: zstd_module().compress(ITEMS), None),
    "parquet": (parquet, None),
    "run": (lambda: RUN, QRELS),
    "gzipped run": (lambda: gzip.compress(RUN), gzip.compress(QRELS)),
    "inspect": (lambda: json_log([sample("a", 1), sample("b", 0)]).encode(), None),
    "inspect archive": (lambda: eval_log([sample("a", 1), sample("b", 0)]), None),
    "tags": (lambda: b"Anna B-PER\nis O\n\n" * N, b"Anna B-PER\nis O\n\n" * N),
    "spans": (
        lambda: b'{"text": "Anna", "spans": []}\n' * 2,
        b'{"text": "Anna", "spans": []}\n' * 2,
    ),
    "lm-eval": (lambda: b'{"doc_id": 0, "doc": {}, "resps": [], "acc": 1}\n', None),
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


def test_standard_input_tells_its_format(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.write_bytes(QRELS)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN)))
    assert ta.read("-", gold).items == tuple(f"q{i}" for i in range(N))


@pytest.mark.parametrize("verb", ["compare", "score", "diff", "validate"])
def test_every_verb_reads_pipes(verb: str, pipe: Pipe, capsys: Capture) -> None:
    systems = [pipe(ITEMS), pipe(OTHER)]
    assert main([verb, *systems]) == 0
    out, err = capsys.readouterr()
    assert verb == "validate" or f"{N:,}" in err
    assert out or "0 errors" in err


def test_no_hint_names_a_pipe_that_is_read_to_its_end(pipe: Pipe, capsys: Capture) -> None:
    assert main(["compare", pipe(ITEMS), pipe(OTHER)]) == 0
    assert "tellapart diff" not in capsys.readouterr().out


def test_item_labels_and_options_come_out_of_pipes(pipe: Pipe, capsys: Capture) -> None:
    labels = b"item,topic\n" + b"".join(b"q%d,t%d\n" % (i, i % 9) for i in range(N))
    words = ["compare", pipe(ITEMS), pipe(OTHER), "--item-labels", pipe(labels)]
    assert main([*words, "--cluster", "topic"]) == 0
    assert "topic" in capsys.readouterr().out


def test_a_bad_line_of_a_pipe_is_named(pipe: Pipe) -> None:
    path = pipe(ITEMS + b"q\xff,1\n")
    with pytest.raises(DataError, match=rf"^{path}:{N + 2}: this is not UTF-8"):
        ta.read(path)


def test_the_same_pipe_by_two_names_is_read_once(pipe: Pipe) -> None:
    path = pipe(ITEMS)
    number = path.rpartition("/")[2]
    counts = ta.read([f"A={path}", f"B=/proc/self/fd/{number}"])
    assert (counts.values[0] == counts.values[1]).all()
    assert counts.values.shape[1] == N


def test_a_later_reading_is_a_new_one(tmp_path: Path) -> None:
    """A FIFO can be read again in the same program, by another writer."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    for data, names in ((b"item,A,B\nq,1,0\n", ("A", "B")), (b"item,C,D\nq,1,0\n", ("C", "D"))):
        writer = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
        writer.start()
        assert ta.read(path).names == names
        writer.join(60)


def run(words: list[str | Path], **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tellapart", *map(str, words)]
    return subprocess.run(command, text=True, capture_output=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_fifos_are_read_in_whatever_order_they_are_written(order: str, tmp_path: Path) -> None:
    """One process writes both, each larger than the buffer of a pipe, and waits for the reader."""
    fifos = [tmp_path / "a", tmp_path / "b"]
    for path in fifos:
        os.mkfifo(path)
    big = ITEMS + b"".join(b"r%d,1\n" % i for i in range(20_000))

    def fill() -> None:
        for path in fifos if order == "forwards" else fifos[::-1]:
            path.write_bytes(big)

    threading.Thread(target=fill, daemon=True).start()
    done = run(["score", *fifos])
    assert done.returncode == 0, done.stderr
    assert "2 systems × 22,000 items" in done.stderr


@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_adjudicate_reads_fifos_in_whatever_order_they_are_written(
    order: str, tmp_path: Path
) -> None:
    slots = files("tellapart") / "data" / "muc4_slots.json"
    contents = {
        "slots": slots.read_text(encoding="utf-8"),
        "theirs": THEIRS,
        "gold": attack(perp_ind_id='"A"'),
        "texts": "M1\n\n   B ATTACKED.\n",
        "response": attack(perp_ind_id='"A"'),
    }
    for name in contents:
        os.mkfifo(tmp_path / name)

    def fill() -> None:
        for name in list(contents) if order == "forwards" else list(contents)[::-1]:
            (tmp_path / name).write_text(contents[name], encoding="utf-8")

    threading.Thread(target=fill, daemon=True).start()
    words = "--gold gold --texts texts --slots slots --merge theirs --history new X=response"
    done = run(["adjudicate", *words.split()], cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert "theirs: 1 decision added" in done.stdout


def test_a_fifo_that_nobody_writes_is_waited_for_and_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "silent"
    os.mkfifo(path)
    process = subprocess.Popen(
        [sys.executable, "-m", "tellapart", "score", str(path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == f"tellapart: waiting for the end of {path}\n"
    process.send_signal(2)
    assert process.wait(60) == 130
    assert "interrupted" in process.stderr.read()
    process.stderr.close()


def test_a_pipe_has_a_bound(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_once, "MOST_BYTES", 1000)
    with pytest.raises(DataError, match="came out of this pipe; write it to a file"):
        ta.read(pipe(ITEMS))


def test_large_pipes_go_to_a_temporary_file(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_once, "_IN_MEMORY", 100)
    assert len(ta.read(pipe(ITEMS)).items) == N


def test_a_closed_standard_input_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m tellapart score - <&-",
        shell=True,
        text=True,
        capture_output=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr == "tellapart: standard input is closed; give a file, or a pipe\n"


def _sums(html: Path) -> list[str]:
    return re.findall(r"\b[0-9a-f]{64}\b", html.read_text())


def test_reports_have_the_checksums_of_pipes(pipe: Pipe, tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    assert main(["compare", pipe(ITEMS), pipe(OTHER), "--html", str(page)]) == 0
    assert _sums(page) == [hashlib.sha256(data).hexdigest() for data in (ITEMS, OTHER)]


def test_checksums_are_of_the_bytes_that_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is replaced after it was read, while the comparison goes on."""
    from tellapart import result as module

    one, two, page = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "x.html"
    one.write_bytes(ITEMS)
    two.write_bytes(OTHER)
    compare_as_asked = module.compare_as_asked

    def replaced(*given: object, **options: object) -> object:
        one.write_bytes(OTHER)
        return compare_as_asked(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "compare_as_asked", replaced)
    assert main(["compare", str(one), str(two), "--html", str(page)]) == 0
    assert _sums(page) == [hashlib.sha256(data).hexdigest() for data in (ITEMS, OTHER)]


def test_folders_show_the_files_that_were_read(tmp_path: Path) -> None:
    """Of the samples in a folder, the newest of each task are read, and no other file."""
    row = b'{"doc_id": %d, "doc": {}, "resps": [], "acc": %d}\n'
    for name, shift in (("alder", 0), ("birch", 1)):
        folder = tmp_path / name
        folder.mkdir()
        data = b"".join(row % (i, (i + shift) % 3 == 0) for i in range(30))
        (folder / "samples_quiz_2026-01-02T00-00-00.jsonl").write_bytes(data)
        (folder / "samples_quiz_2026-01-01T00-00-00.jsonl").write_bytes(b"old")
        (folder / "notes.txt").write_bytes(b"unread")
    page = tmp_path / "x.html"
    words = ["compare", str(tmp_path / "alder"), str(tmp_path / "birch")]
    assert main([*words, "--html", str(page)]) == 0
    read = sorted(tmp_path.glob("*/samples_quiz_2026-01-02*"))
    assert _sums(page) == [hashlib.sha256(path.read_bytes()).hexdigest() for path in read]


def _later(path: Path) -> None:
    """Make sure that a change shows, though the clock of a file system ticks slowly."""
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


@pytest.mark.parametrize("change", ["grow", "rewrite"])
def test_a_file_that_changes_while_it_is_read_is_refused(change: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")

    def read() -> None:
        with open_text(path) as stream:
            stream.readline()
            path.write_text("ONE\nTWO\n" if change == "rewrite" else "one\ntwo\nthree\n")
            _later(path)

    with pytest.raises(DataError, match=r"a\.txt: the file changed while it was read; wait"):
        read()


def test_a_file_that_is_replaced_between_two_readings_is_refused(tmp_path: Path) -> None:
    """The checksum is of the first, so that the second must be the same."""
    path, new = tmp_path / "a.txt", tmp_path / "new"
    path.write_text("one\n")
    new.write_text("two\n")
    with reading_once(checksums=True):
        with open_bytes(path) as stream:
            assert stream.read() == b"one\n"
        assert checksums_within(str(path)) == {str(path): hashlib.sha256(b"one\n").hexdigest()}
        new.replace(path)
        with pytest.raises(DataError, match="changed while it was read"), open_bytes(path):
            pass
    with reading_once(), open_bytes(path) as stream:
        assert stream.read() == b"two\n"


def test_large_files_are_hashed_only_for_reports(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    with reading_once():
        with open_bytes(path):
            pass
        assert checksums_within(str(path)) == {}
