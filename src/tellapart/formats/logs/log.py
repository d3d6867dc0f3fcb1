"""What a log of an evaluation is: per item the scores, the texts, and whether it failed.

The reader of a harness returns `Log` objects, and `Harness.format` makes a format of it: `suite`
puts the logs of all files together and makes counts of them. Importing this module loads no numpy,
since all harnesses are imported to tell whose files these are.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

from tellapart.errors import DataError, Notice
from tellapart.files import shown
from tellapart.formats.contract import Format, when_called
from tellapart.formats.head import Head
from tellapart.formats.problems import Findings
from tellapart.words import several

Key: TypeAlias = tuple[str, ...]
"""What a value is called in full: (metric,), (scorer, key) or (metric, filter)."""

_RESERVED: Final = frozenset({"system", "run", "metric", "score", "item"})
_WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0, "nan": math.nan, "": math.nan}
_NUMBERS: Final = (int, float)
_PLAIN: Final = (str, int, float)
_LONGEST_HASHED: Final = 160
_LONGEST_LABEL: Final = 80  # what is longer is free text, unless it repeats
_LONGEST_NAME: Final = 60
LIKELIHOOD: Final = ("log-likelihood", "length")
"""What a perplexity is made of; a sample has these numbers under the key of the score and these"""


@dataclass(slots=True)
class Sample:
    """One attempt of a system at an item; values that were not scored are absent."""

    item: str
    values: dict[Key, float]
    place: str
    """Where it stands, as messages name it"""
    error: str = ""
    """What went wrong while the item was run"""
    input: str = ""
    gold: str = ""
    output: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    """A text or hash that is the same where the item is: its document, its gold answer"""


@dataclass(frozen=True, slots=True)
class Log:
    """What one system did on one task, in one file."""

    path: str
    samples: tuple[Sample, ...]
    """In the order of the file; an item that comes again is a repeat"""
    notices: tuple[Notice, ...] = ()
    faults: Mapping[Key, str] = field(default_factory=dict)
    """Values that are no numbers: what is wrong with the first"""
    system: str = ""
    """The model, as the log names it, in short; none: the file names the system"""
    task: str = ""
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
    part_of: str = ""
    """Logs of one system and task that name the same are parts of one run, a file for each item"""
    time: str = ""
    """When it was written, in a form that sorts"""
    problem: str = ""
    """Why it cannot count, as a sentence that names the file: the run failed, or was cancelled"""
    perplexities: Mapping[Key, str] = field(default_factory=dict)
    """How scores are summed up that are no means; samples have their parts, see `LIKELIHOOD`"""

    def value_keys(self) -> dict[Key, None]:
        """Return the names of all scores, in order of first appearance."""
        keys = dict.fromkeys(key for sample in self.samples for key in sample.values)
        whole = {(*key, part): key for key in self.perplexities for part in LIKELIHOOD}
        return dict.fromkeys(whole.get(key, key) for key in keys)


@dataclass(frozen=True, slots=True)
class Harness:
    """How the files of an evaluation harness look and are read."""

    name: str
    about: str
    _: KW_ONLY
    files: str
    """What it writes, as messages name it"""
    recognises: Callable[[Head], bool]
    read_file: Callable[[str, Findings], Sequence[Log]]
    """The logs of one file: one for each system and task that it holds"""
    refuses: Callable[[Head], DataError | None] = lambda _: None
    """Why a file that holds only totals cannot be read"""
    separator: str = "."
    """What stands between the parts of a key"""
    plain: int = -1
    """The part of a key that names a value where that is clear: the metric, or `scorer.key`"""
    weights: str = "tasks"
    """What counts the same in its own overall score: "items", "tasks" or "groups" of tasks"""
    check_logs: Callable[[Sequence[Log]], None] = lambda _: None
    """Raises what is wrong with all logs together"""

    def format(self) -> Format:
        """Return the format of the harness."""
        return Format(
            names=(self.name,),
            about=self.about,
            recognises=self.recognises,
            refuses=self.refuses,
            folders=True,
            read=partial(when_called("logs.suite:read_suite"), self),
            findings=partial(when_called("logs.suite:suite_findings"), self),
        )


class Values:
    """Takes the values of records that are numbers, and keeps what is wrong with others.

    Nothing, null and NaN are no value; `grades` are words that count.

    >>> values = Values({"good": 1.0})
    >>> values.of({"f1": 0.5, "ok": "yes", "grade": "good", "cost": None, "why": "x"}, "a.json:3")
    {('f1',): 0.5, ('ok',): 1.0, ('grade',): 1.0}
    >>> values.faults
    {('why',): "a.json:3: the value of 'why' is 'x', which is no number and no grade (good); \
choose another with --metric"}
    """

    def __init__(self, grades: Mapping[str, float] | None = None) -> None:
        self.grades = grades or {}
        self.faults: dict[Key, str] = {}

    def of(self, fields: Mapping[Any, Any], place: str) -> dict[Key, float]:
        """Return the values of a record by their keys, which are names or whole keys."""
        values: dict[Key, float] = {}
        for name, raw in fields.items():
            key = name if isinstance(name, tuple) else (sys.intern(str(name)),)
            value = number(raw, self.grades)
            if value is None:
                grade = f" and no grade ({', '.join(self.grades)})" if self.grades else ""
                self.refuse(key, raw, place, f"no number{grade}")
            elif not math.isnan(value):
                values[key] = value
        return values

    def refuse(self, key: Key, raw: Any, place: str, why: str) -> None:
        """Keep what is wrong with a value, unless something is known of its kind."""
        shown_value = as_text(raw)[:_LONGEST_NAME]
        self.faults.setdefault(
            key,
            f"{place}: the value of {'.'.join(key)!r} is {shown_value!r}, which is {why}; choose "
            "another with --metric",
        )


def number(value: Any, grades: Mapping[str, float]) -> float | None:
    """Return a value as a number: NaN and null are "not scored"; None is no number at all.

    Truth values count 1 and 0, also as words; `grades` are further words.

    >>> number(True, {}), number("0.5", {}), number("C", {"C": 1.0}), number("good", {})
    (1.0, 0.5, 1.0, None)
    """
    if isinstance(value, float):
        return None if math.isinf(value) else value
    if value is None:
        return math.nan
    if isinstance(value, str):
        from tellapart.counts.fixed_point import is_number

        text = value.strip()
        if text in grades:
            return grades[text]
        if text.lower() in _WORDS:
            return _WORDS[text.lower()]
        value = float(text) if is_number(text) else None
    if not isinstance(value, _NUMBERS) or abs(value) > sys.float_info.max:
        return None
    return float(value)


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
        if isinstance(value, _PLAIN)
    }


def is_label(texts: list[str]) -> bool:
    """Return whether texts, one for each item, are labels: they are short, or repeat.

    >>> is_label(["sea", "air"]), is_label(["x" * 100, "y" * 100]), is_label(["x" * 100] * 2)
    (True, False, True)
    """
    return max(map(len, texts)) <= _LONGEST_LABEL or 2 * len(set(texts)) <= len(texts)


def as_text(value: Any) -> str:
    """Return a text as it is, nothing for null, and anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def plain_text(value: Any) -> str:
    r"""Return what a value says: the text inside an object of one, a conversation line by line.

    >>> plain_text({"question": "Who?"}), plain_text(["a", "b"])
    ('Who?', 'a\nb')
    >>> plain_text([{"role": "user", "content": "Who?"}])
    'user: Who?'
    """
    if isinstance(value, dict) and len(value) == 1:
        return plain_text(next(iter(value.values())))
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    if isinstance(value, list) and all(
        isinstance(part, dict) and "role" in part and "content" in part for part in value
    ):
        return "\n".join(f"{part['role']}: {plain_text(part['content'])}" for part in value)
    return as_text(value)


