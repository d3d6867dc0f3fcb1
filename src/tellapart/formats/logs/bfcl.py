"""Score files of the Berkeley Function-Calling Leaderboard, BFCL: totals, then what failed.

Passed items are not listed, but the items of a category are numbered from 0, and the first line
says how many there are. So those that are not listed passed, and a notice says how many.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Log, Sample, as_text
from tellapart.formats.logs.rows import Numbers, Row, json_lines
from tellapart.formats.problems import Findings
from tellapart.words import several

_TOTALS: Final = frozenset({"accuracy", "correct_count", "total_count"})
_FILE: Final = re.compile(r"(?:BFCL_v\d+_)?(?P<category>\w+?)_score\.json")
_ID: Final = re.compile(r"(?P<category>.+?)_(?P<number>\d{1,9})(?:[-:].*)?")
_GROUPS: Final = ("non_live", "live", "multi_turn", "agentic", "memory", "format_sensitivity")
_COSTS: Final = {
    "latency": "latency",
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
}


def _recognises(head: Head) -> bool:
    row = head.first_row()
    return row is not None and row.keys() >= _TOTALS


def _read_file(path: str, problems: Findings) -> list[Log]:
    rows = list(json_lines(path, problems))
    if not rows or not rows[0].fields.keys() >= _TOTALS:
        raise DataError(
            f"{shown(path)}: the first line has no totals; give BFCL_*_score.json as bfcl evaluate "
            "writes it"
        )
    total = rows[0].fields["total_count"]
    failed = _by_number(rows[1:], problems)
    category = _category(path, rows[1:])
    right = rows[0].fields["correct_count"]
    if not _is_count(total) or not _is_count(right) or total - right != len(failed):
        raise DataError(
            f"{rows[0].place}: {as_text(right)} of {as_text(total)} items passed, but "
            f"{several(len(failed), 'item')} that failed are listed; write the file again"
        )
    answers = _answers(path, problems)
    numbers = list(answers) or list(range(total))
    unknown = [each for each in failed if each not in numbers]
    if unknown or len(numbers) != total:
        row = failed[unknown[0]] if unknown else rows[0]
        raise DataError(
            f"{row.place}: of {total} items of a part of {category!r}, those that passed have no "
            "names here; put the result folder of BFCL beside the score folder"
        )
    if right:
        problems.warn(
            f"{shown(path)}: BFCL lists only what failed; the other {right} of {total} items were "
            "taken to have passed"
        )
    values = Numbers(problems=problems)
    samples = [
        _sample(f"{category}_{each}", failed.get(each), answers.get(each), path, values)
        for each in numbers
    ]
    return [
        Log(
            path,
            tuple(samples),
            faults=values.faults,
            system=_model(path, rows[1:]),
            task=category,
            group=_group(path),
            lower=tuple((name,) for name in _COSTS.values()),
            costs=tuple((name,) for name in _COSTS.values()),
        )
    ]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _by_number(rows: Sequence[Row], problems: Findings) -> dict[int, Row]:
    found: dict[int, Row] = {}
    for row in rows:
        with problems.of_file():
            name = row.fields.get("id")
            match = _ID.fullmatch(name) if isinstance(name, str) else None
            if match is None:
                raise DataError(f"{row.place}: there is no `id` with a number; write the row again")
            number = int(match["number"])
            if number in found:
                raise DataError(
                    f"{row.place}: item {number} is there already ({found[number].place}); keep one"
                )
            found[number] = row
    return found


def _category(path: str, rows: Sequence[Row]) -> str:
    named = dict.fromkeys(as_text(row.fields.get("test_category", "")) for row in rows)
    if len(named) > 1:
        raise DataError(
            f"{rows[0].place}: rows are of {' and '.join(map(repr, list(named)[:2]))}; give a file "
            "for each category"
        )
    match = _FILE.fullmatch(unpacked_name(Path(path).name))
    return next(iter(named), "") or (match["category"] if match else "items")


def _answers(path: str, problems: Findings) -> dict[int, Mapping[str, Any]]:
    """Return what a model answered to each item, from the result folder beside the score folder."""
    place = Path(path)
    if path == STANDARD or "score" not in place.parts:
        return {}
    parts = list(place.parts)
    parts[len(parts) - 1 - parts[::-1].index("score")] = "result"
    parts[-1] = parts[-1].replace("_score.json", "_result.json")
    file = os.path.join(*parts)
    if not os.path.isfile(file):
        return {}
    rows = _by_number(list(json_lines(file, problems)), problems)
    return {number: row.fields for number, row in rows.items()}


def _sample(
    item: str,
    failed: Row | None,
    answer: Mapping[str, Any] | None,
    path: str,
    numbers: Numbers,
) -> Sample:
    place = failed.place if failed else f"{shown(path)}, {item}"
    costs = {name: (answer or {}).get(key) for key, name in _COSTS.items()}
    single = {name: each for name, each in costs.items() if not isinstance(each, list)}
    fields = failed.fields if failed else {}
    raw = fields.get("model_result_raw", (answer or {}).get("result", ""))
    gold = fields.get("possible_answer")
    return Sample(
        item=item,
        values={
            ("accuracy",): float(fields.get("valid") is True or failed is None),
            **numbers.of(single, place),
        },
        place=place,
        input=_question(fields.get("prompt")),
        gold="" if gold is None else as_text(gold),
        output=as_text(raw),
    )


def _question(prompt: Any) -> str:
    if isinstance(prompt, dict):
        prompt = prompt.get("question", "")
    return as_text(prompt) if prompt else ""


def _model(path: str, rows: Sequence[Row]) -> str:
    """Return the model: as rows name it, or as its folder is called."""
    named = next((row.fields["model_name"] for row in rows if "model_name" in row.fields), None)
    if isinstance(named, str):
        return named
    if path == STANDARD or not _FILE.fullmatch(unpacked_name(Path(path).name)):
        return ""
    above = Path(path).resolve().parents
    return next((each.name for each in above if each.name not in _GROUPS), "")


def _group(path: str) -> str:
    return next((each for each in reversed(Path(path).parts) if each in _GROUPS), "")


FORMAT = log_format(
    "bfcl",
    "score files of BFCL, the function-calling leaderboard",
    files="score files of BFCL",
    recognises=_recognises,
    read_file=_read_file,
)
