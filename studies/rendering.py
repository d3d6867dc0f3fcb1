"""A reproduced study as text of 80 columns, and as JSON."""

from __future__ import annotations

import importlib.metadata
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Final

from studies.core import Reproduction, Section, Statement
from tellapart.words import json_text, several

WIDTH: Final = 80
_VERDICT: Final = 19  # columns of the verdict, beside the words
_ORDER: Final = ("holds", "settled", "so on", "is consistent", "not so", "does not",
                 "not settled", "not checked")  # fmt: skip
_FAVOURABLE: Final = ("holds", "so on", "is consistent")


def render(study: Reproduction) -> str:
    """Return a study as text: the sum of the verdicts, then tables, then each statement."""
    head = [study.title, "=" * min(len(study.title), WIDTH)]
    parts = ["\n".join([*head, _summary(study)] if study.statements else head)]
    parts += [_section(each) for each in study.sections]
    if study.notices:
        parts.append(_section(Section("Notes", tuple(_notes(study)))))
    if study.statements:
        title = "What the papers say, and what comes out"
        parts.append(_section(Section(title, (_summary(study),))))
    for paper in dict.fromkeys(each.paper for each in study.statements):
        of_paper = [each for each in study.statements if each.paper == paper]
        parts.append("\n\n".join([paper, *map(_statement, of_paper)]))
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    return "\n".join([section.title, "-" * len(section.title), *section.lines])


def _notes(study: Reproduction) -> Iterator[str]:
    for notice in study.notices:
        yield from _wrapped(notice.text, WIDTH, "! ")


def _wrapped(words: str, width: int, start: str = "") -> list[str]:
    indent = " " * len(start)
    return textwrap.wrap(
        words, width, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False
    )


def _statement(statement: Statement) -> str:
    """Return the verdict on the left, and what it is about on the right."""
    # Pages and sections stay with their numbers: a no-break space does not end a line.
    place = statement.place.replace(" ", "\N{NO-BREAK SPACE}")
    claim = _wrapped(f"{statement.claim} ({place})", WIDTH - _VERDICT)
    right = [words.replace("\N{NO-BREAK SPACE}", " ") for words in claim]
    right += _wrapped(statement.published, WIDTH - _VERDICT, "published  ")
    # How it was compared stands in brackets; a remark, in sentences, has lines of its own.
    how = statement.compared
    brief = f" ({how})" if how and not how.endswith(".") else ""
    right += _wrapped(f"{statement.ours}{brief}", WIDTH - _VERDICT, "ours       ")
    right += [] if brief else _wrapped(how, WIDTH - _VERDICT, "           ")
    verdict = statement.verdict
    left = _wrapped(verdict if verdict.startswith(_FAVOURABLE) else verdict.upper(), _VERDICT - 2)
    rows = zip_longest(left, right, fillvalue="")
    return "\n".join(f"{word:<{_VERDICT}}{words}".rstrip() for word, words in rows)


def _summary(study: Reproduction) -> str:
    return "\n".join(_wrapped(verdicts(study.statements), WIDTH))


def verdicts(statements: Sequence[Statement]) -> str:
    """Return how often each verdict comes, in words."""
    found = Counter(each.verdict for each in statements)
    words = ", ".join(
        f"{found[verdict]} {_inflected(verdict, found[verdict])}"
        for verdict in sorted(found, key=_rank)
    )
    return f"Of {several(len(statements), 'statement')}: {words}."


def _rank(verdict: str) -> int:
    return next(i for i, start in enumerate(_ORDER) if verdict.startswith(start))


def _inflected(verdict: str, count: int) -> str:
    if verdict.startswith(("so ", "not so ")):
        return f"{'is' if count == 1 else 'are'} {verdict}"
    if count == 1:
        return verdict
    return (
        verdict.replace("holds", "hold")
        .replace("does not", "do not")
        .replace("is cons", "are cons")
    )


def as_json(study: Reproduction) -> str:
    """Return the record; the same study with the same seed gives the same bytes."""
    record = {
        "tellapart": importlib.metadata.version("tellapart"),
        "study": study.study,
        "title": study.title,
        "seed": study.seed,
        "statements": [{**asdict(each), "verdict": each.verdict} for each in study.statements],
        "figures": study.figures,
        "warnings": [asdict(each) for each in study.notices],
    }
    return json_text(record)
