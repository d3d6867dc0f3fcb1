"""`--as mt-bench`: single-answer judgments of MT-bench, `MODEL_single.jsonl`.

A judge gave each turn of a question a grade. An item is a question, since its turns hang together;
its score is the mean of the turns, as MT-bench itself averages, beside the grades of each turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tellapart.files import shown
from tellapart.formats.head import Head
from tellapart.formats.logs.exports import Gathered, text
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Key, Log, Sample, as_text
from tellapart.formats.logs.rows import Row, names_in, table_rows
from tellapart.formats.problems import Findings
from tellapart.words import several

SCORE: Final[Key] = ("score",)
_TURNS: Final[dict[int, Key]] = {1: ("first_turn",), 2: ("second_turn",)}
_NEEDED: Final = ("question_id", "model", "score", "turn")
_KEYS: Final = frozenset({*_NEEDED, "judge", "judgment"})
_FAILED: Final = -1
"""What MT-bench writes where the judge gave no grade, and leaves out of its means"""
_CATEGORIES: Final = (
    "writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities",
)  # fmt: skip
_FIRST, _OF_EACH = 81, 10
"""The questions of MT-bench are numbered from 81, ten of each category"""


class _Attempt(NamedTuple):
    """The turns of one answer."""

    turns: dict[int, Any]
    outputs: dict[int, str]
    place: str


def _recognises(head: Head) -> bool:
    return names_in(head) >= _KEYS


def _read_file(path: str, problems: Findings) -> list[Log]:
    attempts: dict[tuple[str, str, str], list[_Attempt]] = {}
    for row in table_rows(path, problems):
        missing = next((key for key in _NEEDED if row.fields.get(key) in (None, "")), None)
        if missing is not None:
            problems.complain(f"{row.place}: the judgment has no `{missing}`; write it again")
            continue
        _add(row, attempts, problems)
    found, failed = Gathered(path, problems), 0
    for (model, question, _), runs in attempts.items():
        for run in runs:
            sample = _sample(question, run, found)
            failed += len(run.turns) - sum(key in sample.values for key in _TURNS.values())
            found.add(sample, model, "mt_bench")
    if failed:
        problems.warn(
            f"{shown(path)}: the judge gave {several(failed, 'turn')} no grade (-1); the mean of a "
            "question is over its graded turns"
        )
    return found.logs(main=SCORE)


def _add(
    row: Row, attempts: dict[tuple[str, str, str], list[_Attempt]], problems: Findings
) -> None:
    turn = row.fields["turn"]
    if turn not in _TURNS:
        problems.complain(f"{row.place}: the turn is {turn!r}; MT-bench has the turns 1 and 2")
        return
    key = text(row, "model"), text(row, "question_id"), _judge(row.fields.get("judge"))
    runs = attempts.setdefault(key, [])
    run = next((run for run in runs if turn not in run.turns), None)
    if run is None:
        run = _Attempt({}, {}, row.place)
        runs.append(run)
    run.turns[turn] = row.fields["score"]
    run.outputs[turn] = as_text(row.fields.get("judgment") or "")


def _judge(judge: Any) -> str:
    """Return the model that judged; the prompt it was given depends on the question."""
    return as_text(judge[0] if isinstance(judge, list) and judge else judge)


def _sample(question: str, run: _Attempt, found: Gathered) -> Sample:
    grades = {_TURNS[turn]: grade for turn, grade in sorted(run.turns.items()) if grade != _FAILED}
    turns = found.values(grades, run.place)
    values: Mapping[Key, float] = turns
    if turns:
        values = {SCORE: math.fsum(turns.values()) / len(turns), **turns}
    category = _category(question)
    return Sample(
        question,
        values,
        run.place,
        output="\n".join(run.outputs[turn] for turn in sorted(run.outputs)),
        labels={"category": category} if category else {},
    )


def _category(question: str) -> str:
    """Return what kind of question it is; none of those of another set.

    >>> _category("81"), _category("160"), _category("7")
    ('writing', 'humanities', '')
    """
    place = (
        (int(question) - _FIRST) // _OF_EACH if question.isascii() and question.isdigit() else -1
    )
    return _CATEGORIES[place] if 0 <= place < len(_CATEGORIES) else ""


FORMAT = log_format(
    "mt-bench",
    "single-answer judgments of MT-bench, JSONL",
    files="judgments of MT-bench",
    recognises=_recognises,
    read_file=_read_file,
)
