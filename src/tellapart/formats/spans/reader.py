"""Span files of systems and gold as counts of spans, text by text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView
from tellapart.errors import Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.annotations import annotated_view
from tellapart.formats.entities import (
    EntityReport,
    EntityScores,
    Totals,
    in_words,
    system_reports,
)
from tellapart.formats.problems import Findings
from tellapart.formats.sources import paths_of, run_names, system_files
from tellapart.formats.spans.files import SpanFile, SpanLine, read_span_file
from tellapart.formats.spans.pairing import PairedLines, pair_lines
from tellapart.metrics.runs import averaged
from tellapart.words import several

COLUMNS: Final = ("tp", "fp", "fn")
POLICIES: Final = ("error", "zero", "drop", "own")


def read_spans(
    systems: Sequence[str | Path], gold: Sequence[str | Path], *, missing: str = "error"
) -> Counts:
    """Return span JSONL as counts `tp fp fn` per text: a span is right if bounds and label are.

    Lines are paired by `id`, `meta.id` or `_input_hash`, or else by their order; texts must agree.
    Plain values of `meta` are labels. Lines whose `answer` is reject or ignore in the
    gold are left out.
    `missing` says what becomes of texts that a system lacks: "error", "zero" (all their spans are
    missed) or "drop".
    """
    return score_spans(systems, gold, missing=missing).counts


def score_spans(
    systems: Sequence[str | Path], gold: Sequence[str | Path], *, missing: str = "error"
) -> EntityScores:
    """Return the counts of `read_spans`, and what each system found label by label."""
    if missing not in POLICIES:
        raise UsageError(f"missing is error, zero or drop, not {missing!r}")
    if len(gold) != 1:
        raise UsageError(f"spans need one file of gold spans (--gold), not {len(gold)}")
    if not systems:
        raise UsageError("there is no span file to read; name at least one system")
    paths = system_files(systems)
    problems = Findings(strict=True)
    key = read_span_file(gold[0], problems)
    files = [read_span_file(path, problems) for some in paths.values() for path in some]
    # All systems share the texts of the gold, so that none has texts of its own.
    paired = pair_lines(key, files, "error" if missing == "own" else missing)
    _warn_of_labels(files, key, problems)
    notices = (*problems.notices(), *paired.notices, *_repeated([key, *files]))
    counts = averaged(_counts(paired, run_names(paths)), paths, notices)
    reports = (_report(paired.gold, lines) for lines in paired.systems)
    return EntityScores(counts, system_reports(paths, reports))


def _counts(paired: PairedLines, names: Sequence[str]) -> Counts:
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in COLUMNS}
    for lines in paired.systems:
        rows = [_row(gold, line) for gold, line in zip(paired.gold, lines, strict=True)]
        for column, values in zip(COLUMNS, np.array(rows, np.int64).T, strict=True):
            columns[column].append(values)
    counts = Counts.from_columns(names, paired.items, columns, _labels(paired), "text", "counts")
    outputs = {
        name: tuple(map(_in_words, lines))
        for name, lines in zip(names, paired.systems, strict=True)
    }
    golds = tuple(map(_in_words, paired.gold))
    texts = ItemTexts(tuple(line.text for line in paired.gold), golds, outputs)
    places = {item: k for k, item in enumerate(paired.items)}
    return replace(counts, texts=texts, views=SpanViews(paired, tuple(names), places))


@dataclass(frozen=True, slots=True)
class SpanViews:
    """Texts with the spans of gold and systems."""

    paired: PairedLines
    names: tuple[str, ...]
    places: Mapping[str, int]

    def __call__(self, name: str) -> ItemView:
        """Return a text, by its id, with both annotations."""
        at = self.places[name]
        lines = (system[at] for system in self.paired.systems)
        spans = (() if line is None else line.spans for line in lines)
        gold = self.paired.gold[at]
        return annotated_view(gold.text, gold.spans, dict(zip(self.names, spans, strict=True)))


def _row(gold: SpanLine, line: SpanLine | None) -> tuple[int, int, int]:
    found = set(line.spans) if line is not None else set()
    matched = len(found.intersection(gold.spans))
    return matched, len(found) - matched, len(gold.spans) - matched


def _labels(paired: PairedLines) -> dict[str, tuple[str, ...]]:
    """Return the plain values of `meta`, empty where a line lacks one; not the id."""
    names = dict.fromkeys(name for line in paired.gold for name in line.labels)
    if paired.key == "meta.id":
        del names["id"]
    return {name: tuple(line.labels.get(name, "") for line in paired.gold) for name in names}


def _in_words(line: SpanLine | None) -> str:
    if line is None:
        return ""
    return in_words((label, line.text[start:end]) for start, end, label in line.spans)


def _report(gold: Sequence[SpanLine], lines: Sequence[SpanLine | None]) -> EntityReport:
    correct, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    for key, line in zip(gold, lines, strict=True):
        spans = set(line.spans) if line is not None else set()
        wanted.update(label for _, _, label in key.spans)
        found.update(label for _, _, label in spans)
        correct.update(label for _, _, label in spans.intersection(key.spans))
    labels = sorted({*wanted, *found})
    return EntityReport({each: Totals(correct[each], found[each], wanted[each]) for each in labels})


def _repeated(files: Sequence[SpanFile]) -> list[Notice]:
    """Return notices of the files where a span is there more than once."""
    notices = []
    for file in files:
        number = sum(line.repeated for line in file.lines)
        if number:
            verb = "is" if number == 1 else "are"
            text = f"{several(number, 'span')} of {shown(file.path)} {verb} there again in the "
            notices.append(
                Notice("repeated-spans", f"{text}same line: counted once.", (file.path,))
            )
    return notices


def _warn_of_labels(files: Sequence[SpanFile], gold: SpanFile, problems: Findings) -> None:
    """Warn of labels that no gold span has; a misspelled one is never right."""
    wanted = {label for line in gold.lines for _, _, label in line.spans}
    for file in files:
        first = {label: line for line in reversed(file.lines) for _, _, label in line.spans}
        for label in sorted(first.keys() - wanted) if wanted else ():
            problems.warn(
                f"{file.place(first[label])}: the gold has no span with the label {label!r}; those "
                "of the system count as wrong"
            )


def findings(sources: Sequence[str], gold: Sequence[str]) -> list[Finding]:
    """Return the problems of span files, and whether they fit the gold."""
    problems = Findings()
    read: dict[str, SpanFile] = {}
    files = paths_of(sources)
    for path in (*gold, *files):
        with problems.of_file():
            read[path] = read_span_file(path, problems)
    if not problems.fatal and gold:
        for path in files:
            with problems.of_file():
                pair_lines(read[gold[0]], [read[path]], "error")
        _warn_of_labels([read[path] for path in files], read[gold[0]], problems)
    for file in read.values():
        for line in file.lines:
            if line.repeated:
                problems.warn(f"{file.place(line)}: {line.repeated} of the spans appear twice")
    return problems.as_read(
        lambda: read_spans(sources, gold).notices if gold else (), listed=("repeated-spans",)
    )
