"""`--as text`: outputs and references line by line, for BLEU, NIST, chrF and TER."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tellapart.errors import UsageError
from tellapart.files import write_text

if TYPE_CHECKING:
    from tellapart.counts import Counts
    from tellapart.formats.registry import Scored
    from tellapart.formats.text.reader import TextScores
    from tellapart.metrics.text.catalogue import TextMetric

NAMES = ("text",)
METRICS = ("bleu", "nist", "chrf", "chrf+", "chrf++", "ter")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `compare` and `score` share."""
    add = parser.add_argument_group("text").add_argument
    add("--tokenize", metavar="NAME", default="13a",
        help="13a, none, intl, char or zh, for bleu and nist (default: 13a)")  # fmt: skip
    add("--lowercase", action="store_true", help="ignore case (nist: of ASCII letters)")
    add("--smooth", metavar="NAME", default="exp",
        help="exp, floor, add-k or none, for bleu (default: exp)")  # fmt: skip
    add("--smooth-value", type=float, metavar="X", help="for floor (0.1) and add-k (1)")
    add("--order", type=int, default=4, metavar="N", help="longest n-grams of bleu (default: 4)")
    add("--effective-order", action="store_true",
        help="bleu of as many orders as a text is long enough for")  # fmt: skip
    add("--nist-compat", choices=("mteval",), help="repeat what NIST's script does with a word 0")
    add("--docids", metavar="FILE", help="the document of each line; use --cluster document")
    add("--strip-bom", action="store_true", help="take off byte-order marks")


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that only `score` has."""
    add = parser.add_argument_group("text, scores only").add_argument
    add("--segments", metavar="FILE",
        help="write the scores of single segments as a table that compare reads")  # fmt: skip


def read_counts(args: argparse.Namespace) -> Counts:
    """Read outputs and references; the metrics get the settings of the command line."""
    found = _read(args)
    args.metric = list(found.metrics)
    return found.counts


def score(args: argparse.Namespace) -> list[Scored]:
    """Score every system; the report has signatures and the scores of runs."""
    from dataclasses import replace

    from tellapart.formats.scoring import scored_counts

    found = _read(args)
    for notice in found.counts.notices:
        print(f"tellapart: {notice.text}", file=sys.stderr)
    if args.segments:
        write_text(args.segments, _segment_table(found))
    signatures = {metric.name: metric.signature for metric in found.metrics}
    return [
        replace(
            each,
            report={
                "signatures": signatures,
                "runs": found.runs.get(each.name, {}),
                **found.details[each.name],
            },
        )
        for each in scored_counts(found.counts, found.metrics)
    ]


def validate(args: argparse.Namespace) -> list[str]:
    """List what is wrong with outputs and references."""
    from tellapart.formats.text.checking import text_problems

    return text_problems(args.files, args.gold)


def _read(args: argparse.Namespace) -> TextScores:
    from tellapart.formats.text.reader import read_text
    from tellapart.progress import DelayedProgress

    if not args.gold:
        raise UsageError("text needs a reference: --gold FILE, once for each reference")
    if args.item is not None:
        raise UsageError(
            "the items of texts are segments; --docids FILE --cluster document joins them"
        )
    with DelayedProgress() as progress:
        return read_text(
            args.systems,
            args.gold,
            [_metric(name, args) for name in args.metric or _default(args)],
            docids=args.docids,
            strip_bom=args.strip_bom,
            segments=bool(getattr(args, "segments", None)),
            progress=progress,
        )


def _default(args: argparse.Namespace) -> tuple[str, ...]:
    return METRICS if getattr(args, "sensitivity", False) else ("bleu",)


def _metric(name: str, args: argparse.Namespace) -> TextMetric:
    from tellapart.metrics.text.bleu import Bleu
    from tellapart.metrics.text.chrf import Chrf
    from tellapart.metrics.text.nist import Nist
    from tellapart.metrics.text.scoring import text_metric

    if name == "bleu":
        return Bleu(
            args.tokenize, args.lowercase, args.smooth, args.smooth_value, args.order,
            args.effective_order,
        )  # fmt: skip
    if name == "nist":
        return Nist(args.tokenize, args.lowercase, args.nist_compat)
    if name in ("chrf", "chrf+", "chrf++"):
        return Chrf(word_order=name.count("+"), lowercase=args.lowercase)
    return text_metric(name)


def _segment_table(found: TextScores) -> str:
    rows = ["system\tsegment\tmetric\tscore"]
    for system, metrics in found.segments.items():
        for metric, scores in metrics.items():
            rows += [
                f"{system}\t{item}\t{metric}\t{value!r}"
                for item, value in zip(found.counts.items, scores, strict=True)
            ]
    return "\n".join(rows) + "\n"
