"""What people call the columns of their tables."""

from __future__ import annotations

from typing import Final

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS, SYSTEM_COLUMNS

# Of each kind, the column is the first of these that is there.
# What asks the question names the item, where no id does.
PROMPTS: Final = ("question", "prompt", "instruction", "input", "problem")
OTHER_ITEMS: Final = (*PROMPTS, "sample", "instance", "example", "case", "test", "task")
REPEAT_COLUMNS: Final = ("trial", "repeat", "replicate", "epoch", "attempt", "sample")
"""Repeats of an item, which have nothing in common with those of another"""
RUN_COLUMNS: Final = ("run", "run_id", "run_idx", "seed")
CONDITION_COLUMNS: Final = ("condition", "prompt")
TASK_COLUMNS: Final = ("task", "task_name", "dataset", "benchmark", "subset", "subject")
METRIC_COLUMNS: Final = ("metric", "metric_name", "measure")
# Names that a column of texts may have as well; only numbers make it a count.
EVERYDAY: Final = frozenset({"sys", "gold", "match"})
# Of these, true and false, or 0 and 1, can only mean right and wrong.
VERDICTS: Final = (
    "correct", "is_correct", "iscorrect", "match", "is_match", "exact_match", "passed", "pass",
    "is_passed", "success", "is_success", "resolved", "solved", "right", "valid", "is_valid",
)  # fmt: skip
# The texts behind an item, by where they are shown; an `answer` may be the gold one or a system's.
INPUTS: Final = (
    *PROMPTS, "question_text", "input_text", "prompt_text", "source_text", "query_text",
)  # fmt: skip
GOLDS: Final = (
    "gold", "target", "reference", "references", "expected", "expected_output", "expected_answer",
    "ideal", "ground_truth", "gold_answer", "correct_answer", "reference_answer", "answer_key",
    "solution", "answer",
)  # fmt: skip
OUTPUTS: Final = (
    "output", "response", "prediction", "pred", "predicted", "completion", "generation",
    "generated_text", "hypothesis", "model_output", "model_answer", "model_response",
    "output_text", "extracted_answer", "answer",
)  # fmt: skip
# Labels that all systems share, or the table is wrong.
SHARED: Final = frozenset({
    "doc", "document", "domain", "topic", "category", "genre", "language", "lang", "split",
    "event",
    *TASK_COLUMNS, *GOLDS,
}) - {"answer"}  # fmt: skip
# Of these, numbers that tell rows apart may name the items after all.
ROW_NUMBERS: Final = frozenset({"row", "row_id", "line"})
# Numbers that count or date the rows, and measure nothing.
NUMBERING: Final = ROW_NUMBERS | frozenset({
    "timestamp", "tstamp", "created", "created_at", "date", "datetime", "started_at", "rank",
    "position", "order", "version", "temperature", "top_p", "max_tokens", "turn",
})  # fmt: skip
# Numbers of items in a wide table, which are no systems.
LEVELS: Final = frozenset({
    "level", "difficulty", "length", "year", "size", "age", "page", "chapter", "fold", "grade",
})  # fmt: skip
# Under what raw results keep scores; other numbers inside of objects are no metrics.
SCORE_OBJECTS: Final = frozenset({
    "score", "scores", "metric", "metrics", "result", "results", "eval", "evaluation", "grades",
})  # fmt: skip
# What the last row of a spreadsheet is called that sums up the others.
TOTALS: Final = frozenset({
    "average", "avg", "avg.", "mean", "total", "totals", "sum", "overall", "median",
    "durchschnitt", "mittelwert", "mittel", "summe", "gesamt", "insgesamt", "moyenne", "somme",
    "promedio", "media", "suma", "totale",
})  # fmt: skip
KNOWN_NAMES: Final = frozenset({
    *ITEM_COLUMNS, *SYSTEM_COLUMNS, *RUN_COLUMNS, *REPEAT_COLUMNS, *METRIC_COLUMNS,
    *KNOWN_COLUMNS, *VERDICTS, "score", "task",
})  # fmt: skip
SPELLED: Final = KNOWN_NAMES | {*INPUTS, *GOLDS, *OUTPUTS}
"""Names that may be written with capital letters and blanks, too"""
