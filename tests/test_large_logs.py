"""Large logs are read row by row and keep what is compared; values are what they are called."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import compared as compared_logs
from log_files import (
    document,
    eval_log,
    header,
    json_log,
    notices,
    read_logs,
    refused,
    sample,
    samples_file,
)
from table_files import Write, real
from tellapart.errors import DataError
from tellapart.formats.json_stream import members
from tellapart.formats.logs import inspect, kept_texts, lm_eval

Capture = pytest.CaptureFixture[str]


def _members(text: str) -> list[tuple[str, Any]]:
    return [tuple(each) for each in members(io.StringIO(text), "rows", "x.json", "copy it")]


@pytest.mark.parametrize(
    "tree",
    [{}, {"rows": []}, {"a": 1, "rows": [1, {"b": [2, "]"]}, "x,y"], "c": None}, {"rows": 3},
     {"long": "x" * 200_000, "rows": [{"t": "é\"" * 90_000}, 12345.5]}],
)  # fmt: skip
def test_members_are_those_of_the_whole(tree: dict[str, Any]) -> None:
    expected: list[tuple[str, Any]] = []
    for key, value in tree.items():
        some = value if key == "rows" and isinstance(value, list) and value else [value]
        expected += [(key, each) for each in some]
    for indent in (None, 2):
        assert _members(json.dumps(tree, indent=indent)) == expected


@pytest.mark.parametrize(
    "text",
    ["", "[1]", '{"a": 1', '{"a" 1}', '{"rows": [1, }', '{"rows": [1 2]}', '{"a": 1} x',
     '{"a": tru}', '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 2}}'],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"^x\.json: "):
        _members(text)


def test_a_large_log_of_inspect_is_read_as_a_small_one(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        sample(k, k % 2, attachments={"h1": "Long.", "h2": "unused"}, total_time=1.0,
               output={"completion": "attachment://h1", "choices": []}, messages=[{"x": 1}])
        for k in range(5)
    ]  # fmt: skip
    path = write("x.json", json_log(rows))
    small = read_logs([path])
    monkeypatch.setattr(inspect, "_LARGE", 0)
    large = read_logs([path])
    assert large == small
    assert large.texts == small.texts
    assert large.texts is not None
    assert large.texts.outputs["alder"][0] == "Long."
    with pytest.raises(DataError, match="there are no samples"):
        read_logs([write("y.json", json_log([]))])


def test_large_summaries_are_read_as_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Epochs out of order come out alike."""
    rows = [sample(k, k % (e + 1), e) for k in range(5) for e in (2, 1)]
    path = tmp_path / "x.eval"
    path.write_bytes(eval_log(rows))
    small = read_logs([path])
    monkeypatch.setattr(inspect, "_LARGE", 0)
    assert read_logs([path]) == small
    assert read_logs([path]).texts == small.texts
    path.write_bytes(eval_log([*rows, rows[0]]))
    with pytest.raises(DataError, match="item '0', epoch 2 appears twice"):
        read_logs([path])


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_texts_of_a_very_large_log_of_inspect_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    rows = [
        sample(k, k % 2, metadata={"story": f"s{k % 2}", "note": f"{k}" * 90}) for k in range(6)
    ]
    path = tmp_path / f"x.{kind}"
    path.write_bytes(eval_log(rows) if kind == "eval" else json_log(rows).encode())
    whole = read_logs([path])
    monkeypatch.setattr(kept_texts, "MOST_TEXTS", 3)
    counts = read_logs([path])
    assert counts.texts is None
    assert whole.texts is not None
    assert counts.labels == whole.labels
    assert set(counts.labels) == {"story"}
    assert (counts.values == whole.values).all()
    assert [each.code for each in counts.notices] == ["texts-dropped"]


def test_events_of_a_large_log_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """30 MB of events need less than a third of that."""
    rows = [sample(k, k % 2, events=["x" * 300_000]) for k in range(100)]
    path = tmp_path / "x.json"
    path.write_text(json_log(rows, header()))
    del rows
    monkeypatch.setattr(inspect, "_LARGE", 1 << 20)
    tracemalloc.start()
    counts = read_logs([path])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(counts.items) == 100
    assert most < path.stat().st_size / 3


