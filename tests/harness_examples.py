"""The files that the commands of docs/llm-evaluations.md name: samples of formats, renamed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from format_samples import SAMPLES, Rows
from harness_files import promptfoo, ragas_csv

SYSTEMS: dict[str, Rows] = {
    "alder": [(f"q{k}", k % 3 == 0) for k in range(12)],
    "birch": [(f"q{k}", k % 3 != 1) for k in range(12)],
}
RIGHT = {name: [right for _, right in rows] for name, rows in SYSTEMS.items()}
_KNOWN = {sample.form: sample for sample in SAMPLES}
_WHEN = "2026-11-01T10-00-00.000001"
_COMET = {f"{name}.txt": _KNOWN["comet"].make(name, rows) for name, rows in SYSTEMS.items()}
WHOLE = {
    "deepeval": {
        f"test_run_2026110{day}_100000.json": str(_KNOWN["deepeval"].make(name, rows))
        for day, (name, rows) in enumerate(SYSTEMS.items(), 1)
    },
    "promptfoo": {"out.json": json.dumps(promptfoo(RIGHT))},
    "ragas": {f"{name}.csv": ragas_csv(right) for name, right in RIGHT.items()},
    "comet": {"segments.json": json.dumps({k: json.loads(str(v))[k] for k, v in _COMET.items()})},
}
"""By the name of the format: files that are not called after a system, or not as a sample is"""
PATHS = {
    "lighteval": f"out/details/org/{{}}/{_WHEN}/details_law|0_{_WHEN}.parquet",
    "helm": "benchmark_output/runs/v1/{}/per_instance_stats.json",
    "humaneval": "{}.jsonl_results.jsonl",
    "evalplus": "{}_eval_results.json",
    "swe-bench": "{}.verified.json",
    "livebench": "ground_truth_judgment.jsonl",
    "mt-bench": "gpt-4_single.jsonl",
    "mt-bench-pair": "gpt-4_pair.jsonl",
    "arena-hard": "model_judgment/gpt-4/{}.jsonl",
    "alpaca-eval": "{}/annotations.json",
    "tau-bench": "{}.json",
    "harbor": "jobs/{}",
    "seg-score": "COMET-22-refA.seg.score",
    "every-eval-ever": "data/arith/org/{}/0a1b_samples.jsonl",
}
"""By the name of the format: the file of a system; without a place for its name, that of all"""


def write_example(form: str, folder: Path) -> None:
    """Write the files that the command of a format names."""
    files = {path: text.encode() for path, text in WHOLE.get(form, {}).items()}
    if form in PATHS:
        others = {f"{PATHS[form].rpartition('/')[0]}/{path.rpartition('/')[2]}": make
                  for path, make in _KNOWN[form].others.items()}  # fmt: skip
        sample = replace(_KNOWN[form], path=PATHS[form], others=others)
        sample.write_gold(folder, SYSTEMS["alder"])
        for name, rows in SYSTEMS.items():
            for path, data in sample.held(name, rows).items():
                files[path] = files.get(path, b"") + data
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
