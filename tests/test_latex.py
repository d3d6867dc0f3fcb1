"""Tables for papers: systems × metrics, marked, and what TeX makes of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import tellapart as ta
from tellapart.report.latex import latex, latex_pairs

# Of ten items, nine tell `good` from both others; these two are the same on all but one.
SCORES = {"poor": [0] * 10, "good": [1] * 9 + [0], "odd_one & 5 %": [0] * 9 + [1]}


def rows(text: str) -> list[str]:
    lines = text.splitlines()
    return lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]


def test_the_best_is_bold_and_letters_tell_who_differs() -> None:
    assert rows(latex(ta.compare(SCORES))) == [
        r"good & \textbf{0.900}\textsuperscript{a} \\",
        r"odd\_one \& 5 \% & 0.100\textsuperscript{b} \\",
        r"poor & 0.000\textsuperscript{b} \\",
    ]


def test_with_a_baseline_daggers_tell_who_differs_from_it() -> None:
    found = latex(ta.compare(SCORES, baseline="poor"))
    assert [(r"\dagger" in row) for row in rows(found)] == [True, False, False]
    assert r"$^\dagger$: shown to differ from poor (adjusted $p$ at most 0.05, Holm over" in found


def test_of_two_systems_the_better_has_the_dagger() -> None:
    two = {name: SCORES[name] for name in ("poor", "good")}
    good, poor = rows(latex(ta.compare(two)))
    assert good == r"good & \textbf{0.900}$^\dagger$ \\"
    assert poor == r"poor & 0.000 \\"


def test_metrics_stand_side_by_side_and_each_has_its_best() -> None:
    given = [
        {"system": name, "item": k, "accuracy": right, "latency": seconds + k}
        for k in range(12)
        for name, right, seconds in (("slow", 1, 9.5), ("quick", 0, 1.5))
    ]
    found = latex(ta.compare(given))
    assert r"system & accuracy & latency \\" in found
    assert [row.count(r"\textbf") for row in rows(found)] == [1, 1]
    assert "Lower is better: latency." in found


def test_tex_sets_all_tables(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    tasks = [{"system": name, "item": f"{task}{k}", "task": task, "score": (k + more) % 2}
             for name, more in (("A", 0), ("B_1", 1), ("C", 0))
             for task in ("law & order", "maths") for k in range(8)]  # fmt: skip
    results = [
        ta.compare(SCORES),
        ta.compare(SCORES, baseline="poor"),
        ta.compare({name: SCORES[name] for name in ("poor", "good")}, margin=0.2),
        ta.compare(tasks),
    ]
    tables = [write(each) for each in results for write in (latex, latex_pairs)]
    begin = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    page = "\n\n".join([begin, *tables, r"\end{document}"])
    (tmp_path / "t.tex").write_text(page, encoding="utf-8")
    done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"],
                          cwd=tmp_path, capture_output=True, check=False)  # fmt: skip
    if b"booktabs.sty' not found" in done.stdout:
        pytest.skip("the package booktabs is not installed")
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
