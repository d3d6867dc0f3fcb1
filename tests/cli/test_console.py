"""What is printed: no file commands a terminal, a Markdown page or a spreadsheet; progress."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muc_files import attack
from table_files import Capture, Write, json_lines
from tellapart import console
from tellapart.cli import main
from tellapart.console import DelayedProgress
from tellapart.report.table import spreadsheet_cell
from tellapart.words import clean, json_text, plain

TITLE = "\x1b]0;owned\x07"  # sets the title of a window
WIPE = "\x1b[2J\x1b[1;1H"  # empties the screen
EIGHT_BIT = "\x9b31m"  # the same as ESC [, in one character
TURNED = "\u202egnp.exe"  # reads backwards from here


def obeyed(text: str) -> set[str]:
    """Return the characters of a text that a terminal would not show; line ends and tabs are."""
    odd = {letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf", "Cs")}
    return odd - {"\n", "\t"}


def hostile_table(most: int = 24) -> str:
    """Write a table whose names, ids and labels all hold something."""
    names = [f"old{TITLE}", f"new{EIGHT_BIT}{TURNED}"]
    return json_lines(
        {"item": f"q{k}{WIPE}", f"kind{TITLE}": f"sum{TURNED}" if k % 2 else f"name{WIPE}",
         "system": name, "score": (k * (2 + n)) % 3 % 2}
        for k in range(most) for n, name in enumerate(names)
    )  # fmt: skip


VERBS = {
    "compare": ["compare", "t.jsonl", "--intervals"],
    "by": ["compare", "t.jsonl", "--by", f"kind{TITLE}"],
    "tsv": ["compare", "t.jsonl", "--format", "tsv"],
    "md": ["compare", "t.jsonl", "--format", "md"],
    "latex": ["compare", "t.jsonl", "--format", "latex"],
    "json": ["compare", "t.jsonl", "--json", "-"],
    "html": ["compare", "t.jsonl", "--html", "-"],
    "score": ["score", "t.jsonl"],
    "score-json": ["score", "t.jsonl", "--json", "-"],
    "diff": ["diff", "t.jsonl"],
    "diff-tsv": ["diff", "t.jsonl", "--format", "tsv"],
    "diff-jsonl": ["diff", "t.jsonl", "--format", "jsonl"],
    "calibrate": ["calibrate", "t.jsonl", "--trials", "20"],
    "plan": ["plan", "t.jsonl", "--difference", "0.2"],
    "watch": ["watch", "t.jsonl", "--once"],
    "watch-json": ["watch", "t.jsonl", "--once", "--json", "-"],
    "validate": ["validate", "t.jsonl"],
    "unknown label": ["compare", "t.jsonl", "--cluster", "kindd"],
    "unknown option": ["compare", "t.jsonl", f"--no{WIPE}"],
    "no such file": ["compare", f"{TITLE}.csv"],
}


@pytest.mark.parametrize("arguments", VERBS.values(), ids=VERBS)
def test_nothing_in_a_file_commands_the_terminal(
    arguments: list[str], write: Write, capsys: Capture
) -> None:
    write("t.jsonl", hostile_table())
    status = main(arguments)
    shown = capsys.readouterr()
    assert status in (0, 2)
    assert shown.out or shown.err
    assert not obeyed(shown.out + shown.err)
    if "jsonl" in arguments or "--json" in arguments:  # JSON loses nothing
        rows = shown.out.splitlines() if "jsonl" in arguments else [shown.out]
        assert all(any(TITLE in text for text in _texts(json.loads(row))) for row in rows)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for each in pair for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


BAD_FILES = {
    "a.csv": f"item,old,new\nq1,1,{WIPE}\n",
    f"a{TITLE}.csv": "item,old,new\nq1,1,x\n",
    "a.jsonl": json.dumps({"item": f"q1{WIPE}", f"x{TITLE}": []}) + "\n",
    "a.conll": f"Anna B-PER\n{WIPE} B-{TITLE}\n\n",
    "a.tbf": f"#BeginOfDocument d1{TITLE}\nsys{WIPE}\td1\n",
    "a.trec": f"q1 Q0 d1 1 {TITLE} run\n" * 3,
    "a.muc": attack(inc_loc=f"PERU{WIPE}", hum_tgt_name=f'"{EIGHT_BIT}') + f"{TITLE}\n",
}


@pytest.mark.parametrize("verb", ["compare", "validate"])
@pytest.mark.parametrize("name", BAD_FILES)
def test_complaints_about_a_file_do_not_repeat_its_commands(
    name: str, verb: str, write: Write, capsys: Capture
) -> None:
    write(name, BAD_FILES[name])
    assert main([verb, name]) in (0, 2)
    shown = capsys.readouterr()
    assert not obeyed(shown.out + shown.err)


@given(st.text())
def test_plain_text_obeys_nothing_and_keeps_the_rest(text: str) -> None:
    kept = plain(text)
    joiners = {"\u200c", "\u200d", "\u00ad"}  # words of Persian and Hindi need them
    marks = {letter for letter in obeyed(kept) if unicodedata.category(letter) == "Cf"}
    assert not (obeyed(kept) - marks)
    assert not (marks & {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067"})
    assert all(old == new or new == "?" for old, new in zip(text, kept, strict=True))
    assert plain("".join(joiners)) == "".join(joiners)
    assert "\n" not in clean(text)
    assert json.loads(json_text(text)) == text


@pytest.mark.parametrize("text", ["=1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(1)", " =1", "\t=1"])
def test_formulas_are_quoted(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


# The progress line: on standard error, for long work, on a terminal only


@pytest.mark.parametrize("on_terminal", [True, False])
def test_long_work_has_a_bar_that_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch, on_terminal: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: on_terminal, raising=False)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(console, "DELAY_S", 0.0)
    with DelayedProgress() as report:
        for done in range(5):
            report("shuffles", done, 4)
    if not on_terminal:  # pipes and files have none
        assert stream.getvalue() == ""
        return
    lines = stream.getvalue().split("\r\x1b[K")
    assert lines[1].startswith("shuffles")
    assert lines[1].endswith("  0 %")
    assert lines[-2].endswith("100 %")
    assert lines[-1] == ""
