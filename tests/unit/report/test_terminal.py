"""The report in a terminal: finding, tables, warnings, method, all in 80 columns."""

from __future__ import annotations

import io
import json
import re
import shlex
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from quiz_files import CANNOT_TELL, quiz_counts, quiz_table
from table_files import Write
from tellapart import console
from tellapart.cli import main
from tellapart.comparison.record import Comparison, Slice
from tellapart.console import in_colour
from tellapart.counts import Counts
from tellapart.report.formats import find_writer
from tellapart.report.sentences import verdict
from tellapart.report.terminal import render
from tellapart.report.text import p_text, plain, signed, two_digits
from unit.report.comparing import first_line, quiz


def record_of(result: ta.Result | Comparison) -> Comparison:
    return result if isinstance(result, Comparison) else result.record


def verdict_of(result: ta.Result | Comparison) -> str:
    return verdict(record_of(result))


def render_of(result: ta.Result | Comparison, *further: list[str], **manner: Any) -> str:
    return render(record_of(result), *further, **manner)


def question(result: ta.Result | Comparison, metric: str) -> str:
    return first_line(record_of(result), metric)


def test_cannot_tell_always_says_what_could_be_shown() -> None:
    result = quiz(CANNOT_TELL)
    assert question(result, "mean").endswith("Cannot tell.")
    two = quiz_counts(CANNOT_TELL).systems["birch", "alder"]
    pair = ta.compare(two, cluster="passage")
    detectable = pair.pairs[0].diagnostics.detectable
    assert detectable is not None
    said = (
        f"With 24 passages, a true difference of {two_digits(detectable)} would be found four times"
    )
    assert said in verdict_of(pair)
    few = ta.compare(Counts.from_arrays({"A": [1, 1, 0], "B": [0, 0, 0]}))
    assert "With 3 items, no difference could be shown at 0.05." in verdict_of(few)
    seven = ta.compare(Counts.from_arrays({"A": [1, 1, 0, 1, 1, 1, 1], "B": [0, 0, 1, 0, 1, 1, 1]}))
    assert "They differ on 4 of 7 items: too few to count on finding a difference" in verdict_of(
        seven
    )
    nine = ta.compare(Counts.from_arrays({"A": [1, 2, 4, 7, 1, 3, 9, 2, 5], "B": [0] * 8 + [20]}))
    assert "true difference" not in verdict_of(nine)  # where it is not known


def test_not_significant_is_never_worded_as_equal() -> None:
    for seed in range(12):
        words = render_of(quiz(seed, intervals=False)).partition("Paired randomization test")[0]
        assert "equal" not in words
        assert "as good as" not in words


def test_a_margin_asks_about_the_last_system() -> None:
    rng = np.random.default_rng(3)
    right = rng.integers(0, 2, 400)
    flipped = np.where(np.arange(400) < 7, 1 - right, right)
    flipped[:4] = 0
    right[:4] = 1
    counts = Counts.from_arrays({"old": right, "new": flipped}, kind="item")
    result = ta.compare(counts, margin=0.05)
    pair = result.pair("new", "old")
    assert question(result, "mean") == "Is new as good as old?  Yes, within 0.05."
    assert pair.interval is not None
    assert pair.p_a_adjusted is not None
    low, high = map(signed, pair.interval)
    assert verdict_of(result) == (
        f"new scores {plain(-pair.difference)} lower (90 % confidence interval {low} to {high}, "
        "which decides); a loss of more than 0.05 is ruled out "
        f"(p = {p_text(pair.p_a_adjusted)}). {pair.items_b_better} items got worse, "
        f"{pair.items_a_better} got better."
    )
    swapped = ta.compare(counts.systems["new", "old"], margin=0.05)
    assert question(swapped, "mean") == "Is old as good as new?  Yes, within 0.05."
    tight = ta.compare(counts, margin=0.001)
    assert "a loss of more than 0.001 is shown." in verdict_of(tight)
    near = ta.compare(counts, margin=0.01)
    assert "a loss of more than 0.01 is not ruled out (p = " in verdict_of(near)
    assert "would be found four times out of five" not in verdict_of(tight)  # another test's power


def table_lines(text: str, head: str) -> list[str]:
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.lstrip().startswith(head))
    return lines[start : start + next(k for k, line in enumerate(lines[start:]) if not line)]


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
        text = render_of(ta.compare(counts, **{"shuffles": 99, **asked}))
        assert max(map(len, text.splitlines())) <= 80, asked
        for name in long_names:
            assert name in text.replace("\n  ", "")


def test_the_first_of_several_metrics_leads_and_the_others_share_a_table() -> None:
    rng = np.random.default_rng(1)
    rows = {name: rng.integers(0, 5, (30, 3)) for name in "AB"}
    result = ta.compare(Counts.from_arrays(rows, columns=["tp", "fp", "fn"]))
    text = render_of(result)
    assert text.count("really better by") == 1
    assert "really better by f1?" in text
    further = [line.split()[3] for line in table_lines(text, "Further metrics")[2:]]
    assert further == ["recall", "precision"]
    full = render_of(result, full=True)
    places = [full.index(f"really better by {metric}?") for metric in ("f1", "recall", "precision")]
    assert places == sorted(places)
    sections = [line.strip() for line in table_lines(full, "pair ") if line.endswith(":")]
    assert sections == ["f1:", "recall:", "precision:"]


