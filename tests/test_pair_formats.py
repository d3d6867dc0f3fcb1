"""The table of pairs as TSV, Markdown and LaTeX: margins, small p-values, odd names."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tellapart as ta
from quiz_files import quiz_counts
from tellapart.counts import Counts
from tellapart.report.latex import latex_pairs
from tellapart.report.numbers import p_text
from tellapart.report.registry import find_writer


@pytest.mark.parametrize("form", ["tsv", "md"])
def test_a_margin_adds_what_keeps_it(form: str) -> None:
    result = ta.compare(quiz_counts(), margin=0.3, cluster="passage")
    lines = [
        line.strip("| ").replace(" | ", "\t")
        for line in find_writer(form).write(result).splitlines()
    ]
    heads = lines[0].split("\t")
    for line in lines[1 if form == "tsv" else 2 :]:
        row = dict(zip(heads, line.split("\t"), strict=True))
        pair = result.pair(row["a"], row["b"])
        for name in ("equivalent", "a_no_worse", "b_no_worse"):
            assert row[name] == ("yes" if getattr(pair, name) else "no")
        assert row["p_a_no_worse"] == p_text(pair.p_a_no_worse_adjusted, 0.05)
        assert row["p_b_no_worse"] == p_text(pair.p_b_no_worse_adjusted, 0.05)
    plain = find_writer(form).write(ta.compare(quiz_counts(), intervals=False))
    assert "no_worse" not in plain


def test_latex_says_which_system_keeps_the_margin() -> None:
    result = ta.compare(quiz_counts(), margin=0.3, cluster="passage")
    latex = latex_pairs(result)
    assert r"& no worse within 0.3 \\" in latex
    for pair in result.pairs:
        shown = pair if f"{pair.a} $-$ {pair.b}" in latex else pair.mirrored()
        row = next(each for each in latex.splitlines() if f"{shown.a} $-$ {shown.b}" in each)
        words = {(True, True): "both", (True, False): "the first", (False, True): "the second"}
        told = words.get((bool(shown.a_no_worse), bool(shown.b_no_worse)), "neither")
        assert row.endswith(rf"& {told} \\")


def test_latex_typesets_small_p_values() -> None:
    counts = Counts.from_arrays({"A": [1] * 60, "B": [0] * 60})
    row = next(each for each in latex_pairs(ta.compare(counts)).splitlines() if "A" in each)
    assert r"$1.7\times10^{-18}$$^*$" in row
    assert "e-" not in row


def test_latex_escapes_names() -> None:
    counts = Counts.from_arrays({"a|b<c>": [1, 1, 1, 0], "x_y^z~\\": [0, 1, 0, 0]})
    latex = latex_pairs(ta.compare(counts))
    assert r"a\textbar{}b\textless{}c\textgreater{} $-$ x\_y\textasciicircum{}z" in latex
    assert r"\textasciitilde{}\textbackslash{}" in latex


def test_latex_has_dashes_where_nothing_is_known() -> None:
    result = ta.compare(quiz_counts().systems["alder", "birch"])
    pair = result.pairs[0]
    lost = replace(pair, interval=None, p=None, p_adjusted=None, different=False)
    none = replace(result, pairs=(lost,))
    assert "& -- & -- " in latex_pairs(none)
    unknown = replace(result, pairs=(replace(pair, interval=(None, None)),))
    assert "[-, -]" not in latex_pairs(unknown)
    half = latex_pairs(replace(result, pairs=(replace(pair, interval=(None, 0.25)),)))
    assert r"$(-\infty, +0.250]$" in half or r"$[-0.250, \infty)$" in half
