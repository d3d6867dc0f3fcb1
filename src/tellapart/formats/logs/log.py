"""What a log of an evaluation is: per item the scores, the texts, and whether it failed.

A harness has a module here that reads its files as `Log` objects and declares its format by
`harness.log_format`. `suite` puts the logs of all files together, `counting` makes counts of them.
Importing this module loads no numpy, since the modules of all harnesses are imported to tell whose
files these are.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tellapart.errors import Notice
from tellapart.formats.json_text import parse_json

Key: TypeAlias = tuple[str, ...]
"""What a value is called in full: (metric,), (scorer, key) or (metric, filter)."""

NOT_EMPTY: Final = "it was taken from other files, or to be empty"
"""What became of a label that a row lacks"""

_RESERVED: Final = frozenset({"system", "run", "metric", "score", "item"})
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
class Aggregate:
    """A score of a whole task that is no mean of item scores, such as a perplexity.

    Samples have the numbers that it is made of under the key of the score and the name of the part.
    """

    kind: str
    """How it is made of sums over items: one of `metrics.aggregates.KINDS`"""
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Log:
    """What one system did on one task, in one file."""

    path: str
    samples: tuple[Sample, ...]
    """In the order of the file, which is that in which they were done"""
    order: tuple[str, ...] = ()
    """The items in the order of the data set, where the log knows it"""
    notices: tuple[Notice, ...] = ()
    faults: Mapping[Key, str] = field(default_factory=dict)
    """Values that are no numbers: what is wrong with the first"""
    system: str = ""
    """The model, as the log names it, in short; none: the file names the system"""
    task: str = ""
    dataset: str = ""
    """The data, as the log names them; logs of one task must be of the same"""
    group: str = ""
    """The group of tasks that the harness itself sums up, if the task is of one"""
    group_weights: str = "items"
    """How it sums up the group: every item counts the same ("items"), or every task ("tasks")"""
    main: Key | None = None
    """The value that the harness reports first for the task; None: the first there is"""
    lower: tuple[Key, ...] = ()
    """Values of which less is better, where their names do not tell"""
    costs: tuple[Key, ...] = ()
    """Values of what the run took (seconds, tokens), which are compared where they are named"""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What was set for the run (a prompt, a temperature): it tells systems of one model apart"""
    identity: str = ""
    """Logs of one identity are attempts at the same run; the last whole one counts"""
    time: str = ""
    """When it was written, in a form that sorts"""
    problem: str = ""
    """Why it cannot count, as a sentence that names the file: the run failed, or was cancelled"""
    aggregates: Mapping[Key, Aggregate] = field(default_factory=dict)
    """Scores that are made of sums over the items; none of them is a value of a sample"""

    def value_keys(self) -> dict[Key, None]:
        """Return the names of all scores, in order of first appearance."""
        found = dict.fromkeys(key for sample in self.samples for key in sample.values)
        if not self.aggregates:
            return found
        whole = {(*key, part): key for key, each in self.aggregates.items() for part in each.parts}
        return dict.fromkeys(whole.get(key, key) for key in found)


def number(value: Any, grades: Mapping[str, float]) -> float | None:
    """Return a value as a number: NaN and null are "not scored"; None is no number at all.

    Truth values count 1 and 0, also as words; `grades` are further words.

    >>> number(True, {}), number("0.5", {}), number("C", {"C": 1.0}), number("good", {})
    (1.0, 0.5, 1.0, None)
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        from tellapart.counts.fixed_point import is_number

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
        sys.intern(f"{origin}.{name}" if name in _RESERVED else name): as_text(value)
        for name, value in fields.items()
        if isinstance(value, str | int | float)
    }


def as_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parse_log(text: bytes | str, place: str) -> Any:
    """Return what the JSON of a log holds; halves of characters, which models write, are marked.

    >>> parse_log(b'{"id": 7}', "quiz.json")
    {'id': 7}
    """
    return parse_json(text, place, "copy the file again", halves=True)
