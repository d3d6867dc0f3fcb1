"""What programs read of a comparison: the record, which loses nothing, and every writer of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from table_files import Capture
from tellapart.cli import main

RECORDS = Path(__file__).parents[1] / "data" / "records"

COMPARISONS = {
    "clusters": "quiz.csv --cluster passage --by topic",
    "margin": "quiz.csv --test shuffle --shuffles 999 --baseline old --margin 0.3",
    "counts": "counts.csv --metric f1 --metric recall --correction maxt",
    "claims": "counts.csv --metric f1 --baseline B --tail greater --test exact",
    "bootstrap": "counts.csv --metric precision --test bootstrap --shuffles 499",
    "t": "quiz.csv --test t --no-intervals",
    "text": "--as text --gold ref.txt a.txt b.txt --metric bleu --metric ter --test exact",
    "loss": "loss.csv --lower-is-better",
}
KEYS = {
    "tellapart", "signature", "alpha", "correction", "seed", "items", "systems", "pairs", "groups",
    "ranks", "answers", "slices", "suite", "notices",
}  # fmt: skip
PAIR = {"a", "b", "metric", "difference", "interval", "p", "p_adjusted", "different", "shuffles"}


@pytest.mark.parametrize("name", COMPARISONS)
def test_records_have_their_keys_and_are_read_back_unchanged(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(RECORDS)
    assert main(["compare", *COMPARISONS[name].split(), "--json", "-"]) == 0
    written = capsys.readouterr().out
    record = json.loads(written)
    assert set(record) >= KEYS
    for pair in record["pairs"]:
        assert set(pair) >= PAIR
        assert (pair["a_no_worse"] is not None) == (name == "margin")
    assert {system["name"] for system in record["systems"]} >= {record["pairs"][0]["a"]}
    assert set(record["systems"][0]) >= {"name", "scores", "intervals"}
    assert all(answer["answer"] for answer in record["answers"].values())
    assert bool(record["slices"]) == (name == "clusters")
    back = ta.Comparison.from_json(written)
    assert back.to_json() == written
    assert str(ta.Result(back))


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(ta.DataError, match="no record of a comparison"):
        ta.Comparison.from_json("{}")
