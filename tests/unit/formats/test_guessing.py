"""Telling formats by content; which file is blamed is in `cli/transcripts/formats.txt`."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import tellapart as ta
from log_files import document, json_log, refused, sample, samples_file
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.formats import head
from tellapart.formats.registry import guess_format

RUN = "q1 Q0 a 1 2.5 x\nq1 Q0 b 2 1.5 x\n"
QRELS = "q1 0 a 1\n"
SPANS = json.dumps({"text": "Anna", "spans": [{"start": 0, "end": 4, "label": "PER"}]}) + "\n"
SCORES = "item,A,B\nq1,1,0\n"
LOG = json_log([sample("a", 1)])


def refused_after_guess(capsys: Capture, *arguments: str) -> str:
    """Return the refusal; the guess may be printed before."""
    assert main(list(arguments)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith("read as ") for line in lines] in ([False], [True, False])
    return lines[-1]


def test_folders_are_told_by_the_logs_in_them(write: Write, capsys: Capture) -> None:
    """What is no log is passed over; logs of two harnesses are refused, and both are named."""
    write("unused", "")
    samples_file("out/deep/alder", "pond", [document(0, acc=1)])
    Path("out/notes.csv").write_text("item,score\nq1,1\n")
    Path("out/.hidden.json").write_text(json_log([sample("q1", 1)]))
    assert guess_format(["out"]).name == "lm-eval"
    Path("out/log.json").write_text(json_log([sample("q1", 1)]))
    message = refused_after_guess(capsys, "score", "out")
    assert "out: out/log.json is of the format 'inspect', out/deep/alder/samples_pond" in message
    Path("bare").mkdir()
    message = refused_after_guess(capsys, "score", "bare")
    assert "bare: there is no log of a known harness in this folder" in message


def test_a_folder_of_the_whole_disk_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head, "MOST_FILES", 2)
    for name in "abc":
        (tmp_path / name).touch()
    with pytest.raises(ta.DataError, match="more than 2 files; name the logs"):
        guess_format([str(tmp_path)])


def test_a_folder_of_parquet_is_no_single_table(write: Write, capsys: Capture) -> None:
    """It is one large table, unless a format of files is named."""
    Path("scores.parquet").mkdir()
    table = write("scores.csv", SCORES)
    duckdb.read_csv(table).write_parquet("scores.parquet/part-0.parquet")
    named = refused(capsys, "compare", "scores.parquet", "--as", "items")
    assert "scores.parquet: this is a folder" in named
    assert main(["compare", "scores.parquet"]) == 0
    assert "read as a folder of Parquet files" in capsys.readouterr().err
    for option in (["--missing", "zero"], ["--gold", table], ["--columns", "score"]):
        assert f"drop {option[0]}" in refused(capsys, "compare", "scores.parquet", *option)
    assert len(ta.read("scores.parquet/part-0.parquet").names) == 2
