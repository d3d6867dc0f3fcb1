"""Reports of SWE-bench: which instances a model resolved, of those it submitted.

As SWE-bench has it, what ended in an error or in an empty patch is not resolved. Instances that
were not submitted (`incomplete_ids`) are no items: if another system has them, they are missing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from tellapart.errors import DataError
from tellapart.files import STANDARD, shown, unpacked_name
from tellapart.formats.head import Head
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.log import Log, Sample
from tellapart.formats.logs.rows import as_object, names_in, read_json
from tellapart.formats.problems import Findings
from tellapart.words import listed, several

_NAME: Final = re.compile(r"(?P<model>.+)\.(?P<run>[^.]+)\.json")
_OUTCOMES: Final = {  # the surest first
    "resolved_ids": "resolved",
    "empty_patch_ids": "empty patch",
    "error_ids": "error",
    "unresolved_ids": "not resolved",
}
_ADVISORY: Final = ("infra_failure_ids", "ambiguous_failure_ids")


def _recognises(head: Head) -> bool:
    names = names_in(head)
    return {"resolved_instances", "submitted_instances"} <= names or {
        "resolved_ids",
        "unresolved_ids",
    } <= names


def _read_file(path: str, problems: Findings) -> list[Log]:
    tree = as_object(read_json(path), shown(path))
    submitted = _ids(tree, "submitted_ids", path) or _ids(tree, "completed_ids", path)
    if "resolved_ids" not in tree or not submitted:
        raise DataError(
            f"{shown(path)}: the report has totals only, and no `resolved_ids` and "
            "`submitted_ids`; give the report that swebench.harness.run_evaluation writes now"
        )
    outcomes = {key: _ids(tree, key, path) for key in _OUTCOMES}
    known = set(submitted)
    for key, ids in outcomes.items():
        others = [each for each in ids if each not in known]
        if others:
            problems.complain(
                f"{shown(path)}: {others[0]!r} is in `{key}`, but was not submitted; write the "
                "report again"
            )
    both = set(outcomes["resolved_ids"]) & set(outcomes["unresolved_ids"])
    if both:
        problems.complain(
            f"{shown(path)}: {min(both)!r} is resolved and not resolved; write the report again"
        )
    _check_total(tree, "resolved_instances", len(outcomes["resolved_ids"]), path, problems)
    _check_total(tree, "submitted_instances", len(submitted), path, problems)
    _tell_of_failures(tree, path, problems)
    samples = []
    for each in submitted:
        found = next((key for key, ids in outcomes.items() if each in ids), "")
        samples.append(
            Sample(
                item=each,
                values={("resolved",): float(found == "resolved_ids")},
                place=f"{shown(path)}, {each}",
                output=_OUTCOMES.get(found, "not resolved"),
                labels={"repository": each.rpartition("-")[0]},
            )
        )
    name = None if path == STANDARD else _NAME.fullmatch(unpacked_name(Path(path).name))
    return [
        Log(
            path,
            tuple(samples),
            system=name["model"] if name else "",
            settings={"run": name["run"]} if name else {},
        )
    ]


def _ids(tree: dict[str, Any], key: str, path: str) -> dict[str, None]:
    found = tree.get(key) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise DataError(f"{shown(path)}: `{key}` is no list of ids; write the report again")
    ids = dict.fromkeys(found)
    if len(ids) < len(found):
        raise DataError(f"{shown(path)}: `{key}` has an id twice; write the report again")
    return ids


def _check_total(
    tree: dict[str, Any], key: str, number: int, path: str, problems: Findings
) -> None:
    if key in tree and tree[key] != number:
        problems.warn(
            f"{shown(path)}: `{key}` is {tree[key]!r}, but {number} ids are listed; the ids count"
        )


def _tell_of_failures(tree: dict[str, Any], path: str, problems: Findings) -> None:
    """Tell of what SWE-bench counts as not resolved, though the model may not be to blame."""
    for key, what in (("error_ids", "ended in an error"), ("empty_patch_ids", "had no patch")):
        ids = _ids(tree, key, path)
        if ids:
            problems.warn(
                f"{shown(path)}: {several(len(ids), 'instance')} {what} ({listed(tuple(ids), 3)}); "
                "counted as not resolved, as SWE-bench does"
            )
    infra = dict.fromkeys(each for key in _ADVISORY for each in _ids(tree, key, path))
    if infra:
        problems.warn(
            f"{shown(path)}: {several(len(infra), 'instance')} may have failed by the environment "
            f"({listed(tuple(infra), 3)}); counted as not resolved, as SWE-bench does"
        )
    incomplete = _ids(tree, "incomplete_ids", path)
    total = tree.get("total_instances")
    submitted = len(_ids(tree, "submitted_ids", path))
    absent = len(incomplete) or (total - submitted if isinstance(total, int) else 0)
    if submitted and absent > 0:
        problems.warn(
            f"{shown(path)}: {absent} of {total} instances were not submitted; the score is of the "
            f"{submitted} that were"
        )


FORMAT = log_format(
    "swe-bench",
    "reports of SWE-bench",
    files="reports of SWE-bench",
    recognises=_recognises,
    read_file=_read_file,
)
