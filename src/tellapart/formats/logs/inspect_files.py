"""Inspect's logs: `.eval`, a zip of JSON, and `.json`, the same in one object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tellapart.errors import DataError, Notice
from tellapart.files import open_text, shown
from tellapart.formats.logs.archives import MAGIC, Archive, open_archive, open_bytes, parsed
from tellapart.formats.logs.detection import refuse_others
from tellapart.formats.logs.inspect_samples import as_sample, epoch_of, is_thin
from tellapart.formats.logs.samples import Key, Log, Sample
from tellapart.words import several

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


def read_log(path: str) -> InspectLog:
    """Read a finished log with scores; anything else is a DataError."""
    refuse_others(path, "an Inspect log")
    header, rows = _load(path)
    spec = _checked_spec(header, path)
    rows = _checked_rows(rows, spec, path)
    faults: dict[Key, str] = {}
    samples = tuple(as_sample(row, path, faults) for row in rows)
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
    notices = (*_run_notices(header, spec, path), *_error_notices(samples, path))
    return InspectLog(
        Log(path, samples, order, notices, faults),
        model=str(spec.get("model") or "").rpartition("/")[2] or "unnamed",
        task=str(spec.get("task") or "").rpartition("/")[2],
        dataset=str(dataset.get("name") or ""),
        cluster=next(_clusters(spec.get("scorers"), spec.get("metrics")), None),
    )


def _load(path: str) -> tuple[Any, Any]:
    """Return the header and the samples, whole or as summaries."""
    if path.endswith(".gz"):
        with open_text(path) as text:
            tree = parsed(text.read(), shown(path))
    else:
        with open_bytes(path) as stream:
            zipped = stream.read(len(MAGIC)) == MAGIC or path.endswith(".eval")
            stream.seek(0)
            if zipped:
                return _unpacked(open_archive(path, stream))
            tree = parsed(stream.read(), shown(path))
    return tree, tree.get("samples") if isinstance(tree, dict) else None


def _unpacked(archive: Archive) -> tuple[Any, Any]:
    if _HEADER not in archive.sizes:
        begun = "_journal/start.json" in archive.sizes
        finding = "the run was not finished" if begun else "this is no log of Inspect"
        raise DataError(
            f"{shown(archive.path)}: {finding} (there is no {_HEADER} in it); give a finished log"
        )
    return archive.json(_HEADER), _archived_rows(archive)


def _archived_rows(archive: Archive) -> Any:
    """Read the summaries, with whole samples where these are needed and cheap.

    Logs of early 2025 have no metadata in their summaries, and older ones no summaries.
    """
    names = [name for name in archive.sizes if name.startswith(_SAMPLES) and name[-5:] == ".json"]
    rows = archive.json(_SUMMARIES) if _SUMMARIES in archive.sizes else []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return rows
    if names and not any("metadata" in row for row in rows):
        return [archive.json(name) for name in names]
    wanted = {k: name for k, row in enumerate(rows) if is_thin(row) and (name := _member(row))}
    if sum(archive.sizes.get(name, 0) for name in wanted.values()) <= _CHEAP:
        for k, name in wanted.items():
            if name in archive.sizes:
                rows[k] = _completed(rows[k], archive.json(name))
    return rows


def _member(row: Mapping[str, Any]) -> str:
    return f"{_SAMPLES}{row.get('id')}_epoch_{epoch_of(row)}.json"


def _completed(row: dict[str, Any], whole: Any) -> dict[str, Any]:
    """Take the texts from the whole sample."""
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
            pair = str(row.get("id")), epoch_of(row)
            if pair in seen:
                raise DataError(
                    f"{shown(path)}: item {pair[0]!r}, epoch {pair[1]} is there twice; give each "
                    "sample of the data set its own id"
                )
            seen.add(pair)
    return sorted(rows, key=lambda row: epoch_of(row) if isinstance(row, dict) else 0)


def _run_notices(header: Any, spec: Mapping[str, Any], path: str) -> Iterator[Notice]:
    if header.get("invalidated"):
        text = f"Samples of {shown(path)} are marked as invalid in the log; they were counted."
        yield Notice("invalidated", text, (path,))
    config = spec.get("config")
    reducers = config.get("epochs_reducer") if isinstance(config, dict) else None
    if isinstance(reducers, list) and reducers and reducers != ["mean"]:
        told = ", ".join(map(str, reducers))
        text = f"Epochs were averaged, while {shown(path)} itself reports them by {told}."
        yield Notice("reducer", text, (path,))


def _error_notices(samples: Sequence[Sample], path: str) -> Iterator[Notice]:
    kept = tuple(sample.item for sample in samples if sample.error and sample.values)
    if kept:
        told = several(len(kept), "sample")
        text = f"{told} of {shown(path)} ended in an error but have scores; these were counted."
        yield Notice("failed", text, kept)


def _clusters(*definitions: Any) -> Iterator[str]:
    """Find the labels by which metrics were told to cluster, wherever they are declared."""
    for each in definitions:
        if isinstance(each, dict):
            options = each.get("options")
            if isinstance(options, dict) and isinstance(options.get("cluster"), str):
                yield options["cluster"]
            yield from _clusters(*(part for part in each.values() if isinstance(part, dict | list)))
        elif isinstance(each, Sequence) and not isinstance(each, str):
            yield from _clusters(*each)
