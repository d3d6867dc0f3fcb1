"""What the tests are tried on: a folder of translations, or generated ones; and MUC-4."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from studies.riezler.generated import generate, with_relations
from studies.riezler.translate.decoder import Candidate
from studies.riezler.translate.nbest import read_nbest
from tellapart.comparison.calibrate import FEWEST_ITEMS
from tellapart.counts import Counts
from tellapart.errors import DataError, Notice
from tellapart.formats.annotation.relations import read_relation_file, relation_counts
from tellapart.formats.problems import Findings
from tellapart.formats.reading import example
from tellapart.formats.texts import check_parallel, read_lines, text_notices
from tellapart.metrics import Metric
from tellapart.metrics.text.scoring import as_metric, text_counts, text_metric
from tellapart.words import listed, several

LABELS: Final = {"nist": "NIST", "bleu": "BLEU", "f1": "F"}
PAIRS: Final = {"folder": 1_000, "generated": 400, "MUC-4": 2_000}
"""How many null pairs are made; those of few items cost little"""
_COST, _FEWEST_PAIRS = 2_000_000, 200  # segments in all null pairs; more would take minutes

_FEW: Final = 100  # segments, with which no bootstrap is at its best

_NEEDED: Final = "--data names a folder with ref.txt and one NAME.txt a system, also as .gz"
_REFERENCE: Final = re.compile(r"ref\d*\.txt(\.gz)?")
_OUTPUT: Final = re.compile(r"(?P<name>.+)\.txt(\.gz)?")
_RELATIONS: Final = re.compile(r"(?P<name>.+)\.(jsonl|conllu)(\.gz)?")


@dataclass(frozen=True, slots=True)
class Material:
    """Systems, and the metrics that they are compared by."""

    name: str
    counts: Counts
    metrics: tuple[str | Metric, ...]
    pairs: int
    """How many null pairs are made of them"""
    real: bool
    """Whether the systems are real ones"""


@dataclass(frozen=True, slots=True)
class Lists:
    """N-best lists, and the counts of their candidates, whose ranks are the systems."""

    name: str
    best: Sequence[Sequence[Candidate]]
    counts: Counts
    metrics: tuple[str | Metric, ...]
    real: bool = True
    """Whether they translate real sentences"""


def muc4() -> Material:
    """Return the built-in systems, whose F is that of slots in messages."""
    return Material("MUC-4", example("muc4"), ("f1",), PAIRS["MUC-4"], real=True)


def drawn(seed: int) -> Material:
    """Return generated systems."""
    counts = generate(seed).counts()
    return Material("generated", counts, _metrics("1", True), PAIRS["generated"], real=False)


def _metrics(references: str, relations: bool) -> tuple[str | Metric, ...]:
    texts = tuple(as_metric(text_metric(name), references) for name in ("nist", "bleu"))
    return (*texts, "f1") if relations else texts


def read_folder(folder: str) -> Material:
    """Return the translations of a folder, and relations where it has the folder `relations`."""
    place = Path(folder)
    references, outputs = _files(place)
    counts = _read_texts(references, outputs)
    items = len(counts.items)
    if items < FEWEST_ITEMS:
        raise DataError(
            f"{folder}: {several(items, 'segment')} cannot differ significantly whatever they are; "
            f"give {FEWEST_ITEMS} or more, better hundreds"
        )
    relations = place / "relations"
    if relations.is_dir():
        counts = with_relations(counts, _relation_counts(relations, list(outputs)))
    if items < _FEW:
        text = f"There are {several(items, 'segment')}: with so few, no bootstrap is at its best."
        counts = replace(counts, notices=(*counts.notices, Notice("few-units", text)))
    metrics = _metrics(str(len(references)), relations.is_dir())
    pairs = max(_FEWEST_PAIRS, min(PAIRS["folder"], _COST // items))
    return Material(place.resolve().name, counts, metrics, pairs, real=True)


def read_lists(path: str, references: Sequence[str], real: bool = True) -> Lists:
    """Return n-best lists with counts of each rank; a list that is short repeats its first line."""
    lists, _ = read_nbest(Path(path))
    gold = {reference: read_lines(Path(reference)) for reference in references}
    for reference, lines in gold.items():
        if len(lines) != len(lists):
            raise DataError(
                f"{path} has lists of {several(len(lists), 'sentence')}, {reference} has "
                f"{several(len(lines), 'line')}; give a line for each sentence"
            )
    longest = max(map(len, lists))
    ranks = [[best[rank if rank < len(best) else 0] for best in lists] for rank in range(longest)]
    outputs = {f"rank {k}": [" ".join(candidate.words) for candidate in rank]
               for k, rank in enumerate(ranks, 1)}  # fmt: skip
    counts = text_counts(outputs, list(gold.values()), ("nist", "bleu"))
    return Lists(Path(path).name, lists, counts, _metrics(str(len(gold)), False), real)


def _read_texts(references: Sequence[Path], outputs: Mapping[str, Path]) -> Counts:
    gold = {str(path): read_lines(path) for path in references}
    lines = {name: read_lines(path) for name, path in outputs.items()}
    by_path = {str(outputs[name]): said for name, said in lines.items()}
    check_parallel({**gold, **by_path})
    if all(said == next(iter(lines.values())) for said in lines.values()):
        raise DataError(
            f"{next(iter(by_path))}: {listed(list(outputs))} say the same in every segment; give "
            "systems that differ"
        )
    notices = text_notices(gold)
    counts = text_counts(lines, list(gold.values()), ("nist", "bleu"))
    return replace(counts, notices=(*counts.notices, *notices))


def _files(place: Path) -> tuple[list[Path], dict[str, Path]]:
    """Return the references and the outputs of a folder, known by their names."""
    if not place.is_dir():
        raise DataError(f"{place}: there is no such folder; {_NEEDED}")
    files = sorted(path for path in place.iterdir() if path.is_file())
    references = [path for path in files if _REFERENCE.fullmatch(path.name)]
    if not references:
        inside = [path.name for path in sorted(place.iterdir()) if path.is_dir() and _has(path)]
        hint = f"name one of its folders {listed(inside)}" if inside else _NEEDED
        raise DataError(f"{place}: the folder has no reference, ref.txt; {hint}")
    outputs: dict[str, Path] = {}
    for path in files:
        if path not in references and (found := _OUTPUT.fullmatch(path.name)):
            if found["name"] in outputs:
                raise DataError(f"{path}: another file has the outputs of {found['name']} too")
            outputs[found["name"]] = path
    if len(outputs) < 2:
        raise DataError(
            f"{place}: the folder has outputs of {several(len(outputs), 'system')}; pairs of "
            f"systems take two or more; {_NEEDED}"
        )
    return references, outputs


def _has(folder: Path) -> bool:
    return any(_REFERENCE.fullmatch(path.name) for path in folder.iterdir())


def _relation_counts(folder: Path, systems: Sequence[str]) -> Counts:
    files = {
        found["name"]: path
        for path in sorted(folder.iterdir())
        if (found := _RELATIONS.fullmatch(path.name))
    }
    lacking = [name for name in ("ref", *systems) if name not in files]
    if lacking:
        raise DataError(
            f"{folder}: the relations of {listed(lacking)} are not there; give ref.jsonl and "
            "NAME.jsonl for each system, or .conllu"
        )
    problems = Findings(strict=True)
    items = {
        name: read_relation_file(str(files[name]), problems).relations for name in ("ref", *systems)
    }
    gold = items.pop("ref")
    return relation_counts(items, gold)
