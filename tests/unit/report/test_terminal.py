"""The report in a terminal: finding, tables, warnings, method, all in 80 columns."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from tellapart import console
from tellapart.comparison.items import find_differences
from tellapart.comparison.record import Slice
from tellapart.console import in_colour
from tellapart.counts import Counts
from tellapart.report.differences import render as render_items
from tellapart.report.formats import find_writer
from tellapart.report.gate import failures
from tellapart.report.terminal import render
from tellapart.report.text import p_text, plain, signed
from unit.report.comparing import first_line, quiz


def test_not_significant_is_never_worded_as_equal() -> None:
    for seed in range(12):
        words = render(quiz(seed, intervals=False)).partition("Paired randomization test")[0]
        assert "equal" not in words
        assert "as good as" not in words


def test_a_margin_asks_about_the_last_system() -> None:
    counts = Counts.from_arrays({"old": [1] * 204 + [0] * 196, "new": [1] * 203 + [0] * 197})
    for names in (("old", "new"), ("new", "old")):
        result = ta.compare(counts.systems[names], margin=0.05)
        old, new = names
        assert first_line(result.record) == f"Is {new} as good as {old}?  Yes, within 0.05."
        pair = result.pair(new, old)
        assert "{} to {}, ".format(*map(signed, pair.interval)) in result.verdict
        assert f"is ruled out (p = {p_text(pair.p_a_adjusted)})" in result.verdict
    near = ta.compare(counts, margin=0.001)
    assert "is not ruled out" in near.verdict
    lost = ta.compare({"old": [1] * 40, "new": [0] * 40}, margin=0.001)
    assert "0.001 is shown." in lost.verdict
    assert "four times out of five" not in near.verdict  # another test's power


def table_lines(text: str, head: str) -> list[str]:
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.lstrip().startswith(head))
    return lines[start : start + next(k for k, line in enumerate(lines[start:]) if not line)]


def test_a_confidence_near_0_or_1_is_told_as_such() -> None:
    ahead = [1] * 40
    scores = {"a": ahead, "b": [0] * 40, "c": [*ahead[:-1], 0]}
    result = ta.compare(scores, test="shuffle", shuffles=999, min_confidence=0.95)
    lines = table_lines(str(result), "pair")
    assert [line.split()[-1] for line in lines[1:4]] == ["<.001", ">.999", ">.999"]


def test_every_line_fits_whatever_the_names_and_metrics() -> None:
    rng = np.random.default_rng(0)
    long_names = [
        "meta-llama-3-8b-instruct", "meta-llama-3-70b-instruct", "mistral-large-instruct-2407",
        "x" * 60 + "1", "x" * 60 + "2",
    ]  # fmt: skip
    metrics = ["exact_match", "f1", "a metric with a very long name that goes on and on and on"]
    scores = {name: rng.integers(0, 100, (30, 3)) / 1.0 for name in long_names}
    counts = Counts.from_arrays(scores, columns=metrics, form="items")
    tests: list[dict[str, Any]] = [
        {"test": "unpaired"}, {"margin": 1.0}, {"test": "shuffle", "min_confidence": 0.9},
        {"tail": "less", "baseline": long_names[3]},
    ]  # fmt: skip
    for asked in tests:
        text = str(ta.compare(counts, **{"shuffles": 99, **asked}))
        assert max(map(len, text.splitlines())) <= 80, asked
        for name in long_names:
            assert name in text.replace("\n  ", "")


@pytest.mark.parametrize(
    ("terminal", "no_colour", "setting", "colour"),
    [(True, "", "auto", True), (False, "", "auto", False), (True, "1", "auto", False),
     (False, "1", "always", True), (True, "", "never", False)],
)  # fmt: skip
def test_colour_is_for_terminals_that_do_not_refuse_it(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, no_colour: str, setting: str, colour: bool
) -> None:
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setattr(console.settings, "colour", setting)
    assert in_colour(out) == colour


def test_slices_of_the_pair_in_question_are_shown_as_exploratory() -> None:
    scores, interval = (0.5, 0.75), (-0.5, 0.0)
    slices = tuple(
        Slice(
            "kind", value, "cedar", "birch", "mean", 24, -0.25, 0.04, p, p < 0.05, scores, interval
        )
        for value, p in (("lookup", 0.1234), ("sum", 0.012))
    )
    lines = table_lines(render(replace(quiz(), slices=slices)), "birch - cedar, for each kind")
    assert lines[0].endswith("(exploratory)")
    assert lines[2].split() == ["lookup", "24", "+0.250", "0.000", "+0.500", ".1234"]
    assert lines[3].split() == ["sum", "24", "+0.250", "0.000", "+0.500", ".0120", "*"]


def test_terminal_json_and_tables_agree_digit_for_digit() -> None:
    result = quiz()
    record = json.loads(result.to_json())
    text = render(result)
    markdown, tsv = (find_writer(form).write(result) for form in ("md", "tsv"))
    for pair in record["pairs"]:
        low, high = pair["interval"]
        if pair["difference"] < 0:
            pair["a"], pair["b"] = pair["b"], pair["a"]
            low, high = -high, -low
        figures = [signed(abs(pair["difference"])), signed(low), signed(high), p_text(pair["p"]),
                   p_text(pair["p_adjusted"])]  # fmt: skip
        row = next(line for line in text.splitlines() if f"  {pair['a']} - {pair['b']} " in line)
        assert [cell for cell in row.split() if cell in figures] == figures
        row = next(line for line in markdown.splitlines() if f"{pair['a']} - {pair['b']} " in line)
        assert [cell for cell in row.split() if cell in figures] == figures
        assert f"\t{pair['p']}\t{pair['p_adjusted']}\t" in tsv
    for system in record["systems"]:
        assert f"{system['scores']['mean']:.3f}" in text


def test_a_failed_build_check_says_which_loss_is_not_ruled_out() -> None:
    """Where lower is better, the loss is the upper end of the interval."""
    rights, errors = {"old": [1] * 5, "new": [1] * 5}, {"old": [0] * 9, "new": [1] * 3 + [0] * 6}
    for scores, lower, difference in ((rights, False, "0.000"), (errors, True, "+0.333")):
        result = ta.compare(scores, lower_is_better=lower, margin=0.02)
        (low, high) = result.pair("new", "old").interval or (None, None)
        loss = high if lower else -(low or 0)
        assert failures(result.record) == [
            "new is not shown to stay within 0.02 of old by mean: the difference is "
            f"{difference}, and a loss of up to {plain(loss)} is not ruled out"
        ]


def test_numbers_of_a_metric_have_the_digits_that_its_intervals_need() -> None:
    """Costs of some thousandths keep two digits of the narrowest interval, in every report."""
    rng = np.random.default_rng(1)
    costs = {name: rng.normal(at, 1e-4, 60) for name, at in (("A", 0.0024), ("B", 0.0025))}
    result = ta.compare(costs)
    a, b = (f"{system.scores['mean']:.6f}" for system in result.systems)
    (pair,) = result.pairs
    apart = f"{pair.turned().difference:+.6f}"
    told = {form: find_writer(form).write(result.record) for form in ("text", "latex", "paper")}
    assert a in told["latex"]
    assert b in told["latex"]
    assert all(words in told["text"] for words in (a, b, apart, f"scores {apart[1:]} higher"))
    assert f"{b} vs. {a}; difference {apart}, 95 percent CI [+0.000" in told["paper"]
    page = result.to_html()
    assert all(f">{words}</text>" in page for words in (a, b, f"measured {apart}"))
    row = find_writer("tsv").write(result.record).splitlines()[1].split("\t")
    assert float(row[3]) == pair.difference
    assert ta.compare({"A": [1, 0, 1, 1], "B": [0, 0, 1, 0]}).record.metrics["mean"].decimals == 3
    (item,) = render_items(find_differences(Counts.from_arrays(costs)), most=1).split("\n\n")[1:]
    assert all(len(figure) == len("0.00245") for figure in item.split()[-2:])
