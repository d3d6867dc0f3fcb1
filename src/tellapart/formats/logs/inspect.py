"""Logs of Inspect, `.eval` (a zip of JSON) or `.json` (the same in one object).

A log that is newer than what is known here, or that cannot be read, is read by the package
`inspect_ai`, where that is installed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tellapart.errors import DataError, Notice
from tellapart.files import open_bytes, open_text, open_unpacked, shown
from tellapart.formats.head import Head
from tellapart.formats.json_stream import members
from tellapart.formats.logs.archives import MAGIC, Archive, open_archive
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.inspect_checks import contradictions, unmatched
from tellapart.formats.logs.log import (
    NOT_EMPTY,
    Key,
    Log,
    Sample,
    as_text,
    number,
    parse_log,
    scalar_labels,
)
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.words import several

GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
CUT: Final = "...\n(content truncated)"
NEWEST_VERSION: Final = 2
"""The version of logs that is known here; newer ones need the package"""
_CUT_MARKS: Final = (CUT, json.dumps(CUT)[1:-1])  # in a text, and in messages as JSON
_SUMMARY: Final = 5120  # summaries cut longer texts, and say so
_ATTACHED: Final = "attachment://"
_HEADER: Final = "header.json"
_SUMMARIES: Final = "summaries.json"
_SAMPLES: Final = "samples/"
_TIMES: Final = ("total_time", "working_time")
_LARGE: Final = 1 << 24  # bytes of JSON that are read at once
_KEPT: Final = (
    "id", "epoch", "input", "target", "scores", "score", "metadata", "error", "model_usage",
    *_TIMES,
)  # fmt: skip
_CHEAP: Final = 1 << 25  # bytes of samples that are read only for their texts
_NAME_AT: Final = 30  # where the name of a zip's first member begins
_FIRST_MEMBERS: Final = (
    b"_journal/", b"header.json", b"samples/", b"summaries", b"reductions.json",
)  # fmt: skip
_TOKENS: Final = ("total_tokens", "input_tokens", "output_tokens", "total_cost")
_LONGEST: Final = 40  # characters of a setting; what is longer is told by a hash


def _recognises(head: Head) -> bool:
    """Return whether this is a log of Inspect, whole or not: `.eval`, or one JSON object."""
    if head.path.endswith(".eval"):
        return True
    if head.data.startswith(MAGIC):
        return head.data[_NAME_AT:].startswith(_FIRST_MEMBERS)
    return {"version", "eval"} <= set(head.keys())


def _refuses(head: Head) -> DataError | None:
    """Return why the list of an eval-set's tasks, which lies beside its logs, is no log."""
    if not {"eval_set_id", "tasks"} <= set(head.keys()):
        return None
    return DataError(
        f"{shown(head.path)}: this lists the tasks of an eval-set, and has no scores; give its "
        "folder, or the logs in it"
    )


