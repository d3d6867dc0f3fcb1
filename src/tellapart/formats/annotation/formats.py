"""The formats of annotations: how each is named, recognised, read, reported and checked.

Loads neither numpy nor a reader: those come with the first file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from tellapart.formats.annotation.tags import is_tag
from tellapart.formats.contract import Format
from tellapart.formats.head import Head
from tellapart.limits import SHARE, Number
from tellapart.options import READING, input_file, option, output_path

DOCUMENT: Final = "-DOCSTART-"
CONLLU_FIELDS: Final = 10
_CONLLU_WORD: Final = re.compile(
    r"[1-9]\d{0,8}\t[^\t]*\t[^\t]*\t(?:[A-Z]+|_)\t[^\t]*\t[^\t]*\t\d+\t[a-z]+(?::[a-z_]+)*\t"
    r"[^\t]*\t[^\t]*",
    re.ASCII,
)


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a reader's module, which is loaded when it is called."""

    def call(*arguments: Any) -> Any:
        reader = import_module(f"tellapart.formats.annotation.{module}")
        return getattr(reader, name)(*arguments)

    return call


@dataclass(frozen=True, slots=True)
class TagOptions:
    """How tags are read as entities."""

    scheme: str = option(
        "lenient",
        "whether a stray I tag begins an entity, or loses it (default: lenient)",
        choices=("lenient", "strict"),
    )


def looks_like_tags(head: Head) -> bool:
    r"""Return whether every line is a token with a tag, and some tag is not O.

    >>> looks_like_tags(Head("x", b"Anna B-PER\nsings O\n", whole=True))
    True
    >>> looks_like_tags(Head("x", b"system\titem\tscore\nA\tq1\t0.5\n", whole=True))
    False
    """
    lines = head.filled_lines()
    entity = bool(lines) and lines[0].startswith(DOCUMENT)
    for line in lines:
        fields = line.split("\t") if "\t" in line else line.split(" ")
        tag = fields[-1].strip()
        if fields[0] == DOCUMENT or (line.startswith("#") and not is_tag(tag)):
            continue
        if len(fields) < 2 or not is_tag(tag):
            return False
        entity = entity or "-" in tag
    return entity


TAGS = Format(
    names=("conll",),
    about="tags in the last column of CoNLL files, as entities",
    recognises=looks_like_tags,
    recognises_gold=looks_like_tags,
    check=_later("conll", "check"),
    read=_later("conll", "read"),
    options=TagOptions,
    report=_later("conll", "report"),
    findings=_later("conll", "findings"),
)


def looks_like_spans(head: Head) -> bool:
    r"""Return whether the first line is an object with a text and a list of spans.

    >>> looks_like_spans(Head("x", b'{"text": "Anna", "spans": []}\n', whole=True))
    True
    >>> looks_like_spans(Head("x", b'{"item": "q1", "score": 1}\n', whole=True))
    False
    """
    if not any(line.strip() for line in head.lines):  # one long line, cut off
        return {"text", "spans"} <= set(head.keys())
    row = head.first_row()
    if row is None or not isinstance(row.get("text"), str):
        return False
    spans = row.get("spans")
    if not isinstance(spans, list):
        return False
    return all(isinstance(span, dict) and "label" in span for span in spans)


SPANS = Format(
    names=("spans",),
    about="labelled spans of texts, as annotation tools export them",
    recognises=looks_like_spans,
    recognises_gold=looks_like_spans,
    check=_later("spans", "check"),
    read=_later("spans", "read"),
    report=_later("spans", "report"),
    findings=_later("spans", "findings"),
)


def is_conllu(lines: Sequence[str]) -> bool:
    """Return whether these are trees in CoNLL-U: ten fields, the first a number.

    Where the first line is not one of a tree, some later one must be so beyond doubt.
    """
    rows = (line for line in lines if line.strip() and not line.startswith("#"))
    first = next(rows, "").split("\t")
    if len(first) == CONLLU_FIELDS and first[0].split("-")[0].split(".")[0].isdigit():
        return True
    return any(map(_CONLLU_WORD.fullmatch, rows))


