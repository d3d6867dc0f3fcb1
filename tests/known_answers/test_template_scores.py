"""Templates in JSON: every shape and TextEE; CEAF-REE, CEAF-TF and CEAF-RME count by count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from table_files import Write
from tellapart.formats.contract import Sources
from tellapart.formats.problems import Findings
from tellapart.formats.templates import ceaf
from tellapart.formats.templates.corpus import Corpus, Reading
from tellapart.formats.templates.families import FAMILIES, Family
from tellapart.formats.templates.format import FORMAT, TemplateOptions
from tellapart.formats.templates.layouts import ANY, DocumentFile, read_document_file, same_document
from tellapart.formats.templates.mapping import best_mapping
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.values import mentions

ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")
CEAF_TF, CEAF_REE, CEAF_REE_PROP, *CEAF_RME = FAMILIES[:6]
VARIANTS = dict(zip(("phi-3", "phi-3-entity", "phi-subset"), CEAF_RME, strict=True))
Row = list[int | Fraction]


@pytest.fixture(scope="module")
def data(shared_data: Path) -> Path:
    """Give the folder of templates."""
    return shared_data / "templates"


@cache
def _documents(path: Path) -> Mapping[str, Document]:
    return read_document_file(str(path), Findings(strict=True)).documents


def _sides(gold: Path, predicted: Path) -> Iterator[tuple[Document, Document, bool]]:
    """Yield each document of gold, what a system has for it, and whether types count."""
    wanted, found = _documents(gold), _documents(predicted)
    same = same_document(wanted)
    given_ = {same(name): document for name, document in found.items()}
    theirs = tuple(given_.get(name, Document(name)) for name in wanted)
    typed = Corpus(DocumentFile("gold", ANY, wanted), {}, {"": theirs}, {}, Reading()).typed
    for one, two in zip(wanted.values(), theirs, strict=True):
        yield one, two, typed


def _rows(family: Family, gold: Path, predicted: Path) -> Iterator[Row]:
    """Yield what a family counts in each document."""
    for sides in _sides(gold, predicted):
        yield [*family.count(*sides)]


def _by_slot(family: Family, gold: Path, predicted: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield what a family counts of the type and of each role of a document.

    A role counts as it does alone, templates mapped as in the whole document; the type is the rest.
    """
    for one, two, typed in _sides(gold, predicted):
        with patch.object(ceaf, "best_mapping", wraps=best_mapping) as mapped:
            whole = family.count(one, two, typed)
            if mapped.called:
                edges, *_ = given = mapped.call_args.args
                pairs = zip(edges, best_mapping(*given), strict=True)
                mapped.return_value = [j if j in row else None for row, j in pairs]
            alone = [family.count(_of(one, role), _of(two, role), False) for role in ROLES]
        rest = [n - sum(parts) for n, *parts in zip(whole, *alone, strict=True)]
        yield one.id, [rest, *([*row] for row in alone)]


def _of(document: Document, role: str) -> Document:
    """Return a document of which only a role is known."""
    made = (
        replace(t, roles={k: v for k, v in t.roles.items() if k == role})
        for t in document.templates
    )
    return replace(document, templates=tuple(made))


def _parts(row: Sequence[Any], width: int) -> list[list[Any]]:
    """Return the counts of each slot, which stand one after the other."""
    return [[*row[at : at + width]] for at in range(0, len(row), width)]


@pytest.mark.parametrize(
    ("folder", "predictions"), [("ceaf-tf", "pred.json"), ("generic", "pred.jsonl")]
)
def test_ceaf_tf_of_every_case(data: Path, folder: str, predictions: str) -> None:
    """Every slot of every case, ties included; the same documents as any JSON count the same."""
    known = json.loads((data / "cases/ceaf-tf/expected.json").read_text())
    cases = {each["docid"]: each for each in known["documents"]}
    at = data / "cases" / folder
    seen = 0
    for name, rows in _by_slot(CEAF_TF, at / "gold.jsonl", at / predictions):
        expected = [cases[name]["counts"][slot] for slot in known["slots"]]
        assert rows == expected, cases[name]["note"]
        seen += 1
    assert seen == (60 if folder == "ceaf-tf" else 58)


def test_ceaf_ree_of_every_case(data: Path) -> None:
    """Every role of every case; where the reference divides by zero, the similarity is 0."""
    at = data / "cases/ceaf-ree"
    cases = json.loads((at / "expected.json").read_text())["documents"]
    for kind, family in (("strict", CEAF_REE), ("prop", CEAF_REE_PROP)):
        found = _by_slot(family, at / "gold.jsonl", at / "pred.json")
        for (_, (rest, *rows)), case in zip(found, cases, strict=True):
            assert not any(rest)
            for role, row in zip(ROLES, rows, strict=True) if case[kind] is not None else ():
                assert row.pop(2) == row[0]
                expected = case[kind][role]
                assert [*map(float, row)] == pytest.approx(expected, abs=1e-12), case["note"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_ceaf_rme_of_every_case(data: Path, variant: str) -> None:
    """All counts of every case, with SciPy's choice among equal assignments."""
    at = data / "cases/ceaf-rme"
    cases = json.loads((at / "expected.json").read_text())["documents"]
    found = _rows(VARIANTS[variant], at / "gold.jsonl", at / "pred.jsonl")
    for row, case in zip(found, cases, strict=True):
        assert row == case[variant], case["note"]


@cache
def _expected(data: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads((data / "expected.json").read_text())["muc4"]
    return known


@pytest.mark.slow
def test_every_system_of_muc4_document_by_document(data: Path) -> None:
    """Thirteen systems of 1992 to 2023, all metrics, every count of every document."""
    gold, fillers = data / "muc4/gold.gtt.jsonl", data / "muc4/gold.grit.jsonl"
    checked = 0
    for name, system in _expected(data)["systems"].items():
        file = data / system["file"]
        wanted: dict[str, list[Any]] = {}
        found: dict[str, list[Any]] = {}
        if "ceaf-tf" in system:
            wanted["tf"] = [_parts(each, 4) for each in system["ceaf-tf"]["documents"]]
            found["tf"] = [rows for _, rows in _by_slot(CEAF_TF, gold, file)]
        for key, path in (("ceaf-ree", gold), ("ceaf-ree, gold of GRIT", fillers)):
            wanted[key] = [_parts(each, 3) for each in system[key]["documents"]]
            found[key] = [
                [[*row[:2], row[3]] for row in rows]
                for _, (_, *rows) in _by_slot(CEAF_REE, path, file)
            ]
        for variant, family in VARIANTS.items() if "ceaf-rme" in system else ():
            wanted[variant] = system["ceaf-rme"][variant]["documents"]
            found[variant] = [*_rows(family, gold, file)]
        for key, rows in found.items():
            assert rows == wanted[key], (name, key)
            checked += len(rows)
    assert checked == 200 * (13 * 2 + 10 * 4)


# Every shape of JSON, and TextEE's scores of triggers and arguments


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
