"""What one-sided tests claim: of the first system, or of all others against a baseline."""

from __future__ import annotations

import json

import pytest

import tellapart as ta
from quiz_files import quiz_counts, quiz_table
from table_files import Write
from tellapart.cli import main
from tellapart.comparison.answers import as_reported
from tellapart.counts import Counts
from tellapart.report.formats import find_writer
from tellapart.report.sentences import claim_words
from unit.report.comparing import first_line


def claims(result: ta.Result) -> list[str]:
    return [claim_words(result.record, as_reported(result.record, p)) for p in result.pairs]


GAINS = {"old": [0] * 8, "new": [1] * 8, "odd": [1, 0] * 4}


def test_with_a_baseline_greater_means_better_than_it_wherever_it_stands() -> None:
    """The new system is right on eight items more: p = 1/256 for it, 1 against it."""
    for names in (("old", "new"), ("new", "old")):
        counts = Counts.from_arrays({name: GAINS[name] for name in names})
        result = ta.compare(counts, baseline="old", tail="greater")
        pair = result.pairs[0]
        assert (pair.a, pair.b) == names  # the order of the table stays
        assert pair.p == 2.0**-8
        assert claims(result) == ["new is better than old"]
        assert first_line(result.record) == "Is new better than old?  Yes."
        assert "the claim that new is better than old is shown" in result.verdict
        less = ta.compare(counts, baseline="old", tail="less")
        assert (less.pairs[0].p, claims(less)) == (1.0, ["new is worse than old"])


def test_where_less_is_better_a_claim_is_turned_once() -> None:
    counts = Counts.from_arrays({"slow": [5] * 8, "fast": [1] * 8})
    result = ta.compare(counts, baseline="slow", tail="greater", lower_is_better=True)
    assert result.pairs[0].p == 2.0**-8
    assert "the claim that fast is better than slow is shown" in result.verdict


@pytest.mark.parametrize("test", ["auto", "shuffle", "bootstrap", "sign", "wilcoxon", "mcnemar"])
def test_every_test_asks_about_the_other_system(test: str) -> None:
    counts = Counts.from_arrays({"old": [0] * 12, "new": [1] * 9 + [0] * 3})
    swapped = counts.systems["new", "old"]
    for tail, small in (("greater", True), ("less", False)):
        there, back = (
            ta.compare(each, baseline="old", tail=tail, test=test).pairs[0]
            for each in (counts, swapped)
        )
        assert there.p is not None
        assert (there.p < 0.05) == small
        assert there.p == pytest.approx(back.p, abs=0.02)


def test_tables_show_pairs_in_the_order_of_their_claims() -> None:
    result = ta.compare(quiz_counts(), baseline="alder", tail="greater")
    text = str(result)
    assert "  birch - alder " in text
    assert "  cedar - alder " in text
    assert "alder - " not in text
    assert " or more " in text
    assert "inf" not in text
    markdown = find_writer("md").write(result.record)
    assert "birch - alder" in markdown
    for told in (text, markdown):
        assert "Tested: whether the first is better than the second." in told
    lines = [line.split("\t") for line in find_writer("tsv").write(result.record).splitlines()]
    first = dict(zip(lines[0], lines[1], strict=True))
    assert (first["a"], first["b"], first["difference"][0]) == ("alder", "birch", "-")


def test_a_claim_survives_the_record(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    table = write("quiz.csv", quiz_table())
    words = [table, "--baseline", "alder", "--tail", "greater", "--no-intervals"]
    assert main(["compare", *words, "--json", "-"]) == 0
    printed = capsys.readouterr().out
    record = json.loads(printed)
    first = record["pairs"][0]
    assert record["tail"] == "greater"
    assert (first["a"], first["b"]) == ("alder", "birch")
    assert ta.Result.from_json(printed).verdict.startswith(
        "If items of the same passage are independent, 1 of 2 claims is shown: birch"
    )
