"""How a folder of decisions is opened: by what the package registers when it is imported.

Formats read decisions, and the database of a campaign stands above them. So that `--history DIR`
works all the same, the package says here what opens such a folder.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `signals.py`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OPENERS: list[Callable[..., Any]] = []


def register_opener(opener: Callable[..., Any]) -> None:
    """Register the function that opens a folder of decisions."""
    _OPENERS[:] = [opener]


def open_decision_folder(path: str, *about: Any, **options: Any) -> Any:
    """Return the decisions that are kept in a folder."""
    return _OPENERS[-1](path, *about, **options)