def object_of(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list; an empty one for null, and one of anything else."""
    return value if isinstance(value, list) else [] if value is None else [value]


def text_hash(text: str) -> str:
    """Return a text, or what stands for a longer one, by which texts are told apart.

    >>> text_hash("Who?"), len(text_hash("Who? " * 100))
    ('Who?', 64)
    """
    return text if len(text) <= _LONGEST_HASHED else _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def short_name(text: str) -> str:
    """Return a name for what is known by its text alone.

    >>> short_name("What is 2 + 2?")
    'What is 2 + 2?'
    >>> short_name("word " * 50)
    'word word word word word word word word… (3a0a356c)'
    """
    line = " ".join(text.split())
    if line == text and len(line) <= _LONGEST_NAME:
        return line
    return f"{line[: _LONGEST_NAME - 20].rstrip()}… ({_digest(text)[:8]})"


def total_notice(path: str, stated: Any, found: int) -> tuple[Notice, ...]:
    """Return the notice that a harness counted other samples than are there, if it did."""
    if not isinstance(stated, int) or stated == found:
        return ()
    text = f"{shown(path)}: the run had {several(stated, 'sample')}, and {found} are there."
    return (Notice("other-total", text, (path,)),)


def without_items(path: str, remedy: str) -> DataError:
    """Return why a file of totals, or of what was set, cannot be compared, and what can."""
    return DataError(f"{shown(path)} cannot be compared item by item: {remedy}")