def test_long_texts_of_large_samples_are_cut(
    write: Write, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("unused", "")
    monkeypatch.setattr(lm_eval, "LARGE", 0)
    long = "word " * 2000
    for name in ("alder", "birch"):
        asked = {"gen_args_0": {"arg_0": long + "the question", "arg_1": {}}}
        rows = [document(d, acc=d % 2, arguments=asked, resps=[[f"{long}{name}{long}"]])
                for d in range(4)]  # fmt: skip
        samples_file(name, "t", rows)
    record = compared_logs(capsys, "alder", "birch")
    assert "texts longer than 2,000 characters were cut" in notices(record)["texts-cut"]
    counts = ta.read(["alder", "birch"])
    assert counts.summed().tolist() == [[2], [2]]
    assert counts.texts is not None
    assert "the question" in counts.texts.inputs[0]
    assert len(counts.texts.inputs[0]) < 2100
    outputs = {name: texts[0] for name, texts in counts.texts.outputs.items()}
    assert outputs["alder"] != outputs["birch"]  # though they differ in the middle alone


def test_texts_of_very_large_samples_are_not_kept(
    write: Write, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores, labels and what tells golds apart stay; free texts and prompts go."""
    write("unused", "")
    for name in ("alder", "birch"):
        rows = [
            document(
                d,
                acc=d % 2,
                doc={"q": f"{d}" * 90, "topic": f"t{d % 2}", "passage": f"{d // 4}" * 90},
                resps=[[f"{name}{d}"]],
            )
            for d in range(8)
        ]
        samples_file(name, "t", rows)
    whole = ta.read(["alder", "birch"])
    for limit in ("MOST_TEXTS", "MOST_CHARACTERS"):
        with monkeypatch.context() as patch:
            patch.setattr(kept_texts, limit, 4 if limit == "MOST_TEXTS" else 900)
            counts = ta.read(["alder", "birch"])
            record = compared_logs(capsys, "alder", "birch")
        assert "its texts were not kept" in notices(record)["texts-dropped"]
        assert counts.texts is None
        assert whole.texts is not None
        assert counts.labels == whole.labels
        assert set(counts.labels) == {"topic", "passage"}
        assert (counts.values == whole.values).all()


def test_large_and_small_samples_tell_golds_apart_alike(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long gold answer is the same one where only one of the files is so large that it is cut."""
    write("unused", "")
    gold = "gold " * 1000
    for name in ("alder", "birch"):
        rows = [document(d, acc=d % 2, target=gold, target_hash="") for d in range(4)]
        samples_file(name, "t", rows if name == "birch" else [*rows[:3], {**rows[3], "more": gold}])
    sizes = sorted(os.path.getsize(path) for path in Path().glob("*/samples_*"))
    monkeypatch.setattr(lm_eval, "LARGE", sizes[0])
    assert ta.read(["alder", "birch"]).summed().tolist() == [[2], [2]]


@pytest.mark.parametrize(
    ("name", "value", "finding"),
    [("perplexity", -2.5, "cannot be below 0"), ("word_perplexity", -1, "cannot be below 0"),
     ("accuracy", -1, "cannot be below 0"), ("acc", 700, "cannot be above 100"),
     ("latency_ms", -3, "cannot be below 0")],
)  # fmt: skip
def test_values_that_cannot_be_what_they_are_called(
    write: Write, capsys: Capture, name: str, value: float, finding: str
) -> None:
    """In tables, in logs, in whatever holds ready values."""
    rows = [{"system": s, "item": k, name: value if k == 2 else 1} for s in "AB" for k in range(4)]
    path = write("x.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    message = refused(capsys, "score", "--as", "items", path)
    assert f"item '2' of A has {value:g} as {name!r}, which {finding}" in message
    scores = {name: {"value": value}}
    log = write("x.eval.json", json_log([sample("q", 1, scores=scores)]))
    with pytest.raises(DataError, match=finding):
        read_logs([log])


def test_values_that_may_be_what_they_are_called(write: Write) -> None:
    for name, value in (("perplexity_change", -2.5), ("log_perplexity", -1), ("reward", -1)):
        scores = {name: {"value": value}}
        counts = read_logs([write("x.json", json_log([sample("q", 1, scores=scores)]))])
        assert not [each for each in counts.notices if each.code == "unlikely-values"]
    scores = {"accuracy": {"value": 7}}
    counts = read_logs([write("x.json", json_log([sample("q", 1, scores=scores)]))])
    (notice,) = [each for each in counts.notices if each.code == "unlikely-values"]
    assert "Values of 'accuracy' go up to 7" in notice.text
    assert real(counts) == {"alder": [[7]]}
