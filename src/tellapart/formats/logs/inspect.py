"""Logs of Inspect, `.eval` (a zip of JSON) or `.json` (the same in one object), as counts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tellapart.counts import Counts
from tellapart.errors import DataError, Finding, Notice, UsageError
from tellapart.files import open_bytes, open_unpacked, shown
from tellapart.formats.logs.archives import MAGIC, Archive, open_archive
from tellapart.formats.logs.counting import assemble
from tellapart.formats.logs.inspect_checks import contradictions, unmatched
from tellapart.formats.logs.log import (
    NOT_EMPTY,
    Key,
    Log,
    Sample,
    as_text,
    in_order,
    number,
    parse_log,
    scalar_labels,
)
from tellapart.formats.logs.metric_names import DOTTED, choose_columns
from tellapart.formats.logs.recognition import refuse_other_files
from tellapart.formats.missing import check_policy
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.formats.sources import called_twice, parse_source, paths_of
from tellapart.read_once import reading_once
from tellapart.words import several

GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
CUT: Final = "...\n(content truncated)"
_CUT_MARKS: Final = (CUT, json.dumps(CUT)[1:-1])  # in a text, and in messages as JSON
_SUMMARY: Final = 5120  # summaries cut longer texts, and say so
_ATTACHED: Final = "attachment://"
_HEADER: Final = "header.json"
_SUMMARIES: Final = "summaries.json"
_SAMPLES: Final = "samples/"
_CHEAP: Final = 1 << 25  # bytes of samples that are read only for their texts


@dataclass(frozen=True, slots=True)
class InspectLog:
    """A log, and what its header says of the run."""

    log: Log
    model: str
    task: str
    dataset: str
    cluster: str | None
    """The label by which the log's own standard errors are clustered"""


@reading_once()
def read_logs(
    sources: Sequence[str | Path],
    *,
    metrics: Sequence[str] | None = None,
    missing: str = "error",
) -> Counts:
    """Return the scores of Inspect's logs, one or several runs for each system.

    A source is a path, `NAME=path` or `NAME=run1,run2`; the default name is the last part of the
    model's. Every scorer is a column, and every key of values that are objects; `metrics` chooses
    some. Epochs are averaged over those that were scored; `missing` says what becomes of items
    without any, as in `read_tables`. Scalars of the metadata become labels; a notice names the
    label by which the logs cluster their own standard errors.

    >>> import json, tempfile
    >>> scored = [{"id": k, "epoch": 1, "scores": {"match": {"value": "C"}}} for k in (1, 2)]
    >>> head = {"version": 2, "status": "success", "eval": {"model": "mockllm/alder"}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "quiz.json")
    ...     _ = path.write_text(json.dumps({**head, "samples": scored}))
    ...     counts = read_logs([path])
    >>> counts, counts.names, counts.columns
    (<Counts: 1 system × 2 items × 1 column>, ('alder',), ('match',))
    """
    check_policy(missing)
    if not sources:
        raise UsageError("there is no log to read; name at least one file")
    given = [
        (source, [read_log(path) for path in source.paths]) for source in map(parse_source, sources)
    ]
    every = [log for _, logs in given for log in logs]
    _check_same(every)
    systems: dict[str, list[InspectLog]] = {}
    for source, logs in given:
        name = source.name or logs[0].model
        if name in systems:
            raise called_twice(name, source.paths[0], systems[name][0].log.path)
        systems[name] = logs
    columns, left_out = choose_columns([each.log for each in every], metrics, DOTTED)
    together = {name: [each.log for each in logs] for name, logs in systems.items()}
    counts = assemble(together, columns, missing, left_out)
    cluster = next((log.cluster for log in every if log.cluster in counts.labels), None)
    if cluster is None:
        return counts
    text = (
        f"The logs take their own standard errors by {cluster}, and items of one {cluster} may be "
        f"right or wrong together: add --cluster {cluster}, and trust that answer."
    )
    return replace(counts, notices=(*counts.notices, Notice("maybe-clustered", text, (cluster,))))


def _check_same(logs: Sequence[InspectLog]) -> None:
    """Refuse logs that are not of the same task and the same data."""
    first = logs[0]
    for other in logs[1:]:
        for what, mine, theirs in (
            ("task", first.task, other.task),
            ("data set", first.dataset, other.dataset),
        ):
            if mine and theirs and mine != theirs:
                raise DataError(
                    f"{shown(other.log.path)}: the {what} is {theirs!r}, but {mine!r} in "
                    f"{shown(first.log.path)}; compare logs of one {what}"
                )


