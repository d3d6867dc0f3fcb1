"""Propose selections of slots by linguistic phenomena: lines for `--only`, to be looked over.

    python -m studies.muc3.tagger key.txt texts.txt > only.tsv
    tellapart compare --as muc --gold key.txt --only only.tsv --by selection A.txt B.txt

Tagged are slots of human targets with simple, complex, preposed and postposed appositives, string
fills that are joined to others by a conjunction, messages with several templates against those with
one, and long against short messages.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import median

from studies.muc3 import appositives
from tellapart.formats.problems import Findings
from tellapart.formats.templates.design import Design, load_design
from tellapart.formats.templates.muc_reader import Template, read_templates
from tellapart.formats.templates.texts import read_texts
from tellapart.formats.templates.values import texts as fill_texts

Line = tuple[str, str, str, str]
"""Message, template, slot and selection; `*` is any"""
_Key = Mapping[str, Sequence[Template]]


def tags(key: _Key, messages: Mapping[str, str], design: Design) -> Iterator[Line]:
    """Yield the lines of all selections."""
    found = appositives.find(messages, {name: list(own) for name, own in key.items()}, design)
    for kind, places in found.items():
        for message, number in sorted(places):
            for slot in appositives.SLOTS:
                yield message, number, slot, kind
    yield from _conjunctions(key, messages, design)
    lengths = {name: len(messages[name].split()) for name in key if name in messages}
    middle = median(lengths.values()) if lengths else 0
    for message, templates in key.items():
        yield message, "*", "*", "several-templates" if len(templates) > 1 else "one-template"
        if message in lengths:
            yield message, "*", "*", "long" if lengths[message] > middle else "short"


def _conjunctions(key: _Key, messages: Mapping[str, str], design: Design) -> Iterator[Line]:
    """Yield the slots with a fill that stands right before or after AND or OR in the text."""
    for message, templates in key.items():
        text = re.sub(r"\s+", " ", messages.get(message, ""))
        for template in templates:
            for slot, position in design.position.items():
                fills = template.fills[position : position + 1]
                quoted = (each.text.strip('"') for fill in chain(*fills)
                          for each in fill_texts(fill) if each.text.startswith('"'))  # fmt: skip
                if any(_joined(name, text) for name in quoted):
                    yield message, template.number, slot, "conjunction"


def _joined(name: str, text: str) -> bool:
    """Return whether a name is joined to another in a text.

    >>> _joined("RAUL RAMIREZ", "STUDENTS HUGO MARTINEZ AND RAUL RAMIREZ WERE SHOT")
    True
    >>> _joined("HUGO", "HUGO WAS SHOT AND DIED")
    False
    """
    own = re.escape(name)
    return re.search(rf"\b(?:AND|OR) {own}\b|\b{own},? (?:AND|OR)\b", text) is not None


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines of a key and its texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("key", help="answer key, as of 1992")
    parser.add_argument("texts", help="the messages")
    args = parser.parse_args(argv)
    design = load_design()
    problems = Findings(strict=True)
    key = read_templates(args.key, design, problems).messages
    texts = read_texts(args.texts, key, problems)
    messages = {name: " ".join(text.split()) for name, text in texts.items()}
    for line in tags(key, messages, design):
        sys.stdout.write("\t".join(line) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
