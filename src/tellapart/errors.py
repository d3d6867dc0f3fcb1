"""The exceptions that tellapart raises, as one tree; warnings and findings as data.

* TellapartError
    * DataError: an input cannot be used
        * DatabaseError: not just now
    * UsageError: what was asked for cannot be done
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class TellapartError(Exception):
    """Any error that tellapart raises on purpose; its message is one sentence.

    >>> issubclass(DataError, TellapartError), issubclass(UsageError, TellapartError)
    (True, True)
    """


class DataError(TellapartError):
    """An input cannot be used; the message names place, finding and remedy.

    >>> import tellapart as ta
    >>> ta.read("scores.csv")
    Traceback (most recent call last):
    tellapart.errors.DataError: scores.csv: there is no such file; check the name and the folder
    """


class DatabaseError(DataError):
    """The database of a campaign cannot be used just now: full, gone, locked, not to be reached."""


class UsageError(TellapartError):
    """What was asked for cannot be done; the message says why and what can.

    >>> import tellapart as ta
    >>> ta.compare(ta.example("muc4"), alpha=5)
    Traceback (most recent call last):
    tellapart.errors.UsageError: alpha must lie between 0 and 1, not 5.0
    """


@dataclass(frozen=True, slots=True)
class Notice:
    """One warning: a stable code, a sentence, and what it is about.

    >>> Notice("few-items", "Only 5 messages: the interval is rough.").code
    'few-items'
    """

    code: str
    text: str
    affected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a file: a sentence with file and line, and whether it can be scored.

    >>> str(Finding("a.txt:3: the line is blank", fatal=False))
    'warning: a.txt:3: the line is blank'
    """

    text: str
    fatal: bool = True

    def __str__(self) -> str:
        return self.text if self.fatal else f"warning: {self.text}"


@contextmanager
def in_python_words() -> Iterator[None]:
    """Let errors name keywords where they name options of the command line; also a decorator."""
    try:
        yield
    except TellapartError as problem:
        problem.args = (python_words(str(problem)),)
        raise


def python_words(text: str) -> str:
    """Return a sentence with keywords of Python for options of the command line.

    Those of other programs stand in backquotes, and stay.

    >>> python_words("missing in B: q2; --missing drop compares the others, by --min-confidence")
    'missing in B: q2; missing="drop" compares the others, by min_confidence='
    >>> python_words("run it with `--log-samples`")
    'run it with `--log-samples`'
    """
    text = re.sub(r"--system (\w+(?:,\w+)+)", lambda names: f"--system={names[1].split(',')}", text)
    text = re.sub(r"--(missing|test|tail|weights|as|system|condition) (\w+)", r'--\1="\2"', text)
    text = text.replace("--as", "--form").replace("--metric", "--metrics")
    return re.sub(r"(?<!`)--([a-z][a-z-]+)(=?)", lambda flag: flag[1].replace("-", "_") + "=", text)
