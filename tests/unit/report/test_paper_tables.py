"""Tables for papers and programs: marks of who differs, margins, and what is not known."""

from __future__ import annotations

from tellapart.comparison.record import Comparison
from tellapart.report.formats import find_writer
from tellapart.report.text import p_text
from unit.report.comparing import compared, quiz

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
    assert r"$^\dagger$ shown to be better than poor (adjusted $p$ at most 0.05, Holm over" in said
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
        assert row["p_a_no_worse"] == p_text(pair.p_a_adjusted, 0.05)
        assert row["p_b_no_worse"] == p_text(pair.p_b_adjusted, 0.05)
    assert "no_worse" not in find_writer("tsv").write(quiz(intervals=False))
