"""Results of EvalPlus, `*_eval_results.json`: samples of HumanEval+ and MBPP+.

A sample passes `base` by the tests of the old benchmark, and `plus` by these and the new ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Log, Sample, as_text
from tellapart.formats.logs.rows import Numbers, as_object, names_in, read_json
from tellapart.formats.problems import Findings

_PASSED: Final = {"pass": 1.0, "success": 1.0, "fail": 0.0, "failed": 0.0, "timeout": 0.0}
_ROUNDED: Final = 0.001
_SUFFIX: Final = re.compile(r"[._-]?eval_results\.json$")
_TASKS: Final = re.compile(r'"eval"\s*:\s*\{\s*("[^"]+"\s*:\s*[\[{]|$)')


def _recognises(head: Head) -> bool:
    names = names_in(head)
    return {"eval", "hash"} <= names and "version" not in names and bool(_TASKS.search(head.text))


def _read_file(path: str, problems: Findings) -> list[Log]:
    tree = as_object(read_json(path), shown(path))
    tasks = tree.get("eval")
    if not isinstance(tasks, dict) or not tasks:
        raise DataError(f"{shown(path)}: there is no task in `eval`; give a finished run")
    statuses = Numbers(_PASSED, problems)
    samples = []
    for task, results in tasks.items():
        for number, found in enumerate(_tried(results, f"{shown(path)}, {task}"), 1):
            place = f"{shown(path)}, {task}, sample {number}"
            with problems.of_file():
                samples.append(_sample(task, as_object(found, place), place, statuses))
    _warn_of_totals(tree, samples, path, problems)
    plus = any(("plus",) in sample.values for sample in samples)
    main = ("plus",) if plus else ("base",)
    return [Log(path, tuple(samples), faults=statuses.faults, system=_system(path), main=main)]


def _warn_of_totals(
    tree: dict[str, Any], samples: Sequence[Sample], path: str, problems: Findings
) -> None:
    """Warn where the file's own pass@1 is not that of its samples."""
    totals = tree.get("pass_at_k")
    for name in ("base", "plus"):
        own = totals.get(name) if isinstance(totals, dict) else None
        given = own.get("pass@1") if isinstance(own, dict) else None
        tasks: dict[str, list[float]] = {}
        for sample in samples:
            if (name,) in sample.values:
                tasks.setdefault(sample.item, []).append(sample.values[name,])
        if not tasks or not isinstance(given, int | float):
            continue
        rate = math.fsum(math.fsum(each) / len(each) for each in tasks.values()) / len(tasks)
        if abs(rate - given) > _ROUNDED:
            problems.warn(
                f"{shown(path)}: `pass_at_k` has {given:g} for {name}, but the samples give "
                f"{rate:.3f}; the samples count"
            )


def _tried(results: Any, place: str) -> Iterator[Any]:
    """Yield the samples of a task; before EvalPlus 0.2.1, statuses stood in lists of their own."""
    if isinstance(results, list):
        yield from results
    elif isinstance(results, dict) and isinstance(results.get("base"), list):
        plus = results.get("plus") or [None] * len(results["base"])
        for base, further in zip(results["base"], plus, strict=False):
            yield {"base_status": _first(base), "plus_status": _first(further)}
    else:
        raise DataError(f"{place}: this is no list of samples; write the file again with EvalPlus")


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _sample(task: str, found: dict[str, Any], place: str, statuses: Numbers) -> Sample:
    given = {"plus": found.get("plus_status"), "base": found.get("base_status")}
    values = statuses.of(given, place)
    if ("plus",) in values:  # EvalPlus counts what passes both
        values["plus",] = min(values.values())
    return Sample(
        item=task, values=values, place=place, output=as_text(found.get("solution") or "")
    )


def _system(path: str) -> str:
    """Return what the samples were called: by the file's name, or by that of its folder.

    >>> _system("humaneval/alder_temp_0.0_eval_results.json"), _system("alder/eval_results.json")
    ('alder_temp_0.0', 'alder')
    """
    place = Path(unpacked_name(path))
    if path == STANDARD or not _SUFFIX.search(place.name):
        return ""
    return _SUFFIX.sub("", place.name) or place.resolve().parent.name


FORMAT = log_format(
    "evalplus",
    "results of EvalPlus, `eval_results.json`",
    files="results of EvalPlus",
    recognises=_recognises,
    read_file=_read_file,
)
