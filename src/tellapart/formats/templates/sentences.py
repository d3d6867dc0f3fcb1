"""The texts of the messages, to show where a fill comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tellapart.formats.templates.problems import Problem, read_whole
from tellapart.formats.templates.values import Value, texts, upper_case

_END = re.compile(r'(?<=[.!?])["\')\]]*\s+(?=["\'(\[]*[A-Z0-9])')


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of each message, and the whole of it as it is written."""

    sentences: dict[str, list[str]]
    whole: dict[str, str] = field(default_factory=dict)

    def sentence_of(
        self, message: str, values: Sequence[Value], *, bare: bool = True
    ) -> str | None:
        """Return the first sentence that has a text of one of the values, the first values first.

        Without `bare` only texts in quotation marks are looked for.
        """
        for value in values:
            for phrase in _phrases(value, bare=bare):
                wanted = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE)
                for sentence in self.sentences.get(message, []):
                    if wanted.search(sentence):
                        return sentence
        return None


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


def read_texts(path: str, messages: Collection[str]) -> tuple[Texts, list[Problem]]:
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
    whole = {message: "\n".join(lines).strip("\n\f") for message, lines in found.items()}
    return Texts({m: split_sentences(text) for m, text in whole.items()}, whole), problems


def split_sentences(text: str) -> list[str]:
    r"""Return the sentences of a text, which also end at blank lines; lines are joined.

    >>> split_sentences("A BOMB EXPLODED.  IT KILLED\nTWO MEN.\n\n   [END]")
    ['A BOMB EXPLODED.', 'IT KILLED TWO MEN.', '[END]']
    """
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [sentence for each in paragraphs if each for sentence in _END.split(each)]
