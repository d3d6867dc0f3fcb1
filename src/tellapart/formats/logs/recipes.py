"""Harnesses whose files a recipe reads: where each of them keeps items, scores and texts.

What single records do not tell (turns that make a question, statuses by task) is brought into the
shape of records by a function of `recipe_shapes`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tellapart.formats.logs import recipe_shapes as shapes
from tellapart.formats.logs.log import list_of
from tellapart.formats.logs.recipe_reader import Recipe

_TIME: Final = r"\d{4}-\d\d-\d\dT[\d.:-]+"


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


LIGHTEVAL: Final = Recipe(
    "lighteval",
    about="details of lighteval: Parquet",
    marks=(_keys("doc", "metric", "model_response"),),
    item="doc.id",
    scores="metric",
    task="doc.task_name",
    file=rf"((?P<system>[^/]+)/{_TIME}/)?details_(?P<task>.+?)(_(?P<time>{_TIME}))?\.parquet$",
    input="doc.query",
    gold=shapes.lighteval_gold,
    output=shapes.lighteval_output,
    totals={
        _keys("config_general", "results", "summary_general"): "give details_TASK_*.parquet from "
        "the folder details, which lighteval writes with `--save-details`"
    },
)

PROMPTFOO: Final = Recipe(
    "promptfoo",
    about="results of promptfoo: JSON or JSON lines",
    marks=(_keys("evalId", "results"), _keys("provider", "vars", "success", "namedScores")),
    records=shapes.promptfoo,
    item="test",
    scores="scores",
    system=("provider.label", "provider.id", "provider"),
    prompt="prompt_name",
    costs={"cost": "cost", "latency_ms": "latencyMs", "total_tokens": "tokenUsage.total"},
    main=("pass",),
    error="failed",
    labels="labels",
    input=("prompt.raw", "prompt.label", "prompt"),
    gold="asserted",
    output=("response.output", "response"),
    data="same",
    totals={_keys("Grader Reason", "Comment", "Status"): "give promptfoo's JSON (-o out.json)"},
)

DEEPEVAL: Final = Recipe(
    "deepeval",
    about="test runs of DeepEval",
    marks=(_keys("testRunData"), _keys("testCases", "metricsScores")),
    records=shapes.deepeval,
    item="item",
    scores="scores",
    system=("$.hyperparameters.model", "$.testRunData.hyperparameters.model", "$.identifier"),
    settings=("$.hyperparameters", "$.testRunData.hyperparameters"),
    costs={
        "cost": "tokenCost",
        "latency": "completionTime",
        "input_tokens": "inputTokenCount",
        "output_tokens": "outputTokenCount",
    },
    main=("passed",),
    error="error",
    labels="metadata",
    input="input",
    gold="expectedOutput",
    output="actualOutput",
    data="input",
)

RAGAS: Final = Recipe(
    "ragas",
    about="results of ragas: CSV, JSON lines or Parquet",
    marks=(
        _keys("user_input", "response"),
        _keys("user_input", "reference"),
        _keys("user_input", "retrieved_contexts"),
        _keys("question", "contexts", "faithfulness"),
    ),
    unlike=_keys("system", "model", "model_name", "judge", "winner"),
    records=shapes.ragas,
    item="item",
    scores="scores",
    labels="labels",
    input=("user_input", "question"),
    gold=("reference", "ground_truth"),
    output=("response", "answer"),
)

HUMANEVAL: Final = Recipe(
    "humaneval",
    about="results of HumanEval: *_results.jsonl",
    marks=(_keys("task_id", "completion", "result", "passed"),),
    item="task_id",
    scores={"passed": "passed"},
    file=r"(?P<system>[^/]+?)(\.jsonl)?(\.gz|\.zst)?_results\.jsonl$",
    output="completion",
)

EVALPLUS: Final = Recipe(
    "evalplus",
    about="results of EvalPlus: eval_results.json",
    marks=(_keys("eval", "hash"),),
    unlike=_keys("version", "samples"),
    records=shapes.evalplus,
    item="task_id",
    scores={"plus": "plus", "base": "base_status"},
    file=r"(?P<system>[^/]+?)[._/-]eval_results\.json$",
    main=("plus", "base"),
    grades={"pass": 1.0, "success": 1.0, "fail": 0.0, "failed": 0.0, "timeout": 0.0},
    output="solution",
)

SWE_BENCH: Final = Recipe(
    "swe-bench",
    about="reports of SWE-bench",
    marks=(
        _keys("resolved_instances", "submitted_instances"),
        _keys("resolved_ids", "unresolved_ids"),
    ),
    records=shapes.swe_bench,
    item="instance_id",
    scores="resolved",
    file=r"(?P<system>[^/]+)\.(?P<run>[^./]+)\.json$",
    labels=lambda record: {"repository": str(record["instance_id"]).rpartition("-")[0]},
    output="outcome",
)

LIVEBENCH: Final = Recipe(
    "livebench",
    about="judgments of LiveBench: ground_truth_judgment.jsonl",
    marks=(_keys("question_id", "task", "model", "score", "category"),),
    unlike=_keys("judge", "judgment"),
    item="question_id",
    scores="score",
    system="model",
    task="task",
    group="category",
    labels=lambda record: {key: record[key] for key in ("subtask",) if key in record},
    weights="groups",
)

MT_BENCH: Final = Recipe(
    "mt-bench",
    about="single-answer judgments of MT-bench: MODEL_single.jsonl",
    marks=(_keys("question_id", "model", "score", "turn", "judge", "judgment"),),
    records=shapes.mt_bench,
    item="question_id",
    scores="scores",
    system="model",
    task=lambda _: "mt_bench",
    main=("score",),
    output="judgments",
)

EVERY_EVAL_EVER: Final = Recipe(
    "every-eval-ever",
    about="results in the schema every_eval_ever: UUID_samples.jsonl",
    marks=(_keys("evaluation_id", "model_id", "evaluation_name", "sample_id"),),
    records=shapes.every_eval_ever,
    item="sample_id",
    scores="scores",
    system="model_id",
    task="evaluation_name",
    costs={
        "latency_ms": "performance.latency_ms",
        "generation_time_ms": "performance.generation_time_ms",
        "total_tokens": "token_usage.total_tokens",
        "output_tokens": "token_usage.output_tokens",
    },
    error="error",
    labels="metadata",
    input="input.raw",
    gold="input.reference",
    output=("output.raw", "messages"),
    totals={
        _keys("evaluation_id", "model_info", "evaluation_results"): "give the UUID_samples.jsonl "
        "that goes with it, if there is one"
    },
)

TAU_BENCH: Final = Recipe(
    "tau-bench",
    about="results of tau-bench: a list of trials, JSON",
    marks=(_keys("task_id", "reward", "info", "traj", "trial"),),
    item="task_id",
    scores="reward",
    costs={"user_cost": "info.user_cost"},
    input="info.task.instruction",
    gold="info.task.actions",
    output=lambda record: (list_of(record.get("traj")) or [{}])[-1].get("content"),
)

HARBOR: Final = Recipe(
    "harbor",
    about="trials of Harbor (Terminal-Bench): result.json in the folders of a job",
    marks=(_keys("task_name", "trial_name", "verifier_result", "agent_info"),),
    item="task_name",
    scores="verifier_result.rewards",
    system=shapes.harbor_system,
    costs={
        "cost_usd": "agent_result.cost_usd",
        "input_tokens": "agent_result.n_input_tokens",
        "output_tokens": "agent_result.n_output_tokens",
    },
    main=("reward",),
    error=shapes.harbor_error,
    labels=lambda record: {key: record[key] for key in ("source",) if record.get(key)},
    part_of=lambda path: str(Path(path).resolve().parents[1]),
    totals={_keys("n_total_trials", "stats"): "give the folder of the job, whose trials have them"},
)

COMET: Final = Recipe(
    "comet",
    about="scores of segments by COMET: what comet-score --to_json writes",
    marks=(),
    recognises=shapes.is_comet,
    records=shapes.comet,
    item="segment",
    scores={"COMET": "COMET"},
    system="system",
    input="src",
    gold="ref",
    output="mt",
)

SEGMENT_SCORES: Final = Recipe(
    "seg-score",
    about="scores of segments in the layout of mt-metrics-eval: *.seg.score",
    marks=(),
    recognises=shapes.is_segment_scores,
    records=shapes.segment_scores,
    item="segment",
    scores="scores",
    system="system",
)

RECIPES: Final = (
    LIGHTEVAL, PROMPTFOO, DEEPEVAL, RAGAS, HUMANEVAL, EVALPLUS, SWE_BENCH, EVERY_EVAL_EVER,
    LIVEBENCH, MT_BENCH, TAU_BENCH, HARBOR, COMET, SEGMENT_SCORES,
)  # fmt: skip