def read_log(path: str) -> InspectLog:
    """Return a finished log with scores; anything else is a DataError."""
    refuse_other_files(path, "inspect")
    problems = Findings(strict=True)
    header, rows = _load(path, problems)
    spec = _checked_spec(header, path)
    rows = _checked_rows(rows, spec, path)
    faults: dict[Key, str] = {}
    samples = in_order(_as_sample(row, path, faults) for row in rows)
    if not faults and not any(sample.values for sample in samples):
        errors = [sample.error for sample in samples if sample.error]
        why = f" (the first failed: {' '.join(errors[0].split())[:100]})" if errors else ""
        raise DataError(
            f"{shown(path)}: none of {several(len(samples), 'sample')} has a score{why}; score "
            "the log with `inspect score`, and give that"
        )
    dataset = spec.get("dataset")
    dataset = dataset if isinstance(dataset, dict) else {}
    ids = dataset.get("sample_ids")
    order = tuple(map(str, ids)) if isinstance(ids, list) else ()
    fields = [(row.get("id"), row.get("metadata")) for row in rows]
    keys = [(f"{shown(path)}: item {str(k)!r}", m.keys()) for k, m in fields if isinstance(m, dict)]
    warn_of_lacking(keys, "label", problems, NOT_EMPTY)
    for problem in contradictions(header, spec, samples):
        problems.warn(f"{shown(path)}: {problem}")
    model = str(spec.get("model") or "").rpartition("/")[2]
    if not model:
        problems.warn(f"{shown(path)}: the header names no model; the system is called unnamed")
    notices = (
        *problems.notices(),
        *_run_notices(header, spec, path),
        *_error_notices(samples, path),
    )
    return InspectLog(
        Log(path, samples, order, notices, faults),
        model=model or "unnamed",
        task=str(spec.get("task") or "").rpartition("/")[2],
        dataset=str(dataset.get("name") or ""),
        cluster=next(_clusters(spec.get("scorers"), spec.get("metrics")), None),
    )


def _load(path: str, problems: Findings) -> tuple[Any, Any]:
    """Return the header and the samples, whole or as summaries."""
    with open_bytes(path) as stream:
        zipped = stream.read(len(MAGIC)) == MAGIC or path.endswith(".eval")
        stream.seek(0)
        if zipped:
            return _unpacked(open_archive(path, stream), problems)
    with open_unpacked(path) as stream:
        tree = parse_log(stream.read(), shown(path))
    return tree, tree.get("samples") if isinstance(tree, dict) else None


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
        return [archive.json(name) for name in names]
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
    status = header.get("status")
    if status != "success":
        error = header.get("error")
        message = error.get("message") if isinstance(error, dict) else error
        why = f": {' '.join(str(message).split())[:200]}" if message else ""
        raise DataError(
            f"{shown(path)}: the run did not succeed (status {str(status)[:40]!r}{why}); finish it "
            "with `inspect eval-retry`, and give the new log"
        )
    return spec


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
                    f"{shown(path)}: item {pair[0]!r}, epoch {pair[1]} is there twice; give each "
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


def _as_sample(row: Any, path: str, faults: dict[Key, str]) -> Sample:
    """Return the sample of an object that `summaries.json` or `samples` holds.

    Values that are no numbers are left out, and noted in `faults`.

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
    given, gold = (_text(row.get(name), attachments) for name in ("input", "target"))
    return Sample(
        item=str(identity),
        values=_values(row.get("scores"), place, faults),
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


def findings(sources: Sequence[str]) -> list[Finding]:
    """Return the problems of logs, each by itself and all together."""
    problems = Findings()
    listed = {"not-numbers"}
    for path in paths_of(sources):
        with problems.of_file():
            log = read_log(path).log
            numbers = log.keys()
            for key, fault in log.faults.items():
                # What is nowhere a number is left out where scores are compared.
                (problems.complain if key in numbers else problems.warn)(fault)
            failed = [sample for sample in log.samples if not sample.values]
            if failed:
                first = failed[0]
                why = f" ({' '.join(first.error.split())[:100]})" if first.error else ""
                have = f"{several(len(failed), 'sample')} {'has' if len(failed) == 1 else 'have'}"
                problems.warn(f"{first.place}: no score{why}; {have} none")
            for notice in log.notices:
                listed.add(notice.code)
                problems.warn(notice.text.removesuffix("."))
    return problems.as_read(lambda: read_logs(sources).notices, listed)
