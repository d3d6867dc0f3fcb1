"""Who puts results into words and pictures: set by the public face, used by the results.

A record of results stands below the reports and must not import them. So that ``print(result)`` and
``result.save_html(path)`` work all the same, the package says here, when it is imported, which
functions render.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_RENDERERS: dict[str, Callable[[Any], str]] = {}


def register(**renderers: Callable[[Any], str]) -> None:
    """Say which functions make the verdict, the text and the page of a comparison."""
    _RENDERERS.update(renderers)


def rendered(kind: str, result: Any) -> str:
    """Return a result as words or as a page, by the function that is registered for it.

    >>> register(shout=lambda words: words.upper())
    >>> rendered("shout", "better")
    'BETTER'
    """
    return _RENDERERS[kind](result)
