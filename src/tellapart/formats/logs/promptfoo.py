"""Results of promptfoo, what `promptfoo eval -o` writes: JSON, JSON lines or CSV.

A file holds a column for each prompt of each provider: these are the systems. Tests are the items;
tests with the same variables and assertions, as `--repeat` makes them, are runs of one item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.head import Head, read_head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import (
    Log,
    Sample,
    as_text,
    number,
    parse_log,
    scalar_labels,
)
from tellapart.formats.logs.rows import (
    Numbers,
    Row,
    as_object,
    csv_lines,
    json_lines,
    names_in,
    read_json,
)
from tellapart.formats.problems import Findings

_ROW: Final = frozenset({"provider", "vars", "success", "namedScores"})
_ERROR: Final = 2  # of `failureReason`: the provider failed; 1: an assertion did
_COLUMN: Final = re.compile(r"\[(?P<provider>[^\]]+)\] (?P<prompt>.*)", re.DOTALL)
_STATUS: Final = re.compile(r"\[(?P<status>PASS|FAIL|ERROR)\] ")
_COSTS: Final = ("cost", "latency_ms", "total_tokens")
_OWN: Final = frozenset({"pass", "score", *_COSTS})
_VARIABLE: Final = re.compile(r"\{\{.*?\}\}")
_LONGEST: Final = 40  # characters of a prompt in the name of a system
_NOT_OF_THE_TEST: Final = frozenset({"sessionId"})  # variables that every run has anew


def _recognises(head: Head) -> bool:
    names = names_in(head)
    if not head.text.lstrip().startswith("{"):
        return {"Grader Reason", "Comment"} <= names and any(map(_COLUMN.fullmatch, names))
    if "results" in names:
        version = re.search(r'"results"\s*:\s*\{\s*"version"\s*:', head.text)
        return version is not None or {"evalId", "shareableUrl"} <= names
    return names >= _ROW


def _read_file(path: str, problems: Findings) -> list[Log]:
    rows = list(_rows(path, problems))
    tests = _numbered(rows)
    prompts = _short([_name(row.fields.get("prompt"), "label", "raw") for row in rows])
    samples: dict[str, list[Sample]] = {}
    heads: dict[str, tuple[str, str]] = {}
    numbers: dict[str, Numbers] = {}
    for row in rows:
        prompt = _name(row.fields.get("prompt"), "label", "raw")
        provider = _name(row.fields.get("provider"), "label", "id")
        column = as_text(row.fields.get("promptIdx", f"{provider} {prompt}"))
        heads.setdefault(column, (provider, prompt))
        found = numbers.setdefault(column, Numbers(problems=problems))
        with problems.of_file():
            if heads[column] != (provider, prompt):
                raise DataError(
                    f"{row.place}: column {column} is of {provider!r}, but of {heads[column][0]!r} "
                    "in results before it; write the file again with promptfoo eval -o"
                )
            sample = _sample(row, tests[_test(row)], found, one_prompt=len(prompts) == 1)
            samples.setdefault(column, []).append(sample)
    if not rows and not problems.fatal:
        problems.complain(f"{shown(path)}: there is no result; give the file of a finished run")
    return [
        Log(
            path,
            tuple(samples[column]),
            faults=numbers[column].faults,
            system=provider,
            main=("pass",),
            lower=tuple((name,) for name in _COSTS),
            costs=tuple((name,) for name in _COSTS),
            settings={"prompt": prompts[prompt]},
            identity=f"{path} {column}",
        )
        for column, (provider, prompt) in heads.items()
        if column in samples
    ]


def _rows(path: str, problems: Findings) -> Iterator[Row]:
    """Yield the results of a file, which are alike in JSON, JSON lines and, made so, in CSV."""
    head = read_head(path)
    if not head.text.lstrip().startswith("{"):
        yield from _csv_rows(path, problems)
    elif "results" not in names_in(head):
        yield from json_lines(path, problems)
    else:
        results = as_object(read_json(path), shown(path)).get("results")
        rows = results.get("results") if isinstance(results, dict) else None
        if not isinstance(rows, list):
            raise DataError(
                f"{shown(path)}: there is no list of results; write the file again with promptfoo "
                "eval -o"
            )
        for position, row in enumerate(rows, 1):
            place = f"{shown(path)}, result {position}"
            with problems.of_file():
                yield Row(place, as_object(row, place))


def _csv_rows(path: str, problems: Findings) -> Iterator[Row]:
    """Yield the results of a table: a row for each test, some cells for each provider's prompt."""
    header: list[str] = []
    columns: list[int] = []
    for test, (place, cells) in enumerate(csv_lines(path), -1):
        if not header:
            header = cells
            columns = [k for k, name in enumerate(cells) if _COLUMN.fullmatch(name)]
            if not columns:
                raise DataError(
                    f"{place}: no column is the output of a provider, `[provider] prompt`; write "
                    "the table again with promptfoo eval -o"
                )
            continue
        known = {
            name: cell
            for name, cell in zip(header[: columns[0]], cells, strict=False)
            if name != "Description"
        }
        ends = [*columns[1:], len(header)]
        for position, (begin, end) in enumerate(zip(columns, ends, strict=True)):
            match = _COLUMN.fullmatch(header[begin])
            assert match is not None
            behind = dict(zip(header[begin + 1 : end], cells[begin + 1 : end], strict=True))
            result = _csv_result(cells[begin], behind, place)
            if result:
                names = {"provider": match["provider"], "prompt": match["prompt"]}
                fields = {**names, "promptIdx": position, "testIdx": test, "vars": known, **result}
                yield Row(place, fields)
            else:
                problems.warn(f"{place}: {header[begin]!r} has no result; it was left out")


