"""`--as nuggets`: event nuggets in TBF files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.errors import Finding, Notice, UsageError
from tellapart.files import shown
from tellapart.formats.contract import Format, Report, Sources, SystemReport
from tellapart.formats.head import Head
from tellapart.formats.sources import run_names, system_files
from tellapart.limits import SHARE, Number
from tellapart.options import READING, input_file, option, output_path

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.nuggets.evaluation import Evaluation, Request
    from tellapart.formats.nuggets.tbf import TbfFile
    from tellapart.formats.nuggets.tokens import TokenFolder

CHECKED = (*READING, "validate")
PROFILES = ("kbp", "fixed", "pilot")


def _two_columns(text: str) -> tuple[int, int]:
    try:
        begin, end = map(int, text.split(","))
        if min(begin, end) < 0:
            raise ValueError
    except ValueError:
        raise UsageError(f"--token-columns wants two numbers as in 2,3, not {text!r}") from None
    return begin, end


@dataclass(frozen=True, slots=True)
class NuggetOptions:
    """How mentions are read and scored."""

    tokens: str | None = option(
        None,
        "token tables, one per document; spans are then token ids",
        metavar="DIR",
        reads=True,
        verbs=CHECKED,
    )
    token_extension: str = option(
        ".tab",
        "what the names of token tables end in (default: .tab)",
        metavar="EXT",
        verbs=CHECKED,
    )
    token_columns: str = option(
        "2,3",
        "their columns of offsets, from 0 (default: 2,3)",
        metavar="B,E",
        verbs=CHECKED,
    )
    types: str | None = input_file("the types of mentions that count, one per line", CHECKED)
    lengths: str | None = input_file("documents and their lengths in characters", ("validate",))
    profile: str = option(
        "kbp",
        "kbp: 2015 to 2017; fixed, pilot: the 2015 paper (default: kbp)",
        choices=PROFILES,
    )
    mapping: str = option(
        "greedy",
        "mentions are mapped greedily, or so that overlaps have the best sum (default: greedy)",
        choices=("greedy", "best"),
    )
    doc: str | None = option(None, "score this document only", metavar="ID")
    coref: bool = option(False, "score coreference too")
    coref_mapping: int = option(
        1,
        "mentions are aligned by 0 spans, 1 type, 2 realis, 3 both (default: 1)",
        metavar="N",
        number=Number(whole=True, least=0, most=3),
    )
    coref_threshold: float = option(
        1.0, "how alike aligned spans must be (default: 1.0, the same)", metavar="X", number=SHARE
    )
    sequencing: bool = option(False, "score After and Subevent links too", verbs=("score",))
    comparison: str | None = output_path("write gold and system mentions side by side")
    type_table: str = option(
        "type+realis",
        "what must be right in the table of types (default: type+realis)",
        choices=("type+realis", "type"),
        verbs=("score",),
    )
    omit_undefined_muc: bool = option(
        False, "leave MUC out of the average where neither side has links", verbs=("score",)
    )
    extras: bool = option(False, "add figures that no public scorer has", verbs=("score",))
    svg: str | None = output_path("draw the scores by attribute combination there", "DIR")


def _recognises(head: Head) -> bool:
    return re.search(r"^#BeginOfDocument\b", head.text, re.MULTILINE) is not None


def _read(sources: Sources, options: NuggetOptions) -> Counts:
    """Return the scored systems' counts per document."""
    from tellapart.formats.nuggets.counts import nugget_counts, nugget_metrics
    from tellapart.metrics.runs import averaged

    files = system_files(sources.systems)
    counts = nugget_counts(_evaluate(sources, options, files))
    if not counts.items:
        raise UsageError(
            f"{sources.gold[0]} has no document with mentions; there is nothing to test"
        )
    metrics = nugget_metrics(sources.metrics, options.profile == "pilot", options.coref)
    return replace(averaged(counts, files, counts.notices), metrics=tuple(metrics))


def _report(sources: Sources, options: NuggetOptions) -> Report:
    """Return the scores of the systems, in the layout of the public scorer."""
    from tellapart.formats.nuggets.report import bar_chart, comparison_text

    files = system_files(sources.systems)
    if any(len(paths) > 1 for paths in files.values()):
        raise UsageError("score takes one file per system; compare takes several runs")
    evaluations = _evaluate(sources, options, files)
    found = dict.fromkeys(n for each in evaluations.values() for n in each.notices)
    findings = tuple(Finding(each.text, fatal=False) for each in found)
    written: dict[str, Any] = {}
    if options.comparison:
        written["comparison"] = "".join(
            comparison_text(each.scoring, Path(each.scoring.system.path).name, options.coref)
            for each in evaluations.values()
        )
    if options.svg:
        written["svg"] = {"nuggets.svg": bar_chart(evaluations)}
    systems = tuple(_systems(evaluations, sources, options))
    return Report(systems, findings=findings, files=written)


