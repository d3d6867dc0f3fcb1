"""Triggers and arguments of events: TextEE's scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tellapart.formats.contract import Sources
from tellapart.formats.templates.format import FORMAT, TemplateOptions


@pytest.mark.parametrize("folder", ["cases/textee", "textee"])
def test_textee_agrees_with_its_scorer_to_the_last_count(shared_data: Path, folder: str) -> None:
    """Sixty small documents, and the test set of WikiEvents in TextEE's format."""
    data = shared_data / "templates"
    files = ((f"S={data / folder / 'pred.jsonl'}",), (data / folder / "gold.jsonl",))
    counts = FORMAT.read(Sources(*files), TemplateOptions())

    names = ("Tri-I", "Tri-C", "Arg-I", "Arg-C", "Arg-I+", "Arg-C+")
    assert [metric.name for metric in counts.metrics] == [name.lower() for name in names]
    if folder == "textee":
        known = json.loads((data / "expected.json").read_text())["textee"]
        expected = {
            name: [n for each in names for n in known["metrics"][each]["documents"][k]]
            for k, name in enumerate(known["documents"])
        }
    else:
        known = json.loads((data / folder / "expected.json").read_text())
        expected = {
            each["doc_id"]: [n for name in names for n in each["counts"][name]]
            for each in known["documents"]
        }
    rows = {
        item: [n for k in range(0, len(row), 4) for n in (row[k], row[k + 1], row[k + 3])]
        for item, row in zip(counts.items, counts.values[0].tolist(), strict=True)
    }
    assert rows == expected