def _csv_result(output: str, behind: dict[str, str], place: str) -> dict[str, Any]:
    """Return what some cells tell; before 2025, the status stood before the output."""
    found = _STATUS.match(output)
    status = behind.get("Status", found["status"] if found else "")
    if not status:
        return {}
    words = {"PASS": True, "FAIL": False, "ERROR": None}
    named = behind.get("Named Scores", "")
    score = behind.get("Score", words.get(status))
    parsed = number(score, {})
    return {
        "success": words.get(status, status),
        "score": score if parsed is None else parsed,
        "namedScores": as_object(parse_log(named, place), place) if named else {},
        "failureReason": _ERROR if status == "ERROR" else 0,
        "error": behind.get("Grader Reason") or output,
        "response": output[found.end() :] if found and "Status" not in behind else output,
    }


def _name(value: Any, *keys: str) -> str:
    """Return a name that is a text, or one of the values of an object."""
    if isinstance(value, dict):
        value = next((value[key] for key in keys if value.get(key)), "")
    return value if isinstance(value, str) else ""


def _short(prompts: Sequence[str]) -> dict[str, str]:
    """Return a short name for each prompt: its beginning, without variables.

    >>> _short(["Think step by step. {{question}}", "Compute: {{question}}"])
    {'Think step by step. {{question}}': 'Think step by step.', 'Compute: {{question}}': 'Compute:'}
    """
    names: dict[str, str] = {}
    for prompt in dict.fromkeys(prompts):
        text = " ".join(_VARIABLE.sub("", prompt).split()) or prompt
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        names[prompt] = f"{short} #{len(names) + 1}" if short in names.values() else short
    return names


def _test(row: Row) -> str:
    """Return what is the same in all results of one test: its variables and assertions."""
    case = row.fields.get("testCase")
    case = case if isinstance(case, dict) else {}
    return json.dumps([_variables(row), case.get("assert")], sort_keys=True)


def _variables(row: Row) -> dict[str, str]:
    case = row.fields.get("testCase")
    found = case.get("vars") if isinstance(case, dict) else None
    given = found if isinstance(found, dict) else row.fields.get("vars")
    if not isinstance(given, dict):
        raise DataError(f"{row.place}: there are no `vars`; write the file again with promptfoo")
    return {name: as_text(each) for name, each in given.items() if name not in _NOT_OF_THE_TEST}


def _numbered(rows: list[Row]) -> dict[str, str]:
    """Return the number of each test: the first of those that are alike."""
    numbers: dict[str, int] = {}
    for row in rows:
        test, own = _test(row), row.fields.get("testIdx")
        known = numbers.setdefault(test, own if isinstance(own, int) else len(numbers))
        if isinstance(own, int):
            numbers[test] = min(known, own)
    return {test: str(first) for test, first in numbers.items()}


def _sample(row: Row, item: str, numbers: Numbers, *, one_prompt: bool) -> Sample:
    fields = row.fields
    named = fields.get("namedScores")
    reason = fields.get("failureReason")
    response = fields.get("response")
    answer = response.get("output") if isinstance(response, dict) else response
    failed = reason == _ERROR or (reason is None and fields.get("error") and not answer)
    usage = fields.get("tokenUsage")
    used = usage.get("total") if isinstance(usage, dict) else None
    scores = {"pass": fields.get("success"), "score": fields.get("score")}
    if isinstance(named, dict):
        scores |= {f"named {name}" if name in _OWN else name: each for name, each in named.items()}
    values = {
        **({} if failed else scores),
        "cost": fields.get("cost"),
        "latency_ms": fields.get("latencyMs"),
        "total_tokens": used,
    }
    case = fields.get("testCase")
    case = case if isinstance(case, dict) else {}
    prompt = _name(fields.get("prompt"), "raw", "label")
    return Sample(
        item=item,
        values=numbers.of(values, row.place),
        place=row.place,
        error=as_text(fields.get("error") or "the provider failed") if failed else "",
        input=prompt,
        gold=_gold(case.get("assert")),
        output="" if answer is None else as_text(answer),
        labels={
            **scalar_labels(_variables(row), "vars"),
            **scalar_labels(case.get("metadata"), ""),
        },
        prompt_print=prompt if one_prompt else "",
        document_print=_test(row),
    )


def _gold(assertions: Any) -> str:
    """Return what is asserted of an answer, in a line for each assertion."""
    given = assertions if isinstance(assertions, list) else []
    texts = [
        f"{each.get('type')}: {as_text(each['value'])}"
        for each in given
        if isinstance(each, dict) and each.get("value") is not None
    ]
    return "\n".join(texts)


FORMAT = log_format(
    "promptfoo",
    "results of promptfoo: JSON, JSON lines or CSV",
    files="results of promptfoo",
    recognises=_recognises,
    read_file=_read_file,
)
