"""What a log of an evaluation is: per item the scores, the texts, and whether it failed.

A harness has a module here that reads its files as `Log` objects and hands them to
`counting.assemble`, and a module `…_format` that declares it to the registry.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tellapart.counts.fixed_point import is_number
from tellapart.errors import DataError, Notice
from tellapart.formats.problems import why_no_json

Key: TypeAlias = tuple[str, ...]
"""What a value is called in full: (scorer,), (scorer, key) or (task, metric, filter)."""

_RESERVED: Final = frozenset({"system", "run", "metric", "score", "item"})
_HALVES: Final = (r"\ud", r"\uD")
_WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Sample:
    """One attempt of a system at an item; values that were not scored are absent."""

    item: str
    values: Mapping[Key, float]
    place: str
    """Where it stands, as messages name it"""
    error: str = ""
    """What went wrong while the item was run"""
    input: str = ""
    gold: str = ""
    output: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    prompt_print: str = ""
    """What is equal where the prompts are: a hash, or the text"""
    gold_print: str = ""
    document_print: str = ""


@dataclass(frozen=True, slots=True)
class Log:
    """One file of one run."""

    path: str
    samples: tuple[Sample, ...]
    order: tuple[str, ...] = ()
    """The items in the order of the data set, where the log knows it"""
    notices: tuple[Notice, ...] = ()
    faults: Mapping[Key, str] = field(default_factory=dict)
    """Values that are no numbers: what is wrong with the first"""

    def keys(self) -> dict[Key, None]:
        """Return the names of all values, in order of first appearance."""
        return dict.fromkeys(key for sample in self.samples for key in sample.values)


def number(value: Any, grades: Mapping[str, float]) -> float | None:
    """Return a value as a number: NaN and null are "not scored"; None is no number at all.

    Truth values count 1 and 0, also as words; `grades` are further words.

    >>> number(True, {}), number("0.5", {}), number("C", {"C": 1.0}), number("good", {})
    (1.0, 0.5, 1.0, None)
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        text = value.strip()
        if text in grades:
            return grades[text]
        if text.lower() == "nan":
            return math.nan
        value = float(text) if is_number(text) else _WORDS.get(text.lower())
    if not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return None if math.isinf(found) else found


def scalar_labels(fields: Any, origin: str) -> dict[str, str]:
    """Return the plain values of an object as texts; names that tables reserve get a prefix.

    >>> scalar_labels({"topic": "sea", "hard": True, "score": 3, "parts": [1]}, "metadata")
    {'topic': 'sea', 'hard': 'true', 'metadata.score': '3'}
    """
    if not isinstance(fields, dict):
        return {}
    return {
        f"{origin}.{name}" if name in _RESERVED else name: as_text(value)
        for name, value in fields.items()
        if isinstance(value, str | int | float)
    }


def as_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parse_json(data: bytes | str, place: str) -> Any:
    """Return what JSON holds; what is cut off or not UTF-8 is a DataError that names the place.

    >>> parse_json(b'{"id": 7}', "quiz.json")
    {'id': 7}
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        tree = json.loads(text)
        if any(half in text for half in _HALVES):
            # Half a character, escaped, can be read but never be written again.
            tree = json.loads(json.dumps(tree, ensure_ascii=False).encode("utf-8", "replace"))
        return tree
    except UnicodeDecodeError:
        raise DataError(f"{place} is not UTF-8 text; write the file again as UTF-8") from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"{place} is not whole JSON ({why_no_json(error)}); copy the file again"
        ) from None
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        raise DataError(
            f"{place} holds what no log of an evaluation does; check the file"
        ) from None
