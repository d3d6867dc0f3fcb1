"""What is asked of files of templates: counts, a report, selections, or what is wrong with them.

There are two ways to score. The conferences pair templates and count the categories of their fills
(`evaluation.py`), of files of 1992 and of JSON by a schema; the metrics of the field
(`families.py`) count documents in their own ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from tellapart.counts import Counts
from tellapart.counts.counts import apart
from tellapart.counts.selections import SelectionCounts
from tellapart.errors import Finding, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Report, Sources, paths_of, plain_report
from tellapart.formats.head import read_head
from tellapart.formats.templates.corpus import Corpus, Reading, read_corpus
from tellapart.formats.templates.counts import (
    COLUMNS,
    ITEMS,
    evaluation_counts,
    selection_counts,
)
from tellapart.formats.templates.evaluation import (
    Evaluation,
    evaluated,
    tasks_of,
)
from tellapart.formats.templates.families import (
    FAMILIES,
    Family,
    family_counts,
    family_report,
    metrics,
)
from tellapart.formats.templates.format import TemplateOptions
from tellapart.formats.templates.history_files import read_history
from tellapart.formats.templates.layouts import ANY, MUC, TEMPLATES, DocumentFile
from tellapart.formats.templates.report import conference_report
from tellapart.formats.templates.scoring import Run
from tellapart.metrics import Metric, Ratio, metric
from tellapart.metrics import names as known_metrics
from tellapart.words import listed, nearest

NAME: Final = "muc"
"""F1 of the conferences, as it is called of JSON, and what its kin begin with"""
KIN: Final = (
    "precision", "recall", "f0.5", "f2", "undergeneration", "overgeneration", "substitution",
    "error-rate", "slot-error-rate",
)  # fmt: skip
USUAL: Final = (NAME, f"{NAME}.precision", f"{NAME}.recall")
_SIGNATURE: Final = "templates and fills paired to earn most, one to one; partial counts half"
_OF_CONFERENCES: Final = ("history", "replay", "row", "only", "contrast")
"""Options of the scoring of the conferences alone"""
_DECISIONS: Final = re.compile(r"(?:\s|;[^\n]*\n)*+\(")
"""How a history begins: with a parenthesis, after comments"""

Wanted: TypeAlias = Sequence[tuple[Family, Metric]]
"""Metrics of the field; none of them: the scoring of the conferences"""


def _asked(sources: Sources, options: TemplateOptions) -> tuple[Corpus, Wanted]:
    """Return the documents, and the metrics of the field that they are to be scored by."""
    known = metrics()
    wanted = [known[name] for name in dict.fromkeys(sources.metrics) if name in known]
    as_today = bool(wanted)
    alien = [name for name in sources.metrics if name not in known]
    for name in alien if wanted else ():
        _conference_metric(name)
    alien += [f"--{name}" for name in _OF_CONFERENCES if getattr(options, name) is not None]
    if sources.item not in (None, "document", "message"):
        alien.append(f"--unit {sources.item}")
    corpus = read_corpus(_one_gold(sources), sources.systems, options, as_today=as_today)
    if corpus.key.filled is not None:  # what is wrong with decisions belongs in the same error
        return corpus, ()
    corpus.reading.problems.raise_all()
    by_schema = alien or options.schema is not None or corpus.key.layout is ANY
    if not wanted and not sources.metrics and not (by_schema and corpus.kinds == {TEMPLATES}):
        wanted = _usual(corpus)
    if wanted and alien:
        name = wanted[0][1].name
        raise UsageError(f"{name} does not go with {listed(alien)}; ask for one at a time")
    _refuse_kinds(corpus, wanted)
    return corpus, wanted


def _one_gold(sources: Sources) -> str:
    if len(sources.gold) != 1:
        raise UsageError(
            f"templates need one --gold FILE, not {len(sources.gold)}; of different test sets, "
            "`compare --test unpaired` takes one for each"
        )
    return str(sources.gold[0])


def _usual(corpus: Corpus) -> list[tuple[Family, Metric]]:
    """Return the metrics that files in these layouts are scored by where none is named."""
    usual = [family for family in FAMILIES if family.usual in corpus.kinds]
    able = [family for family in usual if corpus.kinds <= {*family.kinds}]
    return [(family, family.metrics[0]) for family in able or usual]


def _refuse_kinds(corpus: Corpus, wanted: Wanted) -> None:
    """Refuse files that a metric cannot score."""
    asked = [(each.name, family.kinds) for family, each in wanted] or [(NAME, (TEMPLATES,))]
    for name, kinds in asked:
        for file in (corpus.key, *corpus.files.values()):
            kind = file.layout.kind
            if kind not in kinds:
                able = [family.name for family in FAMILIES if kind in family.kinds]
                raise UsageError(
                    f"{shown(file.path)} has {kind} ({file.layout.name}), which {name} does not "
                    f"score; {listed(able)} can"
                )


def _conference_metric(name: str) -> Metric:
    """Return a metric of the conferences; of JSON, F1 is called `muc`, and its kin `muc.NAME`."""
    whole, _, part = name.partition(".")
    if whole == NAME and part in ("", *KIN):
        found = metric(part or "f1", COLUMNS)
        assert isinstance(found, Ratio)
        return replace(found, name=name, signature=_SIGNATURE)
    if name in known_metrics() and name not in metrics():
        return metric(name, COLUMNS)
    names = [NAME, *(f"{NAME}.{each}" for each in KIN), *metrics()]
    raise UsageError(f"unknown metric {name!r}; {nearest(name, names)}")


def read_counts(sources: Sources, options: TemplateOptions) -> Counts:
    """Return the scored systems' counts per document, template or slot."""
    if options.contrast is not None:
        raise UsageError("--contrast is of selections: add --by selection")
    if sources.missing == "own" and len(sources.gold) > 1:
        return _of_test_sets(sources, options)
    corpus, wanted = _asked(sources, options)
    if wanted:
        return family_counts(corpus, wanted)
    evaluation = evaluated(corpus)
    return _evaluation_counts(sources, evaluation, evaluation.score_selected())


