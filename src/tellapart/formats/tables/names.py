"""What people call the columns of their tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from tellapart.counts.arrays import ITEM_COLUMNS, KNOWN_COLUMNS, SYSTEM_COLUMNS


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Of each kind, the column is the first of these that is there.
# What asks the question names the item, where no id does.
PROMPTS: Final = ("question", "prompt", "instruction", "input", "problem")
OTHER_ITEMS: Final = (*PROMPTS, "sample", "instance", "example", "case", "test", "task")
# What an item is called whose column is called like its number.
_KINDS: Final = {"qid": "question"} | dict.fromkeys(
    _names("uid uuid idx index nr no n number num"), "item"
)
REPEAT_COLUMNS: Final = ("trial", "repeat", "replicate", "epoch", "attempt", "sample")
"""Repeats of an item, which have nothing in common with those of another"""
RUN_COLUMNS: Final = ("run", "run_id", "run_idx", "seed")
CONDITION_COLUMNS: Final = ("condition", "prompt")
TASK_COLUMNS: Final = ("task", "task_name", "dataset", "benchmark", "subset", "subject")
METRIC_COLUMNS: Final = ("metric", "metric_name", "measure")
# Other spellings of known count columns.
ALIASES: Final = {
    "possible": "pos", "actual": "act", "correct": "cor", "partial": "par", "incorrect": "inc",
    "spurious": "spu", "missing": "mis",
}  # fmt: skip
# Names that a column of texts may have as well; only numbers make it a count.
EVERYDAY: Final = frozenset({"sys", "gold", "match", *ALIASES})
# Of these, true and false, or 0 and 1, can only mean right and wrong.
VERDICTS: Final = _names(
    "correct is_correct iscorrect match is_match exact_match passed pass is_passed success "
    "is_success resolved solved right valid is_valid"
)
# The texts behind an item, by where they are shown; an `answer` may be the gold one or a system's.
INPUTS: Final = (
    *PROMPTS, "question_text", "input_text", "prompt_text", "source_text", "query_text",
)  # fmt: skip
GOLDS: Final = _names(
    "gold target reference references expected expected_output expected_answer ideal ground_truth "
    "gold_answer correct_answer reference_answer answer_key solution answer"
)
OUTPUTS: Final = _names(
    "output response prediction pred predicted completion generation generated_text hypothesis "
    "model_output model_answer model_response output_text extracted_answer answer"
)
# Labels that all systems share, or the table is wrong.
SHARED: Final = frozenset({
    *_names("doc document domain topic category genre language lang split event"),
    *TASK_COLUMNS, *GOLDS,
}) - {"answer"}  # fmt: skip
# Of these, numbers that tell rows apart may name the items after all.
ROW_NUMBERS: Final = frozenset({"row", "row_id", "line"})
# Numbers that count or date the rows, and measure nothing.
NUMBERING: Final = ROW_NUMBERS | frozenset(_names(
    "timestamp tstamp created created_at date datetime started_at rank position order version "
    "temperature top_p max_tokens turn"
))  # fmt: skip
# Numbers of items in a wide table, which are no systems.
LEVELS: Final = frozenset(_names("level difficulty length year size age page chapter fold grade"))
# Under what raw results keep scores; other numbers inside of objects are no metrics.
SCORE_OBJECTS: Final = frozenset(
    _names("score scores metric metrics result results eval evaluation grades")
)
# What the last row of a spreadsheet is called that sums up the others.
TOTALS: Final = frozenset(_names(
    "average avg avg. mean total totals sum overall median durchschnitt mittelwert mittel summe "
    "gesamt insgesamt moyenne somme promedio media suma totale"
))  # fmt: skip
KNOWN_NAMES: Final = frozenset({
    *ITEM_COLUMNS, *SYSTEM_COLUMNS, *RUN_COLUMNS, *REPEAT_COLUMNS, *METRIC_COLUMNS,
    *ALIASES, *KNOWN_COLUMNS, *VERDICTS, "score", "task",
})  # fmt: skip


def first_of(names: Sequence[str], there: Collection[str]) -> str | None:
    """Return the first of some names that is there, if any is.

    >>> first_of(SYSTEM_COLUMNS, ["id", "model", "score"])
    'model'
    """
    return next((name for name in names if name in there), None)


def kind_of_items(column: str) -> str:
    """Return what an item is called in reports, by the column that names it.

    >>> kind_of_items("question_id"), kind_of_items("id"), kind_of_items("ticket")
    ('question', 'id', 'ticket')
    >>> kind_of_items("Frage Nr.")
    'item'
    """
    if column in _KINDS:
        return _KINDS[column]
    if column not in (*ITEM_COLUMNS, *OTHER_ITEMS) and not (column.islower() and column.isalpha()):
        return "item"
    plain = column.removesuffix("_id")
    return plain if column in ITEM_COLUMNS and column != "doc_id" else column
