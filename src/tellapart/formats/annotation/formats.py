"""The formats of annotations: how each is named, recognised, read, reported and checked.

Loads neither numpy nor a reader: those come with the first file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from tellapart.formats.annotation.tags import is_tag
from tellapart.formats.contract import Format, when_called
from tellapart.formats.head import Head
from tellapart.formats.problems import check_files
from tellapart.options import READING, SHARE, Number, input_file, option, output_path

DOCUMENT: Final = "-DOCSTART-"
CONLLU_FIELDS: Final = 10


def _format(
    name: str,
    about: str,
    module: str,
    looks_like: Callable[[Head], bool],
    reads: str | None = None,
    **more: Any,
) -> Format:
    """Return a format, whose functions are in a module of their own: `reads` reads one file.

    What needs more than that to find what is wrong with a file has `findings` itself.
    """
    read, report, findings = (
        when_called(f"annotation.{module}:{each}") for each in ("read", "report", "findings")
    )
    if reads is not None:
        findings = partial(check_files, when_called(f"annotation.{module}:{reads}"), read)
    functions = {"read": read, "report": report, "findings": findings, **more}
    return Format((name,), about, looks_like, recognises_gold=looks_like, **functions)


@dataclass(frozen=True, slots=True)
class TagOptions:
    """How tags are read as entities."""

    scheme: str = option(
        "lenient",
        "what a stray I tag does: begins an entity (lenient), or is lost (strict)",
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


TAGS = _format(
    "conll",
    "tags in the last column of CoNLL files, as entities",
    "conll",
    looks_like_tags,
    options=TagOptions,
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


SPANS = _format(
    "spans",
    "labelled spans of texts, as annotation tools export them",
    "spans",
    looks_like_spans,
    reads="read_span_file",
)


def is_conllu(lines: Sequence[str]) -> bool:
    """Return whether these are trees in CoNLL-U: ten fields, the first a number."""
    rows = (line for line in lines if line.strip() and not line.startswith("#"))
    first = next(rows, "").split("\t")
    return len(first) == CONLLU_FIELDS and first[0].split("-")[0].split(".")[0].isdigit()


def looks_like_relations(head: Head) -> bool:
    r"""Return whether these are relations as JSONL, or trees in CoNLL-U.

    >>> looks_like_relations(Head("x", b'{"unit": "s1", "relations": [["subj", "see"]]}', True))
    True
    >>> looks_like_relations(Head("x", b"1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n", True))
    True
    """
    return "relations" in (head.first_row() or {}) or is_conllu(head.lines)


RELATIONS = _format(
    "relations",
    "relations of parses, or any sets: JSON lines, CoNLL-U",
    "relations",
    looks_like_relations,
    reads="read_relation_file",
    report=None,
    units=("segment", "response"),
)


_CHECKED: Final = (*READING, "validate")


@dataclass(frozen=True, slots=True)
class NuggetOptions:
    """How mentions are read and scored."""

    tokens: str | None = option(
        None,
        "token tables, one per document, for spans of token ids",
        metavar="DIR",
        reads=True,
        verbs=_CHECKED,
    )
    types: str | None = input_file("the types of mentions that count, one per line", _CHECKED)
    profile: str = option(
        "kbp",
        "kbp: 2015 to 2017 (default); fixed, pilot: the 2015 paper",
        choices=("kbp", "fixed", "pilot"),
    )
    mapping: str = option(
        "greedy",
        "map mentions greedily (default), or to the best sum of overlaps",
        choices=("greedy", "best"),
    )
    doc: str | None = option(None, "score this document only", metavar="ID")
    coref: bool = option(False, "score coreference too")
    coref_mapping: int = option(
        1,
        "align mentions by 0 spans, 1 type (default), 2 realis, 3 both",
        metavar="N",
        number=Number(whole=True, least=0, most=3),
    )
    coref_threshold: float = option(
        1.0, "how alike aligned spans must be (default: 1, the same)", metavar="X", number=SHARE
    )
    comparison: str | None = output_path("write gold and system mentions side by side")


def _looks_like_nuggets(head: Head) -> bool:
    return re.search(r"^#BeginOfDocument\b", head.text, re.MULTILINE) is not None


NUGGETS = _format(
    "nuggets",
    "event nuggets in TBF files",
    "nugget_files",
    _looks_like_nuggets,
    options=NuggetOptions,
)


def _looks_like_coref(head: Head) -> bool:
    return head.text.lstrip().startswith("#begin document")


COREF = _format(
    "conll-coref",
    "coreference in the last column of CoNLL files",
    "coref",
    _looks_like_coref,
    reads="read_coref_file",
)
