"""`--as livebench`: judgments of LiveBench, `ground_truth_judgment.jsonl`, of one or more models.

LiveBench takes the mean of each task, of the tasks of a category, and of the categories.
"""

from __future__ import annotations

from typing import Final

from tellapart.formats.head import Head
from tellapart.formats.logs.exports import Gathered, text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample
from tellapart.formats.logs.rows import names_in, table_rows
from tellapart.formats.problems import Findings

SCORE: Final[Key] = ("score",)
_KEYS: Final = ("question_id", "task", "model", "score", "category")


def _recognises(head: Head) -> bool:
    keys = names_in(head)
    return keys.issuperset(_KEYS) and keys.isdisjoint({"judge", "judgment"})


def _read_file(path: str, problems: Findings) -> list[Log]:
    found = Gathered(path, problems)
    for row in table_rows(path, problems):
        missing = next((key for key in _KEYS if row.fields.get(key) in (None, "")), None)
        if missing is not None:
            problems.complain(f"{row.place}: the judgment has no `{missing}`; write it again")
            continue
        subtask = text(row, "subtask")
        sample = Sample(
            text(row, "question_id"),
            found.values({SCORE: row.fields["score"]}, row.place),
            row.place,
            labels={"subtask": subtask} if subtask else {},
        )
        found.add(sample, text(row, "model"), text(row, "task"), text(row, "category"))
    return found.logs(main=SCORE, group_weights="tasks")


FORMAT = log_format(
    "livebench",
    "judgments of LiveBench, JSONL",
    files="judgments of LiveBench",
    recognises=_recognises,
    read_file=_read_file,
    weights="groups",
)
