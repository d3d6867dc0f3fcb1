"""Logs of Inspect, `.eval` (a zip of JSON) or `.json` (the same in one object).

A log that is newer than what is known here, or that cannot be read, is read by the package
`inspect_ai`, where that is installed. Whether a log is whole is seen by what its header says of the
samples.
"""

from __future__ import annotations

import hashlib
import importlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tellapart.errors import DataError, Notice
from tellapart.files import open_bytes, open_text, open_unpacked, shown
from tellapart.formats.head import Head
from tellapart.formats.json_stream import members
from tellapart.formats.logs.archives import MAGIC, Archive, Rows, open_archive
from tellapart.formats.logs.harness import log_format
from tellapart.formats.logs.inspect_samples import (
    TIMES,
    TOKENS,
    SampleRows,
    epoch_of,
    is_thin,
    object_of,
    rows_of,
    text_of,
)
from tellapart.formats.logs.log import (
    NOT_EMPTY,
    Key,
    Log,
    Sample,
    as_text,
    parse_log,
)
from tellapart.formats.problems import Findings, warn_of_lacking
from tellapart.words import listed, several

NEWEST_VERSION: Final = 2
"""The version of logs that is known here; newer ones need the package"""
_HEADER: Final = "header.json"
_SUMMARIES: Final = "summaries.json"
_SAMPLES: Final = "samples/"
_LARGE: Final = 1 << 24  # bytes of JSON that are read at once
_CHEAP: Final = 1 << 25  # bytes of samples that are read only for their texts
_NAME_AT: Final = 30  # where the name of a zip's first member begins
_FIRST_MEMBERS: Final = (
    b"_journal/", b"header.json", b"samples/", b"summaries", b"reductions.json",
)  # fmt: skip
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
    header, rows = _load(path, problems)
    spec = _checked_spec(header, path)
    model = text_of(spec, "model")
    if not model:
        problems.warn(f"{shown(path)}: the header names no model; the system is called unnamed")
    dataset = object_of(spec.get("dataset"))
    about: dict[str, Any] = {
        "system": model.rpartition("/")[2] or "unnamed",
        "task": text_of(spec, "task").rpartition("/")[2],
        "dataset": text_of(dataset, "name"),
        "settings": _settings(header, spec, model),
        "identity": text_of(spec, "task_id"),
        "time": text_of(spec, "created"),
    }
    problem = _problem(header, path)
    if problem:
        return [Log(path, (), **about, problem=problem)]
    samples, faults = rows.checked(spec), rows.faults()
    if not faults and not any(sample.values for sample in samples):
        errors = [sample.error for sample in samples if sample.error]
        why = f" (the first failed: {' '.join(errors[0].split())[:100]})" if errors else ""
        raise DataError(
            f"{shown(path)}: none of {several(len(samples), 'sample')} has a score{why}; score "
            "the log with `inspect score`, and give that"
        )
    ids = dataset.get("sample_ids")
    warn_of_lacking(rows.label_names(), "label", problems, NOT_EMPTY)
    for finding in contradictions(header, spec, samples):
        problems.warn(f"{shown(path)}: {finding}")
    notices = (
        *_run_notices(header, spec, path),
        *_error_notices(samples, path),
        *_cluster_notice(spec, samples),
        *rows.kept.notices(path),
    )
    costs = tuple((name,) for name in (*TIMES, *TOKENS))
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


def _settings(header: Any, spec: Mapping[str, Any], model: str) -> dict[str, str]:
    """Return what was set: the model, how it generates, the arguments of the task and solvers."""
    found: dict[str, Any] = {"model": model}
    plan = object_of(header.get("plan"))
    for given in (
        spec.get("model_generate_config"),
        plan.get("config"),
        spec.get("model_args"),
        spec.get("task_args"),
    ):
        found.update(object_of(given))
    steps = plan.get("steps")
    for step in map(object_of, steps if isinstance(steps, list) else ()):
        for name, value in object_of(step.get("params")).items():
            found[f"{text_of(step, 'solver').rpartition('/')[2]}.{name}"] = value
    return {name: _shortened(as_text(value)) for name, value in found.items() if value is not None}


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… {hashlib.sha256(text.encode(errors='replace')).hexdigest()[:6]}"