def read_file(path: str, problems: Findings) -> list[Log]:
    """Return the log of a file; one that did not succeed has no samples, but says why.

    >>> import tempfile
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
    header, rows = _load(path, problems)
    spec = _checked_spec(header, path)
    model = _text_of(spec, "model")
    if not model:
        problems.warn(f"{shown(path)}: the header names no model; the system is called unnamed")
    dataset = _object(spec.get("dataset"))
    about: dict[str, Any] = {
        "system": model.rpartition("/")[2] or "unnamed",
        "task": _text_of(spec, "task").rpartition("/")[2],
        "dataset": _text_of(dataset, "name"),
        "settings": _settings(header, spec, model),
        "identity": _text_of(spec, "task_id"),
        "time": _text_of(spec, "created"),
    }
    problem = _problem(header, path)
    if problem:
        return [Log(path, (), **about, problem=problem)]
    rows = _checked_rows(rows, spec, path)
    faults: dict[Key, str] = {}
    samples = tuple(_as_sample(row, path, faults, _only_scorer(header)) for row in rows)
    if not faults and not any(sample.values for sample in samples):
        errors = [sample.error for sample in samples if sample.error]
        why = f" (the first failed: {' '.join(errors[0].split())[:100]})" if errors else ""
        raise DataError(
            f"{shown(path)}: none of {several(len(samples), 'sample')} has a score{why}; score "
            "the log with `inspect score`, and give that"
        )
    ids = dataset.get("sample_ids")
    fields = [(row.get("id"), row.get("metadata")) for row in rows]
    keys = [(f"{shown(path)}: item {str(k)!r}", m.keys()) for k, m in fields if isinstance(m, dict)]
    warn_of_lacking(keys, "label", problems, NOT_EMPTY)
    for finding in contradictions(header, spec, samples):
        problems.warn(f"{shown(path)}: {finding}")
    notices = (
        *_run_notices(header, spec, path),
        *_error_notices(samples, path),
        *_cluster_notice(spec, samples),
    )
    costs = tuple((name,) for name in (*_TIMES, *_TOKENS))
    return [
        Log(
            path,
            samples,
            order=tuple(map(str, ids)) if isinstance(ids, list) else (),
            notices=notices,
            faults=faults,
            main=_main(header, samples),
            lower=costs,
            costs=costs,
            **about,
        )
    ]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text_of(fields: Mapping[str, Any], name: str) -> str:
    return str(fields.get(name) or "")


def _settings(header: Any, spec: Mapping[str, Any], model: str) -> dict[str, str]:
    """Return what was set: the model, how it generates, the arguments of the task and solvers."""
    found: dict[str, Any] = {"model": model}
    plan = _object(header.get("plan"))
    for given in (
        spec.get("model_generate_config"),
        plan.get("config"),
        spec.get("model_args"),
        spec.get("task_args"),
    ):
        found.update(_object(given))
    steps = plan.get("steps")
    for step in map(_object, steps if isinstance(steps, list) else ()):
        for name, value in _object(step.get("params")).items():
            found[f"{_text_of(step, 'solver').rpartition('/')[2]}.{name}"] = value
    return {name: _shortened(as_text(value)) for name, value in found.items() if value is not None}


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… {hashlib.sha256(text.encode(errors='replace')).hexdigest()[:6]}"


def _main(header: Any, samples: Sequence[Sample]) -> Key | None:
    """Return the score that the log reports first."""
    results = _object(header.get("results"))
    headline = _object(results.get("headline")).get("score")
    scores = results.get("scores")
    first = _object(scores[0]).get("name") if isinstance(scores, list) and scores else None
    known = {key for sample in samples for key in sample.values}
    for name in (headline, first):
        for key in known:
            if isinstance(name, str) and key in ((name,), tuple(name.split("."))):
                return key
    return None


def _only_scorer(header: Any) -> str:
    """Return the name of the scorer of logs that had one only, and no name for it in samples."""
    scorer = _object(header.get("results")).get("scorer")
    return _text_of(_object(scorer), "name") or "score"


def _cluster_notice(spec: Mapping[str, Any], samples: Sequence[Sample]) -> Iterator[Notice]:
    """Yield a notice of the label by which the log clusters its own standard errors."""
    for label in dict.fromkeys(_clusters(spec.get("scorers"), spec.get("metrics"))):
        if any(label in sample.labels for sample in samples):
            text = (
                f"The logs take their own standard errors by {label}, and items of one {label} may "
                f"be right or wrong together: add --cluster {label}, and trust that answer."
            )
            yield Notice("maybe-clustered", text, (label,))
            return


def _load(path: str, problems: Findings) -> tuple[Any, Any]:
    """Return the header and the samples, whole or as summaries; newer logs by the package."""
    try:
        header, rows = _load_here(path, problems)
    except DataError:
        tree = _load_by_package(path)
        if tree is None:
            raise
        return tree, tree.get("samples")
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(version, int) or version <= NEWEST_VERSION:
        return header, rows
    tree = _load_by_package(path)
    if tree is None:
        raise DataError(
            f"{shown(path)}: the log is of version {version}, and those up to {NEWEST_VERSION} are "
            "known here; pip install inspect_ai, by which newer ones are read"
        )
    return tree, tree.get("samples")


def _load_by_package(path: str) -> Mapping[str, Any] | None:
    """Return what `inspect_ai` makes of a log; None where it is not installed, or cannot either."""
    try:
        package: Any = importlib.import_module("inspect_ai.log")
        tree = package.read_eval_log(path).model_dump(mode="json")
    except Exception:  # whatever a stranger's package raises
        return None
    return tree if isinstance(tree, dict) else None


def _load_here(path: str, problems: Findings) -> tuple[Any, Any]:
    with open_bytes(path) as stream:
        zipped = stream.read(len(MAGIC)) == MAGIC or path.endswith(".eval")
        stream.seek(0)
        if zipped:
            return _unpacked(open_archive(path, stream), problems)
    if os.path.isfile(path) and os.path.getsize(path) > _LARGE:
        return _read_by_rows(path)
    with open_unpacked(path) as stream:
        tree = parse_log(stream.read(), shown(path))
    return tree, tree.get("samples") if isinstance(tree, dict) else None


def _read_by_rows(path: str) -> tuple[Any, Any]:
    """Return header and samples of a large JSON log, of which only what is needed is kept."""
    header: dict[str, Any] = {}
    rows: list[Any] = []
    with open_text(path) as stream:
        for key, value in members(stream, "samples", shown(path), "copy the file again"):
            if key != "samples":
                header[key] = value
            elif value != []:
                rows.append(_needed(value))
    return header, rows


def _needed(row: Any) -> Any:
    """Return a whole sample without its events and messages, which may be many times the rest."""
    if not isinstance(row, dict):
        return row
    kept = {name: row[name] for name in _KEPT if name in row}
    output = row.get("output")
    if isinstance(output, dict) and "completion" in output:
        kept["output"] = {"completion": output["completion"]}
    attached = row.get("attachments")
    if isinstance(attached, dict) and attached:
        texts = as_text([kept.get(name) for name in ("input", "target", "output")])
        kept["attachments"] = {name: text for name, text in attached.items() if name in texts}
    return kept


def _unpacked(archive: Archive, problems: Findings) -> tuple[Any, Any]:
    if _HEADER not in archive.sizes:
        begun = "_journal/start.json" in archive.sizes
        finding = "the run was not finished" if begun else "this is no log of Inspect"
        raise DataError(
            f"{shown(archive.path)}: {finding} (there is no {_HEADER} in it); give a finished log"
        )
    return archive.json(_HEADER), _archived_rows(archive, problems)


def _archived_rows(archive: Archive, problems: Findings) -> Any:
    """Return the summaries, with whole samples where these are needed and cheap.

    Logs of early 2025 have no metadata in their summaries, and older ones no summaries.
    """
    names = [name for name in archive.sizes if name.startswith(_SAMPLES) and name[-5:] == ".json"]
    rows = archive.json(_SUMMARIES) if _SUMMARIES in archive.sizes else []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return rows
    if rows:
        for problem in unmatched(names, list(map(_member, rows))):
            problems.warn(f"{shown(archive.path)}: {problem}")
    if names and not any("metadata" in row for row in rows):
        return [_needed(archive.json(name)) for name in names]
    wanted = {k: name for k, row in enumerate(rows) if _is_thin(row) and (name := _member(row))}
    if sum(archive.sizes.get(name, 0) for name in wanted.values()) <= _CHEAP:
        for k, name in wanted.items():
            if name in archive.sizes:
                rows[k] = _completed(rows[k], archive.json(name))
    return rows


def _member(row: Mapping[str, Any]) -> str:
    return f"{_SAMPLES}{row.get('id')}_epoch_{_epoch_of(row)}.json"


def _completed(row: dict[str, Any], whole: Any) -> dict[str, Any]:
    """Return a summary with the texts of the whole sample."""
    if not isinstance(whole, dict) or whole.get("id") != row.get("id"):
        return row
    texts = ("input", "target", "output", "attachments")
    return {**row, **{name: whole[name] for name in texts if name in whole}}


def _checked_spec(header: Any, path: str) -> dict[str, Any]:
    spec = header.get("eval") if isinstance(header, dict) else None
    if not isinstance(spec, dict):
        raise DataError(
            f"{shown(path)}: this is no log of Inspect (it has no `eval`); give an .eval or .json "
            "log, or name the format with --as"
        )
    return spec


def _problem(header: Any, path: str) -> str:
    """Return why a run cannot count, if it did not succeed."""
    status = header.get("status")
    if status == "success":
        return ""
    error = header.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    why = f": {' '.join(str(message).split())[:200]}" if message else ""
    return (
        f"{shown(path)}: the run did not succeed (status {str(status)[:40]!r}{why}); finish it "
        "with `inspect eval-retry`, and give the new log"
    )


def _checked_rows(rows: Any, spec: Mapping[str, Any], path: str) -> list[Any]:
    if rows is not None and not isinstance(rows, list):
        raise DataError(f"{shown(path)}: the samples are no list; give a log that Inspect wrote")
    if not rows:
        config = spec.get("config")
        off = isinstance(config, dict) and config.get("log_samples") is False
        why = "it was written with --no-log-samples" if off else "the log is empty"
        raise DataError(
            f"{shown(path)}: there are no samples ({why}); a paired test needs one score per "
            "item: run the evaluation with --log-samples"
        )
    seen: set[tuple[str, int]] = set()
    for row in rows:
        if isinstance(row, dict):
            epoch = row.get("epoch", 1)
            if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 1:
                raise DataError(
                    f"{shown(path)}: item {str(row.get('id'))!r}: the epoch is "
                    f"{as_text(epoch)[:40]!r}, no whole number from 1 on; give a log that Inspect "
                    "wrote"
                )
            pair = str(row.get("id")), epoch
            if pair in seen:
                raise DataError(
                    f"{shown(path)}: item {pair[0]!r}, epoch {pair[1]} appears twice; give each "
                    "sample of the data set its own id"
                )
            seen.add(pair)
    return sorted(rows, key=lambda row: _epoch_of(row) if isinstance(row, dict) else 0)


def _run_notices(header: Any, spec: Mapping[str, Any], path: str) -> Iterator[Notice]:
    if header.get("invalidated"):
        text = f"Samples of {shown(path)} are marked as invalid in the log; they were counted."
        yield Notice("invalidated", text, (path,))
    config = spec.get("config")
    reducers = config.get("epochs_reducer") if isinstance(config, dict) else None
    if isinstance(reducers, list) and reducers and reducers != ["mean"]:
        names = ", ".join(map(str, reducers))
        text = f"Epochs were averaged, while {shown(path)} itself reports them by {names}."
        yield Notice("reducer", text, (path,))


def _error_notices(samples: Sequence[Sample], path: str) -> Iterator[Notice]:
    kept = tuple(sample.item for sample in samples if sample.error and sample.values)
    if kept:
        samples_kept = several(len(kept), "sample")
        text = f"{samples_kept} of {shown(path)} ended in an error but have scores; "
        text += "these were counted."
        yield Notice("failed", text, kept)


def _clusters(*definitions: Any) -> Iterator[str]:
    """Yield the labels by which metrics cluster, wherever they are declared."""
    for each in definitions:
        if isinstance(each, dict):
            options = each.get("options")
            if isinstance(options, dict) and isinstance(options.get("cluster"), str):
                yield options["cluster"]
            yield from _clusters(*(part for part in each.values() if isinstance(part, dict | list)))
        elif isinstance(each, Sequence) and not isinstance(each, str):
            yield from _clusters(*each)


def _as_sample(row: Any, path: str, faults: dict[Key, str], scorer: str = "score") -> Sample:
    """Return the sample of an object that `summaries.json` or `samples` holds.

    Values that are no numbers are left out, and noted in `faults`. `scorer` names the only score
    of a row that has no name for it.

    >>> row = {"id": 7, "epoch": 1, "target": "31", "scores": {"match": {"value": "C"}}}
    >>> sample = _as_sample(row, "quiz.eval", {})
    >>> sample.item, sample.gold, sample.values
    ('7', '31', {('match',): 1.0})
    """
    identity = row.get("id") if isinstance(row, dict) else None
    if not isinstance(identity, str | int) or not str(identity).strip():
        raise DataError(f"{shown(path)}: a sample has no id; this is no log that Inspect wrote")
    place = f"{shown(path)}: item {str(identity)!r}, epoch {_epoch_of(row)}"
    attached = row.get("attachments")
    attachments = attached if isinstance(attached, dict) else {}
    scores = row.get("scores")
    if scores is None and isinstance(row.get("score"), dict):  # as the first version had it
        scores = {scorer: row["score"]}
    values = _values(scores, place, faults)
    given, gold = (_text(row.get(name), attachments) for name in ("input", "target"))
    return Sample(
        item=str(identity),
        values={**values, **_costs(row)} if values else {},
        place=place,
        error=_error(row.get("error")),
        input=given,
        gold=gold,
        output=_output(row, attachments),
        labels=scalar_labels(row.get("metadata"), "metadata"),
        prompt_print=_as_in_summaries(given),
        gold_print=_as_in_summaries(gold),
    )


def _epoch_of(row: Mapping[str, Any]) -> int:
    """Return the number of the run; logs without epochs have one."""
    epoch = row.get("epoch", 1)
    return epoch if isinstance(epoch, int) else 1


def _is_thin(row: Mapping[str, Any]) -> bool:
    """Return whether a summary lacks texts that the whole sample has."""
    texts = [row.get("input"), row.get("target"), _answer(row)]
    return not texts[2] or any(mark in as_text(text) for text in texts for mark in _CUT_MARKS)


def _values(scores: Any, place: str, faults: dict[Key, str]) -> dict[Key, float]:
    values: dict[Key, float] = {}
    if not isinstance(scores, dict | None):
        raise DataError(f"{place}: the scores are no object; give a log that Inspect wrote")
    for scorer, score in (scores or {}).items():
        for key, raw in _parts(scorer, score.get("value") if isinstance(score, dict) else score):
            value = number(raw, GRADES)
            if value is None:
                finding = (
                    f"{place}: the value of {'.'.join(key)!r} is {as_text(raw)[:60]!r}, which is "
                    "neither a number nor a grade (C, P, I, N); choose other values with --metric"
                )
                faults.setdefault(key, finding)
            elif not math.isnan(value):  # NaN is what Inspect writes where nothing was scored
                values[key] = value
    return values


def _costs(row: Mapping[str, Any]) -> dict[Key, float]:
    """Return what a sample took: seconds, and tokens of all models."""
    found: dict[Key, float] = {}
    for name in _TIMES:
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            found[name,] = float(value)
    usages = [each for each in _object(row.get("model_usage")).values() if isinstance(each, dict)]
    for name in _TOKENS:
        numbers = [each[name] for each in usages if isinstance(each.get(name), int | float)]
        if numbers:
            found[name,] = math.fsum(numbers)
    return found


def _parts(scorer: str, value: Any) -> Iterator[tuple[Key, Any]]:
    """Yield the parts of a value: every key of an object and every place of a list is one."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (scorer, key), part
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield (scorer, str(place)), part
    else:
        yield (scorer,), value


