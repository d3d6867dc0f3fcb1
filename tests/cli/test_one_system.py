"""One system: how good it is, whether it reaches a bar, and the three outcomes of a build check."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import tellapart as ta
from log_files import header, json_log, sample
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.report.formats import WRITERS
from tellapart.report.gate import checks, status
from tellapart.report.terminal import render

SCORED = "alpha scores 0.720 (95 % confidence interval 0.654 to 0.778, 200 items)"


def right(share: float = 0.72, items: int = 200) -> list[int]:
    return [int(k < share * items) for k in range(items)]


def wide(**shares: float) -> str:
    columns = [right(share) for share in shares.values()]
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return f"item,{','.join(shares)}\n" + "".join(f"{k},{row}\n" for k, row in enumerate(rows))


def test_one_system_has_the_interval_that_it_has_beside_another() -> None:
    """Clusters, runs and F1: the intervals of single systems are those of any comparison."""
    rng = np.random.default_rng(4)
    labels = {"passage": [str(k // 4) for k in range(80)]}
    pairs = Counts.from_arrays({"a": right(0.6, 80), "b": right(0.7, 80)}, labels=labels)
    counts = Counts.from_arrays(
        {name: rng.integers(0, 5, (40, 3)) for name in "ab"}, columns=["tp", "fp", "fn"]
    )
    for both, cluster in ((pairs, "passage"), (pairs, None), (counts, None)):
        alone = ta.compare(both.systems[("b",)], cluster=cluster)
        beside = ta.compare(both, cluster=cluster)
        assert alone.systems[0] == beside.systems[1]
        assert alone.pairs == ()
        assert alone.answers[next(iter(alone.metrics))].question == "score"


def test_the_record_of_score_has_intervals(write: Write, capsys: Capture) -> None:
    assert main(["score", write("two.csv", wide(alpha=0.72, beta=0.5)), "--json", "-"]) == 0
    first = json.loads(capsys.readouterr().out)["systems"][0]
    assert first["intervals"]["mean"] == pytest.approx([0.654, 0.778], abs=5e-4)


def test_a_run_that_failed_is_no_reason_to_tell_of_one_system(
    tmp_path: Path, capsys: Capture
) -> None:
    """The error says which log was left out, and what to do about it."""
    failed = header("mockllm/birch", status="error", error={"message": "no money"})
    for name, head in (("alder", header("mockllm/alder")), ("birch", failed)):
        (tmp_path / f"{name}.json").write_text(json_log([sample("a", 1), sample("b", 0)], head))
    assert main(["compare", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert all(each in said for each in ("'alder'", "birch.json: ", "(status 'error': no money;"))


def test_every_writer_writes_one_system() -> None:
    result = ta.compare({"alpha": right()}, at_least=0.6)
    for writer in WRITERS.values():
        assert writer.write(result.record) is not None
    assert "alpha" in result.to_html()
    assert SCORED in result._repr_html_()
    assert SCORED[:40] in render(ta.compare({"alpha": right()}).record, colour=True)
    assert ta.Result.from_json(result.to_json()).record == result.record
    paper = SCORED.replace("%", "percent")  # a sign would begin a comment in LaTeX
    assert f"By mean, {paper}, which shows that it is at least 0.6;" in result.for_paper()
    assert "at least" not in ta.compare({"alpha": right()}).for_paper()


def test_items_that_look_grouped_are_a_condition(write: Write, capsys: Capture) -> None:
    rows = "".join(f"{k},d{k // 5},{right}\n" for k, right in enumerate(right()))
    write("alpha.csv", f"item,document,score\n{rows}")
    condition = "if items of the same document are independent"
    alone, grouped = ["alpha.csv"], ["alpha.csv", "--cluster", "document"]
    bar = ["--at-least", "0.5"]
    for words, open_groups in ((alone, True), (grouped, False)):
        for output in ([], ["--format", "paper"], ["--format", "pr"]):
            assert main(["compare", *words, *bar, *output]) == 0
            said = " ".join(capsys.readouterr().out.split())
            assert (condition in said) == open_groups
        assert main(["score", *words]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert ("! Items come in 40 groups by document" in said) == open_groups


@pytest.mark.parametrize(
    ("bar", "answer", "code", "strict"),
    [(0.6, "Yes", 0, 0), (0.8, "No", 1, 1), (0.7, "Cannot tell", 0, 3)],
)
def test_a_bar_is_reached_or_not_or_that_cannot_be_told(
    write: Write, capsys: Capture, bar: float, answer: str, code: int, strict: int
) -> None:
    write("alpha.csv", wide(score=0.72))
    command = ["compare", "alpha.csv", "--at-least", str(bar)]
    assert main(command) == code
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(f"Is alpha at least {bar}? {answer}. {SCORED}, which ")
    assert main([*command, "--cannot-tell", "fail", "--junit", "j.xml", "--quiet"]) == strict
    failed = ElementTree.parse("j.xml").getroot().find(".//failure")
    assert (failed is not None) == (strict != 0)
    assert failed is None or failed.get("type") == ("worse" if strict == 1 else "cannot tell")
    result = ta.compare({"alpha": right()}, at_least=bar)
    assert result.answers["mean"].at_least == {"alpha": answer}


def test_a_bar_agrees_with_the_interval_and_turns_where_lower_is_better() -> None:
    low, high = ta.compare({"a": right()}).systems[0].intervals["mean"]
    assert low is not None
    assert high is not None
    for bar, answer in ((low, "Yes"), (low + 1e-9, "Cannot tell"), (high + 1e-9, "No")):
        assert ta.compare({"a": right()}, at_least=bar).answers["mean"].answer == answer
    errors = ta.compare({"a": right()}, at_least=0.8, lower_is_better=True)
    assert errors.answers["mean"].answer == "Yes"
    assert errors.verdict.endswith("which shows that it is at most 0.8.")


def test_each_of_several_systems_is_held_to_the_bar() -> None:
    scores = {"a": right(0.9), "b": right(0.7), "c": right(0.5)}
    result = ta.compare(scores, at_least=0.7)
    assert result.answers["mean"].question == "best"
    assert result.answers["mean"].at_least == {"a": "Yes", "b": "Cannot tell", "c": "No"}
    assert "0.7: a; cannot tell: b; " in result.verdict
    assert "0.7" not in ta.compare(scores).verdict
    assert status(result.record) == 1
    baseline = ta.compare(scores, at_least=0.7, baseline="c")  # which is not in question
    assert [check.outcome for check in checks(baseline.record)][2:] == ["passed", "cannot tell"]
    assert status(baseline.record) == 0


def test_a_check_of_two_systems_has_three_outcomes() -> None:
    old = right(0.72)
    worse, same, better = right(0.5), [*old[1:], old[0]], right(0.9)
    found = [
        [status(ta.compare({"old": old, "new": new}, **options).record)
         for new in (better, same, worse)]
        for options in ({}, {"cannot_tell": "fail"}, {"margin": 0.001},
                        {"margin": 0.001, "cannot_tell": "pass"}, {"margin": 0.1})
    ]  # fmt: skip
    assert found == [[0, 0, 1], [0, 3, 1], [0, 3, 1], [0, 0, 1], [0, 0, 1]]


def test_a_check_that_missing_items_may_change_cannot_tell(write: Write) -> None:
    rows = "".join(f"q{k},{int(k >= 8)},{'' if k >= 8 else 1}\n" for k in range(20))
    table = write("gaps.csv", f"item,old,new\n{rows}")
    command = ["compare", table, "--missing", "bounds", "--fail-if-worse"]
    assert main([*command, "--cannot-tell", "fail"]) == 3
    assert main(command) == 0
