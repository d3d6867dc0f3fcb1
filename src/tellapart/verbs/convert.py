"""`tellapart convert`: templates of one layout, written in another."""

from __future__ import annotations

import argparse

from tellapart.verbs.outputs import add_output, outputs_of
from tellapart.console import say, show
from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.read_once import start_reading

DESCRIPTION = """\
Writes a file of templates in another layout of the field: from any that --as templates
reads, or from templates of the Message Understanding Conferences. What the other layout
has no place for is listed, and nothing is written, unless --lossy says that it may go."""
EXAMPLES = """\
examples:
  tellapart convert predictions.jsonl --to gtt --out predictions.json
  tellapart convert key.txt --as-gold --texts texts.txt --to gtt-gold --lossy --out gold.jsonl"""

LAYOUTS = ("gtt", "gtt-gold", "iterx", "grit", "json", "muc")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("file", metavar="FILE", help="templates, in any layout")
    add("--to", required=True, choices=LAYOUTS, metavar="LAYOUT",
        help="gtt (predictions), gtt-gold, iterx, grit (role fillers), json (plain lines), "
        "muc (templates of 1992)")  # fmt: skip
    add("--as-gold", action="store_true",
        help="FILE is gold: of a key, only mentions that are in the texts are kept")  # fmt: skip
    add("--lossy", action="store_true", help="write what can be written, and list what is lost")
    add("--texts", metavar="FILE", help="the messages that a key is of")
    add("--slots", default="muc4", metavar="TABLE",
        help="template design of templates that are not JSON (default: muc4)")  # fmt: skip
    add_output(parser, "--out", "write it here (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Read, write in memory, see what that lost, and write the file."""
    paths = [path for path in (args.file, args.texts) if path is not None]
    outputs = outputs_of(args, paths)
    start_reading(paths)
    from tellapart.formats.problems import Findings
    from tellapart.formats.templates.format import TemplateOptions
    from tellapart.formats.templates.layouts import FILLERS, MUC, TEMPLATES, read_template_file
    from tellapart.formats.templates.muc_files import lost_of_muc
    from tellapart.formats.templates.writers import WRITERS, lost

    name, problems = shown(args.file), Findings(strict=True)
    options = TemplateOptions(texts=args.texts, slots=args.slots)
    file = read_template_file(args.file, problems, options, gold=args.as_gold)
    if file.layout.kind not in (TEMPLATES, FILLERS):
        raise DataError(
            f"{name}: this has {file.layout.kind}, which no other layout has a place for; give "
            "templates with roles"
        )
    for notice in problems.notices():
        say(notice.text)
    writer, documents = WRITERS[args.to], list(file.documents.values())
    text = writer.write(documents)
    gone = lost(documents, text, writer)
    if file.layout is MUC:
        gone = [*lost_of_muc(args.file, args.slots), *gone]
    if gone:
        told = f"{name}: as {writer.about}, this gets lost: {'; '.join(gone)}"
        if not args.lossy:
            raise DataError(f"{told}; choose another layout, or let it go with --lossy")
        say(f"{told}.")
    if "--out" in outputs:
        outputs.write({"--out": lambda: text})
    else:
        show(text)
    return 0