def _main(header: Any, samples: Sequence[Sample]) -> Key | None:
    """Return the score that the log reports first."""
    results = object_of(header.get("results"))
    headline = object_of(results.get("headline")).get("score")
    scores = results.get("scores")
    first = object_of(scores[0]).get("name") if isinstance(scores, list) and scores else None
    known = {key for sample in samples for key in sample.values}
    for name in (headline, first):
        for key in known:
            if isinstance(name, str) and key in ((name,), tuple(name.split("."))):
                return key
    return None


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


def _load(path: str, problems: Findings) -> tuple[Any, SampleRows]:
    """Return the header and the samples, whole or as summaries; newer logs by the package."""
    try:
        header, rows = _load_here(path, problems)
    except DataError:
        tree = _load_by_package(path)
        if tree is None:
            raise
        return tree, rows_of(path, tree, tree.get("samples"))
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(version, int) or version <= NEWEST_VERSION:
        return header, rows
    tree = _load_by_package(path)
    if tree is None:
        raise DataError(
            f"{shown(path)}: the log is of version {version}, and those up to {NEWEST_VERSION} are "
            "known here; pip install inspect_ai, by which newer ones are read"
        )
    return tree, rows_of(path, tree, tree.get("samples"))


def _load_by_package(path: str) -> Mapping[str, Any] | None:
    """Return what `inspect_ai` makes of a log; None where it is not installed, or cannot either."""
    try:
        package: Any = importlib.import_module("inspect_ai.log")
        tree = package.read_eval_log(path).model_dump(mode="json")
    except Exception:  # whatever a stranger's package raises
        return None
    return tree if isinstance(tree, dict) else None


def _load_here(path: str, problems: Findings) -> tuple[Any, SampleRows]:
    with open_bytes(path) as stream:
        zipped = stream.read(len(MAGIC)) == MAGIC or path.endswith(".eval")
        stream.seek(0)
        if zipped:
            return _unpacked(open_archive(path, stream), problems)
    if os.path.isfile(path) and os.path.getsize(path) > _LARGE:
        return _read_by_rows(path)
    with open_unpacked(path) as stream:
        tree = parse_log(stream.read(), shown(path))
    return tree, rows_of(path, tree, tree.get("samples") if isinstance(tree, dict) else None)


def _read_by_rows(path: str) -> tuple[Any, SampleRows]:
    """Return header and samples of a large JSON log, of which only what is needed is kept."""
    header: dict[str, Any] = {}
    rows = SampleRows(path, header)
    with open_text(path) as stream:
        for key, value in members(stream, "samples", shown(path), "copy the file again"):
            if key != "samples":
                header[key] = value
            elif value != []:
                rows.add(value)
    return header, rows


def _unpacked(archive: Archive, problems: Findings) -> tuple[Any, SampleRows]:
    if _HEADER not in archive.sizes:
        begun = "_journal/start.json" in archive.sizes
        finding = "the run was not finished" if begun else "this is no log of Inspect"
        raise DataError(
            f"{shown(archive.path)}: {finding} (there is no {_HEADER} in it); give a finished log"
        )
    header = archive.json(_HEADER)
    return header, _archived_rows(archive, header, problems)


def _archived_rows(archive: Archive, header: Any, problems: Findings) -> SampleRows:
    """Return the summaries, with whole samples where these are needed and cheap.

    Logs of early 2025 have no metadata in their summaries, and older ones no summaries.
    """
    names = [name for name in archive.sizes if name.startswith(_SAMPLES) and name[-5:] == ".json"]
    size = archive.sizes.get(_SUMMARIES)
    rows: Any = []
    if size is not None:
        rows = archive.json(_SUMMARIES) if size <= _LARGE else archive.rows(_SUMMARIES)
    summed, thin, metadata = list[str](), dict[int, str](), False
    for k, row in enumerate(rows if isinstance(rows, list | Rows) else (None,)):
        if not isinstance(row, dict):
            return rows_of(archive.path, header, rows)
        summed.append(_member(row))
        metadata = metadata or "metadata" in row
        if is_thin(row):
            thin[k] = summed[-1]
    if summed:
        for problem in unmatched(names, summed):
            problems.warn(f"{shown(archive.path)}: {problem}")
    if names and not metadata:
        return rows_of(archive.path, header, map(archive.json, names))
    if sum(archive.sizes.get(name, 0) for name in thin.values()) > _CHEAP:
        thin = {}
    return rows_of(archive.path, header, (
        _completed(row, archive.json(thin[k])) if thin.get(k) in archive.sizes else row
        for k, row in enumerate(rows)
    ))  # fmt: skip


def _member(row: Mapping[str, Any]) -> str:
    return f"{_SAMPLES}{row.get('id')}_epoch_{epoch_of(row)}.json"


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


