"""Makes a campaign: a folder with settings, a database and the files that all share.

Examples:
  tellapart campaign new answers/ --as items
  tellapart campaign new answers/ --as inspect --second 0.1
  tellapart campaign new news/ --as text --gold reference.txt --scale good=1,fair=0.5,bad=0
  tellapart campaign new muc/ --as muc --gold key.txt --texts texts.txt
  tellapart campaign new keys/ --as muc --judging keys

A format has options of its own, as --texts, --slots and --schema of muc and templates; see them
with --as FORMAT --help.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tellapart.console import show
from tellapart.errors import UsageError
from tellapart.files import read_bytes
from tellapart.formats.registry import format_of
from tellapart.options import SHARE, Number, OutputFolder, options_of
from tellapart.verbs import inputs
from tellapart.verbs.outputs import Outputs
from tellapart.words import encodable

if TYPE_CHECKING:
    from tellapart.campaign.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument_group("what is judged").add_argument
    add("--as", dest="form", required=True, metavar="FORMAT",
        help="the format of the systems' files: items, inspect, lm-eval, text, muc, …")  # fmt: skip
    add("--gold", action="append", default=[], metavar="FILE", help="gold answers; repeatable")
    add("--item", metavar="COLUMN", help="what an item is: the column that names it")
    add = parser.add_argument_group("how").add_argument
    add("--title", metavar="TEXT", help="the heading of the pages (default: the folder's name)")
    add("--judging", choices=("rating", "fills", "keys"),
        help="rate outputs, decide on fills of templates, or settle two annotators' keys "
        "(default: fills for templates, else rating)")  # fmt: skip
    add("--scale", type=_scale, metavar="NAME=X,…",
        help="what ratings are worth (default: right=1,partly=0.5,wrong=0)")  # fmt: skip
    add("--second", type=SHARE, default=0.2, metavar="SHARE",
        help="share of the questions that two people answer (default: 0.2)")  # fmt: skip
    add("--database", default="", metavar="URL",
        help="postgresql+psycopg://user@host/name, or env:NAME of a variable that holds it "
        "(default: SQLite in the folder)")  # fmt: skip


def _scale(text: str) -> dict[str, float]:
    """Return the answers of a scale and what they are worth.

    >>> _scale("right=1,partly=.5,wrong=0")
    {'right': 1.0, 'partly': 0.5, 'wrong': 0.0}
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, worth = (each.strip() for each in part.partition("="))
        if not equals or not name:
            raise UsageError(f"--scale wants NAME=X, such as right=1,wrong=0, not {part[:40]!r}")
        if name in found:
            raise UsageError(f"--scale has {name[:40]!r} twice; give each answer once")
        found[encodable(name)] = Number(least=-1e6, most=1e6)(worth)
    return found


def run(args: argparse.Namespace) -> None:
    """Make the campaign."""
    from tellapart.campaign.campaign import GOLD, Campaign

    chosen, files = _options(args)
    read = (*args.gold, *files.values())
    Outputs({"DIR": OutputFolder(args.folder)}, read)
    settings = _settings(args, chosen)
    shared = [*((GOLD, path) for path in args.gold), *files.items()]
    contents = [(role, Path(path).name, read_bytes(path)) for role, path in shared]
    Campaign.create(args.folder, settings, contents)
    show(f"{args.folder}: the campaign {settings.title!r} asks {_ASKED[settings.judging]}\n")


_ASKED: Final = {
    "fills": "what fills and templates of the key those of the systems match",
    "keys": "what belongs in the key, of what two annotators have in theirs",
    "rating": "how good each output is",
}


def _settings(args: argparse.Namespace, options: Mapping[str, Any]) -> Settings:
    from tellapart.campaign.settings import RIGHT_PARTLY_WRONG, checked_settings

    templates = bool({"muc", "templates"} & {*format_of(args.form).names})
    judging = args.judging or ("fills" if templates else "rating")
    if (judging in ("fills", "keys")) != templates:
        raise UsageError(f"--judging {judging} does not go with --as {args.form}; drop it")
    if args.scale is not None and judging != "rating":
        raise UsageError(f"--scale goes with --judging rating, not with {judging}; drop it")
    if judging == "fills" and len(args.gold) != 1:
        raise UsageError(f"--as {args.form} needs one answer key: give --gold FILE, once")
    if judging == "keys" and args.gold:
        raise UsageError("--judging keys makes the gold of two keys: add these, and drop --gold")
    title = encodable(args.title or Path(os.path.abspath(args.folder)).name)
    return checked_settings(
        {
            "title": title, "form": args.form, "judging": judging,
            "metric": "f1" if templates else "", "second_opinions": args.second,
            "scale": args.scale or dict(RIGHT_PARTLY_WRONG), "options": dict(options),
            "database": args.database,
        },
        args.folder,
    )  # fmt: skip


def _options(args: argparse.Namespace) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options of the format, and those that are files by their paths."""
    chosen = format_of(args.form)
    inputs.format_options(args, chosen)  # which refuses those of other formats
    given: dict[str, Any] = {} if args.item is None else {"item": args.item}
    files: dict[str, str] = {}
    for each in options_of(chosen.options, "campaign"):
        if each.name not in vars(args):
            continue
        value = getattr(args, each.name)
        is_file = each.reads and (each.default is None or os.path.exists(value))
        (files if is_file else given)[each.name] = value
    return given, files
