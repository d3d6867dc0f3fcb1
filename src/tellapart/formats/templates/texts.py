"""The texts of the messages, to show where a fill comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from tellapart.files import shown
from tellapart.formats.problems import Findings
from tellapart.formats.templates.muc_reader import ENCODING, read_whole
from tellapart.formats.templates.values import Value, texts, upper_case


def _phrases(value: Value, *, bare: bool) -> list[str]:
    """Return the texts of a value as a message has them: quoted ones first, the longest first."""
    found = [text.text for text in texts(value) if bare or text.text.startswith('"')]
    found.sort(key=lambda text: (not text.startswith('"'), -len(text)))
    plain = [" ".join(text.strip('"').replace('\\"', '"').split()) for text in found]
    return [phrase for phrase in plain if phrase]


def occurrences(
    text: str, values: Iterable[Value], *, bare: bool = True
) -> tuple[tuple[int, int], ...]:
    r"""Return where the texts of values stand in a message, in order and without overlaps.

    Capitals do not matter, nor how a line is broken; of two that overlap the longer one counts.
    Without `bare` only texts in quotation marks are looked for.

    >>> from tellapart.formats.templates.values import Text
    >>> said = "The two\n  men fled. THE MEN are armed."
    >>> [said[a:b] for a, b in occurrences(said, [Text('"TWO MEN"', ""), Text('"MEN"', "")])]
    ['two\n  men', 'MEN']
    """
    phrases = {phrase.upper() for value in values for phrase in _phrases(value, bare=bare)}
    found: list[tuple[int, int]] = []
    for phrase in sorted(phrases, key=lambda each: (-len(each), each)):
        words = r"\s+".join(map(re.escape, phrase.split()))
        for hit in re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE):
            if all(hit.end() <= begin or end <= hit.start() for begin, end in found):
                found.append(hit.span())
    return tuple(sorted(found))


def read_texts(
    path: str, messages: Collection[str], problems: Findings, encoding: str = ENCODING
) -> dict[str, str]:
    """Return the texts of messages, with a warning if there are none."""
    with problems.of_file():
        found = parse_texts(read_whole(path, encoding), messages)
        if not found:
            problems.warn(
                f"{shown(path)}: no text is of a message of the key; begin each with its id"
            )
        return found
    return {}


def parse_texts(content: str, messages: Collection[str]) -> dict[str, str]:
    """Return texts that each follow a line with the id of their message, in capitals or not."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in content.split("\n"):
        first = "" if line[:1].isspace() else line.partition(" ")[0].strip()
        message = first if first in messages else upper_case(first)
        if message in messages:
            current = found.setdefault(message, [])
        elif current is not None:
            current.append(line)
    return {message: "\n".join(lines).strip("\n\f") for message, lines in found.items()}
