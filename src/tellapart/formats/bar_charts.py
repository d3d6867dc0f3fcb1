"""The pictures that go with a format's own report, as records: `report.figures` draws them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """One score, from 0 to 100."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of one system."""

    name: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """Groups of bars, one group per system.

    With `losses` each bar also shows what it lacks compared with the first of its group.
    """

    title: str
    axis: str
    groups: tuple[Group, ...]
    losses: bool

    def in_words(self) -> str:
        """Return what the chart shows, number by number: its text alternative.

        >>> group = Group("A", (Bar("span", 80.0), Bar("span + type", 60.0)))
        >>> BarChart("F1", "per cent", (group,), losses=True).in_words()
        'Per cent. A: span 80.0, span + type 60.0.'
        """
        sentences = [
            f"{group.name}: "
            + ", ".join(f"{bar.label} {bar.value:.1f}" for bar in group.bars)
            + "."
            for group in self.groups
        ]
        return " ".join([f"{self.axis[0].upper()}{self.axis[1:]}.", *sentences])