FORMAT = log_format(
    "inspect",
    "logs of Inspect, `.eval` or `.json`",
    files="logs of Inspect",
    recognises=_recognises,
    read_file=read_file,
    refuses=_refuses,
)


_SHOWN: Final = 5
_ROUNDING: Final = 1e-6
_MEANS: Final = ("accuracy", "mean")


def contradictions(
    header: Mapping[str, Any], spec: Mapping[str, Any], samples: Sequence[Sample]
) -> Iterator[str]:
    """Yield where the header disagrees with the samples: their number, their ids, their means.

    >>> header = {"results": {"total_samples": 3}}
    >>> list(contradictions(header, {}, [Sample("q1", {}, "quiz.eval")]))
    ['the header says 3 samples, and 1 is there; some may be lost, and those there were taken']
    """
    results = _object(header.get("results"))
    total = results.get("total_samples")
    if isinstance(total, int) and total != len(samples):
        verb = "is" if len(samples) == 1 else "are"
        yield (
            f"the header says {several(total, 'sample')}, and {len(samples)} {verb} there; some "
            "may be lost, and those there were taken"
        )
    yield from _ids(spec, samples)
    for score in results.get("scores") or () if isinstance(results.get("scores"), list) else ():
        yield from _means(_object(score), samples)


def unmatched(members: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """Yield where the samples of an archive and their summaries are not of the same runs.

    >>> list(unmatched(["samples/1_epoch_1.json"], ["samples/2_epoch_1.json"]))[0]
    'samples/1_epoch_1.json has no summary; it was left out'
    """
    # Names that a writer made in another way tell nothing.
    if not set(members) & set(wanted) and len(members) == len(wanted) > 1:
        return
    there, summed = dict.fromkeys(members), dict.fromkeys(wanted)
    for name in there:
        if name not in summed:
            yield f"{name} has no summary; it was left out"
    lacking = [name for name in summed if name not in there]
    if lacking and members:
        have = "has" if len(lacking) == 1 else "have"
        yield (
            f"{several(len(lacking), 'summary')} {have} no sample ({listed(lacking, _SHOWN)}); the "
            "summaries were taken"
        )


def _ids(spec: Mapping[str, Any], samples: Sequence[Sample]) -> Iterator[str]:
    """Yield items that the data set does not have, and those that have no sample."""
    config, dataset = _object(spec.get("config")), _object(spec.get("dataset"))
    ids = dataset.get("sample_ids")
    if not isinstance(ids, list) or not ids:
        return
    known, items = dict.fromkeys(map(str, ids)), dict.fromkeys(s.item for s in samples)
    extra = [item for item in items if item not in known]
    if extra:
        verb = "is" if len(extra) == 1 else "are"
        yield (
            f"{several(len(extra), 'item')} {verb} not among those that the header names: "
            f"{listed(extra, _SHOWN)}; {'it was' if len(extra) == 1 else 'they were'} taken all "
            "the same"
        )
    lacking = [item for item in known if item not in items]
    # A run of a part of the data set may name all of it.
    if lacking and config.get("limit") is None and config.get("sample_id") is None:
        have = "has" if len(lacking) == 1 else "have"
        yield (
            f"{several(len(lacking), 'item')} of the header {have} no sample: "
            f"{listed(lacking, _SHOWN)}; the others were taken"
        )


def _means(score: Mapping[str, Any], samples: Sequence[Sample]) -> Iterator[str]:
    """Yield the means of a scorer that are not those of its values, if all samples have one."""
    key, reducer = (str(score.get("name")),), score.get("reducer")
    if reducer not in (None, "mean") or not samples:
        return
    of_item: dict[str, list[float]] = {}
    for sample in samples:
        if key not in sample.values:
            return
        of_item.setdefault(sample.item, []).append(sample.values[key])
    if score.get("scored_samples") not in (None, len(of_item), len(samples)):
        return
    mean = math.fsum(math.fsum(some) / len(some) for some in of_item.values()) / len(of_item)
    for metric, found in _object(score.get("metrics")).items():
        stated = _object(found).get("value")
        plain = metric in _MEANS and not _object(found).get("params")
        if plain and isinstance(stated, int | float) and abs(stated - mean) > _ROUNDING:
            yield (
                f"the header gives {stated:.4g} as the {metric} of {key[0]!r}, and the samples "
                f"have {mean:.4g}; the samples were taken"
            )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
