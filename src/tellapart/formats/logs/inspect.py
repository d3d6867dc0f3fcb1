"""Logs of Inspect, `.eval` (a zip of JSON) or `.json` (the same in one object)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tellapart.errors import DataError, Notice
from tellapart.files import open_bytes, shown
from tellapart.formats.head import Head
from tellapart.formats.logs.log import (
    Harness,
    Key,
    Log,
    Sample,
    Values,
    as_text,
    list_of,
    object_of,
    scalar_labels,
    short_name,
    text_hash,
    total_notice,
    without_items,
)
from tellapart.formats.problems import Findings
from tellapart.formats.records import ZIP, Archive, open_archive, read_json
from tellapart.words import several

GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
NEWEST_VERSION: Final = 2
COSTS: Final[tuple[Key, ...]] = (
    ("total_time",), ("working_time",), ("total_tokens",), ("input_tokens",), ("output_tokens",),
    ("total_cost",),
)  # fmt: skip
_HEADER: Final = "header.json"
_SUMMARIES: Final = "summaries.json"
_START: Final = "_journal/start.json"
_CHEAP: Final = 1 << 25  # bytes of samples that are read only for their texts
_NAME_AT: Final = 30  # where the name of a zip's first member begins
_FIRST_MEMBERS: Final = (b"_journal/", b"header.json", b"samples/", b"summaries", b"reductions")
_CUT: Final = "...\n(content truncated)"
_CUT_MARKS: Final = (_CUT, json.dumps(_CUT)[1:-1])  # in a text, and in messages as JSON
_LONGEST_SUMMARY: Final = 5120  # summaries cut longer texts, and say so
_TEXTS: Final = ("input", "target", "output", "attachments")
_ATTACHED: Final = "attachment://"


def _recognises(head: Head) -> bool:
    """Return whether this is a log of Inspect, whole or not: `.eval`, or one JSON object."""
    if head.data.startswith(ZIP):
        return head.data[_NAME_AT:].startswith(_FIRST_MEMBERS)
    return head.path.endswith(".eval") or {"version", "eval"} <= set(head.keys())


def _refuses(head: Head) -> DataError | None:
    """Return why a list of tasks or logs, which an eval-set has beside its logs, is no log."""
    keys = head.keys()
    if not {"eval_set_id", "tasks"} <= set(keys) and not any(key.endswith(".eval") for key in keys):
        return None
    return without_items(head.path, "give the logs that it lists, or their folder")


def read_file(path: str, _: Findings) -> list[Log]:
    """Return the log of a file; one that did not succeed has no samples, but says why.

    >>> import json, tempfile
    >>> from pathlib import Path
    >>> scored = [{"id": k, "epoch": 1, "scores": {"match": {"value": "C"}}} for k in (1, 2)]
    >>> head = {"version": 2, "status": "success", "eval": {"model": "mockllm/alder"}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "quiz.json")
    ...     _ = path.write_text(json.dumps({**head, "samples": scored}))
    ...     (log,) = read_file(str(path), Findings(strict=True))
    >>> log.system, [sample.values for sample in log.samples]
    ('alder', [{('match',): 1.0}, {('match',): 1.0}])
    """
    header, rows = _load(path)
    spec, problem = header.get("eval"), _problem(header, path, rows)
    if not isinstance(spec, dict):
        raise DataError(
            problem
            if header.get("status") == "killed"
            else f"{shown(path)}: this is no log of Inspect (it has no `eval`); check --as"
        )
    model, task_id = as_text(spec.get("model")), as_text(spec.get("task_id"))
    task = as_text(spec.get("task")).rpartition("/")[2]
    log = Log(
        path,
        (),
        system=model.rpartition("/")[2] or "unnamed",
        task=task,
        settings=_settings(header, spec, model),
        identity=f"{task_id} {model} {task}" if task_id else "",
        time=as_text(spec.get("created")),
        problem=problem,
    )
    if problem:
        return [log]
    values = Values(GRADES)
    samples = _samples(rows, path, header, values)
    return [
        replace(
            log,
            samples=samples,
            notices=tuple(_notices(header, spec, samples, path)),
            faults=values.faults,
            main=_main(header, samples),
            lower=COSTS,
            costs=COSTS,
        )
    ]


# Files


def _load(path: str) -> tuple[dict[str, Any], Sequence[Any]]:
    """Return the header and the samples, whole or as summaries."""
    with open_bytes(path) as stream:
        zipped = stream.read(len(ZIP)) == ZIP or path.endswith(".eval")
    if zipped:
        with open_archive(path) as archive:
            header, rows = _unpacked(archive)
    else:
        header = object_of(read_json(path, "copy the log again; if it is none, drop --as"))
        rows = list_of(header.get("samples"))
    version = header.get("version")
    if isinstance(version, int) and version > NEWEST_VERSION:
        raise DataError(
            f"{shown(path)}: the log is of version {version}, and those up to {NEWEST_VERSION} are "
            "known here; update tellapart"
        )
    return header, rows


def _unpacked(archive: Archive) -> tuple[dict[str, Any], Sequence[Any]]:
    """Return the header, and summaries, with whole samples where these are needed and cheap.

    A run that was killed has no header. Logs of early 2025 have no metadata in their summaries.
    """
    names = [name for name in archive.sizes if name.startswith("samples/")]
    if _HEADER not in archive.sizes:
        if _START not in archive.sizes:
            raise DataError(f"{shown(archive.path)}: this is no log of Inspect (no {_HEADER})")
        return {**object_of(archive.json(_START)), "status": "killed"}, names
    header = object_of(archive.json(_HEADER))
    rows = list_of(archive.json(_SUMMARIES)) if _SUMMARIES in archive.sizes else []
    rows = [object_of(row) for row in rows]
    if names and not any("metadata" in row for row in rows):
        return header, [archive.json(name) for name in names]
    thin = [(row, _member(row)) for row in rows if _is_thin(row) and _member(row) in archive.sizes]
    if sum(archive.sizes[name] for _, name in thin) <= _CHEAP:
        for row, name in thin:
            whole = object_of(archive.json(name))
            row |= {part: whole[part] for part in _TEXTS if part in whole}
    return header, rows


def _member(row: Mapping[str, Any]) -> str:
    return f"samples/{row.get('id')}_epoch_{row.get('epoch', 1)}.json"


def _is_thin(row: Mapping[str, Any]) -> bool:
    """Return whether a summary lacks texts that the whole sample has."""
    texts = [row.get("input"), row.get("target"), _answer(row)]
    return not texts[2] or any(mark in as_text(text) for text in texts for mark in _CUT_MARKS)


# The run


def _settings(header: Any, spec: Mapping[str, Any], model: str) -> dict[str, str]:
    """Return what was set: the model, how it generates, the arguments of the task and solvers."""
    plan = object_of(header.get("plan"))
    given = (spec.get("model_generate_config"), plan.get("config"))
    settings = {"model": model}
    for each in (*given, spec.get("model_args"), spec.get("task_args")):
        settings |= object_of(each)
    for step in map(object_of, list_of(plan.get("steps"))):
        solver = as_text(step.get("solver")).rpartition("/")[2]
        settings |= {f"{solver}.{name}": v for name, v in object_of(step.get("params")).items()}
    return {name: short_name(as_text(v)) for name, v in settings.items() if v is not None}


def _problem(header: Mapping[str, Any], path: str, rows: Sequence[Any]) -> str:
    """Return why a run cannot count, if it did not succeed, and what to do."""
    status = header.get("status")
    if status == "success":
        return ""
    done = f"{several(len(rows), 'sample')} in the log"
    if status in ("killed", "started"):
        return (
            f"{shown(path)}: the run was killed, or is still going on ({done}); `inspect log "
            "recover` makes a log of them, `inspect eval-retry` finishes it"
        )
    error = header.get("error")
    message = as_text(object_of(error).get("message") or error)
    why = f": {' '.join(message.split())[:200]}" if message else ""
    return (
        f"{shown(path)}: the run did not succeed (status {str(status)[:40]!r}{why}; {done}); "
        "`inspect eval-retry` finishes it"
    )


def _main(header: Any, samples: Sequence[Sample]) -> Key | None:
    """Return the score that the log reports first."""
    results = object_of(header.get("results"))
    scores = list_of(results.get("scores"))
    first = object_of(scores[0]).get("name") if scores else None
    known = dict.fromkeys(key for sample in samples for key in sample.values)
    for name in (object_of(results.get("headline")).get("score"), first):
        for key in known:
            if isinstance(name, str) and key in ((name,), tuple(name.split("."))):
                return key
    return None


def _notices(
    header: Mapping[str, Any], spec: Mapping[str, Any], samples: Sequence[Sample], path: str
) -> Iterator[Notice]:
    if header.get("invalidated"):
        text = f"Counted, though marked as invalid in the log: samples of {shown(path)}."
        yield Notice("invalidated", text, (path,))
    reducers = [r for r in list_of(object_of(spec.get("config")).get("epochs_reducer")) if r]
    if reducers and "mean" not in reducers:
        names = ", ".join(map(str, reducers))
        yield Notice("reducer", f"Epochs were averaged; the logs report them by {names}.")
    kept = tuple(sample.item for sample in samples if sample.error and sample.values)
    if kept:
        number = several(len(kept), "sample")
        text = f"Counted, having scores: {number} of {shown(path)} that ended in an error."
        yield Notice("failed", text, kept)
    total = object_of(header.get("results")).get("total_samples")
    yield from total_notice(path, total, len(samples))


# Samples


def _samples(
    rows: Sequence[Any], path: str, header: Mapping[str, Any], values: Values
) -> tuple[Sample, ...]:
    """Return the samples, epoch by epoch, or refuse them."""
    if not rows:
        off = object_of(object_of(header.get("eval")).get("config")).get("log_samples") is False
        why = "it was written with `--no-log-samples`" if off else "the log is empty"
        raise DataError(f"{shown(path)}: there are no samples ({why}); run it with `--log-samples`")
    samples: dict[tuple[int, str], Sample] = {}
    for row in map(object_of, rows):
        identity, epoch = row.get("id"), row.get("epoch", 1)
        if not isinstance(identity, str | int) or not str(identity).strip():
            raise DataError(f"{shown(path)}: a sample has no id; copy the log again")
        place = f"{shown(path)}: item {str(identity)!r}, epoch {epoch}"
        if not isinstance(epoch, int) or (epoch, str(identity)) in samples:
            raise DataError(f"{place} is there twice, or is no number; give each sample its own id")
        samples[epoch, str(identity)] = _as_sample(row, place, values)
    ordered = tuple(samples[key] for key in sorted(samples, key=lambda key: key[0]))
    if not values.faults and not any(sample.values for sample in ordered):
        errors = [sample.error for sample in ordered if sample.error]
        why = f" (the first failed: {' '.join(errors[0].split())[:100]})" if errors else ""
        raise DataError(
            f"{shown(path)}: none of {several(len(ordered), 'sample')} has a score{why}; run "
            "`inspect score`"
        )
    return ordered


def _as_sample(row: Mapping[str, Any], place: str, values: Values) -> Sample:
    """Return the sample of an object that `summaries.json` or `samples` holds."""
    scores = row.get("scores")
    if not isinstance(scores, dict | None):
        raise DataError(f"{place}: the scores are no object; copy the log again")
    scored = values.of(_values(scores or {}), place)
    attachments = object_of(row.get("attachments"))
    given, gold = (_text(row.get(name), attachments) for name in ("input", "target"))
    output = _text(object_of(row.get("output")).get("completion"), attachments) or _answer(row)
    error = row.get("error")
    if isinstance(error, dict):
        error = error.get("message") or "an error"
    return Sample(
        item=str(row["id"]),
        values={**scored, **_costs(row)} if scored else {},
        place=place,
        error=as_text(error),
        input=given,
        gold=gold,
        output=output,
        labels=scalar_labels(row.get("metadata"), "metadata"),
        data=text_hash(_as_in_summaries(gold)),
    )


def _values(scores: Mapping[str, Any]) -> dict[Key, Any]:
    """Return the parts of all scores: every key of an object and every place of a list is one."""
    parts: dict[Key, Any] = {}
    for scorer, score in scores.items():
        name, value = sys.intern(scorer), score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            parts |= {(name, sys.intern(key)): part for key, part in value.items()}
        elif isinstance(value, list):
            parts |= {(name, str(place)): part for place, part in enumerate(value)}
        else:
            parts[name,] = value
    return parts


def _costs(row: Mapping[str, Any]) -> dict[Key, float]:
    """Return what a sample took: seconds, and tokens of all models."""
    usages = [object_of(usage) for usage in object_of(row.get("model_usage")).values()]
    costs: dict[Key, float] = {}
    for key in COSTS:
        numbers = [each.get(key[0]) for each in (row, *usages)]
        known = [n for n in numbers if isinstance(n, int | float) and not isinstance(n, bool)]
        if known:
            costs[key] = math.fsum(known)
    return costs


def _answer(row: Mapping[str, Any]) -> str:
    """Return the answer that a scorer took from the output."""
    for score in object_of(row.get("scores")).values():
        answer = object_of(score).get("answer")
        if isinstance(answer, str) and answer.strip():
            return answer
    return ""


def _text(value: Any, attachments: Mapping[str, Any]) -> str:
    """Return a text, the messages of a chat, or alternatives, a line each."""
    if isinstance(value, list):
        return "\n".join(_text(_content(part), attachments) for part in value)
    text = as_text(value)
    if text.startswith(_ATTACHED):
        return as_text(attachments.get(text.removeprefix(_ATTACHED), text))
    return text


def _content(message: Any) -> Any:
    """Return what a message says: its text, or the texts of its parts."""
    if not isinstance(message, dict):
        return message
    content = message.get("content", message.get("text"))
    return content if content is not None else f"({message.get('type', 'nothing')})"


def _as_in_summaries(text: str) -> str:
    """Return a text cut as summaries do, so that both kinds of log can be compared."""
    if text.endswith(_CUT) or len(text) <= _LONGEST_SUMMARY:
        return text
    return text[:_LONGEST_SUMMARY] + _CUT


FORMAT = Harness(
    "inspect",
    "logs of Inspect, `.eval` or `.json`",
    files="logs of Inspect",
    recognises=_recognises,
    read_file=read_file,
    refuses=_refuses,
).format()
