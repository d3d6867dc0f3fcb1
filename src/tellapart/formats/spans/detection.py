"""Recognising span files by how they begin."""

from __future__ import annotations

from tellapart.formats.head import Head


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
