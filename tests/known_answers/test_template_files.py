"""Files of templates: every shape of JSON, and TextEE's scores of triggers and arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from table_files import Write
from tellapart.formats.contract import Sources
from tellapart.formats.problems import Findings
from tellapart.formats.templates.format import FORMAT, TemplateOptions
from tellapart.formats.templates.layouts import DocumentFile, read_document_file
from tellapart.formats.templates.values import mentions


def _read(path: str | Path) -> DocumentFile:
    return read_document_file(str(path), Findings(strict=True))


def _canonical(file: DocumentFile) -> list[Any]:
    return [
        {"type": template.type, "roles": {
            role: [[text.text for text in mentions(fill)] for fill in fills]
            for role, fills in template.roles.items()
        }}
        for document in file.documents.values()
        for template in document.templates
    ]  # fmt: skip


def test_every_shape_of_any_json(write: Write, shared_data: Path) -> None:
    """Fifteen ways to write a template down, with what they mean."""
    lines = (shared_data / "templates/cases/generic/shapes.jsonl").read_text().splitlines()
    assert len(lines) == 15
    for shape in map(json.loads, lines):
        read = _read(write("shape.jsonl", json.dumps(shape["input"]) + "\n"))
        assert _canonical(read) == shape["canonical"], shape["note"]


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
