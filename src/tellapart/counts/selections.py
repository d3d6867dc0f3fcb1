"""Counts of selected slots: what is scored on some phenomenon, beside all that is not or another.

A selection chooses slots of templates, such as those that need apposition. Its slots keep their
messages: slots of a message stand and fall together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SelectedSlots:
    """The slots that a system filled or should have filled, and which of them are selected."""

    selection: str
    system: str
    values: NDArray[np.int64]
    """Slots × (twice the matched, twice possible, twice actual)"""
    selected: NDArray[np.bool_]
    messages: tuple[str, ...]
    slots: tuple[str, ...] = ()
    """The same name for the same slot of every system"""
    against: str | None = None
    """The selection that the slots are of that are not selected; None: all other slots"""


@dataclass(frozen=True, slots=True)
class SelectionCounts:
    """What `--by selection` compares: the slots of each selection and system."""

    row: str
    """The summary row, which says what templates count"""
    slots: tuple[SelectedSlots, ...]
    warnings: tuple[str, ...]
