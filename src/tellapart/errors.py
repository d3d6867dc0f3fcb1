"""The exceptions that tellapart raises, as one tree, and notices: warnings as data.

* TellapartError
    * DataError: an input cannot be used
    * UsageError: what was asked for cannot be done
"""

from __future__ import annotations

from dataclasses import dataclass


class TellapartError(Exception):
    """Any error that tellapart raises on purpose; its message is one sentence."""


class DataError(TellapartError):
    """An input cannot be used; the message names place, finding and remedy."""


class UsageError(TellapartError):
    """What was asked for cannot be done; the message says why and what can."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One warning: a stable code, a sentence, and what it is about.

    >>> Notice("few-items", "Only 5 messages: the interval is rough.").code
    'few-items'
    """

    code: str
    text: str
    affected: tuple[str, ...] = ()