def test_of_many_pairs_letters_tell_who_differs() -> None:
    rng = np.random.default_rng(2)
    apart = {f"S{k}": (rng.random(60) < 0.1 + 0.1 * k).astype(int) for k in range(8)}
    result = ta.compare(Counts.from_arrays(apart), intervals=False)
    told = sum(pair.different for pair in result.pairs)
    text = render_of(result)
    assert f"{told} of 28 pairs can be told apart. In full: --format p-values." in text
    assert not re.search(r"^  S\d - S\d", text, re.M)


def test_colour_is_for_terminals_that_do_not_refuse_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert in_colour(Terminal())
    assert not in_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not in_colour(Terminal())
    monkeypatch.setattr(console.settings, "colour", "always")
    assert in_colour(io.StringIO())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setattr(console.settings, "colour", "never")
    assert not in_colour(Terminal())


def test_slices_of_the_pair_in_question_are_shown_as_exploratory() -> None:
    scores, interval = (0.5, 0.75), (-0.5, 0.0)
    slices = tuple(
        Slice(
            "kind", value, "cedar", "birch", "mean", 24, -0.25, 0.04, p, p < 0.05, scores, interval
        )
        for value, p in (("lookup", 0.1234), ("sum", 0.012))
    )
    lines = table_lines(render_of(replace(quiz(), slices=slices)), "birch - cedar, for each kind")
    assert lines[0].endswith("(exploratory)")
    assert lines[2].split() == ["lookup", "24", "+0.250", "0.000", "+0.500", ".1234"]
    assert lines[3].split() == ["sum", "24", "+0.250", "0.000", "+0.500", ".0120", "*"]


def test_terminal_json_and_tables_agree_digit_for_digit() -> None:
    result = quiz()
    record = json.loads(result.to_json())
    text = render_of(result)
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
        assert "\t" + "\t".join(figures[-2:]) + "\t" in tsv
    for system in record["systems"]:
        assert f"{system['scores']['mean']:.3f}" in text


def test_what_leads_on_stands_last() -> None:
    assert render_of(quiz(), ["one", "two"]).splitlines()[-3:] == ["", "  one", "  two"]


@pytest.mark.parametrize(
    "options",
    [
        ["quiz.csv", "--cluster", "passage"],
        ["quiz.csv", "--where", "kind=sum", "--where", "kind=name", "--item", "item"],
        ["birch=one file.csv", "alder=other.csv", "--missing", "drop", "--metric", "mean"],
        ["--as", "text", "--gold", "ref.txt", "a.txt", "b.txt", "--metric", "chrf", "--lowercase"],
    ],
)
def test_the_printed_diff_command_works(
    options: list[str], write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("quiz.csv", quiz_table())
    scores = quiz_counts().values[:, :, 0]
    for name, row in (("one file.csv", scores[1]), ("other.csv", scores[0])):
        write(name, "item,score\n" + "".join(f"{k},{v}\n" for k, v in enumerate(row)))
    write("ref.txt", "The cat sat there\nA dog barked loudly\nIt rains\n")
    write("a.txt", "The cat sat there\nA dog barks loudly\nIt rains\n")
    write("b.txt", "A cat sits\nThe dog barks\nIt rains\n")
    assert main(["compare", *options]) == 0
    printed = capsys.readouterr().out
    command = printed.partition("Items that differ: ")[2].replace("\\\n", " ")
    program, *words = shlex.split(command)
    assert program == "tellapart"
    assert main(words) == 0
    shown = capsys.readouterr().out
    counted = re.search(r"(\d+) better, (\d+) tied, (\d+) worse", shown)
    assert counted is not None
    systems = words[words.index("--systems") + 1] if options[0] == "quiz.csv" else ""
    named = set(filter(None, systems.split(",")))
    rows = (line.split() for line in table_lines(printed, "pair ")[1:])
    row = next(row for row in rows if named <= set(row))
    assert sorted(counted.groups()) == sorted(cell for cell in row if cell.isdigit())[:3]


def test_a_failed_build_check_says_which_loss_is_not_ruled_out(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    check = ["--margin", "0.02", "--fail-if-worse"]
    write("five.csv", "item,old,new\n" + "".join(f"{k},1,1\n" for k in range(5)))
    assert main(["compare", "five.csv", *check]) == 3
    start = "tellapart: new is not shown to stay within 0.02 of old by mean: the difference is "
    low, _ = ta.compare(ta.read(["five.csv"]), margin=0.02).pairs[0].interval or (None, None)
    assert low is not None
    loss = plain(-low)
    said = capsys.readouterr().err
    assert f"{start}0.000, and a loss of up to {loss} is not ruled out\n" in said
    # Where lower is better, the loss is the upper end.
    write("errors.csv", "item,old,new\n" + "".join(f"{k},0,{int(k < 3)}\n" for k in range(9)))
    assert main(["compare", "errors.csv", "--lower-is-better", "mean", *check]) == 3
    said = capsys.readouterr().err
    assert f"{start}+0.333, and a loss of up to " in said


def test_nothing_is_said_of_intervals_that_are_not_there() -> None:
    scores = {"A": [0.9, 0.8, 0.7, 0.9], "B": [0.8, 0.7, 0.5, 0.6], "C": [0.8, 0.6, 0.4, 0.6]}
    few = " ".join(str(ta.compare(scores)).split())  # no signs of four items are rare enough
    assert "3 pairs at once" not in few
    assert "intervals of differences" not in few
    many = " ".join(str(ta.compare({name: own * 5 for name, own in scores.items()})).split())
    assert "CI: confidence interval, for all 3 pairs at once" in many
    assert "intervals of differences by inverting" in many
