"""What the study computes: scores and comparisons of all systems, and what conversions lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import tellapart as ta
from tellapart.comparison.record import Comparison
from tellapart.console import Progress
from tellapart.errors import UsageError
from tellapart.formats.contract import Sources, plain_report
from tellapart.formats.problems import Findings
from tellapart.formats.templates.ceaf import count_templates
from tellapart.formats.templates.corpus import Corpus, Reading
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.layouts import ANY, DocumentFile, same_document
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.muc_files import converted
from tellapart.formats.templates.requests import read_counts
from tellapart.formats.templates.values import mentions

TF: Final = "ceaf-tf"
REE: Final = "ceaf-ree"
SHUFFLES: Final = 9_999
NO_TYPE: Final = "*"
"""The type of templates that say that a message has nothing to be found"""

Documents = Mapping[str, Document]


@dataclass(frozen=True, slots=True)
class Loss:
    """A system scored as its published conversion has it, and otherwise."""

    system: str
    what: str
    templates: int
    """How many templates, or mentions of gold, it is about"""
    published: float
    otherwise: float


@dataclass(frozen=True, slots=True)
class Runs:
    """All that is computed."""

    templates: Comparison
    """CEAF-TF of all systems with templates"""
    fillers: Comparison
    """CEAF-REE of these, and of systems with role fillers only"""
    parts: Mapping[str, Mapping[str, float]]
    """Precision and recall, by system and metric"""
    own_gold: Mapping[str, Mapping[str, float]]
    """Precision, recall and F1 by CEAF-REE against role fillers as they were published"""
    first: Comparison | None
    """CEAF-TF and CEAF-REE of the systems of 1992, from raw responses"""
    losses: tuple[Loss, ...]


def run_all(folder: str | None, seed: int, progress: Progress) -> Runs:
    """Return everything that the files of a folder allow."""
    if folder is None:
        raise UsageError(
            "the study templates reads files of systems, which are not part of tellapart; give "
            "--data DIR, a folder with templates/muc4 and, for raw responses, muc4/tst3"
        )
    data, raw = Path(folder) / "templates", Path(folder) / "muc4" / "tst3"
    gold = data / "muc4" / "gold.gtt.jsonl"
    if not gold.is_file():
        raise UsageError(f"{gold}: there is no such file; give the folder that has it with --data")
    files = [*_named(data / "muc4" / "gtt", "json"), *_named(data / "muc4" / "iterx", "jsonl")]
    grit = _named(data / "muc4" / "grit", "json")
    both = [f"{metric}{part}" for metric in (TF, REE) for part in ("", ".precision", ".recall")]
    scored = read_counts(Sources(tuple(files), (gold,), tuple(both)), TemplateOptions())
    return Runs(
        _compared(files, gold, (TF,), seed, progress),
        _compared([*files, *grit], gold, (REE,), seed, progress),
        {each.name: each.scores for each in plain_report(scored).systems},
        _against_fillers(grit, data / "muc4" / "gold.grit.jsonl"),
        _first(raw, seed, progress),
        tuple(_losses(data, raw)),
    )


def _named(folder: Path, suffix: str) -> list[str]:
    return [f"{each.stem}={each}" for each in sorted(folder.glob(f"*.{suffix}"))]


def _compared(
    files: Sequence[str],
    gold: Path,
    metrics: tuple[str, ...],
    seed: int,
    progress: Progress,
    **options: Any,
) -> Comparison:
    sources = Sources(tuple(files), (gold,), metrics)
    counts = read_counts(sources, TemplateOptions(**options))
    return ta.compare(
        counts, test="shuffle", shuffles=SHUFFLES, seed=seed, intervals=False, progress=progress
    ).record


def _against_fillers(files: Sequence[str], gold: Path) -> dict[str, dict[str, float]]:
    if not files or not gold.is_file():
        return {}
    metrics = (REE, f"{REE}.precision", f"{REE}.recall")
    counts = read_counts(Sources(tuple(files), (gold,), metrics), TemplateOptions())
    return {each.name: each.scores for each in plain_report(counts).systems}


def _first(raw: Path, seed: int, progress: Progress) -> Comparison | None:
    if not (raw / "key.txt").is_file():
        return None
    responses = _named(raw / "responses", "txt")
    texts = str(raw / "texts.txt")
    return _compared(responses, raw / "key.txt", (TF, REE), seed, progress, texts=texts)


def _documents(path: Path, *, gold: bool = False, texts: str | None = None) -> Documents:
    reading = Reading(TemplateOptions(texts=texts), Findings(strict=True))
    file = reading.file(str(path), gold=gold)
    return converted(file, reading.design, reading.problems, gold=gold).documents


def ceaf_tf(gold: Documents, predicted: Documents) -> float:
    """Return CEAF-TF of documents in memory."""
    same = same_document(gold)
    found = {same(name): document for name, document in predicted.items()}
    pairs = [(each, found.get(name) or Document(name)) for name, each in gold.items()]
    own = tuple(document for _, document in pairs)
    typed = Corpus(DocumentFile("gold", ANY, gold), {}, {"": own}, {}, Reading()).typed
    rows = [count_templates(*pair, typed) for pair in pairs]
    p_num, p_den, r_num, r_den = (float(sum(column)) for column in zip(*rows, strict=True))
    precision, recall = p_num / p_den if p_den else 0.0, r_num / r_den if r_den else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _losses(data: Path, raw: Path) -> Iterator[Loss]:
    """Yield what templates kept as `*`, other conversions, and square brackets cost."""
    gold = _documents(data / "muc4" / "gold.gtt.jsonl", gold=True)
    has_raw = (raw / "key.txt").is_file()
    key: Documents = {}
    bare: Documents = {}
    if has_raw:
        key = _documents(raw / "key.txt", gold=True, texts=str(raw / "texts.txt"))
        bare = {name: _once(each) for name, each in _documents(raw / "key.txt").items()}
    for path in sorted((data / "muc4" / "gtt").glob("*-1992.json")):
        name, published = path.stem, _documents(path)
        score = ceaf_tf(gold, published)
        without = {
            document: replace(each, templates=tuple(t for t in each.templates if t.type != NO_TYPE))
            for document, each in published.items()
        }
        dropped = _n_templates(published) - _n_templates(without)
        yield Loss(name, "templates of type *", dropped, score, ceaf_tf(gold, without))
        response = raw / "responses" / f"{name.removesuffix('-1992')}.txt"
        if has_raw and response.is_file():
            own, same = _documents(response), same_document(key)
            part = {n: each for n, each in published.items() if same(n) is not None}
            first = ceaf_tf(key, part)
            again = _n_templates(part) - _n_templates(own)
            yield Loss(name, "raw response, TST3", again, first, ceaf_tf(key, own))
            lost = _n_mentions(bare) - _n_mentions(key)
            yield Loss(name, "whole key, TST3", lost, ceaf_tf(key, own), ceaf_tf(bare, own))


def _once(document: Document) -> Document:
    """Return a document with each of its templates once, as gold has them."""
    found = {(t.type, frozenset(t.roles.items())): t for t in reversed(document.templates)}
    return replace(document, templates=tuple(reversed(found.values())))


def _n_templates(documents: Documents) -> int:
    return sum(len(each.templates) for each in documents.values())


def _n_mentions(documents: Documents) -> int:
    return sum(
        len(mentions(entity))
        for each in documents.values()
        for template in each.templates
        for entities in template.roles.values()
        for entity in entities
    )
