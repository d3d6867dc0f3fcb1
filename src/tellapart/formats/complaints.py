"""What a reader does about a problem: refuse the file, or note it and go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from tellapart.errors import DataError

Complain: TypeAlias = Callable[[str], None]
"""Takes the sentence of a problem; the reader skips what it is about if this returns"""


def why_no_json(error: json.JSONDecodeError) -> str:
    r"""Say what is wrong with JSON, and at which character; with the line if there are several.

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


def refuse(problem: str) -> None:
    """Raise the problem as the error that it is."""
    raise DataError(problem)
