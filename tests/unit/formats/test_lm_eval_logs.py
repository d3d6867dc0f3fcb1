"""lm-eval's samples: documents paired by id, filters told apart, tasks one at a time."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tellapart as ta
from log_files import compared, document, refused, samples_file
from log_files import read_logs as read_any_logs
from table_files import Write, real
from tellapart.formats.head import read_head
from tellapart.formats.logs.lm_eval_results import refuse_totals

Capture = pytest.CaptureFixture[str]


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
        (["acc", "none"], ("acc,none",)),
        (["acc,none"], ("acc,none",)),
        (["acc", "none", "acc_norm"], ("acc,none", "acc_norm")),
        (["pond_mc/acc/none"], ("pond_mc/acc/none",)),
        (["pond_mc/acc"], ("pond_mc/acc",)),
        (["acc_norm/none", "acc"], ("acc_norm/none", "acc")),
        (["strict"], ("strict",)),
        (["gen_a/match", "strict"], ("gen_a/match,strict",)),
        (["match", "strict", "match", "loose"], ("match,strict", "match,loose")),
    ],
)
def test_metrics_by_any_clear_name(
    folders: list[str], asked: list[str], columns: tuple[str, ...]
) -> None:
    assert read_logs(folders, metrics=asked).columns == columns


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        (["--metric", "bleu"], "no value is named 'bleu'; there are match/strict, match/loose"),
        (["--metric", "acc", "--item", "doc"], "the items of samples of lm-eval are items"),
        (["--metric", "acc", "--gold", "x"], "need no --gold"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(
    folders: list[str], capsys: Capture, options: list[str], finding: str
) -> None:
    assert finding in refused(capsys, "compare", "--as", "lm-eval", *folders, *options)


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
    assert counts.texts is not None
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


def test_choices_by_likelihood(write: Write) -> None:
    """The output is the likeliest choice; a gold that is a number is shown as its text."""
    asked = {f"gen_args_{k}": {"arg_0": "Q:", "arg_1": f" {c}"} for k, c in enumerate("xyz")}
    likely = [[["-3.5", "False"]], [["-1.5", "False"]], [["-2.5", "False"]]]
    rows = [document(0, acc=0, arguments=asked, resps=likely, target="2")]
    write("unused", "")
    texts = read_logs([samples_file("a", "t", rows)]).texts
    assert texts is not None
    assert (texts.golds, texts.outputs["a"]) == ((" z",), (" y",))


GOOD = [document(0, acc=1), document(1, acc=1)]
REFUSALS: dict[str, tuple[Any, str]] = {
    "empty": ("", "x.jsonl: the file is empty"),
    "cut": (json.dumps(GOOD[0])[:-5], "x.jsonl:1: this is not JSON ("),
    "string": ('{"doc_id": "a', "x.jsonl:1: this is not JSON (Unterminated string starting at, "
               "column 12)"),
    "latin-1": (json.dumps(GOOD[0]).replace("Ann", "\xe9").encode("latin-1"), "x.jsonl:1: this is "
                "not UTF-8 text"),
    "no row": ('{"a": 1}', "x.jsonl:1: this is no sample of lm-eval (it has no `doc_id`)"),
    "list": ("[1]", "x.jsonl:1: this is not an object"),
    "twice": ([GOOD[0], GOOD[0]], "x.jsonl:2: document '0' appears twice with the filter 'none'"),
    "nan": ([document(0, acc=float("nan"))], "x.jsonl: none of 1 document has a score"),
    "null": ([document(0, acc=None)], "x.jsonl: none of 1 document has a score"),
    "one less": ([GOOD[0]], "x has 1 item, good has 2; missing in x: 1; --missing drop compares "
                 "the 1 common item, --missing zero counts a missing item as 0"),
    "gold": ([document(0, acc=1, target="Bob", target_hash="u"), GOOD[1]], "the gold answer is "
             "'Ann', but 'Bob' in x.jsonl:1; the files disagree about 1 item"),
    "hash": ([document(0, acc=1, target_hash="u"), GOOD[1]], "the item is not the one in "
             "x.jsonl:1: its data differ; the files disagree about 1 item"),
    "document": ([document(0, acc=1, doc_hash="e"), GOOD[1]], "the item is not the one in "
                 "x.jsonl:1: its data differ; the files disagree about 1 item"),
    "metric": ([document(0, f1=1), document(1, f1=1)], "no item of good has a value of 'f1'; give "
               "files with the same scores"),
    "inspect": ('{"version": 2, "status": "success", "eval": {}}', "no sample of lm-eval"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(write: Write, capsys: Capture, case: str) -> None:
    content, finding = REFUSALS[case]
    if isinstance(content, list):
        content = "".join(json.dumps(row) + "\n" for row in content)
    bad = write("x.jsonl", content)
    good = write("good.jsonl", "".join(json.dumps(row) + "\n" for row in GOOD))
    message = refused(capsys, "compare", "--as", "lm-eval", f"x={bad}", f"good={good}")
    assert finding in message


def test_a_folder_of_several_models(write: Write) -> None:
    """The folders that lm-eval makes below its output path name the systems."""
    write("unused", "")
    for name in ("alder", "birch"):
        samples_file(f"out/org__{name}", "t", GOOD)
    assert read_logs(["out"]).systems == ("alder", "birch")


def test_totals_without_samples_beside_them(write: Write) -> None:
    results = {"results": {"t": {"acc,none": 0.5, "alias": "t"}}, "configs": {}}
    path = write("results_1.json", json.dumps(results))
    assert str(refuse_totals(read_head(path))) == (
        "results_1.json cannot be compared item by item: run lm-eval again "
        "with --log_samples, and give samples_TASK_*.jsonl."
    )


# Metrics that are no means

RANDOM = np.random.default_rng(7)


def _likelihoods() -> list[list[float]]:
    return [[round(float(x), 3) for x in RANDOM.uniform(-6, -0.5, 11)] for _ in range(2)]


def _perplexity(a: Any, b: Any, lengths: Any) -> Any:
    """Return the difference of perplexities, for numbers along the last axis."""
    n = np.sum(lengths)
    return np.exp(-np.sum(a, axis=-1) / n) - np.exp(-np.sum(b, axis=-1) / n)


@pytest.mark.parametrize("metric", ["perplexity", "word_perplexity", "bits_per_byte"])
def test_p_is_that_of_all_exchanges(write: Write, capsys: Capture, metric: str) -> None:
    """The exact test of scipy, which enumerates the exchanges of documents."""
    write("unused", "")
    alder, birch = _likelihoods()
    words = [int(x) for x in RANDOM.integers(3, 9, 11)]
    lengths = [1] * 11 if metric == "perplexity" else words
    for name, likelihoods in (("alder", alder), ("birch", birch)):
        values: list[Any] = [
            {metric: x if metric == "perplexity" else [x, n]}
            for x, n in zip(likelihoods, words, strict=True)
        ]
        rows = [document(d, **value) for d, value in enumerate(values)]
        samples_file(name, "t", rows)
    record = compared(capsys, "alder", "birch", "--test", "exact", "--no-intervals")
    (pair,) = record["pairs"]

    def statistic(a: Any, b: Any, axis: int = -1) -> Any:
        assert axis == -1
        if metric == "bits_per_byte":
            return (b.sum(axis=-1) - a.sum(axis=-1)) / math.fsum(lengths) / math.log(2)
        return _perplexity(a, b, lengths)

    found = stats.permutation_test(
        (alder, birch), statistic, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    signed = pair["difference"] if pair["a"] == "alder" else -pair["difference"]
    assert signed == pytest.approx(found.statistic, rel=1e-9)
    assert pair["p"] == pytest.approx(found.pvalue, abs=1e-12)


def test_the_results_say_how_a_metric_is_summed_up(write: Write) -> None:
    """A `perplexity` that the task averages is a plain value."""
    write("unused", "")
    samples_file("alder", "t", [document(d, perplexity=0.25 * d) for d in range(3)])
    config = {"metric_list": [{"metric": "perplexity", "aggregation": "mean"}]}
    stated = Path("alder/results_2026-11-01T10-00-00.000001.json")
    for number, told in ((3, False), (4, True)):
        sizes = {"t": {"effective": number}}
        tree = {"results": {}, "configs": {"t": config}, "n-samples": sizes}
        stated.write_text(json.dumps(tree))
        counts = ta.read("alder")
        assert counts.columns == ("perplexity",)
        texts = [each.text for each in counts.notices if each.code == "not-understood"]
        finding = "say 4 documents, and 3 are here; those here were taken."
        assert [text.endswith(finding) for text in texts] == [True] * told


def test_what_holds_no_score_of_a_document_is_left_out(write: Write) -> None:
    """The gold class and the chosen one, a likelihood above 1, or of no words."""
    write("unused", "")
    values: dict[str, Any] = {"mcc": [1, 0], "perplexity": 2.5, "word_perplexity": [-3.0, 0]}
    samples_file("alder", "t", [document(d, acc=1, **values) for d in range(3)])
    counts = ta.read("alder")
    assert counts.columns == ("acc",)
    (notice,) = (each for each in counts.notices if each.code == "not-numbers")
    assert set(notice.affected) == {"mcc", "perplexity", "word_perplexity"}
