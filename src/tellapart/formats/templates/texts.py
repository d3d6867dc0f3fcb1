"""The texts of the messages, to show where a fill comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from tellapart.files import shown
from tellapart.formats.head import read_head
from tellapart.formats.problems import Findings
from tellapart.formats.templates.model import DOCUMENT_KEYS, read_records
from tellapart.formats.templates.muc_reader import read_whole
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


def document_texts(path: str, documents: Collection[str], problems: Findings) -> dict[str, str]:
    """Return texts of documents of JSON: records with an id and a text, or the form of 1992."""
    if read_head(path).text.lstrip().startswith(("{", "[")):
        texts = dict(_texts_of_records(path, problems))
    else:
        texts = parse_texts(read_whole(path, "utf-8-sig"), documents)
    known = {document: text for document, text in texts.items() if document in documents}
    if not known:
        problems.complain(
            f"{shown(path)}: there is no text of a document of gold; give JSON lines "
            '{"id": …, "text": …}, or each text after a line that begins with its id'
        )
    return known


def _texts_of_records(path: str, problems: Findings) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each record."""
    for record in read_records(path, problems):
        name, text = record.key, record.value
        if name is None and isinstance(text, dict):
            name = next((text[key] for key in DOCUMENT_KEYS if key in text), None)
        if isinstance(text, dict):
            text = text.get("text")
        if isinstance(name, str | int) and isinstance(text, str):
            yield str(name), text
        else:
            problems.complain(
                f'{record.place}: this is no text of a document; give {{"id": …, "text": …}}'
            )


def read_texts(path: str, messages: Collection[str], problems: Findings) -> dict[str, str]:
    """Return the texts of messages of 1992, with a warning if there are none."""
    with problems.of_file():
        found = parse_texts(read_whole(path), messages)
        if not found:
            problems.warn(f"{shown(path)}: there is no text of a message of the key")
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
