"""`tellapart diff`: which items two systems differ on, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import tellapart as ta
from quiz_files import quiz_counts, quiz_scores, quiz_table
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.items import find_differences
from tellapart.counts import Counts, ItemTexts
from tellapart.report.differences import render


def test_items_that_differ_come_largest_first_and_are_counted() -> None:
    counts = Counts.from_arrays(
        {"A": [1, 0, 0.5, 1], "B": [0.5, 0, 0.75, 0]}, items=list("wxyz"), kind="item"
    )
    found = find_differences(counts)
    assert [(each.item.name, each.a, each.b) for each in found.items] == [
        ("z", 1.0, 0.0), ("w", 1.0, 0.5), ("y", 0.5, 0.75),
    ]  # fmt: skip
    assert (found.better, found.tied, found.worse) == (2, 1, 1)
    assert render(found).splitlines() == [
        "A against B by mean: 2 better, 1 tied, 1 worse of 4 items",
        "",
        "  item      A      B",
        "  z     1.000  0.000",
        "  w     1.000  0.500",
        "  y     0.500  0.750",
    ]


def test_counts_agree_with_the_comparison_whichever_metric_and_order() -> None:
    rng = np.random.default_rng(0)
    rows = {name: rng.integers(0, 5, (40, 3)) for name in "ABC"}
    counts = Counts.from_arrays(rows, columns=["tp", "fp", "fn"])
    for metric in ("recall", "f1", "undergeneration"):
        result = ta.compare(counts, metrics=[metric], intervals=False)
        for a, b in (("A", "C"), ("C", "B")):
            found, pair = find_differences(counts, [a, b], metric), result.pair(a, b)
            assert (found.better, found.tied, found.worse) == (
                pair.items_a_better, pair.items_tied, pair.items_b_better,
            )  # fmt: skip
            assert len(found.items) == found.better + found.worse
            assert sum(item.a_better for item in found.items) == found.better


def test_texts_stand_below_the_scores_and_are_cut_to_the_width() -> None:
    text = render(find_differences(quiz_counts(texts=True), ["birch", "alder"]), most=2)
    lines = text.splitlines()
    assert lines[0].endswith("of 72 items")
    assert lines[1].startswith("the first 2 of ")
    assert [line.split()[0] for line in lines[4:8]] == ["asked", "gold", "birch", "alder"]
    assert "…" in lines[4]
    assert max(map(len, lines)) <= 80


def test_whole_texts_are_in_tsv_and_jsonl() -> None:
    counts = Counts.from_arrays({"A": [1, 1], "B": [0, 1]}, items=["one", "two"])
    texts = ItemTexts(
        golds=('a\tb\n"c"', ""), outputs={"A": ("x" * 500, ""), "B": ("line\nline", "")}
    )
    found = find_differences(replace(counts, texts=texts))
    header, row = (line.split("\t") for line in render(found, form="tsv").splitlines())
    assert header == ["item", "A", "B", "better", "input", "gold", "output of A", "output of B"]
    assert row == ["one", "1.0", "0.0", "A", "", 'a b "c"', "x" * 500, "line line"]
    (line,) = render(found, form="jsonl").splitlines()
    assert json.loads(line) == {
        "item": "one",
        "scores": {"A": 1.0, "B": 0.0},
        "better": "A",
        "gold": 'a\tb\n"c"',
        "outputs": {"A": "x" * 500, "B": "line\nline"},
    }


def test_items_are_chosen_by_who_is_right_and_by_text(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("quiz.csv", quiz_table())
    scores = quiz_scores()
    ahead = sum(b < a for a, b in zip(scores["alder"], scores["birch"], strict=True))
    arguments = ["diff", "quiz.csv", "--systems", "birch,alder", "--format", "jsonl", "--most", "0"]
    assert main([*arguments, "--better", "alder"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == ahead
    assert all(row["scores"]["alder"] > row["scores"]["birch"] for row in rows)
    assert all(row["labels"]["passage"] in row["item"] for row in rows)
    assert main([*arguments, "--find", "LOOKUP"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["labels"]["kind"] for row in found} == {"lookup"}


def test_full_shows_the_evidence_of_an_item_in_words_and_jsonl_as_data(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is right, wrong, missing or not in gold says so without colours."""
    gold = "Anna B-PER\nOslo B-LOC\nBob B-PER\nran O\n\n"
    write("gold.conll", gold)
    write("a.conll", gold.replace("Oslo B-LOC", "Oslo B-ORG").replace("ran O", "ran B-X"))
    write("b.conll", gold.replace("Anna B-PER", "Anna O").replace("Bob B-PER", "Bob O"))
    arguments = ["diff", "--gold", "gold.conll", "a.conll", "b.conll", "--metric", "f1"]
    assert main([*arguments, "--full"]) == 0
    shown = capsys.readouterr().out
    assert "a      [Anna: PER] [Oslo: ORG, wrong] [Bob: PER] [ran: X, not in gold]" in shown
    assert "b      [Anna: PER, missing] [Oslo: LOC] [Bob: PER, missing] ran" in shown
    assert "fn: a 1, b 2" in shown
    assert main([*arguments, "--format", "jsonl"]) == 0
    (sentence, counted) = json.loads(capsys.readouterr().out)["evidence"]
    assert sentence["rows"][0]["outputs"]["b"][0] == {
        "text": "Anna", "mark": "missing", "tag": "PER",
    }  # fmt: skip
    assert counted["rows"][-1]["label"] == "fn"


def test_full_shows_the_score_of_each_run(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("ref.txt", "the cat sat on the mat\nit rains in Oslo\n")
    for name, text in (("1", "the cat sat on a mat"), ("2", "a dog"), ("b", "no cat at all")):
        write(f"{name}.txt", f"{text}\nit rains in Oslo\n")
    command = ["diff", "--as", "text", "--gold", "ref.txt", "a=1.txt,2.txt", "b.txt", "--full"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "the cat sat on [a: wrong] [the: missing] mat" in shown
    assert "match_1, run 1: a 5, b 1" in shown
    assert "match_1, run 2: a 0" in shown
