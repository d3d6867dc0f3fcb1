"""Functions of higher folders that lower ones call: the package registers them when it is imported.

The record of a comparison must not import the reports, which are made from it, nor may formats
import the database of a campaign, which stands above them. So that ``print(result)``,
``result.save_html(path)`` and ``--history DIR`` work all the same, the package says here what
makes a verdict, a text or a page, and what opens a folder of decisions.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `signals.py`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def register(**functions: Callable[..., Any]) -> None:
    """Register functions by name."""
    _FUNCTIONS.update(functions)


def registered(name: str) -> Callable[..., Any]:
    """Return the function of a name.

    >>> register(shout=lambda words: words.upper())
    >>> registered("shout")("better")
    'BETTER'
    """
    return _FUNCTIONS[name]
