"""`--as nuggets`: event nuggets in TBF files."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.nuggets.evaluation import Evaluation, Request
    from tellapart.formats.nuggets.tokens import TokenFolder
    from tellapart.formats.registry import Scored

NAMES = ("nuggets",)
PROFILES = ("kbp", "fixed", "pilot")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `compare` and `score` share."""
    group = parser.add_argument_group("event nuggets (--as nuggets)")
    _add_reading(group)
    add = group.add_argument
    add("--profile", choices=PROFILES, default="kbp",
        help="kbp: 2015 to 2017; fixed, pilot: the 2015 paper (default: kbp)")  # fmt: skip
    add("--doc", metavar="ID", help="score this document only")
    add("--coref", action="store_true", help="score coreference too")
    add("--coref-mapping", type=int, default=1, metavar="N",
        help="mentions are aligned by 0 spans, 1 type, 2 realis, 3 both (default: 1)")  # fmt: skip
    add("--coref-threshold", type=float, default=1.0, metavar="X",
        help="how alike aligned spans must be (default: 1.0, the same)")  # fmt: skip


def _add_reading(group: argparse._ArgumentGroup) -> None:
    """Declare the options that every verb has."""
    add = group.add_argument
    add("--tokens", metavar="DIR",
        help="token tables, one per document; spans are then token ids")  # fmt: skip
    add("--token-extension", default=".tab", metavar="EXT",
        help="what the names of token tables end in (default: .tab)")  # fmt: skip
    add("--token-columns", default="2,3", metavar="B,E",
        help="their columns of offsets, from 0 (default: 2,3)")  # fmt: skip
    add("--types", metavar="FILE", help="the types of mentions that count, one per line")


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that only `score` has."""
    add = parser.add_argument_group("reports (--as nuggets)").add_argument
    add("--sequencing", action="store_true", help="score After and Subevent links too")
    add("--comparison", metavar="FILE", help="write gold and system mentions side by side")
    add("--type-table", choices=("type+realis", "type"), default="type+realis",
        help="what must be right in the table of types (default: type+realis)")  # fmt: skip
    add("--omit-undefined-muc", action="store_true",
        help="leave MUC out of the average where neither side has links")  # fmt: skip
    add("--extras", action="store_true", help="add figures that no public scorer has")
    add("--svg", metavar="DIR", help="draw the scores by attribute combination there")


def read_counts(args: argparse.Namespace) -> Counts:
    """Score the systems, and give their counts per document."""
    from tellapart.formats.nuggets.counts import nugget_counts, nugget_metrics
    from tellapart.formats.runs import average_runs

    evaluations, runs = _evaluate_runs(args)
    args.metric = nugget_metrics(args.metric, args.profile == "pilot", args.coref)
    counts = nugget_counts(evaluations)
    if not counts.items:
        raise UsageError(f"{args.gold[0]} has no document with mentions; there is nothing to test")
    if all(len(names) == 1 for names in runs.values()):
        return counts
    return average_runs(
        {name: [counts.systems[run] for run in each] for name, each in runs.items()}
    )


def score(args: argparse.Namespace) -> list[Scored]:
    """Score the systems, and print the public scorer's report."""
    from tellapart.files import write_text
    from tellapart.formats.nuggets.report import comparison_text

    evaluations, runs = _evaluate_runs(args)
    if any(len(names) > 1 for names in runs.values()):
        raise UsageError("score takes one file per system; compare takes several runs")
    for notice in dict.fromkeys(n.text for each in evaluations.values() for n in each.notices):
        print(f"tellapart: warning: {notice}", file=sys.stderr)
    if args.comparison:
        texts = (
            comparison_text(each.scoring, _file_name(each.scoring.system.path), args.coref)
            for each in evaluations.values()
        )
        write_text(args.comparison, "".join(texts))
    if args.svg:
        _draw(evaluations, args.svg)
    return _scored(evaluations, args)


