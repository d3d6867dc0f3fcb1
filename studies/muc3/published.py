"""Figures 8 and 16 of Chinchor, Hirschman and Lewis (1993), as they are printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a summary score report; the last three are whole percentages."""

    possible: int
    actual: int
    correct: int
    partial: int
    incorrect: int
    interactive_correct: int
    interactive_partial: int
    spurious: int
    missing: int
    noncommittal: int
    recall: int
    precision: int
    overgeneration: int

    @property
    def counts(self) -> tuple[int, ...]:
        """All that is counted, in the order of the columns."""
        return (
            self.possible, self.actual, self.correct, self.partial, self.incorrect,
            self.interactive_correct, self.interactive_partial, self.spurious, self.missing,
            self.noncommittal,
        )  # fmt: skip


TEMPLATE_ID: Final = "template-id"
SLOTS: Final = {
    TEMPLATE_ID: Row(117, 115, 114, 0, 0, 0, 0, 1, 3, 39, 97, 99, 1),
    "incident-date": Row(113, 110, 90, 10, 10, 31, 10, 0, 3, 4, 84, 86, 0),
    "incident-type": Row(117, 114, 112, 1, 1, 0, 1, 0, 3, 0, 96, 99, 0),
    "category": Row(90, 109, 88, 0, 0, 0, 0, 21, 2, 6, 98, 81, 19),
    "indiv-perps": Row(104, 61, 59, 0, 2, 10, 0, 0, 43, 49, 57, 97, 0),
    "org-perps": Row(69, 68, 58, 0, 1, 15, 0, 9, 10, 47, 84, 85, 13),
    "perp-confidence": Row(69, 68, 56, 1, 2, 12, 1, 9, 10, 47, 82, 83, 13),
    "phys-target-ids": Row(59, 57, 54, 3, 0, 14, 3, 0, 2, 76, 94, 97, 0),
    "phys-target-num": Row(41, 41, 39, 0, 2, 0, 0, 0, 0, 76, 95, 95, 0),
    "phys-target-types": Row(59, 57, 52, 4, 1, 11, 4, 0, 2, 76, 92, 95, 0),
    "human-target-ids": Row(144, 133, 129, 2, 0, 33, 2, 2, 13, 23, 90, 98, 2),
    "human-target-num": Row(93, 88, 79, 6, 2, 0, 6, 1, 6, 23, 88, 93, 1),
    "human-target-types": Row(144, 133, 126, 2, 3, 23, 2, 2, 13, 23, 88, 95, 2),
    "target-nationality": Row(19, 19, 14, 2, 0, 4, 2, 3, 3, 103, 79, 79, 16),
    "instrument-types": Row(24, 22, 16, 1, 0, 0, 0, 5, 7, 88, 69, 75, 23),
    "incident-location": Row(117, 113, 88, 24, 1, 0, 1, 0, 4, 0, 85, 88, 0),
    "phys-effects": Row(41, 44, 37, 3, 0, 8, 3, 4, 1, 88, 94, 88, 9),
    "human-effects": Row(56, 55, 43, 2, 2, 10, 2, 8, 9, 80, 78, 80, 14),
}
SET_FILLS: Final = (
    "incident-type", "category", "perp-confidence", "phys-target-types", "human-target-types",
    "target-nationality", "instrument-types", "phys-effects", "human-effects",
)  # fmt: skip
SUMMARY: Final = {
    "MATCHED ONLY": Row(1442, 1407, 1254, 61, 27, 171, 37, 65, 100, 827, 89, 91, 5),
    "MATCHED/MISSING": Row(1476, 1407, 1254, 61, 27, 171, 37, 65, 134, 848, 87, 91, 5),
    "ALL TEMPLATES": Row(1476, 1425, 1254, 61, 27, 171, 37, 83, 134, 852, 87, 90, 6),
    "SET FILLS ONLY": Row(619, 621, 544, 16, 9, 68, 15, 52, 50, 511, 89, 89, 8),
}

MINIMAL_PAIRS: Final = {"X": ((32, 28), (62, 53)), "Y": ((43, 38), (77, 68))}
"""Figure 16, by site: recall, then precision, with appositives and with sentences instead"""
