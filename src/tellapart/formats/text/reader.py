"""Outputs and references as counts of what the metrics need; several runs are averaged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tellapart.counts import Counts, ItemTexts
from tellapart.counts.views import ItemView, Piece, ViewRow, ViewSection, against
from tellapart.errors import Notice, UsageError
from tellapart.formats.sources import run_names, system_files
from tellapart.formats.text.files import (
    Run,
    TextFile,
    file_notices,
    read_documents,
    read_in_step,
    read_sources,
    refuse_blank,
)
from tellapart.metrics import Function, Ratio
from tellapart.metrics.runs import averaged
from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.scoring import (
    TextMetric,
    as_metric,
    count_blocks,
    counts_of_segments,
    segment_scores,
    text_metric,
)
from tellapart.metrics.text.texts import Texts
from tellapart.progress import Progress, no_progress
from tellapart.read_once import reading_once

MOST_TEXTS, MOST_CHARACTERS = 50_000, 1 << 26
"""Of more segments, or of longer texts of all files together, the texts are not kept"""


@dataclass(frozen=True, slots=True)
class TextScores:
    """Counts of texts, the metrics that read them, and the scores of single runs."""

    counts: Counts
    metrics: tuple[Ratio | Function, ...]
    runs: dict[str, dict[str, list[float]]]  # system → metric → score of each run
    segments: dict[str, dict[str, list[float]]]  # system → metric → score of each segment
    details: dict[str, dict[str, Any]]  # system → what its BLEU is made of


@reading_once()
def read_text(
    systems: Sequence[str | Path],
    gold: Sequence[str | Path],
    metrics: Sequence[str | TextMetric] = ("bleu",),
    *,
    docids: str | Path | None = None,
    source: str | Path | None = None,
    strip_bom: bool = False,
    segments: bool = False,
    progress: Progress = no_progress,
) -> TextScores:
    r"""Return outputs and references as counts of what the metrics need, with scores of runs.

    `gold` are one or more references; `docids` names a file with the document of each segment,
    which becomes the label `document`; `source` one with what was translated, for those who look
    at segments. `segments` asks for the scores of single segments, too.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gold, system = Path(folder) / "gold.txt", Path(folder) / "A.txt"
    ...     _ = gold.write_text("the cat sat down\n"), system.write_text("the cat sat down\n")
    ...     scores = read_text([system], [gold], ["bleu"])
    >>> scores.counts
    <Counts: 1 system × 1 segment × 10 columns>
    """
    if not systems or not gold:
        raise UsageError("text needs one system or more, and one reference or more (--gold FILE)")
    wanted = [text_metric(each) if isinstance(each, str) else each for each in metrics]
    paths = system_files(systems)
    references = [TextFile(str(path), strip_bom) for path in gold]
    runs = [Run(name, TextFile(path, strip_bom)) for name, some in paths.items() for path in some]
    stream = _Stream(references, runs, progress)
    columns = count_blocks(wanted, stream.blocks(), stream.references())
    inputs = () if source is None else read_sources(source, references[0])
    labels = {"document": read_documents(docids, references[0])} if docids is not None else {}
    notices = file_notices(runs, references, stream.copies)
    names = run_names(paths)
    single = counts_of_segments(names, columns, labels)
    functions = tuple(as_metric(each, str(len(references))) for each in wanted)
    by_run = _run_scores(single, runs, wanted)
    notices = (*single.notices, *notices, *_spread(by_run))
    if stream.kept:
        lines = stream.kept[len(references) :]
        outputs = dict(zip(names, lines, strict=True))
        single = _with_texts(single, inputs, stream.kept[0], outputs, several=bool(by_run))
    counts = averaged(replace(single, notices=()), paths, notices)
    named = [path for some in paths.values() for path in some]
    others = [each for each in (docids, source) if each is not None]
    counts = counts.read_from([*named, *gold, *others])
    scores = _segments(counts, wanted) if segments else {}
    return TextScores(counts, functions, by_run, scores, _details(counts, wanted))


class _Stream:
    """References and runs read in step; texts are kept as long as they are few."""

    def __init__(
        self, references: Sequence[TextFile], runs: Sequence[Run], progress: Progress
    ) -> None:
        self._files = [*references, *(run.file for run in runs)]
        self._references, self._progress, self._characters = len(references), progress, 0
        self.kept: list[list[str]] = [[] for _ in self._files]
        """All lines of each file; nothing if there are too many"""
        self.copies = {(run.file.path, reference.path) for run in runs for reference in references}
        """Runs with the references that they are the same as"""

    def references(self) -> Iterator[list[list[str]]]:
        """Yield the lines of all references by themselves, a block at a time."""
        files = [TextFile(each.path, each.strip_bom) for each in self._files[: self._references]]
        for block in read_in_step(files):
            yield block
            self._progress("segments of references", files[0].size, 0)
        refuse_blank(files)

    def blocks(self) -> Iterator[Texts]:
        """Yield the texts, a block at a time."""
        first = self._references
        for block in read_in_step(self._files):
            named = dict(zip((file.path for file in self._files), block, strict=True))
            self.copies = {(a, b) for a, b in self.copies if named[a] == named[b]}
            self._characters += sum(sum(map(len, lines)) for lines in block)
            if self._files[0].size > MOST_TEXTS or self._characters > MOST_CHARACTERS:
                self.kept = []
            for lines, more in zip(self.kept, block, strict=False):
                lines += more
            yield Texts(tuple(block[first:]), tuple(block[:first]))
            self._progress("segments", self._files[0].size, 0)
        refuse_blank(self._files[:first])


def _with_texts(
    counts: Counts,
    inputs: tuple[str, ...],
    gold: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    *,
    several: bool,
) -> Counts:
    """Return the counts with texts for reports; several runs of a system stand below each other."""
    if not several:
        found = {name: tuple(lines) for name, lines in outputs.items()}
        return replace(counts, texts=ItemTexts(inputs, tuple(gold), found))
    views = LineViews(dict(zip(counts.items, range(len(gold)), strict=True)), gold, outputs)
    return replace(counts, texts=ItemTexts(inputs, tuple(gold)), views=views)


@dataclass(frozen=True, slots=True)
class LineViews:
    """Segments with every run's text held against the reference."""

    places: Mapping[str, int]
    gold: Sequence[str]
    outputs: Mapping[str, Sequence[str]]

    def __call__(self, name: str) -> ItemView:
        """Return one segment, as all runs have it."""
        gold = self.gold[at := self.places[name]]
        cells = {run: against(lines[at], gold) for run, lines in self.outputs.items()}
        return ItemView((ViewSection((ViewRow("", (Piece(gold),), cells),), stacked=True),))


