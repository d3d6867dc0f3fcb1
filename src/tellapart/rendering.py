"""Renderers: the functions that turn a comparison into its verdict, its text and its HTML page.

The record of a comparison must not import the reports, which are made from it. So that
``print(result)`` and ``result.save_html(path)`` work all the same, the package registers here, when
it is imported, the functions that render.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `signals.py`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_RENDERERS: dict[str, Callable[[Any], str]] = {}


def register(**renderers: Callable[[Any], str]) -> None:
    """Register the functions that make the verdict, the text and the page of a comparison."""
    _RENDERERS.update(renderers)


def rendered(kind: str, result: Any) -> str:
    """Return a result as text or as a page, by the function that is registered for it.

    >>> register(shout=lambda words: words.upper())
    >>> rendered("shout", "better")
    'BETTER'
    """
    return _RENDERERS[kind](result)
