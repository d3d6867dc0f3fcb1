"""Logs of evaluations that tests make themselves, and comparisons of them by the command line."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from table_files import json_lines
from tellapart.cli import main
from tellapart.comparison.record import Comparison
from tellapart.formats.contract import Format
from tellapart.formats.head import Head
from tellapart.formats.logs.log import Harness, Log, Sample
from tellapart.formats.problems import Findings
from tellapart.report.notices import notice_sentences

if sys.version_info >= (3, 14):
    zstd_zipfile: Any = zipfile
else:
    from backports.zstd import zipfile as zstd_zipfile

Row = dict[str, Any]


def sample(item: str | int, value: Any, epoch: int = 1, **more: Any) -> Row:
    """Make one sample of Inspect, with a scorer called `match` unless `scores` says otherwise."""
    row = {
        "id": item,
        "epoch": epoch,
        "input": f"What is {item}?",
        "target": "yes",
        "metadata": {"group": f"g{str(item)[-1]}"},
        "scores": {"match": {"value": value, "answer": f"it is {value}"}},
    }
    return {**row, **more}


def failed(item: str | int, epoch: int = 1, error: Any = "TimeoutError: too slow") -> Row:
    """Make a sample that ended in an error, without a score."""
    return sample(item, None, epoch, scores={}, error=error)


def header(model: str = "mockllm/alder", **more: Any) -> Row:
    """Make the header of a finished log; `more` replaces parts of it."""
    spec = {
        "task": "quiz",
        "model": model,
        "dataset": {"name": "quiz"},
        "config": {"epochs": 1},
        **more.pop("spec", {}),
    }
    return {"version": 2, "status": "success", "eval": spec, **more}


def eval_log(
    rows: Sequence[Row],
    head: Row | None = None,
    *,
    packing: str = "zstd",
    wholes: Sequence[Row] = (),
    members: Mapping[str, bytes] | None = None,
) -> bytes:
    """Pack an `.eval` log: header, summaries and, as `wholes`, whole samples."""
    parts = {f"samples/{row['id']}_epoch_{row['epoch']}.json": row for row in wholes}
    trees = {**parts, "summaries.json": list(rows), "header.json": head or header()}
    packed = {name: json.dumps(tree).encode() for name, tree in trees.items()}
    stream = io.BytesIO()
    if packing == "zstd":
        archive: Any = zstd_zipfile.ZipFile(stream, "w", zstd_zipfile.ZIP_ZSTANDARD)
    else:
        archive = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED)
    with archive:
        for name, data in {**packed, **(members or {})}.items():
            archive.writestr(name, data)
    return stream.getvalue()


def json_log(rows: Sequence[Row] | None, head: Row | None = None) -> str:
    """Write a `.json` log."""
    return json.dumps({**(head or header()), "samples": rows})


def document(number: int, filtered: str = "none", **values: Any) -> Row:
    """Make one row of lm-eval's samples; `doc` and other fields can be replaced."""
    fields = ("doc", "target", "arguments", "resps", "prompt_hash", "doc_hash", "target_hash")
    row = {
        "doc_id": number,
        "doc": {"question": f"Who is {number}?", "story": f"s{number % 2}"},
        "target": "Ann",
        "arguments": {"gen_args_0": {"arg_0": f"Q: Who is {number}?", "arg_1": {"until": []}}},
        "resps": [["It is Ann"]],
        "filtered_resps": ["Ann"],
        "filter": filtered,
        "metrics": [name for name in values if name not in fields],
        "doc_hash": f"d{number}",
        "prompt_hash": f"p{number}",
        "target_hash": "t",
    }
    return {**row, **values}


def samples_file(folder: str, task: str, rows: Sequence[Row], time: str = "01") -> str:
    """Write the samples of one run, and return their path."""
    path = Path(folder, f"samples_{task}_2026-11-{time}T10-00-00.000001.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json_lines(rows))
    return str(path)


def toy_harness(**more: Any) -> Format:
    """Return a harness whose files are objects with the fields of a log, and `toy` its system."""

    def recognises(head: Head) -> bool:
        return "toy" in head.keys()  # noqa: SIM118  (no dict)

    def read_file(path: str, _: Findings) -> list[Log]:
        tree = json.loads(Path(path).read_bytes())
        samples = []
        for item, value in tree.pop("scores").items():
            values = value if isinstance(value, dict) else {"acc": value}
            scores: dict[tuple[str, ...], float]
            scores = {(name,): float(v) for name, v in values.items() if v is not None}
            samples.append(Sample(item, scores, f"{path}: {item}"))
        if "main" in tree:
            tree["main"] = (tree["main"],)
        problem = f"{path}: the run failed" if tree.pop("failed", False) else ""
        return [Log(path, tuple(samples), system=tree.pop("toy"), problem=problem, **tree)]

    kind = Harness("toy", "toys", files="toys", recognises=recognises, read_file=read_file, **more)
    return kind.format()


def read_logs(
    sources: Sequence[str | Path],
    metrics: Sequence[str] = (),
    missing: str | None = None,
    form: str = "inspect",
) -> ta.Counts:
    """Read logs of one harness, whatever they look like."""
    return ta.read(list(sources), form=form, metrics=list(metrics), missing=missing)


def compared(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """Run `tellapart compare` and return the record."""
    status = main(["compare", *map(str, arguments), "--json", "-"])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return json.loads(captured.out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must end with status 2, and return what it says, in one line."""
    status = main(list(arguments))
    captured = capsys.readouterr()
    assert status == 2, captured.out
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def scores_of(record: Any, metric: str) -> dict[str, float]:
    """Return the score of each system."""
    return {each["name"]: each["scores"][metric] for each in record["systems"]}


def notices(record: Any) -> dict[str, str]:
    """Return the sentences of the notices of a record by their codes."""
    return said(Comparison.from_json(json.dumps(record)))


def said(record: Comparison) -> dict[str, str]:
    """Return the sentences of the notices of a comparison by their codes."""
    texts = notice_sentences(record)
    return {notice.code: text for notice, text in zip(record.notices, texts, strict=True)}


def sentences(record: Any) -> list[str]:
    """Return the sentences of the notices of a record."""
    return notice_sentences(Comparison.from_json(json.dumps(record)))


def pair_of(record: Any, a: str, b: str, metric: str) -> Any:
    """Return the pair of two systems, seen as a minus b."""
    for pair in record["pairs"]:
        if pair["metric"] == metric and {pair["a"], pair["b"]} == {a, b}:
            return pair if pair["a"] == a else _mirrored(pair)
    raise KeyError((a, b, metric))


def _mirrored(pair: Any) -> Any:
    return {
        **pair,
        "difference": -pair["difference"],
        "items_a_better": pair["items_b_better"],
        "items_b_better": pair["items_a_better"],
    }
