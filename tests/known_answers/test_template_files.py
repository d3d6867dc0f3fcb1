"""Files of templates: shapes, layouts, what is wrong with them, and the verbs that read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from table_files import Write
from tellapart.formats.problems import Findings
from tellapart.formats.templates.layouts import DocumentFile, read_document_file
from tellapart.formats.templates.values import mentions


def _read(path: str | Path) -> DocumentFile:
    return read_document_file(str(path), Findings(strict=True))


def _canonical(file: DocumentFile) -> list[Any]:
    return [
        {
            "type": template.type,
            "roles": {
                role: [[text.text for text in mentions(fill)] for fill in fills]
                for role, fills in template.roles.items()
            },
        }
        for document in file.documents.values()
        for template in document.templates
    ]


def test_every_shape_of_any_json(write: Write, shared_data: Path) -> None:
    """Fifteen ways to write a template down, with what they mean."""
    lines = (shared_data / "templates/cases/generic/shapes.jsonl").read_text().splitlines()
    assert len(lines) == 15
    for shape in map(json.loads, lines):
        read = _read(write("shape.jsonl", json.dumps(shape["input"]) + "\n"))
        assert _canonical(read) == shape["canonical"], shape["note"]
