"""The exceptions that tellapart raises, as one tree.

* TellapartError
    * DataError: an input cannot be used
    * UsageError: what was asked for cannot be done
"""

from __future__ import annotations


class TellapartError(Exception):
    """Any error that tellapart raises on purpose; its message is one sentence."""


class DataError(TellapartError):
    """An input cannot be used; the message names place, finding and remedy."""


class UsageError(TellapartError):
    """What was asked for cannot be done; the message says why and what can."""
