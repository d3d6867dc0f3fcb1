"""Targets for small harnesses and for exports of platforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import export_files

from .harnesses import ITEMS, target
from .soundness import NUMBER, table
from .target import Target

_CELL = r'[^",\r\n]*'
_LANGSMITH = table(
    ",",
    export_files.langsmith([], "")[0].strip(),
    *[_CELL] * 4, *[NUMBER] * 5, "",
)  # fmt: skip
_LANGFUSE = table(
    ",",
    export_files.langfuse([], "")[0].strip(),
    *[_CELL] * 6, NUMBER, "", "NUMERIC", r"\{\}",
)  # fmt: skip


def export_targets() -> Iterator[Target]:
    """Yield the targets, one for each dress of a format."""
    yield target("openai-evals", "jsonl", _made(export_files.openai_evals))
    yield target("opencompass", "json", _made(export_files.opencompass))
    yield target("livebench", "jsonl", _made(export_files.livebench))
    yield target("mt-bench", "jsonl", _made(export_files.mt_bench))
    yield target("braintrust", "jsonl", _made(export_files.braintrust))
    yield target("langsmith", "csv", _made(export_files.langsmith), sound=_LANGSMITH)
    yield target("langfuse", "csv", _made(export_files.langfuse), sound=_LANGFUSE)
    yield target("langfuse", "json", _made(export_files.langfuse_traces))
    yield target("wandb", "json", _made(export_files.wandb))
    yield target("every-eval-ever", "jsonl", _made(export_files.every_eval_ever))
    yield target("simple-evals", "jsonl", _made(export_files.simple_evals))
    yield target("simple-evals", "json", _made(export_files.simple_evals_pages))


def _made(make: Callable[[list[bool], str], Any]) -> Callable[[int, str], Any]:
    return lambda k, system: make(export_files.right_items(k, ITEMS), system)
