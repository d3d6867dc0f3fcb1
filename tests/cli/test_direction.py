"""Whether more or less of a value is better."""

from __future__ import annotations

import pytest

import tellapart as ta
from preference_files import as_csv, judged
from table_files import Capture, Write
from tellapart.cli import main
from tellapart.metrics import counts_errors
from tellapart.metrics.registry import direction

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
def test_more_wins_are_better(write: Write, capsys: Capture, scale: str) -> None:
    rows = judged({"alder": 1.0, "birch": 0.0, "cedar": -1.0}, 30, seed=3)
    table = write("wins.csv", as_csv(rows))
    result = ta.compare(ta.read(table), metrics=scale)

    assert result.metrics[scale].direction == "own"
    assert result.metrics[scale].higher_is_better
    assert "direction" not in [notice.code for notice in result.notices]
    for turned in ([], [scale], ["win_rate"]):
        assert main(["compare", table, "--metric", scale, "--lower-is-better", *turned]) == 2
        assert "is about ready scores" in capsys.readouterr().err