def add_validate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that only `validate` has."""
    group = parser.add_argument_group("event nuggets (--as nuggets)")
    _add_reading(group)
    group.add_argument(
        "--lengths", metavar="FILE", help="documents and their lengths in characters"
    )


def validate(args: argparse.Namespace) -> list[str]:
    """List all that is wrong with TBF files."""
    from tellapart.formats.nuggets.scoring import read_types
    from tellapart.formats.nuggets.validation import Expected, read_lengths, validate

    expected = Expected(
        _tokens(args),
        None if args.types is None else read_types(args.types),
        None if args.lengths is None else read_lengths(args.lengths),
    )
    return [finding for path in [*args.gold, *args.files] for finding in validate(path, expected)]


def _scored(evaluations: dict[str, Evaluation], args: argparse.Namespace) -> list[Scored]:
    from tellapart.formats.nuggets.counts import nugget_counts, nugget_metrics
    from tellapart.formats.nuggets.record import as_record
    from tellapart.formats.nuggets.report import report_text
    from tellapart.formats.registry import Scored
    from tellapart.formats.scoring import scored_counts

    metrics = nugget_metrics(args.metric, args.profile == "pilot", args.coref)
    counts = nugget_counts(evaluations)
    numbers = {each.name: each for each in scored_counts(counts, metrics)} if counts.items else {}
    several = len(evaluations) > 1
    return [
        Scored(
            name,
            numbers[name].scores if numbers else {metric.name: 0.0 for metric in metrics},
            numbers[name].counts if numbers else {},
            as_record(each),
            f"System: {name}\n{report_text(each)}" if several else report_text(each),
        )
        for name, each in evaluations.items()
    ]


def _evaluate_runs(
    args: argparse.Namespace,
) -> tuple[dict[str, Evaluation], dict[str, list[str]]]:
    """Evaluate all files; with several runs of a system each has a name of its own."""
    from tellapart.formats.nuggets.evaluation import evaluate
    from tellapart.formats.nuggets.tbf import read_tbf
    from tellapart.formats.sources import default_name, parse_source

    if len(args.gold) != 1:
        raise UsageError("event nuggets need one --gold file")
    if args.item not in (None, "document"):
        raise UsageError(f"the item of event nuggets is the document, not {args.item!r}")
    request = _request(args)
    request.check()
    gold = read_tbf(args.gold[0])
    evaluations: dict[str, Evaluation] = {}
    runs: dict[str, list[str]] = {}
    for text in args.systems:
        source = parse_source(text)
        name = source.name or default_name(source.paths[0])
        if name in runs:
            raise UsageError(f"two systems are called {name!r}; name them with NAME=path")
        runs[name] = [name if len(source.paths) == 1 else f"{name} {i}"
                      for i in range(1, len(source.paths) + 1)]  # fmt: skip
        for run, path in zip(runs[name], source.paths, strict=True):
            evaluations[run] = evaluate(gold, read_tbf(path), request)
    return evaluations, runs


def _request(args: argparse.Namespace) -> Request:
    from tellapart.formats.nuggets.attributes import BOTH, TYPE, profile
    from tellapart.formats.nuggets.evaluation import Request
    from tellapart.formats.nuggets.scoring import Options, read_types

    types = None if args.types is None else read_types(args.types)
    options = Options(profile(args.profile), _tokens(args), types, args.doc)
    scoring = args.verb == "score"
    return Request(
        options,
        args.coref,
        args.coref_mapping,
        args.coref_threshold,
        scoring and args.omit_undefined_muc,
        scoring and args.sequencing,
        scoring and args.extras,
        TYPE if scoring and args.type_table == "type" else BOTH,
    )


def _tokens(args: argparse.Namespace) -> TokenFolder | None:
    from pathlib import Path

    from tellapart.formats.nuggets.tokens import TokenFolder

    if args.tokens is None:
        return None
    folder = TokenFolder(Path(args.tokens), args.token_extension, _columns(args.token_columns))
    folder.check()
    return folder


def _columns(text: str) -> tuple[int, int]:
    try:
        begin, end = map(int, text.split(","))
        if min(begin, end) < 0:
            raise ValueError
    except ValueError:
        raise UsageError(f"--token-columns wants two numbers as in 2,3, not {text!r}") from None
    return begin, end


def _draw(evaluations: dict[str, Evaluation], folder: str) -> None:
    from pathlib import Path

    from tellapart.files import make_folder, write_text
    from tellapart.formats.nuggets.report import bar_chart
    from tellapart.report.figures.bars import draw

    make_folder(folder)
    write_text(Path(folder) / "nuggets.svg", draw(bar_chart(evaluations)))


def _file_name(path: str) -> str:
    from pathlib import Path

    return Path(path).name
