"""Recognising files of relations by how they begin."""

from __future__ import annotations

from itertools import islice
from typing import Final

from tellapart.formats.head import Head
from tellapart.formats.relations.files import is_conllu

_LINES: Final = 200


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
    rows = [line.split("\t") for line in _lines(head)]
    items = [row[0].strip() for row in rows]
    related = [row for row in rows if len(row) > 1]
    return len(set(items)) < len(items) or all(len(row) > 2 for row in related)


def has_tabs_throughout(head: Head) -> bool:
    """Return whether every line has a tab; only a single word may stand without."""
    lines = _lines(head)
    alone = [line for line in lines if "\t" not in line]
    return len(alone) < len(lines) and not any(" " in line.strip() for line in alone)


def _lines(head: Head) -> list[str]:
    return list(islice((line for line in head.lines if line.strip()), _LINES))
