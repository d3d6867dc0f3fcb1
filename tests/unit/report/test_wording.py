"""How reports word ties, margins, corrections and signatures."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.stats import norm

import tellapart as ta
from quiz_files import CANNOT_TELL, NEARLY, quiz_counts
from small_counts import some_counts
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.details import details_of
from tellapart.comparison.ranking import headline
from tellapart.counts import Counts
from tellapart.report.method import method
from tellapart.report.sentences import detectable_words, verdict
from tellapart.report.text import filled_parts, two_digits
from unit.report.comparing import first_line

ALTERNATING = {"x": [1, 0] * 10, "birch": [0, 1] * 10}


def subject(result: ta.Result) -> str:
    found = re.match(r"Is (\S+) ", first_line(result.record))
    assert found is not None
    return found[1]


@pytest.mark.parametrize("names", [("x", "birch"), ("birch", "x"), ("x", "birch", "low")])
def test_ties_are_told_of_the_system_in_question(names: tuple[str, ...]) -> None:
    scores = {**ALTERNATING, "low": [0] * 20}
    result = ta.compare(Counts.from_arrays({name: scores[name] for name in names}))
    assert subject(result) == "birch"
    assert result.verdict.startswith("birch ")
    assert "has the same score as x, though not on every item" in result.verdict
    assert "  birch - x " in str(result)


def test_ties_with_a_baseline_are_told_of_the_other_system() -> None:
    for base, other in (("x", "birch"), ("birch", "x")):
        result = ta.compare(Counts.from_arrays(ALTERNATING), baseline=base)
        assert subject(result) == other
        assert result.verdict.startswith(f"{other} has the same score as {base}")


def test_no_difference_is_zero_with_a_sign() -> None:
    """Sums of floats that differ in the last bits, and scores that really differ by little."""
    a, b = [0.1, 0.2, 0.3] * 4, [0.3, 0.2, 0.1 + 1e-16] * 4
    for second in (b, [*b[:-1], b[-1] + 0.003]):
        result = ta.compare(Counts.from_arrays({"A": a, "B": second}), test="t")
        text = str(result)
        assert not re.search(r"[+-]0\.000\b|scores 0\.000\b", text), text
    assert "B scores 0.0003 higher than A" in text
    assert "  B - A     +0.0003 " in text


@pytest.mark.parametrize("scale", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("digits", [1, 15])
def test_who_is_better_by_little_is_told_by_how_much(scale: float, digits: int) -> None:
    """However small scores are, the better one does not look like the other."""
    first = [round(k % 7 + 1 / 3, digits) for k in range(40)]
    second = [round(each + 0.2 + k % 3 / 7, digits) for k, each in enumerate(first)]
    scores = {"A": first, "B": second}
    result = ta.compare(
        Counts.from_arrays({name: [each * scale for each in own] for name, own in scores.items()})
    )
    text = str(result)
    assert "B is better than A: it scores" in " ".join(text.split())
    assert not re.search(r"\b0\.000\b", text), text
    known = ta.compare(Counts.from_arrays(scores))
    low, high = result.systems[0].intervals["mean"]
    assert (low, high) == pytest.approx(
        [scale * (end or 0.0) for end in known.systems[0].intervals["mean"]], rel=1e-3
    )


def test_the_pairs_that_keep_a_margin_are_named() -> None:
    result = ta.compare(quiz_counts(NEARLY), margin=0.3, cluster="passage")
    assert [pair.equivalent for pair in result.pairs] == [False, True, False]
    assert first_line(result.record) == (
        "Are any two systems equivalent within 0.3?  Yes: cedar - alder (1 of 3 pairs)."
    )
    assert result.verdict.endswith("Equivalent within 0.3: cedar - alder.")
    tight = ta.compare(quiz_counts(NEARLY), margin=0.001, cluster="passage")
    assert first_line(tight.record).endswith("?  Cannot tell.")
    assert tight.verdict.endswith("No two systems are shown to be equivalent within 0.001.")


def test_the_systems_that_keep_a_margin_to_the_baseline_are_named() -> None:
    counts = Counts.from_arrays({"old": [1] * 40, "same": [1] * 40, "bad": [0] * 30 + [1] * 10})
    result = ta.compare(counts, margin=0.1, baseline="old")
    assert result.verdict.endswith("As good as old, within 0.1: same.")


def test_corrections_say_that_each_metric_has_its_own() -> None:
    counts = some_counts()
    each = method(ta.compare(counts, intervals=False).record)
    assert "Holm over the 6 pairs of each metric" in each
    two = method(ta.compare(counts.systems["A", "B"], intervals=False).record)
    assert "no correction over the 3 metrics" in two
    one = method(ta.compare(counts, metrics="f1", intervals=False).record)
    assert "Holm over 6 pairs" in one


def test_the_method_says_how_margins_are_decided_and_corrected() -> None:
    many = method(ta.compare(quiz_counts(), margin=0.1).record)
    assert "margin 0.1, Holm over 3 pairs, two one-sided tests at alpha by the exact" in many
    joint = method(ta.compare(quiz_counts(), margin=0.1, correction="maxt", shuffles=99).record)
    assert "margin 0.1, Holm over 3 pairs, two one-sided" in joint
    none = method(ta.compare(quiz_counts(), margin=0.1, correction="none").record)
    assert "margin 0.1, not corrected for 3 pairs, two one-sided" in none
    two = method(ta.compare(quiz_counts().systems["alder", "birch"], margin=0.1).record)
    assert "margin 0.1, two one-sided tests at alpha by the exact unconditional score test" in two
    clusters = method(ta.compare(quiz_counts(), margin=0.1, cluster="passage").record)
    assert "tests at alpha by the score test of a bounded mean over passages" in clusters


def test_signatures_break_between_their_parts() -> None:
    text = "tellapart 0.1.0 | " + "bleu " + "nrefs:1|case:mixed|eff:no|" * 4 + "version:x | seed 0"
    lines = filled_parts(text, "  ").splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.endswith(("|", " 0")) for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_no_line_of_scores_or_of_a_report_tears_a_signature(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("ref.txt", "The cat sat there\nA dog barked loudly\nIt rains\n")
    write("a.txt", "The cat sat there\nA dog barks loudly\nIt rains\n")
    write("b.txt", "A cat sits\nThe dog barks\nIt rains\n")
    words = ["--as", "text", "--gold", "ref.txt", "a.txt", "b.txt"]
    metrics = ["--metric", "bleu,nist,chrf,chrf++,ter"]
    for verb in ("score", "compare"):
        assert (
            main([verb, *words, *metrics, *(["--no-intervals"] if verb == "compare" else [])]) == 0
        )
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 80
        assert text.count("version:tellapart-") == 5


def test_scores_by_many_metrics_fit_a_terminal(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"metric-number-{k}" for k in range(9)]
    rows = [f"{s},i,{name},{k}.5" for s in "AB" for k, name in enumerate(names)]
    table = write("many.csv", "\n".join(["system,item,metric,score", *rows]) + "\n")
    assert main(["score", table]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    blocks = "\n".join(lines).split("\n\n")
    assert len(blocks) > 1
    assert [name for block in blocks for name in block.split("\n")[0].split()[1:]] == names
    assert [cell for block in blocks for cell in block.split("\n")[1].split()[1:]] == [
        f"{k}.500" for k in range(9)
    ]


def test_one_pair_is_one_pair() -> None:
    counts = some_counts()
    assert repr(ta.compare(counts.systems["A", "B"], metrics="f1")) == (
        "<Result: 2 systems, 1 pair, by f1>"
    )
    assert repr(ta.compare(counts, intervals=False)).startswith("<Result: 4 systems, 6 pairs,")


def test_a_test_of_signs_that_decides_between_equal_means_says_so() -> None:
    counts = Counts.from_arrays({"A": [0.2] * 20 + [0.0] * 4, "B": [0.1] * 20 + [0.5] * 4})
    result = ta.compare(counts, test="sign")
    assert result.pairs[0].difference == 0
    assert "has the same score as" in verdict(result.record)
    assert "the sign test speaks for A" in verdict(result.record)
    assert np.isclose(result.pairs[0].p or 0, 0.00154, atol=1e-4)


def test_what_could_be_shown_allows_for_the_correction() -> None:
    """Two pairs by Holm: the smallest p has to pass half of the level."""
    options = {"cluster": "passage", "baseline": "alder"}
    result = ta.compare(quiz_counts(CANNOT_TELL), **options)
    bare = ta.compare(quiz_counts(CANNOT_TELL), **options, correction="none")
    alone, found = (headline(each.record, "mean").diagnostics.detectable for each in (bare, result))
    assert alone is not None
    assert found is not None
    needed = [norm.ppf(1 - level / 2) + norm.ppf(0.8) for level in (0.05, 0.05 / 2)]
    assert found / alone == pytest.approx(needed[1] / needed[0], rel=0.05)
    given = "With 24 passages and the correction for 2 pairs"
    assert f"{given}, a true difference of {two_digits(found)} would be found" in result.verdict
    assert details_of(result.record, result.scored).power[0].detectable == found
    assert f"With 24 passages, a true difference of {two_digits(alone)} would" in bare.verdict


def test_too_few_items_for_so_many_pairs_can_show_nothing() -> None:
    """Six items allow p = 2/64, and two pairs by Holm want half of 0.05."""
    scores = {"A": [1] * 6, "B": [0] * 6, "C": [1, 1, 1, 0, 0, 0]}
    many, two = (Counts.from_arrays({n: scores[n] for n in names}) for names in ("ABC", "AC"))
    said = "With 6 items and the correction for 2 pairs, no difference could be shown at 0.05."
    assert said in ta.compare(many, baseline="A").verdict
    assert "no difference could be shown" not in ta.compare(two).verdict
    # Benjamini and Hochberg's rule accepts all if the largest p is small enough.
    by_bh = ta.compare(many, baseline="A", correction="bh")
    assert "no difference could be shown" not in by_bh.verdict


def test_large_numbers_of_items_are_written_in_thousands() -> None:
    rng = np.random.default_rng(5)
    scores = {name: rng.random(12_000) < rate for name, rate in (("A", 0.5), ("B", 0.53))}
    result = ta.compare(Counts.from_arrays(scores))
    text = str(result)
    assert "mean, 12,000 items" in text
    assert not re.search(r"(?<![\w.,^])\d{4,}(?!\w)", text), text
    assert "With 12,000 items" in detectable_words(result.record, result.pairs[0])
    assert f" {result.pairs[0].items_tied:,} " in text
