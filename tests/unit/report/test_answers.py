"""What comparisons say and refuse: verdicts, corrections, margins, odd metrics and options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import tellapart as ta
from quiz import CANNOT_TELL, quiz_counts
from small_counts import some_counts
from tellapart.comparison.answers import as_reported, headline
from tellapart.comparison.plan import Question, from_pilot, plan_margin
from tellapart.counts import Counts
from tellapart.report.document import finding
from tellapart.report.method import for_paper
from tellapart.report.sentences import claim_words, disagreement
from tellapart.report.text import two_digits
from unit.report.comparing import first_line


def test_a_function_that_is_not_vectorised_is_refused() -> None:
    careless = ta.Function("share", ("tp", "fp"), lambda sums: sums[0] / (sums[0] + sums[1]))
    for test in ("shuffle", "bootstrap"):
        with pytest.raises(ta.UsageError, match="function of metric 'share' is not vectorised"):
            ta.compare(some_counts(), metrics=[careless], test=test)


def answer(result: ta.Result) -> str:
    return first_line(result.record).partition("?  ")[2]


def rights(items: int = 24, **right: int) -> Counts:
    """Make systems that have their first so many items right."""
    return Counts.from_arrays({n: [1] * k + [0] * (items - k) for n, k in right.items()})


@pytest.mark.parametrize(
    ("right", "baseline", "said"),
    [
        ({"best": 20, "second": 10, "third": 0}, None, "Yes."),
        ({"best": 6, "third": 0}, None, "Yes."),
        # Six items of 24 have p = 2/64 alone; the second is not told from the best.
        ({"best": 6, "second": 3, "third": 0}, None, "Cannot tell."),
        # Both are far ahead of the third, and one item apart.
        ({"best": 20, "second": 19, "third": 0}, None, "Cannot tell."),
        ({"old": 20, "new": 10, "newer": 0}, "old", "No."),
        ({"old": 20, "new": 10, "newer": 0}, "new", "Yes."),
        ({"old": 20, "new": 19}, "old", "Cannot tell."),
    ],
)
def test_the_answer_is_about_the_best_or_the_baseline(
    right: dict[str, int], baseline: str | None, said: str
) -> None:
    assert answer(ta.compare(rights(**right), baseline=baseline)) == said


def ahead_more_often(**others: list[float]) -> Counts:
    """Give A the better mean, while B is ahead on 32 items of 40."""
    return Counts.from_arrays(
        {"A": [0.5] * 32 + [1.0] * 8, "B": [0.51] * 32 + [0.0] * 8, **others}, kind="item"
    )


@pytest.mark.parametrize(
    ("baseline", "said", "verdict"),
    [
        (None, "No.", "A scores 0.192 higher than B"),
        ("B", "No.", "Against B, worse: A, C."),
        ("A", "Yes.", "Against A, better: B;"),
    ],
)
def test_a_lead_counts_only_where_the_test_speaks_for_it(
    baseline: str | None, said: str, verdict: str
) -> None:
    two = ta.compare(ahead_more_often(), test="sign", baseline=baseline)
    assert answer(two) == said
    assert "the sign test speaks for B" in two.verdict
    three = ta.compare(ahead_more_often(C=[0.0] * 40), test="sign", baseline=baseline)
    assert baseline is None or answer(three) == said
    assert f" {verdict}" in (three if baseline else two).verdict


def unlabelled(label: str | None, gap: int = 12) -> Counts:
    """Make two systems on questions of which three each belong to a passage, or seem to."""
    items = [f"p{k // 3:02}-q{k % 3}" if label is None else f"q{k}" for k in range(60)]
    labels = {} if label is None else {label: [f"v{k // 3}" for k in range(60)]}
    scores = {"new": [1] * (20 + gap) + [0] * (40 - gap), "old": [1] * 20 + [0] * 40}
    return Counts.from_arrays(scores, items=items, labels=labels, kind="question")


def test_what_an_answer_supposes_of_groups_stands_with_it() -> None:
    for label, told in (("passage", " passage "), (None, "p00-q0 and p00-q1"), ("hash", " hash ")):
        found = ta.compare(unlabelled(label))
        assert found.answers["mean"].conditions == ("independent-items",)
        assert told in answer(found)
    one_twice = replace(unlabelled("hash"), labels={"hash": tuple(f"{k or 1}" for k in range(60))})
    assert answer(ta.compare(one_twice)) == "Yes."  # one text that is there twice hardly matters


def test_an_answer_that_would_need_a_correction_and_has_none_says_so() -> None:
    three = rights(best=20, second=10, third=0)
    said = "Yes, without a correction for 2 pairs."
    assert answer(ta.compare(three, correction="none", baseline="second")) == said
    assert answer(ta.compare(three, correction="none")) == "Yes."  # one claim needs none
    kept = ta.compare(three, correction="none", margin=0.9)
    assert "without a correction for 3 pairs" in answer(kept)
    assert "without a correction" not in answer(ta.compare(three, margin=0.9))
    assert answer(ta.compare(rights(best=20, second=10), correction="none")) == "Yes."


def test_a_p_that_shuffles_leave_open_is_no_plain_yes() -> None:
    """Six items of 24 have p = 2/64; at a level of .0315 some hundred shuffles cannot settle it."""
    counts = rights(best=6, third=0)
    drawn = ta.compare(counts, test="shuffle", shuffles=999, alpha=0.04)
    assert (drawn.pairs[0].different, drawn.pairs[0].settled) == (True, False)
    assert answer(drawn) == "Yes, if more shuffles confirm it."
    assert answer(ta.compare(counts, test="shuffle", shuffles=99_999, alpha=0.04)) == "Yes."
    assert answer(ta.compare(counts, test="exact", alpha=0.04)) == "Yes."


def two_metrics(**scores: list[list[float]]) -> Counts:
    """Make systems with two scores per item, `bleu` and `chrf`."""
    arrays = {name: np.array(each).T for name, each in scores.items()}
    return Counts.from_arrays(arrays, columns=["bleu", "chrf"], form="items")


GOOD, BAD = [1.0] * 20, [0.0] * 20
SLIGHT = [1.0] + [0.0] * 19


BELOW_TOP = {"a": [GOOD, BAD], "b": [SLIGHT, GOOD], "c": [BAD, SLIGHT]}


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        (
            {"s1": [BAD, GOOD], "s2": [GOOD, BAD]},
            "By bleu s2 is better than s1, but by chrf s1 is better than s2.",
        ),
        (BELOW_TOP, "By bleu a is better than b, but by chrf b is better than a."),
        ({"top": [[2.0] * 20, [2.0] * 20], **BELOW_TOP, "d": [[0.5] * 20, [1.5] * 20]}, ""),
    ],
)
def test_opposite_leads_come_first_if_the_answer_is_about_them(
    systems: dict[str, list[list[float]]], said: str
) -> None:
    result = ta.compare(two_metrics(**systems))
    assert disagreement(result.record) == said
    assert " ".join(str(result).split()).startswith(said or "Is top really better")


def staircase(*losses: int, items: int = 40) -> Counts:
    """Return systems of which the first is right everywhere, and each other wrong so often."""
    rows = {"top": [1] * items}
    for k, lost in enumerate(losses):
        wrong = [(k * 7 + step) % items for step in range(lost)]
        rows[f"s{k}"] = [int(item not in wrong) for item in range(items)]
    return Counts.from_arrays(rows)


def test_the_best_of_many_is_one_claim_that_needs_no_correction() -> None:
    """Seven items apart have p = 2/128, and ten pairs by Holm want less."""
    result = ta.compare(staircase(7, 7, 7, 7))
    best = result.answers["mean"]
    assert (best.answer, best.about, best.p, best.tried) == ("Yes", ("top",), 2 / 128, 4)
    assert not any(pair.different for pair in result.pairs)
    assert result.ranks["mean"]["top"] == (1, 5)
    assert len(result.groups["mean"]) == 1
    assert all(each in result.verdict for each in ("0.175", ".0156", "10 pairs", "s0, s1, s2, s3"))
    assert "p = .0156, the largest of 4, of one claim" in for_paper(result.record, "mean")
    for correction in ("none", "bonferroni", "bh"):
        assert answer(ta.compare(staircase(7, 7, 7, 7), correction=correction)) == "Yes."


def test_questions_that_one_of_several_pairs_answers_stay_corrected() -> None:
    """Against a baseline, and of claims, any one would do: that takes the correction."""
    counts = staircase(7, 7, 7, 7)
    assert answer(ta.compare(counts, baseline="top")) == "Cannot tell."
    assert answer(ta.compare(counts, tail="greater")) == "Cannot tell."
    with_margin = ta.compare(counts, margin=0.01)
    assert with_margin.answers["mean"].question == "equivalent"
    assert "better than every other" in with_margin.verdict


def test_the_best_has_to_be_surely_the_best_where_that_was_asked() -> None:
    counts = staircase(7, 7)
    drawn: dict[str, Any] = {"test": "shuffle", "shuffles": 199, "min_confidence": 0.999}
    assert answer(ta.compare(counts, **drawn)) == "Cannot tell."
    assert answer(ta.compare(counts, min_confidence=0.999)) == "Yes."
    few = ta.compare(counts, test="shuffle", shuffles=99)
    assert answer(few) == "Yes, if more shuffles confirm it."


# What is told of ties, of small differences, and of what more items would show

ALTERNATING = {"x": [1, 0] * 10, "birch": [0, 1] * 10}


@pytest.mark.parametrize("names", [("x", "birch"), ("birch", "x"), ("x", "birch", "low")])
def test_ties_are_told_of_the_system_in_question(names: tuple[str, ...]) -> None:
    scores = {**ALTERNATING, "low": [0] * 20}
    result = ta.compare(Counts.from_arrays({name: scores[name] for name in names}))
    assert first_line(result.record).startswith("Is birch ")
    assert ". birch " in result.verdict
    assert "same score as x" in result.verdict
    assert "  birch - x " in str(result)


def test_of_systems_that_are_level_the_answer_speaks_of_the_runner_up() -> None:
    """Also where the best comes closer to being told from a third."""
    best, second, third = [1] * 30 + [0] * 30, [0] * 32 + [1] * 28, [1] * 26 + [0] * 34
    result = ta.compare({"best": best, "second": second, "third": third})
    assert result.pair("best", "third").p < result.pair("best", "second").p
    assert "0.033 higher than second" in result.verdict


def test_what_could_be_shown_allows_for_the_correction() -> None:
    """Two pairs by Holm: the smallest p has to pass half of the level."""
    options: dict[str, Any] = {"cluster": "passage", "baseline": "alder"}
    result = ta.compare(quiz_counts(CANNOT_TELL), **options)
    bare = ta.compare(quiz_counts(CANNOT_TELL), **options, correction="none")
    alone, found = (headline(each.record, "mean").diagnostics.detectable for each in (bare, result))
    needed = [norm.ppf(1 - level / 2) + norm.ppf(0.8) for level in (0.05, 0.05 / 2)]
    assert found / alone == pytest.approx(needed[1] / needed[0], rel=0.05)
    assert f"for 2 pairs, a true difference of {two_digits(found)} would" in result.verdict
    assert two_digits(alone) in bare.verdict


SETTLING = "would settle it four times out of five, if the true difference is"


def outcomes(won: int, lost: int, tied: int) -> ta.Result:
    return ta.compare([1] * won + [0] * (lost + tied), [0] * won + [1] * lost + [0] * tied)


def test_what_cannot_be_told_says_how_many_more_items_would() -> None:
    result = outcomes(30, 20, 50)
    assert result.answers["mean"].answer == "Cannot tell"
    assert result.answers["mean"].more_items == 308
    assert result.verdict.endswith(f"About 310 more items {SETTLING} 0.100.")
    question, answer, verdict, advice = finding(result.record, "mean")
    assert (question, answer) == ("Is a really better?", "Cannot tell")
    assert SETTLING not in verdict
    assert advice == f"About 310 more items {SETTLING} 0.100."


@pytest.mark.parametrize(
    ("won", "lost", "margin", "true"),
    [
        (20, 22, 0.01, "b truly loses nothing"),  # which was seen to lose, but by chance, perhaps
        (20, 20, 0.009, "b truly loses nothing"),
        (22, 20, 0.008, "the true difference is 0.002"),  # a lead counts as it was seen
        (4, 16, 0.015, "the true difference is 0.0120"),  # of which a loss is shown
    ],
)
def test_under_a_margin_it_supposes_that_nothing_is_lost(
    won: int, lost: int, margin: float, true: str
) -> None:
    both = [1] * (1000 - won - lost)
    scores = {"a": [0] * won + [1] * lost + both, "b": [1] * won + [0] * lost + both}
    result = ta.compare(scores, margin=margin)
    told = result.answers["mean"]
    assert result.verdict.endswith(f"would settle it four times out of five, if {true}.")
    question = Question(margin=margin)
    plan = plan_margin(question, from_pilot(Counts.from_arrays(scores), "mean", question))
    assert plan.needed is not None
    assert (told.more_items == plan.needed - 1000) == ("nothing" in true)


def test_no_advice_where_nothing_differs_or_too_many_would_be_needed() -> None:
    assert SETTLING not in outcomes(25, 25, 50).verdict
    close = outcomes(501, 500, 0)
    assert close.answers["mean"].more_items is None or close.answers["mean"].more_items > 100_100
    assert SETTLING not in close.verdict


# What one-sided tests claim: of the first system, or of all others against a baseline


def claims(result: ta.Result) -> list[str]:
    return [claim_words(result.record, as_reported(result.record, p)) for p in result.pairs]


@pytest.mark.parametrize("names", [("old", "new"), ("new", "old")])
def test_with_a_baseline_greater_means_better_than_it_wherever_it_stands(
    names: tuple[str, str],
) -> None:
    """The new system is right on eight items more: p = 1/256 for it, 1 against it."""
    counts = Counts.from_arrays({name: [int(name == "new")] * 8 for name in names})
    result = ta.compare(counts, baseline="old", tail="greater")
    (pair,) = result.pairs
    assert ((pair.a, pair.b), pair.p) == (names, 2.0**-8)  # the order of the table stays
    assert claims(result) == ["new is better than old"]
    assert answer(result) == "Yes."
    less = ta.compare(counts, baseline="old", tail="less")
    assert (less.pairs[0].p, claims(less)) == (1.0, ["new is worse than old"])


def test_where_less_is_better_a_claim_is_turned_once() -> None:
    counts = Counts.from_arrays({"slow": [5] * 8, "fast": [1] * 8})
    result = ta.compare(counts, baseline="slow", tail="greater", lower_is_better=True)
    assert result.pairs[0].p == 2.0**-8
    assert claims(result) == ["fast is better than slow"]


@pytest.mark.parametrize("test", ["auto", "shuffle", "bootstrap", "sign", "wilcoxon", "mcnemar"])
def test_every_test_asks_about_the_other_system(test: str) -> None:
    counts = Counts.from_arrays({"old": [0] * 12, "new": [1] * 9 + [0] * 3})
    swapped = counts.systems["new", "old"]
    for tail, small in (("greater", True), ("less", False)):
        there, back = (
            ta.compare(each, baseline="old", tail=tail, test=test).pairs[0]
            for each in (counts, swapped)
        )
        assert (there.p < 0.05) == small
        assert there.p == pytest.approx(back.p, abs=0.02)
