"""Whether more or less of a value is better."""

from __future__ import annotations

import pytest

import tellapart as ta
from preference_files import as_csv, judged
from table_files import Write
from tellapart.cli import main
from tellapart.metrics import counts_errors
from tellapart.metrics.directions import direction


def test_values_that_count_errors(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Less is better of values that are named so, or said to be so."""
    rows = "".join(f"u{k},{k % 3 + 2},{k % 3}\n" for k in range(12))
    table = write("t.csv", f"item,old,new\n{rows}")
    long = "".join(
        f"{name},u{k},wer,{k % 3 + extra}\n"
        for name, extra in (("old", 2), ("new", 0))
        for k in range(12)
    )
    named = write("n.csv", f"system,item,metric,score\n{long}")

    for words in ([table, "--lower-is-better"], [named]):
        assert main(["compare", *words]) == 0
        assert "Is new really better?  Yes." in capsys.readouterr().out
    assert main(["compare", table]) == 0
    assert "Is old really better?  Yes." in capsys.readouterr().out


SEVERAL = "system,item,metric,score\n" + "".join(
    f"{name},u{k},{metric},{k % 3 + extra}\n"
    for name, extra in (("old", 2), ("new", 0))
    for k in range(12)
    for metric in ("seconds", "points")
)


def test_one_of_several_values_can_be_named(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write("several.csv", SEVERAL)

    for words in (["--lower-is-better", "seconds"], ["--lower-is-better=seconds"]):
        assert main(["compare", table, *words]) == 0
        text = capsys.readouterr().out
        assert "Is old really better by points?  Yes." in text  # a cost never leads
        assert main(["compare", table, *words, "--full"]) == 0
        full = capsys.readouterr().out
        assert "Is new really better by seconds?  Yes." in full
        assert "seconds, 12 items; lower is better" in full
        assert "tellapart diff several.csv --lower-is-better seconds" in text
    assert main(["compare", table, "--lower-is-better", "seconds", "--lower-is-better", "points",
                 "--format", "tsv"]) == 0  # fmt: skip
    assert capsys.readouterr().out.count("\t12\t.0005") == 2


def test_the_direction_counts_for_diff_and_for_metrics_side_by_side(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write("several.csv", SEVERAL)

    assert main(["diff", table, "--metric", "seconds", "--lower-is-better", "seconds"]) == 0
    assert "old against new by seconds: 0 better, 0 tied, 12 worse" in capsys.readouterr().out
    assert main(["diff", table, "--metric", "points", "--lower-is-better", "seconds"]) == 0
    assert "old against new by points: 12 better" in capsys.readouterr().out


LOWER = (
    "latency Toxicity task/cost total_cost cost_usd latencyMs total_tokens total_time time "
    "n_errors wer_score wer_clean task/wer/filter perplexity word_perplexity,none errorRate "
    "error_rate edit_distance log_loss cross_entropy bits_per_byte seconds_per_token cost_per_item "
    "outputTokens completion_tokens duration_ms RMSE hallucination_rate costUSD"
)
HIGHER = (
    "accuracy acc_norm f1 F1Score exact_match scores.exact is_correct passed pass@1 pass^4 rougeL "
    "ndcg@10 nDCG@10 AP win_rate cost_savings time_saved tokens_saved token_accuracy token_f1 "
    "error_free error_reduction tokens_per_second throughput score mean llm_judge_score/accuracy"
)
UNKNOWN = "length rank lossless steps cost_awareness no_errors non_toxic judge timestamp uptime"


def test_names_that_tell_which_way_is_better() -> None:
    assert [name for name in LOWER.split() if direction(name) != "lower"] == []
    assert counts_errors("Word Error Rate")
    assert [name for name in HIGHER.split() if direction(name) != "higher"] == []
    assert [name for name in UNKNOWN.split() if direction(name)] == []


@pytest.mark.parametrize("scale", ["bradley_terry", "elo"])
def test_more_wins_are_better(write: Write, capsys: pytest.CaptureFixture[str], scale: str) -> None:
    rows = judged({"alder": 1.0, "birch": 0.0, "cedar": -1.0}, 30, seed=3)
    table = write("wins.csv", as_csv(rows))
    result = ta.compare(ta.read(table), metrics=scale)

    assert result.metrics[scale].direction == "own"
    assert result.metrics[scale].higher_is_better
    assert "direction" not in [notice.code for notice in result.notices]
    for turned in ([], [scale], ["win_rate"]):
        assert main(["compare", table, "--metric", scale, "--lower-is-better", *turned]) == 2
        assert "who wins more is better" in capsys.readouterr().err
