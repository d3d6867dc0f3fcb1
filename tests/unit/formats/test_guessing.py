"""Telling formats by content, and blaming the file that is wrong where they do not fit."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import tellapart as ta
from log_files import document, json_log, refused, sample, samples_file
from table_files import Write
from tellapart.cli import main
from tellapart.errors import DataError
from tellapart.formats import head
from tellapart.formats.registry import guess_format

Capture = pytest.CaptureFixture[str]

TAGS = "Anna B-PER\nsings O\n\nin O\nBern B-LOC\n"
RUN = "q1 Q0 a 1 2.5 x\nq1 Q0 b 2 1.5 x\n"
QRELS = "q1 0 a 1\n"
SPANS = json.dumps({"text": "Anna", "spans": [{"start": 0, "end": 4, "label": "PER"}]}) + "\n"
RELATIONS = '{"unit": "s1", "relations": [["subj", "see", "cat"]]}\n'
TRIPLES = "s1\tsubj\tsee\tcat\ns1\tobj\tsee\tdog\ns2\n"
TREE = "1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsee\tsee\tVERB\t_\t_\t0\troot\t_\t_\n"
SCORES = "item,A,B\nq1,1,0\n"
LOG = json_log([sample("a", 1)])


@pytest.mark.parametrize(
    ("content", "gold", "form"),
    [
        (TAGS, TAGS, "conll"),
        (RUN, QRELS, "trec"),
        (SPANS, SPANS, "spans"),
        (RELATIONS, RELATIONS, "relations"),
        (TRIPLES, TRIPLES, "relations"),
        ("s1\tsubj(see,cat)\ns1\tobj(see,dog)\n", TRIPLES, "relations"),
        (TREE, TREE, "relations"),
        (f"# sent_id = 1\n{TREE}", TREE, "relations"),
        ("The cat sees the dog.\nIt runs.\n", "A cat sees a dog.\nIt runs.\n", "text"),
        ("{1} a line that begins like JSON\n", "a line\n", "text"),
        (SCORES, "anything\n", None),
        ('{"item": "q1", "score": 1}\n', "anything\n", None),
        ("Anna O\nsings O\n", TAGS, "conll"),  # a system that finds nothing
    ],
)
def test_formats_are_told_by_content(
    write: Write, content: str, gold: str, form: str | None
) -> None:
    system = write("system", content)
    assert guess_format([system], [write("gold", gold)]).name == (form or "counts")


BAD = {
    "empty": (LOG, "", None, "bad: the file is empty; write it again, or leave it out"),
    "blank": (TAGS, " \n", TAGS, "bad: the file is empty"),
    "nothing": (LOG, "{}", None, "bad: this is no log of Inspect (it has no `eval`)"),
    "cut log": (LOG, LOG[:6], None, "bad:1: this is not JSON ("),
    "cut line": (SPANS, SPANS[:30], SPANS, "bad:1: this is not JSON ("),
    "second line": (
        RELATIONS,
        RELATIONS + '{"b',
        RELATIONS,
        "bad:2: this is not JSON (Unterminated",
    ),
    "lines": (LOG, '{\n "a": 1,\n "b\n', None, "bad:3: this is not JSON ("),
    "UTF-16": (
        TAGS,
        TAGS.encode("utf-16"),
        TAGS,
        "bad:1: this is not UTF-8 text; convert it",
    ),
    "latin-1": (TAGS, b"Anna B-PER\nR\xe9mi B-PER\n", TAGS, "bad:2: this is not UTF-8 text;"),
    "binary": (TAGS, b"\x01\0\0\n", TAGS, "bad:1: the line has one field"),
    "bare tags": (TAGS, "Anna PER\nsings O\n", TAGS, "bad:1: the last field is 'PER', which is no"),
    "bare gold": (None, "Anna PER\nsings O\n", TAGS, "bad:1: the last field is 'PER', which is no"),
    "nan": (RUN, RUN.replace("1.5", "nan"), QRELS, "bad:2: the score is 'nan', no finite number"),
    "five": (RUN, RUN.replace(" x\n", "\n"), QRELS, "bad:1: 5 fields instead of 6: qid Q0 docid"),
    "no spans": (SPANS, '{"text": "x", "x": []}\n', SPANS, 'bad: no line has "spans"; give those'),
    "no tab": (RELATIONS, "plain text\n", RELATIONS, "bad:1: there is no tab between item and"),
}


@pytest.mark.parametrize("case", BAD)
def test_the_file_that_is_wrong_is_blamed(write: Write, capsys: Capture, case: str) -> None:
    good, bad, gold, finding = BAD[case]
    files = [write("bad", bad)]
    if good is not None:
        files.append(write("good", good))
    options = [] if gold is None else ["--gold", write("gold", gold)]
    for order in (files, files[::-1]):
        message = refused_after_guess(capsys, "compare", *order, *options)
        assert message.startswith(f"tellapart: {finding}")


def refused_after_guess(capsys: Capture, *arguments: str) -> str:
    """Return the refusal; the guess may be printed before."""
    assert main(list(arguments)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith("read as ") for line in lines] in ([False], [True, False])
    return lines[-1]


def test_empty_files_are_said_to_be_empty(write: Write, capsys: Capture) -> None:
    """Two of them look like nothing at all."""
    files = write("a.conll", ""), write("b.conll", "")
    message = refused(capsys, "compare", *files, "--gold", write("gold", TAGS))
    assert message.startswith("tellapart: a.conll: the file is empty")


def test_files_of_two_formats_are_named(write: Write, capsys: Capture) -> None:
    files = write("a.conll", TAGS), write("b.csv", SCORES)
    assert refused(capsys, "compare", *files) == (
        "tellapart: b.csv: this looks like a table, but a.conll like the format 'conll'; give "
        "files of one format, or name it with --as\n"
    )


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
    assert "bare: this is a folder, and there is no log of a known harness in it" in message


def test_a_folder_of_parquet_is_no_single_table(write: Write, capsys: Capture) -> None:
    """It is one large table, unless a format of files is named."""
    Path("scores.parquet").mkdir()
    table = write("scores.csv", SCORES)
    duckdb.connect().read_csv(table).write_parquet("scores.parquet/part-0.parquet")
    named = refused(capsys, "compare", "scores.parquet", "--as", "items")
    assert "scores.parquet: this is a folder" in named
    assert main(["compare", "scores.parquet"]) == 0
    assert "read as a folder of Parquet files" in capsys.readouterr().err
    assert len(ta.read("scores.parquet/part-0.parquet").names) == 2


def test_folders_without_end_are_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("unused", "")
    monkeypatch.setattr(head, "MOST_FILES", 3)
    for k in range(4):
        samples_file("out", f"t{k}", [document(0, acc=1)])
    with pytest.raises(DataError, match="more than 3 files; name the logs"):
        guess_format(["out"])
