"""lm-eval's samples: documents paired by id, filters told apart, tasks one at a time."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import document, samples_file
from log_files import read_logs as read_any_logs
from table_files import Write, real

read_logs = partial(read_any_logs, form="lm-eval")


@pytest.fixture
def folders(write: Write) -> list[str]:
    """Two systems on two tasks, one of them with two filters."""
    write("unused", "")
    for k, name in enumerate(("alder", "birch")):
        gen = [document(d, f, match=(d + k) % 2) for f in ("strict", "loose") for d in range(3)]
        samples_file(name, "gen_a", gen)
        samples_file(name, "pond_mc", [document(d, acc=1, acc_norm=k) for d in range(2)])
    return ["alder", "birch"]


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        (["acc"], ("acc",)),
        (["pond_mc/acc/none"], ("pond_mc/acc/none",)),
        (["acc_norm/none", "acc"], ("acc_norm/none", "acc")),
        (["strict"], ("strict",)),
        (["match/strict", "match/loose"], ("match/strict", "match/loose")),
        (["match", "strict", "pond_mc/acc", "none"], ("match/strict", "pond_mc/acc/none")),
    ],
)
def test_metrics_by_any_clear_name(
    folders: list[str], asked: list[str], columns: tuple[str, ...]
) -> None:
    """Also as lm-eval writes them, `acc,none`, which the command line takes apart."""
    assert read_logs(folders, metrics=asked).columns == columns


def test_samples_of_other_dates_in_a_folder_are_runs(folders: list[str]) -> None:
    """They are averaged, and a line says so; by name, each is a system."""
    old = samples_file("alder", "pond_mc", [document(d, acc=0, acc_norm=0) for d in range(2)], "00")
    counts = read_logs(folders, metrics=["acc"])
    assert real(counts)["alder"] == [[Fraction(1, 2)], [Fraction(1, 2)]]
    (told,) = [notice.text for notice in counts.notices if notice.code == "merged-runs"]
    assert "differ in their date alone were taken as runs of one system (2 of alder)" in told
    assert read_logs([f"old={old}", f"new={folders[1]}"], missing="drop").names == ("old", "new")


def test_older_rows_have_neither_filter_nor_list_of_metrics(write: Write) -> None:
    row = document(0, acc=0.5)
    for name in ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash"):
        del row[name]
    row["arguments"] = [["Q: Who is 0?", {"until": []}]]
    counts = read_logs([write("x.jsonl", json.dumps(row))])
    assert real(counts) == {"x": [[Fraction(1, 2)]]}
    assert counts.texts.inputs == ("Q: Who is 0?",)


def test_metrics_that_are_no_item_scores_are_told(write: Write) -> None:
    """A metric of which nothing can be made is left out, and the task is compared all the same."""
    write("unused", "")
    rows = [document(d, acc=1, acc_all=["Ann", {"idx": 0}]) for d in (0, 1)]
    path = samples_file("a", "t", rows)
    counts = read_logs([path])
    assert counts.columns == ("acc",)
    assert counts.notices[0].text == "Left out, being no numbers: acc_all."
    with pytest.raises(ta.DataError, match=r"'acc_all.none' is .* which is no number"):
        read_logs([path], metrics=["acc_all"])


def test_a_broken_score_is_refused_of_several_tasks_as_of_one(write: Write) -> None:
    write("unused", "")
    whole = samples_file("a", "t", [document(0, acc=1)])
    broken = samples_file("a", "u", [document(0, acc=1), document(1, acc="good")])
    for paths in ([broken], [whole, broken]):
        with pytest.raises(ta.DataError, match=r"'acc.none' is 'good', which is no number"):
            read_logs([f"a={','.join(paths)}"])


def test_choices_by_likelihood(write: Write) -> None:
    """The output is the likeliest choice; a gold that is a number is shown as its text."""
    asked = {f"gen_args_{k}": {"arg_0": "Q:", "arg_1": f" {c}"} for k, c in enumerate("xyz")}
    likely = [[["-3.5", "False"]], [["-1.5", "False"]], [["-2.5", "False"]]]
    rows = [document(0, acc=0, arguments=asked, resps=likely, target="2")]
    write("unused", "")
    texts = read_logs([samples_file("a", "t", rows)]).texts
    assert (texts.golds, texts.outputs["a"]) == ((" z",), (" y",))


def test_the_results_say_how_a_metric_is_summed_up(write: Write) -> None:
    """A `perplexity` that the task averages is a plain value."""
    write("unused", "")
    samples_file("alder", "t", [document(d, perplexity=0.25 * d) for d in range(3)])
    config = {"metric_list": [{"metric": "perplexity", "aggregation": "mean"}]}
    stated = Path("alder/results_2026-11-01T10-00-00.000001.json")
    stated.write_text(json.dumps({"results": {}, "configs": {"t": config}}))
    assert ta.read("alder").columns == ("perplexity",)


def test_samples_that_were_cut_off_are_told(write: Write) -> None:
    """The results count the documents; what is compared are those that are there."""
    write("unused", "")
    samples_file("alder", "t", [document(d, acc=1) for d in range(3)])
    stated = Path("alder/results_2026-11-01T10-00-00.000001.json")
    for there, told in ((3, []), (5, ["the run had 5 samples, and 3 are there."])):
        stated.write_text(json.dumps({"results": {}, "n-samples": {"t": {"effective": there}}}))
        notices = [each.text for each in ta.read("alder").notices if each.code == "other-total"]
        assert [text.partition(".jsonl: ")[2] for text in notices] == told


def test_what_holds_no_score_of_a_document_is_left_out(write: Write) -> None:
    """The gold class and the chosen one, a likelihood above 1, or of no words."""
    write("unused", "")
    values: dict[str, Any] = {"mcc": [1, 0], "perplexity": 2.5, "word_perplexity": [-3.0, 0]}
    samples_file("alder", "t", [document(d, acc=1, **values) for d in range(3)])
    counts = ta.read("alder")
    assert counts.columns == ("acc",)
    (notice,) = (each for each in counts.notices if each.code == "not-numbers")
    assert set(notice.affected) == {"mcc", "perplexity", "word_perplexity"}
