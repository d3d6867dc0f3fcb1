"""The texts of the messages, to show where a fill comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from tellapart.formats.templates.problems import Problem, read_whole
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


def read_texts(path: str, messages: Collection[str]) -> tuple[dict[str, str], list[Problem]]:
    """Return texts that each follow a line with the id of their message, in capitals or not."""
    content, problems = read_whole(path)
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in content.split("\n"):
        message = "" if line[:1].isspace() else upper_case(line.partition(" ")[0].strip())
        if message in messages:
            current = found.setdefault(message, [])
        elif current is not None:
            current.append(line)
    if not found and not problems:
        problems = [Problem(path, None, "there is no text of a message of the key")]
    texts = {message: "\n".join(lines).strip("\n\f") for message, lines in found.items()}
    return texts, problems
