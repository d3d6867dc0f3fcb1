"""What comparisons say and refuse: verdicts, corrections, margins, odd metrics and options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from small_counts import some_counts
from table_files import Write
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.report.method import for_paper
from tellapart.report.sentences import disagreement as disagreement_of
from unit.report.comparing import first_line


def test_mcnemar_leaves_out_items_with_nothing_in_them() -> None:
    """Five items that only A has right, and ten without any gold: p = 2/32."""
    a, b = [[1, 0]] * 5 + [[0, 0]] * 10, [[0, 1]] * 5 + [[0, 0]] * 10
    counts = Counts.from_arrays({"A": a, "B": b}, columns=["tp", "fn"])
    assert ta.compare(counts, metrics=["recall"], test="mcnemar").pairs[0].p == 0.0625


def test_a_function_that_is_not_vectorised_is_refused() -> None:
    careless = ta.Function("share", ("tp", "fp"), lambda sums: sums[0] / (sums[0] + sums[1]))
    for test in ("shuffle", "bootstrap"):
        with pytest.raises(ta.UsageError, match="function of metric 'share' is not vectorised"):
            ta.compare(some_counts(), metrics=[careless], test=test)


def test_one_sided_tests_speak_of_their_claim_and_make_no_groups() -> None:
    counts = Counts.from_arrays({"worst": [0] * 9, "best": [1] * 9})
    result = ta.compare(counts, tail="greater")
    assert "the claim that worst is better than best is not shown (p = 1)" in result.verdict
    assert (result.groups, result.letters) == ({}, {})


def test_confidence_is_asked_of_the_level_that_the_correction_implies() -> None:
    """A raw p of .005 among ten pairs is sure at .05 but not at .005."""
    rng = np.random.default_rng(47)
    systems = {f"S{k}": rng.normal(0.02 * k, 0.05, 40).round(3) for k in range(5)}
    result = ta.compare(
        Counts.from_arrays(systems), test="shuffle", min_confidence=0.99, shuffles=999
    )
    for pair in result.pairs:
        if pair.different:
            assert pair.settled or (pair.p_adjusted or 1) < 0.03


def question(result: ta.Result, metric: str) -> str:
    return first_line(result.record, metric)


def answer(result: ta.Result) -> str:
    return first_line(result.record).partition("?  ")[2]


def disagreement(result: ta.Result) -> str:
    return disagreement_of(result.record)


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


def test_a_lead_counts_only_where_the_test_speaks_for_it() -> None:
    result = ta.compare(ahead_more_often(), test="sign")
    assert result.pair("A", "B").difference > 0
    assert question(result, "mean") == "Is A really better?  No."
    assert "the sign test speaks for B, which is ahead more often" in result.verdict
    paper = for_paper(result.record, "mean")
    assert "A and B differ significantly at the 0.05 level, and the sign test speaks for B" in paper


@pytest.mark.parametrize(("baseline", "said"), [("B", "No."), ("A", "Yes.")])
def test_a_lead_on_a_baseline_counts_only_where_the_test_speaks_for_it(
    baseline: str, said: str
) -> None:
    both = ta.compare(ahead_more_often(), test="sign", baseline=baseline)
    assert answer(both) == said
    three = ta.compare(ahead_more_often(C=[0.0] * 40), test="sign", baseline=baseline)
    assert answer(three) == said
    assert "Worse: A, C" in three.verdict if baseline == "B" else "Better: B;" in three.verdict


def test_a_build_check_follows_the_test_that_was_asked_for(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{k},{0.51 if k < 32 else 0},{0.5 if k < 32 else 1}\n" for k in range(40))
    write("both.csv", "item,old,new\n" + rows)
    assert main(["compare", "both.csv", "--test", "sign", "--fail-if-worse"]) == 1
    said = capsys.readouterr()
    assert "the sign test speaks against new (p = " in said.err
    assert "worse" not in said.err


def test_a_build_check_is_about_the_last_of_two_systems(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{k},{int(k > 3)},0\n" for k in range(20))
    write("both.csv", "item,old,new\n" + rows)
    for margin in ([], ["--margin", "0.02"]):
        assert main(["compare", "both.csv", "--fail-if-worse", *margin]) == 1
        assert "tellapart: new is " in capsys.readouterr().err
    write("other.csv", "item,new,old\n" + "".join(f"{k},0,{int(k > 3)}\n" for k in range(20)))
    assert main(["compare", "other.csv", "--fail-if-worse", "--margin", "0.02"]) == 0
    assert capsys.readouterr().out.startswith("Is old as good as new?  Yes, within 0.02.")
    assert main(["compare", "other.csv", "--fail-if-worse", "--baseline", "new"]) == 0


def test_power_is_not_told_where_there_is_no_test() -> None:
    """A system that answers nothing has no precision."""
    counts = Counts.from_arrays(
        {"A": [[2, 1 + k % 3, 1] for k in range(20)], "silent": [[0, 0, 3]] * 20},
        ["tp", "fp", "fn"],
    )
    result = ta.compare(counts, metrics="precision")
    (pair,) = result.pairs
    assert pair.p is None
    assert (pair.diagnostics.detectable, pair.diagnostics.detectable_missing) == (None, "no-test")
    assert "true difference" not in result.verdict


def unlabelled(label: str | None, gap: int = 12) -> Counts:
    """Make two systems on questions of which three each belong to a passage, or seem to."""
    items = [f"p{k // 3:02}-q{k % 3}" if label is None else f"q{k}" for k in range(60)]
    labels = {} if label is None else {label: [f"v{k // 3}" for k in range(60)]}
    scores = {"new": [1] * (20 + gap) + [0] * (40 - gap), "old": [1] * 20 + [0] * 40}
    return Counts.from_arrays(scores, items=items, labels=labels, kind="question")


def test_what_an_answer_supposes_of_groups_stands_with_it() -> None:
    by_label = ta.compare(unlabelled("passage"))
    assert answer(by_label) == "Yes, if questions of the same passage are independent."
    by_ids = ta.compare(unlabelled(None))
    assert answer(by_ids) == "Yes, if questions with ids like p00-q0 and p00-q1 are independent."
    repeats = ta.compare(unlabelled("hash"))
    assert answer(repeats) == "Yes, if questions with the same hash are independent."
    one_twice = replace(unlabelled("hash"), labels={"hash": tuple(f"{k or 1}" for k in range(60))})
    assert answer(ta.compare(one_twice)) == "Yes."  # one text that is there twice hardly matters
    found = by_label.answers["mean"]
    assert (found.answer, found.conditions) == ("Yes", ("independent-items",))


def test_the_sentence_below_a_condition_is_conditional_too() -> None:
    result = ta.compare(unlabelled("passage"))
    lines = str(result).splitlines()
    assert lines[1].startswith("If so, new is better than old: it scores 0.200 higher")
    alone = "If questions of the same passage are independent, new is better than old: it"
    assert result.verdict.startswith(alone)
    two = replace(two_metrics(new=[GOOD, GOOD], old=[BAD, BAD]), labels={"url": ("a", "b") * 10})
    assert not any("f so" in line for line in str(ta.compare(two)).splitlines())
    grouped = replace(two, labels={"url": tuple(f"u{k // 2}" for k in range(20))})
    assert "\nIf so, by bleu, new is better than old: " in str(ta.compare(grouped))
    unclear = ta.compare(unlabelled("passage", gap=1))
    assert unclear.verdict.startswith("new scores")
    assert "\nIf so" not in str(unclear)


def test_an_answer_that_would_need_a_correction_and_has_none_says_so() -> None:
    three = rights(best=20, second=10, third=0)
    said = "Yes, without a correction for 2 pairs."
    assert answer(ta.compare(three, correction="none", baseline="second")) == said
    assert answer(ta.compare(three, correction="none")) == "Yes."  # one claim needs none
    assert answer(ta.compare(rights(best=20, second=10), correction="none")) == "Yes."


def test_a_p_that_shuffles_leave_open_is_no_plain_yes() -> None:
    """Six items of 24 have p = 2/64; at a level of .0315 some hundred shuffles cannot settle it."""
    counts = rights(best=6, third=0)
    drawn = ta.compare(counts, test="shuffle", shuffles=999, alpha=0.04)
    assert (drawn.pairs[0].different, drawn.pairs[0].settled) == (True, False)
    assert answer(drawn) == "Yes, if more shuffles confirm it."
    assert answer(ta.compare(counts, test="shuffle", shuffles=99_999, alpha=0.04)) == "Yes."
    assert answer(ta.compare(counts, test="exact", alpha=0.04)) == "Yes."


def test_an_answer_about_these_runs_says_so() -> None:
    rng = np.random.default_rng(8)
    runs = {
        name: [
            Counts.from_arrays({name: (rng.random(80) < share).astype(int)}, kind="item")
            for share in shares
        ]
        for name, shares in {"A": (0.9, 0.9, 0.9), "B": (0.3, 0.3, 0.3)}.items()
    }
    counts = ta.average_runs(runs)
    assert answer(ta.compare(counts)) == "Yes."
    assert answer(ta.compare(counts, runs="fixed")) == "Yes, for these runs only."
    single = ta.average_runs({**runs, "B": runs["B"][:1]})
    assert answer(ta.compare(single)) == "Yes, for these runs only."


def two_metrics(**scores: list[list[float]]) -> Counts:
    """Make systems with two scores per item, `bleu` and `chrf`."""
    arrays = {name: np.array(each).T for name, each in scores.items()}
    return Counts.from_arrays(arrays, columns=["bleu", "chrf"], form="items")


GOOD, BAD = [1.0] * 20, [0.0] * 20
SLIGHT = [1.0] + [0.0] * 19


def test_metrics_that_show_opposite_leads_are_named_first() -> None:
    result = ta.compare(two_metrics(sys1=[BAD, GOOD], sys2=[GOOD, BAD]))
    said = "By bleu sys2 is better, by chrf sys1: they disagree."
    assert disagreement(result) == said
    assert str(result).startswith(f"{said}\n\nIs sys2 really better by bleu?  Yes.")


def test_of_many_systems_the_best_are_named_and_other_pairs_counted() -> None:
    systems = {"a": [GOOD, BAD], "b": [SLIGHT, GOOD], "c": [BAD, SLIGHT]}
    result = ta.compare(two_metrics(**systems))
    assert disagreement(result) == "By bleu a is better than b, by chrf b than a: they disagree."
    # Leads may be opposite below one that is best by both.
    top = {"top": [[2.0] * 20, [2.0] * 20], **systems, "d": [[0.5] * 20, [1.5] * 20]}
    assert disagreement(ta.compare(two_metrics(**top))) == (
        "By bleu a is better than b, by chrf b than a: they disagree, and on 1 other pair too."
    )


@pytest.mark.parametrize("form", ["tsv", "md", "latex"])
def test_a_table_leaves_its_warnings_to_standard_error(
    write: Write, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    write("t.csv", "item,old,new\n" + "".join(f"{k},{int(k > 3)},0\n" for k in range(9)))
    assert main(["compare", "t.csv", "--format", form]) == 0
    said = capsys.readouterr()
    assert "tellapart: warning: Only 9 items:" in said.err
    assert "Only 9 items" not in said.out


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
    for said in (
        "top is better than every other system. It scores 0.175 higher than the next, s0 (p = ",
        ".0156, the largest of 4). This is one claim that needs all its comparisons, so that none ",
        "is corrected; letters and ranks, corrected for 10 pairs, do not tell s0, s1, s2, s3 from ",
    ):
        assert said in result.verdict
    paper = for_paper(result.record, "mean")
    assert "top outperforms all 4 other systems, statistically significant" in paper
    assert "p = .0156, the largest of 4, of one claim that needs them all" in paper
    for correction in ("none", "bonferroni", "bh"):
        assert answer(ta.compare(staircase(7, 7, 7, 7), correction=correction)) == "Yes."


def test_no_line_on_one_claim_where_pairs_and_answer_agree() -> None:
    clear = ta.compare(staircase(20, 25))
    assert (answer(clear), "one claim" in clear.verdict) == ("Yes.", False)
    assert "outperforms s0" in for_paper(clear.record, "mean")
    open_ = ta.compare(staircase(5, 7, 7))
    assert (answer(open_), "one claim" in open_.verdict) == ("Cannot tell.", False)
    assert open_.answers["mean"].p == 2 / 32


def test_questions_that_one_of_several_pairs_answers_stay_corrected() -> None:
    """Against a baseline, and of claims, any one would do: that takes the correction."""
    counts = staircase(7, 7, 7, 7)
    assert answer(ta.compare(counts, baseline="top")) == "Cannot tell."
    assert answer(ta.compare(counts, tail="greater")) == "Cannot tell."
    with_margin = ta.compare(counts, margin=0.01)
    assert with_margin.answers["mean"].question == "equivalent"
    assert "top is better than every other system" in with_margin.verdict


def test_the_best_has_to_be_surely_the_best_where_that_was_asked() -> None:
    counts = staircase(7, 7)
    drawn: dict[str, Any] = {"test": "shuffle", "shuffles": 199, "min_confidence": 0.999}
    assert answer(ta.compare(counts, **drawn)) == "Cannot tell."
    assert answer(ta.compare(counts, min_confidence=0.999)) == "Yes."
    few = ta.compare(counts, test="shuffle", shuffles=99)
    assert answer(few) == "Yes, if more shuffles confirm it."


def test_further_metrics_have_the_p_of_their_answer() -> None:
    """Of several metrics the first is told in full, the others in a row each."""
    top, *others = (staircase(7, 7, 7, 7).values[:, :, 0]).tolist()
    both = {
        name: np.stack([row, row], 1) for name, row in zip("abcde", [top, *others], strict=True)
    }
    counts = Counts.from_arrays(both, columns=["one", "two"], form="items")
    result = ta.compare(counts)
    (line,) = (line for line in str(result).splitlines() if " two " in line and "Yes" in line)
    assert ".0156" in line