def _systems(
    evaluations: dict[str, Evaluation], sources: Sources, options: NuggetOptions
) -> Iterator[SystemReport]:
    from tellapart.formats.nuggets.counts import nugget_counts, nugget_metrics
    from tellapart.formats.nuggets.report import as_record, report_text
    from tellapart.formats.plain_report import plain_report

    metrics = nugget_metrics(sources.metrics, options.profile == "pilot", options.coref)
    counts = nugget_counts(evaluations)
    empty = {metric.name: 0.0 for metric in metrics}
    plain = (
        {each.name: each for each in plain_report(counts, metrics).systems} if counts.items else {}
    )
    heading = len(evaluations) > 1
    for name, each in evaluations.items():
        text = report_text(each)
        yield replace(
            plain.get(name, SystemReport(name, empty, {})),
            report=as_record(each),
            text=f"System: {name}\n{text}" if heading else text,
        )


def _evaluate(
    sources: Sources, options: NuggetOptions, files: dict[str, tuple[str, ...]]
) -> dict[str, Evaluation]:
    """Evaluate all files; with several runs of a system each has a name of its own."""
    from tellapart.formats.nuggets.evaluation import evaluate
    from tellapart.formats.nuggets.tbf import cut, read_text
    from tellapart.formats.nuggets.validation import notices

    if len(sources.gold) != 1:
        raise UsageError("event nuggets need one --gold file")
    if sources.item not in (None, "document"):
        raise UsageError(f"the item of event nuggets is the document, not {sources.item!r}")
    request = _request(options)
    request.check()

    def read(path: str) -> tuple[TbfFile, tuple[Notice, ...]]:
        text = read_text(path)
        return cut(text, shown(path)), notices(text, path, request.options.tokens)

    gold, odd = read(str(sources.gold[0]))
    paths = [path for each in files.values() for path in each]
    evaluations = {}
    for name, path in zip(run_names(files), paths, strict=True):
        system, also_odd = read(path)
        found = evaluate(gold, system, request)
        evaluations[name] = replace(found, notices=(*odd, *also_odd, *found.notices))
    return evaluations


def _request(options: NuggetOptions) -> Request:
    from tellapart.formats.nuggets.attributes import BOTH, TYPE, profile
    from tellapart.formats.nuggets.evaluation import Request
    from tellapart.formats.nuggets.scoring import Options, read_types

    types = None if options.types is None else read_types(options.types)
    best = options.mapping == "best"
    if best and not profile(options.profile).one_to_one:
        raise UsageError(
            f"--profile {options.profile} gives every mention its best partner: drop --mapping best"
        )
    return Request(
        Options(profile(options.profile), _tokens(options), types, options.doc, best),
        options.coref,
        options.coref_mapping,
        options.coref_threshold,
        options.omit_undefined_muc,
        options.sequencing,
        options.extras,
        TYPE if options.type_table == "type" else BOTH,
    )


def _tokens(options: NuggetOptions) -> TokenFolder | None:
    from tellapart.formats.nuggets.tokens import TokenFolder

    if options.tokens is None:
        return None
    columns = _two_columns(options.token_columns)
    folder = TokenFolder(Path(options.tokens), options.token_extension, columns)
    folder.check()
    return folder


def _findings(
    files: Sequence[str], gold: Sequence[str], options: NuggetOptions
) -> Iterator[Finding]:
    """Yield all that is wrong with TBF files."""
    from tellapart.formats.nuggets.notices import unshared_documents
    from tellapart.formats.nuggets.scoring import read_types
    from tellapart.formats.nuggets.tbf import cut, read_text
    from tellapart.formats.nuggets.validation import Expected, findings, read_lengths

    expected = Expected(
        _tokens(options),
        None if options.types is None else read_types(options.types),
        None if options.lengths is None else read_lengths(options.lengths),
    )
    key: TbfFile | None = None
    for number, path in enumerate([*gold, *files]):
        text = read_text(path)
        found = list(findings(text, path, expected))
        yield from found
        if any(each.fatal for each in found):
            continue
        file = cut(text, shown(path))
        if number < len(gold):
            key = file if len(gold) == 1 else None
        elif key is not None:
            for notice in unshared_documents(key, file, sorted(key.blocks)):
                yield Finding(notice.text.removesuffix("."), fatal=False)


FORMAT = Format(
    names=("nuggets",),
    about="event nuggets in TBF files",
    recognises=_recognises,
    recognises_gold=_recognises,
    read=_read,
    options=NuggetOptions,
    report=_report,
    findings=_findings,
)