def _of_test_sets(sources: Sources, options: TemplateOptions) -> Counts:
    """Return the counts of systems that were run on different test sets, each by its own key."""
    keys, systems = sources.gold, sources.systems
    if len(keys) != len(systems):
        raise UsageError(
            f"there are {len(keys)} --gold files and {len(systems)} systems; give one for all, or "
            "one for each, in the same order"
        )
    return apart(
        [
            read_counts(replace(sources, gold=(key,), systems=(system,)), options)
            for key, system in zip(keys, systems, strict=True)
        ]
    )


def _evaluation_counts(sources: Sources, evaluation: Evaluation, runs: dict[str, Run]) -> Counts:
    names = sources.metrics
    item = ITEMS[0] if sources.item in (None, "document") else sources.item
    counts = evaluation_counts(evaluation, runs, item, names)
    if not evaluation.design.of_schema and not any(name.startswith(NAME) for name in names):
        return counts
    return replace(counts, metrics=tuple(map(_conference_metric, dict.fromkeys(names or USUAL))))


def read_report(sources: Sources, options: TemplateOptions) -> Report:
    """Return the scores of every system, in the layout of the conferences where these count."""
    corpus, wanted = _asked(sources, options)
    if wanted:
        return family_report(family_counts(corpus, wanted), sources.metrics)
    evaluation = evaluated(corpus)
    runs = evaluation.score_selected()
    counts = _evaluation_counts(sources, evaluation, runs)
    level = options.report or ("totals" if evaluation.design.of_schema else "pairs")
    plain = plain_report(counts, () if counts.metrics else sources.metrics)
    return conference_report(plain, runs, evaluation.corpus.runs_of, level, options.report_dir)


def read_selected(sources: Sources, options: TemplateOptions) -> SelectionCounts:
    """Return the slots of each selection of `--only` and system, to be compared with the rest."""
    if not options.only:
        raise UsageError("--by selection needs selections: give --only FILE")
    corpus, _ = _asked(sources, options)
    return selection_counts(evaluated(corpus))


def find_problems(
    files: Sequence[str], gold: Sequence[str], options: TemplateOptions, *, of_1992: bool = False
) -> Iterable[Finding]:
    """Return all that is wrong with files of templates or of decisions, also beside a key.

    Whether what is no JSON is of 1992, the key says, if there is one.
    """
    if len(gold) > 1:
        raise UsageError("templates have one answer key: give one --gold FILE")
    reading = Reading(options)
    design, problems = reading.design, reading.problems
    key = None
    if gold:
        key = reading.file(gold[0], gold=True)
        of_1992 = key.layout is MUC
    responses: dict[str, DocumentFile] = {}
    decisions = []
    for path in paths_of(files):
        with problems.of_file():
            if _DECISIONS.match(read_head(path).text):
                decisions.append(path)
            else:
                responses[path] = reading.file(path, of_1992=of_1992)
    if key is not None:
        design, _, _ = tasks_of(reading.corpus(key, responses))
    for path in decisions:
        read_history(path, design, problems)
    sources = Sources(tuple(responses), tuple(gold))
    return problems.as_read(
        lambda: read_counts(sources, options).notices if gold and responses else ()
    )
