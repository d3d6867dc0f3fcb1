"""Inspect's logs: scorers, epochs, failures, sets, retries, texts, and figures of real runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tellapart as ta
from log_files import (
    compared,
    notices,
    sentences,
)
from table_files import Capture
from tellapart.formats.records import open_archive

# Sets, retries and newer logs


def _headers(folder: Path) -> dict[Path, Any]:
    found = {}
    for path in sorted(folder.glob("*.eval")):
        with open_archive(str(path)) as archive:
            found[path] = archive.json("header.json")
    return found


def _stated(head: Any) -> float:
    (score,) = head["results"]["scores"]
    return float(score["metrics"]["accuracy"]["value"])


def test_a_retry_takes_the_place_of_what_failed(shared_data: Path, capsys: Capture) -> None:
    """Of alder's two logs, the one that succeeded; birch's are two runs; cedar's was cancelled."""
    folder = shared_data / "harnesses" / "inspect-retry"
    record = compared(capsys, str(folder))
    told = set(sentences(record))
    assert any("03-15-04" in text and "a later run took their place" in text for text in told)
    assert any("runs of one system (2 of birch-7b)" in text for text in told)
    (left,) = (text for text in told if "03-18-08" in text)
    assert "6 samples in the log); `inspect eval-retry` finishes it" in left
    scores = {system["name"]: system["scores"]["match"] for system in record["systems"]}
    heads = {head["eval"]["created"]: head for head in _headers(folder).values()}
    assert scores == {
        "alder-7b": pytest.approx(_stated(heads["2026-11-16T03:15:43+00:00"])),
        "birch-7b": pytest.approx(
            (
                _stated(heads["2026-11-16T03:16:06+00:00"])
                + _stated(heads["2026-11-16T03:15:46+00:00"])
            )
            / 2
        ),
    }


def test_seeds_in_a_folder_are_runs_of_one_system(shared_data: Path, capsys: Capture) -> None:
    """Two models by four seeds: two systems, and a line says so; named, each is a system."""
    folder = shared_data / "first-use" / "inspect" / "seeds"
    record = compared(capsys, str(folder), "--metric", "em")
    assert {system["name"] for system in record["systems"]} == {"alpha", "beta"}
    told = notices(record)
    assert (
        "differ in seed alone were taken as runs of one system (4 of alpha" in (told["merged-runs"])
    )
    assert "A=LOG B=LOG" in told["merged-runs"]
    counts = ta.read(folder, metrics="em")
    assert [len(own) for own in counts.runs] == [4, 4]
    one, two = sorted(folder.glob("*.eval"))[:2]
    assert ta.read([f"a={one}", f"b={two}"], metrics="em").names == ("a", "b")