def looks_like_relations(head: Head) -> bool:
    r"""Return whether these are relations as JSONL, or trees in CoNLL-U.

    >>> looks_like_relations(Head("x", b'{"unit": "s1", "relations": [["subj", "see"]]}', True))
    True
    >>> looks_like_relations(Head("x", b"1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n", True))
    True
    """
    return "relations" in (head.first_row() or {}) or is_conllu(head.lines)


def looks_like_relation_lines(head: Head) -> bool:
    r"""Return whether these are lines `item, relation…`, with tabs in all.

    Items must have several lines, or all relations several fields: one tab alone may be in texts.

    >>> looks_like_relation_lines(Head("x", b"s1\tsubj\tsee\tcat\ns1\tobj\tsee\tdog\ns2\n", True))
    True
    >>> looks_like_relation_lines(Head("x", b"s1\tA sentence.\ns2\tAnother one.\n", True))
    False
    """
    if not has_tabs_throughout(head):
        return False
    rows = [line.split("\t") for line in head.filled_lines()]
    items = [row[0].strip() for row in rows]
    related = [row for row in rows if len(row) > 1]
    return len(set(items)) < len(items) or all(len(row) > 2 for row in related)


def has_tabs_throughout(head: Head) -> bool:
    """Return whether every line has a tab; only a single word may stand without."""
    lines = head.filled_lines()
    alone = [line for line in lines if "\t" not in line]
    return len(alone) < len(lines) and not any(" " in line.strip() for line in alone)


RELATIONS = Format(
    names=("relations",),
    about="relations of parses, or any sets, per segment: JSONL, TSV, CoNLL-U",
    recognises=looks_like_relations,
    recognises_gold=looks_like_relations,
    recognises_lines=looks_like_relation_lines,
    check=_later("relations", "check"),
    read=_later("relations", "read"),
    units=("segment", "response"),
    findings=_later("relations", "findings"),
)


_CHECKED: Final = (*READING, "validate")


@dataclass(frozen=True, slots=True)
class NuggetOptions:
    """How mentions are read and scored."""

    tokens: str | None = option(
        None,
        "token tables, one per document; spans are then token ids",
        metavar="DIR",
        reads=True,
        verbs=_CHECKED,
    )
    token_extension: str = option(
        ".tab",
        "what the names of token tables end in (default: .tab)",
        metavar="EXT",
        verbs=_CHECKED,
    )
    types: str | None = input_file("the types of mentions that count, one per line", _CHECKED)
    profile: str = option(
        "kbp",
        "kbp: 2015 to 2017; fixed, pilot: the 2015 paper (default: kbp)",
        choices=("kbp", "fixed", "pilot"),
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
    svg: str | None = output_path("draw the scores by attribute combination there", "DIR")


def _looks_like_nuggets(head: Head) -> bool:
    return re.search(r"^#BeginOfDocument\b", head.text, re.MULTILINE) is not None


NUGGETS = Format(
    names=("nuggets",),
    about="event nuggets in TBF files",
    recognises=_looks_like_nuggets,
    recognises_gold=_looks_like_nuggets,
    read=_later("nugget_files", "read"),
    options=NuggetOptions,
    report=_later("nugget_files", "report"),
    findings=_later("nugget_files", "findings"),
)


def _looks_like_coref(head: Head) -> bool:
    return head.text.lstrip().startswith("#begin document")


COREF = Format(
    names=("conll-coref",),
    about="coreference in the last column of CoNLL files",
    recognises=_looks_like_coref,
    recognises_gold=_looks_like_coref,
    read=_later("coref", "read"),
    report=_later("coref", "report"),
    findings=_later("coref", "findings"),
)
