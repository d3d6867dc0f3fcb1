"""Problems of files: to refuse the file, or to note the problem and go on; faults of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tellapart.errors import DataError, Finding

Complain: TypeAlias = Callable[[str], None]
"""Takes the sentence of a problem; the reader skips what it is about if this returns"""


def why_no_json(error: json.JSONDecodeError) -> str:
    r"""Return what is wrong with JSON and at which character, with the line if there are several.

    >>> try:
    ...     json.loads('{"item": "q1')
    ... except json.JSONDecodeError as error:
    ...     why_no_json(error)
    'Unterminated string starting at character 10'
    """
    place = f"character {error.pos + 1}"
    if "\n" in error.doc.strip():
        place = f"line {error.lineno}, column {error.colno}"
    return f"{error.msg.removesuffix(' at')} at {place}"


class RepeatedKeyError(Exception):
    """A JSON object has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} is there twice")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dictionary; a key that is there twice is a RepeatedKeyError.

    >>> json.loads('{"q1": 1, "q2": 0}', object_pairs_hook=unique_keys)
    {'q1': 1, 'q2': 0}
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            if key in seen:
                raise RepeatedKeyError(key)
            seen.add(key)
    return found


def refuse(problem: str) -> None:
    """Raise the problem as the error that it is."""
    raise DataError(problem)


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with files, collected while they are read.

    >>> findings = Findings()
    >>> with findings.of_file():
    ...     refuse("a.txt: the file is empty")
    >>> findings.warn("b.txt:3: the line is blank")
    >>> [str(each) for each in findings.found]
    ['a.txt: the file is empty', 'warning: b.txt:3: the line is blank']
    """

    found: list[Finding] = field(default_factory=list)

    def complain(self, problem: str) -> None:
        """Note what keeps a file from being scored."""
        self.found.append(Finding(problem))

    def warn(self, problem: str) -> None:
        """Note what a file can be scored with."""
        self.found.append(Finding(problem, fatal=False))

    @contextmanager
    def of_file(self) -> Iterator[None]:
        """Note the DataError that ends the block, if one does."""
        try:
            yield
        except DataError as problem:
            self.complain(str(problem))
