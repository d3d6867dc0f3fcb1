"""Tag files: columns, the tag last, a blank line between sentences; and how two files differ."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tellapart.errors import DataError
from tellapart.files import open_text, shown
from tellapart.formats.problems import Findings
from tellapart.words import listed, several

TAG: Final = re.compile(r"O|[BIESLUMW](?:-+[^-].*)?", re.DOTALL)
"""Nothing, or a place in an entity and its type"""
DOCUMENT: Final = "-DOCSTART-"
_ENDS: Final = " \t\r\n"
_SAME_MEANING: Final = {"L": "E", "M": "I", "U": "S", "W": "S"}  # BILOU, BMES and BMEWO
_ENDING: Final = frozenset("ESLUMW")


@dataclass(slots=True)
class TagFile:
    """All tokens of a file in order, and where its sentences begin."""

    path: str
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    """The last column but one, where the reader wants it"""
    starts: list[int] = field(default_factory=list)
    """Per sentence, its first token"""
    lines: list[int] = field(default_factory=list)
    """Per sentence, the line of its first token"""
    documents: list[int] = field(default_factory=list)
    """Per sentence, how many documents have begun"""
    comments: list[int] = field(default_factory=list)
    """The token that comes after each comment inside a sentence"""

    def place(self, token: int) -> str:
        """Return the file and the line of a token, or the file at its end."""
        if token >= len(self.tokens):
            return shown(self.path)
        sentence = self.sentence(token)
        start = self.starts[sentence]
        between = bisect_right(self.comments, token) - bisect_right(self.comments, start)
        return f"{shown(self.path)}:{self.lines[sentence] + token - start + between}"

    def sentence(self, token: int) -> int:
        """Return the number of the sentence that a token is in, from 0."""
        return bisect_right(self.starts, token) - 1


def take_apart(tag: str) -> tuple[str, str]:
    """Return the place in the entity, by the letters of IOBES, and the type.

    >>> take_apart("B-PER"), take_apart("U-A-1"), take_apart("O"), take_apart("I")
    (('B', 'PER'), ('S', 'A-1'), ('O', '_'), ('I', '_'))
    """
    return _SAME_MEANING.get(tag[0], tag[0]), tag[2:].strip("-") or "_"


def scheme_of(tags: Iterable[str]) -> str | None:
    """Return the scheme of the tags that occur; None if there is nothing but O.

    Whether I-tags that begin entities make it IOB1 the tags alone do not tell.

    >>> scheme_of(["O", "B-PER", "I-PER"]), scheme_of(["I-X", "E-X"]), scheme_of(["U-X", "O"])
    ('IOB2', 'IOE2', 'IOBES')
    """
    letters = {tag[0] for tag in tags} - {"O"}
    if not letters:
        return None
    if letters <= {"I", "E"} and "E" in letters:
        return "IOE2"
    return "IOBES" if letters & _ENDING else "IOB2"


def read_tag_file(
    path: str | Path, problems: Findings | None = None, *, before: bool = False
) -> TagFile:
    """Return tokens and tags; with `before` also the column that comes before the tags.

    Fields are cut at tabs, or at blanks in lines without a tab. Lines that begin with `#` and do
    not end in a tag are comments, unless a tab follows the first word.
    """
    problems = problems or Findings(strict=True)
    file = TagFile(str(path))
    known = {"O"}
    usual, document, inside = 0, 0, False
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
            size = len(fields) - fields.count("") if "\t" not in line else len(fields)
            if tag not in known or len(fields) < 2:
                if _is_comment(fields, "\t" in line):
                    if inside:
                        file.comments.append(len(file.tokens))
                    if inside and size == usual:
                        problems.warn(
                            f"{shown(path)}:{number}: {line[:40]!r} in the midst of a sentence was "
                            "taken for a comment, having no tag"
                        )
                    continue
                problem = _problem(fields)
                if problem is not None:
                    problems.complain(f"{shown(path)}:{number}: {problem}")
                    tag = "O"
                known.add(tag)
            if size != usual and len(fields) > 1:
                if usual:
                    problems.warn(
                        f"{shown(path)}:{number}: the line has {several(size, 'field')}, the first "
                        f"one of the file has {usual}; the first field was taken for the token, "
                        "the last for the tag"
                    )
                usual = usual or size
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
        problems.complain(
            f"{shown(path)}: there are no tokens in this file; give one token and tag a line"
        )
    return file


def _is_comment(fields: list[str], tabs: bool) -> bool:
    if not fields[0].startswith("#") or TAG.fullmatch(fields[-1]):
        return False
    return not tabs or " " in fields[0]


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
    """Return the column before the tag; blanks that align columns are no fields."""
    given = [each for each in fields if each]
    return given[-2] if len(given) > 2 else ""


def check_parallel(file: TagFile, like: TagFile) -> None:
    """Refuse a file that differs from another in tokens or sentences, by the first place."""
    problem = next(differences(file, like), None)
    if problem is not None:
        raise DataError(f"{problem}; give the same tokens and sentences as in {shown(like.path)}")


def differences(file: TagFile, like: TagFile) -> Iterator[str]:
    """Yield where two files differ: the first place in each sentence, until sentences differ."""
    if file.tokens == like.tokens and file.starts == like.starts:
        return
    if not file.tokens or not like.tokens:
        yield f"{shown(file.path)} and {shown(like.path)} have not the same tokens: one has none"
        return
    bounds = zip(_bounds(file), _bounds(like), strict=False)
    for (start, end), (other, stop) in bounds:
        for k in range(min(end - start, stop - other)):
            if file.tokens[start + k] != like.tokens[other + k]:
                yield (
                    f"{file.place(start + k)}: the token is {file.tokens[start + k]!r}, but "
                    f"{like.tokens[other + k]!r} in {like.place(other + k)}"
                )
                break
        if end - start != stop - other:
            yield _unlike_ends(file, end, like, stop, end - start > stop - other)
            return
    if len(file.starts) != len(like.starts):
        yield (
            f"{shown(file.path)} has {several(len(file.starts), 'sentence')}, {shown(like.path)} "
            f"has {len(like.starts)}"
        )


def _unlike_ends(file: TagFile, end: int, like: TagFile, stop: int, longer: bool) -> str:
    here, there = file.place(end - 1), like.place(stop - 1)
    if longer:
        return f"{here}: the sentence goes on to here, but ends in {there}"
    return f"{here}: the sentence ends here, but goes on to {there}"


def _bounds(file: TagFile) -> Iterator[tuple[int, int]]:
    return zip(file.starts, [*file.starts[1:], len(file.tokens)], strict=True)


def gold_inside(files: Sequence[TagFile]) -> TagFile:
    """Return the gold tags of the last column but one; all files must agree about them."""
    for file in files:
        _check_gold_column(file)
    first = files[0]
    for file in files[1:]:
        check_parallel(file, first)
        if file.before != first.before:
            raise _gold_differs(file, first)
    gold = TagFile(first.path, first.tokens, first.before)
    gold.starts, gold.lines, gold.documents = first.starts, first.lines, first.documents
    return gold


def _check_gold_column(file: TagFile) -> None:
    lacking = next((k for k, tag in enumerate(file.before) if not TAG.fullmatch(tag)), None)
    if lacking is not None:
        raise DataError(
            f"{file.place(lacking)}: there is no gold tag before the tag; name the gold file with "
            "--gold, or give token, gold tag and predicted tag in each line"
        )
    given, wanted = types_of(file.tags), types_of(file.before)
    if given and wanted and given.isdisjoint(wanted):
        raise DataError(
            f"{shown(file.path)}: the last two columns have no type in common "
            f"({listed(sorted(wanted), 4)}; {listed(sorted(given), 4)}), so that one cannot be the "
            "gold of the other; name the gold file with --gold"
        )


def types_of(tags: Sequence[str]) -> set[str]:
    """Return the types of entities that occur.

    >>> sorted(types_of(["O", "B-PER", "I-PER", "U-LOC"]))
    ['LOC', 'PER']
    """
    return {take_apart(tag)[1] for tag in set(tags) - {"O"}}


def _gold_differs(file: TagFile, first: TagFile) -> DataError:
    """Return the error: how many sentences have different gold tags, and where the first is."""
    places = [
        k
        for k, pair in enumerate(zip(file.before, first.before, strict=True))
        if pair[0] != pair[1]
    ]
    sentences = len({file.sentence(k) for k in places})
    return DataError(
        f"{file.place(places[0])}: the gold tag is {file.before[places[0]]!r}, but "
        f"{first.before[places[0]]!r} in {first.place(places[0])}; the files disagree about the "
        f"gold answer of {several(sentences, 'sentence')}: name one gold file with --gold"
    )
