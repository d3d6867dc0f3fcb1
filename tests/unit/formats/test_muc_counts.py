"""Counts for the significance tests, and the study of 1992 from its raw files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tellapart as ta
from muc_files import attack, score, template, write
from tellapart.cli import main
from tellapart.formats.templates.counts import run_counts
from tellapart.formats.templates.scoring import Run
from tellapart.formats.templates.totals import STATUSES, add_up


@pytest.fixture
def run(tmp_path: Path) -> Run:
    key = [
        attack(hum_tgt_desc=['"A"', '"B"'], inc_loc="PERU"),
        attack(number="2", hum_tgt_desc='"X"'),
        template("M2", "*"),
        attack("M3", phys_tgt_id='"BRIDGE"'),
    ]
    response = [
        attack(hum_tgt_desc='"A"', inc_loc="PERU"),
        attack("M2", inc_loc="CHILE"),
        attack("M3", number="4", phys_tgt_id='"BRIDGE"'),
        attack("M3", number="5", phys_tgt_id='"ROAD"'),
    ]
    return score(tmp_path, key, response)


@pytest.mark.parametrize("row", list(STATUSES))
@pytest.mark.parametrize("item", ["message", "template", "slot"])
def test_items_sum_to_the_row_of_the_report(run: Run, row: str, item: str) -> None:
    counts = run_counts({"GE": run}, item, row)
    expected = add_up(run.design, run.pairs).summary[row]
    assert counts.summed()[0].tolist() == list(expected[: len(counts.columns)])
    assert counts.kind == item


def test_what_items_are(run: Run) -> None:
    assert run_counts({"GE": run}).items == ("M1", "M2", "M3")
    templates = run_counts({"GE": run}, "template")
    assert templates.items == ("M1/1", "M1/2", "M2/spurious", "M3/1", "M3/spurious")
    assert templates.labels["message"] == ("M1", "M1", "M2", "M3", "M3")
    slots = run_counts({"GE": run}, "slot")
    assert "M1/1/hum-tgt-desc" in slots.items
    assert slots.by("message").items == ("M1", "M2", "M3")
    assert slots.by("template").items == templates.items
    assert slots.where({"slot": "inc-loc"}).summed()[0][:3].tolist() == [1, 2, 1]


@pytest.mark.parametrize("item", ["message", "template", "slot"])
def test_labels_of_messages_from_a_file(tmp_path: Path, item: str) -> None:
    """Same events are exchanged together; messages with one template are told from the others."""
    right, wrong = (
        [attack(f"M{i}", hum_tgt_desc=name) for i in range(6)] for name in ('"A"', '"Z"')
    )
    gold, good = (write(tmp_path, name, *right) for name in ("key.txt", "good.txt"))
    rows = [f"M{i},e{i // 2},{'one' if i else 'several'}" for i in range(6)]
    labels = write(tmp_path, "labels.csv", "\n".join(["message,event,templates", *rows]) + "\n")
    counts = ta.read([good, write(tmp_path, "bad.txt", *wrong)], gold, form="muc", item=item,
                     item_labels=[labels])  # fmt: skip
    # Three events, and all of them speak for the same system.
    by_event = ta.compare(counts, metrics=["recall"], cluster="event", test="exact")
    assert by_event.pair("good", "bad", "recall").p == 2 / 2**3
    simple = counts.where({"templates": "one"})
    cluster = None if item == "message" else "message"
    of_simple = ta.compare(simple, metrics=["recall"], cluster=cluster, test="exact")
    assert of_simple.pair("good", "bad", "recall").p == 2 / 2**5


FILTERED = {  # message: relevant by the key, by the response
    "M1": (True, True), "M2": (True, True), "M3": (True, False), "M4": (False, True),
    "M5": (False, False), "M6": (False, False),
}  # fmt: skip


def filter_files(folder: Path) -> list[str]:
    """Write a key, a response that filters, and one that takes every message for relevant."""

    def messages(name: str, relevant: dict[str, bool]) -> str:
        templates = [attack(m) if yes else template(m, "*") for m, yes in relevant.items()]
        # What the key leaves open is right either way.
        templates.append(attack("M7", "1 (OPTIONAL)" if name == "key.txt" else "1"))
        return write(folder, name, *templates)

    return [
        messages("key.txt", {m: key for m, (key, _) in FILTERED.items()}),
        messages("some.txt", {m: response for m, (_, response) in FILTERED.items()}),
        messages("all.txt", dict.fromkeys(FILTERED, True)),
    ]


def test_text_filtering_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, *responses = filter_files(tmp_path)
    names = ["recall", "precision", "f1", "overgeneration", "fallout", "accuracy"]
    metrics = [part for name in names for part in ("--metric", f"filtering-{name}")]
    args = ["score", "--as", "muc", "--gold", key, *responses, *metrics, "--json", "-"]
    assert main(args) == 0
    found = json.loads(capsys.readouterr().out)["systems"]
    scores = [[each["scores"][f"filtering-{name}"] for name in names] for each in found]
    assert scores[0] == pytest.approx([3 / 4, 3 / 4, 3 / 4, 1 / 4, 1 / 3, 5 / 7])
    assert scores[1] == pytest.approx([1, 4 / 7, 8 / 11, 3 / 7, 1, 4 / 7])


def test_compare_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = [attack(f"M{i}", hum_tgt_desc='"A"') for i in range(6)]
    paths = [
        write(tmp_path, "key.txt", *key),
        write(tmp_path, "good.txt", *key),
        write(tmp_path, "bad.txt", *(attack(f"M{i}", hum_tgt_desc='"Z"') for i in range(6))),
    ]
    args = ["compare", "--as", "muc", "--gold", *paths, "--metric", "recall", "--json", "-"]
    assert main(args) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["items"] == {"count": 6, "kind": "message", "cluster": None, "clusters": None,
                               "apart": None}  # fmt: skip
    (pair,) = record["pairs"]
    assert pair["p"] == 2 / 2**6