def _error(error: Any) -> str:
    if isinstance(error, dict):
        error = error.get("message") or "an error"
    return str(error) if error else ""


def _answer(row: Mapping[str, Any]) -> str:
    """Return the answer that a scorer took from the output."""
    scores = row.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        answer = score.get("answer") if isinstance(score, dict) else None
        if isinstance(answer, str) and answer.strip():
            return answer
    return ""


def _output(row: Mapping[str, Any], attachments: Mapping[str, Any]) -> str:
    output = row.get("output")
    completion = output.get("completion") if isinstance(output, dict) else None
    return _text(completion, attachments) or _answer(row)


def _text(value: Any, attachments: Mapping[str, Any]) -> str:
    """Return a text, the messages of a chat, or alternatives, a line each."""
    if value is None:
        return ""
    if isinstance(value, list):
        parts = (_content(each) if isinstance(each, dict) else each for each in value)
        return "\n".join(_text(part, attachments) for part in parts)
    text = as_text(value)
    if text.startswith(_ATTACHED):
        return as_text(attachments.get(text.removeprefix(_ATTACHED), text))
    return text


def _content(message: Any) -> Any:
    """Return what a message says: its text, or the texts of its parts."""
    if not isinstance(message, dict):
        return ""
    content = message.get("content", message.get("text"))
    if isinstance(content, list):
        return [_content(part) for part in content]
    return content if content is not None else f"({message.get('type', 'nothing')})"


def _as_in_summaries(text: str) -> str:
    """Return a text cut as summaries do, so that both kinds of log can be compared."""
    if text.endswith(CUT) or len(text) <= _SUMMARY:
        return text
    return text[:_SUMMARY] + CUT


FORMAT = log_format(
    "inspect",
    "logs of Inspect, `.eval` or `.json`",
    files="logs of Inspect",
    recognises=_recognises,
    read_file=read_file,
    refuses=_refuses,
)
