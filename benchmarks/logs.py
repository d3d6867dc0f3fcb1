"""Reading samples of lm-eval, beside `json.loads` of every line."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import tellapart as ta
from benchmarks.measure import best_cpu, goal, heading

_DOCUMENTS, _WORDS = 4_000, 150
_TIMES = 2.0


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples_quiz_2026-11-01T10-00-00.000001.jsonl")
        _write(path)
        megabytes = path.stat().st_size / 1e6
        heading(f"reading samples of lm-eval: seconds of CPU, best of 3 ({megabytes:.0f} MB)")
        parsed, read = best_cpu(lambda: _parse(path)), best_cpu(lambda: ta.read(path))
        print(f"  json.loads of every line {parsed:7.2f} s")
        print(f"  tellapart                {read:7.2f} s")
        goal("times json.loads", read / parsed, _TIMES)


def _parse(path: Path) -> None:
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)


def _write(path: Path) -> None:
    """Write documents of four choices, as lm-eval logs them."""
    draw = random.Random(1)
    words = [f"word{k}" for k in range(5000)]
    with path.open("w") as text:
        for k in range(_DOCUMENTS):
            asked = " ".join(draw.choices(words, k=_WORDS))
            responses = [[-1.5 * choice - 0.1, False] for choice in range(4)]
            row = {
                "doc_id": k,
                "doc": {"question": asked, "topic": f"t{k % 9}", "choices": list("abcd")},
                "target": "2",
                "arguments": {
                    f"gen_args_{j}": {"arg_0": asked, "arg_1": f" {c}"}
                    for j, c in enumerate("abcd")
                },
                "resps": [[each] for each in responses],
                "filtered_resps": responses,
                "filter": "none",
                "metrics": ["acc", "acc_norm"],
                **{f"{name}_hash": f"{k:064x}" for name in ("doc", "prompt", "target")},
                "acc": float(k % 2),
                "acc_norm": 1.0,
            }
            text.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    run()
