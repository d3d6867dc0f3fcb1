"""Reading one tag file: columns, the tag last, a blank line between sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tellapart.files import open_text, shown
from tellapart.formats.complaints import Complain, refuse

TAG: Final = re.compile(r"O|[BIESLUMW](?:-.*)?", re.DOTALL)
"""Nothing, or a place in an entity and its type"""
DOCUMENT: Final = "-DOCSTART-"
_ENDS: Final = " \t\r\n"


@dataclass(slots=True)
class TagFile:
    """All tokens of a file in order, and where its sentences begin."""

    path: str
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    """The last column but one, where it was asked for"""
    starts: list[int] = field(default_factory=list)
    """Per sentence, its first token"""
    lines: list[int] = field(default_factory=list)
    """Per sentence, the line of its first token"""
    documents: list[int] = field(default_factory=list)
    """Per sentence, how many documents have begun"""

    def place(self, token: int) -> str:
        """Name the file and the line of a token, or the end of the file."""
        if token >= len(self.tokens):
            return shown(self.path)
        sentence = self.sentence(token)
        return f"{shown(self.path)}:{self.lines[sentence] + token - self.starts[sentence]}"

    def sentence(self, token: int) -> int:
        """Return the number of the sentence that a token is in, from 0."""
        return bisect_right(self.starts, token) - 1


def read_tag_file(
    path: str | Path, *, before: bool = False, complain: Complain = refuse
) -> TagFile:
    """Read tokens and tags; with `before` also the column that comes before the tags.

    Fields are cut at tabs, or at blanks in lines without a tab. Lines that begin with `#` and do
    not end in a tag are comments.
    """
    file = TagFile(str(path))
    known = {"O"}
    document, inside = 0, False
    with open_text(path) as stream:
        for number, raw in enumerate(stream, 1):
            line = raw.rstrip(_ENDS)
            if not line:
                inside = False
                continue
            fields = line.split("\t") if "\t" in line else line.split(" ")
            token, tag = fields[0], fields[-1]
            if token == DOCUMENT:
                document += 1
                inside = False
                continue
            if tag not in known or len(fields) < 2:
                if line.startswith("#") and not TAG.fullmatch(tag):
                    continue
                problem = _problem(fields)
                if problem is not None:
                    complain(f"{shown(path)}:{number}: {problem}")
                    tag = "O"
                known.add(tag)
            if not inside:
                inside = True
                file.starts.append(len(file.tokens))
                file.lines.append(number)
                file.documents.append(document)
            file.tokens.append(token)
            file.tags.append(tag)
            if before:
                file.before.append(_last_but_one(fields))
    if not file.tokens:
        complain(f"{shown(path)}: there are no tokens in this file; give one token and tag a line")
    return file


def _problem(fields: list[str]) -> str | None:
    if len(fields) < 2:
        return f"the line has one field, {fields[0]!r}; give a token and its tag"
    if not TAG.fullmatch(fields[-1]):
        return (
            f"the last field is {fields[-1]!r}, which is no tag; write O, or B-TYPE, I-TYPE and "
            "the like"
        )
    return None


def _last_but_one(fields: list[str]) -> str:
    """Give the column before the tag; blanks that align columns are no fields."""
    given = [each for each in fields if each]
    return given[-2] if len(given) > 2 else ""
