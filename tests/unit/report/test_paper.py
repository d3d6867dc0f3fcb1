"""What goes into a paper: the sentence, with correction, claim and margin, and tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import tellapart as ta
from quiz import NEARLY, quiz_counts
from small_counts import in_runs
from tellapart.comparison.answers import headline
from tellapart.comparison.record import Comparison
from tellapart.report.formats import WRITERS, find_writer
from tellapart.report.method import for_paper
from tellapart.report.text import p_text
from unit.report.comparing import compared, quiz


def test_the_correction_is_named_with_both_p_values() -> None:
    result = ta.compare(quiz_counts(NEARLY), cluster="passage")
    pair = headline(result.record, "mean")
    said = for_paper(result.record, "mean")
    assert f"p = {p_text(pair.p)}, {p_text(pair.p_adjusted)} after Holm" in said
    assert "is not statistically significant" in said
    assert "72 items in 24 passages" in said
    bare = ta.compare(quiz_counts(NEARLY), correction="none", at_least=0.1).for_paper()
    assert ", not corrected for 3 pairs;" in bare
    assert " at least 0.1: " in bare
    assert "correct" not in ta.compare(quiz_counts().systems["alder", "birch"]).for_paper()


def test_the_margin_is_in_it() -> None:
    result = ta.compare(quiz_counts(NEARLY), margin=0.3, cluster="passage")
    for pair in result.pairs:
        said = for_paper(result.record, "mean", pair)
        assert "two one-sided tests" in said
        shown = "are" if pair.equivalent else "are not shown to be"
        assert f" {shown} equivalent (p = " in said
    two = quiz_counts().systems["alder", "birch"]
    for names, shown in ((("alder", "birch"), "is"), (("birch", "alder"), "is not shown to be")):
        said = ta.compare(two.systems[names], margin=0.1).for_paper()
        assert f"{names[1]} {shown} no worse than {names[0]} (p = " in said


def test_what_few_clusters_and_the_intervals_rest_on_is_in_it() -> None:
    counts = quiz_counts(NEARLY)
    few = replace(counts, labels={"genre": tuple(f"g{k % 3}" for k in range(len(counts.items)))})
    said = ta.compare(few, cluster="genre").for_paper()
    assert "; only 3 genres: " in said
    said = ta.compare(counts, cluster="passage").for_paper()
    assert "for all 3 pairs at once" in said
    assert "; only" not in said
    assert "by Wilson's method" in ta.compare(counts.systems[("alder",)]).for_paper()


def test_a_claim_is_worded_as_a_claim() -> None:
    result = ta.compare(quiz_counts(), baseline="alder", tail="greater")
    said = for_paper(result.record, "mean")
    assert "the claim that birch" in said
    assert "one-sided" in said
    assert "differ" not in said.partition("(")[0]


def test_what_was_used_is_cited_and_nothing_else() -> None:
    two = {"A": [1, 1, 1, 0, 1], "B": [0, 1, 0, 0, 1]}
    cited = ta.compare(two).for_paper()
    assert "@article{tango1998," in cited
    assert "@inproceedings{yeh2000," in cited
    assert "holm1979" not in cited  # one pair needs no correction
    assert "% for" not in cited
    three = ta.compare({**two, "C": [0, 0, 0, 1, 0]}, correction="bh", test="mcnemar").for_paper()
    assert "benjamini1995" in three
    assert "mcnemar1947" in three
    assert "noreen1989" not in three


def test_conditions_are_in_it_and_in_captions_and_verdicts() -> None:
    two = quiz_counts().systems["alder", "birch"]
    open_groups, grouped = ta.compare(two), ta.compare(two, cluster="passage")
    condition = "if items of the same passage are independent"
    assert f"at the 0.05 level, {condition} (" in for_paper(open_groups.record)
    assert f"Differences hold {condition}." in WRITERS["latex"].write(open_groups.record)
    assert f" Yes, {condition}. If so, " in open_groups.verdict
    for said in (for_paper(grouped.record), WRITERS["latex"].write(grouped.record)):
        assert "independent" not in said
    assert "independent" not in grouped.verdict
    margin = for_paper(ta.compare(two, margin=0.9).record)
    assert f", {condition}, " in margin


def test_runs_are_counted_and_their_t_test_is_no_randomization() -> None:
    rng = np.random.default_rng(8)
    counts = in_runs({"A": rng.random((3, 60)) < 0.9, "B": rng.random((3, 60)) < 0.3})
    vary, fixed = (ta.compare(counts, runs=how) for how in ("vary", "fixed"))
    assert "noreen1989" not in vary.for_paper()
    assert "these runs" not in vary.for_paper() + vary.verdict
    assert "noreen1989" in fixed.for_paper()
    for said in (fixed.for_paper(), fixed.verdict, WRITERS["latex"].write(fixed.record)):
        assert "for these runs only" in said
    for result, more in ((vary, ";"), (fixed, ", averaged;")):
        assert f"with 3 runs of each system{more} " in result.for_paper()


# Tables for papers and programs: marks of who differs, margins, and what is not known


# Of ten items, nine tell `good` from both others; these two are the same on all but one.
SCORES = {"poor": [0] * 10, "good": [1] * 9 + [0], "odd_one & 5 %": [0] * 9 + [1]}


def rows(record: Comparison) -> list[str]:
    lines = find_writer("latex").write(record).splitlines()
    return lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]


def test_the_best_is_bold_and_letters_tell_who_differs() -> None:
    assert rows(compared(SCORES)) == [
        r"good & \textbf{0.900}\textsuperscript{a} \\",
        r"odd\_one \& 5\,\% & 0.100\textsuperscript{b} \\",
        r"poor & 0.000\textsuperscript{b} \\",
    ]


def test_with_a_baseline_daggers_tell_better_and_worse_apart() -> None:
    better, worse = (compared(SCORES, baseline=name) for name in ("poor", "good"))
    assert [r"$^\dagger$" in row for row in rows(better)] == [True, False, False]
    assert [r"$^\ddagger$" in row for row in rows(worse)] == [False, True, True]
    said = find_writer("latex").write(better)
    assert r"$^\dagger$ shown to be better than poor" in said
    assert "ddagger" not in said  # no legend for marks that are not there


def test_a_margin_adds_what_keeps_it() -> None:
    record = quiz(margin=0.3)
    head, *lines = find_writer("tsv").write(record).splitlines()
    heads = head.split("\t")
    for line in lines:
        row = dict(zip(heads, line.split("\t"), strict=True))
        pair = record.pair(row["a"], row["b"])
        assert pair.p_a_adjusted is not None
        for name in ("a_no_worse", "b_no_worse"):
            assert row[name] == ("yes" if getattr(pair, name) else "no")
        assert float(row["p_a_no_worse"]) == pair.p_a_adjusted
        assert float(row["p_b_no_worse"]) == pair.p_b_adjusted
    assert "no_worse" not in find_writer("tsv").write(quiz(intervals=False))
