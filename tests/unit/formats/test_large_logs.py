"""Texts of very large logs, and values that cannot be what they are called."""

from __future__ import annotations

import json

import pytest

import tellapart as ta
from log_files import document, json_log, read_logs, refused, sample, samples_file
from table_files import Write, real
from tellapart.errors import DataError
from tellapart.formats.logs import log

Capture = pytest.CaptureFixture[str]


def test_texts_of_very_large_samples_are_not_kept(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores, labels and what tells golds apart stay; prompts and answers go, and that is said."""
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
    monkeypatch.setattr(log, "MAX_CHARACTERS", 0)
    counts = ta.read(["alder", "birch"])
    assert whole.texts is not None
    assert counts.texts is None
    assert {"topic", "passage"} <= set(counts.labels)
    assert counts.by("passage").sizes.tolist() == [4, 4]
    assert (counts.values == whole.values).all()
    assert {notice.code for notice in counts.notices} == {"texts-dropped"}


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