def _run_scores(
    single: Counts, runs: Sequence[Run], metrics: Sequence[TextMetric]
) -> dict[str, dict[str, list[float]]]:
    """Return the score of every run of the systems that have several."""
    totals = single.summed() / np.array(single.scales, np.float64)
    scores: dict[str, dict[str, list[float]]] = {}
    for metric in metrics:
        columns = [single.columns.index(column) for column in metric.columns]
        for run, score in zip(runs, metric.score(totals[:, columns]).tolist(), strict=True):
            scores.setdefault(run.system, {}).setdefault(metric.name, []).append(score)
    first = next(iter(metrics)).name
    return {name: each for name, each in scores.items() if len(each[first]) > 1}


def _spread(by_run: dict[str, dict[str, list[float]]]) -> list[Notice]:
    """Return notices of how far runs of a system lie apart."""
    notices = []
    for system, scores in by_run.items():
        spreads = ", ".join(
            f"{metric} {min(each):.3f} to {max(each):.3f} (sd {np.std(each, ddof=1):.3f})"
            for metric, each in scores.items()
        )
        runs = len(next(iter(scores.values())))
        text = f"The {runs} runs of {system}: {spreads}."
        notices.append(Notice("run-spread", text, (system,)))
    return notices


def _details(counts: Counts, metrics: Sequence[TextMetric]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {name: {} for name in counts.names}
    totals = counts.summed() / np.array(counts.scales, np.float64)
    for metric in metrics:
        if isinstance(metric, Bleu):
            columns = [counts.columns.index(column) for column in metric.columns]
            for name, sums in zip(counts.names, totals[:, columns], strict=True):
                found[name][metric.name] = metric.details(sums)
    return found


def _segments(counts: Counts, metrics: Sequence[TextMetric]) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {name: {} for name in counts.names}
    for metric in metrics:
        for name, row in zip(counts.names, segment_scores(metric, counts).tolist(), strict=True):
            found[name][metric.name] = row
    return found
