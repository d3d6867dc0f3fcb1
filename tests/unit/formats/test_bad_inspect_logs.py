"""Inspect's logs that cannot be used: one sentence each, with place, finding and remedy."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import tellapart as ta
from log_files import eval_log, failed, header, json_log, read_logs, refused, sample
from table_files import Write, real

Capture = pytest.CaptureFixture[str]
BIRCH = header("mockllm/birch")

OK = [sample("a", 1)]
REFUSALS: dict[str, tuple[str, str | bytes, str]] = {
    "failed": (
        "x.eval",
        eval_log(OK, header(status="error", error={"message": "no\nmoney"})),
        "x.eval: the run did not succeed (status 'error': no money; 1 sample is in the "
        "log); finish it",
    ),
    "cancelled": (
        "x.json",
        json_log(OK, header(status="cancelled")),
        "(status 'cancelled'; 1 sample is in the log); finish it with `inspect eval-retry`",
    ),
    "unfinished": (
        "x.eval",
        eval_log([], members={"_journal/start.json": b"{}"}).replace(b"header", b"footer"),
        "x.eval: the run was killed, or is still going on (0 samples are in the log); make a "
        "log of what is there with `inspect log recover`",
    ),
    "empty": ("x.eval", eval_log([]), "x.eval: there are no samples (the log is empty)"),
    "unlogged": (
        "x.json",
        json_log(None, header(spec={"config": {"log_samples": False}})),
        "there are no samples (it was written with --no-log-samples)",
    ),
    "nothing": ("x.eval", b"", "x.eval: the file is empty"),
    "cut zip": ("x.eval", eval_log(OK)[:-40], "x.eval: the zip file is cut off or damaged"),
    "no zip": ("x.eval", b"hello", "x.eval: this is not a zip archive"),
    "cut json": ("x.json", json_log(OK)[:-9], "x.json:1: this is not JSON ("),
    "latin-1": ("x.json", json_log(OK).replace("quiz", "caf\xe9").encode("latin-1"), "not UTF-8"),
    "no log": ("x.json", '{"a": 1}', "x.json: this is no log of Inspect (it has no `eval`)"),
    "list": ("x.json", "[1, 2]", "x.json: this is no log of Inspect"),
    "odd samples": (
        "x.json",
        json.dumps({**header(), "samples": {"a": 1}}),
        "x.json: a sample has no id",
    ),
    "no id": ("x.json", json_log([{"epoch": 1}]), "x.json: a sample has no id"),
    "unscored": (
        "x.json",
        json_log([failed("a"), failed("b")]),
        "none of 2 samples has a score (the first failed: TimeoutError: too slow)",
    ),
    "twice": ("x.eval", eval_log([*OK, *OK]), "x.eval: item 'a', epoch 1 appears twice"),
    "no grade": (
        "x.eval",
        eval_log([*OK, sample("b", "fine")]),
        "x.eval: item 'b', epoch 1: the value of 'match' is 'fine', which is no number and no",
    ),
    "infinite": ("x.json", json_log([sample("a", float("inf"))]), "'Infinity', which is no number"),
    "cut member": (
        "x.eval",
        eval_log(OK, members={"summaries.json": b'[{"id": 1'}),
        "x.eval: summaries.json: this is not JSON",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(write: Write, capsys: Capture, case: str) -> None:
    name, content, finding = REFUSALS[case]
    path = write(name, content)
    other = write("good.eval", eval_log(OK, BIRCH))
    assert finding in refused(capsys, "compare", "--as", "inspect", path, other)


def test_any_cut_of_a_zip_is_refused(write: Write) -> None:
    """Wherever a copy broke off, there is one sentence and no traceback."""
    whole = eval_log([sample(k, 1) for k in range(20)])
    for size in range(1, len(whole), 37):
        with pytest.raises(ta.DataError, match=r"cut\.eval"):
            read_logs([write("cut.eval", whole[:size])])


def test_damaged_members_are_refused(write: Write) -> None:
    for packing in ("zstd", "deflate"):
        data = bytearray(eval_log([sample(k, 1) for k in range(50)], packing=packing))
        data[60:90] = b"\xff" * 30
        with pytest.raises(ta.DataError, match=r"x\.eval"):
            read_logs([write("x.eval", bytes(data))])


def test_zstd_without_its_package(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("zstd is in the standard library")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    with pytest.raises(ta.DataError, match=r"pip install 'tellapart\[zstd\]'"):
        read_logs([write("x.eval", eval_log(OK))])
    assert real(read_logs([write("y.eval", eval_log(OK, packing="deflate"))])) == {"alder": [[1]]}


@pytest.mark.parametrize(
    ("head", "rows", "finding"),
    [
        (
            header("m/b", spec={"task": "other"}),
            OK,
            "missing in alder: other/a; missing in b: quiz/a",
        ),
        (
            BIRCH,
            [sample("a", 1, target="no")],
            "b.eval: item 'a', epoch 1: the gold answer is 'no', but 'yes' in a.eval: item 'a', "
            "epoch 1; the files disagree about 1 item",
        ),
        (BIRCH, [sample("z", 1)], "they have no item in common"),
        (
            BIRCH,
            [sample("a", 1, scores={"other": {"value": 1}})],
            "no item of birch has a value of 'match'; give files with the same scores",
        ),
        (
            BIRCH,
            [sample("a", 1, scores={"match": {"value": 1}, "other": {"value": 1}})],
            "no item of alder has a value of 'other'; --metric match compares what all",
        ),
    ],
)
def test_logs_that_do_not_belong_together(
    write: Write, capsys: Capture, head: dict[str, Any], rows: list[Any], finding: str
) -> None:
    one, two = write("a.eval", eval_log(OK)), write("b.eval", eval_log(rows, head))
    assert finding in refused(capsys, "compare", "--as", "inspect", one, two)


def test_scorers_of_different_items(write: Write) -> None:
    rows = [sample("a", 1), sample("b", 1, scores={"other": {"value": 1}})]
    counts = read_logs([write("x.eval", eval_log(rows))])
    assert [counts.with_values([name]).items for name in ("match", "other")] == [("a",), ("b",)]
    assert [each.text for each in counts.notices if each.code == "fewer-items"] == [
        "match is of 1 item of 2: the others have no such value.",
        "other is of 1 item of 2: the others have no such value.",
    ]
