"""`python -m studies STUDY`: a published study, done again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from tellapart.__main__ import end_at_once
from tellapart.cli import Parser, exit_status
from tellapart.console import show
from tellapart.errors import UsageError
from tellapart.options import SEED
from tellapart.verbs.outputs import add_output, outputs_of

if TYPE_CHECKING:
    from studies.core import Reproduction, Request
    from tellapart.console import Progress

DESCRIPTION = """\
Does a published study again and puts our figures beside the published ones.
  muc3     an analysis of MUC-3 (Chinchor, Hirschman and Lewis 1993): what it says
           of significance, put to the systems of MUC-4
  muc4     the significance of the results of MUC-4 (Chinchor 1992; Chinchor,
           Hirschman and Lewis 1993): 17 systems, shuffles as then, and exact
  extract  three systems of 1991 (keyword rules, perceptrons, case memory), built
           again and scored beside those of 1992 (needs --data)
  yeh      two methods of finding modifier relations (Yeh 2000): tests of precision
           and F on single responses, and what assuming independence does
  riezler  pitfalls in testing translations (Riezler and Maxwell 2005): how often
           tests go wrong, many comparisons, sensitivity of NIST, BLEU and F
  translate  the paper's translator and reranker, from text to verdict
  nuggets  three ways to combine scores of event nuggets (Liu, Mitamura and Hovy
           2015), on 15 systems that are drawn from the seed or on your own
  convergence  whether work on one test set also helped on an unseen one (Chinchor,
           Hirschman and Lewis 1993, section 7.4), on drawn tables or your own
  templates  thirty years of templates: systems of 1992 and of 2021 to 2023 on the
           messages of MUC-4, by the metrics of today (needs --data)
  all      all of them, and one table of what all papers say"""
EXAMPLES = """\
examples:
  python -m studies yeh
  python -m studies muc4 --svg pictures --json muc4.json
  python -m studies muc4 --data tst3
  python -m studies riezler --data newstest
  python -m studies translate --data verses --full --out DIR
  python -m studies nuggets --data DIR --svg pictures
  python -m studies all"""

STUDIES: Final = {
    name: f"studies.{place}.study"
    for name, place in {
        "muc3": "muc3", "muc4": "muc4", "extract": "muc3.extract", "yeh": "yeh",
        "riezler": "riezler", "translate": "riezler.translate", "nuggets": "nuggets",
        "convergence": "convergence", "templates": "templates",
    }.items()
}  # fmt: skip
"""The module of each study"""
ALL: Final = "all"


class Study(Protocol):
    """What the module `study` of each sub-package has."""

    HAS_PICTURES: bool

    def reproduce(self, request: Request) -> Reproduction:
        """Return the study, done again."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    known = (*STUDIES, ALL)
    add("study", choices=known, metavar="STUDY", help=", ".join(known))
    add("--data", metavar="DIR",
        help="raw files instead of built-in or generated ones; muc3, muc4: a folder with key.txt, "
        "history.txt, replay.json and responses/; riezler: one with ref.txt and NAME.txt for each "
        "system; convergence: one with the tables before-seen, after-seen, before-unseen and "
        "after-unseen; extract: one with dev/ and tst3/; translate: one with source.txt and "
        "ref*.txt; nuggets: one with gold.tbf and NAME.tbf for each system; templates: one with "
        "templates/ and muc4/tst3; all: one with muc4/, templates/ and verses/")  # fmt: skip
    parser.add_argument(
        "--seed", type=SEED, metavar="N", default=0, help="of all that is random (default: 0)"
    )
    add("--full", action="store_true", help="translate, all: take all sentences")
    add("--out", metavar="DIR", help="translate, extract: where the systems' files stay")
    add_output(parser, "--json", "write the record; - for standard output, alone")
    add_output(parser, "--svg", "write the pictures into this folder", "DIR")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables and statements of a study, and return the status."""
    return exit_status("studies", lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int:
    parser = Parser(
        prog="python -m studies",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_arguments(parser)
    args = parser.parse_args(argv)
    if args.study == ALL:
        return _all(args)
    study = cast(Study, import_module(STUDIES[args.study]))
    outputs = outputs_of(args, [] if args.data is None else [args.data])
    if "--svg" in outputs.named and not study.HAS_PICTURES:
        raise UsageError(f"the study {args.study} has no pictures; drop --svg")
    from studies.rendering import as_json, render
    from tellapart.console import DelayedProgress

    with DelayedProgress() as progress:
        found = study.reproduce(_request(args, progress))
    outputs.write({"--json": lambda: as_json(found), "--svg": lambda: found.drawings})
    if not outputs.on_standard_output:
        show(render(found))
    return 0


def _request(args: argparse.Namespace, progress: Progress) -> Request:
    from studies.core import Request

    return Request(args.data, args.seed, progress, args.full, args.out)


def _all(args: argparse.Namespace) -> int:
    from studies.everything import reproduce_all
    from tellapart.console import DelayedProgress

    if args.json or args.svg:
        raise UsageError("all studies print one table; give --json and --svg to one study")
    with DelayedProgress() as progress:
        # What the paper of 1993 says is among the statements of muc4.
        studies = {name: module for name, module in STUDIES.items() if name != "muc3"}
        for part in reproduce_all(studies, _request(args, progress)):
            show(part)
    return 0


if __name__ == "__main__":
    end_at_once("studies")
    sys.exit(main())
